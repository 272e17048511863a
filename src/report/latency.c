/* latency: percentiles of request latencies as a table: what the drawing of them shows, in figures.
 */
#include "report/parts.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void figure_cell(struct table *t, uint64_t ns)
{
    char text[40];
    table_cell(t, "%s", text_seconds(text, sizeof text, (double)ns * 1e-9));
}

static const double percents[] = {50, 90, 95, 99, 99.9};
enum { PERCENTS = sizeof percents / sizeof percents[0] };

static void latency_row(struct table *t, const struct column *c, const struct step *s,
                        const char *what, const struct hist *h)
{
    char text[40];
    table_cell(t, "%s", c->label);
    table_cell(t, "%s", s->plain);
    table_cell(t, "%s", s->via);
    table_cell(t, "%s", what);
    table_cell(t, "%s", text_grouped(text, sizeof text, hist_count(h)));
    for (size_t p = 0; p < PERCENTS; p++) {
        if (hist_supports(h, percents[p])) {
            figure_cell(t, hist_percentile(h, percents[p]));
        } else {
            table_cell(t, "%s", "");
        }
    }
    figure_cell(t, hist_max(h));
}

static void part_cell(struct table *t, const struct quantiles *q)
{
    char text[40];
    table_cell(t, "%s", q->count > 0 ? text_seconds(text, sizeof text, q->p50_s) : "");
}

/* Medians within the last run that counts: where a request's time goes is much the same in all. */
static void part_row(struct table *t, const struct column *c, const struct step *s)
{
    const struct phase_result *p = step_last(c, s);
    if (p == NULL || p->parts[PART_FIRST_BYTE].count == 0) {
        return;
    }
    struct strain_seen strain = step_strain(c, s);
    char text[40];
    table_cell(t, "%s", c->label);
    table_cell(t, "%s", s->plain);
    table_cell(t, "%s", s->via);
    table_cell(t, "%s", text_grouped(text, sizeof text, p->connections));
    part_cell(t, &p->parts[PART_CONNECT]);
    part_cell(t, &p->parts[PART_TLS]);
    part_cell(t, &p->parts[PART_FIRST_BYTE]);
    part_cell(t, &p->parts[PART_TRANSFER]);
    if (strain.cpu > 0) { /* an operation of a mix has no share of its own */
        table_cell(t, "%.0f %%", strain.cpu * 100);
    } else {
        table_cell(t, "%s", "");
    }
    table_cell(t, "%s", strain.median_s > 0 ? text_seconds(text, sizeof text, strain.lag_s) : "");
}

/* How the plans of an open loop were kept, run by run. */
static void plan_lines(struct page *page, const struct view *v)
{
    bool any = false;
    for (size_t i = 0; i < v->n; i++) {
        const struct spec_result *spec = v->columns[i].spec;
        for (size_t k = 0; k < spec->runs_n; k++) {
            for (size_t j = 0; j < spec->runs[k].phases_n && !spec->runs[k].warmup; j++) {
                const struct phase_result *p = &spec->runs[k].phases[j];
                const struct open_loop *o = p->open;
                if (o == NULL) {
                    continue;
                }
                char asked[40], sent[40], n[4][32];
                if (!any) {
                    page_gap(page);
                }
                any = true;
                page_line(page,
                          "Plan of %s%s%s, run %d: %s/s (%s), sent %s/s%s; %s starts, %s late by "
                          "more than %g ms (%s for want of a place: %llu in flight at most), %s "
                          "missed.",
                          v->n > 1 ? v->columns[i].label : "", v->n > 1 ? ", " : "", p->name,
                          spec->runs[k].number, text_figure(asked, sizeof asked, o->asked_per_s),
                          o->poisson ? "Poisson" : "constant",
                          text_figure(sent, sizeof sent, o->achieved_per_s),
                          o->reached ? "" : ", NOT REACHED",
                          text_grouped(n[0], sizeof n[0], o->planned),
                          text_grouped(n[1], sizeof n[1], o->late), o->late_after_s * 1e3,
                          text_grouped(n[2], sizeof n[2], o->waited),
                          (unsigned long long)o->max_in_flight,
                          text_grouped(n[3], sizeof n[3], o->missed));
            }
        }
    }
    if (any) {
        page_line(page, "service: from the send; response: from the planned start, with what it "
                        "waited in the client. Missed starts were not sent and are in neither.");
    }
}

void latency_table(struct page *page, const struct view *v)
{
    struct table *t = table_new("llllrrrrrrr"), *parts = table_new("lllrrrrrrr");
    static const char *const headings[] = {"connections", "connect",    "TLS",     "first byte",
                                           "transfer",    "client CPU", "loop lag"};
    const char *spec = v->n > 1 ? "spec" : ""; /* a column without a heading is left out */
    table_cell(t, "%s", spec);
    table_cell(t, "step");
    table_cell(t, "via");
    table_cell(t, "time");
    table_cell(t, "requests");
    for (size_t i = 0; i < PERCENTS; i++) {
        table_cell(t, "%g %%", percents[i]);
    }
    table_cell(t, "max");
    table_cell(parts, "%s", spec);
    table_cell(parts, "step");
    table_cell(parts, "via");
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        table_cell(parts, "%s", headings[i]);
    }
    for (size_t i = 0; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; k < c->steps_n; k++) {
            struct hist *h = step_latency(c, &c->steps[k]);
            struct hist *response = step_response(c, &c->steps[k]);
            if (h != NULL && (page->kind == PAGE_HTML || hist_supports(h, 50))) {
                latency_row(t, c, &c->steps[k], response != NULL ? "service" : "", h);
                if (response != NULL) {
                    latency_row(t, c, &c->steps[k], "response", response);
                }
                part_row(parts, c, &c->steps[k]);
            }
            hist_free(h);
            hist_free(response);
        }
    }
    if (table_rows(t) > 1) {
        page_heading(page, "Latency of requests");
        page_table(page, t);
        page_line(page, "Successful requests of all runs together, from the send to the last byte. "
                        "A percentile is given where at least ten requests lie beyond it.");
    }
    plan_lines(page, v);
    if (table_rows(parts) > 1) {
        page_heading(page, "Where the time went");
        page_table(page, parts);
        page_line(page,
                  "Medians of the last run, of the connections it opened and of its requests. "
                  "client CPU and the mean lag of the client's event loop: of the worst run.");
    }
    table_free(parts);
    table_free(t);
}
