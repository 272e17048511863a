/* summary: what was found, in words, a row for each step: of one spec its figure and how sure it
 * is; of several which is fastest, and which of the others may be as fast. */
#include "report/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/table.h"

#define ALPHA 0.05
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
    double ratio; /* to the fastest one's time */
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

/* The fastest of `all` (n >= 2), and what became of the others. It is picked from the same runs
 * that the others are then compared with, so that of n equal ones one looks the faster the more
 * there are: the chance of a false "slower" grows as sqrt(n / 2) (simulated: 2 to 64 specs of 6 to
 * 20 runs), which the level takes back. */
static void fastest(struct buf *words, struct rival *all, size_t n)
{
    struct rival *slower = mem_zero(n, sizeof *slower), *level = mem_zero(n, sizeof *level);
    struct stats_pair *pairs = mem_zero(n, sizeof *pairs);
    struct stats_comparison *found = mem_zero(n, sizeof *found);
    size_t best = 0, slower_n = 0, level_n = 0, few = 0;
    for (size_t i = 1; i < n; i++) {
        best = all[i].step->s.median < all[best].step->s.median ? i : best;
    }
    struct rival first = all[0];
    all[0] = all[best];
    all[best] = first;
    const struct step *b = all[0].step;
    for (size_t i = 1; i < n; i++) {
        pairs[i - 1] = (struct stats_pair){b->seconds, all[i].step->seconds, b->n, all[i].step->n};
    }
    stats_compare(pairs, n - 1, ALPHA / sqrt((double)n / 2), 0, found);
    for (size_t i = 1; i < n; i++) {
        const struct stats_comparison *c = &found[i - 1];
        all[i].ratio = isfinite(c->ratio) ? c->ratio : all[i].step->s.median / b->s.median;
        few += c->verdict == VERDICT_TOO_FEW;
        if (c->verdict == VERDICT_SLOWER) {
            slower[slower_n++] = all[i];
        } else {
            level[level_n++] = all[i];
        }
    }
    qsort(slower, slower_n, sizeof *slower, by_ratio);
    qsort(level, level_n, sizeof *level, by_ratio);
    buf_addf(words, "%s: %s, ", level_n > 0 ? "least median" : "fastest", all[0].column->label);
    add_figure(words, all[0].step);
    if (level_n > 0) {
        buf_adds(words, few == level_n ? ". Too few runs to tell from it: "
                                       : ". Not told apart from it: ");
        add_names(words, level, level_n, true);
    }
    if (slower_n > 0) {
        buf_adds(words, ". Slower: ");
        add_names(words, slower, slower_n, true);
    }
    free(slower);
    free(level);
    free(pairs);
    free(found);
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

static bool same_work(const struct rival *all, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        const cJSON *a = all[0].column->spec->work, *b = all[i].column->spec->work;
        if (all[i].step->items != all[0].step->items ||
            ((a != NULL || b != NULL) && !cJSON_Compare(a, b, true))) {
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
            all[n++] = (struct rival){&v->columns[i], s, 1};
        }
        if (s->n < s->runs) {
            without++;
            bad = bad != NULL ? bad : s;
        }
    }
    if (n == 1) {
        buf_addf(words, "only %s: ", all[0].column->label);
        add_figure(words, all[0].step);
    } else if (n > 1 && same_work(all, n)) {
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
            ALPHA * 100);
    }
    table_free(t);
}
