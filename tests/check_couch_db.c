#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "couch/couch.h"
#include "net/stub.h"
#include "tests/canned.h"
#include "tests/fake_sync_gateway.h"

/* ---- databases and markers ------------------------------------------------------------------- */

START_TEST(safety)
{
    static const char *const system[] = {"_users", "_replicator", "", "a/_users", "_x"};
    struct auth auth = {AUTH_BASIC, (char *)"admin", (char *)SECRET};
    struct server s = {ROWS(couchdb), .authorization = SECRET_BASIC};
    struct err err = ERR_INIT;
    struct http *h = engine();
    server_start(&s);
    struct couch *c = open_with(&s, h, &auth, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    for (size_t i = 0; i < sizeof system / sizeof system[0]; i++) {
        ck_assert_int_eq(couch_db_create(c, system[i], NULL, &err), -1);
        ck_assert_int_eq(err.kind, ERR_USAGE);
        ck_assert_int_eq(couch_db_delete(c, system[i], &err), -1);
        ck_assert_int_eq(couch_db_delete_ours(c, system[i], "t", &err), -1);
        ck_assert_int_eq(couch_marker_write(c, system[i], "t", &err), -1);
        ck_assert_int_eq(couch_doc_put(c, system[i], "d", "{}", NULL, &err), -1);
        ck_assert_int_eq(couch_doc_delete(c, system[i], "d", "1", &err), -1);
        ck_assert_int_eq(couch_ddoc_put(c, system[i], "d", "{}", &err), -1);
        ck_assert_int_eq(couch_ddoc_delete(c, system[i], "d", &err), -1);
    }
    ck_assert_uint_eq(s.writes, 0);

    static const struct {
        const char *marker;
        int any, ours; /* couch_marker_check without and with the token */
        bool deletes_any, deletes_ours;
    } rows[] = {
        {"", 0, 0, false, false},
        {"{\"tunecouch\":1,\"token\":\"t\",\"_rev\":\"0-1\"}", 1, 1, true, true},
        {"{\"tunecouch\":1,\"token\":\"other\"}", 1, 0, true, false},
        {"{\"tunecouch\":2,\"token\":\"t\"}", 0, 0, false, false},
        {"{\"tunecouch\":1}", 0, 0, false, false},
        {"{\"token\":\"t\"}", 0, 0, false, false},
        {"{}", 0, 0, false, false},
        {"[]", -1, -1, false, false},
        {"<html>", -1, -1, false, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(s.marker, sizeof s.marker, "%s", rows[i].marker);
        s.writes = 0;
        ck_assert_msg(couch_marker_check(c, "mine", NULL, &err) == rows[i].any, "row %zu", i);
        ck_assert_msg(couch_marker_check(c, "mine", "t", &err) == rows[i].ours, "row %zu", i);
        ck_assert_uint_eq(s.writes, 0);
        ck_assert_msg((couch_db_delete(c, "mine", &err) == 0) == rows[i].deletes_any, "row %zu", i);
        ck_assert_msg(s.writes == rows[i].deletes_any, "row %zu", i);
        ck_assert_msg((couch_db_delete_ours(c, "mine", "t", &err) == 0) == rows[i].deletes_ours,
                      "row %zu", i);
        ck_assert_uint_eq(s.writes, (unsigned)rows[i].deletes_any + rows[i].deletes_ours);
        /* a stranger's document of that name is never overwritten */
        bool stranger = *rows[i].marker != '\0' && rows[i].any != 1;
        s.writes = 0;
        ck_assert_msg((couch_marker_write(c, "mine", "new", &err) == 0) == !stranger, "row %zu", i);
        ck_assert_msg(s.writes == !stranger, "row %zu", i);
    }
    /* the rev of what it replaces goes with it */
    snprintf(s.marker, sizeof s.marker, "%s", rows[1].marker);
    ck_assert_int_eq(couch_marker_write(c, "mine", "new", &err), 0);
    cJSON *doc = json_parse(s.last_body, strlen(s.last_body), NULL);
    ck_assert_str_eq(json_str(doc, "_rev", ""), "0-1");
    ck_assert_str_eq(json_str(doc, "token", ""), "new");
    ck_assert_uint_eq(json_u64(doc, "tunecouch", 0), 1);
    ck_assert_ptr_nonnull(json_get(doc, "created"));
    cJSON_Delete(doc);

    char *a = couch_db_name("Tune Mark!"), *b = couch_db_name(NULL);
    ck_assert_msg(text_starts(a, "tunecouch-tune-mark--2"), "%s", a);
    ck_assert_msg(text_starts(b, "tunecouch-2"), "%s", b);
    ck_assert_uint_eq(strspn(a, "abcdefghijklmnopqrstuvwxyz0123456789-"), strlen(a));
    char *again = couch_db_name("Tune Mark!");
    ck_assert_str_ne(a, again);
    free(a);
    free(b);
    free(again);
    couch_close(c);
    http_free(h);
    stub_stop(s.stub);
}
END_TEST

START_TEST(databases)
{
    struct server s = {ROWS(couchdb)};
    struct err err = ERR_INIT;
    struct http *h = engine();
    server_start(&s);
    struct couch *c = open_with(&s, h, NULL, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    ck_assert_int_eq(couch_db_create(c, "mine", &(struct couch_db_options){8, 1}, &err), 0);
    ck_assert_str_eq(s.last_path, "/mine?q=8&n=1");
    ck_assert_int_eq(couch_db_create(c, "mine", &(struct couch_db_options){0, 3}, &err), 0);
    ck_assert_str_eq(s.last_path, "/mine?n=3");
    ck_assert_int_eq(couch_db_create(c, "there", NULL, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "exists already"));
    ck_assert_int_eq(couch_db_create(c, "forbidden", NULL, &err), -1);
    ck_assert_int_eq(err.kind, ERR_AUTH);
    ck_assert_ptr_nonnull(strstr(err.text, "--database"));
    cJSON *info;
    ck_assert_int_eq(couch_db_info(c, "mine", &info, &err), 1);
    ck_assert_uint_eq(json_u64(info, "doc_count", 0), 3);
    cJSON_Delete(info);
    ck_assert_int_eq(couch_db_info(c, "missing", &info, &err), 0);
    ck_assert_ptr_null(info);

    char summary[200];
    ck_assert_int_eq(couch_active_tasks(c, "mine", summary, sizeof summary), 2);
    ck_assert_str_eq(summary, "indexer 45 %, x\\x07");
    ck_assert_int_eq(couch_active_tasks(c, NULL, summary, sizeof summary), 3);
    ck_assert_int_eq(couch_active_tasks(c, "min", summary, 10), 0);
    ck_assert_int_eq(couch_active_tasks(c, "mine", summary, 10), 2);
    ck_assert_uint_lt(strlen(summary), 10);

    cJSON *facts = couch_run_facts(c, "mine");
    ck_assert_uint_eq(json_u64(json_get(facts, "db"), "doc_count", 0), 3);
    ck_assert_uint_eq(json_u64(json_get(facts, "system"), "uptime", 0), 5);
    cJSON_Delete(facts);
    facts = couch_server_facts(c);
    ck_assert_str_eq(json_str(facts, "log_level", ""), "info");
    ck_assert_ptr_nonnull(json_get(json_get(facts, "unread"), "file_compression"));
    cJSON_Delete(facts);
    couch_close(c);
    http_free(h);
    stub_stop(s.stub);
}
END_TEST

/* ---- Sync Gateway's stand-in ------------------------------------------------------------------
 */

static int count_row(void *arg, const struct couch_row *row)
{
    buf_addf(arg, "%.*s %.*s|", (int)row->key.len, row->key.at, (int)row->value.len, row->value.at);
    return 0;
}

/* The rows of one answer as text. */
static void rows_of(struct couch *c, char *url, struct buf *out)
{
    struct couch_answer a;
    struct err err = ERR_INIT;
    ck_assert_msg(couch_call(c, HTTP_GET, url, NULL, 0, NULL, 0, &a, &err) == 0, "%s", err.text);
    buf_clear(out);
    ck_assert_msg(couch_judge_view(a.body.data, a.body.len, count_row, out, NULL, &err) == 0, "%s",
                  err.text);
    couch_answer_free(&a);
    free(url);
}

START_TEST(sync_gateway)
{
    static const char *const ids[] = {"a1", "a2", "a3", "a4", "a5"};
    static const char docs[] =
        "{\"docs\":[{\"_id\":\"a1\",\"Artist\":\"Foo\",\"Album\":\"A\",\"Name\":\"Rock, rock!\"},"
        "{\"_id\":\"a2\",\"Artist\":\"foo\",\"Album\":\"B\"},{\"_id\":\"a3\",\"Artist\":\"Bar\"},"
        "{\"_id\":\"a4\",\"Artist\":\"Zed\",\"Compilation\":true,\"Name\":\"Hard Rock\"},"
        "{\"_id\":\"a5\",\"_foo\":1}]}";
    static const char ddoc[] =
        "{\"views\":{\"rows\":{\"map\":\"function(doc){emit([doc.Artist,doc.Album])}\",\"reduce\":"
        "\"_count\"},\"words\":{\"map\":\"function(doc){doc.Name.split(' ')}\"}}}";
    struct auth auth = {AUTH_BASIC, (char *)"sync", (char *)SECRET};
    struct auth wrong = {AUTH_BASIC, (char *)"sync", (char *)"wrong"};
    struct err err = ERR_INIT;
    struct http *h = engine();
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    struct fake_sync *f = fake_sync_start(
        &(struct fake_sync_config){.database = "db", .user = "sync", .password = SECRET}, &err);
    ck_assert_msg(f != NULL, "%s", err.text);
    const char *why, *public = fake_sync_public(f), *admin = fake_sync_admin(f);

    /* the public port alone */
    struct couch *c = couch_open(h, &(struct couch_config){public, NULL, &auth}, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    ck_assert_str_eq(couch_dialect(c)->name, "sync-gateway");
    ck_assert_str_eq(couch_version(c), "3.1.0(stand-in) CE");
    ck_assert(!couch_can(c, CAP_DDOC_VIEWS, NULL, &why));
    ck_assert_ptr_nonnull(strstr(why, "--admin-url"));
    ck_assert(!couch_can(c, CAP_CREATE_DB, NULL, &why));
    ck_assert(!couch_can(c, CAP_MANGO, NULL, &why));
    ck_assert_int_eq(couch_db_create(c, "other", NULL, &err), -1);
    ck_assert_int_eq(couch_db_info(c, "db", NULL, &err), 1);
    ck_assert_int_eq(couch_ddoc_put(c, "db", "d", ddoc, &err), -1);
    ck_assert_msg(strstr(err.text, "403 Forbidden") != NULL, "%s", err.text);
    couch_close(c);

    /* a wrong password is told at the first use of a database: / is open to all */
    c = couch_open(h, &(struct couch_config){public, NULL, &wrong}, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    ck_assert_int_eq(couch_db_info(c, "db", NULL, &err), -1);
    ck_assert_int_eq(err.kind, ERR_AUTH);
    couch_close(c);

    /* what is not an admin port */
    ck_assert_ptr_null(couch_open(h, &(struct couch_config){public, public, &auth}, &err));
    ck_assert_int_eq(err.kind, ERR_USAGE);

    /* both */
    c = couch_open(h, &(struct couch_config){public, admin, &auth}, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    ck_assert(couch_can(c, CAP_DDOC_VIEWS, NULL, &why));
    ck_assert(couch_can(c, CAP_GROUP_LEVEL, NULL, &why));
    ck_assert_int_eq(couch_marker_check(c, "db", NULL, &err), 0);
    ck_assert_int_eq(couch_marker_write(c, "db", "t", &err), 0);
    ck_assert_int_eq(couch_marker_write(c, "db", "u", &err), 0); /* over an earlier run's */
    ck_assert_int_eq(couch_marker_check(c, "db", "t", &err), 0);
    ck_assert_int_eq(couch_marker_check(c, "db", "u", &err), 1);
    char *token;
    ck_assert_int_eq(couch_marker_find(c, "db", &token, &err), 1);
    ck_assert_str_eq(token, "u");
    free(token);

    struct couch_answer a;
    struct couch_bulk b;
    char rows[5];
    char *url = couch_url_db(c, "db", "_bulk_docs");
    ck_assert_msg(couch_call(c, HTTP_POST, url, docs, strlen(docs), NULL, 0, &a, &err) == 0, "%s",
                  err.text);
    ck_assert_int_eq(couch_judge_bulk(c, a.body.data, a.body.len, ids, 5, &b, rows, &err), 0);
    ck_assert_msg(memcmp(rows, "oooor", 5) == 0, "%.5s", rows);
    couch_answer_free(&a);
    ck_assert_int_eq(couch_call(c, HTTP_POST, url, docs, strlen(docs), NULL, 0, &a, &err), 0);
    ck_assert_int_eq(couch_judge_bulk(c, a.body.data, a.body.len, ids, 5, &b, rows, &err), 0);
    ck_assert_msg(memcmp(rows, "ccccr", 5) == 0, "%.5s", rows);
    couch_answer_free(&a);
    free(url);
    ck_assert_int_eq(fake_sync_docs(f, "db"), 4);

    rows_of(c, couch_url_db(c, "db", "_all_docs?limit=2&startkey=%22a2%22"), &out);
    ck_assert(text_starts(out.data, "\"a2\" {\"rev\":\"1-"));
    ck_assert_int_eq(couch_ddoc_put(c, "db", "d", ddoc, &err), 0);
    rows_of(c, couch_url_view(c, "db", "d", "rows", "group_level=1"), &out);
    ck_assert_str_eq(out.data, "[\"bar\"] 1|[\"foo\"] 2|");
    rows_of(c,
            couch_url_view(c, "db", "d", "rows",
                           "group_level=2&startkey=%5B%22foo%22%5D&endkey=%5B%22foo%22,%7B%7D%5D"),
            &out);
    ck_assert_str_eq(out.data, "[\"foo\",\"a\"] 1|[\"foo\",\"b\"] 1|");
    rows_of(c, couch_url_view(c, "db", "d", "rows", "limit=1&reduce=false"), &out);
    ck_assert_str_eq(out.data, "[\"bar\",null] null|");
    rows_of(c, couch_url_view(c, "db", "d", "words", "key=%22rock%22"), &out);
    ck_assert_str_eq(out.data, "\"rock\" null|\"rock\" null|");
    rows_of(c, couch_url_view(c, "db", "d", "rows", NULL), &out);
    ck_assert_str_eq(out.data, "null 3|");

    static const char wanted[] = "{\"docs\":[{\"id\":\"a1\"},{\"id\":\"none\"}]}";
    struct couch_bulk_get got;
    struct http_reply reply;
    url = couch_url_db(c, "db", "_bulk_get");
    struct http_request get = {.method = HTTP_POST,
                               .url = url,
                               .headers = couch_headers_bulk_get(c),
                               .body = wanted,
                               .body_len = sizeof wanted - 1};
    http_call(h, &get, &reply);
    ck_assert_int_eq(reply.status, 200);
    ck_assert_int_eq(couch_judge_bulk_get(reply.content_type, reply.body.data, reply.body.len, NULL,
                                          NULL, &got, &err),
                     0);
    ck_assert(got.found == 1 && got.failed == 1);
    buf_free(&reply.body);
    free(url);

    cJSON *doc;
    char rev[128];
    ck_assert_int_eq(couch_doc_get(c, "db", "a1", &doc, &err), 1);
    ck_assert_str_eq(json_str(doc, "Artist", ""), "Foo");
    ck_assert_int_eq(couch_doc_delete(c, "db", "a1", json_str(doc, "_rev", ""), &err), 0);
    cJSON_Delete(doc);
    ck_assert_int_eq(couch_doc_get(c, "db", "a1", &doc, &err), 0);
    ck_assert_int_eq(couch_doc_put(c, "db", "x/y", "{}", rev, &err), 0);
    ck_assert(text_starts(rev, "1-"));
    ck_assert_int_eq(couch_ddoc_delete(c, "db", "d", &err), 0);
    ck_assert_int_eq(couch_ddoc_delete(c, "db", "d", &err), 0);
    ck_assert_int_eq(couch_marker_remove(c, "db", "t", &err), -1);
    ck_assert_int_eq(couch_marker_remove(c, "db", "u", &err), 0);
    ck_assert_int_eq(couch_marker_remove(c, "db", "u", &err), 0);
    couch_close(c);

    /* the admin port alone serves documents too */
    c = couch_open(h, &(struct couch_config){admin, NULL, NULL}, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    ck_assert(couch_can(c, CAP_DDOC_VIEWS, NULL, &why));
    ck_assert_int_eq(couch_db_info(c, "db", NULL, &err), 1);
    ck_assert_int_eq(couch_db_info(c, "none", NULL, &err), 0);
    couch_close(c);
    fake_sync_stop(f);

    /* the store in memory, and documents refused one by one */
    f = fake_sync_start(
        &(struct fake_sync_config){.database = "db", .memory_store = true, .busy_each = 2}, &err);
    c = couch_open(h, &(struct couch_config){fake_sync_public(f), fake_sync_admin(f), NULL}, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    ck_assert(!couch_can(c, CAP_GROUP_LEVEL, NULL, &why));
    ck_assert_ptr_nonnull(strstr(why, "in-memory store"));
    ck_assert(!couch_can(c, CAP_JS_REDUCE, NULL, &why));
    ck_assert_ptr_nonnull(strstr(why, "in-memory store"));
    ck_assert_int_eq(couch_ddoc_put(c, "db", "d", "{\"autoupdate\":false,\"views\":{}}", &err), -1);
    ck_assert_msg(strstr(err.text, "unknown field") != NULL, "%s", err.text);
    url = couch_url_db(c, "db", "_bulk_docs");
    ck_assert_int_eq(couch_call(c, HTTP_POST, url, docs, strlen(docs), NULL, 0, &a, &err), 0);
    ck_assert_int_eq(couch_judge_bulk(c, a.body.data, a.body.len, ids, 5, &b, rows, &err), 0);
    ck_assert_msg(memcmp(rows, "ororr", 5) == 0, "%.5s", rows);
    ck_assert_uint_eq(b.retryable, 2);
    couch_answer_free(&a);
    free(url);
    couch_close(c);
    fake_sync_stop(f);
    buf_free(&out);
    http_free(h);
}
END_TEST

TEST_MAIN("couch_db", safety, databases, sync_gateway)
