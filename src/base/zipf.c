#include "base/zipf.h"

#include <math.h>

/* log(1 + x) / x and (e^x - 1) / x, by their series where the quotient would lose digits. */
static double log1p_over(double x)
{
    return fabs(x) > 1e-8 ? log1p(x) / x : 1 - x * (0.5 - x * (1.0 / 3 - 0.25 * x));
}

static double expm1_over(double x)
{
    return fabs(x) > 1e-8 ? expm1(x) / x : 1 + x * 0.5 * (1 + x / 3 * (1 + 0.25 * x));
}

/* The hat x^-exponent, its integral and the inverse of that. */
static double hat(const struct zipf *z, double x)
{
    return exp(-z->exponent * log(x));
}

static double integral(const struct zipf *z, double x)
{
    double l = log(x);
    return expm1_over((1 - z->exponent) * l) * l;
}

static double inverse(const struct zipf *z, double x)
{
    double t = x * (1 - z->exponent);
    return exp(log1p_over(t < -1 ? -1 : t) * x);
}

void zipf_init(struct zipf *z, uint64_t n, double exponent)
{
    *z = (struct zipf){.n = n, .exponent = exponent};
    z->first = integral(z, 1.5) - 1;
    z->last = integral(z, (double)n + 0.5);
    z->quick = 2 - inverse(z, integral(z, 2.5) - hat(z, 2));
}

uint64_t zipf_next(const struct zipf *z, struct rng *r)
{
    for (;;) {
        double u = z->last + rng_double(r) * (z->first - z->last);
        double x = inverse(z, u), k = floor(x + 0.5);
        k = k < 1 ? 1 : k > (double)z->n ? (double)z->n : k;
        if (k - x <= z->quick || u >= integral(z, k + 0.5) - hat(z, k)) {
            return (uint64_t)k - 1;
        }
    }
}
