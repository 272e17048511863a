/* stats_change: where a series in time moves to another level and stays there.
 *
 * Seeded binary segmentation (Kovács, Bühlmann, Li and Munk 2023, Biometrika 110(1)): the best
 * split within any of a fixed set of intervals is tested, and if it holds both sides are looked at
 * in turn. The intervals, halves of halves that overlap, are what finds a level that is left again
 * later: split in two at one place, the whole series shows little of it. The measure is the
 * difference of mean ranks left and right of a place, by its standard deviation (after Pettitt
 * 1979, A Non-Parametric Approach to the Change-Point Problem, Applied Statistics 28(2)); it is the
 * largest over all intervals and places that is tested, by permutation: p = (1 + as large or
 * larger) / (1 + permutations), which is never too small whatever the values' distribution (Phipson
 * and Smyth 2010, Permutation p-values should never be zero). Permuting assumes that without a
 * change any order is as likely. */
#include "base/stats.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"

#define SEGMENT_MIN ((size_t)STATS_CHANGE_SEGMENT)
#define INTERVAL_MIN 20 /* shorter ones are so many that chance finds a split in one of them */

/* Ranks of a segment, less their mean; ties share theirs. */
static void centred_ranks(const double *x, size_t n, double *ranks)
{
    double *sorted = stats_sorted(x, n), mean = ((double)n + 1) / 2;
    for (size_t i = 0; i < n; i++) {
        size_t low = 0, high = n; /* first place not below x[i], by halving */
        while (low < high) {
            size_t middle = (low + high) / 2;
            if (sorted[middle] < x[i]) {
                low = middle + 1;
            } else {
                high = middle;
            }
        }
        size_t end = low;
        while (end < n && !(sorted[end] > x[i])) {
            end++;
        }
        ranks[i] = ((double)low + 1 + (double)end) / 2 - mean;
    }
    free(sorted);
}

/* The square of the measure, up to a factor that is the same for all orders of the same ranks,
 * where it is largest in an interval: (mean before k - mean from k)² k (n - k) / n. */
static double largest_within(const double *ranks, size_t n, size_t *at)
{
    double total = 0, sum = 0, best = 0;
    for (size_t i = 0; i < n; i++) {
        total += ranks[i];
    }
    for (size_t k = 1; k + SEGMENT_MIN <= n; k++) {
        sum += ranks[k - 1];
        if (k >= SEGMENT_MIN) {
            double left = (double)k, right = (double)(n - k);
            double difference = sum / left - (total - sum) / right;
            double measure = difference * difference * left * right / (double)n;
            if (measure > best) {
                best = measure;
                *at = k;
            }
        }
    }
    return best;
}

/* The same over the whole, its halves, their halves, …, each layer with those between as well. */
static double largest(const double *ranks, size_t n, size_t *at)
{
    double best = 0;
    for (size_t len = n; len == n || len >= INTERVAL_MIN; len = (len + 1) / 2) {
        size_t step = (len + 1) / 2;
        for (size_t from = 0;; from = from + step + len < n ? from + step : n - len) {
            size_t k = 0;
            double measure = largest_within(ranks + from, len, &k);
            if (measure > best) {
                best = measure;
                *at = from + k;
            }
            if (from + len >= n) {
                break;
            }
        }
    }
    return best;
}

static void shuffle(double *x, size_t n, struct rng *rng)
{
    for (size_t i = n; i > 1; i--) {
        size_t k = (size_t)rng_below(rng, i);
        double swap = x[i - 1];
        x[i - 1] = x[k];
        x[k] = swap;
    }
}

/* Enough permutations that alpha is not a matter of one or two. */
static uint64_t permutations_for(double alpha)
{
    double n = ceil(20 / alpha) - 1;
    return n < 999 ? 999 : n > 99999 ? 99999 : (uint64_t)n;
}

/* The best split of a segment, 0 if there is none that holds. */
static size_t split(const double *x, size_t n, double alpha, struct rng *rng, double *p)
{
    if (n < 2 * SEGMENT_MIN) {
        return 0;
    }
    double *ranks = mem_zero(n, sizeof *ranks);
    size_t at = 0, ignored;
    centred_ranks(x, n, ranks);
    double measure = largest(ranks, n, &at);
    uint64_t permutations = permutations_for(alpha), as_large = 0;
    double total = (double)permutations + 1;
    /* as soon as it cannot hold any more, the rest is spared */
    for (uint64_t i = 0; i < permutations && (double)(as_large + 1) <= alpha * total; i++) {
        shuffle(ranks, n, rng);
        /* sums in another order differ in their last bits */
        as_large += largest(ranks, n, &ignored) >= measure * (1 - 1e-9);
    }
    free(ranks);
    *p = (double)(as_large + 1) / total;
    return measure > 0 && *p <= alpha ? at : 0;
}

static void segment(const double *x, size_t from, size_t to, double alpha, struct rng *rng,
                    struct stats_change *out, size_t *found)
{
    double p;
    size_t at = split(x + from, to - from, alpha, rng, &p);
    if (at > 0) {
        segment(x, from, from + at, alpha, rng, out, found);
        out[(*found)++] = (struct stats_change){.at = from + at, .p = p};
        segment(x, from + at, to, alpha, rng, out, found);
    }
}

/* How far values lie from their median, in sum. */
static double distance(const double *x, size_t n)
{
    double median = stats_median(x, n), sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum += fabs(x[i] - median);
    }
    return sum;
}

/* Ranks say that there is a change; the values themselves say best where: two levels that fit with
 * the least absolute distance. Within a few places: so that a change stays the one that was tested.
 */
static size_t place(const double *x, size_t from, size_t at, size_t to)
{
    enum { NEAR = 5 };
    double best = INFINITY;
    size_t found = at;
    for (size_t k = at > NEAR ? at - NEAR : 1; k <= at + NEAR; k++) {
        if (k >= from + SEGMENT_MIN && k + SEGMENT_MIN <= to) {
            double d = distance(x + from, k - from) + distance(x + k, to - k);
            if (d < best) {
                best = d;
                found = k;
            }
        }
    }
    return found;
}

size_t stats_changes(const double *x, size_t n, double alpha, uint64_t seed,
                     struct stats_change *out)
{
    struct rng rng;
    size_t found = 0;
    rng_seed(&rng, seed);
    segment(x, 0, n, alpha, &rng, out, &found);
    for (size_t i = 0; i < found; i++) {
        size_t from = i > 0 ? out[i - 1].at : 0, to = i + 1 < found ? out[i + 1].at : n;
        out[i].at = place(x, from, out[i].at, to);
    }
    for (size_t i = 0; i < found; i++) {
        size_t from = i > 0 ? out[i - 1].at : 0, to = i + 1 < found ? out[i + 1].at : n;
        out[i].before = stats_median(x + from, out[i].at - from);
        out[i].after = stats_median(x + out[i].at, to - out[i].at);
    }
    return found;
}

size_t stats_changes_needed(double alpha)
{
    /* the rarest order, all low before all high or the other way round, has 2 / C(n, n/2) */
    double orders = 1; /* C(n, n/2) for even n */
    size_t n = 0;
    while (n < 2 * SEGMENT_MIN || 2 / orders > alpha) {
        n += 2;
        orders *= 4 * ((double)n - 1) / (double)n;
    }
    return n;
}
