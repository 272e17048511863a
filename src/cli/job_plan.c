/* From a job (or the command line alone) to servers and a plan. */
#include "cli/job.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bench/workload.h"
#include "cli/server_args.h"

/* What a server was named by, and its place: each is resolved once, lest a password be asked for by
 * every experiment. */
struct met {
    const struct job_section *section; /* NULL: by its URL */
    char *url;
    long at; /* into the servers; -1: it cannot be used, which was said */
};

struct making {
    const struct job *job; /* NULL: none */
    const struct job_tables *t;
    const struct option_list *line; /* the command line's */
    bool dry;
    struct server_spec *servers;
    size_t servers_n, servers_cap;
    struct met *met;
    size_t met_n, met_cap;
    struct problems *bad;
    struct err *err;
};

/* ---- servers --------------------------------------------------------------------------------- */

/* Options of one table of a list, over what the struct holds already. */
static int apply_server(const struct making *m, const struct option_list *list,
                        struct server_args *args, struct err *err)
{
    struct option_table tables[32];
    memcpy(tables, m->t->tables, m->t->n * sizeof *tables);
    for (size_t i = 0; i < m->t->n; i++) {
        tables[i].into = i == m->t->server ? args : NULL;
    }
    return option_apply(list, tables, m->t->n, err);
}

static int resolve(struct making *m, const char *url, const struct job_section *section,
                   struct server_spec *out, struct err *err)
{
    struct server_args args = {0};
    option_defaults(server_options, &args);
    int rc = m->job != NULL ? apply_server(m, &m->job->global.given, &args, err) : 0;
    if (rc == 0 && section != NULL) {
        rc = apply_server(m, &section->given, &args, err);
    }
    if (rc == 0) {
        rc = apply_server(m, m->line, &args, err);
    }
    if (rc == 0) {
        rc = server_args_resolve(&args, url, m->dry, out, err);
    }
    option_release(server_options, &args);
    return rc;
}

/* The place of a server in the list, resolved on first use; -1 if it cannot be used. `section`
 * NULL: a bare URL. */
static long add_server(struct making *m, const char *url, const struct job_section *section,
                       size_t line)
{
    struct server_spec one;
    struct err err = ERR_INIT;
    long at = -1;
    for (size_t i = 0; i < m->met_n; i++) {
        if (m->met[i].section == section && strcmp(m->met[i].url, url) == 0) {
            return m->met[i].at;
        }
    }
    if (resolve(m, url, section, &one, &err) != 0) {
        if (err.kind == ERR_USAGE) {
            problems_add(m->bad, line, "%s", err.text);
        } else {
            *m->err = err;
        }
    } else {
        if (section != NULL) {
            free(one.key);
            one.key = mem_strdup(section->name);
        }
        for (size_t i = 0; i < m->servers_n && at < 0; i++) {
            at = strcmp(m->servers[i].key, one.key) == 0 ? (long)i : -1;
        }
        if (at >= 0) { /* the same in another spelling */
            server_spec_free(&one);
        } else {
            m->servers = mem_grow(m->servers, m->servers_n, &m->servers_cap, sizeof *m->servers);
            m->servers[m->servers_n] = one;
            at = (long)m->servers_n++;
        }
    }
    m->met = mem_grow(m->met, m->met_n, &m->met_cap, sizeof *m->met);
    m->met[m->met_n++] = (struct met){section, mem_strdup(url), at};
    return at;
}

struct places {
    size_t *at; /* into the servers */
    size_t n, cap;
};

static void add_place(struct making *m, struct places *p, long at, const char *word, size_t line)
{
    if (at < 0) {
        return;
    }
    for (size_t i = 0; i < p->n; i++) {
        if (p->at[i] == (size_t)at) {
            problems_add(m->bad, line, "%s is given twice", word);
            return;
        }
    }
    p->at = mem_grow(p->at, p->n, &p->cap, sizeof *p->at);
    p->at[p->n++] = (size_t)at;
}

static const struct job_section *find_server(const struct job *job, const char *name)
{
    for (size_t i = 0; i < job->servers_n; i++) {
        if (strcmp(job->servers[i].name, name) == 0) {
            return &job->servers[i];
        }
    }
    return NULL;
}

/* `line`: where it is mentioned. */
static void add_section(struct making *m, struct places *p, const struct job_section *s,
                        size_t line)
{
    const char *url = job_own(s, m->t, "url");
    if (url != NULL) {
        add_place(m, p, add_server(m, url, s, s->line), s->name, line);
    }
}

static void all_sections(struct making *m, struct places *p, size_t line)
{
    for (size_t i = 0; i < m->job->servers_n; i++) {
        add_section(m, p, &m->job->servers[i], line);
    }
}

