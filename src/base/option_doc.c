/* What people read of an option table: help, man page, completion. */
#include "base/option.h"

#include <string.h>

#include "base/text.h"

/* "-o, --output FILE" */
static void synopsis(const struct opt *o, struct buf *out)
{
    if (o->letter != 0) {
        buf_addf(out, "-%c, ", o->letter);
    } else {
        buf_adds(out, "    ");
    }
    buf_addf(out, "--%s", o->name);
    if (o->type != OPT_FLAG) {
        buf_addf(out, " %s", o->arg ? o->arg : "VALUE");
    }
}

/* Everything after the help sentence: choices, default, range. */
static void details(const struct opt *o, struct buf *out)
{
    if (o->choices != NULL) {
        buf_adds(out, o->type == OPT_SET ? " Any of" : " One of");
        for (int i = 0; o->choices[i] != NULL; i++) {
            buf_addf(out, "%s %s", i ? "," : "", o->choices[i]);
        }
        buf_addc(out, '.');
    }
    if (o->flags & OPT_AXIS) {
        buf_adds(out, " A list runs each.");
    }
    if (o->otherwise != NULL && o->type != OPT_FLAG) {
        buf_addf(out, " Default: %s.", o->otherwise);
    }
}

/* Words from `text`, broken before column 96 and continued at `column`. */
static void wrapped(struct buf *out, const char *text, size_t column)
{
    size_t at = column;
    while (*text != '\0') {
        size_t n = strcspn(text, " ");
        if (at > column && at + 1 + n > 96) {
            buf_addf(out, "\n%*s", (int)column, "");
            at = column;
        } else if (at > column) {
            buf_addc(out, ' ');
            at++;
        }
        buf_add(out, text, n);
        at += n;
        text += n + strspn(text + n, " ");
    }
    buf_addc(out, '\n');
}

void option_help(const struct option_table *tables, size_t n, struct buf *out)
{
    enum { column = 32 };
    for (size_t t = 0; t < n; t++) {
        buf_addf(out, "\n%s:\n", tables[t].heading);
        for (const struct opt *o = tables[t].options; o->name != NULL; o++) {
            if (o->flags & OPT_HIDDEN) {
                continue;
            }
            struct buf left = BUF_INIT(BUF_TEXT_MAX), text = BUF_INIT(BUF_TEXT_MAX);
            synopsis(o, &left);
            buf_adds(&text, o->help);
            details(o, &text);
            buf_addf(out, "  %s", left.data);
            if (left.len + 3 > column) {
                buf_addf(out, "\n%*s", column, "");
            } else {
                buf_addf(out, "%*s", (int)(column - 2 - left.len), "");
            }
            wrapped(out, text.data, column);
            buf_free(&left);
            buf_free(&text);
        }
    }
}

/* roff: hyphens that people copy are \-, a leading dot or quote is protected. */
static void roff_text(struct buf *out, const char *s)
{
    if (*s == '.' || *s == '\'') {
        buf_adds(out, "\\&");
    }
    for (; *s != '\0'; s++) {
        if (*s == '-' || *s == '\\') {
            buf_addf(out, *s == '-' ? "\\-" : "\\e");
        } else {
            buf_addc(out, *s);
        }
    }
}

void option_roff(const struct option_table *tables, size_t n, struct buf *out)
{
    for (size_t t = 0; t < n; t++) {
        buf_addf(out, ".SS %s\n", tables[t].heading);
        for (const struct opt *o = tables[t].options; o->name != NULL; o++) {
            if (o->flags & OPT_HIDDEN) {
                continue;
            }
            buf_adds(out, ".TP\n");
            if (o->letter != 0) {
                buf_addf(out, "\\fB\\-%c\\fR, ", o->letter);
            }
            buf_adds(out, "\\fB\\-\\-");
            roff_text(out, o->name);
            buf_adds(out, "\\fR");
            if (o->type != OPT_FLAG) {
                buf_addf(out, " \\fI%s\\fR", o->arg ? o->arg : "VALUE");
            }
            buf_addc(out, '\n');
            struct buf text = BUF_INIT(BUF_TEXT_MAX);
            buf_adds(&text, o->help);
            details(o, &text);
            roff_text(out, text.data);
            buf_addc(out, '\n');
            buf_free(&text);
        }
    }
}

void option_words(const struct option_table *tables, size_t n, struct buf *out)
{
    for (size_t t = 0; t < n; t++) {
        for (const struct opt *o = tables[t].options; o->name != NULL; o++) {
            if (o->flags & OPT_HIDDEN) {
                continue;
            }
            /* name, kind of value, choices: what the completion script goes by */
            buf_addf(out, "--%s", o->name);
            if (o->choices != NULL) {
                buf_adds(out, o->type == OPT_SET ? " set" : " choice");
                for (int i = 0; o->choices[i] != NULL; i++) {
                    buf_addf(out, " %s", o->choices[i]);
                }
            } else if (o->type == OPT_FLAG) {
                buf_adds(out, " flag");
            } else {
                buf_adds(out, o->arg && strstr(o->arg, "FILE") ? " file" : " value");
            }
            buf_addc(out, '\n');
        }
    }
}
