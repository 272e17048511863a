/* output_args: where documents go and in what form: shared by run and report. */
#ifndef CLI_OUTPUT_ARGS_H
#define CLI_OUTPUT_ARGS_H

#include <stdbool.h>

#include "base/option.h"
#include "bench/result.h"

struct output_args {
    char *format;     /* NULL: by the output file's ending, else text */
    char *output;     /* NULL: standard output */
    char *prometheus; /* metrics as well, to this file; NULL: none */
    bool original_statistics;
    char *rank; /* step; NULL: as the report sees fit */
};

extern const struct opt output_options[];

/* Checks format and place before anything long is done. */
int output_check(const struct output_args *args, struct err *err);

/* Renders and writes. When the file cannot be written, the document is printed on standard output
 * rather than lost, and the failure is returned. */
int output_write(const struct output_args *args, const struct result *const *results, size_t n,
                 struct err *err);

/* For commands with formats of their own, `known`, ended by NULL. The format: as given, else by the
 * ending of the file, else text. */
const char *output_format(const char *given, const char *path, const char *const *known);

/* Whether the format is known and the place (NULL: standard output) can be written. */
int output_can(const char *format, const char *path, const char *const *known, struct err *err);

/* Writes to the place; when that fails, to standard output rather than lose it, and returns the
 * failure. */
int output_save(const char *path, const struct buf *document, struct err *err);

#endif
