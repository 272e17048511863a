#include "bench/find_batch.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/runner.h"
#include "bench/workload.h"

struct finding {
    struct find_batch *f;
    struct runner *runner;
    size_t *spec;  /* of each setting */
    uint64_t docs; /* that a run writes */
};

static void add_value(uint64_t *values, size_t *n, uint64_t value)
{
    size_t at = 0;
    while (at < *n && values[at] < value) {
        at++;
    }
    if (at < *n && values[at] == value) {
        return;
    }
    memmove(values + at + 1, values + at, (*n - at) * sizeof *values);
    values[at] = value;
    ++*n;
}

static size_t index_of(const uint64_t *values, uint64_t value)
{
    size_t at = 0;
    while (values[at] != value) {
        at++;
    }
    return at;
}

/* The grid that the specs make; ERR_USAGE if they make another thing. */
static int make_grid(struct finding *g, const struct plan *plan, struct err *err)
{
    struct search *s = &g->f->search;
    g->f->batch = mem_zero(plan->specs_n + 1, sizeof *g->f->batch);
    g->f->concurrency = mem_zero(plan->specs_n + 1, sizeof *g->f->concurrency);
    for (size_t i = 0; i < plan->specs_n; i++) {
        add_value(g->f->batch, &s->batch_n, plan->specs[i].common.batch);
        add_value(g->f->concurrency, &s->concurrency_n, plan->specs[i].common.concurrency);
    }
    s->batch = g->f->batch;
    s->concurrency = g->f->concurrency;
    size_t n = s->batch_n * s->concurrency_n;
    g->spec = mem_zero(n, sizeof *g->spec);
    for (size_t i = 0; i < plan->specs_n; i++) {
        const struct spec_settings *c = &plan->specs[i].common;
        g->spec[index_of(s->batch, c->batch) * s->concurrency_n +
                index_of(s->concurrency, c->concurrency)] = i;
    }
    if (n != plan->specs_n) { /* lists multiply: equal only if there is no third one */
        return err_set(err, ERR_USAGE,
                       "--find-batch is about --batch and --concurrency on one server, in one "
                       "experiment: there can be no other list");
    }
    return 0;
}

/* How many documents a run writes: the requests it would take to write them one by one. */
static int count_docs(struct finding *g, const struct spec *spec, struct err *err)
{
    const struct workload *w = spec->workload;
    struct spec one = *spec;
    struct estimate e = {0, 0};
    void *state = NULL;
    one.common.batch = 1;
    int rc = w->prepare(&one, &state, err);
    for (size_t i = 0; rc == 0 && i < w->phases_n; i++) {
        if (strcmp(w->phases[i].name, g->f->phase) == 0) {
            rc = w->estimate(state, &one, &w->phases[i], &e, err);
        }
    }
    if (state != NULL) {
        w->release(state);
    }
    g->docs = e.requests;
    return rc;
}

/* Neither a batch above one that holds everything already, nor more at once than there are
 * requests: they are other settings' doubles. */
static bool useful(void *arg, size_t batch, size_t concurrency)
{
    const struct finding *g = arg;
    const struct search *s = &g->f->search;
    uint64_t requests = (g->docs + s->batch[batch] - 1) / s->batch[batch];
    return (batch == 0 || s->batch[batch - 1] < g->docs) &&
           (concurrency == 0 || s->concurrency[concurrency] <= requests);
}

static int measure(void *arg, size_t batch, size_t concurrency, double *rate, struct err *err)
{
    struct finding *g = arg;
    size_t spec = g->spec[batch * g->f->search.concurrency_n + concurrency];
    const struct run_result *run;
    do { /* its warm-up runs first */
        if (runner_once(g->runner, spec, err) < 0) {
            return -1;
        }
        const struct spec_result *s = runner_result(g->runner, spec);
        run = &s->runs[s->runs_n - 1];
    } while (run->warmup);
    const struct phase_result *p = result_phase(run, g->f->phase);
    bool good = p != NULL && p->state == PHASE_OK && p->wall_s > 0;
    *rate = good ? (double)p->items / p->wall_s : NAN;
    return 0;
}

int find_batch_run(struct find_batch *f, struct plan *plan, const struct observer *observer,
                   struct result *result, struct err *err)
{
    const struct spec *first = &plan->specs[0];
    struct finding g = {.f = f};
    *f = (struct find_batch){.phase = first->workload->bulk_phase, .unit = "doc"};
    f->search = (struct search){.arg = &g,
                                .measure = measure,
                                .useful = useful,
                                .finals = first->common.runs,
                                .best = SEARCH_NONE,
                                .answer = SEARCH_NONE};
    if (f->phase == NULL) {
        return err_set(err, ERR_USAGE, "--find-batch: %s writes nothing in bulk",
                       first->workload->name);
    }
    if (first->common.until_ci > 0) {
        return err_set(err, ERR_USAGE, "--find-batch and --until-ci exclude each other");
    }
    int rc = make_grid(&g, plan, err);
    if (rc == 0) {
        rc = count_docs(&g, first, err);
    }
    if (rc == 0) {
        plan->only_phase = f->phase;
        g.runner = runner_open(plan, observer, result);
        rc = runner_close(g.runner, search_run(&f->search, err), err);
    }
    free(g.spec);
    return rc;
}

void find_batch_free(struct find_batch *f)
{
    search_free(&f->search);
    free(f->batch);
    free(f->concurrency);
}
