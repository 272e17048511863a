/* inline_svg: a drawing of gnuplot's made fit to stand in a page with others: no prologue, ids of
 * its own, a name for those who cannot see it. Its colours are set by the page (report_html). */
#include "report/inline_svg.h"

#include <stdbool.h>
#include <string.h>

#include "report/table.h"

/* Whether what comes at `p` is where gnuplot names an id or refers to one; its length if so. */
static size_t at_id(const char *p)
{
    static const char *const before[] = {" id='", " id=\"", "href='#", "href=\"#", "url(#"};
    for (size_t i = 0; i < sizeof before / sizeof before[0]; i++) {
        if (strncmp(p, before[i], strlen(before[i])) == 0) {
            return strlen(before[i]);
        }
    }
    return 0;
}

/* Past an element that has no other of its name within. */
static const char *skip(const char *p, const char *open, const char *close)
{
    const char *at = strstr(p, open), *end = at != NULL ? strstr(at, close) : NULL;
    return end != NULL ? end + strlen(close) : p;
}

void inline_svg(struct buf *out, const char *svg, size_t serial, const char *title)
{
    const char *p = strstr(svg, "<svg");
    if (p == NULL) {
        return;
    }
    buf_adds(out, "<svg class=\"plot\" role=\"img\" aria-label=\"");
    put_html(out, title);
    buf_addc(out, '"');
    p += strlen("<svg");
    const char *end = strchr(p, '>');
    buf_add(out, p, end != NULL ? (size_t)(end + 1 - p) : 0);
    p = end != NULL ? end + 1 : p + strlen(p);
    p = skip(skip(p, "<title>", "</title>"), "<desc>", "</desc>");
    for (bool tag = false; *p != '\0'; p++) {
        tag = *p == '<' || (tag && *p != '>'); /* gnuplot escapes both in text */
        size_t n = tag ? at_id(p) : 0;
        if (n > 0) {
            buf_add(out, p, n);
            buf_addf(out, "p%zu-", serial);
            p += n - 1;
        } else {
            buf_addc(out, *p);
        }
    }
}
