/* Expected figures come from R 4.2.2; the calls are cited at each test. */
#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/stats.h"
#include "tests/noise.h"
#include "tests/testing.h"

static void near(double got, double want, const char *what, size_t row)
{
    ck_assert_msg(fabs(got - want) <= 1e-9 * fmax(1, fabs(want)), "row %zu: %s is %.12g, not %.12g",
                  row, what, got, want);
}

/* w <- wilcox.test(log(new), log(base), conf.int = TRUE); exp(w$estimate); exp(w$conf.int);
 * w$p.value. A single pair: Holm changes nothing. The rows of 30 and 25: set.seed(3);
 * round(exp(rnorm(30, 0, .2)), 5); round(exp(rnorm(25, .1, .2)), 5). */
START_TEST(against_r)
{
    static const struct {
        double base[30], new[30];
        size_t base_n, new_n;
        double ratio, low, high, p;
        enum stats_verdict verdict;
    } rows[] = {
        {{1.186, 1.203, 1.207, 1.19, 1.69, 1.214, 1.22, 1.201, 1.199, 1.25},
         {1.31, 1.322, 1.299, 1.355, 1.341, 1.288, 1.36, 1.33, 1.402, 1.317},
         10,
         10,
         1.09606891438,
         1.0728,
         1.12141652614,
         0.0015046872632,
         VERDICT_SLOWER},
        {{1.31, 1.322, 1.299, 1.355, 1.341, 1.288, 1.36, 1.33, 1.402, 1.317},
         {1.186, 1.203, 1.207, 1.19, 1.69, 1.214, 1.22, 1.201, 1.199, 1.25},
         10,
         10,
         0.91235139222,
         0.891729323308,
         0.932140193885,
         0.0015046872632,
         VERDICT_FASTER},
        {{1, 2, 3, 4, 5, 6},
         {1.5, 2.5, 3.5, 4.5, 5.5, 6.5},
         6,
         6,
         1.14564392374,
         0.5,
         2.75,
         0.699134199134,
         VERDICT_NO_DIFFERENCE},
        {{10, 11, 12, 13},
         {20, 21, 22, 23, 24},
         4,
         5,
         1.9128750375,
         1.61538461538,
         2.3,
         0.015873015873,
         VERDICT_SLOWER},
        {{10.1, 10.4, 9.8, 10.2, 10, 10.3},
         {10.15, 10.35, 9.9, 10.25, 10.05, 9.95, 10.45},
         6,
         7,
         1.00483103035,
         0.975490196078,
         1.03465346535,
         0.945221445221,
         VERDICT_EQUAL},
        {{0.82499, 0.94317, 1.05312, 0.79419, 1.03993, 1.00604, 1.01723, 1.25022, 0.78367, 1.28849,
          0.86161, 0.79752, 0.86652, 1.05183, 1.03088, 0.94032, 0.82646, 0.8784,  1.27745, 1.04077,
          0.89075, 0.82823, 0.96007, 0.71656, 0.90765, 0.86225, 1.26128, 1.22435, 0.98569, 0.79664},
         {1.3233,  1.31043, 1.27832, 1.28056, 1.03002, 1.27265, 1.43343, 1.11366, 0.90859,
          1.29531, 1.29343, 1.03864, 1.55236, 0.94278, 1.18493, 0.70252, 1.06989, 1.38566,
          1.00893, 0.92327, 1.27809, 0.93999, 1.16581, 0.78079, 0.83336},
         30,
         25,
         1.19704558686,
         1.05108151184,
         1.31411498544,
         0.00253371172853,
         VERDICT_SLOWER},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stats_pair pair = {rows[i].base, rows[i].new, rows[i].base_n, rows[i].new_n};
        struct stats_comparison c;
        stats_compare(&pair, 1, 0.05, 0.05, &c);
        near(c.ratio, rows[i].ratio, "ratio", i);
        near(c.p, rows[i].p, "p", i);
        near(c.p_holm, rows[i].p, "Holm's p", i);
        ck_assert(c.has_interval && c.exact);
        near(c.low, rows[i].low, "low", i);
        near(c.high, rows[i].high, "high", i);
        near(c.level, 0.95, "level", i);
        ck_assert_msg(c.verdict == rows[i].verdict, "row %zu: %d", i, (int)c.verdict);
    }
}
END_TEST

