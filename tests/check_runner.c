/* Whole runs of the workloads against a CouchDB in memory whose answers can be spoiled: what is
 * counted where, which phase fails, what is left behind. */
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bench/plan.h"
#include "bench/runner.h"
#include "bench/workload.h"
#include "tests/fake_couch.h"
#include "tests/testing.h"

struct session {
    struct result *result;
    struct err err;
    int rc;
    struct fake_couch *server;
};

/* What a command line alone cannot say, as a job file can: of the plan, before it is run. */
static void (*adjust)(struct plan *plan);

/* Runs `line` (options, separated by spaces) against a fresh stand-in. */
static struct session run(const char *line, const struct fake_couch_config *config)
{
    struct session s = {.err = ERR_INIT};
    struct option_table tables[32];
    size_t n = plan_tables(tables, 32);
    struct option_list list = {0};
    char copy[400], *argv[40] = {"run"};
    int argc = 1;
    struct plan plan;
    log_set_level(LOG_ERROR);
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    s.server = fake_couch_start(config);
    ck_assert_msg(option_parse(tables, n, argc, argv, &list, &s.err) == 0, "%s", s.err.text);
    struct server_spec *servers = mem_zero(1, sizeof *servers);
    servers->key = mem_strdup("fake");
    servers->url = mem_strdup(fake_couch_url(s.server));
    ck_assert_msg(plan_make(&plan, servers, 1, &list, 0, &s.err) == 0, "%s", s.err.text);
    if (adjust != NULL) {
        adjust(&plan);
    }
    s.result = result_new();
    s.rc = runner_run(&plan, NULL, s.result, &s.err);
    plan_free(&plan);
    option_list_free(&list);
    return s;
}

static void end(struct session *s)
{
    ck_assert_uint_eq(fake_couch_databases(s->server), 0); /* whatever happened, nothing is left */
    result_free(s->result);
    fake_couch_stop(s->server);
}

static const struct phase_result *phase(const struct session *s, const char *name)
{
    ck_assert_uint_ge(s->result->specs_n, 1);
    ck_assert_uint_ge(s->result->specs[0].runs_n, 1);
    const struct run_result *r = &s->result->specs[0].runs[0];
    for (size_t i = 0; i < r->phases_n; i++) {
        if (strcmp(r->phases[i].name, name) == 0) {
            return &r->phases[i];
        }
    }
    ck_abort_msg("no phase %s", name);
    return NULL;
}

#define SMALL "--scale 0.02 --runs 1 --via search --steps artist-names,play-counts --batch 50 "
enum { SMALL_DOCS = 244 };

START_TEST(clean_run)
{
    struct session s = run(SMALL "--concurrency 3", &(struct fake_couch_config){0});
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    const struct phase_result *p = phase(&s, "import");
    ck_assert_int_eq(p->state, PHASE_OK);
    ck_assert_uint_eq(p->items, SMALL_DOCS);
    ck_assert_uint_eq(p->docs.ok, SMALL_DOCS);
    ck_assert_uint_eq(p->requests.ok, 5);
    ck_assert_uint_eq(hist_count(p->latency), 5);
    ck_assert_uint_eq(p->connections, 0); /* they were opened before the clock */
    ck_assert(!p->streamed);
    ck_assert_uint_eq(phase(&s, "play-counts")->docs.ok, SMALL_DOCS);
    ck_assert_int_eq(phase(&s, "artist-names")->state, PHASE_OK);
    end(&s);
}
END_TEST

START_TEST(streamed_when_too_large)
{
    struct session s = run(SMALL "--prepare-bytes 1000", &(struct fake_couch_config){0});
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    ck_assert(phase(&s, "import")->streamed);
    ck_assert_uint_eq(phase(&s, "import")->docs.ok, SMALL_DOCS);
    end(&s);
}
END_TEST

/* ---- spoiled answers ------------------------------------------------------------------------- */

struct spoil {
    const char *method, *path; /* of the requests that are spoiled: the path ends so */
    unsigned from, count;      /* the first `from` pass, then `count` are spoiled */
    int status;
    const char *body, *headers;
    enum stub_fault fault;
    size_t larger_than; /* only bodies longer than this; 0: all */
    unsigned seen;
};

