#include "bench/estimate.h"

#include <string.h>

#include "base/mem.h"
#include "bench/plan.h"
#include "tests/testing.h"

/* The estimate of the one spec that the words make. */
static struct spec_estimate estimate(const char *line)
{
    struct option_table tables[32];
    size_t tables_n = plan_tables(tables, 32);
    struct option_list list = {0};
    struct server_spec *server = mem_zero(1, sizeof *server);
    struct err err = ERR_INIT;
    struct plan plan;
    struct spec_estimate e;
    char copy[300], *argv[30] = {"run"};
    int argc = 1;
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    server->key = mem_strdup("s");
    ck_assert_msg(option_parse(tables, tables_n, argc, argv, &list, &err) == 0, "%s", err.text);
    ck_assert_msg(plan_make(&plan, server, 1, &list, 0, &err) == 0, "%s", err.text);
    ck_assert_msg(estimate_spec(&plan.specs[0], &e, &err) == 0, "%s", err.text);
    plan_free(&plan);
    option_list_free(&list);
    return e;
}

/* Worked out by hand. */
START_TEST(by_hand)
{
    static const struct {
        const char *line;
        uint64_t requests, bytes; /* bytes 0: not looked at */
    } rows[] = {
        /* twelve documents {"_id":"0000000000","integer":0,"text":"aaa"} of 45 bytes, two with an
           integer of two digits: 542; in three requests {"docs":[…]} of 11 more and 9 commas */
        {"-w bulkdocs --docs 12 --doc-size 3 --batch 4", 3 + 9, 542 + 33 + 9 + 3 * 200},
        /* as many as fit into 1,000 bytes: 1000 / (152 + 48) */
        {"-w bulkdocs --docs 12 --doc-size 152 --batch-bytes 1000", 3 + 9, 0},
        {"-w bulkdocs --docs 2 --doc-size 10kB --batch-bytes 1000", 2 + 9, 0},
        {"-w objects --objects 7 --object-size 100 --action ingest", 7, 700},
        {"-w objects --objects 7 --object-size 100", 28, 1400},
        /* base64 of 100 bytes has 136 */
        {"-w objects --objects 1 --object-size 100 --inline --action ingest", 1,
         136 +
             sizeof "{\"_attachments\":{\"content\":{\"content_type\":\"application/octet-stream\","
                    "\"data\":\"\"}}}" -
             1},
        {"--scale 0.01 --steps import --batch 50", 3, 0}, /* 122 documents */
        {"--scale 0.01 --steps albums --via view --batch 1000", 1 + 2 + 11, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct spec_estimate e = estimate(rows[i].line);
        ck_assert(e.known);
        ck_assert_msg(e.run.requests == rows[i].requests, "%s: %llu requests", rows[i].line,
                      (unsigned long long)e.run.requests);
        ck_assert_msg(rows[i].bytes == 0 || e.run.bytes == rows[i].bytes, "%s: %llu bytes",
                      rows[i].line, (unsigned long long)e.run.bytes);
    }
}
END_TEST

START_TEST(runs)
{
    struct spec_estimate e = estimate("-w bulkdocs --docs 1 --runs 4");
    ck_assert_uint_eq(e.runs_least, 4);
    ck_assert_uint_eq(e.runs_most, 4);
    e = estimate("-w bulkdocs --docs 1 --until-ci 3% --runs-max 40");
    ck_assert_uint_eq(e.runs_least, 6);
    ck_assert_uint_eq(e.runs_most, 40);
    ck_assert(!estimate("-w request").known);
}
END_TEST

TEST_MAIN("estimate", by_hand, runs)
