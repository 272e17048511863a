/* Noise for simulations. */
#ifndef TESTS_NOISE_H
#define TESTS_NOISE_H

#include <math.h>

#include "base/rng.h"

/* Standard normal by Box and Muller. */
static inline double normal(struct rng *rng)
{
    double u = 1 - rng_double(rng), v = rng_double(rng);
    return sqrt(-2 * log(u)) * cos(2 * acos(-1) * v);
}

#endif
