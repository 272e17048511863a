/* history_page: what changed and when, a table of every night, and drawings. */
#include "report/history.h"

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
#include "report/table.h"

/* "2026-01-31 12:00" */
static char *minute_text(char *out, size_t size, int64_t at_ns)
{
    char utc[40];
    text_utc(utc, sizeof utc, at_ns);
    snprintf(out, size, "%.10s %.5s", utc, strlen(utc) > 11 ? utc + 11 : "");
    return out;
}

/* ---- changes --------------------------------------------------------------------------------- */

static void add_difference(struct buf *words, const char *name, const char *a, const char *b)
{
    if (strcmp(a, b) != 0) {
        buf_addf(words, "%s%s%s%s → %s", words->len > 0 ? "; " : "", name,
                 name[0] != '\0' ? " " : "", a[0] != '\0' ? a : "none", b[0] != '\0' ? b : "none");
    }
}

/* What else is not as it was the night before: a suspect, not a proof. */
static void add_suspects(struct buf *words, const struct history_night *a,
                         const struct history_night *b)
{
    const cJSON *setting;
    add_difference(words, "", a->server, b->server);
    add_difference(words, "", a->tool, b->tool);
    cJSON_ArrayForEach(setting, b->settings)
    {
        const char *name = setting->string != NULL ? setting->string : "";
        add_difference(words, name, json_str(a->settings, name, ""),
                       json_str(b->settings, name, ""));
    }
}

static void change_row(struct table *t, const struct history_track *track,
                       const struct history_line *line, const struct stats_change *c, bool alone)
{
    char text[64];
    struct buf suspects = BUF_INIT(BUF_TEXT_MAX);
    double ratio = c->after / c->before;
    add_suspects(&suspects, &track->nights[c->at - 1], &track->nights[c->at]);
    table_cell(t, "%s", minute_text(text, sizeof text, track->nights[c->at].at_ns));
    table_cell(t, "%s", alone ? "" : track->title);
    table_cell(t, "%s", line->title);
    if (!isfinite(ratio)) {
        table_cell(t, "%s", "");
    } else if (ratio >= 1) {
        table_cell(t, "%.3g %% slower", (ratio - 1) * 100);
    } else {
        table_cell(t, "%.3g %% faster", (1 - ratio) * 100);
    }
    table_cell(t, "%s", text_seconds(text, sizeof text, c->before));
    table_cell(t, "%s", text_seconds(text, sizeof text, c->after));
    table_cell(t, "%.2g", c->p);
    table_cell(t, "%s", buf_text(&suspects));
    buf_free(&suspects);
}

static size_t most_nights(const struct history *h)
{
    size_t most = 0;
    for (size_t i = 0; i < h->tracks_n; i++) {
        most = h->tracks[i].nights_n > most ? h->tracks[i].nights_n : most;
    }
    return most;
}

static void changes_part(struct page *page, const struct history *h)
{
    static const char *const headings[] = {
        "since (UTC)", "spec", "step", "change", "before", "after", "p", "changed the same night"};
    struct table *t = table_new("lllrrrrl");
    size_t phases = 0, needed = stats_changes_needed(h->line_alpha);
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        table_cell(t, "%s", headings[i]);
    }
    for (size_t i = 0; i < h->tracks_n; i++) {
        const struct history_track *track = &h->tracks[i];
        phases += track->lines_n;
        for (size_t k = 0; k < track->lines_n; k++) {
            for (size_t j = 0; j < track->lines[k].changes_n; j++) {
                change_row(t, track, &track->lines[k], &track->lines[k].changes[j],
                           h->tracks_n == 1);
            }
        }
    }
    if (table_rows(t) > 1) {
        page_table(page, t);
    } else if (most_nights(h) < needed) {
        page_line(page,
                  "Too few results to find a change of level: at most %zu of a spec, and it "
                  "takes %zu.",
                  most_nights(h), needed);
    } else {
        page_line(page, "No change of level was found in %zu steps.", phases);
    }
    page_line(
        page,
        "Changes of level by seeded binary segmentation with a permutation test on ranks (after "
        "Kovács et al. 2023 and Pettitt 1979). Where there is none, one is found anywhere on this "
        "page with a chance "
        "of %.3g %% at most, if nights do not depend on each other.",
        h->alpha * 100);
    table_free(t);
}

