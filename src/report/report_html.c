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
#include "report/inline_svg.h"
#include "report/parts.h"
#include "report/plot.h"
#include "report/plot_parts.h"

/* More bars than this side by side are a hatching, not a drawing. */
#define BARS_MAX 12

static const char style[] =
    ":root{color-scheme:light dark;--ground:#fff;--ink:#1b1b1b;--dim:#595959;--line:#d0d0d0;"
    "--head:#f1f3f5;--link:#0059a6}\n"
    "@media(prefers-color-scheme:dark){:root{--ground:#16181c;--ink:#e6e6e6;--dim:#a8a8a8;"
    "--line:#3d4249;--head:#22262c;--link:#7ab8ff}}\n"
    "@media print{:root{--ground:#fff;--ink:#000;--dim:#444;--line:#bbb;--head:#eee;"
    "color-scheme:light}}\n"
    "*{box-sizing:border-box}\n"
    "body{margin:0 auto;max-width:75rem;padding:1.5rem 1.25rem 3rem;background:var(--ground);"
    "color:var(--ink);font:1rem/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,\"DejaVu Sans\","
    "sans-serif;overflow-wrap:anywhere}\n"
    "h1{font-size:1.6rem;line-height:1.25;margin:0 0 .25rem}\n"
    "h2{font-size:1.25rem;margin:2.2rem 0 .6rem;padding-bottom:.2rem;"
    "border-bottom:1px solid var(--line)}\n"
    "h3{font-size:1rem;margin:1.4rem 0 .5rem}\n"
    "p{margin:.5rem 0;max-width:60rem}\n"
    ".dim,.wide+p,.wide+p+p{color:var(--dim);font-size:.9rem}\n"
    "dl{display:grid;grid-template-columns:max-content 1fr;gap:.15rem 1rem;margin:.5rem 0}\n"
    "dt{color:var(--dim)}dd{margin:0;grid-column:2}\n"
    "ul{padding-left:1.2rem;max-width:60rem}li{margin:.3rem 0}\n"
    "pre,.wide,.figure{overflow-x:auto;max-width:100%}\n"
    "pre{font-size:.85rem;line-height:1.35;overflow-wrap:normal}\n"
    "table{border-collapse:collapse;font-variant-numeric:tabular-nums;font-size:.92rem;"
    "overflow-wrap:normal}\n"
    "th,td{padding:.3rem .7rem;text-align:left;vertical-align:top;"
    "border-bottom:1px solid var(--line);unicode-bidi:isolate}\n"
    "th{background:var(--head);font-weight:600;vertical-align:bottom}\n"
    "th.n,td.n{text-align:right}td.n{white-space:nowrap}\n"
    "th:first-child:not(.n),td:first-child:not(.n){min-width:9rem}\n"
    ".summary td,.facts td{overflow-wrap:anywhere}"
    ".summary td:first-child{font-weight:600;overflow-wrap:normal;min-width:min(15rem,32vw)}\n"
    ".summary td:nth-child(2){min-width:14rem}\n"
    "details{margin:.8rem 0}summary{cursor:pointer;color:var(--link)}\n"
    ".figures{display:grid;grid-template-columns:repeat(auto-fit,minmax(min(100%,34rem),1fr));"
    "gap:1.2rem}\n"
    ".figure{margin:0;break-inside:avoid}.figure.all{grid-column:1/-1}\n"
    ".plot{display:block;width:100%;min-width:33rem;height:auto}.all .plot{max-width:60rem}\n"
    "@page{margin:15mm}\n"
    "@media print{html{font-size:9.5pt}body{max-width:none;padding:0}h2,h3{break-after:avoid}"
    "tr,li{break-inside:avoid}.wide,pre,.figure{overflow:visible}table{font-size:8pt}"
    "th,td{padding:.15rem .35rem}td.n{white-space:normal}.figures{display:block}"
    ".plot{min-width:0;max-width:17cm}pre{font-size:6.2pt;white-space:pre-wrap}"
    "th:first-child:not(.n),td:first-child:not(.n),.summary td:nth-child(2){min-width:0}}\n";

