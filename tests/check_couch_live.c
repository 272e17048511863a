/* The API layer against a real server, named by TUNECOUCH_URL (with TUNECOUCH_USER,
 * TUNECOUCH_PASSWORD, TUNECOUCH_ADMIN_URL, TUNECOUCH_DATABASE), as scripts/with-server sets them:
 *
 *     scripts/with-server couchdb -- tests/check_couch_live
 *
 * Skipped (77) where there is none. Where the server may be asked to, it works in a database of its
 * own, which is gone afterwards. */
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "couch/couch.h"
#include "couch/probe.h"
#include "tests/testing.h"

static struct http *h;
static struct auth auth;
static struct couch *c;
static char *db;
static bool own; /* the database was made here */

static void opened(bool cookie)
{
    struct err err = ERR_INIT;
    const char *admin = getenv("TUNECOUCH_ADMIN_URL");
    char *clean, *user, *password;
    ck_assert_msg(auth_from_url(getenv("TUNECOUCH_URL"), &clean, &user, &password, &err) == 0, "%s",
                  err.text);
    ck_assert_msg(auth_find(&(struct auth_sources){.cookie = cookie}, clean, user, password, &auth,
                            &err) == 0,
                  "%s", err.text);
    h = http_new(&(struct http_config){.concurrency = 2}, &err);
    c = couch_open(h, &(struct couch_config){clean, admin, &auth}, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    free(clean);
    free(user);
    free(password);
}

static void closed(void)
{
    couch_close(c);
    http_free(h);
    auth_free(&auth);
}

static void database(void)
{
    struct err err = ERR_INIT;
    const char *given = getenv("TUNECOUCH_DATABASE");
    own = given == NULL || *given == '\0';
    db = own ? couch_db_name("live") : mem_strdup(given);
    ck_assert_msg(!own || couch_db_create(c, db, NULL, &err) == 0, "%s", err.text);
    ck_assert_msg(couch_marker_write(c, db, "live", &err) == 0, "%s", err.text);
    ck_assert_int_eq(couch_marker_check(c, db, "live", &err), 1);
    ck_assert_int_eq(couch_marker_check(c, db, "other", &err), 0);
}

static void database_gone(void)
{
    struct err err = ERR_INIT;
    if (own) {
        ck_assert_int_eq(couch_db_delete_ours(c, db, "other", &err), -1);
        ck_assert_msg(couch_db_delete_ours(c, db, "live", &err) == 0, "%s", err.text);
        ck_assert_int_eq(couch_db_info(c, db, NULL, &err), 0);
    } else {
        ck_assert_int_eq(couch_db_delete_ours(c, db, "live", &err), -1);
        ck_assert_msg(couch_marker_remove(c, db, "live", &err) == 0, "%s", err.text);
    }
    free(db);
}

static struct couch_answer call(enum http_method method, char *url, const char *body)
{
    struct couch_answer a;
    struct err err = ERR_INIT;
    int rc = couch_call(c, method, url, body, body != NULL ? strlen(body) : 0, NULL, 0, &a, &err);
    ck_assert_msg(rc == 0, "%s", err.text);
    free(url);
    return a;
}

static uint64_t rows_of(char *url)
{
    struct err err = ERR_INIT;
    uint64_t rows;
    struct couch_answer a = call(HTTP_GET, url, NULL);
    ck_assert_msg(couch_judge_view(a.body.data, a.body.len, NULL, NULL, &rows, &err) == 0, "%s",
                  err.text);
    couch_answer_free(&a);
    return rows;
}

static int take_doc(void *arg, const struct couch_row *row)
{
    struct json_span *doc = arg;
    if (row->doc.at != NULL) {
        *doc = row->doc;
    }
    return 0;
}

START_TEST(documents)
{
    static const char *const ids[] = {"a/1", "\xc3\xa9 2", "c+3"};
    static const char docs[] =
        "{\"docs\":[{\"_id\":\"a/"
        "1\",\"Artist\":\"X\",\"Album\":\"M\",\"n\":1.50},{\"_id\":\"\xc3\xa9 2\","
        "\"Artist\":\"X\",\"Album\":\"N\"},{\"_id\":\"c+3\",\"Artist\":\"Y\"}]}";
    static const char wanted[] = "{\"docs\":[{\"id\":\"a/1\"},{\"id\":\"missing\"}]}";
    struct couch_bulk b;
    struct err err = ERR_INIT;
    char rows[3];
    opened(false);
    database();
    for (int round = 0; round < 2; round++) {
        struct couch_answer a = call(HTTP_POST, couch_url_db(c, db, "_bulk_docs"), docs);
        ck_assert_int_eq(couch_judge_bulk(c, a.body.data, a.body.len, ids, 3, &b, rows, &err), 0);
        ck_assert_msg(memcmp(rows, round == 0 ? "ooo" : "ccc", 3) == 0, "%.3s %s", rows,
                      b.first_error);
        ck_assert_uint_eq(b.strange + b.missing, 0);
        couch_answer_free(&a);
    }
    ck_assert_uint_eq(rows_of(couch_url_db(c, db, "_all_docs?include_docs=true")), 3);
    ck_assert_uint_eq(rows_of(couch_url_db(c, db, "_all_docs?limit=2&startkey=%22b%22")), 2);

    struct couch_bulk_get got;
    struct json_span doc = {NULL, 0};
    struct http_reply reply;
    char *url = couch_url_db(c, db, "_bulk_get");
    struct http_request get = {.method = HTTP_POST,
                               .url = url,
                               .headers = couch_headers_bulk_get(c),
                               .body = wanted,
                               .body_len = sizeof wanted - 1};
    http_call(h, &get, &reply);
    ck_assert_msg(couch_judge_bulk_get(reply.content_type, buf_text(&reply.body), reply.body.len,
                                       take_doc, &doc, &got, &err) == 0,
                  "%s", err.text);
    ck_assert_uint_eq(got.found, 1);
    ck_assert_uint_eq(got.failed, 1);
    ck_assert_ptr_nonnull(memmem(doc.at, doc.len, "\"Artist\"", 8));
    buf_free(&reply.body);
    free(url);

    for (size_t i = 0; i < 3; i++) {
        cJSON *one;
        ck_assert_int_eq(couch_doc_get(c, db, ids[i], &one, &err), 1);
        ck_assert_str_eq(json_str(one, "_id", ""), ids[i]);
        ck_assert_msg(couch_doc_delete(c, db, ids[i], json_str(one, "_rev", ""), &err) == 0, "%s",
                      err.text);
        cJSON_Delete(one);
        ck_assert_int_eq(couch_doc_get(c, db, ids[i], NULL, &err), 0);
    }
    ck_assert_uint_eq(rows_of(couch_url_db(c, db, "_all_docs")), 0);
    database_gone();
    closed();
}
END_TEST

START_TEST(views)
{
    static const char ddoc[] = "{\"views\":{\"v\":{\"map\":\"function (doc) { if (doc.Artist) { "
                               "emit([doc.Artist, doc.Album], "
                               "null); } }\",\"reduce\":\"_count\"}}}";
    struct err err = ERR_INIT;
    const char *why;
    char rev[2][128];
    opened(false);
    database();
    ck_assert_msg(couch_doc_put(c, db, "v1", "{\"Artist\":\"X\",\"Album\":\"M\"}", rev[0], &err) ==
                      0,
                  "%s", err.text);
    ck_assert_int_eq(couch_doc_put(c, db, "v2", "{\"Artist\":\"X\",\"Album\":\"N\"}", rev[1], &err),
                     0);
    if (couch_can(c, CAP_DDOC_VIEWS, db, &why)) {
        ck_assert_msg(couch_ddoc_put(c, db, "live", ddoc, &err) == 0, "%s", err.text);
        ck_assert_uint_eq(rows_of(couch_url_view(c, db, "live", "v", "reduce=false")), 2);
        ck_assert_uint_eq(rows_of(couch_url_view(c, db, "live", "v", "reduce=false&limit=1")), 1);
        if (couch_can(c, CAP_GROUP_LEVEL, db, &why)) {
            ck_assert_uint_eq(rows_of(couch_url_view(c, db, "live", "v", "group_level=1")), 1);
        }
        ck_assert_msg(couch_ddoc_delete(c, db, "live", &err) == 0, "%s", err.text);
    }
    if (couch_can(c, CAP_MANGO, db, &why)) {
        struct couch_find f;
        struct couch_answer a =
            call(HTTP_POST, couch_url_db(c, db, "_find"),
                 "{\"selector\":{\"Artist\":\"X\"},\"limit\":10,\"execution_stats\":true}");
        ck_assert_int_eq(couch_judge_find(a.body.data, a.body.len, NULL, NULL, &f, &err), 0);
        ck_assert_uint_eq(f.rows, 2);
        ck_assert_str_ne(f.warning, ""); /* there is no index */
        ck_assert_msg(!couch_can(c, CAP_MANGO_PROOF, db, &why) || f.total_docs_examined >= 2, "%f",
                      f.total_docs_examined);
        couch_answer_free(&a);
    }
    ck_assert_int_eq(couch_doc_delete(c, db, "v1", rev[0], &err), 0);
    ck_assert_int_eq(couch_doc_delete(c, db, "v2", rev[1], &err), 0);
    database_gone();
    closed();
}
END_TEST

START_TEST(probing)
{
    struct err err = ERR_INIT;
    const char *why, *secret = getenv("TUNECOUCH_PASSWORD");
    opened(false);
    bool create = couch_can(c, CAP_CREATE_DB, NULL, &why);
    cJSON *report = couch_probe_json(c, &(struct probe_options){.may_create = create}, &err);
    ck_assert_msg(report != NULL, "%s", err.text);
    ck_assert_ptr_null(json_get(report, "database_error"));
    for (int i = 0; i < CAP_COUNT && create; i++) {
        ck_assert_msg(!couch_can_unknown(c, (enum capability)i), "%s",
                      capability_name((enum capability)i));
    }
    char *text = json_print(report, true);
    ck_assert(secret == NULL || *secret == '\0' || strstr(text, secret) == NULL);
    free(text);
    cJSON_Delete(report);
    bool sessions = couch_can(c, CAP_SESSION, NULL, &why) && auth.kind == AUTH_BASIC;
    closed();
    if (sessions) {
        opened(true);
        ck_assert_str_eq(auth_describe(&auth), "cookie");
        database();
        database_gone();
        closed();
    }
}
END_TEST

static Suite *suite(void)
{
    const TTest *tests[] = {documents, views, probing};
    Suite *s = suite_create("couch_live");
    for (size_t i = 0; i < sizeof tests / sizeof tests[0]; i++) {
        TCase *tc = tcase_create(tests[i]->name);
        tcase_set_timeout(tc, 120);
        tcase_add_test(tc, tests[i]);
        suite_add_tcase(s, tc);
    }
    return s;
}

int main(void)
{
    const char *url = getenv("TUNECOUCH_URL");
    if (url == NULL || *url == '\0') {
        puts("no TUNECOUCH_URL: nothing to test against");
        return 77;
    }
    SRunner *runner = srunner_create(suite());
    srunner_run_all(runner, CK_NORMAL);
    int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