static void unknown_server(struct making *m, const char *word, size_t line)
{
    const char **names = mem_zero(m->job->servers_n + 1, sizeof *names);
    for (size_t i = 0; i < m->job->servers_n; i++) {
        names[i] = m->job->servers[i].name;
    }
    const char *near = text_nearest(word, names);
    if (near != NULL) {
        problems_add(m->bad, line, "there is no [server %s]; did you mean %s?", word, near);
    } else {
        problems_add(m->bad, line,
                     "\"%s\" is neither a server's URL (http://HOST:PORT) nor a [server "
                     "NAME] of this file",
                     word);
    }
    free(names);
}

/* "a, b", "*", or URLs. */
static void named_servers(struct making *m, struct places *p, const char *text, size_t line)
{
    size_t n;
    char **words = option_split(text, &n);
    for (size_t i = 0; i < n; i++) {
        const struct job_section *s = find_server(m->job, words[i]);
        if (strcmp(words[i], "*") == 0) {
            all_sections(m, p, line);
        } else if (s != NULL) {
            add_section(m, p, s, line);
        } else if (strstr(words[i], "://") != NULL) {
            add_place(m, p, add_server(m, words[i], NULL, line), words[i], line);
        } else {
            unknown_server(m, words[i], line);
        }
    }
    free(words);
}

/* The line of a value given in the file: "FILE:LINE: …". */
static size_t line_of(const struct making *m, const char *where, size_t otherwise)
{
    size_t n = m->job != NULL ? strlen(m->job->file) : 0;
    if (n == 0 || strncmp(where, m->job->file, n) != 0 || where[n] != ':') {
        return otherwise;
    }
    return (size_t)strtoull(where + n + 1, NULL, 10);
}

/* Whichever spelling of "servers" a section has. */
static bool servers_of(struct making *m, struct places *p, const struct job_section *s)
{
    for (size_t i = 0; i < s->given.n; i++) {
        const struct option_given *g = &s->given.given[i];
        if (g->table == m->t->n) {
            named_servers(m, p, g->text, line_of(m, g->where, s->line));
            return true;
        }
    }
    return false;
}

static void choose_servers(struct making *m, struct places *p, const struct job_section *experiment,
                           char *const *urls, size_t urls_n)
{
    for (size_t i = 0; i < urls_n; i++) {
        add_place(m, p, add_server(m, urls[i], NULL, 0), urls[i], 0);
    }
    if (m->job == NULL || urls_n > 0 || (experiment != NULL && servers_of(m, p, experiment)) ||
        servers_of(m, p, &m->job->global)) {
        return;
    }
    all_sections(m, p, 0);
    bool empty = experiment == NULL && m->job->global.line == 0; /* said already */
    if (m->job->servers_n == 0 && !empty) {
        problems_add(m->bad, experiment != NULL ? experiment->line : m->job->global.line,
                     "which server? Give it here (servers = http://HOST:PORT) or on the command "
                     "line");
    }
}

/* ---- experiments ----------------------------------------------------------------------------- */

static bool of_plan(const struct making *m, const struct option_given *g)
{
    return g->table >= m->t->plan && g->table < m->t->n;
}

/* The workload that the values choose together: the last says. */
static int workload_of(const struct option_list *const *lists, size_t n, const struct making *m)
{
    struct spec_settings chosen = {0};
    const struct opt *o = option_find(spec_options, "workload");
    option_set(o, &chosen, o->otherwise, NULL);
    for (size_t i = 0; i < n; i++) {
        for (size_t j = 0; j < lists[i]->n; j++) {
            const struct option_given *g = &lists[i]->given[j];
            if (of_plan(m, g) && g->option == o) {
                option_set(o, &chosen, g->text, NULL);
            }
        }
    }
    return chosen.workload;
}

/* Table of a workload's own options, by index into the command's. */
static size_t own_table(const struct making *m, int workload)
{
    return m->t->plan + 1 + (size_t)workload;
}

static bool used(const struct option_given *g, const bool *workloads_used, const struct making *m)
{
    return g->table <= m->t->plan || g->table >= m->t->n ||
           workloads_used[g->table - m->t->plan - 1];
}

/* An option that several experiments share is for those that it concerns: but one at least. */
static void check_used(const struct making *m, const struct option_list *list, bool file,
                       const bool *workloads_used)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct option_given *g = &list->given[i];
        if (!used(g, workloads_used, m)) {
            size_t line = line_of(m, g->where, 0);
            problems_add(m->bad, file ? line : 0,
                         "%s%s belongs to the workload %s, which no "
                         "experiment here has",
                         file ? "" : "--", g->option->name,
                         workload_names[g->table - m->t->plan - 1]);
        }
    }
}

