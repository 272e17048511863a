#include "report/report.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/gather.h"
#include "report/parts.h"
#include "report/table.h"

/* ---- one spec: all figures of a step in a row ------------------------------------------------ */

static void step_row(struct table *t, const struct step *s, bool bytes)
{
    char a[300], b[40];
    uint64_t bad = step_failures(s);
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
    const struct stats_summary *figures = s->per.median > 0 ? &s->per : &s->s;
    if (s->n > 1 && figures->median > 0) {
        table_cell(t, "%.1f %%", figures->mad / figures->median * 100);
    } else {
        table_cell(t, "%s", "");
    }
    table_cell(t, "%s", bad > 0 ? text_grouped(a, sizeof a, bad) : ""); /* by class below */
}

static void one_table(struct page *page, const struct column *c)
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
    page_table(page, t);
    table_free(t);
    page_line(page, "spread: median absolute deviation x 1.4826, as a share of the median");
    if (coverage > 0) {
        page_line(page,
                  "interval: of the median, from order statistics; covers it with at least %.1f %%",
                  coverage * 100);
    }
}

/* ---- the formats ----------------------------------------------------------------------------- */

bool first_of_workload(const struct view *v, size_t column)
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

/* One table for all specs where one fits, else one for each. */
static void workload_tables(struct page *page, const struct view *v, size_t first)
{
    if (of_workload(v, first) > 1 && side_tables(page, v, first)) {
        return;
    }
    for (size_t i = first; i < v->n; i++) {
        if (same_workload(&v->columns[i], &v->columns[first])) {
            if (v->n > 1) {
                page_heading(page, "%s", v->columns[i].label);
            }
            page_gap(page);
            one_table(page, &v->columns[i]);
        }
    }
}

void result_tables(struct page *page, const struct view *v, const char *rank)
{
    for (size_t i = 0; i < v->n; i++) {
        if (first_of_workload(v, i)) {
            workload_tables(page, v, i);
            rank_tables(page, v, i, rank);
        }
    }
}

static void tunemark_part(struct page *page, const struct column *c, bool original)
{
    struct buf lines = BUF_INIT(BUF_TEXT_MAX);
    tunemark_lines(&lines, c, original);
    page_gap(page);
    page_verbatim(page, buf_text(&lines));
    if (original) {
        page_line(page, "%s", ORIGINAL_STATISTICS_NOTE);
    }
    buf_free(&lines);
}

static int render(const struct result *const *results, size_t n, const struct report_options *o,
                  bool tunemark, enum page_kind kind, struct buf *out)
{
    struct view *v = view_new(results, n);
    struct page page = {.kind = kind, .width = kind == PAGE_TEXT ? o->width : SIZE_MAX, .out = out};
    unsigned shared = setting_common(&page, v);
    for (size_t i = 0; i < v->n; i++) {
        bool lines = tunemark && strcmp(v->columns[i].spec->workload, "tunemark") == 0;
        setting_column(&page, v, &v->columns[i], shared, lines);
        if (lines) {
            tunemark_part(&page, &v->columns[i], o->original_statistics);
        }
    }
    result_tables(&page, v, o->rank);
    series_tables(&page, v);
    latency_table(&page, v);
    note_lines(&page, v);
    view_free(v);
    return 0;
}

int report_text(const struct result *const *results, size_t n, const struct report_options *o,
                struct buf *out, struct err *err)
{
    (void)err;
    return render(results, n, o, true, PAGE_TEXT, out);
}

int report_table(const struct result *const *results, size_t n, const struct report_options *o,
                 struct buf *out, struct err *err)
{
    (void)err;
    return render(results, n, o, false, PAGE_TEXT, out);
}

int report_markdown(const struct result *const *results, size_t n, const struct report_options *o,
                    struct buf *out, struct err *err)
{
    (void)err;
    return render(results, n, o, true, PAGE_MARKDOWN, out);
}
