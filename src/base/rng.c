#include "base/rng.h"

#include <string.h>

static uint64_t rotl(uint64_t x, int k)
{
    return x << k | x >> (64 - k);
}

void rng_seed(struct rng *r, uint64_t seed)
{
    for (int i = 0; i < 4; i++) {
        uint64_t z = seed += 0x9e3779b97f4a7c15u;
        z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9u;
        z = (z ^ z >> 27) * 0x94d049bb133111ebu;
        r->s[i] = z ^ z >> 31;
    }
}

uint64_t rng_next(struct rng *r)
{
    uint64_t *s = r->s, result = rotl(s[1] * 5, 7) * 9, t = s[1] << 17;
    s[2] ^= s[0];
    s[3] ^= s[1];
    s[1] ^= s[2];
    s[0] ^= s[3];
    s[2] ^= t;
    s[3] = rotl(s[3], 45);
    return result;
}

uint64_t rng_below(struct rng *r, uint64_t n)
{
    uint64_t limit = UINT64_MAX - UINT64_MAX % n; /* a multiple of n: no value is favoured */
    uint64_t v;
    do {
        v = rng_next(r);
    } while (v >= limit);
    return v % n;
}

double rng_double(struct rng *r)
{
    return (double)(rng_next(r) >> 11) * 0x1p-53;
}

void rng_fill(struct rng *r, void *out, size_t n)
{
    unsigned char *p = out;
    while (n > 0) {
        unsigned char bytes[8];
        uint64_t v = rng_next(r);
        size_t take = n < 8 ? n : 8;
        for (int i = 0; i < 8; i++) {
            bytes[i] = (unsigned char)(v >> (8 * i)); /* the same on either byte order */
        }
        memcpy(p, bytes, take);
        p += take;
        n -= take;
    }
}
