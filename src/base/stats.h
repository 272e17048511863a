/* stats: figures over repeated measurements, trends over a series, and comparison of two sets.
 *
 * Written for few and skewed samples: medians, order statistics and exact distributions, no
 * assumption of normality. Where the samples are too few for a figure it is absent, not guessed.
 * All inputs are finite; arrays are never changed. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>

/* ---- one set (stats.c) --------------------------------------------------------------------- */

#define STATS_CI_MIN 6 /* below 6 values no two order statistics cover the median with 95 % */

struct stats_summary {
    size_t n;
    double min, max, mean;
    double median;          /* the true one: mean of the middle two for even n */
    double sd;              /* with n-1; NAN for n < 2 */
    double mad_raw, mad;    /* median absolute deviation; mad is × 1.4826, as R's mad() */
    double q1, q3;          /* quantiles 0.25 and 0.75, type 7 */
    bool has_ci;            /* n >= STATS_CI_MIN */
    double ci_low, ci_high; /* order-statistic interval of the median, at least 95 % */
    double ci_coverage;     /* its real coverage, e.g. 0.979 for n = 10; 0 without one */
    size_t outliers;        /* by stats_outlier */
};

/* n = 0 gives all NAN and 0. */
void stats_summarize(const double *x, size_t n, struct stats_summary *out);

/* Tukey's fences: below q1 - 1.5 IQR or above q3 + 1.5 IQR, quartiles of type 7. Marked in reports,
 * never dropped. */
bool stats_outlier(const struct stats_summary *s, double value);
#define STATS_OUTLIER_RULE "Tukey's fences (1.5 interquartile ranges beyond the quartiles)"

/* Hyndman and Fan's type 7 (R's default); p from 0 to 1; `sorted` ascending; NAN for n = 0. */
double stats_quantile(const double *sorted, size_t n, double p);

double stats_median(const double *x, size_t n); /* NAN for n = 0 */

/* Ascending copy; the caller frees. */
double *stats_sorted(const double *x, size_t n);

/* The original TuneMark's statistics: n/10 values dropped at each end for average and *population*
 * deviation, not for the range; median = sorted[n/2]. For comparison with its published tables. */
struct stats_tunemark {
    double min, max, average, median, sd;
};
void stats_tunemark(const double *x, size_t n, struct stats_tunemark *out);

#endif
