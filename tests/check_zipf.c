#include <math.h>

#include "base/mem.h"
#include "base/zipf.h"
#include "tests/testing.h"

/* Counts of every rank against their exact expectation: within 5.5 standard deviations each, and
 * chi-squared over all within 6 of its own. */
START_TEST(as_stated)
{
    static const struct {
        uint64_t n;
        double exponent;
    } rows[] = {{1, 1}, {2, 0.99}, {10, 0}, {100, 0.5}, {300, 0.99}, {300, 1}, {100, 2.5}};
    const unsigned draws = tests_many(300000, 30000);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        uint64_t n = rows[i].n, *seen = mem_zero(n, sizeof *seen);
        struct zipf z;
        struct rng r;
        rng_seed(&r, 1996);
        zipf_init(&z, n, rows[i].exponent);
        for (unsigned k = 0; k < draws; k++) {
            uint64_t rank = zipf_next(&z, &r);
            if (rank >= n) { /* an assertion that holds writes a line, which would take longer */
                ck_abort_msg("row %zu: rank %llu", i, (unsigned long long)rank);
            }
            seen[rank]++;
        }
        double sum = 0, chi = 0, cells = 0;
        for (uint64_t k = 1; k <= n; k++) {
            sum += pow((double)k, -rows[i].exponent);
        }
        for (uint64_t k = 1; k <= n; k++) {
            double p = pow((double)k, -rows[i].exponent) / sum, want = p * draws;
            double off = (double)seen[k - 1] - want, deviation = sqrt(want * (1 - p));
            ck_assert_msg(fabs(off) <= 5.5 * deviation + 1e-9 || want < 20,
                          "row %zu, rank %u: %u, expected %.0f", i, (unsigned)k,
                          (unsigned)seen[k - 1], want);
            if (want >= 20) {
                chi += off * off / want;
                cells++;
            }
        }
        ck_assert_double_le(chi, cells + 6 * sqrt(2 * cells));
        free(seen);
    }
}
END_TEST

/* No table: a hundred million ranks cost as much as two. */
START_TEST(large)
{
    struct zipf z;
    struct rng r;
    rng_seed(&r, 3);
    zipf_init(&z, 100000000, 0.99);
    uint64_t low = 0, high = 0;
    for (unsigned k = 0; k < 100000; k++) {
        uint64_t rank = zipf_next(&z, &r);
        if (rank >= 100000000) {
            ck_abort_msg("rank %llu", (unsigned long long)rank);
        }
        low += rank < 100;
        high += rank >= 50000000;
    }
    ck_assert_uint_gt(low, 20000); /* 5.3 / 20.8 of the whole: 25 % */
    ck_assert_uint_lt(low, 30000);
    ck_assert_uint_gt(high, 1000);
}
END_TEST

TEST_MAIN("zipf", as_stated, large)
