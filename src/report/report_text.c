#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/gather.h"
#include "report/parts.h"
#include "report/table.h"

/* ---- one spec: all figures of a step in a row ---------------------------------------------- */

/* What its items are is the rate of TuneMark's steps; bytes are the point of the other workloads.
 */
static bool bytes_matter(const struct column *c)
{
    return strcmp(c->spec->workload, "tunemark") != 0;
}

static char *rate_text(char *out, size_t size, const struct step *s)
{
    char number[40];
    out[0] = '\0';
    if (s->n > 0 && s->items > 0 && s->s.median > 0) {
        snprintf(out, size, "%s %ss/s",
                 text_figure(number, sizeof number, (double)s->items / s->s.median), s->unit);
    }
    return out;
}

static char *throughput_text(char *out, size_t size, const struct step *s)
{
    char si[40], iec[40];
    out[0] = '\0';
    if (s->n > 0 && s->payload_bytes > 0 && s->s.median > 0) {
        double rate = (double)s->payload_bytes / s->s.median;
        snprintf(out, size, "%s/s (%s/s)", text_bytes(si, sizeof si, rate, false),
                 text_bytes(iec, sizeof iec, rate, true));
    }
    return out;
}

static void step_row(struct table *t, const struct step *s, bool bytes)
{
    char a[300], b[40];
    uint64_t bad = counts_bad(&s->requests) + counts_bad(&s->docs);
    struct time_unit unit = time_unit_for(s->s.median);
    table_cell(t, "%s", s->plain);
    table_cell(t, "%s", s->via);
    if (s->n < s->runs) {
        table_cell(t, "%zu/%zu", s->n, s->runs);
    } else {
        table_cell(t, "%zu", s->n);
    }
    if (s->n == 0) {
        table_cell(t, "%s", step_state_word(s));
        table_cell(t, "%s", "");
        table_cell(t, "%s", "");
        table_cell(t, "%s", "");
    } else {
        double like = s->s.median;
        table_cell(t, "%s %s", time_in(a, sizeof a, s->s.median, unit, like), unit.name);
        if (s->s.has_ci) {
            table_cell(t, "%s…%s", time_in(a, sizeof a, s->s.ci_low, unit, like),
                       time_in(b, sizeof b, s->s.ci_high, unit, like));
        } else {
            table_cell(t, "%s", "");
        }
        table_cell(t, "%s…%s", time_in(a, sizeof a, s->s.min, unit, like),
                   time_in(b, sizeof b, s->s.max, unit, like));
        if (s->items > 0) {
            table_cell(t, "%s/%s", text_seconds(a, sizeof a, s->s.median / (double)s->items),
                       s->unit);
        } else {
            table_cell(t, "%s", "");
        }
    }
    table_cell(t, "%s", rate_text(a, sizeof a, s));
    table_cell(t, "%s", bytes ? throughput_text(a, sizeof a, s) : "");
    if (s->n > 1 && s->s.median > 0) {
        table_cell(t, "%.1f %%", s->s.mad / s->s.median * 100);
    } else {
        table_cell(t, "%s", "");
    }
    table_cell(t, "%s", bad > 0 ? text_grouped(a, sizeof a, bad) : ""); /* by class below */
}

static void one_table(struct buf *out, const struct column *c)
{
    static const char *const headings[] = {"step",       "via",     "runs",     "median",
                                           "interval",   "min…max", "per item", "rate",
                                           "throughput", "spread",  "errors"};
    double coverage = 0;
    struct table *t = table_new("llrrrrrrrrr");
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        table_cell(t, "%s", headings[i]);
    }
    for (size_t i = 0; i < c->steps_n; i++) {
        step_row(t, &c->steps[i], bytes_matter(c));
        if (c->steps[i].s.has_ci && (coverage <= 0 || c->steps[i].s.ci_coverage < coverage)) {
            coverage = c->steps[i].s.ci_coverage;
        }
    }
    table_text(t, out);
    table_free(t);
    put_line(out, "spread: median absolute deviation x 1.4826, as a share of the median");
    if (coverage > 0) {
        put_line(out,
                 "interval: of the median, from order statistics; covers it with at least %.1f %%",
                 coverage * 100);
    }
}

