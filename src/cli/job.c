#include "cli/job.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/text.h"
#include "cli/command.h"

#define FILE_MAX ((size_t)1 << 20) /* of a job file: far more than anyone writes */

/* ---- sections -------------------------------------------------------------------------------- */

/* What a section takes besides the command line's options. */
#define OWN(name)                                                      \
    {                                                                  \
        name, 0, OPT_TEXT, 0, NULL, 0, 0, NULL, NULL, NULL, OPT_HIDDEN \
    }
#define OWN_END                                               \
    {                                                         \
        NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0 \
    }
static const struct opt which_servers[] = {OWN("servers"), OWN("server"), OWN("url"), OWN_END};
static const struct opt one_server[] = {OWN("url"), OWN_END};
static const struct opt nothing[] = {OWN_END};

enum { SESSION = 1, SERVER = 2, PLAN = 4 }; /* kinds of option tables */

/* A new kind of section is a row here, and a place in struct job. */
static const struct kind {
    const char *word;
    bool named;     /* [word NAME] */
    unsigned takes; /* tables of the command line's options */
    const struct opt *own;
} kinds[] = {
    {"global", false, SESSION | SERVER | PLAN, which_servers},
    {"server", true, SERVER, one_server},
    {"experiment", true, PLAN, which_servers},
};
enum { KIND_GLOBAL, KIND_SERVER, KIND_EXPERIMENT, KINDS };

static unsigned table_kind(const struct job_tables *t, size_t i)
{
    return i == t->server ? SERVER : i >= t->plan ? PLAN : SESSION;
}

/* A name is part of a result's keys and of files' names. */
static bool good_name(const char *name)
{
    for (const char *p = name; *p != '\0'; p++) {
        if (!isalnum((unsigned char)*p) && strchr("._-", *p) == NULL) {
            return false;
        }
    }
    return *name != '\0';
}

/* "server db1" -> its kind and name (in `header`, NULL for none); KINDS and a problem if it is
 * neither a kind nor an experiment's name. */
static size_t kind_of(const struct inifile_section *s, const char **name, struct problems *bad)
{
    const char *words[KINDS + 1] = {NULL};
    size_t first = strcspn(s->name, " \t"), kind = KINDS;
    char *word = mem_strndup(s->name, first);
    *name = s->name + first + strspn(s->name + first, " \t");
    for (size_t i = 0; i < KINDS; i++) {
        words[i] = kinds[i].word;
        kind = strcmp(word, kinds[i].word) == 0 ? i : kind;
    }
    const char *near = text_nearest(word, words);
    if (kind == KINDS && **name != '\0') {
        problems_add(bad, s->line, "[%s]: no such kind of section; did you mean [%s %s]?", s->name,
                     near != NULL && strcmp(near, "global") != 0 ? near : "experiment", *name);
    } else if (kind == KINDS && near != NULL) {
        problems_add(bad, s->line,
                     "[%s]: did you mean [%s%s]? (an experiment of that name: [experiment %s])",
                     s->name, near, strcmp(near, "global") == 0 ? "" : " NAME", s->name);
    } else if (kind == KINDS) {
        kind = KIND_EXPERIMENT;
        *name = s->name;
    } else if (kinds[kind].named && **name == '\0') {
        problems_add(bad, s->line, "[%s]: a name is missing: [%s NAME]", s->name, word);
        kind = KINDS;
    } else if (!kinds[kind].named && **name != '\0') {
        problems_add(bad, s->line, "[%s]: there is only one, [%s]", s->name, word);
        kind = KINDS;
    }
    if (kind != KINDS && kinds[kind].named && !good_name(*name)) {
        problems_add(bad, s->line,
                     "[%s]: a name is made of letters, digits, \".\", \"_\" and \"-\"", s->name);
        kind = KINDS;
    }
    free(word);
    return kind;
}

/* ---- settings -------------------------------------------------------------------------------- */

/* Where an option that does not belong here belongs. */
static const char *belongs(unsigned kind)
{
    return kind == SESSION  ? "[global], since it is of the whole session"
           : kind == SERVER ? "[global] or a [server NAME]"
                            : "[global] or an [experiment NAME]";
}

