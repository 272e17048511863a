/* arrivals: a plan of starts: when, from the plan's beginning, each request is to be sent. It is
 * absolute: no start depends on when an earlier one really happened, so a late one delays none. The
 * same seed gives the same plan. */
#ifndef BENCH_ARRIVALS_H
#define BENCH_ARRIVALS_H

#include <stdint.h>

#include "base/rng.h"

enum arrivals_kind {
    ARRIVALS_CONSTANT, /* every 1/rate, the first at once */
    ARRIVALS_POISSON   /* independent of each other: exponential gaps of mean 1/rate */
};
extern const char *const arrivals_names[]; /* ended by NULL */

struct arrivals {
    enum arrivals_kind kind;
    double rate; /* a second */
    struct rng rng;
    double at_s; /* of the last one (Poisson) */
    uint64_t n;  /* given so far */
};

void arrivals_init(struct arrivals *a, enum arrivals_kind kind, double rate, uint64_t seed);

/* Nanoseconds from the beginning; never less than the one before. */
uint64_t arrivals_next(struct arrivals *a);

#endif
