/* stub_engine: what the files of the stub share: stub.c (its life and connections, delays),
 * stub_parse.c (requests coming in), stub_answer.c (answers and faults going out). */
#ifndef NET_STUB_ENGINE_H
#define NET_STUB_ENGINE_H

#include <stdatomic.h>

#include <uv.h>

#include "net/stub.h"

#define STUB_HEADERS_MAX ((size_t)64 << 10)
#define STUB_SCRATCH ((size_t)256 << 10)

enum stub_state {
    STUB_IN_HEADERS,
    STUB_IN_BODY,
    STUB_ANSWERING, /* delayed, or being written; what comes in meanwhile waits */
    STUB_STALLED,   /* nothing more is sent; input is dropped until the other side closes */
    STUB_CLOSING,
};

enum stub_after { STUB_THEN_NEXT, STUB_THEN_CLOSE, STUB_THEN_STALL, STUB_THEN_DRAIN };

struct stub_conn {
    uv_tcp_t tcp;
    uv_write_t write; /* one at a time: what did not fit the socket's buffer */
    struct stub *stub;
    struct stub_conn *next, *prev;
    struct stub_conn *next_due; /* in stub->due while `delayed` */
    unsigned number, on_connection;
    enum stub_state state;
    bool parsing; /* further up the stack */

    /* `in` holds the headers, the body unless bodies are dropped, and what follows. */
    struct buf in;
    size_t scanned;  /* bytes of it known not to hold the headers' end */
    size_t head_len; /* with the blank line */
    size_t path_at, headers_at;
    uint64_t body_len; /* Content-Length */
    uint64_t body_seen;
    bool head_method, close_after, decided;
    int refuse; /* status to refuse the request with; 0: none */

    struct stub_answer answer;
    struct buf head; /* of the answer */
    enum stub_after after;
    char *endless; /* block sent over and over; NULL: none */
    size_t endless_len;
    uint64_t endless_left;

    uint64_t last_byte_ns, due_ns;
    bool delayed;
};

struct stub {
    uv_loop_t loop;
    uv_thread_t thread;
    uv_tcp_t listener;
    uv_async_t stop;
    uv_poll_t timer;
    int timer_fd;
    struct stub_config config;
    uint16_t port;
    char url[64];
    struct stub_conn *conns, *due;
    unsigned next_connection, next_request;
    char *scratch;                   /* input that is dropped lands here */
    char *header_block, *body_block; /* of the endless answers */

    atomic_ullong connections, requests, body_bytes, open, open_max, delay_sum_ns;
    uv_mutex_t lock; /* for the delays */
    uint64_t *delays;
    size_t delays_len, delays_cap;
};

/* ---- stub.c ---- */
void stub_close(struct stub_conn *c);
void stub_reset(struct stub_conn *c); /* with a RST */
void stub_delay(struct stub_conn *c); /* calls stub_respond when the answer is due */

/* ---- stub_parse.c ---- */
/* n bytes came in: at the end of `in`, or in the scratch buffer if `dropped`. */
void stub_take(struct stub_conn *c, size_t n, bool dropped);
void stub_parse(struct stub_conn *c);
bool stub_drops(const struct stub_conn *c); /* whether input goes to the scratch buffer now */
size_t stub_request_len(const struct stub_conn *c); /* bytes of `in` that are this request */
void stub_fill_request(const struct stub_conn *c, struct stub_request *r);

/* ---- stub_answer.c ---- */
void stub_decide(struct stub_conn *c, stub_handler *handler);
void stub_respond(struct stub_conn *c);
void stub_blocks(struct stub *s);

#endif
