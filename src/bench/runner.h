/* runner: runs every spec of a plan as often as asked, interleaved, and writes one result. */
#ifndef BENCH_RUNNER_H
#define BENCH_RUNNER_H

#include "bench/observer.h"
#include "bench/plan.h"
#include "bench/result.h"

/* Fills `result` (also when it fails: what was measured until then). 0: every run was made, every
 * phase is ok or skipped. -1: `err` says what ended it, or which phase failed first. Databases are
 * removed however it ends, save with --keep. */
int runner_run(const struct plan *plan, const struct observer *observer, struct result *result,
               struct err *err);

#endif
