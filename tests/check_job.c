#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/workload.h"
#include "cli/job.h"
#include "cli/server_args.h"
#include "tests/testing.h"

static const struct opt session_options[] = {
    {"save", 0, OPT_TEXT, 0, NULL, 0, 0, NULL, "FILE", "A file.", 0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

enum { SERVER_TABLE, SESSION_TABLE, PLAN_TABLE };

struct made {
    struct plan plan;
    struct problems bad;
    int rc;
};

/* Reads a job, with a command line of words between spaces, and makes its plan. */
static struct made make(const char *text, const char *line)
{
    struct made m = {.bad = {NULL, 0, 0}};
    struct option_table tables[32] = {{"The server", server_options, NULL},
                                      {"The session", session_options, NULL}};
    struct job_tables t = {tables, PLAN_TABLE + plan_tables(tables + PLAN_TABLE, 28), SERVER_TABLE,
                           PLAN_TABLE, NULL};
    char path[] = "/tmp/tunecouch-check-job-XXXXXX", copy[300], *argv[20];
    struct option_list list = {0};
    struct err err = ERR_INIT;
    struct job job;
    int fd = mkstemp(path), argc = 1;
    ck_assert_int_ge(fd, 0);
    close(fd);
    ck_assert_int_eq(file_save(path, text, strlen(text), NULL), 0);
    argv[0] = "run";
    snprintf(copy, sizeof copy, "%s", line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    argv[argc] = NULL;
    ck_assert_int_eq(option_parse(tables, t.n, argc, argv, &list, &err), 0);
    ck_assert_int_eq(job_read(&job, path, &t, &m.bad, &err), 0);
    m.rc = job_plan(&job, &t, &list, list.operands, list.operands_n, true, &m.plan, &m.bad, &err);
    job_free(&job);
    option_list_free(&list);
    unlink(path);
    return m;
}

static void made_free(struct made *m)
{
    plan_free(&m->plan);
    problems_free(&m->bad);
}

static void show_problems(const struct problems *p, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->n; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s%zu: %s", i ? " | " : "",
                                 p->problem[i].line, p->problem[i].text);
    }
}

#define S "[global]\nserver = http://h:1\n"

START_TEST(good)
{
    static const struct {
        const char *text, *line;
        const char *specs; /* names, "|" between */
    } rows[] = {
        {S, "", "tunemark"},
        {S "batch = 1, 2\n", "", "tunemark batch=1|tunemark batch=2"},
        {S "[a]\nbatch = 1,2\n[b]\nworkload = bulkdocs\n", "",
         "a: tunemark batch=1|a: tunemark batch=2|b: bulkdocs"},
        {S "[experiment a]\nbatch = 7\n", "", "a: tunemark"},
        /* the command line goes over an experiment, a list over a value and a value over a list */
        {S "[a]\nbatch = 1,2\n", "--batch 5", "a: tunemark"},
        {S "batch = 5\n[a]\nconcurrency = 3\n", "--batch 1,2",
         "a: tunemark batch=1|a: tunemark batch=2"},
        /* [global] holds what only some of the experiments can use */
        {S "docs = 1,2\nscale = 0.1\n[a]\nworkload = bulkdocs\n[b]\nworkload = tunemark\n", "",
         "a: bulkdocs docs=1|a: bulkdocs docs=2|b: tunemark"},
        {S "batch = 1,2\n[a]\nworkload = objects\n[b]\nruns = 2\n", "",
         "a: objects|b: tunemark batch=1|b: tunemark batch=2"},
        {S "[a]\nworkload = bulkdocs\n[b]\nruns = 2\n", "--docs 1,2 --scale 2",
         "a: bulkdocs docs=1|a: bulkdocs docs=2|b: tunemark"},
        /* servers: all of the file, those named, those of the command line */
        {"[server x]\nurl = http://h:1\n[server y]\nurl = http://h:2\n[a]\nruns = 1\n", "",
         "a: tunemark x|a: tunemark y"},
        {"[server x]\nurl = http://h:1\n[server y]\nurl = http://h:2\n[a]\nservers = y\n"
         "[b]\nservers = *\n[c]\nservers = http://h:3, x\n",
         "", "a: tunemark|b: tunemark x|b: tunemark y|c: tunemark h:3|c: tunemark x"},
        {"[server x]\nurl = http://h:1\n[a]\nruns = 1\n", "http://h:8 http://h:9",
         "a: tunemark h:8|a: tunemark h:9"},
        {"[a]\nurl = http://h:1\n", "", "a: tunemark"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made m = make(rows[i].text, rows[i].line);
        char text[1000];
        size_t used = 0;
        show_problems(&m.bad, text, sizeof text);
        ck_assert_msg(m.rc == 0 && m.bad.n == 0, "row %zu: %s", i, text);
        text[0] = '\0';
        for (size_t j = 0; j < m.plan.specs_n; j++) {
            used += (size_t)snprintf(text + used, sizeof text - used, "%s%s", j ? "|" : "",
                                     m.plan.specs[j].name);
        }
        ck_assert_msg(strcmp(text, rows[i].specs) == 0, "row %zu: %s", i, text);
        made_free(&m);
    }
}
END_TEST

/* Default, [global], experiment, command line: each over the one before. */
START_TEST(precedence)
{
    static const char text[] = S "batch = 10\nretries = 1\ntimeout = 1s\n"
                                 "[a]\nbatch = 20\nretries = 2\n";
    struct made m = make(text, "--batch 30");
    ck_assert_uint_eq(m.plan.specs_n, 1);
    ck_assert_uint_eq(m.plan.specs[0].common.batch, 30);
    ck_assert_uint_eq(m.plan.specs[0].common.retries, 2);
    ck_assert_uint_eq(m.plan.specs[0].common.timeout_ns, 1000000000u);
    ck_assert_uint_eq(m.plan.specs[0].common.concurrency, 1);
    made_free(&m);
}
END_TEST

START_TEST(server_options_too)
{
    static const char text[] = "[global]\ncacert = all.pem\nproxy = http://p:1\n"
                               "[server x]\nurl = https://h:1/\ncacert = x.pem\nhttp2 = yes\n"
                               "[server y]\nurl = https://h:2/\n[a]\nruns = 1\n";
    struct made m = make(text, "--proxy http://p:2");
    ck_assert_uint_eq(m.plan.servers_n, 2);
    ck_assert_str_eq(m.plan.servers[0].key, "x");
    ck_assert_str_eq(m.plan.servers[0].ca_file, "x.pem");
    ck_assert(m.plan.servers[0].http2);
    ck_assert_str_eq(m.plan.servers[1].ca_file, "all.pem");
    ck_assert(!m.plan.servers[1].http2);
    ck_assert_str_eq(m.plan.servers[1].proxy, "http://p:2");
    made_free(&m);
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *text, *line, *says;
    } rows[] = {
        {"", "", "1: there is nothing in it"},
        {S "bacth = 5\n", "", "3: bacth: no such option; did you mean batch?"},
        {S "batch = 0\n", "", "3: batch: 0 is out of range: 1 to 10,000,000"},
        {S "timeout = 4 parsecs\n", "", "3: timeout: \"4 parsecs\" is not a duration"},
        {S "keep = perhaps\n", "", "3: keep: \"perhaps\" is neither yes nor no"},
        {S "save =\n", "", "3: save: the value is empty"},
        {S "steps = import,albms\n", "",
         "3: steps: \"albms\" is not known; did you mean \"albums\"?"},
        {S "[a]\nbatch = 5,6,5\n", "", "4: batch: 5 is given twice"},
        {S "[a]\nsave = x\n", "", "4: save belongs in [global], since it is of the whole session"},
        {S "[a]\nuser = x\n", "", "4: user belongs in [global] or a [server NAME]"},
        {S "[server x]\nurl = http://x:1\nbatch = 1\n", "",
         "5: batch belongs in [global] or an [experiment NAME]"},
        {S "[server x]\nuser = me\n", "", "3: [server x]: its url is missing"},
        {S "[server]\nurl = http://x:1\n", "", "3: [server]: a name is missing"},
        {S "[global x]\nruns = 1\n", "", "3: [global x]: there is only one"},
        {S "[sever x]\nruns = 1\n", "",
         "3: [sever x]: no such kind of section; did you mean [server x]?"},
        {S "[globl]\nruns = 1\n", "", "3: [globl]: did you mean [global]?"},
        {S "[a/b]\nruns = 1\n", "", "3: [a/b]: a name is made of letters"},
        {S "[a]\nruns = 1\n[experiment a]\nruns = 2\n", "",
         "5: there is already an experiment a, in line 3"},
        {S "[a]\ndata = x\nscale = 2\n", "", "3: [a]: --scale is of the generated library"},
        {S "[a]\ndocs = 5\n", "", "4: docs belongs to the workload bulkdocs, not to tunemark"},
        {S "docs = 5\n[a]\nruns = 5\n", "", "3: docs belongs to the workload bulkdocs, which no"},
        {S, "--docs 5", "0: --docs belongs to the workload bulkdocs, which no"},
        {S "workload = bulkdoc\ndocs = 5\n", "",
         "3: workload: \"bulkdoc\" is not known; did you mean"},
        {"[a]\nruns = 1\n", "", "1: which server?"},
        {"[server x]\nurl = http://x:1\n[a]\nservers = x, x\n", "", "4: x is given twice"},
        {"[server abc]\nurl = http://x:1\n[a]\nservers = abd\n", "",
         "4: there is no [server abd]; did you mean abc?"},
        {"[a]\nservers = localhost\n", "", "2: \"localhost\" is neither a server's URL"},
        {"[a]\nserver = http://h:1\nurl = http://h:2\n", "",
         "1: servers, server and url mean the same"},
        {"[a]\nserver = http://h h\n", "", "2: the URL holds a space"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made m = make(rows[i].text, rows[i].line);
        char text[1000];
        show_problems(&m.bad, text, sizeof text);
        ck_assert_msg(m.bad.n == 1, "row %zu: %zu problems: %s", i, m.bad.n, text);
        ck_assert_msg(strncmp(text, rows[i].says, strlen(rows[i].says)) == 0, "row %zu: %s", i,
                      text);
        made_free(&m);
    }
}
END_TEST

/* Faults of form, of values, of names, of servers and of what goes together: one telling. */
START_TEST(all_at_once)
{
    static const char text[] = "early = 1\n"     /* 1 */
                               "[global]\n"      /* 2 */
                               "bacth = 5\n"     /* 3 */
                               "label = a ; b\n" /* 4: also as an option of nobody here */
                               "[server db1]\n"  /* 5 */
                               "url = http://127.0.0.1:1\n" /* 6 */
                               "[one]\n"                    /* 7 */
                               "workload = bulkdocs\n"      /* 8 */
                               "scale = 2\n"                /* 9 */
                               "servers = db1, bd1\n"       /* 10 */
                               "batch = 5,5\n"              /* 11 */
                               "concurrency = 3,3\n"        /* 12 */
                               "[two]\n"                    /* 13 */
                               "scale = 2\n"                /* 14 */
                               "data = x\n";                /* 15 */
    static const size_t lines[] = {1, 3, 4, 9, 10, 11, 12, 13};
    struct made m = make(text, "");
    char all[2000];
    show_problems(&m.bad, all, sizeof all);
    ck_assert_msg(m.bad.n == sizeof lines / sizeof lines[0], "%s", all);
    for (size_t i = 0; i < m.bad.n; i++) {
        ck_assert_msg(m.bad.problem[i].line == lines[i], "%s", all);
    }
    made_free(&m);
}
END_TEST

TEST_MAIN("job", good, precedence, server_options_too, refused, all_at_once)
