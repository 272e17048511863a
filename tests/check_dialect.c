#include <string.h>

#include "couch/dialect.h"
#include "tests/testing.h"

START_TEST(told_apart)
{
    static const struct {
        const char *root, *server, *want;
    } rows[] = {
        {"{\"couchdb\":\"Welcome\",\"version\":\"3.5.0\",\"vendor\":{\"name\":\"The Apache "
         "Software "
         "Foundation\"}}",
         "CouchDB/3.5.0 (Erlang OTP/25)", "couchdb"},
        {"{\"couchdb\":\"Welcome\",\"version\":\"1.6.1\",\"vendor\":{\"version\":\"1.6.1\"}}", "",
         "couchdb"},
        {"{\"couchdb\":\"Welcome\",\"version\":\"3.3.3\",\"vendor\":{\"name\":\"IBM Cloudant\"}}",
         "CouchDB/3.3.3", "couchdb"},
        {"{\"couchdb\":\"Welcome\"}", NULL, "couchdb"},
        {"{\"couchdb\":\"Welcome\",\"vendor\":7}", "", "couchdb"},
        {"{\"express-pouchdb\":\"Welcome!\",\"version\":\"4.2.0\",\"vendor\":{\"name\":\"PouchDB "
         "authors\",\"version\":\"4.2.0\"},\"uuid\":\"x\"}",
         "", "pouchdb"},
        {"{\"couchdb\":\"Welcome\",\"version\":\"9.0.0\",\"vendor\":{\"name\":\"PouchDB\"}}", "",
         "pouchdb"},
        {"{\"pouchdb-server\":\"Welcome!\"}", "", "pouchdb"},
        {"{\"couchdb\":\"Welcome\",\"vendor\":{\"name\":\"Couchbase Sync Gateway\",\"version\":"
         "\"3.1\"},\"version\":\"Couchbase Sync Gateway/3.1.0(2a9837d) CE\"}",
         "Couchbase Sync Gateway/3.1.0 CE", "sync-gateway"},
        {"{\"couchdb\":\"Welcome\"}", "Couchbase Sync Gateway/2.8.0", "sync-gateway"},
        {"[]", "", "couchdb"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        cJSON *root = json_parse(rows[i].root, strlen(rows[i].root), NULL);
        ck_assert_ptr_nonnull(root);
        ck_assert_str_eq(dialect_of(root, rows[i].server)->name, rows[i].want);
        cJSON_Delete(root);
    }
    ck_assert_str_eq(dialect_of(NULL, NULL)->name, "couchdb");
    ck_assert_ptr_null(dialect_named("mongodb"));
}
END_TEST

/* Whatever a server cannot do has its reason, and only that. */
START_TEST(reasons)
{
    static const char *const names[] = {"couchdb", "pouchdb", "sync-gateway", "http"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        const struct dialect *d = dialect_named(names[i]);
        ck_assert_ptr_nonnull(d);
        ck_assert_ptr_nonnull(d->vendor);
        for (int c = 0; c < CAP_COUNT; c++) {
            ck_assert_msg((d->can[c] == CAP_NO) == (d->why_not[c] != NULL), "%s, %s", names[i],
                          capability_name((enum capability)c));
        }
    }
    for (int c = 0; c < CAP_COUNT; c++) {
        ck_assert_ptr_nonnull(capability_name((enum capability)c));
    }
}
END_TEST

TEST_MAIN("dialect", told_apart, reasons)
