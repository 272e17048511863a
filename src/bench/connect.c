#include "bench/connect.h"

#include "base/stop.h"

static struct couch *open_with(const struct server_spec *s, unsigned concurrency,
                               uint64_t timeout_ns, bool any_server, bool ignore_stop,
                               struct err *err)
{
    struct http_config config = {
        .concurrency = concurrency,
        .timeout_ns = timeout_ns,
        .ca_file = s->ca_file,
        .client_cert = s->client_cert,
        .client_key = s->client_key,
        .insecure = s->insecure,
        .http2 = s->http2,
        .proxy = s->proxy,
        .ignore_stop = ignore_stop,
    };
    struct http *http = http_new(&config, err);
    if (http == NULL) {
        return NULL;
    }
    struct couch_config cc = {s->url, s->admin_url, &s->auth};
    struct couch *c = any_server ? couch_open_any(http, &cc, err) : couch_open(http, &cc, err);
    if (c == NULL) {
        http_free(http);
        if (!ignore_stop && stop_wanted()) {
            err_set(err, ERR_INTERRUPTED, "interrupted");
        }
    }
    return c;
}

struct couch *connect_open(const struct server_spec *s, unsigned concurrency, uint64_t timeout_ns,
                           bool any_server, struct err *err)
{
    return open_with(s, concurrency, timeout_ns, any_server, false, err);
}

struct couch *connect_cleanup(const struct server_spec *s, uint64_t timeout_ns, struct err *err)
{
    return open_with(s, 1, timeout_ns, false, true, err);
}

void connect_close(struct couch *c)
{
    if (c != NULL) {
        struct http *http = couch_http(c);
        couch_close(c);
        http_free(http);
    }
}
