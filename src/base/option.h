/* option: settings as data. One table row states an option's name, type, place, default, range and
 * help once; the command line, job files, help text, man page and completion are made from it.
 *
 * Values arrive as text (struct option_given) and are put into a struct by option_set, so that a
 * command line and a job file are one thing, and a list ("100,500,1000") of an OPT_AXIS option can
 * be multiplied into several structs. */
#ifndef BASE_OPTION_H
#define BASE_OPTION_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum option_type {
    OPT_FLAG,     /* bool; takes no argument on a command line, yes/no in a file */
    OPT_COUNT,    /* uint64_t */
    OPT_SIZE,     /* uint64_t bytes */
    OPT_DURATION, /* uint64_t nanoseconds */
    OPT_NUMBER,   /* double */
    OPT_PERCENT,  /* double, 2 for "2%" (or "2") */
    OPT_TEXT,     /* char *, owned by the struct */
    OPT_CHOICE,   /* int, index into choices */
    OPT_SET,      /* uint32_t, a bit per choice; "all" for every one */
};

enum option_flag {
    OPT_AXIS = 1,   /* a list of values multiplies into several specs */
    OPT_WORK = 2,   /* part of what is measured: must agree for a comparison */
    OPT_FACTOR = 4, /* how it is measured: may differ in a comparison, and is listed */
    OPT_HIDDEN = 8, /* not in --help */
};

struct opt {
    const char *name; /* without the dashes */
    char letter;      /* short form, 0 if none */
    enum option_type type;
    size_t offset;              /* in the struct that the table describes */
    const char *otherwise;      /* the default as it would be typed; NULL: zero, NULL or off */
    double min, max;            /* of numbers, in the base unit; max 0: no limit */
    const char *const *choices; /* ended by NULL */
    const char *arg;            /* what the value is called in help: "N", "FILE" */
    const char *help;           /* one or two plain sentences, no newline */
    unsigned flags;
};

/* A table and the struct it fills. */
struct option_table {
    const char *heading;
    const struct opt *options; /* ended by a NULL name */
    void *into;
};

struct option_given {
    const struct opt *option;
    size_t table; /* which of the tables */
    char *text;
    char *where; /* "--batch", "job.ini:12: batch" */
};

struct option_list {
    struct option_given *given;
    size_t n, cap;
    char **operands; /* what was no option, in order */
    size_t operands_n, operands_cap;
};

/* Puts one value into the struct; ERR_USAGE naming option, value and range. Texts are copied. */
int option_set(const struct opt *o, void *into, const char *text, struct err *err);

/* The value as it would be typed; the caller frees. */
char *option_show(const struct opt *o, const void *from);

void option_defaults(const struct opt *table, void *into);
void option_release(const struct opt *table, void *into); /* frees what OPT_TEXT holds */
const struct opt *option_find(const struct opt *table, const char *name);

/* Reads a command line (argv[0] is skipped) over several tables into a list. Every value, and every
 * element of an axis, is checked. Unknown names come back with the nearest known one. */
int option_parse(const struct option_table *tables, size_t n, int argc, char **argv,
                 struct option_list *out, struct err *err);

/* Adds one value, checked as option_parse does; for job files: `where` is "job.ini:12". */
int option_give(struct option_list *list, const struct option_table *tables, size_t n,
                const char *name, const char *text, const char *where, struct err *err);

/* Adds a value that was given before, to another list over the same tables. */
void option_copy(struct option_list *list, const struct option_given *g);

/* Puts every given value that is not an axis with several elements into its table's struct. */
int option_apply(const struct option_list *list, const struct option_table *tables, size_t n,
                 struct err *err);
void option_list_free(struct option_list *list);

/* Splits at commas, spaces around elements removed. The caller frees the array and, through it, all
 * elements (one block). */
char **option_split(const char *text, size_t *n);

/* Help text, roff for the man page, and the words for completion. */
void option_help(const struct option_table *tables, size_t n, struct buf *out);
void option_roff(const struct option_table *tables, size_t n, struct buf *out);
void option_words(const struct option_table *tables, size_t n, struct buf *out);

#endif
