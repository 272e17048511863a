/* notes: what a reader must know beside the figures: failures, errors by class, the workload's own
 * notes, a busy client, outliers, drift over the runs, too few of them. */
#include "report/parts.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* A client that uses more of a core than this cannot have sent all it could; a loop that is late by
 * this share of the median latency (and more than a timer is late on an idle machine) makes
 * latencies longer by as much. */
#define CPU_MOST 0.9
#define LAG_SHARE 0.1
#define LAG_LEAST_S 100e-6

/* A sentence and the steps it is about. Steps of which the same is said share a line. */
struct remark {
    char *text;
    struct buf about;
};

struct remarks {
    struct remark *all;
    size_t n, cap;
};

/* Takes `text`. `about` may hold a figure of the step's own: "Import 2 of 10". */
static void remark(struct remarks *r, char *text, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void remark(struct remarks *r, char *text, const char *fmt, ...)
{
    char about[400];
    size_t i = 0;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(about, sizeof about, fmt, ap);
    va_end(ap);
    while (i < r->n && strcmp(r->all[i].text, text) != 0) {
        i++;
    }
    if (i < r->n) {
        free(text);
    } else {
        r->all = mem_grow(r->all, r->n, &r->cap, sizeof *r->all);
        r->all[r->n++] = (struct remark){text, BUF_INIT(BUF_TEXT_MAX)};
    }
    struct buf *names = &r->all[i].about;
    if (strstr(buf_text(names), about) == NULL) {
        buf_addf(names, "%s%s", names->len > 0 ? "; " : "", about);
    }
}

static void step_remarks(struct remarks *r, const struct view *v, const struct column *c,
                         const struct step *s)
{
    char name[400], words[200];
    snprintf(name, sizeof name, "%s%s%s", v->n > 1 ? c->label : "", v->n > 1 ? ": " : "", s->title);
    if (s->n < s->runs) {
        remark(r,
               mem_printf("%s in %zu of %zu runs%s%s", step_state_word(s), s->runs - s->n, s->runs,
                          s->reason[0] != '\0' ? ": " : "", s->reason),
               "%s", name);
    }
    if (errors_text(words, sizeof words, s)[0] != '\0') {
        remark(r, mem_printf("%s, over all runs", words), "%s", name);
    }
    for (size_t i = 0; i < s->notes_n; i++) {
        remark(r, mem_strdup(s->notes[i]), "%s", s->title);
    }
    if (s->busy > 0.2) {
        remark(r, mem_strdup("the share of the time in which the client itself was at work"),
               "%s %.0f %%", name, s->busy * 100);
    }
    struct strain_seen strain = step_strain(c, s);
    if (strain.cpu > CPU_MOST) {
        remark(
            r,
            mem_strdup("the client was the bottleneck: the share of a core that its thread used"),
            "%s %.0f %%", name, strain.cpu * 100);
    }
    if (strain.lag_s > LAG_LEAST_S && strain.lag_s > LAG_SHARE * strain.median_s) {
        char lag[40], median[40];
        remark(r,
               mem_strdup(
                   "the client or its machine was too busy: its event loop was late, in the mean, "
                   "against the median latency"),
               "%s %s to %s", name, text_seconds(lag, sizeof lag, strain.lag_s),
               text_seconds(median, sizeof median, strain.median_s));
    }
    if (s->s.outliers > 0 && s->n >= STATS_CI_MIN) {
        remark(r,
               mem_strdup("runs that are outliers by " STATS_OUTLIER_RULE
                          "; in the figures all the same"),
               "%s %zu of %zu", name, s->s.outliers, s->n);
    }
    struct stats_trend trend;
    stats_trend(s->seconds, s->n, &trend);
    if (trend.verdict == TREND_GROWS || trend.verdict == TREND_FALLS) {
        remark(
            r,
            mem_printf("drifts over the runs: %s", trend_words(words, sizeof words, &trend, "run")),
            "%s", name);
    }
}

void note_lines(struct page *page, const struct view *v)
{
    size_t few = SIZE_MAX;
    struct remarks r = {NULL, 0, 0};
    for (size_t i = 0; i < v->n; i++) {
        for (size_t k = 0; k < v->columns[i].steps_n; k++) {
            const struct step *s = &v->columns[i].steps[k];
            step_remarks(&r, v, &v->columns[i], s);
            few = s->n > 0 && s->n < few ? s->n : few;
        }
    }
    if (r.n > 0 || few < STATS_CI_MIN) {
        page_gap(page);
    }
    for (size_t i = 0; i < r.n; i++) {
        page_note(page, "%s: %s", buf_text(&r.all[i].about), r.all[i].text);
        buf_free(&r.all[i].about);
        free(r.all[i].text);
    }
    if (few < STATS_CI_MIN) {
        page_note(page,
                  "with fewer than %d runs there is no 95 %% interval of the median (least "
                  "here: %zu)",
                  STATS_CI_MIN, few);
    }
    free(r.all);
}
