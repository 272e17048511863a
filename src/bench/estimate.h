/* estimate: what the runs of a spec will send, worked out without sending anything. */
#ifndef BENCH_ESTIMATE_H
#define BENCH_ESTIMATE_H

#include <stdbool.h>

#include "bench/spec.h"
#include "bench/workload.h"

/* Sums over the phases of one run. What goes on between the phases (creating the database, reading
 * counts back) is not in it; nor are steps that the server will turn out not to have left out. */
struct spec_estimate {
    bool known; /* false: the workload goes on for as long as it is told */
    struct estimate run;
    uint64_t runs_least, runs_most; /* without warm-up; they differ with --until-ci */
};

/* Reads the data that the spec names. */
int estimate_spec(const struct spec *spec, struct spec_estimate *out, struct err *err);

#endif
