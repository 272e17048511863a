#include "cli/command.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "base/log.h"
#include "base/stop.h"

const struct command *command_find(const char *name)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        if (strcmp(commands[i]->name, name) == 0) {
            return commands[i];
        }
    }
    return NULL;
}

void command_help(const struct command *c, struct buf *out)
{
    struct option_table tables[COMMAND_TABLES_MAX];
    size_t n = c->tables(tables);
    buf_addf(out, "Usage: tunecouch %s [OPTION…]%s%s\n\n%s\n", c->name, c->operands[0] ? " " : "",
             c->operands, c->summary);
    if (c->about != NULL) {
        buf_addf(out, "%s\n", c->about);
    }
    option_help(tables, n, out);
    if (c->examples != NULL) {
        buf_addf(out, "\nExamples:\n%s", c->examples);
    }
}

int command_parse(const struct command *c, const struct option_table *tables, size_t n, int argc,
                  char **argv, struct option_list *list, int *done)
{
    struct err err = ERR_INIT;
    *done = 0;
    for (int i = 1; i < argc && strcmp(argv[i], "--") != 0; i++) {
        if (strcmp(argv[i], "--help") == 0 || strcmp(argv[i], "-h") == 0) {
            struct buf help = BUF_INIT(BUF_TEXT_MAX);
            command_help(c, &help);
            fputs(buf_text(&help), stdout);
            buf_free(&help);
            *done = 1;
            return 0;
        }
    }
    for (size_t t = 0; t < n; t++) {
        if (tables[t].into != NULL) {
            option_defaults(tables[t].options, tables[t].into);
        }
    }
    if (option_parse(tables, n, argc, argv, list, &err) < 0 ||
        option_apply(list, tables, n, &err) < 0) {
        *done = 1;
        return command_fail(&err);
    }
    return 0;
}

int command_fail(const struct err *err)
{
    log_error("%s", err->text);
    if (err->kind == ERR_INTERRUPTED && stop_signal() != 0) {
        return 128 + stop_signal();
    }
    return err_exit_code(err->kind);
}
