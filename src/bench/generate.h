/* generate: a music library of the shape of TuneMark's, invented. The same bytes on every machine
 * for a scale and a seed: integer arithmetic, a generator of our own, no locale. At scale 1 it
 * answers every figure of the original (data/README.md lists them); at other scales the figures are
 * rounded by one rule, see there. Documents are written as they are made; memory grows with the
 * number of artists and albums only. */
#ifndef BENCH_GENERATE_H
#define BENCH_GENERATE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define GENERATE_SEED 20180409u /* the default; chosen once, of no meaning */
#define GENERATE_DOCS 12189u    /* at scale 1 */
#define GENERATE_DOCS_MAX 20000000u

/* The Persistent ID of the first line of every generated library, whatever its seed and scale: how
 * a report knows that numbers were made from invented data. The first 16 digits of the SHA-256 of
 * "tunecouch generated library". */
#define GENERATE_FIRST_ID "ED5A993D0BD9FE95"

/* SHA-256 of the library at scale 1 with the default seed. */
#define GENERATE_SHA256 "47136f9df12f343c1320e6c8d4cc27b054bfb49527cabd97806cee94c78d78e3"

/* A scale is a fraction of whole numbers: no floating point is involved. */
struct generate_options {
    uint64_t scale_num, scale_den; /* 0 / 0: scale 1 */
    uint64_t seed;
};

struct generate_stats {
    uint64_t docs, bytes; /* written */
};

/* "1", "0.01", "82", "100/12189". 0, or -1 (ERR_USAGE): not such a number, or the library would
 * have less than one document or more than GENERATE_DOCS_MAX. */
int generate_parse_scale(const char *text, struct generate_options *o, struct err *err);

/* Writes the library through `write`, which returns 0, or non-zero to stop (it has said why by
 * then: the result is -1 and `err` is left as write's owner filled it). `stats` may be NULL. Stops
 * with ERR_INTERRUPTED when a stop was asked for. */
int generate_library(const struct generate_options *o,
                     int (*write)(void *arg, const void *bytes, size_t n), void *arg,
                     struct generate_stats *stats, struct err *err);

#endif
