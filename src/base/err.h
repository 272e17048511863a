/* err: a readable reason for a failure, owned by the caller.
 *
 * Every function that can fail takes a `struct err *` and returns a negative number after filling
 * it. There is no global error state. `err->kind` decides the exit code (see err_exit_code).
 */
#ifndef BASE_ERR_H
#define BASE_ERR_H

enum err_kind {
    ERR_NONE = 0,
    ERR_STEP,        /* a step failed or a count was wrong: exit 1 */
    ERR_IO,          /* a local file or resource: exit 1 */
    ERR_USAGE,       /* options, job file or data file: exit 2 */
    ERR_UNREACHABLE, /* no server there: exit 3 */
    ERR_AUTH,        /* credentials refused: exit 3 */
    ERR_REGRESSION,  /* slower than the limit allows: exit 4 */
    ERR_RATE,        /* the asked-for rate was not reached: exit 5 */
    ERR_LOCKED,      /* another run holds the lock: exit 75 */
    ERR_INTERRUPTED, /* stopped by a signal: exit 130 or 143 */
};

struct err {
    enum err_kind kind;
    char text[1024]; /* one line, no newline at its end */
};

#define ERR_INIT     \
    {                \
        ERR_NONE, "" \
    }

/* Fills `err` (which may be NULL) and returns -1, so that a failure is one statement. A text that
 * does not fit ends in "...". */
int err_set(struct err *err, enum err_kind kind, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* Puts "fmt: " before the text already there, keeps the kind, and returns -1. */
int err_prefix(struct err *err, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

/* The process exit code for a kind. ERR_INTERRUPTED gives 130; who knows of SIGTERM says 143. */
int err_exit_code(enum err_kind kind);

#endif
