/* http: the engine. One libuv loop, one libcurl multi handle, a fixed pool of easy handles; the
 * only file that knows libcurl. Not thread-safe: one engine a thread.
 *
 * The engine limits concurrency itself (libcurl never queues), stamps times with uv_hrtime, and has
 * a deadline of its own for every request. `done` runs in the drain loop, never inside a libcurl
 * callback; it may submit more requests.
 *
 * Ownership: everything a request points to (url, headers, body) is borrowed and must stay valid
 * until `done` was called. The reply belongs to the engine and is valid during `done` only; take
 * its body with buf_take(&reply->body, ...) to keep it. Times are nanoseconds of uv_hrtime.
 */
#ifndef NET_HTTP_H
#define NET_HTTP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <uv.h>

#include "base/buf.h"
#include "base/err.h"

struct http; /* the engine */

enum http_method {
    HTTP_GET,
    HTTP_HEAD,
    HTTP_PUT,
    HTTP_POST,
    HTTP_DELETE,
    HTTP_PATCH,
    HTTP_OPTIONS
};
extern const char *const http_method_names[]; /* in that order, ended by NULL */

/* How a request ended. Errors are counted apart by these. */
enum http_outcome {
    HTTP_ANSWERED,  /* a whole answer with any status: look at `status` */
    HTTP_TIMEOUT,   /* the deadline passed: whether the server did it is unknown */
    HTTP_UNSENT,    /* no connection, or it failed before the request was sent: not done */
    HTTP_BROKEN,    /* the connection failed after sending began: whether it was done is unknown */
    HTTP_TOO_LARGE, /* the answer was longer than reply_max, or its headers than 256 KiB */
    HTTP_CANCELLED, /* stopped from our side (Ctrl-C or http_cancel) */
};

/* A header list, built once and shared by many requests. */
struct http_headers;
struct http_headers *http_headers_new(void);
struct http_headers *http_headers_copy(const struct http_headers *h);
void http_headers_add(struct http_headers *h, const char *line); /* "Name: value" */
void http_headers_free(struct http_headers *h);                  /* NULL is fine */

struct http_reply {
    enum http_outcome outcome;
    int status;      /* 0 if there was none */
    struct buf body; /* empty when the request had a sink */
    char error[256]; /* why it was not answered, without credentials; "" if it was */

    uint64_t submit_ns;      /* http_submit was called */
    uint64_t start_ns;       /* handed to libcurl (after any wait for a free slot) */
    uint64_t end_ns;         /* its end was seen in the drain loop, before `done` */
    uint64_t connect_ns;     /* durations from start_ns as libcurl saw them; 0: reused connection */
    uint64_t tls_ns;         /* until the TLS handshake ended; 0: none */
    uint64_t first_byte_ns;  /* until the first byte of the answer */
    uint64_t sent_bytes;     /* request line, headers and body */
    uint64_t received_bytes; /* status line, headers and body (not inflated; the framing
                                of chunks is not counted) */
    unsigned connections;    /* new connections this request opened: 0 or 1 */
    bool resent;             /* libcurl found a kept connection dead and sent the request again on a
                                new one. GET and HEAD only, or if no byte had been written: anything
                                else ends as HTTP_BROKEN instead */
    int http_version;        /* 10, 11, 20; 0 if none */

    /* Header values that someone needs; "" if absent, cut if too long. */
    char server[96], content_type[96], location[256], etag[96];
    char set_cookie[512]; /* several are kept one a line */
    double retry_after_s; /* -1 if absent; an HTTP date is turned into seconds from now */
};

