/* plots: what is drawn of the results, as scripts for gnuplot. Figures go in as numbers, texts only
 * through plot_quote. */
#include "report/plot.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/parts.h"
#include "report/plot_parts.h"
#include "report/report.h"

#define LOG_FROM 100 /* times between the smallest and the largest median: a logarithmic axis */

const struct plot_colour plot_colours[PLOT_COLOURS] = {
    {0x0072b2, 0x5ab4f0, 7},  {0xd55e00, 0xff9350, 5},  {0x009e73, 0x3fd0a4, 9},
    {0xa8408a, 0xe79ccb, 13}, {0x9a7400, 0xe6bf4c, 11}, {0x6b6b6b, 0xb8b8b8, 6},
    {0x8b4a1f, 0xd2a679, 4},  {0x5b4fc4, 0xa9a1ff, 8},
};

void plot_begin(struct buf *script, int width, int height)
{
    buf_addf(script,
             "set terminal svg noenhanced size %d,%d dynamic font 'sans-serif,13' background rgb "
             "'white'\nset encoding utf8\nset grid ytics linecolor rgb "
             "'#dddddd'\nset key outside above noenhanced\nset tics nomirror\n",
             width, height);
    for (size_t i = 0; i < PLOT_COLOURS; i++) {
        buf_addf(script, "set linetype %zu linecolor rgb '#%06x' pointtype %d linewidth 1.5\n",
                 i + 1, plot_colours[i].light, plot_colours[i].point);
    }
    buf_addf(script, "set linetype cycle %d\n", PLOT_COLOURS);
}

void plot_text(struct buf *script, const char *what, const char *text)
{
    buf_addf(script, "set %s ", what);
    plot_quote(script, text);
    buf_adds(script, "\n");
}

const char *plot_column_title(const struct view *v, const struct column *c, char *out, size_t n)
{
    if (v->n > 1) {
        snprintf(out, n, "%s", c->label);
    } else {
        column_server(c, out, n);
    }
    return out;
}

const struct step **plot_steps_of(const struct view *v, size_t first, size_t *n)
{
    const struct step **all = NULL;
    *n = 0;
    for (size_t i = first; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; same_workload(c, &v->columns[first]) && k < c->steps_n; k++) {
            bool seen = c->steps[k].n == 0;
            for (size_t j = 0; j < *n && !seen; j++) {
                seen = strcmp(all[j]->name, c->steps[k].name) == 0;
            }
            if (!seen) {
                all = mem_resize(all, *n + 1, sizeof(struct step *));
                all[(*n)++] = &c->steps[k];
            }
        }
    }
    return all;
}

static bool far_apart(const struct view *v, size_t first)
{
    double least = INFINITY, most = 0;
    for (size_t i = first; i < v->n; i++) {
        for (size_t k = 0;
             same_workload(&v->columns[i], &v->columns[first]) && k < v->columns[i].steps_n; k++) {
            const struct step *s = &v->columns[i].steps[k];
            if (s->n > 0 && s->s.median > 0) {
                least = fmin(least, s->s.median);
                most = fmax(most, s->s.median);
            }
        }
    }
    return most > LOG_FROM * least;
}

double plot_low(const struct stats_summary *s)
{
    return s->has_ci ? s->ci_low : s->min;
}

double plot_high(const struct stats_summary *s)
{
    return s->has_ci ? s->ci_high : s->max;
}

const char *plot_bars(const struct view *v, size_t first, const char *step)
{
    bool with = false, without = false;
    for (size_t i = first; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; same_workload(c, &v->columns[first]) && k < c->steps_n; k++) {
            const struct step *s = &c->steps[k];
            if (s->n > 0 && (step == NULL || strcmp(step, s->name) == 0)) {
                with |= s->s.has_ci;
                without |= !s->s.has_ci;
            }
        }
    }
    return !with      ? "from min to max"
           : !without ? "its 95 % interval"
                      : "its 95 % interval, from min to max below 6 runs";
}

