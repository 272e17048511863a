#include "base/inifile.h"

#include <ini.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* ---- problems -------------------------------------------------------------------------------- */

void problems_add(struct problems *p, size_t line, const char *fmt, ...)
{
    va_list ap;
    char *text = NULL;
    va_start(ap, fmt);
    if (vasprintf(&text, fmt, ap) < 0) {
        text = NULL;
    }
    va_end(ap);
    p->problem = mem_grow(p->problem, p->n, &p->cap, sizeof *p->problem);
    p->problem[p->n++] = (struct problem){line, mem_checked(text)};
}

/* Insertion: they are few, and nearly in order. */
void problems_sort(struct problems *p)
{
    for (size_t i = 1; i < p->n; i++) {
        struct problem one = p->problem[i];
        size_t j = i;
        for (; j > 0 && p->problem[j - 1].line > one.line; j--) {
            p->problem[j] = p->problem[j - 1];
        }
        p->problem[j] = one;
    }
}

void problems_free(struct problems *p)
{
    for (size_t i = 0; i < p->n; i++) {
        free(p->problem[i].text);
    }
    free(p->problem);
    *p = (struct problems){NULL, 0, 0};
}

/* ---- the reader ------------------------------------------------------------------------------ */

struct source {
    const char *at, *end;
    size_t line;
    bool lost; /* the header of the section was refused: what follows belongs nowhere */
    struct inifile *out;
    struct problems *bad;
};

static bool blank(char c)
{
    return c == ' ' || c == '\t';
}

/* Control characters in a setting are accidents or worse; inih would also end the line at a NUL. */
static bool has_control(const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)s[i];
        if ((c < ' ' && c != '\t') || c == 0x7f) {
            return true;
        }
    }
    return false;
}

static void open_section(struct source *s, const char *line, size_t n)
{
    const char *close = memchr(line, ']', n);
    size_t len = close != NULL ? (size_t)(close - line) - 1 : 0;
    s->lost = true;
    if (close == NULL) {
        problems_add(s->bad, s->line, "the \"]\" of the section is missing");
    } else if (close + 1 < line + n) {
        problems_add(
            s->bad, s->line,
            "text after \"]\": a comment must be a line of its own, and so must a setting");
    } else if (len == 0) {
        problems_add(s->bad, s->line, "the section has no name");
    } else if (blank(line[1]) || blank(close[-1])) {
        problems_add(s->bad, s->line, "the section's name begins or ends with a space");
    } else if (len > INIFILE_SECTION_MAX) {
        problems_add(s->bad, s->line, "the section's name has more than %d bytes",
                     INIFILE_SECTION_MAX);
    } else if (memchr(line, ';', n) != NULL) {
        problems_add(s->bad, s->line, "a section's name cannot hold \";\"");
    } else {
        char *name = mem_strndup(line + 1, len);
        for (size_t i = 0; i < s->out->n; i++) {
            if (strcmp(s->out->sections[i].name, name) == 0) {
                problems_add(s->bad, s->line, "[%s] is there already, in line %zu", name,
                             s->out->sections[i].line);
                break;
            }
        }
        s->lost = false;
        s->out->sections =
            mem_grow(s->out->sections, s->out->n, &s->out->cap, sizeof *s->out->sections);
        s->out->sections[s->out->n++] = (struct inifile_section){name, s->line, 0, NULL, 0, 0};
    }
}

/* Where inih would cut a value: at a ";" after white space. */
static bool cut_short(const char *value, const char *end)
{
    for (const char *p = value; p < end; p++) {
        if (*p == ';' && (p == value || blank(p[-1]))) {
            return true;
        }
    }
    return false;
}

static bool good_setting(struct source *s, const char *line, size_t n)
{
    size_t name = 0;
    while (name < n && line[name] != '=' && line[name] != ':') {
        name++;
    }
    if (name == n) {
        problems_add(s->bad, s->line,
                     "\"%.*s\" has no value: NAME = VALUE (NAME = yes for a switch)", (int)n, line);
    } else if (name == 0) {
        problems_add(s->bad, s->line, "the name before \"%c\" is missing", line[0]);
    } else if (cut_short(line, line + name)) {
        problems_add(s->bad, s->line, "a name cannot hold \" ;\"");
    } else if (cut_short(line + name + 1, line + n)) {
        problems_add(s->bad, s->line,
                     "\" ;\" within a value: a comment must be a line of its own (the value would "
                     "have been cut there)");
    } else if (s->out->n == 0 && !s->lost) {
        problems_add(s->bad, s->line, "a setting before the first section");
    } else {
        return !s->lost;
    }
    return false;
}

