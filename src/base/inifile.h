/* inifile: an INI file read strictly, every fault in it named by line.
 *
 * inih does the splitting; it is fed by a reader of ours that counts lines and refuses whatever
 * inih would swallow or change in silence: text after "]", a " ;" within a value (the rest would be
 * cut as a comment), sections with nothing in them, lines and names over its limits, indented lines
 * (taken as the continuation of the value above), lines without "=".
 *
 * What is accepted: "[section]" and "name = value" from the first column (":" for "=" too),
 * comments that are lines of their own and begin with ";" or "#", empty lines, a byte order mark,
 * CR LF. */
#ifndef BASE_INIFILE_H
#define BASE_INIFILE_H

#include <stddef.h>

/* inih's own limits, of which its header states only the first: a line (with room for CR, LF and
 * NUL), and a section's name. */
#define INIFILE_LINE_MAX 197
#define INIFILE_SECTION_MAX 49

/* What is wrong with a file: all of it, for one telling. */
struct problem {
    size_t line; /* from 1; 0: the file as a whole */
    char *text;
};
struct problems {
    struct problem *problem;
    size_t n, cap;
};
void problems_add(struct problems *p, size_t line, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void problems_sort(struct problems *p); /* by line; what was found first stays first */
void problems_free(struct problems *p);

struct inifile_pair {
    char *name, *value; /* value: "" if there is nothing after the "=" */
    size_t line;
};
struct inifile_section {
    char *name;
    size_t line;
    size_t tried; /* lines with a setting, also the refused ones */
    struct inifile_pair *pairs;
    size_t n, cap;
};
struct inifile {
    struct inifile_section *sections; /* in the order of the file */
    size_t n, cap;
};

/* Reads `len` bytes. What can be read is in `out` (free with inifile_free) even if there are
 * problems, so that its meaning can be looked at in the same go. A section whose name, and a name
 * whose section, occurs twice is a problem. */
void inifile_parse(struct inifile *out, const char *text, size_t len, struct problems *bad);
void inifile_free(struct inifile *f);

#endif
