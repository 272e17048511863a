/* report_html: one page that needs nothing but itself: what was found in words, the setting, the
 * tables, then drawings by gnuplot within the page. No script, no style and no picture from
 * elsewhere; every text goes through page, table or put_html. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/html.h"
#include "report/parts.h"
#include "report/plot.h"
#include "report/plot_parts.h"

/* More bars than this side by side are a hatching, not a drawing. */
#define BARS_MAX 12

/* ---- the top --------------------------------------------------------------------------------- */

static void title_of(struct buf *out, const struct view *v)
{
    char server[512];
    const char *label = v->n > 0 ? v->columns[0].result->label : NULL;
    for (size_t i = 1; i < v->n && label != NULL; i++) {
        const char *other = v->columns[i].result->label;
        label = other != NULL && strcmp(other, label) == 0 ? label : NULL;
    }
    if (label != NULL && label[0] != '\0') {
        buf_adds(out, label);
        buf_adds(out, " – ");
    }
    for (size_t i = 0, named = 0; i < v->n; i++) {
        if (first_of_workload(v, i)) {
            buf_adds(out, named++ > 0 ? ", " : "");
            buf_adds(out, v->columns[i].spec->workload);
        }
    }
    bool same = v->n > 0;
    for (size_t i = 1; i < v->n && same; i++) {
        same = cJSON_Compare(v->columns[0].server, v->columns[i].server, true);
    }
    if (same) {
        column_server(&v->columns[0], server, sizeof server);
        buf_adds(out, " on ");
        buf_adds(out, server);
    } else {
        buf_adds(out, v->n > 0 ? " on several servers" : "nothing measured");
    }
}

static void measured_line(struct page *page, const struct result *const *results, size_t n)
{
    int64_t first = 0, last = 0;
    char from[32], to[32];
    for (size_t i = 0; i < n; i++) {
        first = i == 0 || results[i]->started_ns < first ? results[i]->started_ns : first;
        last = i == 0 || results[i]->ended_ns > last ? results[i]->ended_ns : last;
    }
    if (n > 0 && first > 0) {
        page_gap(page);
        buf_addf(page->out, "<p class=\"dim\">Measured %s ", last > first ? "from" : "at");
        put_html(page->out, text_utc(from, sizeof from, first));
        if (last > first) {
            buf_adds(page->out, " to ");
            put_html(page->out, text_utc(to, sizeof to, last));
        }
        buf_adds(page->out, " with ");
        put_html(page->out, results[0]->tool != NULL ? results[0]->tool : "an unnamed tool");
        buf_adds(page->out, ".</p>\n");
    }
}

/* ---- every setting --------------------------------------------------------------------------- */

/* Numbers, texts and what is nested in them as "a.b", a row each; an array as JSON. */
static void fact_rows(struct table *t, const cJSON *object, const char *prefix, int depth)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, object)
    {
        char *name = mem_printf("%s%s%s", prefix, prefix[0] != '\0' ? "." : "",
                                m->string != NULL ? m->string : "");
        if (cJSON_IsObject(m) && depth < 4) {
            fact_rows(t, m, name, depth + 1);
        } else if (!cJSON_IsString(m) || m->valuestring[0] != '\0') {
            char *text = cJSON_IsString(m) ? mem_strdup(m->valuestring) : json_print(m, false);
            table_cell(t, "%s", name);
            table_cell(t, "%s", text);
            free(text);
        }
        free(name);
    }
}

static void facts(struct page *page, const char *what, const char *of, const cJSON *object)
{
    struct table *t = table_new("ll");
    table_cell(t, "name");
    table_cell(t, "value");
    fact_rows(t, object, "", 0);
    if (table_rows(t) > 1) {
        page_gap(page);
        buf_adds(page->out, "<details class=\"facts\"><summary>");
        put_html(page->out, what);
        buf_adds(page->out, of[0] != '\0' ? ": " : "");
        put_html(page->out, of);
        buf_adds(page->out, "</summary>\n");
        page_table(page, t);
        buf_adds(page->out, "</details>\n");
    }
    table_free(t);
}

/* Every setting a row, with all the values it has in the specs. */
static void settings(struct page *page, const struct view *v)
{
    struct table *t = table_new("ll");
    const cJSON *m, *all = v->n > 0 ? v->columns[0].spec->settings : NULL;
    table_cell(t, "setting");
    table_cell(t, "value");
    cJSON_ArrayForEach(m, all)
    {
        const char *name = m->string != NULL ? m->string : "";
        struct buf value = BUF_INIT(BUF_TEXT_MAX);
        const char *last = NULL;
        for (size_t i = 0; i < v->n; i++) {
            const char *one = json_str(v->columns[i].spec->settings, name, "");
            bool seen = false;
            for (size_t k = 0; k < i && !seen; k++) {
                seen = strcmp(json_str(v->columns[k].spec->settings, name, ""), one) == 0;
            }
            if (!seen) {
                buf_addf(&value, "%s%s", last != NULL ? "; " : "", one[0] != '\0' ? one : "none");
                last = one;
            }
        }
        table_cell(t, "%s", name);
        table_cell(t, "%s", buf_text(&value));
        buf_free(&value);
    }
    if (table_rows(t) > 1) {
        page_gap(page);
        buf_adds(page->out, "<details class=\"facts\"><summary>Every setting</summary>\n");
        page_table(page, t);
        buf_adds(page->out, "</details>\n");
    }
    table_free(t);
}

