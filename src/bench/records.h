/* records: cuts a library file into the texts of its documents, without holding it in memory: one
 * line each, or the elements of one array (a file whose first character is "["). The texts are not
 * yet known to be JSON. Memory: one fixed buffer of DATASET_LINE_MAX and a chunk. */
#ifndef BENCH_RECORDS_H
#define BENCH_RECORDS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"

struct records;

/* For records of at most `longest` bytes. ERR_USAGE if it is not there, cannot be read or is not a
 * regular file. records_rewind must come before the first records_next. */
struct records *records_open(const char *path, size_t longest, struct err *err);
void records_close(struct records *r); /* NULL is fine */

/* To the first record. -1 (ERR_USAGE) if size or time of the file are not what they were, or if it
 * is known to be something else (a Git LFS pointer, a gzip file). */
int records_rewind(struct records *r, struct err *err);

/* The next record without white space around it, valid until the next call: 1. An empty line is an
 * empty record. 0 at the end; -1 (ERR_USAGE: too long, or the array is broken; ERR_IO: cannot read;
 * ERR_INTERRUPTED: a stop was asked for). */
int records_next(struct records *r, struct json_span *record, struct err *err);

/* Where the latest record begins: "path:12", or "path:1: element 12" in an array. */
const char *records_where(const struct records *r, char *out, size_t size);

/* Whether it reads on after a stop was asked for: for clean-up. */
void records_read_on(struct records *r, bool on);

bool records_array(const struct records *r);
uint64_t records_file_bytes(const struct records *r); /* size of the file */

/* Called with every chunk of the file as it is read, in order; NULL: no more. */
void records_watch(struct records *r, void (*chunk)(void *arg, const void *bytes, size_t n),
                   void *arg);

#endif
