#include "cli/find_text.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "report/table.h"

#define WIDTH 100
#define BAR 24 /* characters of the best's bar */

static void bar(struct table *t, double share)
{
    char text[BAR + 1];
    size_t n = share > 0 ? (size_t)(share * BAR + 0.5) : 0;
    n = n < BAR ? n : BAR;
    memset(text, '#', n);
    text[n] = '\0';
    table_cell(t, "%s", text);
}

static void point_row(struct table *t, const struct find_batch *f, size_t i)
{
    const struct search *s = &f->search;
    const struct search_point *p = &s->points[i];
    char a[40], b[40], c[40];
    table_cell(t, "%s", text_grouped(a, sizeof a, s->batch[i / s->concurrency_n]));
    table_cell(t, "%s", text_grouped(a, sizeof a, s->concurrency[i % s->concurrency_n]));
    table_cell(t, "%zu", p->n);
    if (p->failed) {
        table_cell(t, "failed");
        table_cell(t, "%s", "");
        table_cell(t, "%s", "");
        table_cell(t, "%s", "");
        return;
    }
    table_cell(t, "%s", text_figure(a, sizeof a, p->median));
    table_cell(t, "%s to %s%s", text_figure(b, sizeof b, p->low), text_figure(c, sizeof c, p->high),
               p->has_interval ? "" : " *");
    bar(t, s->best != SEARCH_NONE ? p->median / s->points[s->best].median : 0);
    table_cell(t, "%s%s%s", p->plateau ? "plateau" : "", i == s->best ? ", best median" : "",
               i == s->answer ? ", answer" : "");
}

static void answer(const struct find_batch *f, struct buf *out)
{
    const struct search *s = &f->search;
    char batch[40], together[40], rate[40], away[40];
    size_t plateau = 0;
    for (size_t i = 0; i < s->batch_n * s->concurrency_n; i++) {
        plateau += s->points[i].plateau;
    }
    const struct search_point *p = &s->points[s->answer], *best = &s->points[s->best];
    put_line(out, "Smallest batch of the plateau: --batch %llu --concurrency %llu",
             (unsigned long long)s->batch[s->answer / s->concurrency_n],
             (unsigned long long)s->concurrency[s->answer % s->concurrency_n]);
    put_wrapped(
        out, WIDTH, 2,
        "%s %ss/s; its median is %s %% below the best one, of --batch %s "
        "--concurrency %s.",
        text_figure(rate, sizeof rate, p->median), f->unit,
        text_figure(away, sizeof away, 100 * (1 - p->median / best->median)),
        text_grouped(batch, sizeof batch, s->batch[s->best / s->concurrency_n]),
        text_grouped(together, sizeof together, s->concurrency[s->best % s->concurrency_n]));
    put_wrapped(
        out, WIDTH, 2,
        "%zu setting%s of the plateau: those whose interval of the median (95 %%) reaches the "
        "best median. Any of them may be the fastest; these runs cannot tell.",
        plateau, plateau == 1 ? "" : "s");
}

void find_text(const struct find_batch *f, struct buf *out)
{
    const struct search *s = &f->search;
    struct table *t = table_new("rrrrrll");
    char unit[40];
    size_t measured = 0;
    bool ranges = false;
    if (s->points == NULL) {
        table_free(t);
        return;
    }
    snprintf(unit, sizeof unit, "%ss/s", f->unit);
    table_cell(t, "batch");
    table_cell(t, "at once");
    table_cell(t, "runs");
    table_cell(t, "%s", unit);
    table_cell(t, "interval");
    table_cell(t, "curve");
    table_cell(t, "%s", "which");
    for (size_t c = 0; c < s->concurrency_n; c++) { /* a curve after the other */
        for (size_t b = 0; b < s->batch_n; b++) {
            const struct search_point *p = &s->points[b * s->concurrency_n + c];
            if (p->n > 0 || p->failed) {
                point_row(t, f, b * s->concurrency_n + c);
                measured++;
                ranges = ranges || (!p->failed && !p->has_interval);
            }
        }
    }
    put_line(out, "%s, %zu settings, %zu runs", f->phase, measured, s->runs);
    buf_addc(out, '\n');
    table_text(t, out);
    buf_addc(out, '\n');
    if (ranges) {
        put_line(out, "* too few runs for an interval: the range of them");
    }
    if (measured > 0 && s->concurrency_n > 0 && s->answer != SEARCH_NONE) {
        answer(f, out);
    } else {
        put_line(out, "No answer: the search did not come to its end, or no setting worked.");
    }
    table_free(t);
}
