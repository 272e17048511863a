/* The search, on curves whose truth is known. */
#include "bench/search.h"

#include <math.h>
#include <stdio.h>

#include "base/rng.h"
#include "tests/testing.h"

static const uint64_t batches[] = {10,  15,  20,   30,   50,   70,   100,  150,  200,  300,
                                   500, 700, 1000, 1500, 2000, 3000, 5000, 7000, 10000};
static const uint64_t concurrencies[] = {1, 2, 4, 8, 16};
#define BATCHES (sizeof batches / sizeof batches[0])
#define CONCURRENCIES (sizeof concurrencies / sizeof concurrencies[0])

enum shape { SATURATES, PEAKS, FLAT, RISES };

struct curve {
    enum shape shape;
    double noise; /* standard deviation, as a share */
    struct rng rng;
    size_t calls, last, repeats; /* calls for the setting measured just before */
    size_t fail_from;            /* batches from this index on do not work; 0: all do */
    size_t stop_after;           /* calls; 0: never */
};

/* Items a second, without noise. */
static double truth(const struct curve *c, size_t batch, size_t concurrency)
{
    double b = (double)batches[batch], n = (double)concurrencies[concurrency];
    switch (c->shape) {
    case SATURATES: /* a cost a request and one a document; little gained beyond four at once */
        return 20000 * b / (b + 60) * n / (n + 0.5);
    case PEAKS: /* and large batches cost more than they should */
        return 20000 * b / (b + 60) * n / (n + 0.5) / (1 + b / 3000 * n / 4);
    case FLAT:
        return 20000;
    case RISES: /* the largest is the best */
        return pow(b, 0.5) * n;
    }
    return 0;
}

/* Nearly normal: twelve uniform numbers. */
static double normal(struct rng *r)
{
    double sum = -6;
    for (int i = 0; i < 12; i++) {
        sum += rng_double(r);
    }
    return sum;
}

static int measure(void *arg, size_t batch, size_t concurrency, double *rate, struct err *err)
{
    struct curve *c = arg;
    size_t at = batch * CONCURRENCIES + concurrency;
    c->repeats += c->calls > 0 && c->last == at;
    c->last = at;
    if (++c->calls == c->stop_after) {
        return err_set(err, ERR_INTERRUPTED, "enough");
    }
    *rate = truth(c, batch, concurrency) * (1 + c->noise * normal(&c->rng));
    if (c->fail_from != 0 && batch >= c->fail_from) {
        *rate = NAN;
    }
    return 0;
}

static struct search make(struct curve *c)
{
    return (struct search){.batch = batches,
                           .batch_n = BATCHES,
                           .concurrency = concurrencies,
                           .concurrency_n = CONCURRENCIES,
                           .arg = c,
                           .measure = measure};
}

static double best_truth(const struct curve *c)
{
    double best = 0;
    for (size_t i = 0; i < BATCHES * CONCURRENCIES; i++) {
        best = fmax(best, truth(c, i / CONCURRENCIES, i % CONCURRENCIES));
    }
    return best;
}

/* Without noise there is one answer: the best setting, or the smallest of a flat curve. */
START_TEST(without_noise)
{
    for (int shape = SATURATES; shape <= RISES; shape++) {
        struct curve c = {.shape = (enum shape)shape};
        struct search s = make(&c);
        ck_assert_int_eq(search_run(&s, NULL), 0);
        size_t b = s.answer / CONCURRENCIES, n = s.answer % CONCURRENCIES;
        ck_assert_msg(truth(&c, b, n) == best_truth(&c), "shape %d: %zu %zu", shape, b, n);
        if (shape == FLAT) {
            ck_assert_uint_eq(s.answer, 0);
        }
        ck_assert_uint_eq(c.calls, s.runs);
        search_free(&s);
    }
}
END_TEST

/* With noise: the answer is nearly as fast as the best there is, in nearly every of 200 seeds; the
 * plateau holds a setting within 2 % of it (5 % at much noise); and a fraction of the grid's runs
 * is made. */
