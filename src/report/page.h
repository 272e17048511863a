/* page: the elements of a report for people, in the kinds of text they are printed as. Reports say
 * what stands where once, for all kinds. Every text passes through here or a table cell and is made
 * visible and escaped on the way. */
#ifndef REPORT_PAGE_H
#define REPORT_PAGE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "report/table.h"

enum page_kind { PAGE_TEXT, PAGE_MARKDOWN, PAGE_HTML };

struct page {
    enum page_kind kind;
    size_t width; /* columns of text; SIZE_MAX: no limit (Markdown) */
    struct buf *out;
    const char *list; /* of HTML: the list that is open, "dl" or "ul"; NULL: none */
};

void page_title(struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* A heading within; an empty line goes before what follows. */
void page_heading(struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "name:    value", or a list item; an empty name continues the item before. */
void page_item(struct page *p, const char *name, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void page_line(struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void page_note(struct page *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void page_table(struct page *p, const struct table *t);
/* Lines that are formatted already and made visible (put_line). */
void page_verbatim(struct page *p, const char *lines);
/* An empty line between two elements; several in a row, or one at the top, make none. In HTML, the
 * end of a list. */
void page_gap(struct page *p);

#endif
