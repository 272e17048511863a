/* log: messages for people, on stderr, one line each, with control characters made visible.
 * Nothing but the asked-for document goes to stdout. */
#ifndef BASE_LOG_H
#define BASE_LOG_H

enum log_level { LOG_QUIET, LOG_ERROR, LOG_WARN, LOG_INFO, LOG_DEBUG };

void log_set_level(enum log_level level); /* default LOG_INFO */
enum log_level log_get_level(void);

/* Called before each line is written, so that a progress line can take itself away. NULL: none. */
void log_set_hook(void (*before)(void *arg), void *arg);

void log_error(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_warn(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_info(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void log_debug(const char *fmt, ...) __attribute__((format(printf, 1, 2)));

#endif
