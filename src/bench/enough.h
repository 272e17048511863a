/* enough: whether a spec was run often enough. */
#ifndef BENCH_ENOUGH_H
#define BENCH_ENOUGH_H

#include <stdbool.h>

#include "bench/result.h"
#include "bench/spec.h"

/* How far the interval of a phase's median reaches from it. */
struct enough_phase {
    const char *name; /* in the result; NULL: no phase has figures */
    double reach;     /* percent of the median; INFINITY: no interval yet */
};

/* Whether the spec needs no more runs: --runs, or --until-ci (see there) within --runs-max.
 * `widest` (may be NULL): the phase whose interval decides.
 *
 * The figure of a phase is its time per item, so that phases which last for a given time count too.
 * Phases that were skipped or failed in every run have no figures and are not waited for. To look
 * after each run and to stop when the interval happens to be narrow makes intervals a little too
 * narrow: the price of not running too often. The least number of runs bounds it. */
bool enough_runs(const struct spec_result *s, const struct spec_settings *c,
                 struct enough_phase *widest);

/* Runs that count: neither warm-up nor cut off. */
uint64_t enough_count(const struct spec_result *s);

#endif
