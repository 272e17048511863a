#include "net/stub.h"

#include <stdio.h>
#include <string.h>
#include <sys/socket.h>

#include "base/mem.h"
#include "net/stub_engine.h"

#define ENDLESS_BLOCK ((size_t)64 << 10)
#define ENDLESS_HEADERS_TOTAL ((uint64_t)64 << 20)
#define ENDLESS_BODY_TOTAL ((uint64_t)4 << 30)

/* A connection's input buffer up to this size stays for the next request. */
#define IN_KEPT ((size_t)1 << 20)

/* The answer when there is no handler, ready as one write. */
static char default_answer[] = "HTTP/1.1 200 OK\r\n"
                               "Content-Type: application/json\r\n"
                               "Content-Length: 11\r\n"
                               "\r\n"
                               "{\"ok\":true}";
#define DEFAULT_BODY_LEN 11

static const char *reason(int status)
{
    static const struct {
        int status;
        const char *text;
    } rows[] = {
        {200, "OK"},
        {201, "Created"},
        {202, "Accepted"},
        {204, "No Content"},
        {301, "Moved Permanently"},
        {302, "Found"},
        {304, "Not Modified"},
        {400, "Bad Request"},
        {401, "Unauthorized"},
        {403, "Forbidden"},
        {404, "Not Found"},
        {405, "Method Not Allowed"},
        {409, "Conflict"},
        {411, "Length Required"},
        {412, "Precondition Failed"},
        {413, "Payload Too Large"},
        {429, "Too Many Requests"},
        {431, "Request Header Fields Too Large"},
        {500, "Internal Server Error"},
        {503, "Service Unavailable"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (rows[i].status == status) {
            return rows[i].text;
        }
    }
    return "Status";
}

void stub_blocks(struct stub *s)
{
    static const char line[] = "X-Filler: abcdefghijklmnopqrstuvwxyz0123456789abcdefghijklmnop\r\n";
    size_t n = sizeof line - 1;
    s->header_block = mem_alloc(ENDLESS_BLOCK);
    for (size_t i = 0; i < ENDLESS_BLOCK; i++) {
        s->header_block[i] = line[i % n];
    }
    s->body_block = mem_alloc(ENDLESS_BLOCK); /* one chunk: "fff6" is what is left of the block */
    memset(s->body_block, 'x', ENDLESS_BLOCK);
    char size[16];
    snprintf(size, sizeof size, "%04zx\r\n", ENDLESS_BLOCK - 8);
    memcpy(s->body_block, size, 6);
    memcpy(s->body_block + ENDLESS_BLOCK - 2, "\r\n", 2);
}

/* The handler's extra headers are its own again when it returns: they are written to the head now.
 */
static void write_head(struct stub_conn *c)
{
    struct stub_answer *a = &c->answer;
    if (a->fault == STUB_BAD_STATUS_LINE) {
        buf_adds(&c->head, "HTTP/9.9 banana\r\n");
    } else {
        buf_addf(&c->head, "HTTP/1.1 %d %s\r\n", a->status, reason(a->status));
    }
    buf_addf(&c->head, "Content-Type: %s\r\n", a->type ? a->type : "application/json");
    if (a->headers != NULL) {
        buf_adds(&c->head, a->headers);
    }
    a->type = a->headers = NULL;
}

void stub_decide(struct stub_conn *c, stub_handler *handler)
{
    struct stub_request r;
    stub_fill_request(c, &r);
    c->answer = (struct stub_answer){.status = 200, .body = BUF_INIT(BUF_TEXT_MAX)};
    handler(c->stub->config.arg, &r, &c->answer);
    buf_clear(&c->head);
    write_head(c);
}

/* ---- writing ---- */

static void ended(struct stub_conn *c)
{
    int fd;
    buf_free(&c->answer.body);
    switch (c->after) {
    case STUB_THEN_NEXT: {
        size_t used = stub_request_len(c);
        memmove(c->in.data, c->in.data + used, c->in.len - used);
        c->in.len -= used;
        if (c->in.len == 0 && c->in.cap > IN_KEPT) {
            buf_free(&c->in);
        }
        c->scanned = 0;
        c->state = STUB_IN_HEADERS;
        stub_parse(c);
        break;
    }
    case STUB_THEN_CLOSE:
        stub_close(c);
        break;
    case STUB_THEN_STALL:
        c->state = STUB_STALLED;
        break;
    case STUB_THEN_DRAIN:
        /* A close with unread input would be a RST, which can overtake the answer. */
        c->state = STUB_STALLED;
        if (uv_fileno((uv_handle_t *)&c->tcp, &fd) == 0) {
            shutdown(fd, SHUT_WR);
        }
        break;
    }
}

static void on_written(uv_write_t *write, int status);

static void more_endless(struct stub_conn *c)
{
    uv_buf_t b = uv_buf_init(c->endless, (unsigned)c->endless_len);
    c->endless_left -= c->endless_left < c->endless_len ? c->endless_left : c->endless_len;
    if (uv_write(&c->write, (uv_stream_t *)&c->tcp, &b, 1, on_written) != 0) {
        stub_close(c);
    }
}

static void on_written(uv_write_t *write, int status)
{
    struct stub_conn *c = write->data;
    if (c->state == STUB_CLOSING) {
        return;
    }
    if (status < 0) {
        stub_close(c);
    } else if (c->endless != NULL && c->endless_left > 0) {
        more_endless(c);
    } else {
        ended(c);
    }
}

/* One system call if the socket's buffer takes it, which it does but for long answers. */
static void send_all(struct stub_conn *c, uv_buf_t *b, unsigned n)
{
    int done = uv_try_write((uv_stream_t *)&c->tcp, b, n);
    if (done < 0 && done != UV_EAGAIN) {
        stub_close(c);
        return;
    }
    size_t sent = done > 0 ? (size_t)done : 0;
    while (n > 0 && sent >= b->len) {
        sent -= b->len;
        b++;
        n--;
    }
    if (n == 0) {
        if (c->endless != NULL) {
            more_endless(c);
        } else {
            ended(c);
        }
        return;
    }
    b->base += sent;
    b->len -= sent;
    if (uv_write(&c->write, (uv_stream_t *)&c->tcp, b, n, on_written) != 0) {
        stub_close(c);
    }
}

static void send_default(struct stub_conn *c)
{
    size_t n = sizeof default_answer - 1 - (c->head_method ? DEFAULT_BODY_LEN : 0);
    uv_buf_t b = uv_buf_init(default_answer, (unsigned)n);
    c->after = c->close_after ? STUB_THEN_CLOSE : STUB_THEN_NEXT;
    send_all(c, &b, 1);
}

static void send_endless(struct stub_conn *c, char *block, uint64_t total, const char *rest)
{
    uv_buf_t b;
    buf_adds(&c->head, rest);
    b = uv_buf_init(c->head.data, (unsigned)c->head.len);
    c->endless = block;
    c->endless_len = ENDLESS_BLOCK;
    c->endless_left = total;
    c->after = STUB_THEN_CLOSE;
    send_all(c, &b, 1);
}

/* Head and body by the rules of HTTP; `body` bytes of it are really sent. */
static void send_answer(struct stub_conn *c, size_t body)
{
    static char tail[] = "\r\n0\r\n\r\n";
    struct stub_answer *a = &c->answer;
    uv_buf_t b[3];
    unsigned n = 1;
    bool bodiless = a->status == 204 || a->status == 304 || a->status / 100 == 1;
    bool whole = body == a->body.len;
    if (c->after == STUB_THEN_CLOSE && whole) {
        buf_adds(&c->head, "Connection: close\r\n");
    }
    if (bodiless) {
        buf_adds(&c->head, "\r\n");
    } else if (!a->chunked) {
        buf_addf(&c->head, "Content-Length: %zu\r\n\r\n", a->body.len);
    } else {
        buf_adds(&c->head, "Transfer-Encoding: chunked\r\n\r\n");
        if (a->body.len > 0 && !c->head_method) {
            buf_addf(&c->head, "%zx\r\n", a->body.len);
        }
    }
    if (!bodiless && !c->head_method) {
        if (body > 0) {
            b[n++] = uv_buf_init(a->body.data, (unsigned)body);
        }
        if (a->chunked && whole) { /* an empty body has no chunk of its own to end */
            size_t skip = a->body.len > 0 ? 0 : 2;
            b[n++] = uv_buf_init(tail + skip, (unsigned)(sizeof tail - 1 - skip));
        }
    }
    b[0] = uv_buf_init(c->head.data, (unsigned)c->head.len);
    send_all(c, b, n);
}

static void send_refusal(struct stub_conn *c)
{
    c->answer = (struct stub_answer){.status = c->refuse, .body = BUF_INIT(BUF_TEXT_MAX)};
    buf_clear(&c->head);
    write_head(c);
    buf_addf(&c->answer.body, "{\"error\":\"%s\"}", reason(c->refuse));
    buf_adds(&c->head, "Connection: close\r\n");
    c->after = STUB_THEN_DRAIN;
    c->head_method = false;
    send_answer(c, c->answer.body.len);
}

static void send_part(struct stub_conn *c, enum stub_after after)
{
    if (c->answer.body.len < 2) {
        buf_addf(&c->answer.body, "{\"filler\":\"%064d\"}", 0);
    }
    c->after = after;
    send_answer(c, c->answer.body.len / 2);
}

void stub_respond(struct stub_conn *c)
{
    c->endless = NULL;
    if (c->refuse != 0) {
        send_refusal(c);
        return;
    }
    if (!c->decided && c->stub->config.handler == NULL) {
        send_default(c);
        return;
    }
    switch (c->answer.fault) {
    case STUB_RESET_BEFORE_BODY:
    case STUB_RESET_IN_BODY:
    case STUB_RESET_AFTER_BODY:
        stub_reset(c);
        return;
    case STUB_CLOSE:
        stub_close(c);
        return;
    case STUB_CUT_ANSWER:
        send_part(c, STUB_THEN_CLOSE);
        return;
    case STUB_STALL_ANSWER:
        send_part(c, STUB_THEN_STALL);
        return;
    case STUB_SILENT:
        c->state = STUB_STALLED;
        return;
    case STUB_ENDLESS_HEADERS:
        send_endless(c, c->stub->header_block, ENDLESS_HEADERS_TOTAL, "");
        return;
    case STUB_ENDLESS_BODY:
        send_endless(c, c->stub->body_block, ENDLESS_BODY_TOTAL,
                     "Transfer-Encoding: chunked\r\n\r\n");
        return;
    case STUB_NONE:
    case STUB_BAD_STATUS_LINE:
        break;
    }
    c->after = c->answer.close || c->close_after ? STUB_THEN_CLOSE : STUB_THEN_NEXT;
    send_answer(c, c->answer.body.len);
}
