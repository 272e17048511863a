/* stats: figures over repeated measurements, trends over a series, and comparison of two sets.
 *
 * Written for few and skewed samples: medians, order statistics and exact distributions, no
 * assumption of normality. Where the samples are too few for a figure it is absent, not guessed.
 * All inputs are finite; arrays are never changed. */
#ifndef BASE_STATS_H
#define BASE_STATS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- one set (stats.c) ----------------------------------------------------------------------- */

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

/* ---- a series in order (stats_trend.c) ------------------------------------------------------- */

#define STATS_TREND_MIN 5      /* below 5 points no order of them is rarer than 5 % */
#define STATS_TREND_SHARE 0.15 /* a change over the series below this share counts as constant */
#define STATS_TREND_ALPHA 0.05 /* of Mann-Kendall */

/* More points than this are averaged into as many consecutive bins first: the pairwise slopes of
 * Theil and Sen take the square of it. */
#define STATS_TREND_POINTS 1000

enum stats_trend_verdict {
    TREND_TOO_FEW,  /* points, below STATS_TREND_MIN */
    TREND_CONSTANT, /* |change| < STATS_TREND_SHARE, whether significant or not */
    TREND_GROWS,    /* at least that, and Mann-Kendall's p < STATS_TREND_ALPHA */
    TREND_FALLS,
    TREND_UNCLEAR, /* at least that, but within what chance does to an order */
};

struct stats_trend {
    size_t n;
    double median;
    double sen_slope; /* Theil-Sen: median of the slopes of all pairs, per step */
    double change;    /* sen_slope × (n-1), as a share of the median: +1.5 is +150 % */
    double s;         /* Mann-Kendall: rising pairs less falling ones */
    double p;         /* two-sided; 1 where all are equal */
    bool exact;       /* p from the distribution of S (n <= 50, no ties), else normal with ties and
                         continuity corrected */
    double slope, r2; /* least squares, per step; r2 is NAN where all are equal */
    enum stats_trend_verdict verdict;
};

void stats_trend(const double *x, size_t n, struct stats_trend *out);

/* ---- changes of level in time (stats_change.c) ----------------------------------------------- */

#define STATS_CHANGE_SEGMENT 3 /* values before and after a change at least */

struct stats_change {
    size_t at;            /* the first value of the new level */
    double before, after; /* medians of the levels, between the neighbouring changes */
    double p;             /* of the best split of its segment */
};

/* Finds changes of level in a series, in order. Of a series without any, one is found with a chance
 * of alpha at most; each further split is tested at alpha too. Of 60 values with 3 % noise at alpha
 * 0.003, a step of 10 % is found in 90 % of the cases once six values have followed it (simulated).
 * `out` has room for n of them. The same seed gives the same answer. */
size_t stats_changes(const double *x, size_t n, double alpha, uint64_t seed,
                     struct stats_change *out);

/* With fewer values than this no change can be found at alpha. */
size_t stats_changes_needed(double alpha);

/* ---- two sets (stats_compare.c) -------------------------------------------------------------- */

/* More values than this of a side are not looked at: all pairs are formed. */
#define STATS_COMPARE_MAX 2000

enum stats_verdict {
    VERDICT_NONE,   /* one side has no figures, or one that has no logarithm */
    VERDICT_FASTER, /* the new one takes less time */
    VERDICT_SLOWER,
    VERDICT_EQUAL,         /* the whole interval lies within the margin, significant or not */
    VERDICT_NO_DIFFERENCE, /* none found: not the same as equal */
    VERDICT_TOO_FEW,       /* values: none could have been found */
};

struct stats_pair {
    const double *base, *new; /* times, above 0 */
    size_t base_n, new_n;
};

struct stats_comparison {
    size_t base_n, new_n;
    double ratio; /* new / base: Hodges-Lehmann on logarithms; NAN without figures */
    bool has_interval;
    double low, high; /* of the ratio, by inverting the same Mann-Whitney test that gives p */
    double level;     /* confidence asked of it: 1 - alpha, sharpened by Holm's factor */
    double p;         /* two-sided; ties count against a difference */
    double p_holm;    /* over all comparisons made together */
    bool exact;       /* both sides below 50 values; else normal with continuity corrected */
    enum stats_verdict verdict;
};

/* Compares m pairs as one family: Holm's correction keeps the chance of any false "faster" or
 * "slower" at alpha. `equal_within` is the margin of "equal": 0.02 means ratios from 1/1.02
 * to 1.02; 0 for no such verdict. The interval is at the level at which Holm judged the pair, so
 * that it excludes 1 exactly when the difference is significant. */
void stats_compare(const struct stats_pair *pairs, size_t m, double alpha, double equal_within,
                   struct stats_comparison *out);

/* p adjusted by Holm (1979), as R's p.adjust. */
void stats_holm(const double *p, size_t m, double *adjusted);

/* "slower", "equal within 2 %", …; margin as given to stats_compare. Returns out. */
char *stats_verdict_words(char *out, size_t size, enum stats_verdict verdict, double equal_within);

#endif
