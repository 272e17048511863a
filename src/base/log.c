#include "base/log.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/text.h"

static enum log_level level = LOG_INFO;
static void (*hook)(void *arg);
static void *hook_arg;

void log_set_level(enum log_level l)
{
    level = l;
}

enum log_level log_get_level(void)
{
    return level;
}

void log_set_hook(void (*before)(void *arg), void *arg)
{
    hook = before;
    hook_arg = arg;
}

static void put(enum log_level l, const char *label, const char *fmt, va_list ap)
    __attribute__((format(printf, 3, 0)));

static void put(enum log_level l, const char *label, const char *fmt, va_list ap)
{
    char line[4096], safe[4096];
    if (l > level) {
        return;
    }
    if (hook != NULL) {
        hook(hook_arg);
    }
    vsnprintf(line, sizeof line, fmt, ap);
    text_visible(safe, sizeof safe, line);
    fprintf(stderr, "tunecouch: %s%s\n", label, safe);
}

#define LOG_FUNCTION(name, l, label) \
    void name(const char *fmt, ...)  \
    {                                \
        va_list ap;                  \
        va_start(ap, fmt);           \
        put(l, label, fmt, ap);      \
        va_end(ap);                  \
    }

LOG_FUNCTION(log_error, LOG_ERROR, "error: ")
LOG_FUNCTION(log_warn, LOG_WARN, "warning: ")
LOG_FUNCTION(log_info, LOG_INFO, "")
LOG_FUNCTION(log_debug, LOG_DEBUG, "debug: ")
