#include "base/mem.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

void *mem_checked(void *p)
{
    if (p == NULL) {
        fputs("tunecouch: out of memory\n", stderr);
        exit(1); /* the one exception to "exit only in main": nothing can be saved from here */
    }
    return p;
}

void *mem_alloc(size_t size)
{
    return mem_checked(malloc(size ? size : 1));
}

void *mem_zero(size_t count, size_t size)
{
    return mem_checked(calloc(count ? count : 1, size ? size : 1));
}

void *mem_resize(void *p, size_t count, size_t size)
{
    return mem_checked(reallocarray(p, count ? count : 1, size ? size : 1));
}

char *mem_strdup(const char *s)
{
    return s == NULL ? NULL : mem_checked(strdup(s));
}

char *mem_strndup(const char *s, size_t n)
{
    char *p = mem_alloc(n + 1);
    memcpy(p, s, n);
    p[n] = '\0';
    return p;
}

char *mem_printf(const char *fmt, ...)
{
    char *p = NULL;
    va_list ap;
    va_start(ap, fmt);
    int n = vasprintf(&p, fmt, ap);
    va_end(ap);
    return mem_checked(n < 0 ? NULL : p);
}

void *mem_grow(void *p, size_t used, size_t *cap, size_t size)
{
    if (used < *cap) {
        return p;
    }
    *cap = *cap ? *cap * 2 : 16;
    return mem_resize(p, *cap, size);
}
