#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/hist.h"
#include "base/mem.h"
#include "base/rng.h"
#include "tests/testing.h"

/* 1/256, half of the stated bucket width of 1/128 */
static void close_enough(uint64_t got, uint64_t want, const char *what)
{
    double error = fabs((double)got - (double)want);
    ck_assert_msg(error <= (double)want / 256, "%s: %" PRIu64 " for %" PRIu64, what, got, want);
}

static int by_value(const void *a, const void *b)
{
    const uint64_t *x = a, *y = b;
    return (*x > *y) - (*x < *y);
}

START_TEST(empty)
{
    struct hist *h = hist_new();
    ck_assert_uint_eq(hist_count(h), 0);
    ck_assert_uint_eq(hist_min(h), 0);
    ck_assert_uint_eq(hist_max(h), 0);
    ck_assert_uint_eq(hist_percentile(h, 50), 0);
    ck_assert_double_eq(hist_mean(h), 0);
    ck_assert(!hist_supports(h, 0));
    hist_free(h);
    hist_free(NULL);
}
END_TEST

/* Each value lies between two others a hundred times away, so that neither min nor max can lend it
 * their exactness. */
START_TEST(error_bound_by_table)
{
    static const uint64_t rows[] = {
        0,
        1,
        2,
        127,
        128,
        129,
        254,
        255,
        256,
        257,
        258,
        259,
        511,
        512,
        513,
        515,
        1000,
        1023,
        1024,
        65535,
        65536,
        65537,
        1000000,
        1007999,
        123456789,
        999999999,
        1u << 30,
        (1u << 30) - 1,
        3600000000000,
        ((uint64_t)1 << 42) - 1,
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hist *h = hist_new();
        hist_add(h, rows[i] / 100);
        hist_add(h, rows[i]);
        hist_add(h, rows[i] * 100 + 1);
        char what[32];
        snprintf(what, sizeof what, "row %zu", i);
        close_enough(hist_percentile(h, 66), rows[i], what);
        ck_assert_uint_eq(hist_max(h), rows[i] * 100 + 1);
        ck_assert_uint_eq(hist_min(h), rows[i] / 100);
        hist_free(h);
    }
}
END_TEST

START_TEST(last_bucket)
{
    const uint64_t most = (uint64_t)1 << 63;
    struct hist *h = hist_new();
    hist_add(h, 5);
    hist_add(h, (uint64_t)1 << 42);
    hist_add(h, UINT64_MAX);
    ck_assert_uint_eq(hist_max(h), most);
    ck_assert_uint_eq(hist_percentile(h, 60), most); /* known only to be at least 2^42 */
    ck_assert(hist_mean(h) > 3e18);                  /* the sum did not wrap */
    cJSON *o = hist_to_json(h);
    struct hist *back = hist_from_json(o, NULL);
    ck_assert_ptr_nonnull(back);
    cJSON_Delete(o);
    hist_free(back);
    hist_free(h);
}
END_TEST

/* Log-uniform values over 12 decades against the sorted truth (nearest rank). */
START_TEST(error_bound_random)
{
    enum { N = 20000 };
    static const double percents[] = {0, 1, 10, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 100};
    struct rng rng;
    uint64_t *all = mem_zero(N, sizeof *all);
    rng_seed(&rng, 2026);
    for (int round = 0; round < 5; round++) {
        struct hist *h = hist_new();
        double sum = 0;
        for (int i = 0; i < N; i++) {
            all[i] = (uint64_t)pow(10, 12 * rng_double(&rng));
            sum += (double)all[i];
            hist_add(h, all[i]);
        }
        qsort(all, N, sizeof *all, by_value);
        for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
            size_t rank = (size_t)ceil(percents[i] * N / 100 - 1e-6);
            char what[32];
            snprintf(what, sizeof what, "round %d, p%g", round, percents[i]);
            close_enough(hist_percentile(h, percents[i]), all[rank > 0 ? rank - 1 : 0], what);
        }
        ck_assert_uint_eq(hist_min(h), all[0]);
        ck_assert_uint_eq(hist_max(h), all[N - 1]);
        ck_assert_double_eq_tol(hist_mean(h), sum / N, sum / N * 1e-9);
        hist_free(h);
    }
    free(all);
}
END_TEST

