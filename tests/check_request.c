/* The workload request, over the stub. */
#include <stdatomic.h>
#include <unistd.h>

#include "tests/endless.h"

struct seen {
    atomic_uint measured, posts, right_body, errors;
    unsigned fail_every;
};

static void answer(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    struct seen *s = arg;
    buf_adds(&a->body, "not JSON");
    a->type = "text/plain";
    if (strcmp(r->path, "/thing?x=1") != 0) {
        a->status = 404; /* the server's own root and the warm-up */
        return;
    }
    unsigned n = atomic_fetch_add(&s->measured, 1);
    a->status = 201;
    if (s->fail_every != 0 && n % s->fail_every == 0) {
        a->status = 500;
        atomic_fetch_add(&s->errors, 1);
    }
    if (strcmp(r->method, "POST") == 0) {
        char type[64];
        s->posts++;
        s->right_body += r->body_len == 5 && memcmp(r->body, "hello", 5) == 0 &&
                         strcmp(stub_header(r, "Content-Type", type, sizeof type), "text/x") == 0;
    }
}

static int run(struct seen *s, const char *const *words, struct result **result, struct err *err)
{
    struct stub_config config = {.handler = answer, .arg = s};
    struct stub *stub = stub_start(&config, NULL);
    ck_assert_ptr_nonnull(stub);
    *err = (struct err)ERR_INIT;
    int rc = measure(stub, words, result, err);
    stub_stop(stub);
    return rc;
}

static const struct phase_result *phase_of(const struct result *r, size_t at)
{
    return &r->specs[0].runs[at].phases[0];
}

START_TEST(as_many_as_asked)
{
    static const char *const words[] = {"-w", "request", "--path", "/thing?x=1", "--requests", "37",
                                        "-c", "4",       "--runs", "2",          NULL};
    struct seen s = {0};
    struct result *r;
    struct err err;
    ck_assert_msg(run(&s, words, &r, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(s.measured, 74);
    for (size_t i = 0; i < 2; i++) {
        const struct phase_result *p = phase_of(r, i);
        ck_assert_int_eq(p->state, PHASE_OK);
        ck_assert_uint_eq(p->items, 37);
        ck_assert_uint_eq(p->requests.ok, 37);
        ck_assert_uint_eq(hist_count(p->latency), 37);
        ck_assert_uint_eq(p->connections, 0); /* opened before the clock */
    }
    result_free(r);
}
END_TEST

START_TEST(method_and_body)
{
    char path[] = "/tmp/tunecouch-body-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, "hello", 5), 5);
    close(fd);
    const char *words[] = {"-w",
                           "request",
                           "--path",
                           "/thing?x=1",
                           "--requests",
                           "5",
                           "--runs",
                           "1",
                           "--method",
                           "POST",
                           "--body-file",
                           path,
                           "--content-type",
                           "text/x",
                           NULL};
    struct seen s = {0};
    struct result *r;
    struct err err;
    ck_assert_msg(run(&s, words, &r, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(s.posts, 5);
    ck_assert_uint_eq(s.right_body, 5);
    ck_assert_uint_eq(phase_of(r, 0)->payload_bytes, 25);
    ck_assert_str_eq(json_str(r->specs[0].work, "body_sha256", ""),
                     "2cf24dba5fb0a30e26e83b2ac5b9e29e1b161e5c1fa7425e73043362938b9824");
    unlink(path);
    result_free(r);
}
END_TEST

START_TEST(for_a_time)
{
    static const char *const words[] = {"-w",    "request", "--path", "/thing?x=1", "--duration",
                                        "200ms", "--runs",  "1",      NULL};
    struct seen s = {0};
    struct result *r;
    struct err err;
    ck_assert_msg(run(&s, words, &r, &err) == 0, "%s", err.text);
    const struct phase_result *p = phase_of(r, 0);
    ck_assert_double_ge(p->wall_s, 0.2);
    ck_assert_double_lt(p->wall_s, 5);
    ck_assert_uint_gt(p->items, 10);
    ck_assert_uint_eq(p->items, s.measured);
    result_free(r);
}
END_TEST

/* Failures void the phase, unless that many are allowed; they are in no latency. */
START_TEST(failures)
{
    static const struct {
        const char *allow;
        int rc;
    } rows[] = {{"0", -1}, {"9", -1}, {"11", 0}};
    for (size_t i = 0; i < 3; i++) {
        const char *words[] = {"-w",  "request", "--path", "/thing?x=1",     "--requests",
                               "100", "--runs",  "1",      "--allow-errors", rows[i].allow,
                               NULL};
        struct seen s = {.fail_every = 10};
        struct result *r;
        struct err err;
        ck_assert_int_eq(run(&s, words, &r, &err), rows[i].rc);
        const struct phase_result *p = phase_of(r, 0);
        ck_assert_int_eq(p->state, rows[i].rc == 0 ? PHASE_OK : PHASE_FAILED);
        ck_assert_uint_eq(p->requests.http_error, 10);
        ck_assert_uint_eq(p->items, 90);
        ck_assert_uint_eq(hist_count(p->latency), 90);
        ck_assert_ptr_nonnull(rows[i].rc == 0 ? "500" : strstr(p->reason, "500"));
        result_free(r);
    }
}
END_TEST

START_TEST(refused)
{
    static const struct {
        const char *words[WORDS_MAX], *want;
    } rows[] = {
        {{"--requests", "5", NULL}, "tunemark has"},
        {{"-w", "objects", "--duration", "5s", NULL}, "objects has"},
        {{"-w", "request", "--path", "thing", NULL}, "must begin with /"},
        {{"-w", "request", "--path", "/a b", NULL}, "percent-encoded"},
        {{"-w", "request", "--body-file", "/dev/null", NULL}, "GET takes no body"},
        {{"-w", "request", "--database", "x", NULL}, "request uses none"},
        {{"-w", "request", "--method", "POST", "--body-file", "/nonexistent", NULL},
         "/nonexistent"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct seen s = {0};
        struct result *r;
        struct err err;
        ck_assert_int_eq(run(&s, rows[i].words, &r, &err), -1);
        ck_assert_msg(strstr(err.text, rows[i].want) != NULL, "%zu: %s", i, err.text);
        ck_assert_int_eq(err.kind, ERR_USAGE);
        ck_assert_uint_eq(s.measured, 0);
        result_free(r);
    }
}
END_TEST

TEST_MAIN("request", as_many_as_asked, method_and_body, for_a_time, failures, refused)
