#include "report/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define ITEM_FIELD 9 /* "network: " */

static char *printed(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

static char *printed(const char *fmt, va_list ap)
{
    char *s = NULL;
    return mem_checked(vasprintf(&s, fmt, ap) < 0 ? NULL : s);
}

/* One line of Markdown: a prefix of ours and an escaped text. */
static void markdown_line(struct page *p, const char *prefix, const char *text)
{
    buf_adds(p->out, prefix);
    put_markdown(p->out, text);
    buf_addc(p->out, '\n');
}

static void html_item(struct page *p, const char *tag, const char *text)
{
    buf_addf(p->out, "<%s>", tag);
    put_html(p->out, text);
    buf_addf(p->out, "</%s>\n", tag);
}

/* An element that ends the list before it. */
static void html_element(struct page *p, const char *tag, const char *text)
{
    page_gap(p);
    html_item(p, tag, text);
}

static void html_list(struct page *p, const char *list)
{
    if (p->list == NULL || strcmp(p->list, list) != 0) {
        page_gap(p);
        buf_addf(p->out, "<%s>\n", list);
        p->list = list;
    }
}

void page_gap(struct page *p)
{
    if (p->kind == PAGE_HTML) {
        if (p->list != NULL) {
            buf_addf(p->out, "</%s>\n", p->list);
        }
        p->list = NULL;
        return;
    }
    size_t len = p->out->len;
    if (len > 0 && !(len > 1 && memcmp(p->out->data + len - 2, "\n\n", 2) == 0)) {
        buf_addc(p->out, '\n');
    }
}

void page_title(struct page *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = printed(fmt, ap);
    va_end(ap);
    page_gap(p);
    if (p->kind == PAGE_HTML) {
        html_element(p, "h3", s);
    } else if (p->kind == PAGE_MARKDOWN) {
        markdown_line(p, "## ", s);
        page_gap(p);
    } else {
        put_line(p->out, "== %s ==", s);
    }
    free(s);
}

void page_heading(struct page *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = printed(fmt, ap);
    va_end(ap);
    page_gap(p);
    if (p->kind == PAGE_HTML) {
        html_element(p, "h3", s);
    } else if (p->kind == PAGE_MARKDOWN) {
        markdown_line(p, "### ", s);
    } else {
        put_line(p->out, "%s", s);
    }
    page_gap(p);
    free(s);
}

void page_item(struct page *p, const char *name, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = printed(fmt, ap), label[40];
    va_end(ap);
    if (p->kind == PAGE_HTML) {
        html_list(p, "dl");
        if (name[0] != '\0') {
            html_item(p, "dt", name);
        }
        html_item(p, "dd", s);
    } else if (p->kind == PAGE_MARKDOWN) {
        snprintf(label, sizeof label, "- %s%s", name, name[0] != '\0' ? ": " : "");
        markdown_line(p, label, s);
    } else {
        snprintf(label, sizeof label, "%s%s", name, name[0] != '\0' ? ":" : "");
        put_wrapped(p->out, p->width, ITEM_FIELD, "%-*s%s", ITEM_FIELD, label, s);
    }
    free(s);
}

void page_line(struct page *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = printed(fmt, ap);
    va_end(ap);
    if (p->kind == PAGE_HTML) {
        html_element(p, "p", s);
    } else if (p->kind == PAGE_MARKDOWN) {
        page_gap(p);
        markdown_line(p, "", s);
        page_gap(p);
    } else {
        put_wrapped(p->out, p->width, 0, "%s", s);
    }
    free(s);
}

void page_note(struct page *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *s = printed(fmt, ap);
    va_end(ap);
    if (p->kind == PAGE_HTML) {
        html_list(p, "ul");
        html_item(p, "li", s);
    } else if (p->kind == PAGE_MARKDOWN) {
        markdown_line(p, "- ", s);
    } else {
        put_wrapped(p->out, p->width, 2, "- %s", s);
    }
    free(s);
}

void page_table(struct page *p, const struct table *t)
{
    if (p->kind == PAGE_HTML) {
        page_gap(p);
        table_html(t, p->out);
    } else if (p->kind == PAGE_MARKDOWN) {
        page_gap(p);
        table_markdown(t, p->out);
        page_gap(p);
    } else {
        table_text(t, p->out);
    }
}

void page_verbatim(struct page *p, const char *lines)
{
    if (p->kind == PAGE_TEXT) {
        buf_adds(p->out, lines);
        return;
    }
    if (p->kind == PAGE_HTML) {
        page_gap(p);
        buf_adds(p->out, "<pre>");
        while (*lines != '\0') {
            char *line = mem_strndup(lines, strcspn(lines, "\n"));
            put_html(p->out, line);
            buf_addc(p->out, '\n');
            lines += strlen(line);
            lines += *lines == '\n';
            free(line);
        }
        buf_adds(p->out, "</pre>\n");
        return;
    }
    /* An indented block: nothing in a line can end it, as it could a fenced one. */
    page_gap(p);
    while (*lines != '\0') {
        size_t n = strcspn(lines, "\n");
        buf_adds(p->out, "    ");
        buf_add(p->out, lines, n);
        buf_addc(p->out, '\n');
        lines += n + (lines[n] == '\n');
    }
    page_gap(p);
}
