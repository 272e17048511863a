/* report_tunemark: the form in which the original TuneMark prints, from one consistent set of
 * samples: all runs that count, deviation with n-1, the true median; or the original's own
 * statistics where they are asked for. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "report/gather.h"
#include "report/parts.h"
#include "report/table.h"

/* The original's field for what a line is about: "Import 12189 docs:  ". */
#define FIELD 20

static struct stats_tunemark figures(const struct step *s, bool original)
{
    struct stats_tunemark t;
    if (original) {
        stats_tunemark(s->seconds, s->n, &t);
        return t;
    }
    return (struct stats_tunemark){s->s.min, s->s.max, s->s.mean, s->s.median, s->s.sd};
}

/* The unit is the first in which the average is at least 1, and holds for the whole line. */
static void figures_line(struct buf *out, size_t field, const char *about,
                         const struct stats_tunemark *t, double divisor, const char *per)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"sec", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
    size_t u = 0;
    while (u < 3 && t->average / divisor * units[u].factor < 1) {
        u++;
    }
    double f = units[u].factor / divisor;
    char sd[32];
    if (isnan(t->sd)) {
        snprintf(sd, sizeof sd, "  n/a"); /* of one run there is none */
    } else {
        snprintf(sd, sizeof sd, "%5.3g", t->sd * f);
    }
    size_t used = text_columns(about);
    put_line(out, "%s%*sRange: %7.3f ... %7.3f %s%s%s, Average: %7.3f, median: %7.3f, std dev: %s",
             about, used < field ? (int)(field - used) : 1, "", t->min * f, t->max * f,
             units[u].name, per[0] != '\0' ? "/" : "", per, t->average * f, t->median * f, sd);
}

static void step_lines(struct buf *out, size_t field, const struct step *s, bool original)
{
    char about[600];
    snprintf(about, sizeof about, "%s:", s->title);
    if (s->n == 0) {
        size_t used = text_columns(about);
        put_line(out, "%s%*s%s%s%s", about, used < field ? (int)(field - used) : 1, "",
                 step_state_word(s), s->reason[0] != '\0' ? ": " : "", s->reason);
        return;
    }
    struct stats_tunemark t = figures(s, original);
    figures_line(out, field, about, &t, 1, "");
    if (s->items > 0) {
        figures_line(out, field, "", &t, (double)s->items, s->unit);
        /* the original gives a rate where documents are written */
        if (s->docs.ok > 0 && t.median > 0) {
            double rate = (double)s->items / t.median;
            put_line(out, rate < 10 ? "%*sRate: %.3g %ss/sec" : "%*sRate: %.0f %ss/sec",
                     (int)field + 1, "", rate, s->unit);
        }
    }
    if (s->n < s->runs) {
        put_line(out, "%*s(%zu of %zu runs; %s%s%s)", (int)field, "", s->n, s->runs,
                 step_state_word(s), s->reason[0] != '\0' ? ": " : "", s->reason);
    }
}

void tunemark_lines(struct buf *out, const struct column *c, bool original)
{
    size_t field = FIELD;
    for (size_t i = 0; i < c->steps_n; i++) {
        size_t need = text_columns(c->steps[i].title) + 2; /* the colon and a space */
        field = need > field ? need : field;
    }
    for (size_t i = 0; i < c->steps_n; i++) {
        step_lines(out, field, &c->steps[i], original);
    }
}

int report_tunemark(const struct result *const *results, size_t n, const struct report_options *o,
                    struct buf *out, struct err *err)
{
    (void)err;
    struct view *v = view_new(results, n);
    struct page page = {.kind = PAGE_TEXT, .width = o->width, .out = out};
    unsigned shared = setting_common(&page, v);
    for (size_t i = 0; i < v->n; i++) {
        setting_column(&page, v, &v->columns[i], shared, true);
        tunemark_lines(out, &v->columns[i], o->original_statistics);
    }
    if (o->original_statistics) {
        page_line(&page, "%s", ORIGINAL_STATISTICS_NOTE);
    }
    view_free(v);
    return 0;
}
