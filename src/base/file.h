/* file: reading whole small files and saving so that a reader never sees half of one. */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"

/* Reads a whole file (up to out->max). "-" is standard input. ERR_IO with the path and reason. */
int file_read(const char *path, struct buf *out, struct err *err);

/* Writes to a temporary file in the same folder, syncs it, and renames it over `path`. "-" and
 * devices are written to as they are. */
int file_save(const char *path, const void *bytes, size_t len, struct err *err);

/* The same for what is too large to hold: file_begin, file_write as often as needed, then
 * file_commit (which syncs and renames) or file_abort. Either ends and frees the writer. "-" is
 * standard output. */
struct file_writer;
struct file_writer *file_begin(const char *path, struct err *err);
int file_write(struct file_writer *w, const void *bytes, size_t len, struct err *err);
int file_commit(struct file_writer *w, struct err *err);
void file_abort(struct file_writer *w);

/* Whether file_save could work there now (folder exists and is writable): checked before a long
 * run, so that its result is not lost. */
int file_can_save(const char *path, struct err *err);

#endif
