#include "report/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "base/mem.h"
#include "base/text.h"

struct table {
    char *align;
    size_t columns;
    char **cells; /* row by row */
    size_t used, cap;
};

static char *visible_v(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

static char *visible_v(const char *fmt, va_list ap)
{
    char *raw = NULL;
    mem_checked(vasprintf(&raw, fmt, ap) < 0 ? NULL : raw);
    size_t room = 4 * strlen(raw) + 8; /* \xNN for each byte at worst, and text_visible's spare */
    char *seen = text_visible(mem_alloc(room), room, raw);
    free(raw);
    return seen;
}

size_t text_columns(const char *s)
{
    size_t columns = 0;
    while (*s != '\0') {
        utf8proc_int32_t point;
        utf8proc_ssize_t n = utf8proc_iterate((const utf8proc_uint8_t *)s, -1, &point);
        if (n <= 0) {
            s++;
            columns++;
            continue;
        }
        columns += (size_t)utf8proc_charwidth(point);
        s += n;
    }
    return columns;
}

struct table *table_new(const char *align)
{
    struct table *t = mem_zero(1, sizeof *t);
    t->align = mem_strdup(align);
    t->columns = strlen(align);
    return t;
}

void table_free(struct table *t)
{
    if (t == NULL) {
        return;
    }
    for (size_t i = 0; i < t->used; i++) {
        free(t->cells[i]);
    }
    free(t->cells);
    free(t->align);
    free(t);
}

void table_cell(struct table *t, const char *fmt, ...)
{
    va_list ap;
    t->cells = mem_grow(t->cells, t->used, &t->cap, sizeof *t->cells);
    va_start(ap, fmt);
    t->cells[t->used++] = visible_v(fmt, ap);
    va_end(ap);
}

size_t table_rows(const struct table *t)
{
    return (t->used + t->columns - 1) / t->columns;
}

/* 0 for a column that is left out */
static size_t column_width(const struct table *t, size_t column)
{
    size_t width = 0;
    bool something = t->used <= t->columns; /* headings alone are shown */
    for (size_t i = column; i < t->used; i += t->columns) {
        size_t w = text_columns(t->cells[i]);
        width = w > width ? w : width;
        something |= i >= t->columns && w > 0;
    }
    return something ? width : 0;
}

/* The caller frees. */
static size_t *widths_of(const struct table *t, size_t *total)
{
    size_t *widths = mem_zero(t->columns, sizeof *widths);
    *total = 0;
    for (size_t c = 0; c < t->columns; c++) {
        widths[c] = column_width(t, c);
        *total += widths[c] > 0 && *total > 0 ? widths[c] + 2 : widths[c];
    }
    return widths;
}

size_t table_width(const struct table *t)
{
    size_t total;
    free(widths_of(t, &total));
    return total;
}

static void pad(struct buf *out, size_t n)
{
    while (n-- > 0) {
        buf_addc(out, ' ');
    }
}

static void trim(struct buf *out)
{
    while (out->len > 0 && out->data[out->len - 1] == ' ') {
        out->data[--out->len] = '\0';
    }
}

void table_text(const struct table *t, struct buf *out)
{
    size_t total, *widths = widths_of(t, &total);
    for (size_t row = 0; row * t->columns < t->used; row++) {
        bool first = true;
        for (size_t c = 0; c < t->columns; c++) {
            size_t at = row * t->columns + c;
            if (widths[c] == 0) {
                continue;
            }
            const char *cell = at < t->used ? t->cells[at] : "";
            size_t gap = widths[c] - text_columns(cell);
            pad(out, (first ? 0 : 2) + (t->align[c] == 'r' ? gap : 0));
            buf_adds(out, cell);
            pad(out, t->align[c] == 'r' ? 0 : gap);
            first = false;
        }
        trim(out);
        buf_addc(out, '\n');
        if (row == 0) {
            while (total-- > 0) {
                buf_addc(out, '-');
            }
            buf_addc(out, '\n');
        }
    }
    free(widths);
}

static void escape(struct buf *out, const char *visible)
{
    for (; *visible != '\0'; visible++) {
        if (strchr("\\`*_{}[]<>|~#&", *visible) != NULL) {
            buf_addc(out, '\\');
        }
        buf_addc(out, *visible);
    }
}

void put_markdown(struct buf *out, const char *text)
{
    size_t room = 4 * strlen(text) + 8; /* as in visible_v */
    char *seen = text_visible(mem_alloc(room), room, text);
    escape(out, seen);
    free(seen);
}

void table_markdown(const struct table *t, struct buf *out)
{
    size_t total, *widths = widths_of(t, &total);
    for (size_t row = 0; row * t->columns < t->used; row++) {
        for (size_t c = 0; c < t->columns; c++) {
            size_t at = row * t->columns + c;
            if (widths[c] > 0) {
                buf_adds(out, "| ");
                escape(out, at < t->used ? t->cells[at] : "");
                buf_addc(out, ' ');
            }
        }
        buf_adds(out, "|\n");
        for (size_t c = 0; row == 0 && c < t->columns; c++) {
            if (widths[c] > 0) {
                buf_adds(out, t->align[c] == 'r' ? "|---:" : "|---");
            }
        }
        buf_adds(out, row == 0 ? "|\n" : "");
    }
    free(widths);
}

static void escape_html(struct buf *out, const char *visible)
{
    for (; *visible != '\0'; visible++) {
        static const struct {
            char c;
            const char *entity;
        } entities[] = {
            {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}, {'\'', "&#39;"}};
        const char *entity = NULL;
        for (size_t i = 0; i < sizeof entities / sizeof entities[0]; i++) {
            entity = entities[i].c == *visible ? entities[i].entity : entity;
        }
        if (entity != NULL) {
            buf_adds(out, entity);
        } else {
            buf_addc(out, *visible);
        }
    }
}

void put_html(struct buf *out, const char *text)
{
    size_t room = 4 * strlen(text) + 8; /* as in visible_v */
    char *seen = text_visible(mem_alloc(room), room, text);
    escape_html(out, seen);
    free(seen);
}

/* A wide table scrolls within its own box. */
void table_html(const struct table *t, struct buf *out)
{
    size_t total, *widths = widths_of(t, &total);
    buf_adds(out, "<div class=\"wide\"><table>\n<thead>\n");
    for (size_t row = 0; row * t->columns < t->used; row++) {
        const char *tag = row == 0 ? "th" : "td";
        buf_adds(out, row == 1 ? "<tbody>\n<tr>" : "<tr>");
        for (size_t c = 0; c < t->columns; c++) {
            size_t at = row * t->columns + c;
            if (widths[c] > 0) {
                buf_addf(out, "<%s%s>", tag, t->align[c] == 'r' ? " class=\"n\"" : "");
                escape_html(out, at < t->used ? t->cells[at] : "");
                buf_addf(out, "</%s>", tag);
            }
        }
        buf_adds(out, row == 0 ? "</tr>\n</thead>\n" : "</tr>\n");
    }
    buf_adds(out, table_rows(t) > 1 ? "</tbody>\n</table></div>\n" : "</table></div>\n");
    free(widths);
}

void put_line(struct buf *out, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = visible_v(fmt, ap);
    va_end(ap);
    buf_adds(out, s);
    buf_addc(out, '\n');
    free(s);
}

void put_wrapped(struct buf *out, size_t width, size_t indent, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = visible_v(fmt, ap);
    va_end(ap);
    size_t used = 0;
    for (char *word = s; *word != '\0';) {
        size_t spaces = strspn(word, " "), letters = strcspn(word + spaces, " ");
        char *after = word + spaces + letters;
        char keep = *after;
        *after = '\0';
        size_t w = text_columns(word);
        if (used > indent && used + w > width) {
            buf_addc(out, '\n');
            pad(out, indent);
            word += spaces;
            used = indent + w - spaces;
        } else {
            used += w;
        }
        buf_adds(out, word);
        *after = keep;
        word = after;
    }
    buf_addc(out, '\n');
    free(s);
}

void put_csv(struct buf *out, const char *text)
{
    size_t room = 4 * strlen(text) + 8;
    char *seen = text_visible(mem_alloc(room), room, text);
    const char *formula = seen[0] != '\0' && strchr("=+-@", seen[0]) != NULL ? "'" : "";
    if (strpbrk(seen, ",\"") == NULL) {
        buf_addf(out, "%s%s", formula, seen);
    } else {
        buf_addf(out, "\"%s", formula);
        for (const char *p = seen; *p != '\0'; p++) {
            buf_adds(out, *p == '"' ? "\"" : "");
            buf_addc(out, *p);
        }
        buf_addc(out, '"');
    }
    free(seen);
}