/* ---- several specs side by side ------------------------------------------------------------ */

static void side_cell(struct table *t, const struct step *s, struct time_unit unit)
{
    char a[40], b[40], c[40];
    if (s == NULL) {
        table_cell(t, "%s", "");
    } else if (s->n == 0) {
        table_cell(t, "%s", step_state_word(s));
    } else if (s->n == 1) {
        table_cell(t, "%s %s", time_in(a, sizeof a, s->s.median, unit, s->s.median), unit.name);
    } else {
        double like = s->s.median;
        table_cell(t, "%s %s (%s…%s)", time_in(a, sizeof a, s->s.median, unit, like), unit.name,
                   time_in(b, sizeof b, s->s.min, unit, like),
                   time_in(c, sizeof c, s->s.max, unit, like));
    }
}

/* What a table of several specs side by side shows. */
enum side { SIDE_TIMES, SIDE_RATES, SIDE_BYTES };

static const char *const side_titles[] = {"median (min…max) of the runs", "rate at the median",
                                          "throughput at the median"};

static bool side_has(const struct step *s, enum side side)
{
    return s != NULL && (side == SIDE_TIMES ||
                         (s->n > 0 && (side == SIDE_RATES ? s->items : s->payload_bytes) > 0));
}

static bool same_workload(const struct column *a, const struct column *b)
{
    return strcmp(a->spec->workload, b->spec->workload) == 0;
}

/* Whether an earlier column of the workload has the step. */
static bool step_seen(const struct view *v, size_t column, const char *name)
{
    for (size_t i = 0; i < column; i++) {
        if (same_workload(&v->columns[i], &v->columns[column]) &&
            column_step(&v->columns[i], name) != NULL) {
            return true;
        }
    }
    return false;
}

static void side_row(struct table *t, const struct view *v, size_t first, const struct step *step,
                     enum side side)
{
    char text[300];
    double most = 0;
    for (size_t i = first; i < v->n; i++) {
        const struct step *s = column_step(&v->columns[i], step->name);
        if (same_workload(&v->columns[i], &v->columns[first]) && s != NULL && s->n > 0 &&
            s->s.median > most) {
            most = s->s.median;
        }
    }
    table_cell(t, "%s", step->plain);
    table_cell(t, "%s", step->via);
    for (size_t i = first; i < v->n; i++) {
        const struct step *s = column_step(&v->columns[i], step->name);
        if (!same_workload(&v->columns[i], &v->columns[first])) {
            continue;
        }
        if (side == SIDE_TIMES) {
            side_cell(t, s, time_unit_for(most));
        } else if (s == NULL) {
            table_cell(t, "%s", "");
        } else {
            table_cell(t, "%s",
                       side == SIDE_RATES ? rate_text(text, sizeof text, s)
                                          : throughput_text(text, sizeof text, s));
        }
    }
}

static bool side_wanted(const struct view *v, size_t first, const char *name, enum side side)
{
    for (size_t i = first; i < v->n; i++) {
        if (same_workload(&v->columns[i], &v->columns[first]) &&
            side_has(column_step(&v->columns[i], name), side)) {
            return true;
        }
    }
    return false;
}

