/* bulk: writing documents through _bulk_docs, batch by batch, under a load: a queue of batches,
 * answers judged row by row after the clock, batches halved where the server finds them too large.
 * Shared by every workload that writes. */
#ifndef BENCH_BULK_H
#define BENCH_BULK_H

#include "bench/dataset.h"
#include "bench/judge.h"
#include "bench/load.h"
#include "bench/workload.h"

/* One request's worth of documents. */
struct bulk_item {
    struct dataset_batch batch; /* of the file, or built from what was read */
    struct bulk_item *next;
};

struct bulk {
    struct bench *b;
    struct phase_result *p;
    char *url;
    struct judge *judge;
    struct bulk_item *queue, **queue_end; /* to be sent */
    uint64_t ok, unknown;                 /* documents */
    uint64_t sent_docs, errors, total;
    uint64_t below_quorum; /* answers of 202 */
    uint64_t halved;       /* requests refused for their size */
    size_t batch_max;      /* most documents in one request that was accepted */
    struct couch_bulk sum;
    char first_error[sizeof((struct err *)0)->text];
    char judged_error[sizeof((struct err *)0)->text]; /* of rows */
    double *series;
    size_t series_n, series_cap;
};

/* Starts on a phase that will write `total` documents. Free with bulk_close. */
void bulk_open(struct bulk *w, struct bench *b, struct phase_result *p, uint64_t total);

/* The queue. A pushed item is the bulk's; a popped one is its taker's until it is given to bulk_op
 * (and so to bulk_done). */
void bulk_push(struct bulk *w, struct bulk_item *it);
struct bulk_item *bulk_pop(struct bulk *w); /* NULL: empty */
void bulk_item_free(struct bulk_item *it);

/* Makes the item the load's next request; bulk_done takes its reply (and the item). */
void bulk_op(struct bulk *w, struct bulk_item *it, struct load_op *op);
void bulk_done(struct bulk *w, struct bulk_item *it, struct http_reply *reply);

/* Remembers the first thing that went wrong, for the phase's reason. */
void bulk_first_error(struct bulk *w, const char *text);

/* After the clock: judges what is left and puts everything into the phase (counts, facts, notes,
 * series of batch times, client time). */
void bulk_close(struct bulk *w, const struct load *l);

#endif
