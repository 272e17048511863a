/* How often specs are run, and in which order. */
#include "bench/enough.h"

#include <math.h>

#include "tests/endless.h"

/* ---- the rule, on figures -------------------------------------------------------------------- */

static void add_run(struct spec_result *s, const char *phase, double seconds, bool warmup)
{
    struct run_result *run = result_add_run(s);
    struct phase_result *p = result_add_phase(run, phase);
    run->warmup = warmup;
    p->items = 10;
    p->wall_s = fabs(seconds);
    if (seconds == 0) {
        phase_end(p, PHASE_FAILED, "it did");
    }
}

START_TEST(rule)
{
    static const struct {
        double s[10]; /* seconds in each run; 0: failed; -1: the end */
        double until;
        bool enough;
        double reach; /* percent; -1: not looked at */
    } rows[] = {
        {{1, 1, 1, 1, 1, -1}, 2, false, -1}, /* five give no interval */
        {{1, 1, 1, 1, 1, 1, -1}, 2, true, 0},
        {{99, 100, 100, 100, 100, 102, -1}, 2, true, 2}, /* six: from the least to the greatest */
        {{99, 100, 100, 100, 100, 102.1, -1}, 2, false, 2.1},
        {{97, 100, 100, 100, 100, 100, -1}, 2, false, 3}, /* to either side */
        {{0, 1, 1, 1, 1, 1, -1}, 2, false, INFINITY},     /* one failed: five figures are left */
        {{0, 1, 1, 1, 1, 1, 1, -1}, 2, true, 0},
        {{0, 0, 0, 0, 0, 0, -1}, 2, true, 0}, /* never any figure: not waited for */
        {{50, 100, 100, 100, 100, 100, 100, 100, 150, -1}, 2, true, 0}, /* nine: outliers are out */
        {{1, 2, 1, 2, 1, 2, 1, 2, 1, -1}, 2, true, 100}, /* the most there may be, here nine */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct result *r = result_new();
        struct spec_result *s = result_add_spec(r);
        struct spec_settings c = {.until_ci = rows[i].until, .runs = 6, .runs_max = 9};
        struct enough_phase widest;
        add_run(s, "a", 1000, true); /* a warm-up is looked at by nothing */
        for (size_t j = 0; rows[i].s[j] >= 0; j++) {
            add_run(s, "a", rows[i].s[j], false);
        }
        ck_assert_msg(enough_runs(s, &c, &widest) == rows[i].enough, "row %zu", i);
        if (rows[i].reach >= 0) {
            ck_assert_msg(widest.reach == rows[i].reach ||
                              fabs(widest.reach - rows[i].reach) < 1e-9,
                          "row %zu: %g", i, widest.reach);
        }
        result_free(r);
    }
}
END_TEST

/* The widest of all phases decides, or the named one alone. */
START_TEST(phases)
{
    struct result *r = result_new();
    struct spec_result *s = result_add_spec(r);
    for (int i = 0; i < 6; i++) {
        add_run(s, "narrow", 100, false);
        struct phase_result *p = result_add_phase(&s->runs[i], "wide");
        p->wall_s = 100 + i * 10;
        p->items = 0; /* none to divide by */
    }
    struct spec_settings c = {.until_ci = 2, .runs = 6, .runs_max = 100};
    struct enough_phase widest;
    ck_assert(!enough_runs(s, &c, &widest));
    ck_assert_str_eq(widest.name, "wide");
    c.until_ci_phase = (char *)"narrow";
    ck_assert(enough_runs(s, &c, &widest));
    c.until_ci_phase = NULL;
    c.until_ci = 20.1;
    ck_assert(enough_runs(s, &c, &widest));
    result_free(r);
}
END_TEST

/* A phase that lasts as long as it is told has its rate for a figure. */
START_TEST(by_rate)
{
    struct result *r = result_new();
    struct spec_result *s = result_add_spec(r);
    for (int i = 0; i < 6; i++) {
        add_run(s, "a", 1, false);
        s->runs[i].phases[0].items = (uint64_t)(100 + i * 10);
    }
    struct spec_settings c = {.until_ci = 2, .runs = 6, .runs_max = 100};
    ck_assert(!enough_runs(s, &c, NULL));
    result_free(r);
}
END_TEST

