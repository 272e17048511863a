/* stats_compare: how much slower, and whether that could be chance. The test (Mann-Whitney), the
 * estimate (Hodges-Lehmann) and the interval are three readings of the same sorted list of pairwise
 * differences of logarithms, so that they cannot disagree. */
#include "base/stats.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define EXACT_BELOW 50 /* as R's wilcox.test */

/* ---- the distribution of U ------------------------------------------------------------------- */

/* P(U <= u) of Mann and Whitney's statistic for sides of m and n when nothing differs. */
struct u_distribution {
    size_t m, n;
    double *cumulated; /* exact: by u; NULL: normal */
};

/* The largest of all values belongs to either side in proportion to its size (Mann and Whitney
 * 1947): P(m, n, u) = m/(m+n) P(m-1, n, u-n) + n/(m+n) P(m, n-1, u). Only sums of positive terms,
 * so the tails keep their precision. */
static double *u_exact(size_t m, size_t n)
{
    size_t width = m * n + 1;
    double *above = mem_zero((n + 1) * width, sizeof *above); /* row m-1, by j = 0 … n */
    double *row = mem_zero((n + 1) * width, sizeof *row);
    for (size_t j = 0; j <= n; j++) {
        above[j * width] = 1; /* P(0, j, 0) */
    }
    for (size_t i = 1; i <= m; i++) {
        memset(row, 0, (n + 1) * width * sizeof *row);
        row[0] = 1; /* P(i, 0, 0) */
        for (size_t j = 1; j <= n; j++) {
            double share = (double)i / (double)(i + j);
            for (size_t u = 0; u <= i * j; u++) {
                double p = (1 - share) * row[(j - 1) * width + u];
                row[j * width + u] = u >= j ? p + share * above[j * width + u - j] : p;
            }
        }
        double *swap = above;
        above = row;
        row = swap;
    }
    double *p = mem_zero(width, sizeof *p), sum = 0;
    for (size_t u = 0; u < width; u++) {
        sum += above[n * width + u];
        p[u] = sum;
    }
    free(above);
    free(row);
    return p;
}

static double u_below(const struct u_distribution *d, size_t u)
{
    double m = (double)d->m, n = (double)d->n;
    if (u >= d->m * d->n) {
        return 1;
    }
    if (d->cumulated != NULL) {
        return d->cumulated[u];
    }
    return 0.5 * erfc((m * n / 2 - (double)u - 0.5) / sqrt(m * n * (m + n + 1) / 12) / sqrt(2));
}

/* The largest k with 2 P(U <= k-1) <= alpha, 0 if there is none: the interval runs from the k-th
 * smallest to the k-th largest difference. */
static size_t interval_rank(const struct u_distribution *d, double alpha)
{
    size_t low = 0, high = d->m * d->n / 2;
    while (low < high) {
        size_t k = low + (high - low + 1) / 2;
        if (2 * u_below(d, k - 1) <= alpha * (1 + 1e-9)) {
            low = k;
        } else {
            high = k - 1;
        }
    }
    return low;
}

/* ---- one pair -------------------------------------------------------------------------------- */

struct work {
    struct u_distribution u;
    double *differences; /* log(new) - log(base) of all pairs, ascending; NULL: no figures */
    size_t n;
};

static bool positive(const double *x, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        if (!(x[i] > 0) || !isfinite(x[i])) {
            return false;
        }
    }
    return n > 0;
}

static void prepare(const struct stats_pair *pair, struct work *w, struct stats_comparison *out)
{
    size_t m = pair->base_n < STATS_COMPARE_MAX ? pair->base_n : STATS_COMPARE_MAX;
    size_t n = pair->new_n < STATS_COMPARE_MAX ? pair->new_n : STATS_COMPARE_MAX;
    *w = (struct work){{m, n, NULL}, NULL, m * n};
    *out = (struct stats_comparison){
        .base_n = m, .new_n = n, .ratio = NAN, .low = NAN, .high = NAN, .p = 1, .p_holm = 1};
    if (!positive(pair->base, m) || !positive(pair->new, n)) {
        return;
    }
    double *d = mem_zero(w->n, sizeof *d);
    for (size_t i = 0; i < m; i++) {
        for (size_t k = 0; k < n; k++) {
            d[i * n + k] = log(pair->new[k]) - log(pair->base[i]);
        }
    }
    w->differences = stats_sorted(d, w->n);
    free(d);
    out->ratio = exp(stats_median(w->differences, w->n));
    out->exact = m < EXACT_BELOW && n < EXACT_BELOW;
    w->u.cumulated = out->exact ? u_exact(m, n) : NULL;
    /* A difference of exactly 0 counts for both sides, against either direction: with ties the test
     * is conservative, and still the exact inverse of the interval. */
    size_t not_above = 0, not_below = 0;
    for (size_t i = 0; i < w->n; i++) {
        not_above += w->differences[i] <= 0;
        not_below += w->differences[i] >= 0;
    }
    size_t u = not_above < not_below ? not_above : not_below;
    out->p = fmin(1, 2 * u_below(&w->u, u));
}

