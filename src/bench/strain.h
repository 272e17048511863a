/* strain: what a phase costs the client: processor time of the thread that runs the loop, and how
 * late that loop is. Lag is looked at on a timerfd's absolute times, every 10 ms; the looks that a
 * long block swallowed are counted as well, each with its own lag, so that the mean is that of an
 * answer that comes at any moment. */
#ifndef BENCH_STRAIN_H
#define BENCH_STRAIN_H

#include <uv.h>

#include "bench/result.h"

struct strain;

/* Begins on a loop of the calling thread. NULL if the system has no descriptor left: then nothing
 * is known. */
struct strain *strain_start(uv_loop_t *loop);

/* Ends it, fills client_cpu_s and loop_lag, and frees (the handle itself when the loop next runs).
 * NULL is fine. */
void strain_stop(struct strain *s, struct phase_result *p);

#endif
