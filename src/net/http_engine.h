/* http_engine: what the files of the engine share. Nothing outside net/http*.c includes this.
 *
 *   http.c         the life of an engine, queue, running, cancelling
 *   http_slot.c    the pool: one easy handle a slot, its options, its callbacks, how it ended
 *   http_loop.c    libcurl's multi handle driven by libuv: sockets, timers, the drain loop
 *   http_headers.c header lists going out, header lines coming in
 *   http_probe.c   pinning an address, round trip
 */
#ifndef NET_HTTP_ENGINE_H
#define NET_HTTP_ENGINE_H

#include <curl/curl.h>

#include "net/http.h"

/* Bodies up to this size travel in the same write as their headers. libcurl copies them for that,
 * and a write of this size to an idle connection is never cut short, so that its byte counter
 * stays exact. Larger ones are read through the read callback. */
#define HTTP_JOINED_MAX ((uint64_t)16 << 10)

/* An answer's headers may be this long (libcurl's own limit, 300 KiB, is newer than some of the
 * versions we build with). */
#define HTTP_HEADERS_MAX ((size_t)256 << 10)

struct job { /* a request on its way */
    struct http_request request;
    void *done_arg; /* request.arg, but for http_call's own */
    uint64_t submit_ns;
};

enum slot_end { END_BY_CURL, END_DEADLINE, END_CONNECT_DEADLINE, END_CANCEL, END_ENGINE };

struct slot {
    CURL *easy;
    struct http *http;
    struct slot *next_free;
    bool busy;
    bool fresh; /* a connection of its own is asked for */
    int shape;  /* the method and kind of body its options are set for; -1: fresh */
    struct buf url;
    CURLU *parsed; /* of url */
    struct job job;
    struct http_reply reply;
    uint64_t deadline_ns, connect_deadline_ns;
    uint64_t read_offset; /* of a body that is read through the callback */
    size_t reply_max, header_bytes, body_bytes;
    bool begun;   /* a connection is there and sending begins */
    bool resent;  /* libcurl sent it again on a fresh connection */
    bool refused; /* we forbade just that */
    bool too_large;
    bool sink_stopped;
    char error[CURL_ERROR_SIZE];
};

/* A socket in libuv. A connection's lives as long as the socket and stays armed between requests:
 * stopping and starting it would cost two epoll_ctl calls a request. Any other (one that is still
 * connecting, the resolver's) has a fresh one for each watch. */
struct watch {
    uv_poll_t poll;
    struct http *http;
    curl_socket_t fd;
    int want;  /* UV_READABLE | UV_WRITABLE as libcurl wants it now; 0: idle */
    int armed; /* as libuv has it */
    bool ours; /* opened by http_open_socket */
    bool kept; /* a connection: http_close_socket tells its end */
};

struct http {
    uv_loop_t loop;
    CURLM *multi;

    struct slot *slots; /* `concurrency` of them */
    struct slot *free_slots;
    unsigned concurrency, in_flight;
    uint64_t timeout_ns, connect_timeout_ns;
    size_t reply_max;
    struct http_headers *no_headers; /* for requests without any */
    struct curl_slist *resolve;      /* pinned addresses */
    bool proxied;

    struct job *queue; /* a ring */
    size_t queue_cap, queue_head, queue_len;

    struct watch **watches; /* by descriptor */
    size_t watches_cap;

    uv_timer_t curl_timer; /* what libcurl asked for */
    uv_idle_t soon;        /* a timeout of 0, or work put off until the loop runs */
    uv_timer_t sweep;      /* the nearest deadline of ours */
    uint64_t sweep_at_ns;  /* UINT64_MAX: not armed */
    uv_poll_t stop_poll;   /* base/stop */
    uv_poll_t wait_poll;   /* http_wait's timerfd */
    int wait_fd;
    bool waited; /* http_wait's timerfd fired */

    bool has_loop;
    bool due_now;  /* libcurl wants its timeout handled now */
    bool driving;  /* in the drain loop or in libcurl */
    bool draining; /* http_run: stop the loop when nothing is left */
    bool stopped;  /* every request ends cancelled */

    struct http_counters counters;
};

/* ---- http_headers.c ---- */
/* The list for libcurl, whole for a request with a body, and only what was added for one without.
 */
struct curl_slist *http_headers_list(const struct http_headers *h, bool with_body);
/* One line of an answer's header. */
void http_header_line(struct http_reply *reply, const char *line, size_t n);

/* ---- http_slot.c ---- */
/* Makes the slot's easy handle and sets what never changes. 0 or -1. */
int http_slot_init(struct slot *s, struct http *h, const struct http_config *config);
void http_slot_free(struct slot *s);
/* Takes a free slot, sets the request's own options and hands it to libcurl. */
void http_slot_start(struct http *h, const struct job *job);
/* Takes it back from libcurl, fills the reply, calls `done`, frees the slot. */
void http_slot_end(struct slot *s, enum slot_end end, CURLcode code);
/* Ends a job that never got a slot. */
void http_job_cancel(struct http *h, const struct job *job);

/* ---- http_loop.c ---- */
int http_loop_init(struct http *h, struct err *err);
int http_loop_multi(struct http *h, const struct http_config *config, struct err *err);
void http_loop_free(struct http *h);
/* Lets libcurl act on a socket (or CURL_SOCKET_TIMEOUT), then drains. */
void http_drive(struct http *h, curl_socket_t fd, int bits);
/* The drain loop without a socket: ends, cancels, starts, until there is nothing to do now. */
void http_settle(struct http *h);
/* Has http_settle called as soon as the loop runs. */
void http_soon(struct http *h);
void http_deadline(struct http *h, uint64_t at_ns);
curl_socket_t http_open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address);
int http_close_socket(void *arg, curl_socket_t fd);

/* ---- http.c ---- */
void http_queue_push(struct http *h, const struct job *job);
struct job http_queue_pop(struct http *h);

#endif
