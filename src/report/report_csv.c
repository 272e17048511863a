/* report_csv: every figure of every run in a row of its own (tidy data), warm-up runs and failed
 * phases included and marked, for other programs to compute with. RFC 4180 quoting, lines ended by
 * LF; numbers in full, in the unit named beside them. */
#include "report/report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report/gather.h"
#include "report/table.h"

/* Where a row comes from. */
struct origin {
    const struct column *column;
    const struct run_result *run;
    const struct phase_result *phase;
};

static void text_field(struct buf *out, const char *text)
{
    put_csv(out, text != NULL ? text : "");
    buf_addc(out, ',');
}

static void row(struct buf *out, const struct origin *o, const char *figure, size_t group,
                double value, const char *unit)
{
    static const char *const states[] = {"ok", "failed", "skipped", "partial"};
    const struct column *c = o->column;
    char number[40] = "";
    text_field(out, c->result->label);
    text_field(out, c->spec->workload);
    text_field(out, c->spec->name);
    text_field(out, json_str(c->server, "vendor", ""));
    text_field(out, json_str(c->server, "version", ""));
    text_field(out, json_str(c->network, "name", ""));
    text_field(out, json_str(c->client, "host", ""));
    buf_addf(out, "%d,%d,", o->run->number, o->run->warmup);
    text_field(out, o->phase->name);
    text_field(out, o->phase->via);
    text_field(out, states[o->phase->state]);
    text_field(out, figure);
    if (group > 0) {
        snprintf(number, sizeof number, "%zu", group);
    }
    buf_addf(out, "%s,", number);
    if (isfinite(value)) {
        buf_addf(out, "%.15g", value);
    }
    buf_addc(out, ',');
    put_csv(out, unit);
    buf_addc(out, '\n');
}

static void count_rows(struct buf *out, const struct origin *o, const char *of,
                       const struct counts *c)
{
    const struct {
        const char *name;
        uint64_t n;
    } all[] = {{"ok", c->ok},
               {"conflict", c->conflict},
               {"http_error", c->http_error},
               {"transport_error", c->transport_error},
               {"timeout", c->timeout},
               {"unknown", c->unknown},
               {"retried", c->retried}};
    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        char figure[64];
        if (all[i].n > 0) {
            snprintf(figure, sizeof figure, "%s %s", of, all[i].name);
            row(out, o, figure, 0, (double)all[i].n, of);
        }
    }
}

static void latency_rows(struct buf *out, const struct origin *o, const struct hist *h)
{
    static const double percents[] = {50, 90, 95, 99, 99.9};
    if (h == NULL || hist_count(h) == 0) {
        return;
    }
    row(out, o, "latency mean", 0, hist_mean(h) * 1e-9, "s");
    for (size_t i = 0; i < sizeof percents / sizeof percents[0]; i++) {
        char figure[40];
        if (hist_supports(h, percents[i])) {
            snprintf(figure, sizeof figure, "latency p%g", percents[i]);
            row(out, o, figure, 0, (double)hist_percentile(h, percents[i]) * 1e-9, "s");
        }
    }
    row(out, o, "latency max", 0, (double)hist_max(h) * 1e-9, "s");
}

static void phase_rows(struct buf *out, const struct origin *o)
{
    const struct phase_result *p = o->phase;
    row(out, o, "wall", 0, p->wall_s, "s");
    row(out, o, "items", 0, (double)p->items, p->item_unit != NULL ? p->item_unit : "item");
    row(out, o, "client busy", 0, p->client_busy_s, "s");
    const struct {
        const char *name;
        uint64_t n;
    } bytes[] = {
        {"sent", p->sent_bytes}, {"received", p->received_bytes}, {"payload", p->payload_bytes}};
    for (size_t i = 0; i < sizeof bytes / sizeof bytes[0]; i++) {
        if (bytes[i].n > 0) {
            row(out, o, bytes[i].name, 0, (double)bytes[i].n, "byte");
        }
    }
    row(out, o, "connections", 0, (double)p->connections, "connection");
    count_rows(out, o, "request", &p->requests);
    count_rows(out, o, "doc", &p->docs);
    latency_rows(out, o, p->latency);
    for (size_t i = 0; i < p->series_n; i++) {
        for (size_t k = 0; k < p->series[i].n; k++) {
            row(out, o, p->series[i].name, k + 1, p->series[i].ms[k], "ms");
        }
    }
}

int report_csv(const struct result *const *results, size_t n, const struct report_options *o,
               struct buf *out, struct err *err)
{
    (void)o;
    (void)err;
    struct view *v = view_new(results, n);
    buf_adds(out, "label,workload,spec,vendor,version,network,client,run,warmup,phase,via,state,"
                  "figure,group,value,unit\n");
    for (size_t i = 0; i < v->n; i++) {
        const struct spec_result *s = v->columns[i].spec;
        for (size_t k = 0; k < s->runs_n; k++) {
            for (size_t j = 0; j < s->runs[k].phases_n; j++) {
                struct origin origin = {&v->columns[i], &s->runs[k], &s->runs[k].phases[j]};
                phase_rows(out, &origin);
            }
        }
    }
    view_free(v);
    return 0;
}
