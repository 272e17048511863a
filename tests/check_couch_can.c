#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "couch/couch.h"
#include "couch/probe.h"
#include "net/stub.h"
#include "tests/canned.h"

/* ---- capabilities ---------------------------------------------------------------------------- */

/* What each kind of server is found to be able to do. '+': yes, '-': no, '?': needs a database. */
struct able {
    const char *name;
    const struct canned *rows;
    size_t count;
    const char *nouveau, *clouseau, *text; /* sign and part of the reason */
    const char *create;
};

static const struct canned with_engines[] = {
    {"GET", "/", 200, COUCH_ROOT, NULL, NULL},
    {"GET", "/_session", 200, NOBODY_CTX, NULL, NULL},
    {"POST", "/_search_analyze", 200, "{\"tokens\":[\"rock\"]}", NULL, NULL},
    {"POST", "/_nouveau_analyze", 200, "{\"tokens\":[\"rock\"]}", NULL, NULL},
};
static const struct canned nouveau_down[] = {
    {"GET", "/", 200,
     "{\"couchdb\":\"Welcome\",\"version\":\"3.5.0\",\"features\":[\"nouveau\"],\"vendor\":{"
     "\"name\":\"The "
     "Apache Software Foundation\"}}",
     NULL, NULL},
    {"GET", "/_session", 200, ADMIN_CTX, NULL, NULL},
    {"POST", "/_nouveau_analyze", 503,
     "{\"error\":\"service unavailable\",\"reason\":\"Search service unavailable.\"}", NULL, NULL},
    {"POST", "/_search_analyze", 503,
     "{\"error\":\"service unavailable\",\"reason\":\"Search is not available\"}", NULL, NULL},
};
static const struct canned no_rights[] = {
    {"GET", "/", 200, COUCH_ROOT, NULL, NULL},
    {"GET", "/_session", 200, NOBODY_CTX, NULL, NULL},
    {"POST", "/_search_analyze", 401, "{\"error\":\"unauthorized\"}", NULL, NULL},
    {"POST", "/_nouveau_analyze", 401, "{\"error\":\"unauthorized\"}", NULL, NULL},
};
static const struct canned pouchdb[] = {
    {"GET", "/", 200,
     "{\"couchdb\":\"Welcome\",\"version\":\"9.0.0\",\"vendor\":{\"name\":\"PouchDB\"},"
     "\"features\":[]}",
     NULL, NULL},
};

