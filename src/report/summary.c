/* summary: what was found, in words, a row for each step: of one spec its figure and how sure it
 * is; of several which is fastest, and which of the others may be as fast.
 * "Slower" is what best_compare finds: see there. */
#include "report/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/compare.h"
#include "report/table.h"

#define NAMED_MAX 4 /* specs named in a list; of more the number is told */

/* ---- one spec -------------------------------------------------------------------------------- */

/* A series that moves within the runs, which the median of them hides. */
static void add_series(struct buf *words, const struct column *c, const struct step *s)
{
    const char *name;
    for (size_t i = 0; (name = step_series_name(c, s, i)) != NULL; i++) {
        double *ms;
        size_t runs, n = step_series(c, s, name, &ms, &runs), finite = 0;
        struct stats_trend trend;
        for (size_t k = 0; k < n; k++) {
            if (isfinite(ms[k])) {
                ms[finite++] = ms[k];
            }
        }
        stats_trend(ms, finite, &trend);
        if (trend.verdict == TREND_GROWS || trend.verdict == TREND_FALLS) {
            buf_addf(words, "; within a run %s change by %+.0f %%", name, trend.change * 100);
        }
        free(ms);
    }
}

static void add_state(struct buf *words, const struct step *s)
{
    char drift[200];
    struct stats_trend trend;
    if (s->n < s->runs) {
        buf_addf(words, "%s%s in %zu of %zu runs", words->len > 0 ? "; " : "", step_state_word(s),
                 s->runs - s->n, s->runs);
        if (s->reason[0] != '\0') {
            buf_addf(words, " (%s)", s->reason);
        }
    }
    stats_trend(s->seconds, s->n, &trend);
    if (trend.verdict == TREND_GROWS || trend.verdict == TREND_FALLS) {
        snprintf(drift, sizeof drift, "%+.0f %%", trend.change * 100);
        buf_addf(words, "; the runs drift by %s, see the notes", drift);
    }
}

static void add_figure(struct buf *words, const struct step *s)
{
    char text[300];
    buf_adds(words, text_seconds(text, sizeof text, s->s.median));
    if (rate_text(text, sizeof text, s)[0] != '\0') {
        buf_addf(words, " (%s)", text);
    }
}

static void one_spec(struct buf *words, const struct column *c, const struct step *s)
{
    char a[40], b[40];
    struct time_unit unit = time_unit_for(s->s.median);
    double like = s->s.median;
    if (s->n > 0) {
        add_figure(words, s);
    }
    if (s->n == 1) {
        buf_adds(words, ", one run");
    } else if (s->n > 1) {
        double low = s->s.has_ci ? s->s.ci_low : s->s.min,
               high = s->s.has_ci ? s->s.ci_high : s->s.max;
        time_in(a, sizeof a, low, unit, like);
        time_in(b, sizeof b, high, unit, like);
        if (s->s.has_ci) {
            buf_addf(words, ", median of %zu runs; between %s and %s %s with %.1f %% confidence",
                     s->n, a, b, unit.name, s->s.ci_coverage * 100);
        } else {
            buf_addf(words,
                     ", median of %zu runs, which took %s to %s %s: too few to say how sure it is",
                     s->n, a, b, unit.name);
        }
    }
    add_series(words, c, s);
    add_state(words, s);
}

/* ---- several specs --------------------------------------------------------------------------- */

struct rival {
    const struct column *column;
    const struct step *step;
    double median; /* of what is compared: seconds, or seconds an item */
    double ratio;  /* to the fastest one's time */
    enum stats_verdict verdict;
};

/* Names, or how many where they are many. */
static void add_names(struct buf *words, const struct rival *all, size_t n, bool ratios)
{
    double least = INFINITY, most = 0;
    for (size_t i = 0; i < n; i++) {
        least = fmin(least, all[i].ratio);
        most = fmax(most, all[i].ratio);
        if (n <= NAMED_MAX) {
            buf_addf(words, "%s%s", i > 0 ? "; " : "", all[i].column->label);
        }
        if (n <= NAMED_MAX && ratios) {
            buf_addf(words, " (×%.3g)", all[i].ratio);
        }
    }
    if (n > NAMED_MAX) {
        buf_addf(words, "%zu others", n);
    }
    if (n > NAMED_MAX && ratios) {
        buf_addf(words, " (×%.3g to ×%.3g)", least, most);
    }
}

