/* table: rows of cells, printed aligned by display width (wide and combining characters counted as
 * terminals show them), as Markdown or as HTML. What goes into a cell or a line may come from
 * servers and files: control characters are made visible on the way in, so that no format can
 * forget it.
 *
 * The caller frees a table with table_free. */
#ifndef REPORT_TABLE_H
#define REPORT_TABLE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"

struct table;

/* One letter of `align` a column: 'l' or 'r'. Headings are the first row added. */
struct table *table_new(const char *align);
void table_free(struct table *t);

/* The next cell, row after row. */
void table_cell(struct table *t, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

size_t table_rows(const struct table *t); /* with the headings */

/* Columns that have a heading but nothing below it are left out of what follows. */
size_t table_width(const struct table *t); /* of the aligned text, in columns of a terminal */
void table_text(const struct table *t, struct buf *out);
void table_markdown(const struct table *t, struct buf *out);
void table_html(const struct table *t, struct buf *out);

/* One line of text, made visible, with its newline. */
void put_line(struct buf *out, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The same, broken at spaces to fit `width`; lines after the first start with `indent` spaces. */
void put_wrapped(struct buf *out, size_t width, size_t indent, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* A text made visible, and with what Markdown or HTML within it would act upon escaped. */
void put_markdown(struct buf *out, const char *text);

/* A text made visible, and safe between tags and in a quoted attribute of HTML. */
void put_html(struct buf *out, const char *text);

/* A text as a field of CSV. Control characters are made visible, so no field holds a line break;
 * what a spreadsheet would run as a formula gets an apostrophe before it. */
void put_csv(struct buf *out, const char *text);

/* Columns a terminal uses for a text. */
size_t text_columns(const char *s);

#endif
