#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/result.h"
#include "tests/testing.h"

/* A result with every member set. */
static struct result *full(void)
{
    struct result *r = result_new();
    r->tool = mem_strdup("tunecouch 0.1.0");
    r->label = mem_strdup("nightly");
    r->started_ns = 1767225600123456789;
    r->ended_ns = 1767225699000000001;
    r->partial = true;
    json_add_str(json_add(r->clients, "here", json_object()), "host", "box");
    json_add_str(json_add(r->servers, "s", json_object()), "vendor", "Apache CouchDB");
    json_add_num(json_add(r->networks, "direct", json_object()), "round_trip_s", 0.00008);
    struct spec_result *s = result_add_spec(r);
    s->name = mem_strdup("tunemark batch=1000");
    s->workload = mem_strdup("tunemark");
    s->client = mem_strdup("here");
    s->server = mem_strdup("s");
    s->network = mem_strdup("direct");
    json_add_str(s->settings, "batch", "1000");
    json_add_str(s->work, "fold", "lower");
    for (int i = 0; i < 3; i++) {
        struct run_result *run = result_add_run(s);
        run->warmup = i == 0;
        run->partial = i == 2;
        run->started_ns = 1767225600000000000 + i;
        run->server_before = json_object();
        json_add_str(run->server_before, "db_name", "tunecouch-1");
        run->server_after = json_object();
        struct phase_result *p = result_add_phase(run, "import");
        p->title = mem_strdup("Import 12189 docs");
        p->via = mem_strdup("view");
        p->item_unit = mem_strdup("doc");
        p->wall_s = 1.25 + i;
        p->items = 12189;
        p->requests = (struct counts){1, 2, 3, 4, 5, 6, 7};
        p->docs = (struct counts){12189, 0, 0, 0, 0, 0, 1};
        p->sent_bytes = 7000000000;
        p->received_bytes = 2;
        p->payload_bytes = 3;
        p->connections = 4;
        p->client_busy_s = 0.1;
        p->streamed = true;
        p->latency = hist_new();
        hist_add(p->latency, 1234567);
        p->response = hist_new();
        hist_add(p->response, 7654321);
        for (int part = 0; part < PARTS; part++) {
            p->parts[part] = (struct quantiles){9, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6 + part};
        }
        p->seconds = mem_zero(2, sizeof *p->seconds);
        p->seconds_n = 2;
        p->seconds[0] = (struct second){10, 1, 2000, 3000, 0.0015, 0.25};
        p->seconds[1] = (struct second){0, 2, 30, 40, NAN, NAN};
        p->open = mem_zero(1, sizeof *p->open);
        *p->open = (struct open_loop){.asked_per_s = 200,
                                      .poisson = i == 1,
                                      .plan_s = 2,
                                      .planned = 400,
                                      .started = 390,
                                      .late = 7,
                                      .waited = 6,
                                      .missed = 10,
                                      .started_in_time = 389,
                                      .late_after_s = 0.001,
                                      .achieved_per_s = 195,
                                      .max_in_flight = 8,
                                      .in_flight_most = 7,
                                      .reached = i == 2};
        p->client_cpu_s = 0.75;
        p->loop_lag = (struct quantiles){100, 0, 0.25, 0.5, 0.75, 1, 2};
        p->raw_n = 2;
        p->raw_ns = mem_zero(2, sizeof *p->raw_ns);
        p->raw_response_ns = mem_zero(2, sizeof *p->raw_response_ns);
        p->raw_ns[1] = 1234567;
        p->raw_response_ns[0] = 7654321;
        phase_series(p, "ms per batch", (double[]){1.5, NAN, 1.0 / 3}, 3);
        phase_series(p, "empty", NULL, 0);
        p->facts = json_object();
        json_add_num(p->facts, "pages", 2);
        phase_note(p, "a %s", "note");
        phase_note(p, "a note");
        phase_note(p, "another");
        phase_end(result_add_phase(run, "search.index"), PHASE_SKIPPED, "no %s here", "engine");
        if (i == 2) {
            run->error = mem_strdup("stopped");
        }
    }
    return r;
}

