/* zipf: ranks with probability proportional to 1/rank^exponent, exactly, at a constant cost a
 * number and without a table: rejection-inversion by W. Hörmann and G. Derflinger,
 * "Rejection-inversion to generate variates from monotone discrete distributions", ACM TOMACS 6
 * (1996), 169-184; with the stable forms of the integrals for exponents near 1 that Apache Commons
 * RNG's RejectionInversionZipfSampler uses. */
#ifndef BASE_ZIPF_H
#define BASE_ZIPF_H

#include <stdint.h>

#include "base/rng.h"

struct zipf {
    uint64_t n;
    double exponent;
    double first, last, quick; /* of the integral of the hat: from, to; what is accepted at once */
};

void zipf_init(struct zipf *z, uint64_t n, double exponent); /* n > 0; exponent >= 0 (0: uniform) */
uint64_t zipf_next(const struct zipf *z, struct rng *r);     /* 0 (the most likely) to n - 1 */

#endif
