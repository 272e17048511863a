/* plot_parts: what the scripts of drawings have in common. */
#ifndef REPORT_PLOT_PARTS_H
#define REPORT_PLOT_PARTS_H

#include "base/buf.h"
#include "report/gather.h"

/* Colours that colour-blind readers can tell apart (after Okabe and Ito), darkened to at least 3:1
 * on white and lightened to that on a dark ground; each has a point of its own as well. */
struct plot_colour {
    unsigned light, dark; /* 0xrrggbb on a light, on a dark ground */
    int point;            /* gnuplot's pointtype */
};
enum { PLOT_COLOURS = 8 };
extern const struct plot_colour plot_colours[PLOT_COLOURS];

/* The drawing's ground: a size, the colours, no markup in texts. */
void plot_begin(struct buf *script, int width, int height);

/* set WHAT 'text' */
void plot_text(struct buf *script, const char *what, const char *text);

/* What a column is called in a key. Returns out. */
const char *plot_column_title(const struct view *v, const struct column *c, char *out, size_t n);

/* The steps with figures of the workload of column `first`; the caller frees. */
const struct step **plot_steps_of(const struct view *v, size_t first, size_t *n);

/* A setting's values of the columns of a workload as numbers; false if one is none. */
bool plot_values(const struct view *v, size_t first, const char *setting, uint64_t *values,
                 size_t *n);

/* The ends of a bar, and what bars are, of a step (NULL: of all). */
double plot_low(const struct stats_summary *s);
double plot_high(const struct stats_summary *s);
const char *plot_bars(const struct view *v, size_t first, const char *step);

#endif
