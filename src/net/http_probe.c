#include "net/http.h"

#include <errno.h>
#include <netdb.h>
#include <netinet/in.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/http_engine.h"
#include "net/rtt.h"

/* An address that does not answer within this time is passed over. */
#define CONNECT_MS 3000

/* ---- one timed connect ---- */

struct knock {
    uv_poll_t poll;
    uv_timer_t timer;
    int fd, closing;
    int error; /* errno; 0: connected */
    bool ended;
    uint64_t start_ns, took_ns, min_rtt_ns; /* min_rtt_ns 0: not known */
};

static void on_closed(uv_handle_t *handle)
{
    struct knock *k = handle->data;
    k->closing--;
}

static void end(struct knock *k, int error)
{
    k->error = error;
    k->min_rtt_ns = error == 0 ? rtt_kernel_min(k->fd) : 0;
    k->ended = true;
}

static void on_writable(uv_poll_t *poll, int status, int events)
{
    (void)events;
    struct knock *k = poll->data;
    k->took_ns = uv_hrtime() - k->start_ns;
    int error = 0;
    socklen_t len = sizeof error;
    if (getsockopt(k->fd, SOL_SOCKET, SO_ERROR, &error, &len) != 0) {
        error = errno;
    }
    if (error == 0 && status < 0) {
        error = ECONNREFUSED;
    }
    uv_poll_stop(poll);
    end(k, error);
}

static void on_late(uv_timer_t *timer)
{
    end(timer->data, ETIMEDOUT);
}

