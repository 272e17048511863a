/* meter: what is kept of every request of a phase while it runs: service and response times, the
 * parts of a request, a figure a second, raw times up to a number. It costs a request four counts
 * in histograms; lists grow by doubling.
 *
 * Ownership: meter_free frees it; meter_into copies nothing of it that it still needs. */
#ifndef BENCH_METER_H
#define BENCH_METER_H

#include <stddef.h>
#include <stdint.h>

#include "bench/result.h"
#include "net/http.h"

struct meter;

struct meter *meter_new(size_t keep_raw);
void meter_free(struct meter *m); /* NULL is fine */

/* The phase's clock starts: second 0 begins. */
void meter_start(struct meter *m, uint64_t now_ns);

/* A request has ended. `planned_ns`: when it was to start; 0: there was no plan. */
void meter_add(struct meter *m, const struct http_reply *reply, uint64_t planned_ns);

/* Puts everything into the phase: histograms are added to those it has, the rest replaces. */
void meter_into(struct meter *m, struct phase_result *p);

/* Bytes and connections of the requests added. */
void meter_traffic(const struct meter *m, struct http_counters *out);

struct quantiles quantiles_of(const struct hist *h);

#endif