/* Whether inih may see the line (of *n bytes, cut to those that matter); else it is given an empty
 * one in its place. */
static bool admit(struct source *s, const char *line, size_t *n)
{
    size_t indent = 0;
    while (*n > 0 && (blank(line[*n - 1]) || line[*n - 1] == '\r')) {
        --*n;
    }
    while (indent < *n && blank(line[indent])) {
        indent++;
    }
    if (indent == *n || line[indent] == ';' || line[indent] == '#') {
        return false;
    }
    if (line[indent] != '[' && s->out->n > 0 && !s->lost) {
        s->out->sections[s->out->n - 1].tried++;
    }
    if (*n > INIFILE_LINE_MAX) {
        problems_add(s->bad, s->line, "the line has more than %d bytes", INIFILE_LINE_MAX);
    } else if (has_control(line, *n)) {
        problems_add(s->bad, s->line, "the line holds a control character");
    } else if (indent > 0) {
        problems_add(s->bad, s->line,
                     "the line is indented: it would have been taken as more of the value above");
    } else if (*line == '[') {
        open_section(s, line, *n);
        return false; /* sections are ours to know */
    } else {
        return good_setting(s, line, *n);
    }
    s->lost = s->lost || line[indent] == '[';
    return false;
}

/* fgets's manner: the next line, or NULL after the last. */
static char *next_line(char *out, int size, void *stream)
{
    struct source *s = stream;
    if (s->at >= s->end) {
        return NULL;
    }
    const char *newline = memchr(s->at, '\n', (size_t)(s->end - s->at));
    const char *line = s->at;
    size_t n = (size_t)((newline != NULL ? newline : s->end) - line);
    s->at = newline != NULL ? newline + 1 : s->end;
    s->line++;
    bool good = admit(s, line, &n);
    if (good && n + 3 > (size_t)size) { /* an inih that was built with less than the usual */
        problems_add(s->bad, s->line, "the line has more than %d bytes", size - 3);
        good = false;
    }
    snprintf(out, (size_t)size, "%.*s\n", good ? (int)n : 0, line);
    return out;
}

static int take(void *user, const char *section, const char *name, const char *value)
{
    struct source *s = user;
    struct inifile_section *to = &s->out->sections[s->out->n - 1];
    (void)section; /* the reader knows better: inih cuts names, and misses empty sections */
    for (size_t i = 0; i < to->n; i++) {
        if (strcmp(to->pairs[i].name, name) == 0) {
            problems_add(s->bad, s->line, "%s is there already, in line %zu", name,
                         to->pairs[i].line);
            return 1;
        }
    }
    to->pairs = mem_grow(to->pairs, to->n, &to->cap, sizeof *to->pairs);
    to->pairs[to->n++] = (struct inifile_pair){mem_strdup(name), mem_strdup(value), s->line};
    return 1;
}

void inifile_parse(struct inifile *out, const char *text, size_t len, struct problems *bad)
{
    struct source s = {.at = text, .end = text + len, .out = out, .bad = bad};
    size_t before = bad->n;
    if (len >= 3 && memcmp(text, "\xEF\xBB\xBF", 3) == 0) {
        s.at += 3; /* a byte order mark */
    }
    *out = (struct inifile){NULL, 0, 0};
    int at = ini_parse_stream(next_line, &s, take, &s);
    if (at != 0 && bad->n == before) { /* what we let pass, and inih does not */
        problems_add(bad, at > 0 ? (size_t)at : 0, "not an INI file's line");
    }
    for (size_t i = 0; i < out->n; i++) {
        if (out->sections[i].tried == 0) {
            problems_add(bad, out->sections[i].line, "[%s] is empty", out->sections[i].name);
        }
    }
    problems_sort(bad);
}

void inifile_free(struct inifile *f)
{
    for (size_t i = 0; i < f->n; i++) {
        struct inifile_section *s = &f->sections[i];
        for (size_t j = 0; j < s->n; j++) {
            free(s->pairs[j].name);
            free(s->pairs[j].value);
        }
        free(s->pairs);
        free(s->name);
    }
    free(f->sections);
    *f = (struct inifile){NULL, 0, 0};
}
