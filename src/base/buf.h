/* buf: a byte buffer that grows up to a stated maximum. `data` is always NUL-terminated once
 * anything was added (the NUL is not counted in `len`), and NULL before.
 * The struct is the caller's; buf_free releases what it holds. */
#ifndef BASE_BUF_H
#define BASE_BUF_H

#include <stddef.h>

struct buf {
    char *data;
    size_t len; /* bytes used */
    size_t cap; /* bytes allocated */
    size_t max; /* bytes allowed; adding beyond it fails and changes nothing */
};

#define BUF_INIT(maximum)     \
    {                         \
        NULL, 0, 0, (maximum) \
    }

/* For text of our own making, whose size the input already bounds. */
#define BUF_TEXT_MAX ((size_t)1 << 30)

void buf_init(struct buf *b, size_t max);
void buf_free(struct buf *b); /* keeps max, so that it can be used again */
void buf_clear(struct buf *b);

/* Each returns 0, or -1 if the result would be longer than max. */
int buf_reserve(struct buf *b, size_t extra);
int buf_add(struct buf *b, const void *bytes, size_t n);
int buf_adds(struct buf *b, const char *s);
int buf_addc(struct buf *b, char c);
int buf_addf(struct buf *b, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* Hands the bytes over: the caller frees them; the buffer is empty afterwards. Never NULL. */
char *buf_take(struct buf *b, size_t *len);

/* The text so far, "" when nothing was added. */
const char *buf_text(const struct buf *b);

#endif
