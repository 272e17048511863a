/* load: what sends requests. Until a source runs dry, or for as long as it is told, in one of two
 * ways.
 *
 * Closed loop: N requests in flight, the next one when one has ended. A slow server is asked less.
 *
 * Open loop (`rate` set): requests start at the times of an absolute plan (bench/arrivals),
 * whatever became of earlier ones. A start whose time has come while `concurrency` requests are in
 * flight waits, in order, and is late; the response time counts from the planned start and so
 * includes the wait; the service time counts from the send. Starts that still wait when the plan's
 * time is over are missed: not sent, counted, in no latency. */
#ifndef BENCH_LOAD_H
#define BENCH_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "bench/arrivals.h"
#include "bench/meter.h"
#include "bench/result.h"
#include "net/http.h"

/* Zeroed before the source fills it. */
struct load_op {
    struct http_request request; /* done, arg, read and sink are the load's own */
    struct meter *meter;         /* added to as well; NULL: none */
    void *item;                  /* handed back to done, read and sink */
    /* As of http_request, for bodies and answers that are streamed; NULL: not. */
    size_t (*read)(void *item, uint64_t offset, void *out, size_t size);
    int (*sink)(void *item, const void *bytes, size_t n);
};

struct load {
    /* set by the caller */
    struct http *http;
    unsigned concurrency; /* in flight at most, in either way */
    unsigned retries;     /* of a request answered 429 or 503 */
    void *arg;
    /* Fills the next request: 1; 0 when there is none (now: it is asked again after each done; in
     * an open loop that start is missed); -1 to send no more. */
    int (*next)(void *arg, struct load_op *op);
    /* A request has ended (after its retries). May take reply->body. */
    void (*done)(void *arg, void *item, struct http_reply *reply);
    struct meter *meter;  /* requests are added here as they end; NULL: not wanted */
    uint64_t limit;       /* requests started at most; 0: until the source is dry */
    uint64_t duration_ns; /* no request is started after this time; 0: as above */
    double rate; /* requests a second by plan, with one of the two limits; 0: a closed loop */
    enum arrivals_kind arrivals;
    uint64_t seed; /* of the plan */

    /* filled by load_run */
    struct counts requests;
    uint64_t busy_ns;      /* spent in next and done */
    uint64_t waited_ns;    /* spent waiting because the server said so, with nothing in flight */
    uint64_t waits;        /* how often a request was put off */
    struct open_loop open; /* with a rate: how the plan was kept */

    /* its own */
    struct load_slot *slots, *free_slots;
    unsigned active, put_off; /* slots in use; of them waiting for their next try */
    uint64_t started, end_ns;
    bool dry;
    struct rng rng;
    struct load_plan *plan; /* NULL: a closed loop */
};

/* Runs until the source is dry and everything has ended. Cancelled requests (Ctrl-C) are handed to
 * done too. */
void load_run(struct load *l);

/* How one reply counts among requests. */
void counts_reply(struct counts *c, const struct http_reply *reply);

#endif
