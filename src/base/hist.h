/* hist: log-linear histogram of durations in nanoseconds, mergeable.
 *
 * Values below 256 ns have a bucket each; above, every power of two is cut into 128 equal buckets,
 * so that a bucket is at most 1/128 of its lower bound wide: a value is reported as its bucket's
 * middle, within 0.4 % of what was recorded. Values from 2^42 ns (73 minutes) on share one last
 * bucket; min, max, count and sum are exact. */
#ifndef BASE_HIST_H
#define BASE_HIST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/json.h"

struct hist;

struct hist *hist_new(void);
void hist_free(struct hist *h); /* NULL is fine */
void hist_add(struct hist *h, uint64_t ns);
void hist_clear(struct hist *h); /* as new */
void hist_merge(struct hist *into, const struct hist *from);

uint64_t hist_count(const struct hist *h);
uint64_t hist_min(const struct hist *h); /* 0 when empty */
uint64_t hist_max(const struct hist *h);
double hist_mean(const struct hist *h);

/* The value at or below which `percent` (0 to 100) of the recorded ones lie; 0 when empty. */
uint64_t hist_percentile(const struct hist *h, double percent);

/* Whether at least ten recorded values lie beyond it: a percentile is printed only then. */
bool hist_supports(const struct hist *h, double percent);

/* Sparse, for the result file: {"unit":"ns","count":…,"min":…,"max":…,"sum":…,
 * "buckets":[[lower bound, count], …]}. hist_from_json gives NULL with a reason for anything that
 * is not such an object. */
cJSON *hist_to_json(const struct hist *h);
struct hist *hist_from_json(const cJSON *json, struct err *err);

/* HdrHistogram's percentile distribution text (values in milliseconds). */
void hist_percentile_text(const struct hist *h, struct buf *out);

#endif
