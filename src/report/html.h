/* html: the frame that pages stand in: head, style, sections, and drawings by gnuplot within the
 * page. No script, no style and no picture from elsewhere. */
#ifndef REPORT_HTML_H
#define REPORT_HTML_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "report/page.h"

/* From the top to the first heading. */
void html_begin(struct buf *out, const char *title);
void html_end(struct page *page);

/* Both texts of our own. */
void html_section(struct page *page, const char *id, const char *title);

struct html_figures {
    struct page *page;
    struct buf script; /* what is to be drawn next */
    size_t drawn, failed;
    bool missing;  /* gnuplot */
    bool wide;     /* the next one has the page's width */
    char *trouble; /* own: the first one's reason; NULL: none */
};

void html_figures_begin(struct html_figures *f, struct page *page);
/* Draws what the script says, if `any`, and clears it. */
void html_draw(struct html_figures *f, bool any, const char *title);
/* Says what is missing, and frees what f holds. */
void html_figures_end(struct html_figures *f);

#endif