/* Connects a fresh socket, non-blocking, on the engine's loop. 0 or an errno. */
static int knock(struct http *h, const struct sockaddr *to, struct knock *k)
{
    memset(k, 0, sizeof *k);
    socklen_t len =
        to->sa_family == AF_INET6 ? sizeof(struct sockaddr_in6) : sizeof(struct sockaddr_in);
    k->fd = socket(to->sa_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (k->fd < 0) {
        return errno;
    }
    if (uv_poll_init_socket(&h->loop, &k->poll, k->fd) != 0) {
        close(k->fd);
        return EMFILE;
    }
    uv_timer_init(&h->loop, &k->timer);
    k->poll.data = k->timer.data = k;
    uv_update_time(&h->loop);
    uv_timer_start(&k->timer, on_late, CONNECT_MS, 0);
    k->start_ns = uv_hrtime();
    int rc = connect(k->fd, to, len);
    if (rc == 0) { /* loopback may connect at once */
        k->took_ns = uv_hrtime() - k->start_ns;
        end(k, 0);
    } else if (errno != EINPROGRESS) {
        end(k, errno);
    } else {
        uv_poll_start(&k->poll, UV_WRITABLE, on_writable);
    }
    while (!k->ended && !h->stopped) {
        uv_run(&h->loop, UV_RUN_ONCE);
    }
    if (!k->ended) {
        k->error = ECANCELED;
    }
    k->closing = 2;
    uv_close((uv_handle_t *)&k->poll, on_closed);
    uv_close((uv_handle_t *)&k->timer, on_closed);
    while (k->closing > 0) {
        uv_run(&h->loop, UV_RUN_NOWAIT);
    }
    close(k->fd);
    return k->error;
}

/* ---- names ---- */

struct place {
    char host[256]; /* as in the URL, IPv6 without its brackets */
    char port[8];
};

static int take_part(CURLU *u, CURLUPart part, char *out, size_t size)
{
    char *text = NULL;
    if (curl_url_get(u, part, &text, CURLU_DEFAULT_PORT) != CURLUE_OK) {
        return -1;
    }
    int n = snprintf(out, size, "%s", text);
    curl_free(text);
    return n > 0 && (size_t)n < size ? 0 : -1;
}

static int parse(const char *url, struct place *place, struct err *err)
{
    CURLU *u = mem_checked(curl_url());
    bool good = curl_url_set(u, CURLUPART_URL, url, 0) == CURLUE_OK &&
                take_part(u, CURLUPART_HOST, place->host, sizeof place->host) == 0 &&
                take_part(u, CURLUPART_PORT, place->port, sizeof place->port) == 0;
    curl_url_cleanup(u);
    if (!good) {
        return err_set(err, ERR_USAGE, "not a URL of a server");
    }
    size_t n = strlen(place->host);
    if (place->host[0] == '[' && n > 2) {
        memmove(place->host, place->host + 1, n - 2);
        place->host[n - 2] = '\0';
    }
    return 0;
}

struct resolving {
    uv_getaddrinfo_t req;
    bool ended;
    int status;
    struct addrinfo *list;
};

static void on_resolved(uv_getaddrinfo_t *req, int status, struct addrinfo *list)
{
    struct resolving *r = req->data;
    r->ended = true;
    r->status = status;
    r->list = list;
}

/* In libuv's thread pool, so that a stop is seen meanwhile (a stop cannot cut it short, though: the
 * resolver's own time limit does). The caller frees with uv_freeaddrinfo. */
static struct addrinfo *resolve(struct http *h, const struct place *place, struct err *err)
{
    struct resolving r = {.ended = false};
    struct addrinfo hints = {.ai_socktype = SOCK_STREAM, .ai_family = AF_UNSPEC};
    r.req.data = &r;
    int rc = uv_getaddrinfo(&h->loop, &r.req, on_resolved, place->host, place->port, &hints);
    while (rc == 0 && !r.ended) {
        uv_run(&h->loop, UV_RUN_ONCE);
    }
    rc = rc != 0 ? rc : r.status;
    if (rc != 0 || r.list == NULL) {
        err_set(err, ERR_UNREACHABLE, "cannot resolve %s: %s", place->host,
                rc != 0 ? uv_strerror(rc) : "no address");
        return NULL;
    }
    return r.list;
}

/* ---- the two verbs ---- */

static void pin(struct http *h, const struct place *place, const char *address)
{
    char *entry =
        mem_printf("%s:%s:%s%s%s", place->host, place->port, strchr(address, ':') ? "[" : "",
                   address, strchr(address, ':') ? "]" : "");
    h->resolve = mem_checked(curl_slist_append(h->resolve, entry));
    free(entry);
    /* libcurl reads the list at each handle's next transfer, once, and shares what it learned. */
    for (unsigned i = 0; i < h->concurrency; i++) {
        curl_easy_setopt(h->slots[i].easy, CURLOPT_RESOLVE, h->resolve);
    }
}

int http_pin(struct http *h, const char *url, char *address, size_t size, struct err *err)
{
    struct place place;
    if (parse(url, &place, err) < 0) {
        return -1;
    }
    if (h->proxied) { /* the proxy resolves it */
        snprintf(address, size, "%s", place.host);
        return 0;
    }
    struct addrinfo *list = resolve(h, &place, err);
    if (list == NULL) {
        return -1;
    }
    /* The first that accepts a connection: "localhost" is often ::1 and 127.0.0.1 while a server
     * listens on one of them. If none does, the first, and requests will say why. */
    const struct addrinfo *chosen = list;
    if (list->ai_next != NULL) {
        for (const struct addrinfo *a = list; a != NULL; a = a->ai_next) {
            struct knock k;
            if (knock(h, a->ai_addr, &k) == 0) {
                chosen = a;
                break;
            }
        }
    }
    char text[64] = "";
    getnameinfo(chosen->ai_addr, chosen->ai_addrlen, text, sizeof text, NULL, 0, NI_NUMERICHOST);
    snprintf(address, size, "%s", text);
    if (strcmp(text, place.host) != 0) {
        pin(h, &place, text);
    }
    uv_freeaddrinfo(list);
    return 0;
}

uint64_t http_round_trip(struct http *h, const char *url, unsigned tries, struct err *err)
{
    struct place place;
    uint64_t least = 0;
    int error = 0;
    if (parse(url, &place, err) < 0) {
        return 0;
    }
    struct addrinfo *list = resolve(h, &place, err);
    if (list == NULL) {
        return 0;
    }
    const struct addrinfo *a = list;
    for (unsigned i = 0; i < (tries ? tries : 1) && !h->stopped; i++) {
        struct knock k;
        int rc = knock(h, a->ai_addr, &k);
        while (rc != 0 && least == 0 && a->ai_next != NULL) { /* the next address may answer */
            a = a->ai_next;
            rc = knock(h, a->ai_addr, &k);
        }
        if (rc != 0) {
            error = rc;
            break;
        }
        uint64_t rtt = k.min_rtt_ns != 0 && k.min_rtt_ns < k.took_ns ? k.min_rtt_ns : k.took_ns;
        least = least == 0 || rtt < least ? rtt : least;
    }
    uv_freeaddrinfo(list);
    if (least == 0) {
        err_set(err, ERR_UNREACHABLE, "cannot connect to %s port %s: %s", place.host, place.port,
                error != 0 ? strerror(error) : "stopped");
    }
    return least;
}