/* Takes the value out that a fault names ("FILE:LINE: name: …"): -1 if it names none. */
static int drop_named(const struct making *m, struct option_list *list, const char *text)
{
    for (size_t i = 0; m->job != NULL && i < list->n; i++) {
        struct option_given *g = &list->given[i];
        size_t n = strlen(g->where);
        if (line_of(m, g->where, 0) > 0 && strncmp(text, g->where, n) == 0 &&
            (text[n] == ':' || text[n] == ' ')) {
            free(g->text);
            free(g->where);
            *g = list->given[--list->n];
            return 0;
        }
    }
    return -1;
}

/* A fault that plan_add found: of a value, or of several together. */
static void plan_problem(struct making *m, const char *text, const struct job_section *experiment)
{
    size_t line = line_of(m, text, 0);
    if (line > 0) {
        const char *rest = strchr(text + strlen(m->job->file) + 1, ':');
        problems_add(m->bad, line, "%s", rest != NULL ? rest + 2 : text);
    } else if (experiment != NULL) {
        problems_add(m->bad, experiment->line, "[%s]: %s", experiment->name, text);
    } else {
        problems_add(m->bad, m->job != NULL ? m->job->global.line : 0, "%s", text);
    }
}

static void add_experiment(struct making *m, struct plan *plan, const struct places *places,
                           const struct job_section *experiment, bool *workloads_used)
{
    struct option_list all = {0};
    struct err err = ERR_INIT;
    const struct option_list *lists[4];
    size_t n = 0;
    if (m->t->under != NULL) {
        lists[n++] = m->t->under;
    }
    if (m->job != NULL) {
        lists[n++] = &m->job->global.given;
    }
    if (experiment != NULL) {
        lists[n++] = &experiment->given;
    }
    lists[n++] = m->line;
    int workload = workload_of(lists, n, m);
    workloads_used[workload] = true;
    const struct workload *w = workloads[workload];
    for (size_t i = 0; i < n; i++) {
        bool shared = lists[i] == m->t->under ||
                      (m->job != NULL && (experiment == NULL || lists[i] != &experiment->given));
        for (size_t j = 0; j < lists[i]->n; j++) {
            const struct option_given *g = &lists[i]->given[j];
            if (of_plan(m, g) &&
                (!shared || (g->table == m->t->plan && !workload_ignores(w, g->option)) ||
                 g->table == own_table(m, workload))) {
                option_copy(&all, g);
            }
        }
    }
    struct plan_part part = {experiment != NULL ? experiment->name : NULL, &all, m->t->plan,
                             places->at, places->n};
    bool again = places->n > 0 && (m->job == NULL || !m->job->workload_unknown);
    while (again && plan_add(plan, &part, &err) < 0) {
        plan_problem(m, err.text, experiment);
        again = drop_named(m, &all, err.text) == 0; /* then, what else is wrong? */
    }
    option_list_free(&all);
}

int job_plan(const struct job *job, const struct job_tables *tables, const struct option_list *line,
             char *const *urls, size_t urls_n, bool dry, struct plan *plan, struct problems *bad,
             struct err *err)
{
    struct err trouble = ERR_INIT;
    struct making m = {
        .job = job, .t = tables, .line = line, .dry = dry, .bad = bad, .err = &trouble};
    size_t experiments = job != NULL && job->experiments_n > 0 ? job->experiments_n : 1;
    struct places *places = mem_zero(experiments, sizeof *places);
    bool workloads_used[32] = {false};
    for (size_t i = 0; i < experiments; i++) {
        choose_servers(&m, &places[i],
                       job != NULL && job->experiments_n > 0 ? &job->experiments[i] : NULL, urls,
                       urls_n);
    }
    plan_open(plan, m.servers, m.servers_n); /* after all are there: specs point to them */
    for (size_t i = 0; i < experiments; i++) {
        add_experiment(&m, plan, &places[i],
                       job != NULL && job->experiments_n > 0 ? &job->experiments[i] : NULL,
                       workloads_used);
        free(places[i].at);
    }
    free(places);
    for (size_t i = 0; i < m.met_n; i++) {
        free(m.met[i].url);
    }
    free(m.met);
    if (job != NULL && !job->workload_unknown) {
        check_used(&m, &job->global.given, true, workloads_used);
        check_used(&m, line, false, workloads_used);
    }
    problems_sort(bad);
    if (trouble.kind != ERR_NONE) {
        *err = trouble;
        return -1;
    }
    return 0;
}