/* Gnuplot's black is the page's ink, its grid the page's lines, its ground the page's; on a dark
 * ground each colour of the palette is the lighter one. Style rules go before the attributes that
 * gnuplot writes. */
static void plot_style(struct buf *out)
{
    buf_adds(out, ".plot{color:var(--ink)}.plot text{font-family:inherit}"
                  ".plot [fill=\"#ffffff\"]{fill:none}"
                  ".plot [color=black],.plot [color=gray]{color:inherit}"
                  ".plot [stroke=black]{stroke:currentColor}.plot [fill=black]{fill:currentColor}"
                  ".plot .gridline{stroke:var(--line)}\n");
    buf_adds(out, "@media screen and (prefers-color-scheme:dark){"); /* paper is light */
    for (size_t i = 0; i < PLOT_COLOURS; i++) {
        static const char *const names[] = {"stroke", "fill", "color"};
        unsigned c = plot_colours[i].light, dark = plot_colours[i].dark;
        for (size_t k = 0; k < 3; k++) {
            buf_addf(out, ".plot [%s=\"rgb(%3u, %3u, %3u)\"]{%s:#%06x}", names[k], c >> 16,
                     c >> 8 & 255, c & 255, names[k], dark);
        }
    }
    buf_adds(out, "}\n");
}

static void section(struct page *page, const char *id, const char *title)
{
    page_gap(page);
    buf_addf(page->out, "<h2 id=\"%s\">%s</h2>\n", id, title);
}

/* ---- the top --------------------------------------------------------------------------------- */

static void put_title(struct buf *out, const struct view *v)
{
    char server[512];
    const char *label = v->n > 0 ? v->columns[0].result->label : NULL;
    for (size_t i = 1; i < v->n && label != NULL; i++) {
        const char *other = v->columns[i].result->label;
        label = other != NULL && strcmp(other, label) == 0 ? label : NULL;
    }
    if (label != NULL && label[0] != '\0') {
        put_html(out, label);
        buf_adds(out, " – ");
    }
    for (size_t i = 0, named = 0; i < v->n; i++) {
        if (first_of_workload(v, i)) {
            buf_adds(out, named++ > 0 ? ", " : "");
            put_html(out, v->columns[i].spec->workload);
        }
    }
    bool same = v->n > 0;
    for (size_t i = 1; i < v->n && same; i++) {
        same = cJSON_Compare(v->columns[0].server, v->columns[i].server, true);
    }
    if (same) {
        column_server(&v->columns[0], server, sizeof server);
        buf_adds(out, " on ");
        put_html(out, server);
    } else {
        buf_adds(out, v->n > 0 ? " on several servers" : "nothing measured");
    }
}

static void head(struct buf *out, const struct view *v)
{
    buf_adds(out, "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                  "<meta name=\"viewport\" content=\"width=device-width,initial-scale=1\">\n"
                  "<meta name=\"color-scheme\" content=\"light dark\">\n"
                  /* a second lock: even markup that got through could load and run nothing */
                  "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; "
                  "style-src 'unsafe-inline'\">\n"
                  "<title>");
    put_title(out, v);
    buf_addf(out, "</title>\n<style>\n%s", style);
    plot_style(out);
    buf_adds(out, "</style>\n</head>\n<body>\n<h1>");
    put_title(out, v);
    buf_adds(out, "</h1>\n");
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

struct figures {
    struct page *page;
    const struct view *v;
    struct buf script;
    size_t drawn, failed;
    bool missing;  /* gnuplot */
    bool wide;     /* the next one has the page's width */
    char *trouble; /* own: the first one's reason; NULL: none */
};

/* Draws what the script says, if `any`. */
static void draw(struct figures *f, bool any, const char *title)
{
    struct err err = ERR_INIT;
    struct buf svg = BUF_INIT(PLOT_SVG_MAX);
    if (any && !f->missing) {
        if (plot_run(buf_text(&f->script), f->script.len, &svg, &err) == 0) {
            page_gap(f->page);
            buf_adds(f->page->out, f->drawn == 0 ? "<div class=\"figures\">\n" : "");
            buf_addf(f->page->out, "<figure class=\"figure%s\">\n", f->wide ? " all" : "");
            inline_svg(f->page->out, buf_text(&svg), ++f->drawn, title);
            buf_adds(f->page->out, "</figure>\n");
        } else {
            f->failed++;
            f->missing = strcmp(err.text, PLOT_NOT_INSTALLED) == 0;
            f->trouble = f->trouble != NULL ? f->trouble : mem_strdup(err.text);
        }
    }
    buf_free(&svg);
    buf_clear(&f->script);
}

/* The steps of a workload drawn one by one. */
typedef bool (*plot_step_fn)(struct buf *script, const struct view *v, size_t first,
                             const char *step);

static size_t draw_each(struct figures *f, size_t first, plot_step_fn plot)
{
    size_t n, before = f->drawn;
    const struct step **steps = plot_steps_of(f->v, first, &n);
    for (size_t i = 0; i < n; i++) {
        draw(f, plot(&f->script, f->v, first, steps[i]->name), steps[i]->title);
    }
    free(steps);
    return f->drawn - before;
}

/* A drawing for each name of a series: of all steps of a single spec, else of each step. */
static void draw_series(struct figures *f, size_t first, size_t specs)
{
    const struct view *v = f->v;
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
            draw(f, plot_series(&f->script, v, first, seen[at], specs == 1 ? NULL : steps[i]->name),
                 seen[at]);
        }
        free(steps);
    }
}