/* p.adjust(p, "holm") */
START_TEST(holm)
{
    static const struct {
        double p[5], want[5];
        size_t n;
    } rows[] = {{{.01, .04, .03, .005, .5}, {.04, .09, .09, .025, .5}, 5},
                {{.9, .8, .001}, {1, 1, .003}, 3},
                {{.2}, {.2}, 1},
                {{0}, {0}, 0}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double got[5];
        stats_holm(rows[i].p, rows[i].n, got);
        for (size_t k = 0; k < rows[i].n; k++) {
            near(got[k], rows[i].want[k], "adjusted p", i);
        }
    }
}
END_TEST

START_TEST(few_or_odd)
{
    static const struct {
        double base[6], new[6];
        size_t base_n, new_n;
        enum stats_verdict verdict;
        const char *words;
    } rows[] = {
        /* 2 / choose(6, 3) = 0.1: nothing can be found, however far apart */
        {{1, 2, 3}, {100, 200, 300}, 3, 3, VERDICT_TOO_FEW, "too few runs to tell"},
        {{1}, {1}, 1, 1, VERDICT_TOO_FEW, "too few runs to tell"},
        {{1, 2, 3, 4}, {5, 6, 7, 8}, 4, 4, VERDICT_SLOWER, "slower"},
        {{5, 5, 5, 5, 5, 5}, {5, 5, 5, 5, 5, 5}, 6, 6, VERDICT_EQUAL, "equal within 2 %"},
        {{5, 5, 5, 5, 5, 5}, {4, 4, 4, 4, 4, 4}, 6, 6, VERDICT_FASTER, "faster"},
        /* real, but 0.2 % */
        {{5, 5, 5, 5, 5, 5},
         {5.01, 5.01, 5.01, 5.01, 5.01, 5.01},
         6,
         6,
         VERDICT_EQUAL,
         "equal within 2 %"},
        {{1, 2, 3, 4, 5, 6},
         {1, 2, 3, 4, 5, 6},
         6,
         6,
         VERDICT_NO_DIFFERENCE,
         "no difference found"},
        {{0, 1, 2, 3}, {1, 2, 3, 4}, 4, 4, VERDICT_NONE, "no figures to compare"},
        {{1}, {1}, 0, 1, VERDICT_NONE, "no figures to compare"},
        {{1, 2}, {NAN, 1}, 2, 2, VERDICT_NONE, "no figures to compare"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stats_pair pair = {rows[i].base, rows[i].new, rows[i].base_n, rows[i].new_n};
        struct stats_comparison c;
        char words[80];
        stats_compare(&pair, 1, 0.05, 0.02, &c);
        ck_assert_msg(c.verdict == rows[i].verdict, "row %zu: %d, p %g", i, (int)c.verdict, c.p);
        ck_assert_str_eq(stats_verdict_words(words, sizeof words, c.verdict, 0.02), rows[i].words);
        ck_assert(c.has_interval || isnan(c.low));
    }
}
END_TEST

enum { PHASES = 10, RUNS = 60 };

struct family {
    double base[PHASES][RUNS], new[PHASES][RUNS];
    struct stats_pair pairs[PHASES];
    struct stats_comparison out[PHASES];
};

/* Phases of `runs` runs with relative noise; the first `slowed` phases are `factor` slower. */
static void simulate(struct rng *rng, struct family *f, size_t runs, double noise, size_t slowed,
                     double factor, double step)
{
    for (size_t i = 0; i < PHASES; i++) {
        for (size_t k = 0; k < runs; k++) {
            f->base[i][k] = exp(noise * normal(rng));
            f->new[i][k] = exp(noise * normal(rng)) * (i < slowed ? factor : 1);
            if (step > 0) { /* of a coarse clock: makes ties */
                f->base[i][k] = round(f->base[i][k] / step) * step;
                f->new[i][k] = round(f->new[i][k] / step) * step;
            }
        }
        f->pairs[i] = (struct stats_pair){f->base[i], f->new[i], runs, runs};
    }
    stats_compare(f->pairs, PHASES, 0.05, 0, f->out);
}

/* The interval and the verdict are one: 1 is outside exactly when Holm's p is at most alpha. And
 * both ways round give reciprocal ratios. */
START_TEST(interval_and_verdict_agree)
{
    static const size_t runs[] = {4, 6, 7, 10, 20, 60};
    struct rng rng;
    struct family *f = mem_zero(1, sizeof *f);
    size_t significant = 0;
    rng_seed(&rng, 11);
    for (size_t round = 0; round < 60; round++) {
        size_t n = runs[round % 6];
        simulate(&rng, f, n, 0.05, round % PHASES, 1.08, round % 4 == 0 ? 0.02 : 0);
        for (size_t i = 0; i < PHASES; i++) {
            const struct stats_comparison *c = &f->out[i];
            bool outside = c->has_interval && (c->low > 1 || c->high < 1);
            bool verdict = c->verdict == VERDICT_FASTER || c->verdict == VERDICT_SLOWER;
            ck_assert_msg(outside == verdict, "n %zu, phase %zu: p %g, %g … %g", n, i, c->p_holm,
                          c->low, c->high);
            ck_assert(!c->has_interval || (c->low <= c->ratio && c->ratio <= c->high));
            significant += verdict;
            struct stats_pair back = {f->new[i], f->base[i], n, n};
            struct stats_comparison r;
            stats_compare(&back, 1, 0.05, 0, &r);
            near(r.ratio * c->ratio, 1, "reciprocal", i);
            near(r.p, c->p, "p", i);
        }
    }
    ck_assert_uint_gt(significant, 50);
    free(f);
}
END_TEST

/* 1,000 comparisons of a build against itself, ten phases each: at most 5 % may have any false
 * alarm; four standard errors of that are 2.8 %. With 3 % noise and 10 runs a phase that is 10 %
 * slower must be found: it is in nearly all. */
START_TEST(false_alarms_and_power)
{
    struct rng rng;
    struct family *f = mem_zero(1, sizeof *f);
    size_t alarms = 0, found = 0;
    rng_seed(&rng, 4);
    for (int round = 0; round < 1000; round++) {
        bool any = false;
        simulate(&rng, f, 10, 0.03, 0, 1, 0);
        for (size_t i = 0; i < PHASES; i++) {
            any |= f->out[i].verdict == VERDICT_FASTER || f->out[i].verdict == VERDICT_SLOWER;
        }
        alarms += any;
    }
    ck_assert_msg(alarms <= 78, "%zu of 1000 false alarms", alarms);
    ck_assert_msg(alarms >= 5, "%zu of 1000: the test has no teeth", alarms);
    for (int round = 0; round < 200; round++) {
        simulate(&rng, f, 10, 0.03, 1, 1.10, 0);
        found += f->out[0].verdict == VERDICT_SLOWER;
    }
    ck_assert_msg(found >= 196, "found in %zu of 200", found);
    free(f);
}
END_TEST

/* Above 50 values the normal approximation takes over, near the exact figure. */
START_TEST(many_values)
{
    struct rng rng;
    double base[60], new[60];
    struct stats_comparison exact, normal_c;
    rng_seed(&rng, 5);
    for (size_t i = 0; i < 60; i++) {
        base[i] = exp(0.1 * normal(&rng));
        new[i] = exp(0.1 * normal(&rng) + 0.03);
    }
    struct stats_pair a = {base, new, 49, 49}, b = {base, new, 49, 50};
    stats_compare(&a, 1, 0.05, 0, &exact);
    stats_compare(&b, 1, 0.05, 0, &normal_c);
    ck_assert(exact.exact && !normal_c.exact);
    ck_assert_double_eq_tol(exact.ratio, normal_c.ratio, 0.01);
    ck_assert_double_eq_tol(exact.low, normal_c.low, 0.01);

    double *many = mem_zero(5000, sizeof *many); /* more than is looked at */
    for (size_t i = 0; i < 5000; i++) {
        many[i] = 1 + (double)(i % 7);
    }
    struct stats_pair c = {many, many, 5000, 300};
    stats_compare(&c, 1, 0.05, 0.02, &exact);
    ck_assert_uint_eq(exact.base_n, STATS_COMPARE_MAX);
    ck_assert_int_ne(exact.verdict, VERDICT_SLOWER);
    free(many);
}
END_TEST

TEST_MAIN("compare", against_r, holm, few_or_odd, interval_and_verdict_agree,
          false_alarms_and_power, many_values)