static int by_ratio(const void *a, const void *b)
{
    double x = ((const struct rival *)a)->ratio, y = ((const struct rival *)b)->ratio;
    return (x > y) - (x < y);
}

/* Compares `all` (n >= 2) with the best of them, which is moved to the front. */
static void compare_all(struct rival *all, size_t n)
{
    struct stats_pair *pairs = mem_zero(n - 1, sizeof *pairs);
    struct stats_comparison *found = mem_zero(n - 1, sizeof *found);
    for (size_t i = 1; i < n; i++) {
        if (all[i].median < all[0].median) {
            struct rival better = all[i];
            all[i] = all[0];
            all[0] = better;
        }
    }
    for (size_t i = 1; i < n; i++) {
        pairs[i - 1] = (struct stats_pair){step_figures(all[0].column, all[0].step),
                                           step_figures(all[i].column, all[i].step), all[0].step->n,
                                           all[i].step->n};
    }
    best_compare(pairs, n - 1, found);
    for (size_t i = 1; i < n; i++) {
        all[i].ratio =
            isfinite(found[i - 1].ratio) ? found[i - 1].ratio : all[i].median / all[0].median;
        all[i].verdict = found[i - 1].verdict;
    }
    free(pairs);
    free(found);
}

/* ". Slower: a (×2); b (×3)" of those with the verdict; how many. */
static size_t add_verdict(struct buf *words, const struct rival *all, size_t n,
                          enum stats_verdict verdict, const char *what)
{
    struct rival *some = mem_zero(n, sizeof *some);
    size_t some_n = 0;
    for (size_t i = 1; i < n; i++) {
        if (all[i].verdict == verdict) {
            some[some_n++] = all[i];
        }
    }
    qsort(some, some_n, sizeof *some, by_ratio);
    if (some_n > 0) {
        buf_addf(words, ". %s: ", what);
        add_names(words, some, some_n, true);
    }
    free(some);
    return some_n;
}

/* The fastest of `all` (n >= 2), and what became of the others. */
static void fastest(struct buf *words, struct rival *all, size_t n)
{
    struct buf others = BUF_INIT(BUF_TEXT_MAX);
    char equal[60];
    compare_all(all, n);
    snprintf(equal, sizeof equal, "Equal within %g %%", COMPARE_EQUAL_WITHIN * 100);
    size_t level = add_verdict(&others, all, n, VERDICT_TOO_FEW, "Too few runs to tell from it") +
                   add_verdict(&others, all, n, VERDICT_NO_DIFFERENCE, "Not told apart from it") +
                   add_verdict(&others, all, n, VERDICT_NONE, "Not told apart from it") +
                   add_verdict(&others, all, n, VERDICT_EQUAL, equal) +
                   add_verdict(&others, all, n, VERDICT_FASTER, "Not told apart from it");
    add_verdict(&others, all, n, VERDICT_SLOWER, "Slower");
    buf_addf(words, "%s: %s, ", level > 0 ? "least median" : "fastest", all[0].column->label);
    add_figure(words, all[0].step);
    buf_adds(words, buf_text(&others));
    buf_free(&others);
}

/* Where the work differs, times say nothing about which spec is better. */
static void range_only(struct buf *words, const struct rival *all, size_t n)
{
    size_t least = 0, most = 0;
    for (size_t i = 1; i < n; i++) {
        least = all[i].step->s.median < all[least].step->s.median ? i : least;
        most = all[i].step->s.median > all[most].step->s.median ? i : most;
    }
    buf_addf(words, "from ");
    add_figure(words, all[least].step);
    buf_addf(words, " with %s to ", all[least].column->label);
    add_figure(words, all[most].step);
    buf_addf(words, " with %s; their work differs, so none is called faster",
             all[most].column->label);
}

