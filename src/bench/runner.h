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

/* The same run by run, for those who decide after each what to run next. All three are the caller's
 * until runner_close. */
struct runner *runner_open(const struct plan *plan, const struct observer *observer,
                           struct result *result);

/* Opens the data of a spec and meets its server; runner_once does it where it was not done. */
int runner_prepare(struct runner *r, size_t spec, struct err *err);

/* One more run of a spec: first its warm-up runs, then those that count. -1: nothing more can be
 * run (interrupted, server gone). A phase that failed is in the result and in what runner_close
 * says. */
int runner_once(struct runner *r, size_t spec, struct err *err);

/* What was measured of a spec so far; NULL before it was prepared. Valid until the next call. */
const struct spec_result *runner_result(const struct runner *r, size_t spec);

/* Removes databases, completes the result and frees. `rc` is how the running ended (-1: `err` says
 * why); returned as by runner_run. */
int runner_close(struct runner *r, int rc, struct err *err);

#endif