START_TEST(with_noise)
{
    enum { SEEDS = 200 };
    static const struct {
        enum shape shape;
        double noise, loss; /* of the answer, at most */
        double top;         /* share of the best: one such must be in the plateau */
    } rows[] = {{SATURATES, 0.03, 0.08, 0.98},
                {PEAKS, 0.03, 0.08, 0.98},
                {SATURATES, 0.1, 0.25, 0.95},
                {PEAKS, 0.1, 0.25, 0.95},
                {RISES, 0.03, 0.08, 0.98}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        unsigned good = 0, has_top = 0;
        size_t runs = 0;
        double best = 0, loss = 0;
        for (uint64_t seed = 1; seed <= SEEDS; seed++) {
            struct curve c = {.shape = rows[i].shape, .noise = rows[i].noise};
            struct search s = make(&c);
            rng_seed(&c.rng, seed);
            best = best_truth(&c);
            ck_assert_int_eq(search_run(&s, NULL), 0);
            double got = truth(&c, s.answer / CONCURRENCIES, s.answer % CONCURRENCIES);
            bool top = false;
            for (size_t k = 0; k < BATCHES * CONCURRENCIES; k++) {
                top = top || (s.points[k].plateau &&
                              truth(&c, k / CONCURRENCIES, k % CONCURRENCIES) > rows[i].top * best);
            }
            good += got >= (1 - rows[i].loss) * best;
            has_top += top;
            runs += s.runs;
            loss += 1 - got / best;
            search_free(&s);
        }
        printf("shape %d, noise %g: %u good, %u with the top, mean loss %.1f %%, %zu runs\n",
               rows[i].shape, rows[i].noise, good, has_top, 100 * loss / SEEDS, runs / SEEDS);
        ck_assert_msg(good >= SEEDS * 95 / 100, "row %zu: %u good", i, good);
        ck_assert_msg(has_top >= SEEDS * 95 / 100, "row %zu: %u with the top", i, has_top);
        ck_assert_uint_lt(runs / SEEDS, BATCHES * CONCURRENCIES * 6 / 2);
    }
}
END_TEST

/* All settings that are the same are told to be: most of a flat curve that was measured to the end
 * is its plateau, and the answer is among the smallest. */
START_TEST(flat)
{
    unsigned small = 0;
    size_t left = 0, plateau = 0;
    for (uint64_t seed = 1; seed <= 100; seed++) {
        struct curve c = {.shape = FLAT, .noise = 0.05};
        struct search s = make(&c);
        rng_seed(&c.rng, seed);
        ck_assert_int_eq(search_run(&s, NULL), 0);
        for (size_t k = 0; k < BATCHES * CONCURRENCIES; k++) {
            left += s.points[k].left;
            plateau += s.points[k].plateau;
        }
        small += batches[s.answer / CONCURRENCIES] <= 15;
        search_free(&s);
    }
    ck_assert_uint_ge(small, 90);
    ck_assert_uint_gt(plateau * 10, left * 7);
}
END_TEST

/* Runs take turns: never the same setting twice in a row while there are others. */
START_TEST(turns)
{
    struct curve c = {.shape = FLAT};
    struct search s = make(&c);
    ck_assert_int_eq(search_run(&s, NULL), 0);
    ck_assert_uint_eq(c.repeats, 0);
    search_free(&s);
}
END_TEST

START_TEST(failing)
{
    struct curve c = {.shape = RISES, .fail_from = 9};
    struct search s = make(&c);
    ck_assert_int_eq(search_run(&s, NULL), 0);
    ck_assert_uint_eq(s.answer / CONCURRENCIES, 8); /* the largest that works */
    ck_assert(s.points[18 * CONCURRENCIES].failed);
    search_free(&s);
    c = (struct curve){.shape = RISES, .fail_from = 1};
    s = make(&c);
    s.batch = batches + 1;
    s.batch_n = 1; /* nothing that works: measure sees index 0, so make that fail */
    c.fail_from = 0;
    c.noise = NAN;
    ck_assert_int_eq(search_run(&s, NULL), 0);
    ck_assert_uint_eq(s.answer, SEARCH_NONE);
    search_free(&s);
}
END_TEST

START_TEST(cut_off)
{
    struct curve c = {.shape = SATURATES, .stop_after = 20};
    struct search s = make(&c);
    struct err err = ERR_INIT;
    ck_assert_int_lt(search_run(&s, &err), 0);
    ck_assert_int_eq(err.kind, ERR_INTERRUPTED);
    ck_assert_uint_eq(s.runs, 19);
    ck_assert_uint_eq(s.answer, SEARCH_NONE);
    search_free(&s);
}
END_TEST

static bool only_small(void *arg, size_t batch, size_t concurrency)
{
    (void)arg;
    return batch + concurrency < 5;
}

START_TEST(not_useful)
{
    struct curve c = {.shape = RISES};
    struct search s = make(&c);
    s.useful = only_small;
    ck_assert_int_eq(search_run(&s, NULL), 0);
    for (size_t k = 0; k < BATCHES * CONCURRENCIES; k++) {
        ck_assert(s.points[k].n == 0 || k / CONCURRENCIES + k % CONCURRENCIES < 5);
    }
    search_free(&s);
    for (size_t one = 1; one <= 2; one++) { /* grids of one and two */
        s = make(&c);
        s.batch_n = one;
        s.concurrency_n = 1;
        ck_assert_int_eq(search_run(&s, NULL), 0);
        ck_assert_uint_eq(s.answer, one - 1);
        ck_assert_uint_eq(s.points[one - 1].n, 6);
        search_free(&s);
    }
}
END_TEST

TEST_MAIN("search", without_noise, with_noise, flat, turns, failing, cut_off, not_useful)
