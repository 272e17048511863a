/* plan: axes multiplied into specs. Options of several values (OPT_AXIS) and several servers are
 * the axes; the first varies slowest. */
#ifndef BENCH_PLAN_H
#define BENCH_PLAN_H

#include "base/option.h"
#include "bench/spec.h"

#define PLAN_SPECS_MAX 10000

struct plan {
    struct server_spec *servers;
    size_t servers_n;
    struct spec *specs;
    size_t specs_n;
    char *label;            /* the user's word for it; NULL: none */
    const char *only_phase; /* run none but this; NULL: all that are wanted. Not the plan's own */
    bool sequential;        /* all runs of a spec before the next; else interleaved A B A B */
};

/* Tables an option list for a plan is parsed with: [0] the common settings, then one a workload. */
size_t plan_tables(struct option_table *out, size_t max);

/* A plan without specs. Takes over `servers` (an array from mem_*, with what its elements hold).
 * Free with plan_free. */
void plan_open(struct plan *plan, struct server_spec *servers, size_t servers_n);

/* What is multiplied into specs. */
struct plan_part {
    const char *name; /* of the experiment, before the names of its specs; NULL: none */
    const struct option_list *list; /* parsed with plan_tables … */
    size_t first;                   /* … at this index of its tables */
    const size_t *servers;          /* indexes into plan->servers; NULL: all */
    size_t servers_n;
};

/* Adds a part's specs; or none and ERR_USAGE with what contradicts. Pointers to specs that were
 * there already are no longer valid. */
int plan_add(struct plan *plan, const struct plan_part *part, struct err *err);

/* plan_open and plan_add of one part without a name, on all servers; frees all on failure. */
int plan_make(struct plan *plan, struct server_spec *servers, size_t servers_n,
              const struct option_list *list, size_t first, struct err *err);
void plan_free(struct plan *plan);

#endif
