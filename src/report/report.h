/* report: saved results as documents for people and programs. One table of formats; adding one is a
 * file with a function and a row in report.c. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "bench/result.h"

struct report_options {
    bool original_statistics; /* TuneMark's own: n/10 runs dropped at each end, population
                                 deviation, sorted[n/2] as the median (see stats_tunemark) */
    const char *rank;         /* the step by which specs are ranked (hdr: the only one shown); NULL:
                                 see rank_tables (hdr: every step) */
    size_t width;             /* columns of text that fit side by side; 0: REPORT_WIDTH */
};

#define REPORT_WIDTH 120

struct report_format {
    const char *name;
    const char *what; /* for --help: one line */
    int (*render)(const struct result *const *results, size_t n, const struct report_options *o,
                  struct buf *out, struct err *err);
};

/* Renders n >= 1 results in the named format; ERR_USAGE for an unknown one, with what was meant.
 * Options may be NULL. */
int report_render(const char *format, const struct result *const *results, size_t n,
                  const struct report_options *o, struct buf *out, struct err *err);

/* Whether a step of this name is in any of the results; ERR_USAGE with what was meant if not. */
int report_has_step(const struct result *const *results, size_t n, const char *step,
                    struct err *err);

/* Ended by NULL. */
const char *const *report_formats(void);
const char *report_format_what(const char *name);

/* The formats themselves, each in the file of its name. */
int report_text(const struct result *const *results, size_t n, const struct report_options *o,
                struct buf *out, struct err *err);
int report_table(const struct result *const *results, size_t n, const struct report_options *o,
                 struct buf *out, struct err *err);
int report_tunemark(const struct result *const *results, size_t n, const struct report_options *o,
                    struct buf *out, struct err *err);
int report_markdown(const struct result *const *results, size_t n, const struct report_options *o,
                    struct buf *out, struct err *err);
int report_html(const struct result *const *results, size_t n, const struct report_options *o,
                struct buf *out, struct err *err);
int report_prometheus(const struct result *const *results, size_t n, const struct report_options *o,
                      struct buf *out, struct err *err);
int report_csv(const struct result *const *results, size_t n, const struct report_options *o,
               struct buf *out, struct err *err);
int report_svg(const struct result *const *results, size_t n, const struct report_options *o,
               struct buf *out, struct err *err);
int report_hdr(const struct result *const *results, size_t n, const struct report_options *o,
               struct buf *out, struct err *err);
int report_json(const struct result *const *results, size_t n, const struct report_options *o,
                struct buf *out, struct err *err);

#endif