static void read_setting(struct job *job, struct job_section *to, const struct kind *kind,
                         const struct inifile_pair *pair, const struct job_tables *t,
                         struct problems *bad)
{
    struct option_table here[COMMAND_TABLES_MAX + 1];
    for (size_t i = 0; i < t->n; i++) {
        here[i] = t->tables[i];
        if ((kind->takes & table_kind(t, i)) == 0) {
            if (option_find(here[i].options, pair->name) != NULL) {
                problems_add(bad, pair->line, "%s belongs in %s", pair->name,
                             belongs(table_kind(t, i)));
                return;
            }
            here[i].options = nothing;
        }
    }
    here[t->n] = (struct option_table){NULL, kind->own, NULL};
    char *where = mem_printf("%s:%zu", job->file, pair->line);
    struct err err = ERR_INIT;
    if (option_give(&to->given, here, t->n + 1, pair->name, pair->value, where, &err) < 0) {
        problems_add(bad, pair->line, "%s", err.text + strlen(where) + strlen(": "));
        job->workload_unknown = job->workload_unknown || strcmp(pair->name, "workload") == 0;
    }
    free(where);
}

static bool has_pair(const struct inifile_section *s, const char *name)
{
    for (size_t i = 0; i < s->n; i++) {
        if (strcmp(s->pairs[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static struct job_section *new_section(struct job *job, size_t kind, const char *name, size_t line)
{
    if (kind == KIND_GLOBAL) {
        job->global.line = line;
        return &job->global;
    }
    struct job_section **list = kind == KIND_SERVER ? &job->servers : &job->experiments;
    size_t *n = kind == KIND_SERVER ? &job->servers_n : &job->experiments_n;
    *list = mem_grow(*list, *n, kind == KIND_SERVER ? &job->servers_cap : &job->experiments_cap,
                     sizeof **list);
    (*list)[*n] = (struct job_section){.name = mem_strdup(name), .line = line};
    return &(*list)[(*n)++];
}

/* [NAME] and [experiment NAME] are one, which the INI reader cannot know. */
static void check_names(const struct job_section *s, size_t n, const char *word,
                        struct problems *bad)
{
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < i; j++) {
            if (strcmp(s[i].name, s[j].name) == 0) {
                problems_add(bad, s[i].line, "there is already %s %s, in line %zu", word, s[i].name,
                             s[j].line);
                break;
            }
        }
    }
}

const char *job_own(const struct job_section *s, const struct job_tables *tables, const char *name)
{
    for (size_t i = s->given.n; i-- > 0;) {
        const struct option_given *g = &s->given.given[i];
        if (g->table == tables->n && strcmp(g->option->name, name) == 0) {
            return g->text;
        }
    }
    return NULL;
}

/* "servers" has two other spellings; more than one of them would be a riddle. */
static void check_own(const struct job_section *s, const struct job_tables *t, struct problems *bad)
{
    size_t given = 0;
    for (const struct opt *o = which_servers; o->name != NULL; o++) {
        given += job_own(s, t, o->name) != NULL;
    }
    if (given > 1) {
        problems_add(bad, s->line, "servers, server and url mean the same here: give one of them");
    }
}

int job_read(struct job *job, const char *path, const struct job_tables *tables,
             struct problems *bad, struct err *err)
{
    struct buf text = BUF_INIT(FILE_MAX);
    struct inifile f;
    *job = (struct job){.file = mem_strdup(strcmp(path, "-") == 0 ? "standard input" : path)};
    if (file_read(path, &text, err) < 0) {
        buf_free(&text);
        return -1;
    }
    size_t before = bad->n;
    inifile_parse(&f, buf_text(&text), text.len, bad);
    for (size_t i = 0; i < f.n; i++) {
        const char *name;
        size_t kind = kind_of(&f.sections[i], &name, bad);
        if (kind == KINDS) {
            continue;
        }
        struct job_section *to = new_section(job, kind, name, f.sections[i].line);
        for (size_t j = 0; j < f.sections[i].n; j++) {
            read_setting(job, to, &kinds[kind], &f.sections[i].pairs[j], tables, bad);
        }
        if (kind == KIND_SERVER && !has_pair(&f.sections[i], "url")) {
            problems_add(bad, to->line, "[server %s]: its url is missing", name);
        } else if (kind != KIND_SERVER) {
            check_own(to, tables, bad);
        }
    }
    if (f.n == 0 && bad->n == before) {
        problems_add(bad, 1, "there is nothing in it");
    }
    check_names(job->servers, job->servers_n, "a server", bad);
    check_names(job->experiments, job->experiments_n, "an experiment", bad);
    problems_sort(bad);
    inifile_free(&f);
    buf_free(&text);
    return 0;
}

static void section_free(struct job_section *s)
{
    free(s->name);
    option_list_free(&s->given);
}

void job_free(struct job *job)
{
    section_free(&job->global);
    for (size_t i = 0; i < job->servers_n; i++) {
        section_free(&job->servers[i]);
    }
    for (size_t i = 0; i < job->experiments_n; i++) {
        section_free(&job->experiments[i]);
    }
    free(job->servers);
    free(job->experiments);
    free(job->file);
    *job = (struct job){0};
}