bool plot_steps(struct buf *script, const struct view *v, size_t first)
{
    size_t n;
    char title[512];
    const struct step **steps = plot_steps_of(v, first, &n);
    bool log_axis = far_apart(v, first), plotted = false;
    if (n == 0) {
        free(steps);
        return false;
    }
    plot_begin(script, n > 8 ? 1200 : 900, 560);
    snprintf(title, sizeof title, "%s: median of the runs, bars %s",
             v->columns[first].spec->workload, plot_bars(v, first, NULL));
    plot_text(script, "title", title);
    buf_adds(script, "set ylabel 'seconds'\nset xtics (");
    for (size_t k = 0; k < n; k++) {
        buf_adds(script, k > 0 ? ", " : "");
        plot_quote(script, steps[k]->title);
        buf_addf(script, " %zu", k);
    }
    buf_addf(script, ")%s\nset xrange [-0.6:%zu.6]\n", n > 4 ? " rotate by -25" : "", n - 1);
    buf_adds(script, log_axis ? "set logscale y\n" : "set yrange [0:*]\n");
    buf_adds(script, "set style fill solid 0.7 border -1\nset errorbars small\n");
    size_t columns = 0, at = 0;
    for (size_t i = first; i < v->n; i++) {
        columns += same_workload(&v->columns[i], &v->columns[first]);
    }
    double slot = 0.8 / (double)columns;
    for (size_t i = first; i < v->n; i++) {
        if (!same_workload(&v->columns[i], &v->columns[first])) {
            continue;
        }
        buf_addf(script, "$d%zu << EOD\n", at);
        for (size_t k = 0; k < n; k++) {
            const struct step *s = column_step(&v->columns[i], steps[k]->name);
            if (s != NULL && s->n > 0 && s->s.min > 0) {
                buf_addf(script, "%.6g %.9g %.9g %.9g\n",
                         (double)k + ((double)at + 0.5) * slot - 0.4, s->s.median, plot_low(&s->s),
                         plot_high(&s->s));
                plotted = true;
            }
        }
        buf_adds(script, "EOD\n");
        at++;
    }
    for (size_t i = first, k = 0; i < v->n; i++) {
        if (same_workload(&v->columns[i], &v->columns[first])) {
            buf_addf(script, "%s $d%zu using 1:2:3:4", k == 0 ? "plot" : ", \\\n ", k);
            if (!log_axis) {
                buf_addf(script, ":(%.6g)", slot * 0.9);
            }
            buf_addf(script, " with %s linetype %zu title ",
                     log_axis ? "yerrorbars" : "boxerrorbars", k + 1);
            plot_quote(script, plot_column_title(v, &v->columns[i], title, sizeof title));
            k++;
        }
    }
    buf_adds(script, "\n");
    free(steps);
    return plotted;
}

/* ---- over groups ----------------------------------------------------------------------------- */

bool plot_series(struct buf *script, const struct view *v, size_t first, const char *name,
                 const char *step)
{
    struct buf data = BUF_INIT(BUF_TEXT_MAX), plot = BUF_INIT(BUF_TEXT_MAX);
    size_t lines = 0, most = 0;
    char title[900], server[512];
    const char *of = v->columns[first].spec->workload;
    for (size_t i = first; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; same_workload(c, &v->columns[first]) && k < c->steps_n; k++) {
            name = name != NULL ? name : step_series_name(c, &c->steps[k], 0);
            if (name == NULL || (step != NULL && strcmp(step, c->steps[k].name) != 0)) {
                continue;
            }
            double *ms; /* of this name only: other groups do not belong on this axis */
            size_t runs, n = step_series(c, &c->steps[k], name, &ms, &runs);
            if (n == 0) {
                free(ms);
                continue;
            }
            buf_addf(&data, "$d%zu << EOD\n", lines);
            for (size_t g = 0; g < n; g++) {
                if (isfinite(ms[g])) {
                    buf_addf(&data, "%zu %.9g\n", g + 1, ms[g]);
                } else {
                    buf_adds(&data, "\n"); /* a gap in the line */
                }
            }
            buf_adds(&data, "EOD\n");
            buf_addf(&plot, "%s $d%zu using 1:2 with linespoints pointsize 0.4 title ",
                     lines == 0 ? "plot" : ", \\\n ", lines);
            plot_column_title(v, c, server, sizeof server);
            snprintf(title, sizeof title, "%s%s%s", v->n > 1 ? server : "",
                     v->n > 1 && step == NULL ? ": " : "",
                     v->n > 1 && step != NULL ? "" : c->steps[k].title);
            of = step != NULL ? c->steps[k].title : of;
            most = n > most ? n : most;
            plot_quote(&plot, title);
            free(ms);
            lines++;
        }
    }
    if (lines > 0) {
        plot_begin(script, 700, 430);
        snprintf(title, sizeof title, "%s by group", of);
        plot_text(script, "title", title);
        plot_text(script, "ylabel", name);
        buf_adds(script, "set xlabel 'group'\nset yrange [0:*]\n");
        buf_adds(script, most <= 12 ? "set xtics 1\n" : "");
        buf_add(script, buf_text(&data), data.len);
        buf_add(script, buf_text(&plot), plot.len);
        buf_adds(script, "\n");
    }
    buf_free(&data);
    buf_free(&plot);
    return lines > 0;
}