/* Whether sides of these sizes could show a difference at alpha: all of one below all of the
 * other. */
static bool could_differ(const struct work *w, double alpha)
{
    return 2 * u_below(&w->u, 0) <= alpha * (1 + 1e-9);
}

static void judge(const struct work *w, size_t m, double alpha, double equal_within,
                  struct stats_comparison *c)
{
    if (w->differences == NULL) {
        return; /* VERDICT_NONE */
    }
    /* p <= alpha p / p_holm says the same as p_holm <= alpha */
    double at = c->p_holm > 0 ? alpha * c->p / c->p_holm : alpha / (double)m;
    size_t k = interval_rank(&w->u, at);
    c->level = 1 - at;
    c->has_interval = k > 0;
    if (k > 0) {
        c->low = exp(w->differences[k - 1]);
        c->high = exp(w->differences[w->n - k]);
    }
    double margin = 1 + equal_within;
    if (c->has_interval && equal_within > 0 && c->low >= 1 / margin && c->high <= margin) {
        c->verdict = VERDICT_EQUAL;
    } else if (c->p_holm <= alpha * (1 + 1e-9)) {
        c->verdict = c->ratio < 1 ? VERDICT_FASTER : VERDICT_SLOWER;
    } else {
        c->verdict = could_differ(w, alpha / (double)m) ? VERDICT_NO_DIFFERENCE : VERDICT_TOO_FEW;
    }
}

/* ---- a family -------------------------------------------------------------------------------- */

struct ranked {
    double p;
    size_t at;
};

static int by_p(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;
    return (x->p > y->p) - (x->p < y->p);
}

void stats_holm(const double *p, size_t m, double *adjusted)
{
    struct ranked *r = mem_zero(m, sizeof *r);
    double least = 0;
    for (size_t i = 0; i < m; i++) {
        r[i] = (struct ranked){p[i], i};
    }
    qsort(r, m, sizeof *r, by_p);
    for (size_t i = 0; i < m; i++) {
        least = fmax(least, fmin(1, (double)(m - i) * r[i].p));
        adjusted[r[i].at] = least;
    }
    free(r);
}

void stats_compare(const struct stats_pair *pairs, size_t m, double alpha, double equal_within,
                   struct stats_comparison *out)
{
    struct work *w = mem_zero(m, sizeof *w);
    double *p = mem_zero(m, sizeof *p), *adjusted = mem_zero(m, sizeof *adjusted);
    size_t family = 0; /* pairs without figures are no test */
    for (size_t i = 0; i < m; i++) {
        prepare(&pairs[i], &w[i], &out[i]);
        if (w[i].differences != NULL) {
            p[family++] = out[i].p;
        }
    }
    stats_holm(p, family, adjusted);
    for (size_t i = 0, k = 0; i < m; i++) {
        if (w[i].differences != NULL) {
            out[i].p_holm = adjusted[k++];
        }
        judge(&w[i], family, alpha, equal_within, &out[i]);
        free(w[i].differences);
        free(w[i].u.cumulated);
    }
    free(w);
    free(p);
    free(adjusted);
}

char *stats_verdict_words(char *out, size_t size, enum stats_verdict verdict, double equal_within)
{
    static const char *const words[] = {
        [VERDICT_NONE] = "no figures to compare",
        [VERDICT_FASTER] = "faster",
        [VERDICT_SLOWER] = "slower",
        [VERDICT_EQUAL] = "equal",
        [VERDICT_NO_DIFFERENCE] = "no difference found",
        [VERDICT_TOO_FEW] = "too few runs to tell",
    };
    if (verdict == VERDICT_EQUAL) {
        snprintf(out, size, "equal within %g %%", equal_within * 100);
    } else {
        snprintf(out, size, "%s", words[verdict]);
    }
    return out;
}
