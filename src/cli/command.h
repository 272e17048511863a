/* command: the table of commands. A new one is a file cmd_NAME.c with a const struct command, and
 * its row in commands.c. */
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stddef.h>

#include "base/option.h"

#define COMMAND_TABLES_MAX 32

struct command {
    const char *name;
    const char *operands; /* "URL…" for the usage line */
    const char *summary;  /* one line */
    const char *about;    /* a paragraph for --help and the man page; NULL: none */
    const char *examples; /* lines for --help and the man page; NULL: none */
    size_t (*tables)(struct option_table *out); /* its option tables, into COMMAND_TABLES_MAX */
    int (*run)(int argc, char **argv);          /* argv[0] is the command; the exit code */
};

extern const struct command *const commands[]; /* ended by NULL */
const struct command *command_find(const char *name);

/* Reads the command's line into a list, with its structs as filled in by defaults and options.
 * `tables` must be what command->tables gave, with `into` set where a struct is to be filled.
 * Handles --help (prints it, *done is set). 0 or an exit code with the reason printed. */
int command_parse(const struct command *c, const struct option_table *tables, size_t n, int argc,
                  char **argv, struct option_list *list, int *done);

void command_help(const struct command *c, struct buf *out);

/* Prints the reason and returns the exit code that goes with it (130, 143 or 129 for a stop). */
int command_fail(const struct err *err);

#endif
