/* find_batch: the search for batch size and concurrency (bench/search), over the runner. */
#ifndef BENCH_FIND_BATCH_H
#define BENCH_FIND_BATCH_H

#include "bench/observer.h"
#include "bench/plan.h"
#include "bench/result.h"
#include "bench/search.h"

/* The settings that a search tries unless told otherwise. */
#define FIND_BATCH_SIZES \
    "10,15,20,30,50,70,100,150,200,300,500,700,1000,1500,2000,3000,5000,7000,10000"
#define FIND_BATCH_CONCURRENCY "1,2,4,8,16"

struct find_batch {
    struct search search;
    uint64_t *batch, *concurrency;
    const char *phase; /* that is measured */
    const char *unit;  /* of its items, singular */
};

/* Searches the specs of a plan, which must differ in batch and concurrency alone, over the phase
 * that writes in bulk; nothing else is run. `result` gets every run. As runner_run in what it
 * answers; the search is filled as far as it came. Free with find_batch_free in any case. */
int find_batch_run(struct find_batch *f, struct plan *plan, const struct observer *observer,
                   struct result *result, struct err *err);
void find_batch_free(struct find_batch *f);

#endif
