/* stats_trend: whether a series in order drifts: Theil-Sen for how much, Mann-Kendall for whether
 * that could be chance, least squares beside them because people know it. */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define EXACT_MAX 50 /* as R's cor.test; beyond it the normal approximation is good to 3 digits */

/* P(T <= t) and P(T >= t) for the number T of rising pairs in a random order of n: inserting the
 * k-th value into an order of k-1 adds 0 to k-1 rising pairs, each as likely (Kendall, Rank
 * Correlation Methods, chapter 5). */
static double kendall_p(size_t n, size_t t)
{
    size_t pairs = n * (n - 1) / 2;
    double *p = mem_zero(pairs + 1, sizeof *p), *next = mem_zero(pairs + 1, sizeof *next);
    p[0] = 1;
    for (size_t k = 2; k <= n; k++) {
        size_t most = k * (k - 1) / 2;
        for (size_t i = 0; i <= most; i++) {
            next[i] = 0;
            for (size_t j = 0; j < k && j <= i; j++) {
                next[i] += p[i - j];
            }
            next[i] /= (double)k;
        }
        double *swap = p;
        p = next;
        next = swap;
    }
    double below = 0, above = 0;
    for (size_t i = 0; i <= pairs; i++) {
        below += i <= t ? p[i] : 0;
        above += i >= t ? p[i] : 0;
    }
    free(p);
    free(next);
    return fmin(1, 2 * fmin(below, above));
}

/* var S = (n(n-1)(2n+5) - sum over groups of t equal values of t(t-1)(2t+5)) / 18 (Kendall, the
 * same, chapter 4; Helsel and Hirsch, Statistical Methods in Water Resources, 12.2). */
static double kendall_variance(const double *x, size_t n, bool *ties)
{
    double *sorted = stats_sorted(x, n);
    double m = (double)n, v = m * (m - 1) * (2 * m + 5);
    *ties = false;
    for (size_t i = 0; i < n;) {
        size_t k = i;
        while (k < n && !(sorted[k] > sorted[i])) {
            k++;
        }
        double t = (double)(k - i);
        *ties |= t > 1;
        v -= t * (t - 1) * (2 * t + 5);
        i = k;
    }
    free(sorted);
    return v / 18;
}

static void mann_kendall(const double *x, size_t n, struct stats_trend *out)
{
    long s = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            s += (x[k] > x[i]) - (x[k] < x[i]);
        }
    }
    bool ties;
    double variance = kendall_variance(x, n, &ties);
    out->s = (double)s;
    out->exact = !ties && n <= EXACT_MAX;
    if (out->exact) {
        long pairs = (long)(n * (n - 1) / 2);
        out->p = kendall_p(n, (size_t)((pairs + s) / 2));
    } else if (variance > 0 && s != 0) {
        out->p = erfc((fabs(out->s) - 1) / sqrt(variance) / sqrt(2));
    } else {
        out->p = 1;
    }
}

static double theil_sen(const double *x, size_t n)
{
    size_t pairs = n * (n - 1) / 2, used = 0;
    double *slopes = mem_zero(pairs, sizeof *slopes);
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            slopes[used++] = (x[k] - x[i]) / (double)(k - i);
        }
    }
    double slope = stats_median(slopes, used);
    free(slopes);
    return slope;
}

static void least_squares(const double *x, size_t n, struct stats_trend *out)
{
    double mean = 0, middle = (double)(n - 1) / 2, tx = 0, tt = 0, xx = 0;
    for (size_t i = 0; i < n; i++) {
        mean += x[i] / (double)n;
    }
    for (size_t i = 0; i < n; i++) {
        double t = (double)i - middle;
        tx += t * (x[i] - mean);
        tt += t * t;
        xx += (x[i] - mean) * (x[i] - mean);
    }
    out->slope = tx / tt;
    out->r2 = xx > 0 ? tx * tx / (tt * xx) : NAN;
}

static enum stats_trend_verdict judge(const struct stats_trend *t)
{
    if (!(fabs(t->change) >= STATS_TREND_SHARE)) {
        return TREND_CONSTANT;
    }
    if (t->p >= STATS_TREND_ALPHA) {
        return TREND_UNCLEAR;
    }
    return t->change > 0 ? TREND_GROWS : TREND_FALLS;
}

void stats_trend(const double *x, size_t n, struct stats_trend *out)
{
    *out = (struct stats_trend){.n = n, .verdict = TREND_TOO_FEW, .p = 1};
    out->median = stats_median(x, n);
    out->sen_slope = out->change = out->slope = out->r2 = NAN;
    if (n < STATS_TREND_MIN) {
        return;
    }
    double *binned = NULL;
    size_t points = n;
    if (n > STATS_TREND_POINTS) {
        points = STATS_TREND_POINTS;
        binned = mem_zero(points, sizeof *binned);
        for (size_t b = 0; b < points; b++) {
            size_t from = b * n / points, to = (b + 1) * n / points;
            for (size_t i = from; i < to; i++) {
                binned[b] += x[i] / (double)(to - from);
            }
        }
        x = binned;
    }
    double steps = (double)(n - 1) / (double)(points - 1); /* of the series to one of the bins */
    mann_kendall(x, points, out);
    least_squares(x, points, out);
    out->slope /= steps;
    out->sen_slope = theil_sen(x, points) / steps;
    out->change = out->median > 0 ? out->sen_slope * (double)(n - 1) / out->median : 0;
    out->verdict = judge(out);
    free(binned);
}
