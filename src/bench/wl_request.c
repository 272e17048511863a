/* One request over and over: for measuring the client itself against a null server, and for
 * people's own endpoints. What the client does for each is as little as the engine allows: the same
 * URL, headers and body, nothing allocated, nothing formatted. */
#include "bench/wl_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "bench/load.h"

#define BODY_MAX ((size_t)1 << 30)
#define REPLY_MAX ((size_t)1 << 30)
#define PROGRESS_EVERY 256               /* requests */
#define HEADERS_NS UINT64_C(10000000000) /* taken anew after this, see couch_headers */

struct settings {
    int method;
    char *path, *body_file, *type;
};

#define AT(member) offsetof(struct settings, member)

static const struct opt options[] = {
    {"method", 0, OPT_CHOICE, AT(method), "GET", 0, 0, http_method_names, "NAME", "What to send.",
     OPT_WORK},
    {"path", 0, OPT_TEXT, AT(path), "/", 0, 0, NULL, "PATH",
     "Path and query, appended to the server's URL as it is.", OPT_WORK},
    {"body-file", 0, OPT_TEXT, AT(body_file), NULL, 0, 0, NULL, "FILE", "What to send as the body.",
     OPT_WORK},
    {"content-type", 0, OPT_TEXT, AT(type), "application/json", 0, 0, NULL, "TYPE",
     "Content type of the body.", OPT_WORK},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

struct state {
    const struct settings *set;
    struct buf body;
};

static int check(const struct spec *spec, struct err *err)
{
    const struct settings *set = spec->own;
    if (set->path[0] != '/') {
        return err_set(err, ERR_USAGE, "--path must begin with /");
    }
    for (const char *p = set->path; *p != '\0'; p++) {
        if ((unsigned char)*p <= ' ' || *p == '#' || *p == 0x7f) {
            return err_set(err, ERR_USAGE,
                           "--path: spaces, control characters and # must be percent-encoded");
        }
    }
    if (set->body_file != NULL && (set->method == HTTP_GET || set->method == HTTP_HEAD)) {
        return err_set(err, ERR_USAGE, "--body-file: %s takes no body",
                       http_method_name((enum http_method)set->method));
    }
    return 0;
}

static int prepare(const struct spec *spec, void **state, struct err *err)
{
    struct state *t = mem_zero(1, sizeof *t);
    t->set = spec->own;
    buf_init(&t->body, BODY_MAX);
    if (t->set->body_file != NULL && file_read(t->set->body_file, &t->body, err) < 0) {
        if (err != NULL) {
            err->kind = ERR_USAGE;
        }
        buf_free(&t->body);
        free(t);
        return -1;
    }
    *state = t;
    return 0;
}

static void release(void *state)
{
    struct state *t = state;
    buf_free(&t->body);
    free(t);
}

static void describe(const void *state, cJSON *work)
{
    const struct state *t = state;
    const char *method = http_method_name((enum http_method)t->set->method);
    json_add_str(work, "method", method);
    json_add_str(work, "path", t->set->path);
    json_add_u64(work, "body_bytes", t->body.len);
    if (t->body.len > 0) {
        unsigned char digest[EVP_MAX_MD_SIZE];
        unsigned int n = 0;
        char text[2 * EVP_MAX_MD_SIZE + 1];
        EVP_Digest(t->body.data, t->body.len, digest, &n, EVP_sha256(), NULL);
        for (unsigned int i = 0; i < n; i++) {
            snprintf(text + 2 * (size_t)i, 3, "%02x", digest[i]);
        }
        json_add_str(work, "body_sha256", text);
        json_add_str(work, "content_type", t->set->type);
    }
    char *summary = mem_printf("%s %s", method, t->set->path);
    json_add_str(work, "summary", summary);
    free(summary);
}

/* ---- the phase ------------------------------------------------------------------------------- */

struct sending {
    struct bench *b;
    const struct state *t;
    struct http_request request;
    const char *type;
    uint64_t headers_ns, ended, bad;
    struct err err; /* of the first failure */
};

static void take_headers(struct sending *s, uint64_t now)
{
    s->request.headers = couch_headers_type(s->b->couch, s->type);
    s->headers_ns = now;
}

static int next(void *arg, struct load_op *op)
{
    struct sending *s = arg;
    op->request = s->request;
    return 1;
}

static void done(void *arg, void *item, struct http_reply *reply)
{
    struct sending *s = arg;
    (void)item;
    if (reply->outcome != HTTP_ANSWERED || reply->status / 100 != 2) {
        s->bad++;
        if (s->err.kind == ERR_NONE && reply->outcome != HTTP_CANCELLED) {
            couch_explain(s->b->couch, s->request.method, s->request.url, reply, &s->err);
        }
    }
    if (reply->set_cookie[0] != '\0') {
        couch_saw(s->b->couch, reply);
    }
    if (reply->end_ns - s->headers_ns > HEADERS_NS) {
        take_headers(s, reply->end_ns);
    }
    if (++s->ended % PROGRESS_EVERY == 0) {
        bench_progress(s->b, s->ended, s->b->spec->common.requests, s->bad);
    }
}

static int run_request(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct state *t = state;
    const struct spec_settings *c = &b->spec->common;
    char *url = couch_url_server(b->couch, t->set->path);
    struct sending s = {.b = b, .t = t, .type = t->set->type, .err = ERR_INIT};
    s.request = (struct http_request){.method = (enum http_method)t->set->method,
                                      .url = url,
                                      .body = t->body.data,
                                      .body_len = t->body.len,
                                      .reply_max = REPLY_MAX};
    take_headers(&s, uv_hrtime());
    p->title = mem_printf("%s %s", http_method_name(s.request.method), t->set->path);
    p->item_unit = mem_strdup("request");
    struct load l = {.http = b->http,
                     .retries = (unsigned)c->retries,
                     .arg = &s,
                     .next = next,
                     .done = done,
                     .meter = bench_meter(b)};
    bench_load(b, &l);
    bench_start(b);
    load_run(&l);
    bench_stop(b);
    bench_loaded(b, &l);
    p->payload_bytes = (p->items = p->requests.ok) * t->body.len;
    int rc = bench_check_stop(err);
    if (rc == 0) {
        bench_too_many_errors(b, p, s.err.text);
    }
    free(url);
    return rc;
}

static const struct phase phases[] = {{"request", NULL, run_request, true, 0}};

static const char *const unused[] = {
    "batch",        "batch-bytes", "prepare-bytes", "shards", "replicas",
    "write-quorum", "read-quorum", "keep",          NULL,
};

const struct workload wl_request = {
    .name = "request",
    .summary = "request: any one request over and over, to any HTTP server",
    .options = options,
    .settings_size = sizeof(struct settings),
    .runs = 3,
    .no_database = true,
    .unused = unused,
    .endless = true,
    .phases = phases,
    .phases_n = sizeof phases / sizeof phases[0],
    .check = check,
    .prepare = prepare,
    .describe = describe,
    .release = release,
};
