/* stub: a null HTTP/1.1 server in a thread of its own, on loopback, with settable answers, delays
 * and faults. For tests, and for measuring our own floor.
 *
 * A `stub_handler` decides each answer. It runs in the stub's thread. A request with a chunked body
 * is answered 411, one that is not HTTP/1.x 400, headers over 64 KiB 431. */
#ifndef NET_STUB_H
#define NET_STUB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

struct stub;

struct stub_request {
    const char *method, *path; /* path with its query, as sent (not decoded) */
    const char *headers;       /* the whole header block, for stub_header */
    const char *body;
    size_t body_len;
    unsigned connection;    /* number of the connection, from 0 */
    unsigned on_connection; /* number of the request on it, from 0 */
    unsigned number;        /* number of the request in all, from 0 */
};

enum stub_fault {
    STUB_NONE,
    STUB_RESET_BEFORE_BODY, /* RST as soon as the headers are in, before the body is read */
    STUB_RESET_IN_BODY,     /* RST after half of the request body */
    STUB_RESET_AFTER_BODY,  /* RST after the whole request, no answer */
    STUB_CLOSE,             /* a clean close, no answer */
    STUB_CUT_ANSWER,        /* half of the answer's body, then a close */
    STUB_STALL_ANSWER,      /* half of the answer's body, then nothing more */
    STUB_SILENT,            /* no answer at all; the connection stays open */
    STUB_BAD_STATUS_LINE,   /* "HTTP/9.9 banana" */
    STUB_ENDLESS_HEADERS,   /* header lines without end (bounded at 64 MiB) */
    STUB_ENDLESS_BODY,      /* a chunked body without end (bounded at 4 GiB) */
};

struct stub_answer {
    int status;            /* 200 unless set */
    const char *type;      /* content type; default application/json */
    const char *headers;   /* extra "Name: value\r\n" lines, or NULL; copied */
    struct buf body;       /* owned by the stub afterwards */
    uint64_t delay_ns;     /* between the request's last byte and the answer (timerfd) */
    enum stub_fault fault; /* instead of, or within, the answer */
    bool close;            /* "Connection: close" and a close after the answer */
    bool chunked;          /* chunked instead of Content-Length */
};

typedef void stub_handler(void *arg, const struct stub_request *request,
                          struct stub_answer *answer);

struct stub_config {
    stub_handler *handler; /* NULL: always 200 {"ok":true} */
    void *arg;
    /* Called as soon as the headers are in (body NULL, body_len from Content-Length) to decide on
     * STUB_RESET_BEFORE_BODY, STUB_RESET_IN_BODY or any other fault; `handler` is not called then.
     * If it leaves the fault at STUB_NONE, `handler` decides as usual. NULL: none. With
     * discard_bodies `handler` itself is called at that point and may ask for those two; without,
     * it comes too late for them and they act like STUB_RESET_AFTER_BODY. */
    stub_handler *early;
    uint16_t port;       /* 0: any free one */
    bool discard_bodies; /* read and drop request bodies (handler sees body NULL, body_len right) */
    size_t body_max;     /* answer 413 above it; 0: 1 GiB */
    bool ipv6;           /* listen on [::1] instead of 127.0.0.1 */
};

/* Starts the thread; listening when this returns. NULL with a reason. */
struct stub *stub_start(const struct stub_config *config, struct err *err);
void stub_stop(struct stub *s); /* joins the thread and frees; NULL is fine */

uint16_t stub_port(const struct stub *s);
const char *stub_url(const struct stub *s); /* "http://127.0.0.1:PORT" or "http://[::1]:PORT" */

struct stub_stats {
    uint64_t connections, requests, body_bytes;
    uint64_t open, open_max; /* connections open now, and most at once */
    double delay_sum_s;      /* of answers with a delay, as measured in the stub's thread: from the
                                request's last byte to the answer's first */
};
void stub_stats(struct stub *s, struct stub_stats *out); /* safe while it runs */

/* Delays actually given, in nanoseconds, in order of the answers; at most `n`. The count. */
size_t stub_delays(struct stub *s, uint64_t *out, size_t n);

/* Value of a header of the request, "" if absent. Returns out. */
char *stub_header(const struct stub_request *r, const char *name, char *out, size_t size);

#endif
