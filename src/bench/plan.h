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
    char *label;     /* the user's word for it; NULL: none */
    bool sequential; /* all runs of a spec before the next; else interleaved A B A B */
};

/* Tables an option list for a plan is parsed with: [0] the common settings, then one a workload. */
size_t plan_tables(struct option_table *out, size_t max);

/* Takes over `servers` (an array from mem_*, with what its elements hold, also on failure). `list`
 * was parsed with plan_tables at table index `first` of its tables. ERR_USAGE with what
 * contradicts. Free with plan_free. */
int plan_make(struct plan *plan, struct server_spec *servers, size_t servers_n,
              const struct option_list *list, size_t first, struct err *err);
void plan_free(struct plan *plan);

#endif
