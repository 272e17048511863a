#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "couch/couch.h"
#include "tests/testing.h"

START_TEST(bulk)
{
    static const char *const abc[] = {"a", "b", "c", NULL}, *const aab[] = {"a", "a", "b", NULL},
                             *const odd[] = {"\xc3\xa9", "x\"y", "a/b", NULL};
    static const struct {
        const char *body;
        const char *const *ids;
        int rc;
        const char *rows;
        uint64_t ok, conflict, refused, missing, strange, retryable;
        const char *first;
    } rows[] = {
        /* CouchDB, in order */
        {"[{\"ok\":true,\"id\":\"a\",\"rev\":\"1-x\"},{\"ok\":true,\"id\":\"b\",\"rev\":\"1-y\"},"
         "{\"id\":\"c\",\"error\":\"conflict\",\"reason\":\"Document update conflict.\"}]\n",
         abc, 0, "ooc", 2, 1, 0, 0, 0, 0, "c: conflict: Document update conflict."},
        /* stock express-pouchdb: any order */
        {"[{\"ok\":true,\"id\":\"c\",\"rev\":\"1\"},{\"ok\":true,\"id\":\"a\",\"rev\":\"1\"},{"
         "\"ok\""
         ":true,\"id\":\"b\",\"rev\":\"1\"}]",
         abc, 0, "ooo", 3, 0, 0, 0, 0, 0, ""},
        /* PouchDB's own rows */
        {"[{\"error\":true,\"name\":\"conflict\",\"message\":\"m\",\"status\":409,\"id\":\"b\"},"
         "{\"ok\":true,\"id\":\"a\",\"rev\":\"1\"}]",
         abc, 0, "ocm", 1, 1, 0, 1, 0, 0, "b: conflict: m"},
        /* Sync Gateway: no ok; status in the row */
        {"[{\"id\":\"a\",\"rev\":\"1-x\"},{\"error\":\"conflict\",\"id\":\"b\",\"reason\":"
         "\"Document "
         "exists\",\"status\":409},{\"error\":\"Service "
         "Unavailable\",\"id\":\"c\",\"reason\":\"busy"
         "\",\"status\":503}]",
         abc, 0, "ocr", 1, 1, 1, 0, 0, 1, "b: conflict: Document exists"},
        {"[{\"id\":\"a\",\"status\":201,\"rev\":\"1\"},{\"id\":\"b\",\"status\":403},{\"id\":\"c\","
         "\"status\":429}]",
         abc, 0, "orr", 1, 0, 2, 0, 0, 1, "b: 403"},
        /* rows that are neither, rows without id, rows of nobody */
        {"[{\"id\":\"a\"},{\"error\":\"forbidden\",\"reason\":\"no\"},{\"ok\":true,\"id\":\"z\","
         "\"rev\":\"1\"}]",
         abc, 0, "rmm", 0, 0, 1, 2, 2, 0, "a: neither rev nor error"},
        {"[{\"ok\":false,\"id\":\"a\"},{\"id\":5,\"ok\":true},{\"id\":\"b\",\"error\":null,\"rev\":"
         "\"1\"}]",
         abc, 0, "rom", 1, 0, 1, 1, 1, 0, "a: neither rev nor error"},
        {"[{\"id\":\"a\",\"error\":\"timeout\"}]", abc, 0, "rmm", 0, 0, 1, 2, 0, 1, "a: timeout"},
        {"[]", abc, 0, "mmm", 0, 0, 0, 3, 0, 0, ""},
        /* one id sent twice: two rows answer for it, a third is strange */
        {"[{\"ok\":true,\"id\":\"a\",\"rev\":\"1\"},{\"id\":\"a\",\"error\":\"conflict\"},{\"ok\":"
         "true"
         ",\"id\":\"b\",\"rev\":\"1\"},{\"ok\":true,\"id\":\"a\",\"rev\":\"1\"}]",
         aab, 0, "oco", 2, 1, 0, 0, 1, 0, "a: conflict"},
        {"[{\"ok\":true,\"id\":\"b\",\"rev\":\"1\"},{\"id\":\"a\",\"error\":\"conflict\"}]", aab, 0,
         "cmo", 1, 1, 0, 1, 0, 0, "a: conflict"},
        {"[{\"ok\":true,\"id\":\"b\",\"rev\":\"1\"},{\"ok\":true,\"id\":\"a\",\"rev\":\"1\"},{"
         "\"ok\":"
         "true,\"id\":\"b\",\"rev\":\"1\"}]",
         abc, 0, "oom", 2, 0, 0, 1, 1, 0, "b: not among the documents sent"},
        /* ids with escapes */
        {"[{\"ok\":true,\"id\":\"a\\/"
         "b\",\"rev\":\"1\"},{\"ok\":true,\"id\":\"\\u00e9\",\"rev\":\"1\"},"
         "{\"ok\":true,\"id\":\"x\\\"y\",\"rev\":\"1\"}]",
         odd, 0, "ooo", 3, 0, 0, 0, 0, 0, ""},
        /* an id that only begins like one that was sent */
        {"[{\"ok\":true,\"id\":\"ab\",\"rev\":\"1\"},{\"ok\":true,\"id\":\"\",\"rev\":\"1\"}]", abc,
         0, "mmm", 0, 0, 0, 3, 2, 0, "ab: not among the documents sent"},
        /* not rows at all: what was read before the fault is kept */
        {"{\"error\":\"unauthorized\",\"reason\":\"You are not\\u001b[31m authorized\"}", abc, -1,
         "mmm", 0, 0, 0, 3, 0, 0, ""},
        {"[{\"ok\":true,\"id\":\"a\",\"rev\":\"1\"},{\"ok\":tr", abc, -1, "omm", 1, 0, 0, 2, 0, 0,
         ""},
        {"", abc, -1, "mmm", 0, 0, 0, 3, 0, 0, ""},
        {"<html>", abc, -1, "mmm", 0, 0, 0, 3, 0, 0, ""},
        {"[1]", abc, -1, "mmm", 0, 0, 0, 3, 0, 0, ""},
        {"[] x", abc, -1, "mmm", 0, 0, 0, 3, 0, 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct couch_bulk b;
        struct err err = ERR_INIT;
        char got[4] = "";
        int rc = couch_judge_bulk(NULL, rows[i].body, strlen(rows[i].body), rows[i].ids, 3, &b, got,
                                  &err);
        ck_assert_msg(rc == rows[i].rc, "row %zu: %s", i, err.text);
        ck_assert_msg(strncmp(got, rows[i].rows, 3) == 0, "row %zu: %.3s", i, got);
        ck_assert_msg(b.ok == rows[i].ok && b.conflict == rows[i].conflict &&
                          b.refused == rows[i].refused && b.missing == rows[i].missing &&
                          b.strange == rows[i].strange && b.retryable == rows[i].retryable,
                      "row %zu: %lu ok, %lu conflict, %lu refused, %lu missing, %lu strange, %lu",
                      i, b.ok, b.conflict, b.refused, b.missing, b.strange, b.retryable);
        ck_assert_msg(rows[i].rc < 0 || strcmp(b.first_error, rows[i].first) == 0, "row %zu: %s", i,
                      b.first_error);
        ck_assert_msg(strchr(err.text, '\033') == NULL, "row %zu", i);
        ck_assert_int_eq(couch_judge_bulk(NULL, rows[i].body, strlen(rows[i].body), rows[i].ids, 3,
                                          &b, NULL, NULL),
                         rows[i].rc);
    }
}
END_TEST

/* Ten thousand rows backwards, one left out, one twice. */
START_TEST(bulk_any_order)
{
    enum { N = 10000 };
    char **ids = mem_zero(N, sizeof *ids);
    char *outcomes = mem_alloc(N);
    struct buf body = BUF_INIT(BUF_TEXT_MAX);
    for (int i = 0; i < N; i++) {
        ids[i] = mem_printf("id%d", i);
    }
    buf_addc(&body, '[');
    for (int i = N - 1; i >= 0; i--) {
        int n = i == 77 ? 78 : i;
        buf_addf(&body, "{\"ok\":true,\"id\":\"id%d\",\"rev\":\"1-0\"}%s", n, i > 0 ? "," : "]");
    }
    struct couch_bulk b;
    ck_assert_int_eq(couch_judge_bulk(NULL, body.data, body.len, (const char *const *)ids, N, &b,
                                      outcomes, NULL),
                     0);
    ck_assert_uint_eq(b.ok, N - 1);
    ck_assert_uint_eq(b.missing, 1);
    ck_assert_uint_eq(b.strange, 1);
    ck_assert_int_eq(outcomes[77], 'm');
    ck_assert_int_eq(outcomes[78], 'o');
    for (int i = 0; i < N; i++) {
        free(ids[i]);
    }
    free(ids);
    free(outcomes);
    buf_free(&body);
}
END_TEST

/* Writes down each row's parts, absent ones as "-". */
static int write_row(void *arg, const struct couch_row *row)
{
    const struct json_span parts[] = {row->id, row->key, row->value, row->doc, row->error};
    for (size_t i = 0; i < 5; i++) {
        buf_addf(arg, "%.*s%s", parts[i].at ? (int)parts[i].len : 1,
                 parts[i].at ? parts[i].at : "-", i < 4 ? " " : "|");
    }
    return strstr(buf_text(arg), "STOP") != NULL;
}

struct answer_row {
    const char *body;
    int rc;
    uint64_t rows;
    const char *seen; /* NULL: not looked at */
    const char *says; /* part of the message */
};

START_TEST(views)
{
    static const struct answer_row rows[] = {
        {"{\"total_rows\":2,\"offset\":0,\"rows\":[\r\n{\"id\":\"a\",\"key\":[1,null],\"value\":1},"
         "\r\n"
         "{\"id\":\"b\",\"key\":\"k\",\"value\":{\"rev\":\"1\"},\"doc\":{\"_id\":\"b\"}}\r\n]}\n",
         0, 2, "\"a\" [1,null] 1 - -|\"b\" \"k\" {\"rev\":\"1\"} {\"_id\":\"b\"} -|", ""},
        {"{\"rows\":[]}", 0, 0, "", ""},
        {"{\"rows\":[{\"key\":null,\"value\":7}]}", 0, 1, "- null 7 - -|", ""},
        /* Sync Gateway */
        {"{\"total_rows\":1,\"rows\":[{\"id\":\"\",\"key\":[\"a\"],\"value\":3}],\"Collator\":{}}",
         0, 1, "\"\" [\"a\"] 3 - -|", ""},
        {"{\"total_rows\":0,\"rows\":[],\"errors\":[]}", 0, 0, "", ""},
        {"{\"total_rows\":0,\"rows\":[],\"errors\":[ ]}", 0, 0, "", ""},
        {"{\"rows\":[],\"errors\":[{\"from\":\"n1\",\"reason\":\"down\"}]}", -1, 0, "",
         "{\"from\":\"n1\",\"reason\":\"down\"}"},
        /* row errors */
        {"{\"rows\":[{\"key\":\"x\",\"error\":\"not_found\"}]}", -1, 1, NULL, "key x: not_found"},
        {"{\"rows\":[{\"error\":true,\"reason\":\"\\u0007bell\"}]}", -1, 1, NULL, "\\x07bell"},
        {"{\"rows\":[{\"id\":\"STOP\"},{\"id\":", 0, 1, "\"STOP\" - - - -|", ""},
        /* failures */
        {"{\"error\":\"not_found\",\"reason\":\"missing\"}", -1, 0, "", "not_found: missing"},
        {"{\"rows\":[\n{\"id\":\"a\"}\n{\"error\":\"timeout\",\"reason\":\"The request could not "
         "be "
         "processed in a reasonable amount of time.\"}\n",
         -1, 1, NULL, "broke off its answer: timeout: The request"},
        {"{\"rows\":[{\"id\":\"a\"}", -1, 1, NULL, "the text ends in the middle"},
        {"{\"rows\":{}}", -1, 0, NULL, "expected an array"},
        {"{\"rows\":[7]}", -1, 0, NULL, "expected an object"},
        {"{}", -1, 0, NULL, "no rows"},
        {"[]", -1, 0, NULL, "expected an object"},
        {"", -1, 0, NULL, "expected an object"},
        {"<html><title>502</title>", -1, 0, NULL, "expected an object"},
        {"{\"rows\":[{\"id\":\"\xff\"}]}", -1, 0, NULL, "invalid UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf seen = BUF_INIT(1000);
        struct err err = ERR_INIT;
        uint64_t n = 99;
        int rc = couch_judge_view(rows[i].body, strlen(rows[i].body), write_row, &seen, &n, &err);
        ck_assert_msg(rc == rows[i].rc && n == rows[i].rows, "row %zu: %lu %s", i, n, err.text);
        ck_assert_msg(rows[i].seen == NULL || strcmp(buf_text(&seen), rows[i].seen) == 0,
                      "row %zu: %s", i, buf_text(&seen));
        ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "row %zu: %s", i, err.text);
        buf_free(&seen);
        /* the count alone */
        if (strstr(rows[i].body, "STOP") == NULL) {
            ck_assert_int_eq(
                couch_judge_view(rows[i].body, strlen(rows[i].body), NULL, NULL, NULL, NULL), rc);
        }
    }
}
END_TEST

START_TEST(finds)
{
    static const struct {
        struct answer_row a;
        const char *bookmark, *warning;
        double keys, docs;
    } rows[] = {
        {{"{\"docs\":[\r\n{\"Artist\":\"a\"},\r\n{\"Artist\":\"b\"}\r\n],\r\n\"bookmark\": "
          "\"g1A\",\r\n"
          "\"execution_stats\": {\"total_keys_examined\":2,\"total_docs_examined\":0,"
          "\"results_returned\":2,\"execution_time_ms\":1.5}}\n",
          0, 2, "- - - {\"Artist\":\"a\"} -|- - - {\"Artist\":\"b\"} -|", ""},
         "g1A",
         "",
         2,
         0},
        {{"{\"warning\":\"No matching index found, create\\nan "
          "index\",\"docs\":[],\"bookmark\":\"nil\"}",
          0, 0, "", ""},
         "nil",
         "No matching index found, create\\x0aan index",
         -1,
         -1},
        /* PouchDB: neither bookmark nor figures, or figures that are null */
        {{"{\"docs\":[]}", 0, 0, "", ""}, "", "", -1, -1},
        {{"{\"docs\":[{}],\"execution_stats\":{\"total_keys_examined\":0,\"total_docs_examined\":"
          "null}}",
          0, 1, "- - - {} -|", ""},
         "",
         "",
         0,
         -1},
        {{"{\"docs\":[],\"bookmark\":5,\"warning\":null,\"execution_stats\":\"none\"}", 0, 0, "",
          ""},
         "",
         "",
         -1,
         -1},
        {{"{\"docs\":[],\"execution_stats\":{\"total_keys_examined\":1e999}}", 0, 0, "", ""},
         "",
         "",
         -1,
         -1},
        {{"{\"error\":\"no_usable_index\",\"reason\":\"No index exists\"}", -1, 0, "",
          "no_usable_index"},
         "",
         "",
         -1,
         -1},
        {{"{\"docs\":[{\"a\":1},", -1, 1, NULL, "ends in the middle"}, "", "", -1, -1},
        {{"{\"docs\":5}", -1, 0, NULL, "expected an array"}, "", "", -1, -1},
        {{"{\"rows\":[]}", -1, 0, NULL, "no docs"}, "", "", -1, -1},
        {{"null", -1, 0, NULL, "expected an object"}, "", "", -1, -1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct answer_row *a = &rows[i].a;
        struct buf seen = BUF_INIT(1000);
        struct err err = ERR_INIT;
        struct couch_find f;
        int rc = couch_judge_find(a->body, strlen(a->body), write_row, &seen, &f, &err);
        ck_assert_msg(rc == a->rc && f.rows == a->rows, "row %zu: %s", i, err.text);
        ck_assert_msg(a->seen == NULL || strcmp(buf_text(&seen), a->seen) == 0, "row %zu: %s", i,
                      buf_text(&seen));
        ck_assert_msg(strstr(err.text, a->says) != NULL, "row %zu: %s", i, err.text);
        ck_assert_str_eq(f.bookmark, rows[i].bookmark);
        ck_assert_str_eq(f.warning, rows[i].warning);
        ck_assert_double_eq(f.total_keys_examined, rows[i].keys);
        ck_assert_double_eq(f.total_docs_examined, rows[i].docs);
        buf_free(&seen);
    }
    /* a bookmark that does not fit is an error, never cut */
    char body[1200];
    snprintf(body, sizeof body, "{\"docs\":[],\"bookmark\":\"%0*d\"}", 1024, 0);
    struct err err = ERR_INIT;
    struct couch_find f;
    ck_assert_int_eq(couch_judge_find(body, strlen(body), NULL, NULL, &f, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "bookmark is longer"));
    snprintf(body, sizeof body, "{\"docs\":[],\"bookmark\":\"%0*d\"}", 1023, 0);
    ck_assert_int_eq(couch_judge_find(body, strlen(body), NULL, NULL, &f, &err), 0);
}
END_TEST

START_TEST(searches)
{
    static const struct {
        enum capability engine;
        struct answer_row a;
        uint64_t total;
        const char *bookmark;
    } rows[] = {
        {CAP_CLOUSEAU,
         {"{\"total_rows\":27,\"bookmark\":\"g2w\",\"rows\":[{\"id\":\"a\",\"order\":[1.5,0],"
          "\"fields\":"
          "{\"Name\":\"Rock\"}}]}",
          0, 1, "\"a\" - {\"Name\":\"Rock\"} - -|", ""},
         27,
         "g2w"},
        {CAP_NOUVEAU,
         {"{\"bookmark\":\"W10\",\"total_hits\":27,\"total_hits_relation\":\"EQUAL_TO\",\"hits\":[{"
          "\"id\""
          ":\"a\",\"order\":[{\"@type\":\"float\",\"value\":1.0}],\"fields\":{\"Name\":\"Rock\"}}],"
          "\"counts\":null,\"ranges\":null,\"update_latency\":3}",
          0, 1, "\"a\" - {\"Name\":\"Rock\"} - -|", ""},
         27,
         "W10"},
        {CAP_NOUVEAU, {"{\"hits\":[],\"total_hits\":0,\"bookmark\":null}", 0, 0, "", ""}, 0, ""},
        {CAP_NOUVEAU, {"{\"hits\":[],\"total_hits\":-3}", 0, 0, "", ""}, 0, ""},
        {CAP_NOUVEAU, {"{\"rows\":[]}", -1, 0, "", "no hits"}, 0, ""},
        {CAP_CLOUSEAU, {"{\"hits\":[]}", -1, 0, "", "no rows"}, 0, ""},
        {CAP_CLOUSEAU,
         {"{\"error\":\"service unavailable\",\"reason\":\"Search is not available\"}", -1, 0, "",
          "Search is not available"},
         0,
         ""},
        {CAP_CLOUSEAU, {"{\"rows\":[{\"id\":\"a\"", -1, 0, "", "ends in the middle"}, 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct answer_row *a = &rows[i].a;
        struct buf seen = BUF_INIT(1000);
        struct err err = ERR_INIT;
        struct couch_search s;
        int rc = couch_judge_search(rows[i].engine, a->body, strlen(a->body), write_row, &seen, &s,
                                    &err);
        ck_assert_msg(rc == a->rc && s.rows == a->rows, "row %zu: %s", i, err.text);
        ck_assert_msg(strcmp(buf_text(&seen), a->seen) == 0, "row %zu: %s", i, buf_text(&seen));
        ck_assert_msg(strstr(err.text, a->says) != NULL, "row %zu: %s", i, err.text);
        ck_assert_uint_eq(s.total, rows[i].total);
        ck_assert_str_eq(s.bookmark, rows[i].bookmark);
        buf_free(&seen);
    }
}
END_TEST

#define MIXED "multipart/mixed; boundary=\"x1\""

START_TEST(bulk_gets)
{
    static const struct {
        const char *type;
        struct answer_row a; /* rows: found */
        uint64_t failed;
        const char *first;
    } rows[] = {
        {"application/json",
         {"{\"results\":[{\"id\":\"a\",\"docs\":[{\"ok\":{\"_id\":\"a\"}}]},{\"id\":\"b\",\"docs\":"
          "[{"
          "\"error\":{\"rev\":\"undefined\",\"reason\":\"missing\",\"id\":\"b\",\"error\":"
          "\"not_found\"}}]}]}",
          0, 1, "\"a\" - - {\"_id\":\"a\"} -|\"b\" - - - {\"rev\"", ""},
         1,
         "b: not_found: missing"},
        {"application/json", {"{\"results\":[]}", 0, 0, "", ""}, 0, ""},
        /* PouchDB Server */
        {"application/json",
         {"{\"results\":[{\"id\":\"b\",\"docs\":[{}]}]}", 0, 0, "\"b\" - - - {}|", ""},
         1,
         "b: missing"},
        {"application/json", {"{\"results\":[{\"id\":\"a\"}]}", -1, 0, "", "without docs"}, 0, ""},
        {"application/json", {"{\"results\":[{\"docs\":[5]}]}", -1, 0, "", "no object"}, 0, ""},
        {"application/json", {"{\"results\":[{\"docs\":[", -1, 0, "", "in the middle"}, 0, ""},
        {"application/json", {"{\"error\":\"x\"}", -1, 0, "", "no results"}, 0, ""},
        {MIXED,
         {"--x1\r\nContent-Type: application/json\r\n\r\n{\"_id\":\"a\"}\r\n--x1\r\nContent-Type: "
          "application/json; "
          "error=\"true\"\r\n\r\n{\"error\":\"not_found\",\"id\":\"b\",\"reason\":"
          "\"missing\",\"status\":404}\r\n--x1--\r\n",
          0, 1, "- - - {\"_id\":\"a\"} -|- - - - {\"error\"", ""},
         1,
         "b: not_found: missing"},
        {MIXED, {"--x1--\r\n", 0, 0, "", ""}, 0, ""},
        {"multipart/mixed; boundary=x1; a=b", {"--x1--", 0, 0, "", ""}, 0, ""},
        {MIXED, {"--x1\r\n\r\n{}", -1, 0, "", "ends in the middle"}, 0, ""},
        {MIXED, {"--x1\r\n\r\n{\r\n--x1--", -1, 0, "", "a part of the answer: not JSON"}, 0, ""},
        {MIXED, {"", -1, 0, "", "ends in the middle"}, 0, ""},
        {"multipart/mixed", {"--x1--", -1, 0, "", "without a boundary"}, 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct answer_row *a = &rows[i].a;
        struct buf seen = BUF_INIT(1000);
        struct err err = ERR_INIT;
        struct couch_bulk_get g;
        int rc = couch_judge_bulk_get(rows[i].type, a->body, strlen(a->body), write_row, &seen, &g,
                                      &err);
        ck_assert_msg(rc == a->rc && g.found == a->rows && g.failed == rows[i].failed,
                      "row %zu: %s", i, err.text);
        ck_assert_msg(strncmp(buf_text(&seen), a->seen, strlen(a->seen)) == 0, "row %zu: %s", i,
                      buf_text(&seen));
        ck_assert_msg(strstr(err.text, a->says) != NULL, "row %zu: %s", i, err.text);
        ck_assert_str_eq(g.first_error, rows[i].first);
        buf_free(&seen);
    }
}
END_TEST

/* Good answers with bytes changed, cut and doubled at random: any verdict will do, as long as
 * nothing is read out of bounds (the copy has its exact size, for the sanitizers) and no control
 * character comes through. */
START_TEST(any_bytes)
{
    static const char *const good[] = {
        "[{\"ok\":true,\"id\":\"a\",\"rev\":\"1-x\"},{\"id\":\"b\",\"error\":\"conflict\","
        "\"reason\":"
        "\"\\u001b[0m\\n\",\"status\":409},{\"id\":\"\\ud83c\\udfb5\",\"error\":\"x\"}]",
        "{\"total_rows\":2,\"rows\":[{\"id\":\"a\",\"key\":[1,null],\"value\":1,\"error\":null},{"
        "\"id\":"
        "\"b\",\"doc\":{\"x\":[[]]}}],\"errors\":[]}\n{\"error\":\"e\",\"reason\":\"\\u0001\"}",
        "{\"docs\":[{},{\"a\":\"\\\\\"}],\"bookmark\":\"n\",\"warning\":\"w\\u009b\",\"execution_"
        "stats\":"
        "{\"total_keys_examined\":-1.5e3}}",
        "{\"hits\":[{\"id\":\"a\",\"fields\":{}}],\"total_hits\":1,\"bookmark\":\"b\"}",
        "{\"results\":[{\"id\":\"a\",\"docs\":[{\"ok\":{}},{\"error\":{\"id\":\"\\u001b\"}}]}]}",
        ("--x1\r\nContent-Type: a; "
         "error=\"true\"\r\n\r\n{\"id\":\"\\n\"}\r\n--x1\r\n\r\n{}\r\n--x1--\r\n"),
    };
    static const char *const ids[] = {"a", "b", "c"};
    struct rng r;
    rng_seed(&r, 1);
    for (int round = 0; round < 20000; round++) {
        const char *from = good[rng_below(&r, sizeof good / sizeof good[0])];
        size_t len = strlen(from);
        char *body = mem_alloc(len);
        memcpy(body, from, len);
        for (uint64_t k = rng_below(&r, 4); k > 0; k--) {
            static const char marks[] = "{}[],:\"\\u0truefalsn -9\x1b\xff";
            body[rng_below(&r, len)] = marks[rng_below(&r, sizeof marks)];
        }
        size_t cut = rng_below(&r, 3) == 0 ? rng_below(&r, len + 1) : len;
        char *copy = mem_alloc(cut);
        memcpy(copy, body, cut);
        struct couch_bulk b;
        struct couch_find f;
        struct couch_search s;
        struct couch_bulk_get g;
        struct err e[6] = {ERR_INIT, ERR_INIT, ERR_INIT, ERR_INIT, ERR_INIT, ERR_INIT};
        struct buf seen = BUF_INIT(10000);
        couch_judge_bulk(NULL, copy, cut, ids, 3, &b, NULL, &e[0]);
        couch_judge_view(copy, cut, write_row, &seen, NULL, &e[1]);
        couch_judge_find(copy, cut, write_row, &seen, &f, &e[2]);
        couch_judge_search(CAP_NOUVEAU, copy, cut, write_row, &seen, &s, &e[3]);
        couch_judge_bulk_get(MIXED, copy, cut, write_row, &seen, &g, &e[4]);
        couch_judge_bulk_get("", copy, cut, write_row, &seen, &g, &e[5]);
        /* one assertion a round: each costs a system call */
        bool clean = b.ok + b.conflict + b.refused + b.missing == 3 &&
                     strchr(b.first_error, '\033') == NULL && strchr(g.first_error, '\033') == NULL;
        for (int i = 0; i < 6; i++) {
            for (const char *p = e[i].text; *p != '\0'; p++) {
                clean = clean && (unsigned char)*p >= 0x20;
            }
        }
        ck_assert_msg(clean, "%s|%s|%s|%s|%s", b.first_error, e[0].text, e[1].text, e[2].text,
                      e[3].text);
        buf_free(&seen);
        free(copy);
        free(body);
    }
}
END_TEST

TEST_MAIN("couch_judge", bulk, bulk_any_order, views, finds, searches, bulk_gets, any_bytes)