/* ---- the order, over the stub ---------------------------------------------------------------- */

static void answer(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    (void)arg;
    (void)r;
    buf_adds(&a->body, "x");
}

/* Order of the runs, as their numbers within "concurrency=N": "1a" is the first of A. */
static void order_of(const struct result *r, char *out)
{
    size_t used = 0;
    out[0] = '\0';
    for (int64_t last = 0;;) { /* by the time they began */
        const struct run_result *next = NULL;
        size_t of = 0;
        for (size_t i = 0; i < r->specs_n; i++) {
            for (size_t j = 0; j < r->specs[i].runs_n; j++) {
                const struct run_result *run = &r->specs[i].runs[j];
                if (run->started_ns > last &&
                    (next == NULL || run->started_ns < next->started_ns)) {
                    next = run;
                    of = i;
                }
            }
        }
        if (next == NULL) {
            return;
        }
        last = next->started_ns;
        used += (size_t)sprintf(out + used, "%s%c%s%d", used ? " " : "", (char)('A' + of),
                                next->warmup ? "w" : "", next->number);
    }
}

/* One part a list of words; the runs in order. */
static void run_order(const char *const *const *parts, bool sequential, char *out)
{
    struct stub_config config = {.handler = answer};
    struct stub *stub = stub_start(&config, NULL);
    struct result *r = result_new();
    struct option_table tables[32];
    size_t tables_n = plan_tables(tables, 32);
    struct server_spec *server = mem_zero(1, sizeof *server);
    struct plan plan;
    struct err err = ERR_INIT;
    ck_assert_ptr_nonnull(stub);
    server->key = mem_strdup("stub");
    server->url = mem_strdup(stub_url(stub));
    plan_open(&plan, server, 1);
    for (size_t i = 0; parts[i] != NULL; i++) {
        struct option_list list = {0};
        char *argv[WORDS_MAX + 1] = {"run"};
        int argc = 1;
        for (; parts[i][argc - 1] != NULL; argc++) {
            argv[argc] = (char *)parts[i][argc - 1];
        }
        struct plan_part part = {.name = "part", .list = &list};
        ck_assert_int_eq(option_parse(tables, tables_n, argc, argv, &list, &err), 0);
        ck_assert_msg(plan_add(&plan, &part, &err) == 0, "%s", err.text);
        option_list_free(&list);
    }
    plan.sequential = sequential;
    ck_assert_msg(runner_run(&plan, NULL, r, &err) == 0, "%s", err.text);
    plan_free(&plan);
    stub_stop(stub);
    order_of(r, out);
    result_free(r);
}

#define REQUEST "-w", "request", "--path", "/a"

START_TEST(order)
{
    static const char *const words[] = {REQUEST,  "--requests", "2",        "-c", "1,2",
                                        "--runs", "2",          "--warmup", "1",  NULL};
    static const char *const *const parts[] = {words, NULL};
    char out[400];
    run_order(parts, false, out);
    ck_assert_str_eq(out, "Aw1 Bw1 A1 B1 A2 B2");
    run_order(parts, true, out);
    ck_assert_str_eq(out, "Aw1 A1 A2 Bw1 B1 B2");
}
END_TEST

/* A spec that is done is left out while the others go on. */
START_TEST(left_out)
{
    static const char *const few[] = {REQUEST, "--requests", "2", "--runs", "2", NULL};
    static const char *const more[] = {REQUEST, "--requests", "2", "--until-ci", "100", NULL};
    static const char *const *const parts[] = {few, more, NULL};
    char out[400];
    run_order(parts, false, out);
    ck_assert_msg(strncmp(out, "A1 B1 A2 B2 B3 B4 B5 B6", 23) == 0, "%s", out);
}
END_TEST

/* An interval within 0.01 % is not reached with seven, whatever the machine does. */
START_TEST(at_most)
{
    static const char *const words[] = {REQUEST, "--requests", "50", "--until-ci",
                                        "0.01%", "--runs-max", "7",  NULL};
    static const char *const *const parts[] = {words, NULL};
    char out[400];
    run_order(parts, false, out);
    ck_assert_str_eq(out, "A1 A2 A3 A4 A5 A6 A7");
}
END_TEST

TEST_MAIN("enough", rule, phases, by_rate, order, left_out, at_most)
