/* place: the database of a run, and the promise never to harm another.
 *
 * Either a fresh one of a unique name, which carries our marker and is deleted after the last run,
 * once the marker was read again; or one the user named: it must be empty, or hold our marker and
 * nothing but documents with ids that this run writes; these are taken out afterwards and the
 * database stays. */
#ifndef BENCH_PLACE_H
#define BENCH_PLACE_H

#include <stdbool.h>

#include "bench/workload.h"

struct place {
    char *db;
    char *token; /* of the marker; also makes design documents unique */
    bool ours;   /* created by us: dropped in the end */
};

/* For a workload without a database it gives a token only. */
int place_open(struct place *p, struct couch *c, const struct spec *spec, void *state,
               struct err *err);

/* After a run in a database that is not ours: takes our documents and the marker out. */
int place_clear(struct place *p, struct couch *c, const struct spec *spec, void *state,
                struct err *err);

/* Deletes a database of ours. */
int place_drop(struct place *p, struct couch *c, struct err *err);
void place_free(struct place *p);

#endif
