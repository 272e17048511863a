/* plot: SVG drawn by gnuplot, which is looked for when it is needed and asked through a file on its
 * standard input. Nothing but the drawing depends on it. */
#ifndef REPORT_PLOT_H
#define REPORT_PLOT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "report/gather.h"

#define PLOT_SVG_MAX ((size_t)32 << 20) /* bytes of a drawing that are accepted */
#define PLOT_SECONDS 60                 /* that gnuplot may take */

/* How its absence is told. */
#define PLOT_NOT_INSTALLED \
    "plots need gnuplot, which is not installed (Debian: apt-get install gnuplot-nox)"

/* Runs a script and appends the SVG it draws on its standard output. ERR_IO with gnuplot's own
 * words, or with how to get it. */
int plot_run(const char *script, size_t len, struct buf *svg, struct err *err);

/* Appends a gnuplot string literal: single quotes, in which nothing is replaced or run; control
 * characters are made visible first. */
void plot_quote(struct buf *script, const char *text);

/* The scripts, each a whole drawing. False (nothing appended) where the results hold nothing of the
 * kind. `first` is a column whose workload is drawn. */

/* Median of each step and spec with bars of its interval, from min to max where there are too few
 * runs for one: side by side on a linear axis, or points on a logarithmic one where the medians are
 * more than a hundredfold apart. */
bool plot_steps(struct buf *script, const struct view *v, size_t first);

/* Throughput, rate and times over the one setting that differs and is a number or a size. */
bool plot_sweep(struct buf *script, const struct view *v, size_t first);

/* Milliseconds a group, by group, of every spec that has a series of this name (NULL: that of the
 * first one found), of one step or (NULL) of all. */
bool plot_series(struct buf *script, const struct view *v, size_t first, const char *name,
                 const char *step);

/* Rate (or time, where a step has no items) of one step over the numeric setting with the most
 * values, a line for each combination of what else differs. Of two values there is no curve. */
bool plot_curve(struct buf *script, const struct view *v, size_t first, const char *step);

/* Request latency by percentile, with room for the tail: of one step by spec, or (NULL) of all
 * steps of column `first`. Each line ends where fewer than ten requests lie beyond. */
bool plot_latency(struct buf *script, const struct view *v, size_t first, const char *step);

#endif