START_TEST(capabilities)
{
    static const struct able rows[] = {
        {"CouchDB without engines", couchdb, COUCHDB_ROWS, "-not enabled",
         "-Search is not available", "-need Clouseau", "+"},
        {"CouchDB with both", with_engines, sizeof with_engines / sizeof with_engines[0], "+", "+",
         "+", "-server administrator"},
        {"Nouveau enabled but down", nouveau_down, sizeof nouveau_down / sizeof nouveau_down[0],
         "-its engine does not answer", "-Search is not available", "-need Clouseau", "+"},
        {"no rights", no_rights, sizeof no_rights / sizeof no_rights[0], "?database of ours",
         "?database of ours", "?database of ours", "-no credentials"},
        {"PouchDB", pouchdb, sizeof pouchdb / sizeof pouchdb[0], "?database of ours",
         "?database of ours", "?database of ours", "+"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct server s = {.rows = rows[i].rows, .count = rows[i].count};
        struct err err = ERR_INIT;
        struct http *h = engine();
        server_start(&s);
        struct couch *c = open_with(&s, h, NULL, &err);
        ck_assert_msg(c != NULL, "%s: %s", rows[i].name, err.text);
        const struct {
            enum capability what;
            const char *want;
        } asked[] = {{CAP_NOUVEAU, rows[i].nouveau},
                     {CAP_CLOUSEAU, rows[i].clouseau},
                     {CAP_MANGO_TEXT, rows[i].text},
                     {CAP_CREATE_DB, rows[i].create}};
        for (size_t k = 0; k < 4; k++) {
            const char *why;
            bool yes = couch_can(c, asked[k].what, NULL, &why);
            char sign = yes ? '+' : couch_can_unknown(c, asked[k].what) ? '?' : '-';
            ck_assert_msg(sign == *asked[k].want, "%s, %s: %s", rows[i].name,
                          capability_name(asked[k].what), why);
            ck_assert_msg(yes == (why == NULL), "%s", rows[i].name);
            ck_assert_msg(yes || strstr(why, asked[k].want + 1) != NULL, "%s: %s", rows[i].name,
                          why);
        }
        ck_assert_uint_eq(s.writes, 0); /* nothing is written for a question */
        couch_close(c);
        http_free(h);
        stub_stop(s.stub);
    }
}
END_TEST

/* In a database of ours. */
START_TEST(capabilities_in_database)
{
    static const struct {
        struct canned search, nouveau, index, list;
        const char *clouseau, *nouveau_want, *text;
    } rows[] = {
        {{"GET", "/mine/_design/*", 200,
          "{\"total_rows\":0,\"bookmark\":\"x\",\"rows\":[],\"total_hits\":0,\"hits\":[]}", NULL,
          NULL},
         {"GET", "-", 0, "", NULL, NULL},
         {"POST", "/mine/_index", 503, "{\"error\":\"required index service unavailable\"}", NULL,
          NULL},
         {"GET", "/mine/_index", 200, "{}", NULL, NULL},
         "+",
         "+",
         "-required index service"},
        /* stock express-pouchdb: 200, but a plain index */
        {{"GET", "/mine/_design/*", 404, "{\"error\":\"not_found\"}", NULL, NULL},
         {"GET", "-", 0, "", NULL, NULL},
         {"POST", "/mine/_index", 200, "{\"result\":\"created\"}", NULL, NULL},
         {"GET", "/mine/_index", 200,
          "{\"indexes\":[{\"name\":\"_all_docs\",\"type\":\"special\"}]}", NULL, NULL},
         "-no _search",
         "-no _nouveau",
         "-a plain one"},
        {{"GET", "/mine/_design/*", 200, "<html>", NULL, "text/html"},
         {"GET", "-", 0, "", NULL, NULL},
         {"POST", "/mine/_index", 500, "", NULL, NULL},
         {"GET", "/mine/_index", 200, "{}", NULL, NULL},
         "-not a search's",
         "-not a search's",
         "-refused"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct canned answers[] = {
            pouchdb[0],
            rows[i].search,
            rows[i].nouveau,
            rows[i].index,
            rows[i].list,
            {"PUT", "/mine/_design/*", 201, JSON_OK, NULL, NULL},
            {"DELETE", "/mine/*", 200, JSON_OK, NULL, NULL},
        };
        struct server s = {ROWS(answers)};
        struct err err = ERR_INIT;
        struct http *h = engine();
        server_start(&s);
        struct couch *c = open_with(&s, h, NULL, &err);
        ck_assert_msg(c != NULL, "%s", err.text);
        const struct {
            enum capability what;
            const char *want;
        } asked[] = {{CAP_NOUVEAU, rows[i].nouveau_want},
                     {CAP_CLOUSEAU, rows[i].clouseau},
                     {CAP_MANGO_TEXT, rows[i].text}};
        const char *why;
        /* a database that is not ours is not written to */
        ck_assert(!couch_can(c, CAP_NOUVEAU, "mine", &why));
        ck_assert(couch_can_unknown(c, CAP_NOUVEAU));
        ck_assert_uint_eq(s.writes, 0);
        snprintf(s.marker, sizeof s.marker, "{\"tunecouch\":1,\"token\":\"t\"}");
        for (size_t k = 0; k < 3; k++) {
            bool yes = couch_can(c, asked[k].what, "mine", &why);
            ck_assert_msg(yes == (*asked[k].want == '+'), "row %zu, %s: %s", i,
                          capability_name(asked[k].what), why);
            ck_assert_msg(yes || strstr(why, asked[k].want + 1) != NULL, "row %zu: %s", i, why);
            ck_assert(!couch_can_unknown(c, asked[k].what));
        }
        unsigned writes = s.writes;
        couch_can(c, CAP_NOUVEAU, "mine", &why); /* asked once */
        ck_assert_uint_eq(s.writes, writes);
        couch_close(c);
        http_free(h);
        stub_stop(s.stub);
    }
}
END_TEST

START_TEST(versions)
{
    static const struct {
        const char *version;
        bool mango, proof;
    } rows[] = {{"1.6.1", false, false}, {"2.0.0", true, false}, {"3.3.3", true, false},
                {"3.4.0", true, true},   {"3.10.1", true, true}, {"4.0", true, true},
                {"main", true, true}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *root = mem_printf("{\"couchdb\":\"Welcome\",\"version\":\"%s\"}", rows[i].version);
        const struct canned answers[] = {{"GET", "/", 200, root, NULL, NULL}};
        struct server s = {ROWS(answers)};
        struct err err = ERR_INIT;
        struct http *h = engine();
        server_start(&s);
        struct couch *c = open_with(&s, h, NULL, &err);
        ck_assert_msg(c != NULL, "%s", err.text);
        ck_assert_msg(couch_can(c, CAP_MANGO, NULL, NULL) == rows[i].mango, "%s", rows[i].version);
        ck_assert_msg(couch_can(c, CAP_MANGO_PROOF, NULL, NULL) == rows[i].proof, "%s",
                      rows[i].version);
        couch_close(c);
        http_free(h);
        stub_stop(s.stub);
        free(root);
    }
}
END_TEST

START_TEST(probe)
{
    struct auth auth = {AUTH_BASIC, (char *)"admin", (char *)SECRET};
    struct server s = {ROWS(couchdb), .authorization = SECRET_BASIC};
    struct err err = ERR_INIT;
    struct http *h = engine();
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    server_start(&s);
    struct couch *c = open_with(&s, h, &auth, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    ck_assert_int_eq(couch_probe_text(c, NULL, &out, &err), 0);
    ck_assert_uint_eq(s.writes, 0);
    static const char *const says[] = {
        "Server          Apache CouchDB 3.5.0\n",
        "Authentication  basic\n",
        "Log level       info\n",
        "(network, least of several connections)\n",
        "not a round trip)\n",
        "  yes     Mango queries\n",
        "  no      full-text search by Clouseau: no Clouseau engine is connected"};
    for (size_t i = 0; i < sizeof says / sizeof says[0]; i++) {
        ck_assert_msg(strstr(out.data, says[i]) != NULL, "\"%s\" not in:\n%s", says[i], out.data);
    }
    ck_assert_ptr_null(strstr(out.data, SECRET));
    cJSON *json = couch_probe_json(c, NULL, &err);
    ck_assert_ptr_nonnull(json);
    ck_assert_int_eq(cJSON_GetArraySize(json_get(json, "capabilities")), CAP_COUNT);
    ck_assert(json_num(json, "round_trip_s", -1) > 0);
    ck_assert(json_num(json, "small_request_s", -1) > json_num(json, "round_trip_s", -1));
    cJSON_Delete(json);
    buf_free(&out);
    couch_close(c);
    http_free(h);
    stub_stop(s.stub);
}
END_TEST

TEST_MAIN("couch_can", capabilities, capabilities_in_database, versions, probe)