static bool shown_before(const struct view *v, size_t column, const cJSON *server)
{
    for (size_t i = 0; i < column; i++) {
        if (v->columns[i].server == server) {
            return true;
        }
    }
    return false;
}

static void all_facts(struct page *page, const struct view *v)
{
    for (size_t i = 0; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        if (c->server != NULL && !shown_before(v, i, c->server)) {
            facts(page, "What the server said of itself", json_str(c->server, "url", ""),
                  c->server);
        }
    }
    settings(page, v);
}

/* ---- drawings -------------------------------------------------------------------------------- */

/* The steps of a workload drawn one by one. */
typedef bool (*plot_step_fn)(struct buf *script, const struct view *v, size_t first,
                             const char *step);

static size_t draw_each(struct html_figures *f, const struct view *v, size_t first,
                        plot_step_fn plot)
{
    size_t n, before = f->drawn;
    const struct step **steps = plot_steps_of(v, first, &n);
    for (size_t i = 0; i < n; i++) {
        html_draw(f, plot(&f->script, v, first, steps[i]->name), steps[i]->title);
    }
    free(steps);
    return f->drawn - before;
}

/* A drawing for each name of a series: of all steps of a single spec, else of each step. */
static void draw_series(struct html_figures *f, const struct view *v, size_t first, size_t specs)
{
    const char *seen[16];
    size_t seen_n = 0;
    for (size_t i = first; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; same_workload(c, &v->columns[first]) && k < c->steps_n; k++) {
            const char *name;
            for (size_t j = 0; (name = step_series_name(c, &c->steps[k], j)) != NULL; j++) {
                size_t at = 0;
                while (at < seen_n && strcmp(seen[at], name) != 0) {
                    at++;
                }
                if (at < seen_n || seen_n == sizeof seen / sizeof seen[0]) {
                    continue;
                }
                seen[seen_n++] = name;
            }
        }
    }
    for (size_t at = 0; at < seen_n; at++) {
        size_t n;
        const struct step **steps = plot_steps_of(v, first, &n);
        for (size_t i = 0; i < (specs == 1 ? 1 : n); i++) {
            html_draw(
                f, plot_series(&f->script, v, first, seen[at], specs == 1 ? NULL : steps[i]->name),
                seen[at]);
        }
        free(steps);
    }
}

static void draw_workload(struct html_figures *f, const struct view *v, size_t first)
{
    size_t specs = 0;
    for (size_t i = first; i < v->n; i++) {
        specs += same_workload(&v->columns[i], &v->columns[first]);
    }
    if (specs <= BARS_MAX) {
        f->wide = true;
        html_draw(f, plot_steps(&f->script, v, first), "Median of each step");
        f->wide = false;
    }
    draw_each(f, v, first, plot_curve);
    draw_series(f, v, first, specs);
    if (specs == 1) {
        html_draw(f, plot_latency(&f->script, v, first, NULL), "Latency of requests");
    } else {
        draw_each(f, v, first, plot_latency);
    }
}

static void draw_all(struct page *page, const struct view *v)
{
    struct html_figures f;
    html_figures_begin(&f, page);
    for (size_t i = 0; i < v->n; i++) {
        if (first_of_workload(v, i)) {
            draw_workload(&f, v, i);
        }
    }
    html_figures_end(&f);
}

/* ---- the page -------------------------------------------------------------------------------- */

int report_html(const struct result *const *results, size_t n, const struct report_options *o,
                struct buf *out, struct err *err)
{
    (void)err;
    struct view *v = view_new(results, n);
    struct page page = {.kind = PAGE_HTML, .width = o->width, .out = out};
    struct buf title = BUF_INIT(BUF_TEXT_MAX);
    title_of(&title, v);
    html_begin(out, buf_text(&title));
    buf_free(&title);
    measured_line(&page, results, n);
    html_section(&page, "summary", "Summary");
    buf_adds(out, "<div class=\"summary\">\n");
    summary_table(&page, v);
    page_gap(&page);
    buf_adds(out, "</div>\n");
    html_section(&page, "setting", "Setting");
    unsigned shared = setting_common(&page, v);
    for (size_t i = 0; i < v->n; i++) {
        setting_column(&page, v, &v->columns[i], shared, false);
    }
    all_facts(&page, v);
    html_section(&page, "results", "Results");
    result_tables(&page, v, o->rank);
    latency_table(&page, v);
    series_tables(&page, v);
    html_section(&page, "notes", "Notes");
    note_lines(&page, v);
    html_section(&page, "plots", "Plots");
    draw_all(&page, v);
    html_end(&page);
    view_free(v);
    return 0;
}
