#include "net/stub.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

#include "net/stub_engine.h"

char *stub_header(const struct stub_request *r, const char *name, char *out, size_t size)
{
    size_t n = strlen(name);
    out[0] = '\0';
    for (const char *line = r->headers; line != NULL && *line != '\0';) {
        const char *end = strchr(line, '\n');
        if (strncasecmp(line, name, n) == 0 && line[n] == ':') {
            const char *value = line + n + 1;
            value += strspn(value, " \t");
            snprintf(out, size, "%.*s", (int)strcspn(value, "\r\n"), value);
            break;
        }
        line = end != NULL ? end + 1 : NULL;
    }
    return out;
}

void stub_fill_request(const struct stub_conn *c, struct stub_request *r)
{
    /* `in` moves when it grows, so that pointers into it are made anew. */
    *r = (struct stub_request){.method = c->in.data,
                               .path = c->in.data + c->path_at,
                               .headers = c->in.data + c->headers_at,
                               .body_len = (size_t)c->body_len,
                               .connection = c->number,
                               .on_connection = c->on_connection,
                               .number = c->stub->next_request};
    if (!c->stub->config.discard_bodies && c->body_seen == c->body_len && c->body_len > 0) {
        r->body = c->in.data + c->head_len;
    }
}

static int parse_length(const char *text, uint64_t *out)
{
    *out = 0;
    for (const char *p = text; *p != '\0'; p++) {
        if (*p < '0' || *p > '9' || *out > UINT64_MAX / 16) {
            return -1;
        }
        *out = *out * 10 + (uint64_t)(*p - '0');
    }
    return 0;
}

/* Splits the request line in place and reads the headers that matter here. 0, or the status to
 * refuse the request with. */
static int parse_head(struct stub_conn *c)
{
    char *head = c->in.data, *line_end = memchr(head, '\n', c->head_len);
    char *space = memchr(head, ' ', (size_t)(line_end - head));
    char *version = space ? memchr(space + 1, ' ', (size_t)(line_end - space - 1)) : NULL;
    if (version == NULL || strncmp(version + 1, "HTTP/1.", 7) != 0) {
        return 400;
    }
    bool old = version[8] == '0';
    *space = *version = '\0';
    c->path_at = (size_t)(space + 1 - head);
    c->headers_at = (size_t)(line_end + 1 - head);
    head[c->head_len - 1] = '\0'; /* the newline of the blank line */
    c->head_method = strcmp(head, "HEAD") == 0;

    struct stub_request r;
    char value[64];
    c->body_seen = c->body_len = 0;
    stub_fill_request(c, &r);
    stub_header(&r, "Connection", value, sizeof value);
    c->close_after = old ? strcasecmp(value, "keep-alive") != 0 : strcasecmp(value, "close") == 0;
    if (stub_header(&r, "Transfer-Encoding", value, sizeof value)[0] != '\0') {
        return 411;
    }
    if (parse_length(stub_header(&r, "Content-Length", value, sizeof value), &c->body_len) < 0) {
        return 400;
    }
    if (c->body_len > c->stub->config.body_max) {
        return 413;
    }
    if (c->body_len > 0 && stub_header(&r, "Expect", value, sizeof value)[0] != '\0') {
        static char text[] = "HTTP/1.1 100 Continue\r\n\r\n";
        uv_buf_t b = uv_buf_init(text, sizeof text - 1);
        uv_try_write((uv_stream_t *)&c->tcp, &b, 1);
    }
    return 0;
}

/* The blank line, sought only in what is new. */
static bool find_head_end(struct stub_conn *c)
{
    const char *data = c->in.data, *end = data + c->in.len;
    for (const char *at = data + c->scanned;
         at < end && (at = memchr(at, '\n', (size_t)(end - at))) != NULL; at++) {
        size_t i = (size_t)(at - data);
        if ((i >= 1 && at[-1] == '\n') || (i >= 2 && at[-1] == '\r' && at[-2] == '\n')) {
            c->head_len = i + 1;
            return true;
        }
    }
    c->scanned = c->in.len;
    return false;
}