static char *text_of(const struct result *r)
{
    cJSON *o = result_to_json(r);
    char *text = json_print(o, true);
    cJSON_Delete(o);
    return text;
}

static struct result *read_text(const char *text, struct err *err)
{
    cJSON *o = json_parse(text, strlen(text), err);
    struct result *r = o == NULL ? NULL : result_from_json(o, err);
    cJSON_Delete(o);
    return r;
}

START_TEST(round_trip)
{
    struct err err = ERR_INIT;
    struct result *r = full();
    char *want = text_of(r);
    ck_assert_int_eq(strncmp(want, "{\n\t\"schema\":\t\"1.1\"", 17), 0);
    struct result *back = read_text(want, &err);
    ck_assert_msg(back != NULL, "%s", err.text);
    char *got = text_of(back);
    ck_assert_str_eq(got, want);
    ck_assert_int_eq(back->started_ns, r->started_ns);
    ck_assert_int_eq(back->ended_ns, r->ended_ns);
    const struct phase_result *p = &back->specs[0].runs[1].phases[0];
    ck_assert_uint_eq(p->sent_bytes, 7000000000);
    ck_assert_uint_eq(p->requests.retried, 7);
    ck_assert_uint_eq(p->notes_n, 2);
    ck_assert_uint_eq(p->series[0].n, 3);
    ck_assert(isnan(p->series[0].ms[1]));
    ck_assert_double_eq_tol(p->series[0].ms[2], 1.0 / 3, 1e-15);
    ck_assert_int_eq(back->specs[0].runs[1].phases[1].state, PHASE_SKIPPED);
    ck_assert_str_eq(back->specs[0].runs[1].phases[1].reason, "no engine here");
    free(got);
    free(want);
    result_free(r);
    result_free(back);
    result_free(NULL);
}
END_TEST

START_TEST(files)
{
    char path[] = "/tmp/tunecouch-check-XXXXXX";
    struct err err = ERR_INIT;
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    close(fd);
    struct result *r = full();
    ck_assert_int_eq(result_save(r, path, &err), 0);
    struct result *back = result_load(path, &err);
    ck_assert_msg(back != NULL, "%s", err.text);
    char *a = text_of(r), *b = text_of(back);
    ck_assert_str_eq(a, b);
    free(a);
    free(b);
    if (getenv("TC_SAMPLE") != NULL) { /* tests/schema.sh wants one */
        ck_assert_int_eq(result_save(r, getenv("TC_SAMPLE"), &err), 0);
    }
    result_free(r);
    result_free(back);

    /* cut: the message names the file and the place */
    ck_assert_int_eq(file_save(path, "{\"schema\":\"1.0\",", 16, &err), 0);
    ck_assert_ptr_null(result_load(path, &err));
    ck_assert_int_eq(err.kind, ERR_USAGE);
    ck_assert_int_eq(strncmp(err.text, path, strlen(path)), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "not JSON at byte 17"));
    unlink(path);
    ck_assert_ptr_null(result_load(path, &err));
    ck_assert_int_eq(err.kind, ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.text, path));
}
END_TEST

#define RESULT(specs) "{\"schema\":\"1.0\",\"specs\":[" specs "]}"
#define RUNS(runs) RESULT("{\"name\":\"a\",\"workload\":\"w\",\"runs\":[" runs "]}")
#define PHASE(more) \
    RUNS("{\"number\":1,\"phases\":[{\"name\":\"p\",\"state\":\"ok\",\"wall_s\":1" more "}]}")

