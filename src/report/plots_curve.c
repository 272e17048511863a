/* plots_curve: a step over a setting, and request latency by percentile, as scripts for gnuplot. */
#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/parts.h"
#include "report/plot_parts.h"

/* ---- over a setting -------------------------------------------------------------------------- */

static size_t distinct(const uint64_t *values, size_t n)
{
    size_t found = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && values[k] != values[i]) {
            k++;
        }
        found += k == i;
    }
    return found;
}

/* The setting that is a number in every column and has the most values, at least three; NULL if
 * there is none. */
static const char *axis_of(const struct view *v, size_t first)
{
    const char *best = NULL;
    size_t most = 2, n;
    uint64_t *values = mem_zero(v->n, sizeof *values);
    const cJSON *setting;
    cJSON_ArrayForEach(setting, v->columns[first].spec->settings)
    {
        if (setting->string != NULL && plot_values(v, first, setting->string, values, &n) &&
            distinct(values, n) > most) {
            most = distinct(values, n);
            best = setting->string;
        }
    }
    free(values);
    return best;
}

/* A column's label without its value of the axis: what its line is called. The caller frees. */
static char *line_name(const struct column *c, const char *axis)
{
    char *value = mem_printf("%s=%s", axis, json_str(c->spec->settings, axis, ""));
    char *name = mem_strdup(c->label), *at = strstr(name, value);
    size_t len = strlen(value);
    while (at != NULL && !((at == name || at[-1] == ' ') && (at[len] == ',' || at[len] == '\0'))) {
        at = strstr(at + 1, value);
    }
    if (at != NULL && at[len] == ',') {
        memmove(at, at + len + 2, strlen(at + len + 2) + 1);
    } else if (at != NULL) {
        *(at - name >= 2 ? at - 2 : at) = '\0';
    }
    free(value);
    return name;
}

struct point {
    double x, y, low, high;
    const char *text; /* x as it was set */
    char *line;       /* own */
};

static int by_x(const void *a, const void *b)
{
    double x = ((const struct point *)a)->x, y = ((const struct point *)b)->x;
    return (x > y) - (x < y);
}

/* What is drawn of a step: its rate, or its time where it has no items. */
static struct point figure(const struct step *s, bool rate)
{
    bool each = rate && s->per.median > 0; /* runs of different amounts: time alone says nothing */
    double items = each ? 1 : (double)s->items;
    const struct stats_summary *t = each ? &s->per : &s->s;
    struct point p = {.y = t->median, .low = plot_low(t), .high = plot_high(t)};
    if (rate) {
        p = (struct point){.y = items / t->median, .low = items / p.high, .high = items / p.low};
    }
    return p;
}

static struct point *points_of(const struct view *v, size_t first, const char *step,
                               const char *axis, bool rate, size_t *n)
{
    struct point *all = mem_zero(v->n, sizeof *all);
    *n = 0;
    for (size_t i = first; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        const struct step *s = column_step(c, step);
        uint64_t x;
        if (same_workload(c, &v->columns[first]) && s != NULL && s->n > 0 && s->s.min > 0 &&
            text_parse_size(json_str(c->spec->settings, axis, ""), &x, NULL) == 0) {
            all[*n] = figure(s, rate && s->items > 0);
            all[*n].x = (double)x;
            all[*n].text = json_str(c->spec->settings, axis, "");
            all[(*n)++].line = line_name(c, axis);
        }
    }
    qsort(all, *n, sizeof *all, by_x);
    return all;
}

static void put_lines(struct buf *script, const struct point *all, size_t n)
{
    struct buf plot = BUF_INIT(BUF_TEXT_MAX);
    size_t lines = 0;
    for (size_t i = 0; i < n; i++) {
        size_t k = 0;
        while (k < i && strcmp(all[k].line, all[i].line) != 0) {
            k++;
        }
        if (k < i) {
            continue;
        }
        buf_addf(script, "$c%zu << EOD\n", lines);
        for (k = i; k < n; k++) {
            if (strcmp(all[k].line, all[i].line) == 0) {
                buf_addf(script, "%.9g %.9g %.9g %.9g\n", all[k].x, all[k].y, all[k].low,
                         all[k].high);
            }
        }
        buf_adds(script, "EOD\n");
        buf_addf(&plot, "%s $c%zu using 1:2:3:4 with yerrorlines linetype %zu title ",
                 lines == 0 ? "plot" : ", \\\n ", lines, lines + 1);
        plot_quote(&plot, all[i].line);
        lines++;
    }
    buf_add(script, buf_text(&plot), plot.len);
    buf_adds(script, "\n");
    buf_free(&plot);
}

