#include "base/buf.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void buf_init(struct buf *b, size_t max)
{
    *b = (struct buf)BUF_INIT(max);
}

void buf_free(struct buf *b)
{
    free(b->data);
    buf_init(b, b->max);
}

void buf_clear(struct buf *b)
{
    b->len = 0;
    if (b->data != NULL) {
        b->data[0] = '\0';
    }
}

int buf_reserve(struct buf *b, size_t extra)
{
    if (extra > b->max || b->len > b->max - extra) {
        return -1;
    }
    size_t need = b->len + extra + 1;
    if (need > b->cap) {
        size_t cap = b->cap ? b->cap : 64;
        while (cap < need) {
            cap *= 2;
        }
        if (cap > b->max + 1) {
            cap = b->max + 1;
        }
        b->data = mem_resize(b->data, cap, 1);
        b->cap = cap;
        b->data[b->len] = '\0';
    }
    return 0;
}

int buf_add(struct buf *b, const void *bytes, size_t n)
{
    if (buf_reserve(b, n) < 0) {
        return -1;
    }
    if (n != 0) {
        memcpy(b->data + b->len, bytes, n);
    }
    b->len += n;
    b->data[b->len] = '\0';
    return 0;
}

int buf_adds(struct buf *b, const char *s)
{
    return buf_add(b, s, strlen(s));
}

int buf_addc(struct buf *b, char c)
{
    return buf_add(b, &c, 1);
}

int buf_addf(struct buf *b, const char *fmt, ...)
{
    va_list ap, again;
    va_start(ap, fmt);
    va_copy(again, ap);
    int n = vsnprintf(NULL, 0, fmt, ap);
    va_end(ap);
    int rc = n < 0 ? -1 : buf_reserve(b, (size_t)n);
    if (rc == 0) {
        vsnprintf(b->data + b->len, (size_t)n + 1, fmt, again);
        b->len += (size_t)n;
    }
    va_end(again);
    return rc;
}

char *buf_take(struct buf *b, size_t *len)
{
    char *p = b->data ? b->data : mem_strdup("");
    if (len != NULL) {
        *len = b->len;
    }
    buf_init(b, b->max);
    return p;
}

const char *buf_text(const struct buf *b)
{
    return b->data ? b->data : "";
}
