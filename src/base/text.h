/* text: reading and writing sizes, times and rates as people write them. Decimals are points in
 * every locale (the program never calls setlocale for LC_NUMERIC). */
#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

/* "1500", "4k", "4kB" (thousands), "4Ki", "4KiB" (of 1,024); k, m, g, t in either case. Whole
 * numbers, or decimals with a unit ("1.5m"). ERR_USAGE with the reason otherwise. */
int text_parse_size(const char *s, uint64_t *bytes, struct err *err);

/* "250us", "20ms", "1.5s", "10m", "2h"; a bare number is seconds. Result in nanoseconds. */
int text_parse_duration(const char *s, uint64_t *ns, struct err *err);

/* "40mbit", "1.5gbit", "100kbit" (bits a second) or "5MB", "5MiB" (bytes a second): result in
 * bits a second. */
int text_parse_rate(const char *s, uint64_t *bits_per_s, struct err *err);

/* A whole decimal number and nothing else. */
int text_parse_u64(const char *s, uint64_t *value, struct err *err);

/* A decimal number with a point and nothing else; no hexadecimal, no "inf", no "nan". */
int text_parse_double(const char *s, double *value, struct err *err);

/* "2%", "0.5 %", or "2" for the same: the result is 2, not 0.02. */
int text_parse_percent(const char *s, double *value, struct err *err);

/* "12,189": digits in groups of three. Returns out. */
char *text_grouped(char *out, size_t size, uint64_t n);

/* "6.72 MB" (units of 1,000) or "6.41 MiB" (binary). Returns out. */
char *text_bytes(char *out, size_t size, double bytes, bool binary);

/* A duration in the first of s, ms, us, ns in which it is at least 1: "1.21 s", "83.7 ms". */
char *text_seconds(char *out, size_t size, double seconds);

/* A rate or count with three significant figures and no exponent: "10,135", "87.2", "0.053". */
char *text_figure(char *out, size_t size, double value);

/* The name in `names` (ended by NULL) nearest to `word` by edit distance, or NULL if none is near
 * enough to be what was meant (at most a third of the longer word; a swap of neighbours is one
 * edit). */
const char *text_nearest(const char *word, const char *const *names);

/* Copies with control characters (also C1, DEL and invalid UTF-8) as \xNN, so that nothing from a
 * server or file can drive a terminal. Cut at `size` with "...". Returns out. */
char *text_visible(char *out, size_t size, const char *s);

bool text_starts(const char *s, const char *prefix);

/* Length of the valid UTF-8 sequence at s (1 to 4), or 0 if it is not one (overlong, surrogate, cut
 * short at n bytes). */
size_t text_utf8_length(const unsigned char *s, size_t n);

/* Copies a UTC time as 2026-01-31T12:00:00.000Z; `out` holds at least 32 bytes. */
char *text_utc(char *out, size_t size, int64_t unix_ns);

#endif
