/* series: times of successive groups of items, as a table of groups with each column's trend below
 * it: averages hide a server that gets slower with every batch. */
#include "report/parts.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/table.h"

char *trend_words(char *out, size_t size, const struct stats_trend *t, const char *per)
{
    char pace[40], p[40], r2[40] = "";
    if (t->verdict == TREND_TOO_FEW) {
        snprintf(out, size, "too few %ss for a trend (%zu; at least %d)", per, t->n,
                 STATS_TREND_MIN);
        return out;
    }
    /* least squares says how much a step costs, unless an outlier has turned it around */
    double slope = t->slope * t->sen_slope > 0 ? t->slope : t->sen_slope;
    text_seconds(pace, sizeof pace, fabs(slope));
    snprintf(p, sizeof p, t->p < 0.001 ? "p < 0.001" : "p = %.3f", t->p);
    if (!isnan(t->r2)) {
        snprintf(r2, sizeof r2, ", r² %.3f", t->r2);
    }
    static const char *const verdicts[] = {[TREND_CONSTANT] = "constant",
                                           [TREND_GROWS] = "grows",
                                           [TREND_FALLS] = "falls",
                                           [TREND_UNCLEAR] = "no clear trend"};
    bool moves = t->verdict == TREND_GROWS || t->verdict == TREND_FALLS;
    snprintf(out, size, "%s%s%s%s%s (%+.3g %% over %zu %ss; Mann-Kendall %s%s)",
             verdicts[t->verdict], moves ? " " : "", moves ? pace : "", moves ? " a " : "",
             moves ? per : "", t->change * 100, t->n, per, p, r2);
    return out;
}

/* One series of one step of one spec. */
struct strand {
    const struct column *column;
    const struct step *step;
    const char *name;
    double *ms;
    size_t n, runs;
};

static struct strand *strands_of(const struct view *v, const char *workload, size_t *n)
{
    struct strand *all = NULL;
    size_t cap = 0;
    *n = 0;
    for (size_t i = 0; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; strcmp(c->spec->workload, workload) == 0 && k < c->steps_n; k++) {
            const char *name;
            for (size_t j = 0; (name = step_series_name(c, &c->steps[k], j)) != NULL; j++) {
                all = mem_grow(all, *n, &cap, sizeof *all);
                struct strand *s = &all[(*n)++];
                *s = (struct strand){.column = c, .step = &c->steps[k], .name = name};
                s->n = step_series(c, s->step, name, &s->ms, &s->runs);
            }
        }
    }
    return all;
}

/* Whether all strands are of one step, so that the specs alone tell them apart. */
static bool one_step(const struct strand *all, size_t n)
{
    for (size_t i = 1; i < n; i++) {
        if (strcmp(all[i].step->name, all[0].step->name) != 0) {
            return false;
        }
    }
    return true;
}

static void strand_heading(char *out, size_t size, const struct view *v, const struct strand *s,
                           bool spec_alone)
{
    if (v->n == 1) {
        snprintf(out, size, "%s", s->step->title);
    } else if (spec_alone) {
        snprintf(out, size, "%s", s->column->label);
    } else {
        snprintf(out, size, "%s: %s", s->column->label, s->step->title);
    }
}

static void strand_trend(struct page *page, const struct view *v, const struct strand *s,
                         bool spec_alone)
{
    double *seconds = mem_zero(s->n, sizeof *seconds);
    size_t n = 0;
    char heading[300], words[200], over[64] = "";
    struct stats_trend t;
    for (size_t i = 0; i < s->n; i++) {
        if (isfinite(s->ms[i])) {
            seconds[n++] = s->ms[i] / 1000;
        }
    }
    stats_trend(seconds, n, &t);
    strand_heading(heading, sizeof heading, v, s, spec_alone);
    if (s->runs > 1) {
        snprintf(over, sizeof over, ", median of %zu runs", s->runs);
    }
    page_note(page, "%s%s: %s", heading, over, trend_words(words, sizeof words, &t, "group"));
    free(seconds);
}

/* The strands with the name of strand `first`, side by side. */
static void strand_table(struct page *page, const struct view *v, const struct strand *all,
                         size_t n, size_t first)
{
    size_t columns = 1, rows = 0;
    for (size_t i = first; i < n; i++) {
        if (strcmp(all[i].name, all[first].name) == 0) {
            columns++;
            rows = all[i].n > rows ? all[i].n : rows;
        }
    }
    char *align = mem_alloc(columns + 1), text[300];
    memset(align, 'r', columns);
    align[columns] = '\0';
    struct table *t = table_new(align);
    table_cell(t, "group");
    for (size_t i = first; i < n; i++) {
        if (strcmp(all[i].name, all[first].name) == 0) {
            strand_heading(text, sizeof text, v, &all[i], one_step(all, n));
            table_cell(t, "%s", text);
        }
    }
    for (size_t row = 0; row < rows; row++) {
        table_cell(t, "%zu", row + 1);
        for (size_t i = first; i < n; i++) {
            if (strcmp(all[i].name, all[first].name) != 0) {
                continue;
            }
            if (row >= all[i].n) {
                table_cell(t, "%s", "");
            } else if (!isfinite(all[i].ms[row])) {
                table_cell(t, "none ok");
            } else {
                table_cell(t, all[i].ms[row] >= 100 ? "%.0f" : "%.3g", all[i].ms[row]);
            }
        }
    }
    page_heading(page, "%s", all[first].name);
    page_table(page, t);
    page_gap(page);
    for (size_t i = first; i < n; i++) {
        if (strcmp(all[i].name, all[first].name) == 0) {
            strand_trend(page, v, &all[i], one_step(all, n));
        }
    }
    table_free(t);
    free(align);
}

static bool seen_before(const struct strand *all, size_t i)
{
    for (size_t k = 0; k < i; k++) {
        if (strcmp(all[k].name, all[i].name) == 0) {
            return true;
        }
    }
    return false;
}

void series_tables(struct page *page, const struct view *v)
{
    size_t n;
    struct strand *all = strands_of(v, "objects", &n);
    for (size_t i = 0; i < n; i++) {
        if (!seen_before(all, i)) {
            strand_table(page, v, all, n, i);
        }
    }
    for (size_t i = 0; i < n; i++) {
        free(all[i].ms);
    }
    free(all);
}
