/* mem: allocation that cannot fail. Out of memory ends the program here and nowhere else, with a
 * message on stderr and exit code 1. Everything returned is released with free(). */
#ifndef BASE_MEM_H
#define BASE_MEM_H

#include <stddef.h>

void *mem_alloc(size_t size);              /* uninitialised */
void *mem_zero(size_t count, size_t size); /* zeroed array; overflow of count * size is fatal */
void *mem_resize(void *p, size_t count, size_t size); /* like reallocarray */
char *mem_strdup(const char *s);                      /* NULL gives NULL */
char *mem_strndup(const char *s, size_t n);           /* n bytes and a NUL */
char *mem_printf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

/* For memory that another library allocates: returns p, or ends the program if it is NULL. */
void *mem_checked(void *p);

/* Makes room for one more element of an array that grows by doubling: *p has *cap elements of
 * `size` bytes, of which `used` are taken. */
void *mem_grow(void *p, size_t used, size_t *cap, size_t size);

#endif
