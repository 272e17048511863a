#include "base/stats.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static int ascending(const void *a, const void *b)
{
    double x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

double *stats_sorted(const double *x, size_t n)
{
    double *s = mem_zero(n, sizeof *s);
    if (n > 0) {
        memcpy(s, x, n * sizeof *s);
        qsort(s, n, sizeof *s, ascending);
    }
    return s;
}

double stats_quantile(const double *sorted, size_t n, double p)
{
    if (n == 0) {
        return NAN;
    }
    double h = (double)(n - 1) * p;
    size_t i = (size_t)h;
    if (i + 1 >= n) {
        return sorted[n - 1];
    }
    return sorted[i] + (h - (double)i) * (sorted[i + 1] - sorted[i]);
}

static double sorted_median(const double *s, size_t n)
{
    return n == 0 ? NAN : n % 2 == 1 ? s[n / 2] : (s[n / 2 - 1] + s[n / 2]) / 2;
}

double stats_median(const double *x, size_t n)
{
    double *s = stats_sorted(x, n), m = sorted_median(s, n);
    free(s);
    return m;
}

static double mean_of(const double *x, size_t n)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += x[i];
    }
    return sum / (double)n;
}

static double squares_about(const double *x, size_t n, double mean)
{
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += (x[i] - mean) * (x[i] - mean);
    }
    return sum;
}

static double raw_mad(const double *x, size_t n, double median)
{
    double *d = mem_zero(n, sizeof *d);
    for (size_t i = 0; i < n; i++) {
        d[i] = fabs(x[i] - median);
    }
    double mad = stats_median(d, n);
    free(d);
    return mad;
}

/* The interval from the k-th smallest to the k-th largest misses the median when fewer than k of n
 * values lie on one side of it: 2 P(B <= k-1) with B binomial(n, 1/2), whatever the distribution
 * (David and Nagaraja, Order Statistics, 7.1). The largest k that still covers 95 %. */
static void median_interval(const double *sorted, struct stats_summary *s)
{
    if (s->n < STATS_CI_MIN) {
        return;
    }
    double n = (double)s->n, tail = 0;
    double log_p =
        -n * log(2); /* of B = i; as a logarithm, for 2^-n underflows from n = 1,075 on */
    size_t k = 0;
    for (size_t i = 0; i < s->n / 2; i++) {
        if (2 * (tail + exp(log_p)) > 0.05) {
            break;
        }
        tail += exp(log_p);
        k = i + 1;
        log_p += log((n - (double)i) / (double)(i + 1));
    }
    if (k > 0) {
        s->has_ci = true;
        s->ci_low = sorted[k - 1];
        s->ci_high = sorted[s->n - k];
        s->ci_coverage = 1 - 2 * tail;
    }
}

void stats_summarize(const double *x, size_t n, struct stats_summary *out)
{
    *out = (struct stats_summary){.n = n};
    out->min = out->max = out->mean = out->median = out->sd = NAN;
    out->mad = out->mad_raw = out->q1 = out->q3 = out->ci_low = out->ci_high = NAN;
    if (n == 0) {
        return;
    }
    double *s = stats_sorted(x, n);
    out->min = s[0];
    out->max = s[n - 1];
    out->mean = mean_of(x, n);
    out->median = sorted_median(s, n);
    if (n > 1) {
        out->sd = sqrt(squares_about(x, n, out->mean) / (double)(n - 1));
    }
    out->mad_raw = raw_mad(x, n, out->median);
    out->mad = 1.4826 * out->mad_raw; /* 1 / qnorm(3/4), rounded as R has it */
    out->q1 = stats_quantile(s, n, 0.25);
    out->q3 = stats_quantile(s, n, 0.75);
    median_interval(s, out);
    for (size_t i = 0; i < n; i++) {
        out->outliers += stats_outlier(out, x[i]);
    }
    free(s);
}

bool stats_outlier(const struct stats_summary *s, double value)
{
    double reach = 1.5 * (s->q3 - s->q1);
    return value < s->q1 - reach || value > s->q3 + reach;
}

void stats_tunemark(const double *x, size_t n, struct stats_tunemark *out)
{
    *out = (struct stats_tunemark){NAN, NAN, NAN, NAN, NAN};
    if (n == 0) {
        return;
    }
    double *s = stats_sorted(x, n);
    size_t cut = n / 10, kept = n - 2 * cut;
    out->min = s[0];
    out->max = s[n - 1];
    out->median = s[n / 2];
    out->average = mean_of(s + cut, kept);
    out->sd = sqrt(squares_about(s + cut, kept, out->average) / (double)kept);
    free(s);
}
