/* docgen: fills the man page and the bash completion from the command and option tables, so that
 * what is documented is what there is. Reads a template on the command line, writes to standard
 * output. A line that is one of the @NAMES@ below is replaced by what is generated for it. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "cli/command.h"

static void commands_roff(struct buf *out)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        struct option_table tables[COMMAND_TABLES_MAX];
        size_t n = commands[i]->tables(tables);
        buf_addf(out, ".SH TUNECOUCH %s\n", commands[i]->name);
        buf_addf(out, ".B tunecouch %s\n[\\fIOPTION\\fR]... %s\n.PP\n%s\n", commands[i]->name,
                 commands[i]->operands, commands[i]->summary);
        if (commands[i]->about != NULL) {
            buf_addf(out, ".PP%s\n", commands[i]->about);
        }
        option_roff(tables, n, out);
        if (commands[i]->examples != NULL) {
            buf_addf(out, ".SS Examples\n.nf\n");
            for (const char *p = commands[i]->examples; *p != '\0'; p++) {
                buf_addf(out, *p == '-' ? "\\-" : "%c", *p);
            }
            buf_adds(out, ".fi\n");
        }
    }
}

/* Lines "COMMAND --option KIND [CHOICE…]". */
static void commands_words(struct buf *out)
{
    for (size_t i = 0; commands[i] != NULL; i++) {
        struct option_table tables[COMMAND_TABLES_MAX];
        struct buf words = BUF_INIT(BUF_TEXT_MAX);
        option_words(tables, commands[i]->tables(tables), &words);
        buf_addf(out, "%s --help flag\n", commands[i]->name);
        for (const char *line = buf_text(&words); *line != '\0';) {
            size_t n = strcspn(line, "\n");
            buf_addf(out, "%s %.*s\n", commands[i]->name, (int)n, line);
            line += n + (line[n] == '\n');
        }
        buf_free(&words);
    }
}

int main(int argc, char **argv)
{
    struct buf template = BUF_INIT(1 << 20), out = BUF_INIT(BUF_TEXT_MAX);
    struct err err = ERR_INIT;
    if (argc != 2 || file_read(argv[1], &template, &err) < 0) {
        fprintf(stderr, "docgen: %s\n", argc != 2 ? "usage: docgen TEMPLATE" : err.text);
        return 2;
    }
    for (const char *line = buf_text(&template); *line != '\0';) {
        size_t n = strcspn(line, "\n");
        if (n == 10 && memcmp(line, "@COMMANDS@", n) == 0) {
            commands_roff(&out);
        } else if (n == 7 && memcmp(line, "@WORDS@", n) == 0) {
            commands_words(&out);
        } else {
            buf_add(&out, line, n);
            buf_addc(&out, '\n');
        }
        line += n + (line[n] == '\n');
    }
    fputs(buf_text(&out), stdout);
    buf_free(&template);
    buf_free(&out);
    return fflush(stdout) == 0 ? 0 : 1;
}