START_TEST(supported_percentiles)
{
    static const struct {
        uint64_t n;
        double percent;
        int ok;
    } rows[] = {
        {10, 0, 0},      {11, 0, 1},      {19, 50, 0},       {20, 50, 1},        {100, 90, 1},
        {99, 90, 0},     {1000, 99, 1},   {999, 99, 0},      {10000, 99.9, 1},   {9999, 99.9, 0},
        {10000, 100, 0}, {1000, 99.9, 0}, {100000, 99.9, 1}, {100000, 99.99, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct hist *h = hist_new();
        for (uint64_t k = 0; k < rows[i].n; k++) {
            hist_add(h, 1000 + k);
        }
        ck_assert_msg(hist_supports(h, rows[i].percent) == rows[i].ok, "row %zu", i);
        hist_free(h);
    }
}
END_TEST

static char *printed(const struct hist *h)
{
    cJSON *o = hist_to_json(h);
    char *text = json_print(o, false);
    cJSON_Delete(o);
    return text;
}

/* Merging two halves is the whole, and JSON gives back what it was given. */
START_TEST(merge_and_round_trip)
{
    struct rng rng;
    struct hist *whole = hist_new(), *a = hist_new(), *b = hist_new(), *none = hist_new();
    rng_seed(&rng, 7);
    for (int i = 0; i < 5000; i++) {
        uint64_t v = rng_next(&rng) >> (20 + rng_below(&rng, 44));
        hist_add(whole, v);
        hist_add(i % 3 == 0 ? a : b, v);
    }
    hist_merge(a, none);
    hist_merge(none, b);
    hist_merge(a, none);
    char *want = printed(whole), *got = printed(a);
    ck_assert_str_eq(got, want);
    free(got);

    cJSON *o = json_parse(want, strlen(want), NULL);
    struct err err = ERR_INIT;
    struct hist *back = hist_from_json(o, &err);
    ck_assert_msg(back != NULL, "%s", err.text);
    got = printed(back);
    ck_assert_str_eq(got, want);
    ck_assert_uint_eq(hist_percentile(back, 99), hist_percentile(whole, 99));
    free(got);
    free(want);
    cJSON_Delete(o);
    hist_free(back);
    hist_free(whole);
    hist_free(a);
    hist_free(b);
    hist_free(none);

    /* an empty one too */
    none = hist_new();
    o = hist_to_json(none);
    back = hist_from_json(o, &err);
    ck_assert_msg(back != NULL, "%s", err.text);
    cJSON_Delete(o);
    hist_free(back);
    hist_free(none);
}
END_TEST

#define H(count, min, max, sum, buckets)                                                \
    "{\"unit\":\"ns\",\"count\":" count ",\"min\":" min ",\"max\":" max ",\"sum\":" sum \
    ",\"buckets\":" buckets "}"

START_TEST(hostile_json)
{
    static const struct {
        const char *text;
        int ok;
    } rows[] = {
        {H("2", "5", "7", "12", "[[5,1],[7,1]]"), 1},
        {H("2", "5", "7", "12", "[[5,1],[7,1]],\"later\":1"), 1}, /* unknown members */
        {H("1", "300", "300", "300", "[[300,1]]"), 1},
        {H("0", "0", "0", "0", "[]"), 1},
        {"null", 0},
        {"[]", 0},
        {"{}", 0},
        {"{\"unit\":\"us\",\"count\":0,\"min\":0,\"max\":0,\"sum\":0,\"buckets\":[]}", 0},
        {H("2", "5", "7", "12", "[[7,1],[5,1]]"), 0}, /* not in order */
        {H("2", "5", "5", "10", "[[5,1],[5,1]]"), 0}, /* twice */
        {H("3", "5", "7", "18", "[[5,1],[7,1]]"), 0}, /* does not add up */
        {H("1", "5", "7", "6", "[[5,1],[7,1]]"), 0},
        {H("2", "5", "7", "1200", "[[5,1],[7,1]]"), 0}, /* an impossible mean */
        {H("2", "6", "7", "13", "[[5,1],[7,1]]"), 0},   /* min in another bucket */
        {H("2", "5", "8", "12", "[[5,1],[7,1]]"), 0},
        {H("2", "7", "5", "12", "[[5,1],[7,1]]"), 0},
        {H("1", "301", "301", "301", "[[301,1]]"), 0}, /* 301 is no bucket's bound */
        {H("-1", "5", "7", "12", "[]"), 0},
        {H("1.5", "5", "7", "12", "[[5,1],[7,1]]"), 0},
        {H("1e999", "5", "7", "12", "[[5,1],[7,1]]"), 0},
        {H("\"2\"", "5", "7", "12", "[[5,1],[7,1]]"), 0},
        {H("2", "5", "7", "12", "{}"), 0},
        {H("2", "5", "7", "12", "[5,7]"), 0},
        {H("2", "5", "7", "12", "[[5],[7]]"), 0},
        {H("2", "5", "7", "12", "[[5,1,1],[7,1]]"), 0},
        {H("2", "5", "7", "12", "[[5,\"1\"],[7,1]]"), 0},
        {H("2", "5", "7", "12", "[[-5,1],[7,1]]"), 0},
        {H("2", "5", "7", "12", "[[5,0],[5,1],[7,1]]"), 0},
        {H("1", "1e30", "1e30", "1e30", "[[4398046511104,1]]"), 0},
        {H("0", "0", "9", "0", "[]"), 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        cJSON *o = json_parse(rows[i].text, strlen(rows[i].text), &err);
        ck_assert_msg(o != NULL, "row %zu: %s", i, err.text);
        struct hist *h = hist_from_json(o, &err);
        ck_assert_msg((h != NULL) == rows[i].ok, "row %zu: %s", i, rows[i].text);
        ck_assert_msg(h != NULL || err.text[0] != '\0', "row %zu gives no reason", i);
        hist_free(h);
        cJSON_Delete(o);
    }
}
END_TEST

/* 1 to 10 ms: the form that HdrHistogram's plotters read. */
START_TEST(percentile_text)
{
    struct hist *h = hist_new();
    for (uint64_t i = 1; i <= 10; i++) {
        hist_add(h, i * 1000000);
    }
    struct buf out = BUF_INIT(100000);
    hist_percentile_text(h, &out);
    ck_assert_ptr_nonnull(strstr(buf_text(&out), "       Value     Percentile TotalCount "
                                                 "1/(1-Percentile)\n\n"));
    ck_assert_ptr_nonnull(strstr(buf_text(&out), "\n       4.997 0.500000000000          5"
                                                 "           2.00\n"));
    ck_assert_ptr_nonnull(strstr(buf_text(&out), "\n      10.000 1.000000000000         10\n"));
    ck_assert_ptr_nonnull(
        strstr(buf_text(&out), "\n#[Max     =       10.000, Total count    =           10]\n"));
    buf_free(&out);
    hist_free(h);
}
END_TEST

TEST_MAIN("hist", empty, error_bound_by_table, last_bucket, error_bound_random,
          supported_percentiles, merge_and_round_trip, hostile_json, percentile_text)