/* ---- over a setting -------------------------------------------------------------------------- */

bool plot_values(const struct view *v, size_t first, const char *setting, uint64_t *values,
                 size_t *n)
{
    *n = 0;
    for (size_t i = first; i < v->n; i++) {
        const char *text = json_str(v->columns[i].spec->settings, setting, "");
        if (same_workload(&v->columns[i], &v->columns[first]) &&
            text_parse_size(text, &values[(*n)++], NULL) < 0) {
            return false;
        }
    }
    return true;
}

enum spread { ALL_EQUAL, ALL_DIFFERENT, MIXED };

static enum spread spread_of(const uint64_t *values, size_t n)
{
    size_t equal = 0;
    for (size_t i = 0; i < n; i++) {
        for (size_t k = i + 1; k < n; k++) {
            equal += values[i] == values[k];
        }
    }
    return equal == 0 ? ALL_DIFFERENT : equal == n * (n - 1) / 2 ? ALL_EQUAL : MIXED;
}

static bool same_text(const char *a, const char *b)
{
    return strcmp(a != NULL ? a : "", b != NULL ? b : "") == 0;
}

/* The one setting that makes the columns of the workload a curve: a number in each and another in
 * each, while nothing else that is a number differs and server, network and client are the same.
 * NULL where there is no such setting. */
static const char *swept(const struct view *v, size_t first)
{
    const struct spec_result *base = v->columns[first].spec;
    const char *found = NULL;
    size_t n, found_n = 0;
    const cJSON *setting;
    for (size_t i = first; i < v->n; i++) {
        const struct spec_result *s = v->columns[i].spec;
        if (same_workload(&v->columns[i], &v->columns[first]) &&
            !(same_text(s->server, base->server) && same_text(s->network, base->network) &&
              same_text(s->client, base->client))) {
            return NULL;
        }
    }
    uint64_t *values = mem_zero(v->n, sizeof *values);
    cJSON_ArrayForEach(setting, base->settings)
    {
        const char *name = setting->string;
        if (name == NULL || !plot_values(v, first, name, values, &n) || n < 2) {
            continue;
        }
        enum spread spread = spread_of(values, n);
        found = spread == ALL_DIFFERENT ? name : found;
        found_n += spread != ALL_EQUAL;
    }
    free(values);
    return found_n == 1 ? found : NULL;
}

/* Values at least tenfold apart stand evenly on a logarithmic axis only. */
static bool logarithmic(const struct view *v, size_t first, const char *setting)
{
    size_t n;
    uint64_t *values = mem_zero(v->n, sizeof *values), least = UINT64_MAX, most = 0;
    plot_values(v, first, setting, values, &n);
    for (size_t i = 0; i < n; i++) {
        least = values[i] < least ? values[i] : least;
        most = values[i] > most ? values[i] : most;
    }
    free(values);
    return least > 0 && most / least >= 10;
}