/* ---- nights ---------------------------------------------------------------------------------- */

static struct time_unit line_unit(const struct history_track *track, size_t line)
{
    double most = 0;
    for (size_t i = 0; i < track->nights_n; i++) {
        const struct history_point *p = history_point(&track->nights[i], line);
        most = p != NULL && p->n > 0 && p->median > most ? p->median : most;
    }
    return time_unit_for(most);
}

static bool begins_level(const struct history_line *line, size_t night)
{
    for (size_t i = 0; i < line->changes_n; i++) {
        if (line->changes[i].at == night) {
            return true;
        }
    }
    return false;
}

/* The server only where it is another one than in the row above. */
static struct table *nights_table(const struct history_track *track, size_t from, size_t n)
{
    char *align = mem_zero(n + 4, 1), text[64];
    memset(align, 'l', 3);
    memset(align + 3, 'r', n);
    struct table *t = table_new(align);
    table_cell(t, "when (UTC)");
    table_cell(t, "label");
    table_cell(t, "server");
    for (size_t k = from; k < from + n; k++) {
        table_cell(t, "%s", track->lines[k].title);
    }
    for (size_t i = 0; i < track->nights_n; i++) {
        const struct history_night *night = &track->nights[i];
        bool same = i > 0 && strcmp(night->server, track->nights[i - 1].server) == 0;
        table_cell(t, "%s", minute_text(text, sizeof text, night->at_ns));
        table_cell(t, "%s", night->label);
        table_cell(t, "%s", same ? "" : night->server);
        for (size_t k = from; k < from + n; k++) {
            const struct history_point *p = history_point(night, k);
            struct time_unit unit = line_unit(track, k);
            if (p == NULL || p->n == 0) {
                table_cell(t, "%s", p != NULL ? p->state : "");
            } else {
                table_cell(t, "%s%s %s", begins_level(&track->lines[k], i) ? "* " : "",
                           time_in(text, sizeof text, p->median, unit, p->median), unit.name);
            }
        }
    }
    free(align);
    return t;
}

/* As many steps beside each other as fit. */
static void nights_part(struct page *page, const struct history_track *track)
{
    bool marked = false;
    for (size_t from = 0, n; from < track->lines_n; from += n) {
        struct table *t = nights_table(track, from, n = track->lines_n - from);
        while (n > 1 && table_width(t) > page->width) {
            table_free(t);
            t = nights_table(track, from, --n);
        }
        page_gap(page);
        page_table(page, t);
        table_free(t);
        for (size_t k = from; k < from + n; k++) {
            marked |= track->lines[k].changes_n > 0;
        }
    }
    if (marked) {
        page_line(page, "*: here a new level begins.");
    }
}

/* ---- drawings -------------------------------------------------------------------------------- */

static void put_levels(struct buf *script, const struct history_track *track, size_t line)
{
    const struct history_line *l = &track->lines[line];
    buf_adds(script, "$level << EOD\n");
    for (size_t c = 0; c <= l->changes_n; c++) {
        size_t from = c > 0 ? l->changes[c - 1].at : 0,
               to = c < l->changes_n ? l->changes[c].at : track->nights_n;
        double *x = mem_zero(to - from, sizeof *x);
        size_t n = 0;
        for (size_t i = from; i < to; i++) {
            const struct history_point *p = history_point(&track->nights[i], line);
            if (p != NULL && p->n > 0) {
                x[n++] = p->median;
            }
        }
        if (n > 0) {
            double level = stats_median(x, n);
            buf_addf(script, "%.3f %.9g\n%.3f %.9g\n\n", (double)track->nights[from].at_ns * 1e-9,
                     level, (double)track->nights[to - 1].at_ns * 1e-9, level);
        }
        free(x);
    }
    buf_adds(script, "EOD\n");
}

