/* Expected figures come from R 4.2.2; the calls are cited at each test. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "tests/testing.h"

static void near(double got, double want, const char *what, size_t row)
{
    ck_assert_msg(fabs(got - want) <= 1e-9 * fmax(1, fabs(want)) || (isnan(got) && isnan(want)),
                  "row %zu: %s is %.12g, not %.12g", row, what, got, want);
}

/* mean(x); median(x); sd(x); mad(x); mad(x, constant = 1); quantile(x, c(.25, .75), type = 7);
 * outliers: sum(x < q1 - 1.5 * IQR(x) | x > q3 + 1.5 * IQR(x)) */
START_TEST(summary)
{
    static const struct {
        double x[10];
        size_t n;
        double min, max, mean, median, sd, mad, raw, q1, q3;
        size_t outliers;
    } rows[] = {
        {{1.186, 1.203, 1.207, 1.19, 1.69, 1.214, 1.22, 1.201, 1.199, 1.25},
         10,
         1.186,
         1.69,
         1.256,
         1.205,
         0.153547676273,
         0.0177912,
         0.012,
         1.1995,
         1.2185,
         2},
        {{3, 1, 2}, 3, 1, 3, 2, 2, 1, 1.4826, 1, 1.5, 2.5, 0},
        {{5, 5, 5, 5}, 4, 5, 5, 5, 5, 0, 0, 0, 5, 5, 0},
        {{1, 2, 4, 8, 16, 32, 64}, 7, 1, 64, 18.1428571429, 8, 22.9378041046, 10.3782, 7, 3, 24, 1},
        {{7}, 1, 7, 7, 7, 7, NAN, 0, 0, 7, 7, 0},
        {{0}, 0, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stats_summary s;
        stats_summarize(rows[i].x, rows[i].n, &s);
        near(s.min, rows[i].min, "min", i);
        near(s.max, rows[i].max, "max", i);
        near(s.mean, rows[i].mean, "mean", i);
        near(s.median, rows[i].median, "median", i);
        near(s.sd, rows[i].sd, "sd", i);
        near(s.mad, rows[i].mad, "mad", i);
        near(s.mad_raw, rows[i].raw, "raw mad", i);
        near(s.q1, rows[i].q1, "q1", i);
        near(s.q3, rows[i].q3, "q3", i);
        ck_assert_uint_eq(s.outliers, rows[i].outliers);
        near(stats_median(rows[i].x, rows[i].n), rows[i].median, "median", i);
    }
}
END_TEST

/* quantile(c(1.186, …, 1.25), c(0, .05, .25, .5, .75, .9, .99, 1), type = 7) */
START_TEST(quantiles)
{
    static const double x[] = {1.186, 1.203, 1.207, 1.19, 1.69, 1.214, 1.22, 1.201, 1.199, 1.25};
    static const double rows[][2] = {{0, 1.186},     {0.05, 1.1878}, {0.25, 1.1995}, {0.5, 1.205},
                                     {0.75, 1.2185}, {0.9, 1.294},   {0.99, 1.6504}, {1, 1.69}};
    double *s = stats_sorted(x, 10);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        near(stats_quantile(s, 10, rows[i][0]), rows[i][1], "quantile", i);
    }
    free(s);
}
END_TEST

/* k <- qbinom(.025, n, .5); if (2 * pbinom(k, n, .5) <= .05) k <- k + 1; 1 - 2 * pbinom(k-1, n, .5)
 * over the values 1 … n. */
START_TEST(median_interval)
{
    static const struct {
        size_t n, k; /* 0: none */
        double coverage;
    } rows[] = {
        {0, 0, 0},
        {1, 0, 0},
        {5, 0, 0},
        {6, 1, 0.96875},
        {7, 1, 0.984375},
        {8, 1, 0.9921875},
        {9, 2, 0.9609375},
        {10, 2, 0.978515625},
        {11, 2, 0.98828125},
        {20, 6, 0.958610534668},
        {50, 18, 0.967160862436},
        {1000, 469, 0.95370880264},
    };
    double *x = mem_zero(1000, sizeof *x);
    for (size_t i = 0; i < 1000; i++) {
        x[i] = (double)i + 1;
    }
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stats_summary s;
        stats_summarize(x, rows[i].n, &s);
        ck_assert_msg(s.has_ci == (rows[i].k > 0), "row %zu", i);
        near(s.ci_coverage, rows[i].coverage, "coverage", i);
        if (s.has_ci) {
            near(s.ci_low, (double)rows[i].k, "low", i);
            near(s.ci_high, (double)(rows[i].n + 1 - rows[i].k), "high", i);
        }
    }
    free(x);
}
END_TEST

/* The original drops one of ten at each end, takes sorted[n/2] and divides by n. */
START_TEST(original)
{
    static const double x[] = {10, 1, 2, 3, 4, 5, 6, 7, 8, 100};
    struct stats_tunemark t;
    stats_tunemark(x, 10, &t);
    near(t.min, 1, "min", 0);
    near(t.max, 100, "max", 0);
    near(t.average, 5.625, "average", 0); /* (2+3+4+5+6+7+8+10) / 8 */
    near(t.median, 6, "median", 0);
    near(t.sd, sqrt(49.875 / 8), "sd", 0);
    stats_tunemark(x, 9, &t); /* n/10 is 0 */
    near(t.average, 46.0 / 9, "average", 1);
    near(t.median, 5, "median", 1);
    stats_tunemark(x, 0, &t);
    ck_assert(isnan(t.median));
}
END_TEST

TEST_MAIN("stats", summary, quantiles, median_interval, original)
