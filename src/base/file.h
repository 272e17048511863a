/* file: reading whole small files and saving so that a reader never sees half of one. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Reads a whole file (up to out->max). "-" is standard input. ERR_IO with the path and reason. */
int file_read(const char *path, struct buf *out, struct err *err);

/* Writes to a temporary file in the same folder, syncs it, and renames it over `path`. */
int file_save(const char *path, const void *bytes, size_t len, struct err *err);

/* Whether file_save could work there now (folder exists and is writable): checked before a long
 * run, so that its result is not lost. */
int file_can_save(const char *path, struct err *err);

#endif
