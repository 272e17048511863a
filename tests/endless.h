/* Whole runs of a workload against the stub, from a command line's words to the result. */
#ifndef TESTS_ENDLESS_H
#define TESTS_ENDLESS_H

#include <string.h>

#include "base/mem.h"
#include "bench/plan.h"
#include "bench/runner.h"
#include "net/stub.h"
#include "tests/testing.h"

#define WORDS_MAX 24

/* `words`: options, ended by NULL. What runner_run answered; the caller frees *result. */
static inline int measure(struct stub *stub, const char *const *words, struct result **result,
                          struct err *err)
{
    struct option_table tables[32];
    size_t tables_n = plan_tables(tables, 32);
    struct option_list list = {0};
    char *argv[WORDS_MAX + 1] = {"run"};
    int argc = 1;
    for (; words[argc - 1] != NULL; argc++) {
        argv[argc] = (char *)words[argc - 1];
    }
    struct plan plan;
    struct server_spec *server = mem_zero(1, sizeof *server);
    server->key = mem_strdup("stub");
    server->url = mem_strdup(stub_url(stub));
    *result = result_new();
    int rc = option_parse(tables, tables_n, argc, argv, &list, err);
    ck_assert_msg(rc == 0, "%s", err->text);
    rc = plan_make(&plan, server, 1, &list, 0, err);
    if (rc == 0) {
        rc = runner_run(&plan, NULL, *result, err);
        plan_free(&plan);
    }
    option_list_free(&list);
    return rc;
}

#endif
