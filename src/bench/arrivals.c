#include "bench/arrivals.h"

#include <math.h>
#include <stddef.h>

const char *const arrivals_names[] = {"constant", "poisson", NULL};

void arrivals_init(struct arrivals *a, enum arrivals_kind kind, double rate, uint64_t seed)
{
    *a = (struct arrivals){.kind = kind, .rate = rate};
    rng_seed(&a->rng, seed);
}

uint64_t arrivals_next(struct arrivals *a)
{
    uint64_t n = a->n++;
    if (a->kind == ARRIVALS_CONSTANT) {
        return (uint64_t)((double)n / a->rate * 1e9); /* from n: no error adds up */
    }
    a->at_s += -log1p(-rng_double(&a->rng)) / a->rate; /* inverse of 1 - e^(-rate t) */
    return (uint64_t)(a->at_s * 1e9);
}
