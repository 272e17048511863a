/* wl_bulkdocs: Paul Davis's CouchDB JSON timings: uniform documents inserted in batches, then three
 * views of them, each of its own design document, read once while it is built and once again. */
#ifndef BENCH_WL_BULKDOCS_H
#define BENCH_WL_BULKDOCS_H

#include "bench/workload.h"

extern const struct workload wl_bulkdocs;

#endif
