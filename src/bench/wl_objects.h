/* wl_objects: Fedora's benchtool over HTTP: objects (a document with one attachment each) ingested,
 * read, updated and deleted, with the time of every group of them. */
#ifndef BENCH_WL_OBJECTS_H
#define BENCH_WL_OBJECTS_H

#include "bench/workload.h"

extern const struct workload wl_objects;

#endif