START_TEST(accepted_and_refused)
{
    static const struct {
        const char *text;
        const char *why; /* part of the message; NULL: accepted */
    } rows[] = {
        {RESULT(""), NULL},
        {PHASE(""), NULL},
        {PHASE(",\"later\":{\"x\":[1]}"), NULL},
        {"{\"schema\":\"1.99\",\"specs\":[],\"new\":null}", NULL},
        {"[]", "not an object"},
        {"{}", "\"schema\" must be"},
        {"{\"schema\":1.0,\"specs\":[]}", "\"schema\" must be"},
        {"{\"schema\":\"1\",\"specs\":[]}", "\"schema\" must be"},
        {"{\"schema\":\"1.0.0\",\"specs\":[]}", "\"schema\" must be"},
        {"{\"schema\":\"2.0\",\"specs\":[]}", "saved in schema 2.0 by another version"},
        {"{\"schema\":\"0.9\",\"specs\":[]}", "saved in schema 0.9"},
        {"{\"schema\":\"99999999999999999999.0\",\"specs\":[]}", "\"schema\" must be"},
        {"{\"schema\":\"1.0\"}", "\"specs\" is missing"},
        {"{\"schema\":\"1.0\",\"specs\":{}}", "\"specs\" must be a list"},
        {"{\"schema\":\"1.0\",\"specs\":[],\"started\":5}", "\"started\" must be a time"},
        {"{\"schema\":\"1.0\",\"specs\":[],\"started\":\"2026-01-31\"}", "must be a time"},
        {"{\"schema\":\"1.0\",\"specs\":[],\"started\":\"1900-01-31T12:00:00.000000000Z\"}",
         "must be a time"},
        {"{\"schema\":\"1.0\",\"specs\":[],\"servers\":{\"s\":1}}", "each member of \"servers\""},
        {RESULT("1"), "spec 1: \"name\" is missing"},
        {RESULT("{\"name\":\"\",\"workload\":\"w\",\"runs\":[]}"), "\"name\" must be a text"},
        {RESULT("{\"name\":\"a\",\"workload\":\"w\",\"runs\":[],\"work\":[]}"),
         "spec 1: \"work\" must be an object"},
        {RUNS("{\"phases\":[]}"), "spec 1: run 1: \"number\" is missing"},
        {RUNS("{\"number\":1.5,\"phases\":[]}"), "whole number"},
        {RUNS("{\"number\":1,\"phases\":[{\"state\":\"ok\",\"wall_s\":1}]}"),
         "spec 1: run 1: phase 1: \"name\""},
        {RUNS("{\"number\":1,\"phases\":[{\"name\":\"p\",\"state\":\"fine\",\"wall_s\":1}]}"),
         "\"state\" must be"},
        {RUNS("{\"number\":1,\"phases\":[{\"name\":\"p\",\"state\":\"ok\",\"wall_s\":-1}]}"),
         "phase 1: \"wall_s\" must be a number from 0 to 1e+09"},
        {RUNS("{\"number\":1,\"phases\":[{\"name\":\"p\",\"state\":\"ok\",\"wall_s\":1e999}]}"),
         "\"wall_s\""},
        {PHASE(",\"items\":1e300"), "\"items\""},
        {PHASE(",\"items\":0.5"), "\"items\" must be a whole number"},
        {PHASE(",\"requests\":{\"ok\":\"1\"}"), "\"requests\": \"ok\""},
        {PHASE(",\"docs\":3"), "\"docs\" must be an object"},
        {PHASE(",\"streamed\":1"), "\"streamed\""},
        {PHASE(",\"notes\":[1]"), "\"notes\""},
        {PHASE(",\"facts\":[]"), "\"facts\""},
        {PHASE(",\"latency\":{}"), "\"latency\": a histogram"},
        {PHASE(",\"series\":[{\"name\":\"s\",\"values\":[1,\"2\"]}]"), "value 2 of a series"},
        {PHASE(",\"series\":[{\"name\":\"s\",\"values\":[-1]}]"), "value 1 of a series"},
        {PHASE(",\"series\":[{\"name\":\"s\",\"unit\":\"s\",\"values\":[1]}]"), "a series needs"},
        {PHASE(",\"series\":[7]"), "a series needs"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        struct result *r = read_text(rows[i].text, &err);
        ck_assert_msg((r != NULL) == (rows[i].why == NULL), "row %zu: %s", i, err.text);
        if (rows[i].why != NULL) {
            ck_assert_msg(strstr(err.text, rows[i].why) != NULL, "row %zu: %s", i, err.text);
            ck_assert_int_eq(err.kind, ERR_USAGE);
        }
        result_free(r);
    }
}
END_TEST

/* Puts each of some values in the place of every node of a full result, and takes every node away:
 * the reader must answer each with a result that can be printed, or with a reason. */
static size_t tried, refused;

static void read_mutant(const cJSON *root)
{
    struct err err = ERR_INIT;
    struct result *r = result_from_json(root, &err);
    tried++;
    if (r == NULL) {
        refused++;
        ck_assert_int_eq(err.kind, ERR_USAGE);
        ck_assert_str_ne(err.text, "");
    } else {
        char *text = text_of(r);
        ck_assert_msg(strlen(text) > 0, "nothing printed");
        free(text);
    }
    result_free(r);
}

static void mutate(cJSON *root, cJSON *node)
{
    static const char *const values[] = {
        "null", "true", "-1",  "0.5",   "1e300", "1e999",  "\"x\"",        "\"\"",
        "[]",   "{}",   "[1]", "[[1]]", "[{}]",  "[null]", "{\"name\":1}", "9007199254740993"};
    for (cJSON *child = node->child; child != NULL; child = child->next) {
        mutate(root, child);
        /* what makes a node differ from another is overwritten in place and put back */
        cJSON saved = *child;
        for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
            cJSON *other = cJSON_Parse(values[i]);
            child->type = other->type;
            child->child = other->child;
            child->valuestring = other->valuestring;
            child->valuedouble = other->valuedouble;
            child->valueint = other->valueint;
            read_mutant(root);
            *child = saved;
            cJSON_Delete(other);
        }
        if (child->string != NULL) { /* as good as taken away */
            child->string = mem_strdup("no such member");
            read_mutant(root);
            free(child->string);
            *child = saved;
        }
    }
}

