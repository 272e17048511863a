/* judge: answers kept as bytes during a phase and judged after its clock, so that the loop that
 * takes the time never waits for a parser. When more than a bound is kept, they are judged during
 * the phase by a thread of their own; only if that falls behind does the loop wait, and that is
 * counted. The function is never run by two threads at once. */
#ifndef BENCH_JUDGE_H
#define BENCH_JUDGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"

struct judge;

/* Judges one answer; `item` is its own to free, the bytes are not. */
typedef void judge_fn(void *arg, void *item, const char *bytes, size_t len);

/* Keeps at most about 2 × keep_max bytes. */
struct judge *judge_new(size_t keep_max, judge_fn *fn, void *arg);

/* Takes the bytes out of `body`. */
void judge_add(struct judge *j, void *item, struct buf *body);

/* Judges what is left, on the calling thread; afterwards all results are visible to it. */
void judge_finish(struct judge *j);
void judge_free(struct judge *j); /* after judge_finish; NULL is fine */

bool judge_threaded(const struct judge *j);       /* some were judged during the phase */
uint64_t judge_blocked_ns(const struct judge *j); /* the loop waited for the thread */

#endif