static void refuse(struct stub_conn *c, int status)
{
    c->refuse = status;
    c->last_byte_ns = uv_hrtime();
    c->state = STUB_ANSWERING;
    stub_respond(c);
}

static void begin_body(struct stub_conn *c)
{
    int status = parse_head(c);
    if (status != 0) {
        refuse(c, status);
        return;
    }
    c->state = STUB_IN_BODY;
    c->decided = false;
    c->answer.fault = STUB_NONE;
    const struct stub_config *config = &c->stub->config;
    if (config->early != NULL) {
        stub_decide(c, config->early);
        c->decided = c->answer.fault != STUB_NONE;
        if (!c->decided) {
            buf_free(&c->answer.body);
        }
    }
    if (!c->decided && config->discard_bodies && config->handler != NULL) {
        stub_decide(c, config->handler);
        c->decided = true;
    }
    if (c->decided && c->answer.fault == STUB_RESET_BEFORE_BODY) {
        stub_reset(c);
        return;
    }
    /* What came in with the headers. */
    uint64_t here = c->in.len - c->head_len;
    c->body_seen = here < c->body_len ? here : c->body_len;
    if (config->discard_bodies && c->body_seen > 0) {
        size_t rest = (size_t)(here - c->body_seen);
        memmove(c->in.data + c->head_len, c->in.data + c->head_len + c->body_seen, rest);
        c->in.len = c->head_len + rest;
    }
}

size_t stub_request_len(const struct stub_conn *c)
{
    return c->head_len + (c->stub->config.discard_bodies ? 0 : (size_t)c->body_len);
}

static void end_of_request(struct stub_conn *c)
{
    c->last_byte_ns = uv_hrtime();
    c->state = STUB_ANSWERING;
    atomic_fetch_add_explicit(&c->stub->body_bytes, c->body_len, memory_order_relaxed);
    if (!c->decided && c->stub->config.handler != NULL) {
        stub_decide(c, c->stub->config.handler);
    }
    atomic_fetch_add_explicit(&c->stub->requests, 1, memory_order_relaxed);
    c->stub->next_request++;
    c->on_connection++;
    if (c->answer.delay_ns > 0) {
        stub_delay(c);
    } else {
        stub_respond(c);
    }
}

/* Goes as far as the bytes allow. An answer that is written at once comes back here through the
 * state, not by recursion. */
void stub_parse(struct stub_conn *c)
{
    if (c->parsing) {
        return;
    }
    c->parsing = true;
    for (;;) {
        if (c->state == STUB_IN_HEADERS) {
            if (c->in.len == 0 || !find_head_end(c)) {
                if (c->in.len >= STUB_HEADERS_MAX) {
                    c->head_len = c->in.len;
                    refuse(c, 431);
                }
                break;
            }
            begin_body(c);
        } else if (c->state == STUB_IN_BODY) {
            if (c->decided && c->answer.fault == STUB_RESET_IN_BODY &&
                c->body_seen >= c->body_len / 2) {
                stub_reset(c);
                break;
            }
            if (c->body_seen < c->body_len) {
                break;
            }
            end_of_request(c);
        } else {
            break;
        }
    }
    c->parsing = false;
}

bool stub_drops(const struct stub_conn *c)
{
    return c->state == STUB_STALLED || (c->state == STUB_IN_BODY && c->stub->config.discard_bodies);
}

void stub_take(struct stub_conn *c, size_t n, bool dropped)
{
    if (c->state == STUB_STALLED || c->state == STUB_CLOSING) {
        return;
    }
    size_t body = 0;
    if (c->state == STUB_IN_BODY) {
        uint64_t left = c->body_len - c->body_seen;
        body = n < left ? n : (size_t)left;
        c->body_seen += body;
    }
    if (!dropped) {
        c->in.len += n;
        c->in.data[c->in.len] = '\0';
    } else if (n > body) { /* the beginning of the next request */
        buf_add(&c->in, c->stub->scratch + body, n - body);
    }
    stub_parse(c);
}