static bool comparable(const struct rival *all, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        bool amount = column_endless(all[i].column) || all[i].step->items == all[0].step->items;
        if (!amount || !same_work(all[0].column, all[i].column)) {
            return false;
        }
    }
    return true;
}

static void several_specs(struct buf *words, const struct view *v, size_t first, const char *name)
{
    struct rival *all = mem_zero(v->n, sizeof *all);
    size_t n = 0, without = 0;
    const struct step *bad = NULL;
    for (size_t i = first; i < v->n; i++) {
        const struct step *s = column_step(&v->columns[i], name);
        if (!same_workload(&v->columns[i], &v->columns[first]) || s == NULL) {
            continue;
        }
        if (s->n > 0) {
            const double *x = step_figures(&v->columns[i], s);
            all[n++] = (struct rival){&v->columns[i], s, stats_median(x, s->n), 1, VERDICT_NONE};
        }
        if (s->n < s->runs) {
            without++;
            bad = bad != NULL ? bad : s;
        }
    }
    if (n == 1) {
        buf_addf(words, "only %s: ", all[0].column->label);
        add_figure(words, all[0].step);
    } else if (n > 1 && comparable(all, n)) {
        fastest(words, all, n);
    } else if (n > 1) {
        range_only(words, all, n);
    }
    if (bad != NULL) {
        buf_addf(words, "%s%s in %zu of the specs", words->len > 0 ? "; " : "",
                 step_state_word(bad), without);
        if (bad->reason[0] != '\0') {
            buf_addf(words, " (%s)", bad->reason);
        }
    }
    free(all);
}

/* ---- the table ------------------------------------------------------------------------------- */

static bool step_seen(const struct view *v, size_t first, size_t column, const char *name)
{
    for (size_t i = first; i < column; i++) {
        if (same_workload(&v->columns[i], &v->columns[first]) &&
            column_step(&v->columns[i], name) != NULL) {
            return true;
        }
    }
    return false;
}

/* Returns whether specs were compared. */
static bool workload_rows(struct table *t, const struct view *v, size_t first)
{
    size_t specs = 0;
    for (size_t i = first; i < v->n; i++) {
        specs += same_workload(&v->columns[i], &v->columns[first]);
    }
    for (size_t i = first; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; same_workload(c, &v->columns[first]) && k < c->steps_n; k++) {
            struct buf words = BUF_INIT(BUF_TEXT_MAX);
            if (step_seen(v, first, i, c->steps[k].name)) {
                continue;
            }
            if (specs == 1) {
                one_spec(&words, c, &c->steps[k]);
            } else {
                several_specs(&words, v, first, c->steps[k].name);
            }
            table_cell(t, "%s", c->steps[k].title);
            table_cell(t, "%s", buf_text(&words));
            buf_free(&words);
        }
    }
    return specs > 1;
}

void summary_table(struct page *page, const struct view *v)
{
    struct table *t = table_new("ll");
    bool compared = false, partial = false;
    table_cell(t, "step");
    table_cell(t, "found");
    for (size_t i = 0; i < v->n; i++) {
        partial |= v->columns[i].partial || v->columns[i].result->partial;
        if (first_of_workload(v, i)) {
            compared |= workload_rows(t, v, i);
        }
    }
    if (partial) {
        page_line(page, "The measurement was interrupted: these are the figures of what was done.");
    }
    if (table_rows(t) > 1) {
        page_table(page, t);
    } else {
        page_line(page, "There are no figures.");
    }
    if (compared) {
        page_line(
            page,
            "×: how many times the time of the one with the least median (Hodges and Lehmann). "
            "Slower: by Mann and Whitney with Holm's correction, at a level that keeps any "
            "false one at about %g %% although the fastest was picked from the same runs.",
            COMPARE_ALPHA * 100);
    }
    table_free(t);
}