enum measure { THROUGHPUT, RATE, SECONDS, MEASURES };

static double measured(const struct step *s, enum measure m)
{
    if (s == NULL || s->n == 0 || !(s->s.median > 0)) {
        return NAN;
    }
    double amount = m == THROUGHPUT ? (double)s->payload_bytes / 1e6 : (double)s->items;
    return m == SECONDS ? s->s.median : amount > 0 ? amount / s->s.median : NAN;
}

/* One of the drawings below each other: a line for each step. Steps that move bytes have
 * throughput and rate, the others time. */
static bool sweep_part(struct buf *script, const struct view *v, size_t first, const char *setting,
                       enum measure m, size_t serial)
{
    static const char *const labels[] = {"MB/s", "items/s", "s"};
    size_t n, lines = 0;
    const struct step **steps = plot_steps_of(v, first, &n);
    struct buf plot = BUF_INIT(BUF_TEXT_MAX);
    for (size_t k = 0; k < n; k++) {
        if ((steps[k]->payload_bytes > 0) == (m == SECONDS)) {
            continue;
        }
        buf_addf(script, "$s%zu_%zu << EOD\n", serial, lines);
        for (size_t i = first; i < v->n; i++) {
            const struct column *c = &v->columns[i];
            double y = measured(column_step(c, steps[k]->name), m);
            uint64_t x = 0;
            if (same_workload(c, &v->columns[first]) && isfinite(y) &&
                text_parse_size(json_str(c->spec->settings, setting, ""), &x, NULL) == 0) {
                buf_addf(script, "%llu %.9g\n", (unsigned long long)x, y);
            }
        }
        buf_adds(script, "EOD\n");
        buf_addf(&plot, "%s $s%zu_%zu using 1:2 smooth unique with linespoints title ",
                 lines == 0 ? "plot" : ", \\\n ", serial, lines);
        plot_quote(&plot, steps[k]->title);
        lines++;
    }
    if (lines > 0) {
        plot_text(script, "ylabel", labels[m]);
        buf_add(script, plot.data, plot.len);
        buf_adds(script, "\n");
    }
    buf_free(&plot);
    free(steps);
    return lines > 0;
}

bool plot_sweep(struct buf *script, const struct view *v, size_t first)
{
    const char *setting = swept(v, first);
    bool any = false;
    size_t start = script->len;
    char title[300];
    if (setting == NULL) {
        return false;
    }
    plot_begin(script, 900, 1000);
    snprintf(title, sizeof title, "%s over %s", v->columns[first].spec->workload, setting);
    plot_text(script, "xlabel", setting);
    buf_adds(script, logarithmic(v, first, setting) ? "set logscale x\n" : "");
    buf_adds(script, "set format x '%.0s%c'\nset yrange [0:*]\n"
                     "set multiplot layout 3,1 title ");
    plot_quote(script, title);
    buf_adds(script, "\n");
    for (enum measure m = 0; m < MEASURES; m++) {
        any |= sweep_part(script, v, first, setting, m, m);
    }
    buf_adds(script, "unset multiplot\n");
    if (!any) {
        script->len = start;
    }
    return any;
}

/* ---- the format ------------------------------------------------------------------------------ */

int report_svg(const struct result *const *results, size_t n, const struct report_options *o,
               struct buf *out, struct err *err)
{
    (void)o;
    struct view *v = view_new(results, n);
    struct buf script = BUF_INIT(BUF_TEXT_MAX);
    int rc;
    /* groups are what objects are about; elsewhere batches are a detail beside the steps */
    bool groups = v->n > 0 && strcmp(v->columns[0].spec->workload, "objects") == 0;
    if (v->n == 0 ||
        !((groups && plot_series(&script, v, 0, NULL, NULL)) || plot_sweep(&script, v, 0) ||
          (buf_clear(&script), plot_steps(&script, v, 0)))) {
        rc = err_set(err, ERR_USAGE, "there are no figures to draw");
    } else {
        rc = plot_run(buf_text(&script), script.len, out, err);
    }
    buf_free(&script);
    view_free(v);
    return rc;
}
