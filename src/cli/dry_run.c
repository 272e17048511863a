#include "cli/dry_run.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/text.h"
#include "bench/estimate.h"
#include "report/table.h"

/* Sums over all specs: of the fewest and of the most runs. */
struct totals {
    struct estimate least, most;
    uint64_t runs_least, runs_most;
    bool known;
};

static void row(struct table *t, const struct spec *spec, const struct spec_estimate *e,
                struct totals *sum)
{
    char a[40], b[40];
    uint64_t warmup = spec->common.warmup;
    table_cell(t, "%s", spec->name);
    table_cell(t, "%s", spec->server->key);
    if (e->runs_least == e->runs_most) {
        table_cell(t, "%s", text_grouped(a, sizeof a, e->runs_most));
    } else {
        table_cell(t, "%s to %s", text_grouped(a, sizeof a, e->runs_least),
                   text_grouped(b, sizeof b, e->runs_most));
    }
    if (warmup > 0) {
        table_cell(t, "%s", text_grouped(a, sizeof a, warmup));
    } else {
        table_cell(t, "%s", "");
    }
    if (e->known) {
        table_cell(t, "%s", text_grouped(a, sizeof a, e->run.requests));
        table_cell(t, "%s", text_bytes(b, sizeof b, (double)e->run.bytes, false));
    } else {
        table_cell(t, "?");
        table_cell(t, "?");
        sum->known = false;
    }
    sum->runs_least += e->runs_least + warmup;
    sum->runs_most += e->runs_most + warmup;
    sum->least.requests += e->run.requests * (e->runs_least + warmup);
    sum->least.bytes += e->run.bytes * (e->runs_least + warmup);
    sum->most.requests += e->run.requests * (e->runs_most + warmup);
    sum->most.bytes += e->run.bytes * (e->runs_most + warmup);
}

static void print_total(const struct plan *plan, const struct totals *sum, struct buf *out)
{
    char a[40], b[40], c[40];
    put_line(out, "%zu spec%s, runs %s.", plan->specs_n, plan->specs_n == 1 ? "" : "s",
             plan->sequential ? "one spec after the other" : "interleaved");
    if (sum->runs_least != sum->runs_most) {
        put_line(out, "At least: %s runs, %s requests, %s.",
                 text_grouped(a, sizeof a, sum->runs_least),
                 text_grouped(b, sizeof b, sum->least.requests),
                 text_bytes(c, sizeof c, (double)sum->least.bytes, false));
    }
    put_line(out, "%s: %s runs, %s requests, %s%s.",
             sum->runs_least != sum->runs_most ? "At most" : "In all",
             text_grouped(a, sizeof a, sum->runs_most),
             text_grouped(b, sizeof b, sum->most.requests),
             text_bytes(c, sizeof c, (double)sum->most.bytes, false),
             sum->known ? "" : ", and what cannot be known");
    put_line(out, "Requests and bytes are those of the measured phases, bytes those of request "
                  "bodies. Nothing was sent.");
}

int dry_run(const struct plan *plan, struct err *err)
{
    static const char *const headings[] = {"spec",    "server",         "runs",
                                           "warm-up", "requests a run", "bytes a run"};
    struct table *t = table_new("llrrrr");
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    struct totals sum = {.known = true};
    int rc = 0;
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        table_cell(t, "%s", headings[i]);
    }
    for (size_t i = 0; rc == 0 && i < plan->specs_n; i++) {
        struct spec_estimate e;
        rc = estimate_spec(&plan->specs[i], &e, err);
        if (rc == 0) {
            row(t, &plan->specs[i], &e, &sum);
        }
    }
    if (rc == 0) {
        table_text(t, &out);
        buf_addc(&out, '\n');
        print_total(plan, &sum, &out);
        fputs(buf_text(&out), stdout);
    }
    table_free(t);
    buf_free(&out);
    return rc;
}
