/* search: the fastest batch size and concurrency, by successive narrowing, and how many settings
 * are as good. It knows nothing of servers: one setting is measured by a function.
 *
 * The method. The settings are a grid, and there is a figure (items a second) to a run.
 *   1. A coarse part of the grid (every few values, with both ends) is measured, LOOK runs each,
 *      in turns (A B C A B C), so that drift lands on all alike.
 *   2. A setting stays if its runs overlap those of the best one so far (the highest median): its
 *      best run reaches the worst run of that one (or the low end of its interval, once it has
 * one). With three runs each, a setting that is as good is lost with a chance of 1 in 20.
 *   3. Steps are halved, and what lies one step around the best setting, and one below the smallest
 *      batch that is left at each concurrency, is measured as in 1, the best beside it in each
 * turn, and sifted as in 2: the answer needs the top of the curve and the lower edge of its
 * plateau, not the inside of it.
 *   4. With steps of one value, what is left is measured to `finals` runs each, in turns.
 *   5. The plateau is every setting whose interval of the median (95 %, order statistics) reaches
 *      the median of the best. On a noisy curve a single best point is an accident; any of these
 * may be it. The answer is the smallest batch among them, at the least concurrency that has it: it
 *      asks least of the server's memory, and loses least when one request fails.
 *
 * What it cannot see: a peak narrower than the coarse steps; and the best of many medians is a
 * little too high, so that now and then a setting as good is left out of the plateau. */
#ifndef BENCH_SEARCH_H
#define BENCH_SEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define SEARCH_LOOK 3 /* runs before a setting may be dropped */
#define SEARCH_NONE SIZE_MAX

struct search_point {
    double *rates; /* items a second, one a run */
    size_t n, cap;
    double median, low, high; /* interval of the median; without one, all of its runs */
    bool has_interval;
    bool left;    /* still in question */
    bool failed;  /* could not be measured */
    bool plateau; /* of the answer */
};

struct search {
    /* set by the caller: values ascending */
    const uint64_t *batch, *concurrency;
    size_t batch_n, concurrency_n;
    size_t finals; /* runs of each of the last settings; at least STATS_CI_MIN */
    void *arg;
    /* One run of a setting, by indexes: its figure, or NAN if the setting does not work. -1: the
     * search cannot go on. */
    int (*measure)(void *arg, size_t batch, size_t concurrency, double *rate, struct err *err);
    bool (*useful)(void *arg, size_t batch, size_t concurrency); /* NULL: all are */

    /* filled */
    struct search_point *points; /* [batch × concurrency_n + concurrency] */
    size_t runs;                 /* made in all */
    size_t best, answer;         /* points; SEARCH_NONE: no setting worked */
};

/* 0; -1 if it was cut off, with what was measured until then and no answer. Free with search_free.
 */
int search_run(struct search *s, struct err *err);
void search_free(struct search *s);

#endif
