/* The workload "mix": weighted operations on a loaded library. */
#ifndef BENCH_WL_MIX_H
#define BENCH_WL_MIX_H

#include "bench/workload.h"

extern const struct workload wl_mix;

#endif