bool history_plot(struct buf *script, const struct history_track *track, size_t line)
{
    struct buf data = BUF_INIT(BUF_TEXT_MAX);
    size_t n = 0;
    char title[700];
    for (size_t i = 0; i < track->nights_n; i++) {
        const struct history_point *p = history_point(&track->nights[i], line);
        if (p != NULL && p->n > 0) {
            buf_addf(&data, "%.3f %.9g %.9g %.9g\n", (double)track->nights[i].at_ns * 1e-9,
                     p->median, p->low, p->high);
            n++;
        }
    }
    if (n > 1) {
        double days = (double)(track->nights[track->nights_n - 1].at_ns - track->nights[0].at_ns) /
                      (86400 * 1e9);
        plot_begin(script, 700, 400);
        snprintf(title, sizeof title, "%s: %s", track->title, track->lines[line].title);
        plot_text(script, "title", title);
        buf_adds(script, "set ylabel 'seconds'\nset yrange [0:*]\nset xdata time\n"
                         "set timefmt '%s'\nset xtics rotate by -35\nunset mxtics\n");
        buf_addf(script, "set format x '%s'\n",
                 days > 400  ? "%Y-%m"
                 : days >= 4 ? "%m-%d"
                             : "%m-%d %H:%M");
        buf_addf(script, "$n << EOD\n%sEOD\n", buf_text(&data));
        put_levels(script, track, line);
        buf_adds(script, "plot $n using 1:2:3:4 with yerrorbars linetype 1 pointsize 0.5 title "
                         "'median of the runs', $level using 1:2 with lines linetype 2 linewidth "
                         "2.5 title 'level'\n");
    }
    buf_free(&data);
    return n > 1;
}

/* ---- the page -------------------------------------------------------------------------------- */

static void span_line(struct page *page, const struct history *h)
{
    int64_t first = INT64_MAX, last = INT64_MIN;
    char a[64], b[64];
    for (size_t i = 0; i < h->tracks_n; i++) {
        const struct history_track *t = &h->tracks[i];
        first = t->nights[0].at_ns < first ? t->nights[0].at_ns : first;
        last = t->nights[t->nights_n - 1].at_ns > last ? t->nights[t->nights_n - 1].at_ns : last;
    }
    if (h->tracks_n > 0) {
        page_line(page, "%zu result%s, from %s to %s UTC", h->results, h->results == 1 ? "" : "s",
                  minute_text(a, sizeof a, first), minute_text(b, sizeof b, last));
    } else {
        page_line(page, "%zu results, and no spec in any", h->results);
    }
}

void history_page(const struct history *h, enum page_kind kind, size_t width, struct buf *out)
{
    struct page page = {.kind = kind, .width = kind == PAGE_TEXT ? width : SIZE_MAX, .out = out};
    bool html = kind == PAGE_HTML;
    if (html) {
        html_begin(out, "History");
    }
    span_line(&page, h);
    if (html) {
        html_section(&page, "changes", "Changes");
    } else {
        page_heading(&page, "changes");
    }
    changes_part(&page, h);
    if (html) {
        html_section(&page, "nights", "Results");
        buf_adds(out, "<div class=\"nights\">\n");
    }
    for (size_t i = 0; i < h->tracks_n; i++) {
        page_title(&page, "%s", h->tracks[i].title);
        if (h->tracks[i].work[0] != '\0') {
            page_item(&page, "work", "%s", h->tracks[i].work);
        }
        nights_part(&page, &h->tracks[i]);
    }
    if (html) {
        struct html_figures f;
        page_gap(&page);
        buf_adds(out, "</div>\n");
        html_section(&page, "plots", "Plots");
        html_figures_begin(&f, &page);
        for (size_t i = 0; i < h->tracks_n; i++) {
            for (size_t k = 0; k < h->tracks[i].lines_n; k++) {
                html_draw(&f, history_plot(&f.script, &h->tracks[i], k),
                          h->tracks[i].lines[k].title);
            }
        }
        html_figures_end(&f);
        html_end(&page);
    }
}
