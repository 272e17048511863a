/* load: a closed loop: N requests in flight until a source runs dry, or for as long as it is told.
 */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "bench/result.h"
#include "net/http.h"

/* Zeroed before the source fills it. */
struct load_op {
    struct http_request request; /* done, arg, read and sink are the load's own */
    void *item;                  /* handed back to done, read and sink */
    /* As of http_request, for bodies and answers that are streamed; NULL: not. */
    size_t (*read)(void *item, uint64_t offset, void *out, size_t size);
    int (*sink)(void *item, const void *bytes, size_t n);
};

struct load {
    /* set by the caller */
    struct http *http;
    unsigned concurrency;
    unsigned retries; /* of a request answered 429 or 503 */
    void *arg;
    /* Fills the next request: 1; 0 when there is none (now: it is asked again after each done);
     * -1 to send no more. */
    int (*next)(void *arg, struct load_op *op);
    /* A request has ended (after its retries). May take reply->body. */
    void (*done)(void *arg, void *item, struct http_reply *reply);
    struct hist *latency; /* service times of 2xx answers go here; NULL: not wanted */
    uint64_t limit;       /* requests started at most; 0: until the source is dry */
    uint64_t duration_ns; /* no request is started after this time; 0: as above */

    /* filled by load_run */
    struct counts requests;
    uint64_t busy_ns;   /* spent in next and done */
    uint64_t waited_ns; /* spent waiting because the server said so, with nothing in flight */
    uint64_t waits;     /* how often a request was put off */

    /* its own */
    struct load_slot *slots, *free_slots;
    unsigned active, put_off; /* slots in use; of them waiting for their next try */
    uint64_t started, end_ns;
    bool dry;
    struct rng rng;
};

/* Runs until the source is dry and everything has ended. Cancelled requests (Ctrl-C) are handed to
 * done too. */
void load_run(struct load *l);

/* How one reply counts among requests. */
void counts_reply(struct counts *c, const struct http_reply *reply);

#endif
