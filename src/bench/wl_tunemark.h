/* wl_tunemark: TuneMark over HTTP: a music library imported, updated, queried without and with
 * indexes, and searched. */
#ifndef BENCH_WL_TUNEMARK_H
#define BENCH_WL_TUNEMARK_H

#include "bench/workload.h"

extern const struct workload wl_tunemark;

#endif
