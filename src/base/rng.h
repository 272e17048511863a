/* rng: a small seeded generator with the same sequence on every machine (integer arithmetic only).
 * xoshiro256** 1.0 by Blackman and Vigna (public domain reference algorithm,
 * https://prng.di.unimi.it/), seeded by splitmix64. Not for secrets. */
#ifndef BASE_RNG_H
#define BASE_RNG_H

#include <stddef.h>
#include <stdint.h>

struct rng {
    uint64_t s[4];
};

void rng_seed(struct rng *r, uint64_t seed);
uint64_t rng_next(struct rng *r);
uint64_t rng_below(struct rng *r, uint64_t n); /* unbiased, 0 <= result < n; n > 0 */
double rng_double(struct rng *r);              /* [0, 1), 53 bits */
void rng_fill(struct rng *r, void *out, size_t n);

#endif
