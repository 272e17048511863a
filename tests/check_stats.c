/* Expected figures come from R 4.2.2; the calls are cited at each test. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "tests/seed_series.h"
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

#define COLUMN(name) name, sizeof(name) / sizeof((name)[0])

/* Theil-Sen: median over i < j of (x[j] - x[i]) / (j - i); lm(x ~ t), summary()$r.squared;
 * cor.test(t, x, method = "kendall", continuity = TRUE)$p.value. R gives 0 where the exact p is
 * 2 / 25!. */
START_TEST(trend_of_the_published_columns)
{
    static const struct {
        const double *x;
        size_t n;
        double sen, change, slope, r2, p;
        enum stats_trend_verdict verdict;
    } rows[] = {
        {COLUMN(fedora3_100kb), -134.416666667, -0.102484274732, -298.651538462, 0.325505728408,
         1.45255109857e-08, TREND_CONSTANT},
        {COLUMN(fedora4_100kb), 6634.28333333, 1.51322264567, 6774.73615385, 0.990291893361,
         1.28938e-25, TREND_GROWS},
        {COLUMN(fedora4_leveldb_100kb), 9390.2124183, 1.49770125098, 9489.64846154, 0.997287517075,
         1.28938e-25, TREND_GROWS},
        {COLUMN(fedora3_50mb), 48.3685036624, 0.0160195971503, 47.7913471347, 0.144519992412,
         0.000171003319616, TREND_CONSTANT},
        {COLUMN(fedora4_50mb), 145.766309413, 0.0864504115996, 153.234605461, 0.833218589468,
         3.66805214127e-34, TREND_CONSTANT},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stats_trend t;
        stats_trend(rows[i].x, rows[i].n, &t);
        near(t.sen_slope, rows[i].sen, "Theil-Sen", i);
        near(t.change, rows[i].change, "change", i);
        near(t.slope, rows[i].slope, "slope", i);
        near(t.r2, rows[i].r2, "r2", i);
        ck_assert_msg(fabs(t.p - rows[i].p) <= 1e-5 * rows[i].p, "row %zu: p is %g", i, t.p);
        ck_assert_msg(t.verdict == rows[i].verdict, "row %zu: %d", i, (int)t.verdict);
    }
}
END_TEST

/* cor.test(1:n, x, method = "kendall", continuity = TRUE)$p.value: exact without ties, normal with
 * ties or above 50. */
START_TEST(mann_kendall)
{
    static const struct {
        double x[60];
        size_t n;
        double p;
        int exact;
        enum stats_trend_verdict verdict;
    } rows[] = {
        {{1, 2, 3, 4, 5}, 5, 0.0166666666667, 1, TREND_GROWS},
        {{5, 4, 3, 2, 1}, 5, 0.0166666666667, 1, TREND_FALLS},
        {{1, 3, 2, 5, 4, 6}, 6, 0.0555555555556, 1, TREND_UNCLEAR},
        {{5, 3, 4, 1, 2, 0, 7}, 7, 0.561904761905, 1, TREND_UNCLEAR},
        {{1, 1, 2, 2, 3, 3, 1}, 7, 0.26028483387, 0, TREND_UNCLEAR},
        {{3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5}, 11, 0.234702477955, 0, TREND_UNCLEAR},
        {{2,   7,   1,   8,    2.8, 1.8, 2.85, 9,   4.5, 9.04,
          5.2, 3.5, 3.6, 0.28, 7.4, 7.1, 3.52, 6.6, 2.4, 9.7},
         20,
         0.288378196376,
         1,
         TREND_UNCLEAR},
        {{-0.601, 0.234,  -0.761, 1.695,  0.455, -0.67, 0.662, 0.938, 0.801, -0.055, 1.787,  0.69,
          -0.296, -1.865, 1.5,    0.355,  0.409, 1.394, 1.296, 1.094, 1.444, 1.332,  0.65,   -1.389,
          1.245,  0.594,  0.519,  -0.771, 0.247, 1.168, 2.134, 0.697, 1.213, 0.796,  -0.502, 0.485,
          0.531,  0.891,  2.075,  1.763,  0.86,  0.797, 1.772, 1.657, 0.436, 0.443,  1.54,   1.969,
          1.113,  2.131,  1.673,  0.688,  1.666, 0.221, 2.808, 3.38,  1.058, 0.406,  2.045,  1.365},
         60,
         0.00166474129536,
         0,
         TREND_GROWS},
        {{1, 1, 1, 1, 1, 1}, 6, 1, 0, TREND_CONSTANT},
        {{0, 0, 0, 0, 0, 0}, 6, 1, 0, TREND_CONSTANT},
        {{100, 101, 102, 103, 104, 105}, 6, 1 / 360.0, 1, TREND_CONSTANT}, /* real, but small */
        {{1, 2, 3, 9}, 4, 1, 0, TREND_TOO_FEW},
        {{0}, 0, 1, 0, TREND_TOO_FEW},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stats_trend t;
        stats_trend(rows[i].x, rows[i].n, &t);
        near(t.p, rows[i].p, "p", i);
        ck_assert_msg(t.exact == rows[i].exact, "row %zu: exact", i);
        ck_assert_msg(t.verdict == rows[i].verdict, "row %zu: %d", i, (int)t.verdict);
    }
}
END_TEST

/* Binning a long line changes neither its slope nor its change. */
START_TEST(trend_of_many)
{
    enum { N = 25000 };
    double *x = mem_zero(N, sizeof *x);
    for (size_t i = 0; i < N; i++) {
        x[i] = 1000 + 0.1 * (double)i;
    }
    struct stats_trend t;
    stats_trend(x, N, &t);
    ck_assert_double_eq_tol(t.sen_slope, 0.1, 1e-4);
    ck_assert_double_eq_tol(t.slope, 0.1, 1e-4);
    ck_assert_double_eq_tol(t.change, 2499.9 / 2249.95, 2e-3);
    ck_assert_int_eq(t.verdict, TREND_GROWS);
    free(x);
}
END_TEST

TEST_MAIN("stats", summary, quantiles, median_interval, original, trend_of_the_published_columns,
          mann_kendall, trend_of_many)
