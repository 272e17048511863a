#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static void format(char *out, size_t size, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

static void format(char *out, size_t size, const char *fmt, va_list ap)
{
    int n = vsnprintf(out, size, fmt, ap);
    if (n < 0) {
        out[0] = '\0';
    } else if ((size_t)n >= size) {
        memcpy(out + size - 4, "...", 4);
    }
}

int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
{
    if (err != NULL) {
        va_list ap;
        va_start(ap, fmt);
        err->kind = kind;
        format(err->text, sizeof err->text, fmt, ap);
        va_end(ap);
    }
    return -1;
}

int err_prefix(struct err *err, const char *fmt, ...)
{
    if (err != NULL) {
        char old[sizeof err->text];
        va_list ap;
        memcpy(old, err->text, sizeof old);
        va_start(ap, fmt);
        format(err->text, sizeof err->text, fmt, ap);
        va_end(ap);
        size_t used = strlen(err->text);
        int n = snprintf(err->text + used, sizeof err->text - used, ": %s", old);
        if (n < 0 || (size_t)n >= sizeof err->text - used) {
            memcpy(err->text + sizeof err->text - 4, "...", 4);
        }
    }
    return -1;
}

int err_exit_code(enum err_kind kind)
{
    switch (kind) {
    case ERR_NONE:
        return 0;
    case ERR_STEP:
    case ERR_IO:
        return 1;
    case ERR_USAGE:
        return 2;
    case ERR_UNREACHABLE:
    case ERR_AUTH:
        return 3;
    case ERR_REGRESSION:
        return 4;
    case ERR_RATE:
        return 5;
    case ERR_LOCKED:
        return 75;
    case ERR_INTERRUPTED:
        return 130;
    }
    return 1;
}
