/* report_prometheus: the figures as metrics in Prometheus's text format, version 0.0.4, for the
 * textfile collector of its node exporter
 * (https://github.com/prometheus/docs/blob/main/content/docs/instrumenting/exposition_formats.md).
 *
 * Each metric says its unit in its name. What tells results apart is in labels that stay the same
 * from night to night; what may change (versions) is in tunecouch_result_info, so that an upgrade
 * does not begin a new series. A figure that is not there is left out, never 0. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/gather.h"

static void label(struct buf *out, const char *name, const char *value)
{
    size_t room = 4 * strlen(value) + 8;
    char *seen = text_visible(mem_alloc(room), room, value);
    buf_addf(out, "%s%s=\"", out->len > 0 && out->data[out->len - 1] != '{' ? "," : "", name);
    for (const char *p = seen; *p != '\0'; p++) { /* no line break is left in it */
        buf_adds(out, *p == '"' || *p == '\\' ? "\\" : "");
        buf_addc(out, *p);
    }
    buf_addc(out, '"');
    free(seen);
}

static const char *text_or(const char *s)
{
    return s != NULL ? s : "";
}

/* What a result's figures are told apart by. */
static void column_labels(struct buf *out, const struct column *c)
{
    label(out, "label", text_or(c->result->label));
    label(out, "workload", text_or(c->spec->workload));
    label(out, "spec", text_or(c->spec->name));
    label(out, "server", text_or(c->spec->server));
    label(out, "network", text_or(c->spec->network));
    label(out, "client", text_or(c->spec->client));
}

/* A metric of one value a result, or a step. Writes its lines without name and figure's help. */
struct metric {
    const char *name, *type, *help;
    void (*column)(struct buf *out, const struct metric *m, const struct column *c);
    void (*step)(struct buf *out, const struct metric *m, const struct column *c,
                 const struct step *s);
    double (*figure)(const struct step *s); /* for one_figure: NAN: none */
};

/* A line: metric{labels, more labels} value. `more` names and values in turn, ended by NULL. */
static void line(struct buf *out, const char *name, const struct column *c, const struct step *s,
                 const char *const *more, double value)
{
    if (!isfinite(value)) {
        return;
    }
    buf_addf(out, "%s{", name);
    column_labels(out, c);
    if (s != NULL) {
        label(out, "phase", s->name);
        label(out, "via", s->via);
    }
    for (size_t i = 0; more != NULL && more[i] != NULL; i += 2) {
        label(out, more[i], more[i + 1]);
    }
    buf_addf(out, "} %.15g\n", value);
}

/* ---- of a result ----------------------------------------------------------------------------- */

static void info(struct buf *out, const struct metric *m, const struct column *c)
{
    const char *const more[] = {
        "vendor", json_str(c->server, "vendor", ""), "version", json_str(c->server, "version", ""),
        "tool",   text_or(c->result->tool),          NULL};
    line(out, m->name, c, NULL, more, 1);
}

static void started(struct buf *out, const struct metric *m, const struct column *c)
{
    line(out, m->name, c, NULL, NULL, (double)c->result->started_ns * 1e-9);
}

static void ended(struct buf *out, const struct metric *m, const struct column *c)
{
    line(out, m->name, c, NULL, NULL, (double)c->result->ended_ns * 1e-9);
}

static void partial(struct buf *out, const struct metric *m, const struct column *c)
{
    line(out, m->name, c, NULL, NULL, c->partial || c->result->partial);
}

static void runs(struct buf *out, const struct metric *m, const struct column *c)
{
    line(out, m->name, c, NULL, NULL, (double)c->runs);
}

/* ---- of a step ------------------------------------------------------------------------------- */

static void states(struct buf *out, const struct metric *m, const struct column *c,
                   const struct step *s)
{
    const struct {
        const char *name;
        size_t n;
    } all[] = {
        {"ok", s->n}, {"failed", s->failed}, {"skipped", s->skipped}, {"partial", s->partial}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *const more[] = {"state", all[i].name, NULL};
        line(out, m->name, c, s, more, (double)all[i].n);
    }
}

static void count_lines(struct buf *out, const struct metric *m, const struct column *c,
                        const struct step *s, const struct counts *counts)
{
    const struct {
        const char *name;
        uint64_t n;
    } all[] = {{"ok", counts->ok},
               {"conflict", counts->conflict},
               {"http_error", counts->http_error},
               {"transport_error", counts->transport_error},
               {"timeout", counts->timeout},
               {"unknown", counts->unknown},
               {"retried", counts->retried}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        const char *const more[] = {"class", all[i].name, NULL};
        line(out, m->name, c, s, more, (double)all[i].n);
    }
}

static void requests(struct buf *out, const struct metric *m, const struct column *c,
                     const struct step *s)
{
    count_lines(out, m, c, s, &s->requests);
}

static void documents(struct buf *out, const struct metric *m, const struct column *c,
                      const struct step *s)
{
    if (s->docs.ok + counts_bad(&s->docs) > 0) {
        count_lines(out, m, c, s, &s->docs);
    }
}

static void latency(struct buf *out, const struct metric *m, const struct column *c,
                    const struct step *s)
{
    static const double percents[] = {50, 90, 95, 99, 99.9};
    struct hist *h = step_latency(c, s);
    if (h == NULL) {
        return;
    }
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        char quantile[16];
        snprintf(quantile, sizeof quantile, "%g", percents[i] / 100);
        const char *const more[] = {"quantile", quantile, NULL};
        if (hist_supports(h, percents[i])) {
            line(out, m->name, c, s, more, (double)hist_percentile(h, percents[i]) * 1e-9);
        }
    }
    char *name = mem_printf("%s_sum", m->name);
    line(out, name, c, s, NULL, hist_mean(h) * (double)hist_count(h) * 1e-9);
    free(name);
    name = mem_printf("%s_count", m->name);
    line(out, name, c, s, NULL, (double)hist_count(h));
    free(name);
    hist_free(h);
}

