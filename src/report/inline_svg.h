/* inline_svg: a drawing of gnuplot's made fit to stand in a page with others. */
#ifndef REPORT_INLINE_SVG_H
#define REPORT_INLINE_SVG_H

#include <stddef.h>

#include "base/buf.h"

/* Appends the svg element of a whole drawing, its ids made unique by `serial`, with a title for
 * those who cannot see it. */
void inline_svg(struct buf *out, const char *svg, size_t serial, const char *title);

#endif