static bool spoil(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    struct spoil *s = arg;
    size_t len = strcspn(r->path, "?"), want = strlen(s->path);
    if (strcmp(r->method, s->method) != 0 || len < want ||
        strncmp(r->path + len - want, s->path, want) != 0 ||
        (s->larger_than != 0 && r->body_len <= s->larger_than)) {
        return false;
    }
    if (s->seen++ < s->from || s->seen > s->from + s->count) {
        return false;
    }
    fake_couch_answer(a, s->status ? s->status : 200, s->body ? s->body : "{}");
    a->headers = s->headers;
    a->fault = s->fault;
    return true;
}

START_TEST(import_faults)
{
    static const struct {
        const char *what;
        struct spoil spoil;
        int state; /* of the import */
        uint64_t docs_ok;
        const char *says; /* of its reason */
        size_t member;    /* of counts: the class of the others */
    } rows[] = {
        {"a refusal with JSON",
         {"POST", "/_bulk_docs", 1, 1, 403, "{\"error\":\"forbidden\",\"reason\":\"no\"}", NULL,
          STUB_NONE, 0, 0},
         PHASE_FAILED,
         SMALL_DOCS - 50,
         "forbidden",
         offsetof(struct counts, http_error)},
        {"a server error with HTML",
         {"POST", "/_bulk_docs", 0, 1, 502, "<html><b>Bad Gateway</b></html>", NULL, STUB_NONE, 0,
          0},
         PHASE_FAILED,
         SMALL_DOCS - 50,
         "502",
         offsetof(struct counts, http_error)},
        {"rows in error",
         {"POST", "/_bulk_docs", 4, 1, 201,
          "[{\"id\":\"x\",\"error\":\"conflict\",\"reason\":\"no\"}]", NULL, STUB_NONE, 0, 0},
         PHASE_FAILED,
         SMALL_DOCS - 44,
         NULL,
         offsetof(struct counts, unknown)},
        {"no rows at all",
         {"POST", "/_bulk_docs", 0, 1, 201, "{\"ok\":true}", NULL, STUB_NONE, 0, 0},
         PHASE_FAILED,
         SMALL_DOCS - 50,
         NULL,
         offsetof(struct counts, unknown)},
        {"cut JSON",
         {"POST", "/_bulk_docs", 0, 1, 201, "[{\"ok\":true,\"id\":", NULL, STUB_NONE, 0, 0},
         PHASE_FAILED,
         SMALL_DOCS - 50,
         NULL,
         offsetof(struct counts, unknown)},
        {"a connection reset after the request",
         {.method = "POST", .path = "/_bulk_docs", .count = 1, .fault = STUB_RESET_AFTER_BODY},
         PHASE_FAILED,
         SMALL_DOCS - 50,
         NULL,
         offsetof(struct counts, unknown)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct spoil spoiled = rows[i].spoil;
        struct session s = run(SMALL, &(struct fake_couch_config){.hook = spoil, .arg = &spoiled});
        const struct phase_result *p = phase(&s, "import");
        ck_assert_msg(s.rc < 0 && s.err.kind == ERR_STEP, "%s: %d %s", rows[i].what, s.rc,
                      s.err.text);
        ck_assert_msg((int)p->state == rows[i].state, "%s: %d", rows[i].what, p->state);
        ck_assert_msg(p->docs.ok == rows[i].docs_ok, "%s: %llu ok", rows[i].what,
                      (unsigned long long)p->docs.ok);
        ck_assert_msg(rows[i].says == NULL || strstr(p->reason, rows[i].says) != NULL, "%s: %s",
                      rows[i].what, p->reason);
        uint64_t other;
        memcpy(&other, (const char *)&p->docs + rows[i].member, sizeof other);
        ck_assert_msg(other == SMALL_DOCS - rows[i].docs_ok, "%s: %llu of the class", rows[i].what,
                      (unsigned long long)other);
        /* what needs the documents is not run */
        ck_assert_int_eq(phase(&s, "play-counts")->state, PHASE_SKIPPED);
        end(&s);
    }
}
END_TEST

/* A body that the server finds too large is halved until it fits: no error, but said. */
START_TEST(too_large)
{
    struct spoil limit = {"POST", "/_bulk_docs", 0,     1000, 413, "{\"error\":\"too_large\"}",
                          NULL,   STUB_NONE,     20000, 0};
    struct session s = run("--scale 0.02 --runs 1 --steps import --batch 244",
                           &(struct fake_couch_config){.hook = spoil, .arg = &limit});
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    const struct phase_result *p = phase(&s, "import");
    ck_assert_uint_eq(p->docs.ok, SMALL_DOCS);
    ck_assert_uint_eq(p->requests.http_error, 0);
    ck_assert_uint_ge(json_u64(p->facts, "batches_halved", 0), 7);
    ck_assert_uint_lt(json_u64(p->facts, "batch_docs_max", 0), 40);
    ck_assert_uint_ge(p->notes_n, 1);
    end(&s);
}
END_TEST

START_TEST(busy_server)
{
    struct spoil busy = {"POST", "/_bulk_docs",        1,         3, 429,
                         "{}",   "Retry-After: 0\r\n", STUB_NONE, 0, 0};
    struct session s = run(SMALL, &(struct fake_couch_config){.hook = spoil, .arg = &busy});
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    ck_assert_uint_eq(phase(&s, "import")->requests.retried, 3);
    ck_assert_uint_eq(phase(&s, "import")->docs.ok, SMALL_DOCS);
    end(&s);
}
END_TEST

/* By turns an error and an answer so long that a thread judges it during the phase. */
static bool long_answers(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    enum { LONG = 9 << 20 };
    atomic_uint *seen = arg;
    if (strstr(r->path, "/_bulk_docs") == NULL) {
        return false;
    }
    if (++*seen % 2 == 0) {
        fake_couch_answer(a, 500, "{\"error\":\"a refusal\"}");
        return true;
    }
    fake_couch_answer(a, 201, "[{\"id\":\"x\",\"error\":\"a row\"}");
    buf_reserve(&a->body, LONG);
    memset(a->body.data + a->body.len, ' ', LONG - 1);
    a->body.len += LONG - 1;
    buf_addc(&a->body, ']');
    return true;
}

/* What the thread finds is not what the loop writes to meanwhile (run this with a thread
 * sanitizer). */
START_TEST(judged_in_a_thread)
{
    atomic_uint seen = 0;
    struct session s = run("--scale 0.02 --runs 1 --steps import --batch 20",
                           &(struct fake_couch_config){.hook = long_answers, .arg = &seen});
    const struct phase_result *p = phase(&s, "import");
    ck_assert(json_bool(p->facts, "judged_in_thread", false));
    ck_assert_uint_eq(p->docs.ok, 0);
    ck_assert_uint_eq(p->docs.http_error + p->docs.unknown, SMALL_DOCS);
    ck_assert_ptr_nonnull(strstr(p->reason, "a refusal"));
    end(&s);
}
END_TEST

/* Another run's deletion under ours: the count tells. */
START_TEST(stored_count_is_checked)
{
    struct spoil rows = {
        "GET", "/_all_docs", 0, 1, 200, "{\"total_rows\":1,\"offset\":0,\"rows\":[]}",
        NULL,  STUB_NONE,    0, 0};
    struct session s = run(SMALL, &(struct fake_couch_config){.hook = spoil, .arg = &rows});
    ck_assert_int_lt(s.rc, 0);
    ck_assert_int_eq(phase(&s, "play-counts")->state, PHASE_FAILED);
    ck_assert_ptr_nonnull(strstr(phase(&s, "play-counts")->reason, "0 documents read"));
    end(&s);
}
END_TEST

/* The stand-in has two shards whatever is asked for: no figure is made under a false name. */
START_TEST(shards_are_verified)
{
    struct session s =
        run("--scale 0.02 --runs 1 --steps import --shards 1", &(struct fake_couch_config){0});
    ck_assert_int_lt(s.rc, 0);
    ck_assert_ptr_nonnull(strstr(s.err.text, "--shards 1: the database has 2"));
    end(&s);
    s = run("--scale 0.02 --runs 1 --steps import --shards 2 --replicas 1",
            &(struct fake_couch_config){0});
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    end(&s);
}
END_TEST

/* The info of a database as a server without shards gives it. */
static bool bare_info(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    (void)arg;
    if (strcmp(r->method, "GET") != 0 || r->path[1] == '\0' || r->path[1] == '_' ||
        strchr(r->path + 1, '/') != NULL) {
        return false;
    }
    fake_couch_answer(a, 200, "{\"doc_count\":0}");
    return true;
}

START_TEST(quorums_are_verified)
{
    struct session s = run("--scale 0.02 --runs 1 --steps import --write-quorum 2",
                           &(struct fake_couch_config){0});
    ck_assert_int_lt(s.rc, 0);
    ck_assert_msg(strstr(s.err.text, "--write-quorum 2: the database has 1 copy") != NULL, "%s",
                  s.err.text);
    end(&s);
    s = run("--scale 0.02 --runs 1 --steps import --read-quorum 1",
            &(struct fake_couch_config){.hook = bare_info});
    ck_assert_int_lt(s.rc, 0);
    ck_assert_msg(strstr(s.err.text, "--read-quorum: this server says nothing of copies") != NULL,
                  "%s", s.err.text);
    end(&s);
}
END_TEST

/* What will end is waited for, within the limit; a continuous replication is not. Both are said. */
START_TEST(background_tasks)
{
    static const struct {
        const char *tasks, *says;
        double least, most; /* seconds waited */
    } rows[] = {
        {"[{\"type\":\"replication\",\"continuous\":true}]", "began: continuous replication", 0,
         0.2},
        {"[{\"type\":\"view_compaction\",\"progress\":7}]", "began: view_compaction 7 %", 0.3, 5},
    };
    for (size_t i = 0; i < 2; i++) {
        struct spoil busy = {"GET", "/_active_tasks", 0, 1000, 200, rows[i].tasks,
                             NULL,  STUB_NONE,        0, 0};
        struct session s = run("--scale 0.02 --runs 1 --steps import --settle-timeout 300ms",
                               &(struct fake_couch_config){.hook = spoil, .arg = &busy});
        ck_assert_msg(s.rc == 0, "%s", s.err.text);
        const struct phase_result *p = phase(&s, "import");
        ck_assert_uint_eq(p->notes_n, 1);
        ck_assert_msg(strstr(p->notes[0], rows[i].says) != NULL, "%s", p->notes[0]);
        const cJSON *task = cJSON_GetArrayItem(
            json_get(s.result->specs[0].runs[0].server_before, "background_tasks"), 0);
        double waited = json_num(task, "waited_s", -1);
        ck_assert_msg(waited >= rows[i].least && waited <= rows[i].most, "row %zu: %f", i, waited);
        end(&s);
    }
}
END_TEST

/* As CouchDB with a list of indexes in its cache that does not know the new one yet. */
static bool late_index(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    atomic_uint *asked = arg;
    if (strstr(r->path, "/_index") != NULL) {
        fake_couch_answer(a, 200, "{\"result\":\"created\",\"id\":\"x\",\"name\":\"by-artist\"}");
        return true;
    }
    if (strstr(r->path, "/_find") != NULL) {
        fake_couch_answer(a, 200,
                          ++*asked < 3 ? "{\"docs\":[{\"Artist\":\"A\"}],\"bookmark\":\"nil\","
                                         "\"warning\":\"No matching index found\"}"
                                       : "{\"docs\":[{\"Artist\":\"A\"}],\"bookmark\":\"nil\"}");
        return true;
    }
    return false;
}

START_TEST(index_is_asked_until_used)
{
    atomic_uint asked = 0;
    struct session s = run("--scale 0.02 --runs 1 --steps index --via mango",
                           &(struct fake_couch_config){.hook = late_index, .arg = &asked});
    const struct phase_result *p = phase(&s, "mango.index");
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    ck_assert_uint_eq(json_u64(p->facts, "queries_until_used", 0), 3);
    ck_assert_uint_eq(p->requests.ok, 4); /* the definition, and three queries, all in the time */
    end(&s);
}
END_TEST

/* ---- full-text search ------------------------------------------------------------------------ */

START_TEST(search_engines)
{
    static const struct {
        const char *engine;
        struct fake_couch_config config;
        bool there;
    } rows[] = {
        {"nouveau", {.nouveau = true}, true},     {"clouseau", {.clouseau = true}, true},
        {"mango-text", {.clouseau = true}, true}, {"auto", {.nouveau = true}, true},
        {"auto", {.clouseau = true}, true},       {"auto", {0}, false},
        {"nouveau", {.clouseau = true}, false},
    };
    for (size_t i = 0; i < tests_many(sizeof rows / sizeof rows[0], 3); i++) {
        char line[200];
        snprintf(line, sizeof line,
                 "--scale 0.1 --runs 1 --via search --steps fts-query --search-engine %s",
                 rows[i].engine);
        struct session s = run(line, &rows[i].config);
        ck_assert_msg(s.rc == 0, "row %zu: %s", i, s.err.text);
        const struct phase_result *p = phase(&s, "search.query");
        if (rows[i].there) {
            ck_assert_msg(p->state == PHASE_OK, "row %zu: %s", i, p->reason);
            ck_assert_uint_eq(p->items, 3); /* a tenth of the original's 27, rounded */
            ck_assert_uint_eq(fake_couch_searches(s.server), 2); /* the build's and the query */
            /* the build's query asks for one row; both have the documented form */
            ck_assert_uint_eq(fake_couch_wrong(s.server), 0);
        } else {
            ck_assert_int_eq(p->state, PHASE_SKIPPED);
            ck_assert_str_ne(p->reason, "");
        }
        end(&s);
    }
}
END_TEST

/* More than a page: bookmarks are followed, and the pages counted. */
START_TEST(search_pages)
{
    char path[] = "/tmp/tunecouch-check-XXXXXX", line[200];
    int fd = mkstemp(path);
    FILE *file = fdopen(fd, "w");
    for (unsigned i = 0; i < 450; i++) {
        fprintf(file, "{\"Name\":\"Rock %c\",\"Persistent ID\":\"%08X\",\"Artist\":\"A\"}\n",
                (int)('a' + i % 26), i * 7919);
    }
    fclose(file);
    snprintf(line, sizeof line, "--data %s --runs 1 --via search --steps fts-query", path);
    struct session s = run(line, &(struct fake_couch_config){.nouveau = true});
    unlink(path);
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    ck_assert_uint_eq(phase(&s, "search.query")->items, 450);
    ck_assert_uint_eq(json_u64(phase(&s, "search.query")->facts, "pages", 0), 3);
    end(&s);
}
END_TEST

/* An engine that leaves one out is found out. */
START_TEST(search_count_is_checked)
{
    struct spoil empty = {"POST",
                          "/names",
                          1,
                          1,
                          200,
                          "{\"total_hits_relation\":\"EQUAL_TO\",\"total_hits\":0,\"hits\":[],"
                          "\"bookmark\":\"x\"}",
                          NULL,
                          STUB_NONE,
                          0,
                          0};
    struct session s =
        run("--scale 0.1 --runs 1 --via search --steps fts-query",
            &(struct fake_couch_config){.nouveau = true, .hook = spoil, .arg = &empty});
    ck_assert_int_lt(s.rc, 0);
    ck_assert_int_eq(phase(&s, "search.query")->state, PHASE_FAILED);
    ck_assert_ptr_nonnull(strstr(phase(&s, "search.query")->reason, "expected 3"));
    end(&s);
}
END_TEST

/* ---- objects --------------------------------------------------------------------------------- */

#define OBJECTS "--workload objects --objects 30 --object-size 5k --group 10 --runs 1 "

START_TEST(objects_run)
{
    static const char *const names[] = {"ingest", "read", "update", "delete"};
    struct session s = run(OBJECTS "--concurrency 4", &(struct fake_couch_config){0});
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    for (size_t i = 0; i < 4; i++) {
        const struct phase_result *p = phase(&s, names[i]);
        ck_assert_msg(p->state == PHASE_OK, "%s: %s", names[i], p->reason);
        ck_assert_uint_eq(p->items, 30);
        ck_assert_uint_eq(p->series_n, 1);
        ck_assert_uint_eq(p->series[0].n, 3);
        ck_assert_uint_eq(p->payload_bytes, i == 3 ? 0 : 150000);
    }
    end(&s);
}
END_TEST

/* Failures end neither the phase nor the accounting, and are in no figure. */
START_TEST(objects_faults)
{
    static const struct {
        const char *what;
        struct spoil spoil;
        const char *phase, *says;
        uint64_t ok, payload;
    } rows[] = {
        {"an ingest refused",
         {"PUT", "/content", 3, 2, 500, "{\"error\":\"enospc\"}", NULL, STUB_NONE, 0, 0},
         "ingest",
         "enospc",
         28,
         140000},
        {"an object changed",
         {"GET", "/content", 5, 1, 200, "something else", NULL, STUB_NONE, 0, 0},
         "read",
         "came back",
         29,
         145000},
        {"an object missing",
         {"GET", "/content", 0, 3, 404, "{\"error\":\"not_found\"}", NULL, STUB_NONE, 0, 0},
         "read",
         "not_found",
         27,
         135000},
        {"a write without a revision",
         {"PUT", "/content", 31, 1, 201, "{\"ok\":true}", NULL, STUB_NONE, 0, 0},
         "update",
         "no revision",
         29,
         145000},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct spoil spoiled = rows[i].spoil;
        struct session s =
            run(OBJECTS, &(struct fake_couch_config){.hook = spoil, .arg = &spoiled});
        const struct phase_result *p = phase(&s, rows[i].phase);
        ck_assert_msg(s.rc < 0, "%s", rows[i].what);
        ck_assert_msg(p->state == PHASE_FAILED, "%s: %d", rows[i].what, p->state);
        ck_assert_msg(p->docs.ok == rows[i].ok && p->items == rows[i].ok, "%s: %llu ok",
                      rows[i].what, (unsigned long long)p->docs.ok);
        ck_assert_msg(p->payload_bytes == rows[i].payload, "%s: %llu bytes", rows[i].what,
                      (unsigned long long)p->payload_bytes);
        ck_assert_msg(strstr(p->reason, rows[i].says) != NULL, "%s: %s", rows[i].what, p->reason);
        ck_assert_uint_eq(counts_bad(&p->docs), 30 - rows[i].ok);
        end(&s);
    }
}
END_TEST

/* Requests for objects that carry the quorum asked for, by method. */
struct quorums {
    atomic_uint put, get, deleted, without;
};

static bool count_quorums(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    struct quorums *q = arg;
    (void)a;
    if (strstr(r->path, "/object-") == NULL) {
        return false;
    }
    if (strcmp(r->method, "GET") == 0 && strstr(r->path, "?r=1") != NULL) {
        q->get++;
    } else if (strcmp(r->method, "PUT") == 0 && strstr(r->path, "w=1") != NULL) {
        q->put++;
    } else if (strcmp(r->method, "DELETE") == 0 && strstr(r->path, "&w=1") != NULL) {
        q->deleted++;
    } else {
        q->without++;
    }
    return false;
}

START_TEST(objects_quorums)
{
    struct quorums q = {0};
    struct session s = run(OBJECTS "--write-quorum 1 --read-quorum 1",
                           &(struct fake_couch_config){.hook = count_quorums, .arg = &q});
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    ck_assert_uint_eq(q.put, 60);
    ck_assert_uint_eq(q.get, 30);
    ck_assert_uint_eq(q.deleted, 30);
    ck_assert_uint_eq(q.without, 0);
    end(&s);
}
END_TEST

/* A write answered 202 is one of which too few copies were made: no failure, but said. */
START_TEST(below_quorum_is_said)
{
    static const struct {
        const char *line, *phase;
        struct spoil spoil;
    } rows[] = {
        {OBJECTS,
         "ingest",
         {"PUT", "/content", 0, 2, 202,
          "{\"ok\":true,\"id\":\"x\",\"rev\":\"1-0123456789abcdef0123456789abcdef\"}", NULL,
          STUB_NONE, 0, 0}},
        {SMALL, "import", {"POST", "/_bulk_docs", 0, 2, 202, "[]", NULL, STUB_NONE, 0, 0}},
    };
    for (size_t i = 0; i < 2; i++) {
        struct spoil spoiled = rows[i].spoil;
        struct session s =
            run(rows[i].line, &(struct fake_couch_config){.hook = spoil, .arg = &spoiled});
        const struct phase_result *p = phase(&s, rows[i].phase);
        ck_assert_uint_eq(p->notes_n, 1);
        ck_assert_msg(strstr(p->notes[0], "2 writes were answered 202") != NULL, "%s", p->notes[0]);
        end(&s);
    }
}
END_TEST

/* Waiting that the server asked for is in the phase's time, and said. */
START_TEST(objects_waits)
{
    struct spoil busy = {"PUT", "/content", 3, 2, 503, "{}", "Retry-After: 0\r\n", STUB_NONE, 0, 0};
    struct session s = run(OBJECTS, &(struct fake_couch_config){.hook = spoil, .arg = &busy});
    const struct phase_result *p = phase(&s, "ingest");
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    ck_assert_uint_eq(p->requests.retried, 2);
    ck_assert_uint_eq(json_u64(p->facts, "waits", 0), 2);
    ck_assert_uint_eq(p->notes_n, 1);
    ck_assert_ptr_nonnull(strstr(p->notes[0], "asked to wait 2 times"));
    end(&s);
}
END_TEST

/* With --allow-errors the rest keeps its figures; what was not ingested is not asked for again. */
START_TEST(objects_allowed_to_fail)
{
    struct spoil refused = {"PUT", "/content", 3, 2, 500, "{\"error\":\"enospc\"}",
                            NULL,  STUB_NONE,  0, 0};
    struct session s = run(OBJECTS "--allow-errors 10",
                           &(struct fake_couch_config){.hook = spoil, .arg = &refused});
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    ck_assert_int_eq(phase(&s, "ingest")->state, PHASE_OK);
    ck_assert_uint_eq(phase(&s, "ingest")->items, 28);
    ck_assert_uint_eq(phase(&s, "ingest")->docs.http_error, 2);
    ck_assert_uint_ge(phase(&s, "ingest")->notes_n, 1);
    ck_assert_uint_eq(phase(&s, "read")->items, 28);
    ck_assert_int_eq(phase(&s, "delete")->state, PHASE_OK);
    end(&s);
    refused.seen = 0;
    s = run(OBJECTS "--allow-errors 5",
            &(struct fake_couch_config){.hook = spoil, .arg = &refused});
    ck_assert_int_lt(s.rc, 0);
    ck_assert_int_eq(phase(&s, "ingest")->state, PHASE_FAILED);
    end(&s);
}
END_TEST

/* ---- other people's data --------------------------------------------------------------------- */

/* A marker that is not ours any more: the database is left alone. */
START_TEST(marker_is_read_before_deletion)
{
    struct spoil marker = {
        "GET", "/tunecouch",
        0,     100,
        200,   "{\"_id\":\"_local/tunecouch\",\"tunecouch\":1,\"token\":\"another's\"}",
        NULL,  STUB_NONE,
        0,     0};
    struct session s = run("--scale 0.02 --runs 1 --steps import",
                           &(struct fake_couch_config){.hook = spoil, .arg = &marker});
    ck_assert_uint_eq(fake_couch_databases(s.server), 1);
    result_free(s.result);
    fake_couch_stop(s.server);
}
END_TEST

static void keep_the_first(struct plan *plan)
{
    plan->specs[0].common.keep = true;
}

static void keep_the_second(struct plan *plan)
{
    plan->specs[1].common.keep = true;
}

/* --keep of one experiment says nothing of another's databases. */
START_TEST(kept_by_spec)
{
    static void (*const which[])(struct plan * plan) = {keep_the_first, keep_the_second};
    for (size_t i = 0; i < 2; i++) {
        adjust = which[i];
        struct session s = run("--scale 0.02 --runs 2 --steps import --batch 50,60",
                               &(struct fake_couch_config){0});
        ck_assert_msg(s.rc == 0, "%s", s.err.text);
        ck_assert_uint_eq(fake_couch_databases(s.server), 2);
        result_free(s.result);
        fake_couch_stop(s.server);
    }
    adjust = NULL;
}
END_TEST

/* Large databases do not wait for the end. */
struct huge {
    atomic_uint there, most;
};

static bool huge_info(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    struct huge *h = arg;
    bool whole = text_starts(r->path, "/tunecouch-") && strchr(r->path + 1, '/') == NULL;
    if (whole && strcmp(r->method, "PUT") == 0) {
        h->there++;
        h->most = h->there > h->most ? h->there : h->most;
    } else if (whole && strcmp(r->method, "DELETE") == 0) {
        h->there--;
    } else if (whole) {
        fake_couch_answer(a, 200, "{\"doc_count\":244,\"sizes\":{\"file\":3000000000}}");
        return true;
    }
    return false;
}

START_TEST(large_ones_go_at_once)
{
    struct huge huge = {0};
    struct session s = run("--scale 0.02 --runs 4 --steps import",
                           &(struct fake_couch_config){.hook = huge_info, .arg = &huge});
    ck_assert_msg(s.rc == 0, "%s", s.err.text);
    ck_assert_uint_eq(huge.most, 2); /* the first one's 3 GB are let be */
    end(&s);
}
END_TEST

TEST_MAIN("runner", clean_run, streamed_when_too_large, import_faults, too_large, busy_server,
          judged_in_a_thread, stored_count_is_checked, shards_are_verified, quorums_are_verified,
          objects_quorums, objects_waits, background_tasks, index_is_asked_until_used,
          below_quorum_is_said, search_engines, search_pages, search_count_is_checked, objects_run,
          objects_faults, objects_allowed_to_fail, marker_is_read_before_deletion, kept_by_spec,
          large_ones_go_at_once)
