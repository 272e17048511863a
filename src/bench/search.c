#include "bench/search.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"

/* ---- figures of one setting ------------------------------------------------------------------ */

static void summarize(struct search_point *p)
{
    struct stats_summary sum;
    stats_summarize(p->rates, p->n, &sum);
    p->median = sum.median;
    p->has_interval = sum.has_ci;
    p->low = sum.has_ci ? sum.ci_low : sum.min;
    p->high = sum.has_ci ? sum.ci_high : sum.max;
}

static double greatest(const struct search_point *p)
{
    double high = -INFINITY;
    for (size_t i = 0; i < p->n; i++) {
        high = fmax(high, p->rates[i]);
    }
    return high;
}

/* ---- the grid -------------------------------------------------------------------------------- */

static size_t points_n(const struct search *s)
{
    return s->batch_n * s->concurrency_n;
}

/* Takes a setting in, if it is one. */
static void include(struct search *s, size_t batch, size_t concurrency)
{
    if (batch >= s->batch_n || concurrency >= s->concurrency_n ||
        (s->useful != NULL && !s->useful(s->arg, batch, concurrency))) {
        return;
    }
    struct search_point *p = &s->points[batch * s->concurrency_n + concurrency];
    p->left = p->left || (p->n == 0 && !p->failed); /* what was dropped stays so */
}

/* A power of two that leaves at least `parts` steps over n values, or 1. */
static size_t coarse_step(size_t n, size_t parts)
{
    size_t step = 1;
    while ((n - 1) / (step * 2) >= parts) {
        step *= 2;
    }
    return step;
}

static void include_coarse(struct search *s, size_t batch_step, size_t concurrency_step)
{
    for (size_t b = 0; b < s->batch_n; b++) {
        for (size_t c = 0; c < s->concurrency_n; c++) {
            if ((b % batch_step == 0 || b + 1 == s->batch_n) &&
                (c % concurrency_step == 0 || c + 1 == s->concurrency_n)) {
                include(s, b, c);
            }
        }
    }
}

/* ---- measuring and sifting ------------------------------------------------------------------- */

static int one_run(struct search *s, size_t at, struct err *err)
{
    struct search_point *p = &s->points[at];
    double rate = NAN;
    if (s->measure(s->arg, at / s->concurrency_n, at % s->concurrency_n, &rate, err) < 0) {
        return -1;
    }
    s->runs++;
    if (!(rate > 0) || !isfinite(rate)) {
        p->failed = true;
        p->left = false;
        return 0;
    }
    p->rates = mem_grow(p->rates, p->n, &p->cap, sizeof *p->rates);
    p->rates[p->n++] = rate;
    summarize(p);
    return 0;
}

/* Every setting that is left, in turns, to `runs` runs each. `beside` (or SEARCH_NONE) is measured
 * in each turn too, however often it was: what is new is held against it as it is now. */
static int measure_all(struct search *s, size_t runs, size_t beside, struct err *err)
{
    for (size_t turn = 1; turn <= runs; turn++) {
        for (size_t i = 0; i < points_n(s); i++) {
            const struct search_point *p = &s->points[i];
            if (p->left && (p->n < turn || i == beside) && one_run(s, i, err) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

static size_t find_best(const struct search *s)
{
    size_t best = SEARCH_NONE;
    for (size_t i = 0; i < points_n(s); i++) {
        if (s->points[i].left &&
            (best == SEARCH_NONE || s->points[i].median > s->points[best].median)) {
            best = i;
        }
    }
    return best;
}

static void sift(struct search *s)
{
    s->best = find_best(s);
    double bar = s->best != SEARCH_NONE ? s->points[s->best].low : 0;
    for (size_t i = 0; i < points_n(s); i++) {
        if (s->points[i].left && greatest(&s->points[i]) < bar) {
            s->points[i].left = false;
        }
    }
}

/* What lies around the best, and below the lower edge of what is left. */
static void include_finer(struct search *s, size_t batch_step, size_t concurrency_step)
{
    size_t width = s->concurrency_n, b = s->best / width, c = s->best % width;
    bool *edge_known = mem_zero(width, sizeof *edge_known);
    size_t *edge = mem_zero(width, sizeof *edge);
    for (size_t i = 0; i < points_n(s); i++) { /* batches ascend */
        if (s->points[i].left && !edge_known[i % width]) {
            edge_known[i % width] = true;
            edge[i % width] = i / width;
        }
    }
    for (size_t i = 0; i < width; i++) {
        if (edge_known[i]) {
            include(s, edge[i] - batch_step, i); /* below 0 wraps, and is no setting */
        }
    }
    include(s, b - batch_step, c);
    include(s, b + batch_step, c);
    include(s, b, c - concurrency_step);
    include(s, b, c + concurrency_step);
    free(edge_known);
    free(edge);
}

static void conclude(struct search *s)
{
    s->best = find_best(s);
    for (size_t i = 0; i < points_n(s); i++) {
        struct search_point *p = &s->points[i];
        p->plateau = p->left && p->high >= s->points[s->best].median;
        if (p->plateau && s->answer == SEARCH_NONE) { /* ascending: batch, then concurrency */
            s->answer = i;
        }
    }
}

int search_run(struct search *s, struct err *err)
{
    size_t batch_step = coarse_step(s->batch_n, 4);
    size_t concurrency_step = coarse_step(s->concurrency_n, 2);
    s->points = mem_zero(points_n(s), sizeof *s->points);
    s->best = s->answer = SEARCH_NONE;
    s->runs = 0;
    s->finals = s->finals > STATS_CI_MIN ? s->finals : STATS_CI_MIN;
    include_coarse(s, batch_step, concurrency_step);
    for (;;) {
        if (measure_all(s, SEARCH_LOOK, s->best, err) < 0) {
            return -1;
        }
        sift(s);
        if (s->best == SEARCH_NONE) {
            return 0;
        }
        /* at steps of one: until nothing new lies around the best and below the edge */
        bool last = batch_step == 1 && concurrency_step == 1;
        batch_step = batch_step > 1 ? batch_step / 2 : 1;
        concurrency_step = concurrency_step > 1 ? concurrency_step / 2 : 1;
        include_finer(s, batch_step, concurrency_step);
        bool more = false;
        for (size_t i = 0; i < points_n(s); i++) {
            more = more || (s->points[i].left && s->points[i].n == 0);
        }
        if (last && !more) {
            break;
        }
    }
    if (measure_all(s, s->finals, SEARCH_NONE, err) < 0) {
        return -1;
    }
    if (find_best(s) != SEARCH_NONE) {
        conclude(s);
    }
    return 0;
}

void search_free(struct search *s)
{
    for (size_t i = 0; s->points != NULL && i < points_n(s); i++) {
        free(s->points[i].rates);
    }
    free(s->points);
    s->points = NULL;
}