static void one_figure(struct buf *out, const struct metric *m, const struct column *c,
                       const struct step *s)
{
    line(out, m->name, c, s, NULL, s->n > 0 ? m->figure(s) : NAN);
}

static double median(const struct step *s)
{
    return s->s.median;
}

static double least(const struct step *s)
{
    return s->s.min;
}

static double most(const struct step *s)
{
    return s->s.max;
}

static double low(const struct step *s)
{
    return s->s.has_ci ? s->s.ci_low : NAN;
}

static double high(const struct step *s)
{
    return s->s.has_ci ? s->s.ci_high : NAN;
}

static double spread(const struct step *s)
{
    return s->n > 1 && s->s.median > 0 ? s->s.mad / s->s.median : NAN;
}

static double items(const struct step *s)
{
    return s->items > 0 ? (double)s->items : NAN;
}

static double rate(const struct step *s)
{
    return s->items > 0 && s->s.median > 0 ? (double)s->items / s->s.median : NAN;
}

static double payload(const struct step *s)
{
    return s->payload_bytes > 0 ? (double)s->payload_bytes : NAN;
}

static double busy(const struct step *s)
{
    return s->busy;
}

#define RESULT(name, help, of)                            \
    {                                                     \
        "tunecouch_" name, "gauge", help, of, NULL, NULL, \
    }
#define FIGURE(name, help, of)                                  \
    {                                                           \
        "tunecouch_" name, "gauge", help, NULL, one_figure, of, \
    }

static const struct metric metrics[] = {
    RESULT("result_info", "What was measured, with which program.", info),
    RESULT("result_start_timestamp_seconds", "When the measurement began.", started),
    RESULT("result_end_timestamp_seconds", "When the measurement ended.", ended),
    RESULT("result_partial", "1 if the measurement was cut short.", partial),
    RESULT("result_runs", "Runs that count, without those for warming up.", runs),
    {"tunecouch_phase_runs", "gauge", "Runs of a phase by how it ended.", NULL, states, NULL},
    FIGURE("phase_median_seconds", "Wall-clock time of a phase: median of its runs.", median),
    FIGURE("phase_min_seconds", "Wall-clock time of a phase: least of its runs.", least),
    FIGURE("phase_max_seconds", "Wall-clock time of a phase: largest of its runs.", most),
    FIGURE("phase_median_low_seconds", "Lower end of the 95 % interval of the median.", low),
    FIGURE("phase_median_high_seconds", "Upper end of the 95 % interval of the median.", high),
    FIGURE("phase_spread_ratio", "Median absolute deviation times 1.4826, by the median.", spread),
    FIGURE("phase_items", "Items of one run, as verified.", items),
    FIGURE("phase_items_per_second", "Items by the median time.", rate),
    FIGURE("phase_payload_bytes", "Bytes of documents and attachments of one run.", payload),
    FIGURE("phase_client_busy_ratio", "Largest share of a run in which the client worked.", busy),
    {"tunecouch_phase_requests", "gauge", "Requests of all runs by how they ended.", NULL, requests,
     NULL},
    {"tunecouch_phase_documents", "gauge", "Documents of all runs by how they ended.", NULL,
     documents, NULL},
    {"tunecouch_request_latency_seconds", "summary",
     "Service time of the successful requests of all runs.", NULL, latency, NULL},
};

/* Of two results that nothing tells apart only the later one is shown: the same series twice is a
 * file that is refused whole. */
static bool superseded(const struct view *v, size_t column)
{
    struct buf mine = BUF_INIT(BUF_TEXT_MAX), other = BUF_INIT(BUF_TEXT_MAX);
    bool found = false;
    column_labels(&mine, &v->columns[column]);
    for (size_t i = 0; i < v->n && !found; i++) {
        int64_t a = v->columns[column].result->started_ns, b = v->columns[i].result->started_ns;
        if (b > a || (b == a && i > column)) {
            buf_clear(&other);
            column_labels(&other, &v->columns[i]);
            found = strcmp(buf_text(&mine), buf_text(&other)) == 0;
        }
    }
    buf_free(&mine);
    buf_free(&other);
    return found;
}

int report_prometheus(const struct result *const *results, size_t n, const struct report_options *o,
                      struct buf *out, struct err *err)
{
    (void)o;
    (void)err;
    struct view *v = view_new(results, n);
    bool *hidden = mem_zero(v->n, sizeof *hidden);
    struct buf lines = BUF_INIT(BUF_TEXT_MAX);
    for (size_t i = 0; i < v->n; i++) {
        hidden[i] = superseded(v, i);
    }
    for (size_t k = 0; k < sizeof metrics / sizeof metrics[0]; k++) {
        const struct metric *m = &metrics[k];
        buf_clear(&lines);
        for (size_t i = 0; i < v->n; i++) {
            const struct column *c = &v->columns[i];
            if (!hidden[i] && m->column != NULL) {
                m->column(&lines, m, c);
            }
            for (size_t j = 0; !hidden[i] && m->step != NULL && j < c->steps_n; j++) {
                m->step(&lines, m, c, &c->steps[j]);
            }
        }
        if (lines.len > 0) {
            buf_addf(out, "# HELP %s %s\n# TYPE %s %s\n%s", m->name, m->help, m->name, m->type,
                     buf_text(&lines));
        }
    }
    buf_free(&lines);
    free(hidden);
    view_free(v);
    return 0;
}