static void draw_workload(struct figures *f, size_t first)
{
    size_t specs = 0;
    for (size_t i = first; i < f->v->n; i++) {
        specs += same_workload(&f->v->columns[i], &f->v->columns[first]);
    }
    if (specs <= BARS_MAX) {
        f->wide = true;
        draw(f, plot_steps(&f->script, f->v, first), "Median of each step");
        f->wide = false;
    }
    draw_each(f, first, plot_curve);
    draw_series(f, first, specs);
    if (specs == 1) {
        draw(f, plot_latency(&f->script, f->v, first, NULL), "Latency of requests");
    } else {
        draw_each(f, first, plot_latency);
    }
}

static void draw_all(struct page *page, const struct view *v)
{
    struct figures f = {.page = page, .v = v, .script = BUF_INIT(BUF_TEXT_MAX)};
    for (size_t i = 0; i < v->n; i++) {
        if (first_of_workload(v, i)) {
            draw_workload(&f, i);
        }
    }
    page_gap(page);
    buf_adds(page->out, f.drawn > 0 ? "</div>\n" : "");
    if (f.missing) {
        page_line(page,
                  "There are no drawings: %s. The tables above hold every figure; with "
                  "gnuplot in place the page can be made again from the saved result.",
                  f.trouble);
    } else if (f.failed > 0) {
        page_line(page, "%zu drawings are missing: %s", f.failed, f.trouble);
    } else if (f.drawn == 0) {
        page_line(page, "There is nothing to draw.");
    }
    free(f.trouble);
    buf_free(&f.script);
}

/* ---- the page -------------------------------------------------------------------------------- */

int report_html(const struct result *const *results, size_t n, const struct report_options *o,
                struct buf *out, struct err *err)
{
    (void)err;
    struct view *v = view_new(results, n);
    struct page page = {.kind = PAGE_HTML, .width = o->width, .out = out};
    head(out, v);
    measured_line(&page, results, n);
    section(&page, "summary", "Summary");
    buf_adds(out, "<div class=\"summary\">\n");
    summary_table(&page, v);
    page_gap(&page);
    buf_adds(out, "</div>\n");
    section(&page, "setting", "Setting");
    unsigned shared = setting_common(&page, v);
    for (size_t i = 0; i < v->n; i++) {
        setting_column(&page, v, &v->columns[i], shared, false);
    }
    all_facts(&page, v);
    section(&page, "results", "Results");
    result_tables(&page, v);
    latency_table(&page, v);
    series_tables(&page, v);
    section(&page, "notes", "Notes");
    note_lines(&page, v);
    section(&page, "plots", "Plots");
    draw_all(&page, v);
    page_gap(&page);
    buf_adds(out, "</body>\n</html>\n");
    view_free(v);
    return 0;
}