/* Steps in rows and the specs of the workload of column `first` side by side. */
static struct table *side_table(const struct view *v, size_t first, enum side side)
{
    char *align = mem_alloc(v->n + 3);
    memset(align, 'r', v->n + 2);
    align[0] = align[1] = 'l';
    size_t columns = 2;
    for (size_t i = first; i < v->n; i++) {
        columns += same_workload(&v->columns[i], &v->columns[first]);
    }
    align[columns] = '\0';
    struct table *t = table_new(align);
    table_cell(t, "step");
    table_cell(t, "via");
    for (size_t i = first; i < v->n; i++) {
        if (same_workload(&v->columns[i], &v->columns[first])) {
            table_cell(t, "%s", v->columns[i].label);
        }
    }
    for (size_t i = first; i < v->n; i++) {
        for (size_t k = 0;
             same_workload(&v->columns[i], &v->columns[first]) && k < v->columns[i].steps_n; k++) {
            const char *name = v->columns[i].steps[k].name;
            if (!step_seen(v, i, name) && side_wanted(v, first, name, side)) {
                side_row(t, v, first, &v->columns[i].steps[k], side);
            }
        }
    }
    free(align);
    return t;
}

static bool first_of_workload(const struct view *v, size_t column)
{
    for (size_t i = 0; i < column; i++) {
        if (same_workload(&v->columns[i], &v->columns[column])) {
            return false;
        }
    }
    return true;
}

static size_t of_workload(const struct view *v, size_t column)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        n += same_workload(&v->columns[i], &v->columns[column]);
    }
    return n;
}

static void side_tables(struct buf *out, const struct view *v, size_t first, size_t width)
{
    enum side last = bytes_matter(&v->columns[first]) ? SIDE_BYTES : SIDE_TIMES;
    for (enum side side = SIDE_TIMES; side <= last; side++) {
        struct table *t = side_table(v, first, side);
        if (side == SIDE_TIMES || (table_rows(t) > 1 && table_width(t) <= width)) {
            buf_adds(out, side == SIDE_TIMES ? "" : "\n");
            put_line(out, "%s: %s", v->columns[first].spec->workload, side_titles[side]);
            buf_addc(out, '\n');
            table_text(t, out);
        }
        table_free(t);
    }
}

/* Side by side where that fits the width, else one below the other. */
static void workload_tables(struct buf *out, const struct view *v, size_t first, size_t width)
{
    struct table *t = side_table(v, first, SIDE_TIMES);
    bool fits = table_width(t) <= width, separate = false;
    table_free(t);
    if (fits && of_workload(v, first) > 1) {
        side_tables(out, v, first, width);
        return;
    }
    for (size_t i = first; i < v->n; i++) {
        if (same_workload(&v->columns[i], &v->columns[first])) {
            buf_adds(out, separate ? "\n" : "");
            if (v->n > 1) {
                put_line(out, "%s", v->columns[i].label);
            }
            one_table(out, &v->columns[i]);
            separate = true;
        }
    }
}

/* ---- the formats --------------------------------------------------------------------------- */

static void render(const struct view *v, const struct report_options *o, bool tunemark,
                   struct buf *out)
{
    for (size_t i = 0; i < v->n; i++) {
        setting_lines(out, v, &v->columns[i], o->width);
        buf_addc(out, '\n');
        if (tunemark && strcmp(v->columns[i].spec->workload, "tunemark") == 0) {
            tunemark_lines(out, &v->columns[i], o->original_statistics);
            if (o->original_statistics) {
                put_wrapped(out, o->width, 0, "%s", ORIGINAL_STATISTICS_NOTE);
            }
            buf_addc(out, '\n');
        }
    }
    bool separate = false;
    for (size_t i = 0; i < v->n; i++) {
        if (first_of_workload(v, i)) {
            buf_adds(out, separate ? "\n" : "");
            workload_tables(out, v, i, o->width);
            separate = true;
        }
    }
    series_tables(out, v, o->width);
    note_lines(out, v, o->width);
}

int report_text(const struct result *const *results, size_t n, const struct report_options *o,
                struct buf *out, struct err *err)
{
    (void)err;
    struct view *v = view_new(results, n);
    render(v, o, true, out);
    view_free(v);
    return 0;
}

int report_table(const struct result *const *results, size_t n, const struct report_options *o,
                 struct buf *out, struct err *err)
{
    (void)err;
    struct view *v = view_new(results, n);
    render(v, o, false, out);
    view_free(v);
    return 0;
}