START_TEST(mutations)
{
    struct result *r = full();
    r->specs[0].runs_n = 1; /* the others are alike */
    cJSON *o = result_to_json(r);
    mutate(o, o);
    ck_assert_msg(tried > 1000 && refused > tried / 2, "%zu of %zu refused", refused, tried);
    cJSON_Delete(o);
    r->specs[0].runs_n = 3;
    result_free(r);
}
END_TEST

/* Every way to cut the text short is an error, save the white space at its end. */
START_TEST(cut_short)
{
    struct result *r = full();
    char *text = text_of(r);
    for (size_t len = strlen(text) - 1; len > 0; len -= len > 200 ? 7 : 1) {
        struct err err = ERR_INIT;
        text[len] = '\0';
        ck_assert_ptr_null(read_text(text, &err));
        ck_assert_str_ne(err.text, "");
    }
    free(text);
    result_free(r);
}
END_TEST

START_TEST(phase_times)
{
    struct result *r = full();
    double *seconds;
    uint64_t items;
    size_t n = result_phase_times(&r->specs[0], "import", &seconds, &items);
    ck_assert_uint_eq(n, 2); /* the warm-up is left out */
    ck_assert_double_eq(seconds[0], 2.25);
    ck_assert_double_eq(seconds[1], 3.25);
    ck_assert_uint_eq(items, 12189);
    free(seconds);
    ck_assert_uint_eq(result_phase_times(&r->specs[0], "search.index", &seconds, &items), 0);
    free(seconds);
    ck_assert_uint_eq(result_phase_times(&r->specs[0], "nothing", &seconds, &items), 0);
    free(seconds);
    phase_end(&r->specs[0].runs[1].phases[0], PHASE_FAILED, "count was wrong");
    phase_end(&r->specs[0].runs[1].phases[0], PHASE_FAILED, "%s: again",
              r->specs[0].runs[1].phases[0].reason);
    ck_assert_str_eq(r->specs[0].runs[1].phases[0].reason, "count was wrong: again");
    ck_assert_uint_eq(result_phase_times(&r->specs[0], "import", &seconds, &items), 1);
    free(seconds);
    result_free(r);
}
END_TEST

START_TEST(counts)
{
    struct counts a = {1, 2, 3, 4, 5, 6, 7}, b = {10, 20, 30, 40, 50, 60, 70};
    counts_add(&a, &b);
    ck_assert_uint_eq(a.ok, 11);
    ck_assert_uint_eq(a.retried, 77);
    ck_assert_uint_eq(counts_bad(&a), 22 + 33 + 44 + 55 + 66);
}
END_TEST

TEST_MAIN("result", round_trip, files, accepted_and_refused, mutations, cut_short, phase_times,
          counts)