/* Tics at the values measured, where they do not crowd. */
static void x_axis(struct buf *script, const struct point *all, size_t n, const char *axis)
{
    plot_text(script, "xlabel", axis);
    double least = all[0].x, most = all[n - 1].x;
    if (least > 0 && most / least >= 10) {
        double margin = pow(most / least, 0.06);
        buf_addf(script, "set logscale x\nunset mxtics\nset xrange [%.6g:%.6g]\n", least / margin,
                 most * margin);
    } else {
        double margin = (most - least) * 0.06;
        buf_addf(script, "set xrange [%.6g:%.6g]\n", least - margin, most + margin);
    }
    double last = NAN;
    size_t tics = 0;
    struct buf list = BUF_INIT(BUF_TEXT_MAX);
    for (size_t i = 0; i < n; i++) {
        if (!(all[i].x <= last)) {
            buf_adds(&list, tics++ > 0 ? ", " : "");
            plot_quote(&list, all[i].text);
            buf_addf(&list, " %.17g", all[i].x);
            last = all[i].x;
        }
    }
    if (tics <= 12) {
        buf_addf(script, "set xtics (%s) rotate by -35\n", buf_text(&list));
    }
    buf_free(&list);
}

bool plot_curve(struct buf *script, const struct view *v, size_t first, const char *step)
{
    const char *axis = axis_of(v, first);
    const struct step *s = NULL;
    char title[700], label[200];
    size_t n, last = 0;
    for (size_t i = first; i < v->n; i++) { /* the first with figures says what its items are */
        const struct step *one = column_step(&v->columns[i], step);
        if (same_workload(&v->columns[i], &v->columns[first]) && one != NULL && one->n > 0) {
            s = s != NULL ? s : one;
        }
    }
    if (axis == NULL || s == NULL) {
        return false;
    }
    bool rate = s->items > 0;
    struct point *all = points_of(v, first, step, axis, rate, &n);
    for (size_t i = 1; i < n; i++) {
        last += all[i].x > all[i - 1].x;
    }
    if (last >= 2) {
        plot_begin(script, 700, 430);
        snprintf(title, sizeof title, "%s: median of the runs, bars %s", s->title,
                 plot_bars(v, first, step));
        plot_text(script, "title", title);
        snprintf(label, sizeof label, rate ? "%ss/s" : "s", s->unit);
        plot_text(script, "ylabel", rate ? label : "s");
        buf_adds(script, "set yrange [0:*]\n");
        x_axis(script, all, n, axis);
        put_lines(script, all, n);
    }
    for (size_t i = 0; i < n; i++) {
        free(all[i].line);
    }
    free(all);
    return last >= 2;
}

/* ---- latency --------------------------------------------------------------------------------- */

/* A line of the percentile curve: x is one in how many requests lies beyond. False where there are
 * too few requests even for the median. */
static bool latency_line(struct buf *data, struct buf *plot, const struct hist *h, size_t line,
                         const char *title, double *least, double *most)
{
    if (h == NULL || !hist_supports(h, 50)) {
        return false;
    }
    buf_addf(data, "$l%zu << EOD\n", line);
    double one_in = 1;
    /* in steps of a twentieth of a decade, up to one in a million */
    for (int k = 0; k <= 120; k++) {
        one_in = pow(10, k / 20.0);
        double percent = 100 - 100 / one_in;
        if (!hist_supports(h, percent)) {
            break;
        }
        double ms = (double)hist_percentile(h, percent) / 1e6;
        buf_addf(data, "%.6g %.9g\n", one_in, ms);
        *least = fmin(*least, ms);
        *most = fmax(*most, ms);
    }
    buf_adds(data, "EOD\n");
    buf_addf(plot, "%s $l%zu using 1:2 with lines linetype %zu linewidth 2 title ",
             line == 0 ? "plot" : ", \\\n ", line, line + 1);
    plot_quote(plot, title);
    return true;
}

bool plot_latency(struct buf *script, const struct view *v, size_t first, const char *step)
{
    struct buf data = BUF_INIT(BUF_TEXT_MAX), plot = BUF_INIT(BUF_TEXT_MAX);
    double least = INFINITY, most = 0;
    size_t lines = 0;
    char title[700];
    const char *of = v->columns[first].spec->workload;
    for (size_t i = first; i < (step == NULL ? first + 1 : v->n); i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; same_workload(c, &v->columns[first]) && k < c->steps_n; k++) {
            const struct step *s = &c->steps[k];
            if (step != NULL && strcmp(step, s->name) != 0) {
                continue;
            }
            of = step != NULL && lines == 0 ? s->plain : of;
            struct hist *h = step_latency(c, s);
            lines +=
                latency_line(&data, &plot, h, lines,
                             step != NULL ? plot_column_title(v, c, title, sizeof title) : s->title,
                             &least, &most);
            hist_free(h);
        }
    }
    if (lines > 0) {
        plot_begin(script, 700, 430);
        snprintf(title, sizeof title, "%s: latency of requests", of);
        plot_text(script, "title", title);
        buf_adds(script, "set ylabel 'ms'\nset xlabel 'percentile'\nset logscale x\nunset mxtics\n"
                         "set xtics ('0' 1, '50' 2, '90' 10, '99' 100, '99.9' 1e3, '99.99' 1e4, "
                         "'99.999' 1e5)\nset grid xtics\n");
        buf_adds(script,
                 least > 0 && most / least > 20 ? "set logscale y\n" : "set yrange [0:*]\n");
        buf_add(script, buf_text(&data), data.len);
        buf_add(script, buf_text(&plot), plot.len);
        buf_adds(script, "\n");
    }
    buf_free(&data);
    buf_free(&plot);
    return lines > 0;
}