struct http_request {
    enum http_method method;
    const char *url;
    const struct http_headers *headers; /* NULL: none of our own */
    /* The body: bytes in memory, or (read != NULL) streamed. body_len is always exact and is sent
     * as Content-Length. A POST, PUT or PATCH without a body sends Content-Length: 0. */
    const void *body;
    uint64_t body_len;
    /* Fills at most `size` bytes from `offset` on (offsets are sequential, or 0 again after a
     * rewind); returns the count, which is 0 only at the end. */
    size_t (*read)(void *arg, uint64_t offset, void *out, size_t size);
    /* Takes the answer's bytes of a 2xx instead of reply->body; return non-zero to stop (outcome
     * HTTP_CANCELLED). Other statuses still fill reply->body. */
    int (*sink)(void *arg, const void *bytes, size_t n);
    bool fresh;          /* on a new connection, which is kept for later requests: for warming up */
    size_t reply_max;    /* bytes of body kept; 0: the engine's default */
    uint64_t timeout_ns; /* from start_ns to the last byte; 0: the engine's default */
    void (*done)(void *arg, struct http_reply *reply);
    void *arg; /* for read, sink and done */
};

struct http_config {
    unsigned concurrency;        /* requests in flight at most, and connections kept; at least 1 */
    uint64_t timeout_ns;         /* default deadline of a request; 0: 60 s */
    uint64_t connect_timeout_ns; /* 0: 10 s */
    size_t reply_max;            /* 0: 64 MiB */
    const char *user_agent;      /* NULL: "tunecouch/VERSION" */
    const char *ca_file, *client_cert, *client_key; /* NULL: libcurl's defaults */
    bool insecure;                                  /* TLS not verified */
    bool http2;                                     /* ask for HTTP/2 (TLS only) */
    const char *proxy;                              /* NULL: none, the environment's are ignored */
    bool ignore_stop;                               /* do not watch base/stop (for clean-up) */
};

struct http_counters {
    uint64_t requests;    /* ended, whatever the outcome */
    uint64_t connections; /* opened */
    uint64_t sent_bytes, received_bytes;
};

/* NULL with a reason. Config strings are copied. */
struct http *http_new(const struct http_config *config, struct err *err);

/* Cancels what is in flight (their `done` is called with HTTP_CANCELLED), closes everything, runs
 * the loop dry. NULL is fine. */
void http_free(struct http *h);

/* Queues a request; the struct is copied. Starts at once if a slot is free (from inside `done`:
 * when the drain ends). Never fails: trouble is reported through `done`. */
void http_submit(struct http *h, const struct http_request *request);

/* Runs the loop until nothing is queued or in flight. */
void http_run(struct http *h);

/* Runs the loop until `*flag` is true or nothing is left. */
void http_run_until(struct http *h, const bool *flag);

/* Waits `ns` on the loop, or until a stop. */
void http_wait(struct http *h, uint64_t ns);

/* One request from start to end on an idle engine. The caller frees reply->body. Its own `done` and
 * `arg` are ignored unless read or sink use arg. */
void http_call(struct http *h, const struct http_request *request, struct http_reply *reply);

/* Ends everything queued or in flight with HTTP_CANCELLED. Done by itself when base/stop is raised;
 * after that every submit ends cancelled until http_resume, which lets clean-up requests pass: from
 * then on the engine does not watch base/stop any more. */
void http_cancel(struct http *h);
void http_resume(struct http *h);
bool http_stopped(const struct http *h);

unsigned http_in_flight(const struct http *h); /* queued ones not counted */
unsigned http_queued(const struct http *h);
void http_counters(const struct http *h, struct http_counters *out);

/* Resolves the host of `url` once, pins the address for the whole life of the engine, and writes it
 * to `address` ("127.0.0.1" or "::1"; at least 64 bytes). ERR_UNREACHABLE if it does not resolve.
 */
int http_pin(struct http *h, const char *url, char *address, size_t size, struct err *err);

/* Round trip in nanoseconds: the least of `tries` TCP connects to the host of `url` on fresh
 * sockets (connect's SYN to SYN-ACK), and the kernel's tcpi_min_rtt of those sockets if smaller and
 * known. 0 and a reason in err if none succeeded. */
uint64_t http_round_trip(struct http *h, const char *url, unsigned tries, struct err *err);

uv_loop_t *http_loop(struct http *h); /* for timers of the same thread */

const char *http_method_name(enum http_method m);
const char *http_outcome_name(enum http_outcome o);
const char *http_library_version(void); /* "libcurl 7.88.1, libuv 1.44.2" */

#endif
