#include <string.h>

#include "base/mem.h"
#include "bench/plan.h"
#include "bench/workload.h"
#include "tests/testing.h"

/* Makes a plan from a command line's words and `servers` server names. */
static int make(struct plan *plan, const char *const *words, size_t n, size_t servers_n,
                struct err *err)
{
    struct option_table tables[32];
    size_t tables_n = plan_tables(tables, 32);
    struct option_list list = {0};
    char *argv[20] = {"run"};
    for (size_t i = 0; i < n; i++) {
        argv[i + 1] = (char *)words[i];
    }
    int rc = option_parse(tables, tables_n, (int)n + 1, argv, &list, err);
    if (rc == 0) {
        struct server_spec *servers = mem_zero(servers_n, sizeof *servers);
        for (size_t i = 0; i < servers_n; i++) {
            servers[i].key = mem_printf("server%zu", i);
            servers[i].url = mem_printf("http://server%zu", i);
        }
        rc = plan_make(plan, servers, servers_n, &list, 0, err);
    }
    option_list_free(&list);
    return rc;
}

START_TEST(one_spec)
{
    struct plan plan;
    ck_assert_int_eq(make(&plan, NULL, 0, 1, NULL), 0);
    ck_assert_uint_eq(plan.specs_n, 1);
    ck_assert_str_eq(plan.specs[0].name, "tunemark");
    ck_assert_uint_eq(plan.specs[0].common.batch, 1000);
    ck_assert_uint_eq(plan.specs[0].common.runs, 10); /* the workload's own */
    cJSON *settings = spec_to_json(&plan.specs[0]);
    ck_assert_str_eq(json_str(settings, "batch-bytes", ""), "16MiB");
    ck_assert_str_eq(json_str(settings, "fold", ""), "lower");
    cJSON_Delete(settings);
    plan_free(&plan);
}
END_TEST

START_TEST(axes_multiply)
{
    static const char *const words[] = {"--batch", "100,500,1000", "--concurrency",
                                        "1,4",     "--runs",       "3"};
    static const char *const names[] = {
        "tunemark server0 batch=100 concurrency=1",  "tunemark server0 batch=100 concurrency=4",
        "tunemark server0 batch=500 concurrency=1",  "tunemark server0 batch=500 concurrency=4",
        "tunemark server0 batch=1000 concurrency=1", "tunemark server0 batch=1000 concurrency=4",
    };
    struct plan plan;
    ck_assert_int_eq(make(&plan, words, 6, 2, NULL), 0);
    ck_assert_uint_eq(plan.specs_n, 12);
    for (size_t i = 0; i < 6; i++) {
        ck_assert_str_eq(plan.specs[i].name, names[i]);
        ck_assert_ptr_eq(plan.specs[i].server, &plan.servers[0]);
        ck_assert_ptr_eq(plan.specs[6 + i].server, &plan.servers[1]);
        ck_assert_uint_eq(plan.specs[i].common.runs, 3);
    }
    ck_assert_uint_eq(plan.specs[3].common.batch, 500);
    ck_assert_uint_eq(plan.specs[3].common.concurrency, 4);
    plan_free(&plan);
}
END_TEST

/* The last value of an option counts, list or not. */
START_TEST(later_values_replace)
{
    static const char *const words[] = {"--batch", "1,2,3", "--batch", "7"};
    struct plan plan;
    ck_assert_int_eq(make(&plan, words, 4, 1, NULL), 0);
    ck_assert_uint_eq(plan.specs_n, 1);
    ck_assert_uint_eq(plan.specs[0].common.batch, 7);
    plan_free(&plan);
    static const char *const back[] = {"--batch", "7", "--batch", "1,2"};
    ck_assert_int_eq(make(&plan, back, 4, 1, NULL), 0);
    ck_assert_uint_eq(plan.specs_n, 2);
    ck_assert_uint_eq(plan.specs[1].common.batch, 2);
    plan_free(&plan);
}
END_TEST

/* The workload's own, too. */
START_TEST(own_lists)
{
    static const char *const words[] = {"--scale", "0.01,1/3", "--fold", "lower,ascii"};
    struct plan plan;
    struct err err = ERR_INIT;
    ck_assert_msg(make(&plan, words, 4, 1, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(plan.specs_n, 4);
    ck_assert_str_eq(plan.specs[3].name, "tunemark scale=1/3 fold=ascii");
    plan_free(&plan);
}
END_TEST

/* --until-ci has its own least number of runs. */
START_TEST(runs)
{
    static const struct {
        const char *words[6];
        uint64_t runs;
    } rows[] = {
        {{"--until-ci", "2%"}, 6},
        {{"--until-ci", "2%", "--runs", "3"}, 6},
        {{"--until-ci", "2%", "--runs", "30"}, 30},
        {{"--runs", "3"}, 3},
        {{"--workload", "bulkdocs"}, 3},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t n = 0;
        struct plan plan;
        while (n < 6 && rows[i].words[n] != NULL) {
            n++;
        }
        ck_assert_int_eq(make(&plan, rows[i].words, n, 1, NULL), 0);
        ck_assert_uint_eq(plan.specs[0].common.runs, rows[i].runs);
        plan_free(&plan);
    }
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        const char *words[6];
        const char *says;
    } rows[] = {
        {{"--batch", "5,5"}, "5 is given twice"},
        {{"--batch", "5,0"}, "out of range"},
        {{"--data", "x", "--scale", "2"}, "--scale"},
        {{"--scale", "none"}, "--scale"},
        {{"--until-ci", "2%", "--runs-max", "7", "--runs", "8"}, "--runs-max 7 is below"},
        {{"--until-ci", "2%", "--until-ci-phase", "imprt"}, "did you mean \"import\"?"},
        {{"--until-ci-phase", "import"}, "is of --until-ci"},
        {{"--workload", "objects", "--batch", "5,10"}, "--batch: means nothing to the workload"},
        {{"--workload", "bulkdocs", "--read-quorum", "1"}, "--read-quorum: means nothing"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t n = 0;
        struct plan plan;
        struct err err = ERR_INIT;
        while (n < 6 && rows[i].words[n] != NULL) {
            n++;
        }
        ck_assert_int_lt(make(&plan, rows[i].words, n, 1, &err), 0);
        ck_assert_int_eq(err.kind, ERR_USAGE);
        ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "row %zu: %s", i, err.text);
    }
}
END_TEST

/* Phases of every workload have distinct names, and every one is run by something. */
START_TEST(workload_tables)
{
    for (size_t w = 0; workloads[w] != NULL; w++) {
        ck_assert_str_eq(workloads[w]->name, workload_names[w]);
        for (size_t i = 0; workloads[w]->unused != NULL && workloads[w]->unused[i] != NULL; i++) {
            ck_assert_ptr_nonnull(option_find(spec_options, workloads[w]->unused[i]));
        }
        for (size_t i = 0; i < workloads[w]->phases_n; i++) {
            ck_assert(workloads[w]->phases[i].run != NULL);
            for (size_t j = 0; j < i; j++) {
                ck_assert_str_ne(workloads[w]->phases[i].name, workloads[w]->phases[j].name);
            }
        }
    }
}
END_TEST

TEST_MAIN("plan", one_spec, axes_multiply, later_values_replace, own_lists, runs, refusals,
          workload_tables)
