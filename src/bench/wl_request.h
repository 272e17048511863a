/* The workload "request": one request over and over, to any HTTP server. */
#ifndef BENCH_WL_REQUEST_H
#define BENCH_WL_REQUEST_H

#include "bench/workload.h"

extern const struct workload wl_request;

#endif
