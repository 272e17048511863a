/* Changes of level: series with known ones, made from seeds, and series with none. */
#include <math.h>
#include <string.h>

#include "base/rng.h"
#include "base/stats.h"
#include "tests/testing.h"

/* Log-normal noise about a level: phase times are skewed. Box and Muller. */
static double noisy(struct rng *r, double level, double share)
{
    double u = 1 - rng_double(r), v = rng_double(r);
    return level * exp(share * sqrt(-2 * log(u)) * cos(2 * acos(-1) * v));
}

START_TEST(known_steps)
{
    static const struct {
        const char *name;
        size_t n, from[3]; /* where levels begin after the first; 0: no more */
        double level[4], noise, alpha;
        size_t slack; /* values by which the place may be off */
    } rows[] = {
        {"10 % slower, 3 % noise, half-way", 40, {20}, {1, 1.1}, 0.03, 0.01, 1},
        {"10 % slower seven nights ago", 60, {53}, {1, 1.1}, 0.03, 0.01, 1},
        {"twice as slow four nights ago", 60, {56}, {1, 2}, 0.03, 0.05, 0},
        {"faster", 30, {10}, {1, 0.8}, 0.03, 0.01, 1},
        {"there and back", 60, {20, 40}, {1, 1.2, 1}, 0.03, 0.01, 1},
        {"a night shift in a long quiet series", 60, {20, 35}, {1, 1.4, 1}, 0.04, 0.003, 0},
        {"a staircase", 90, {30, 60}, {1, 1.2, 1.5}, 0.05, 0.001, 1},
        {"three", 120, {30, 60, 90}, {1, 1.3, 1, 1.3}, 0.05, 0.001, 1},
        {"no noise", 12, {6}, {1, 2}, 0, 0.01, 0},
        {"too few to tell", 8, {0}, {1}, 0.03, 0.01, 0},
        {"all equal", 50, {0}, {1}, 0, 0.5, 0},
        {"none", 0, {0}, {1}, 0, 0.5, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct rng r;
        double x[120];
        struct stats_change found[120], again[120];
        size_t changes = 0, level = 0;
        while (changes < 3 && rows[i].from[changes] > 0) {
            changes++;
        }
        rng_seed(&r, i + 1);
        for (size_t k = 0; k < rows[i].n; k++) {
            level += level < changes && k == rows[i].from[level];
            x[k] = noisy(&r, rows[i].level[level], rows[i].noise);
        }
        size_t n = stats_changes(x, rows[i].n, rows[i].alpha, 1, found);
        ck_assert_msg(n == changes, "%s: %zu changes", rows[i].name, n);
        for (size_t k = 0; k < n; k++) {
            size_t want = rows[i].from[k],
                   off = found[k].at > want ? found[k].at - want : want - found[k].at;
            ck_assert_msg(off <= rows[i].slack, "%s: at %zu, not %zu", rows[i].name, found[k].at,
                          want);
            ck_assert_msg(found[k].p > 0 && found[k].p <= rows[i].alpha, "%s: p %g", rows[i].name,
                          found[k].p);
            ck_assert_msg(fabs(found[k].before / rows[i].level[k] - 1) < 0.04 &&
                              fabs(found[k].after / rows[i].level[k + 1] - 1) < 0.04,
                          "%s: from %g to %g", rows[i].name, found[k].before, found[k].after);
        }
        ck_assert_uint_eq(stats_changes(x, rows[i].n, rows[i].alpha, 1, again), n);
        for (size_t k = 0; k < n; k++) {
            ck_assert_uint_eq(found[k].at, again[k].at);
            ck_assert(!(found[k].p < again[k].p || found[k].p > again[k].p));
        }
    }
}
END_TEST

/* Pure noise: a false alarm in alpha of the series at most. 600 series at 5 % give 30, with a
 * standard deviation of 5.3: within 4 of these. Ties and outliers do not change that. */
START_TEST(false_alarms)
{
    enum { SERIES = 600, NIGHTS = 40 };
    static const char *const kinds[] = {"noise", "ties", "outliers"};
    for (size_t kind = 0; kind < 3; kind++) {
        size_t alarms = 0;
        struct rng r;
        rng_seed(&r, 99 + kind);
        for (size_t i = 0; i < SERIES; i++) {
            double x[NIGHTS];
            struct stats_change found[NIGHTS];
            for (size_t k = 0; k < NIGHTS; k++) {
                x[k] = noisy(&r, 1, 0.05);
                x[k] = kind == 1 ? round(x[k] * 20) : x[k];
                x[k] *= kind == 2 && rng_below(&r, 10) == 0 ? 5 : 1;
            }
            alarms += stats_changes(x, NIGHTS, 0.05, i, found) > 0;
        }
        ck_assert_msg(alarms >= 9 && alarms <= 51, "%s: %zu false alarms in %d series", kinds[kind],
                      alarms, SERIES);
    }
}
END_TEST

START_TEST(needed)
{
    static const struct {
        double alpha;
        size_t n;
    } rows[] = {{0.5, 6}, {0.05, 8}, {0.01, 10}, {0.001, 14}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double x[20];
        struct stats_change found[20];
        size_t n = rows[i].n;
        ck_assert_uint_eq(stats_changes_needed(rows[i].alpha), n);
        for (size_t k = 0; k < n; k++) {
            x[k] = (double)(k < n / 2 ? k : 100 + k);
        }
        ck_assert_uint_eq(stats_changes(x, n, rows[i].alpha, 1, found), 1);
        ck_assert_uint_eq(found[0].at, n / 2);
    }
}
END_TEST

TEST_MAIN("change", known_steps, false_alarms, needed)
