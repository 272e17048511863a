#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "couch/couch.h"
#include "net/stub.h"
#include "tests/canned.h"

START_TEST(what_answers)
{
    static const struct {
        struct canned root;
        enum err_kind kind; /* ERR_NONE: taken */
        const char *says, *vendor, *version;
    } rows[] = {
        {{"GET", "/", 200, COUCH_ROOT, NULL, NULL}, ERR_NONE, "", "Apache CouchDB", "3.5.0"},
        {{"GET", "/", 200,
          "{\"express-pouchdb\":\"Welcome!\",\"version\":\"4.2.0\",\"vendor\":{\"name\":\"PouchDB "
          "authors\",\"version\":\"4.2.0\"}}",
          NULL, NULL},
         ERR_NONE,
         "",
         "PouchDB authors",
         "4.2.0"},
        {{"GET", "/", 200, "{\"couchdb\":\"Welcome\",\"vendor\":{\"name\":\"a\\u001b[31mb\"}}",
          NULL, NULL},
         ERR_NONE,
         "",
         "a\\x1b[31mb",
         "unknown"},
        {{"GET", "/", 200, "<html><title>nginx</title>hello</html>", NULL, "text/html"},
         ERR_UNREACHABLE,
         "is no CouchDB: it answers text/html",
         NULL,
         NULL},
        {{"GET", "/", 200, "{\"name\":\"elasticsearch\"}", NULL, NULL},
         ERR_UNREACHABLE,
         "not as a CouchDB does",
         NULL,
         NULL},
        {{"GET", "/", 200, "[[[[", NULL, NULL}, ERR_UNREACHABLE, "is no CouchDB", NULL, NULL},
        {{"GET", "/", 200, "", NULL, NULL}, ERR_UNREACHABLE, "is no CouchDB", NULL, NULL},
        {{"GET", "/", 200, "{\"db_name\":\"t1\",\"doc_count\":0}", NULL, NULL},
         ERR_UNREACHABLE,
         "is the URL of a database",
         NULL,
         NULL},
        {{"GET", "/", 301, "", "Location: https://elsewhere/\033]0;x\r\n", NULL},
         ERR_UNREACHABLE,
         "redirects to https://elsewhere/",
         NULL,
         NULL},
        {{"GET", "/", 502, "<html><head><title>502 Bad Gateway</title></head></html>", NULL,
          "text/html"},
         ERR_UNREACHABLE,
         "502: an HTML page: \"502 Bad Gateway\" (overloaded",
         NULL,
         NULL},
        {{"GET", "/", 401, "{\"error\":\"unauthorized\",\"reason\":\"Authentication required.\"}",
          NULL, NULL},
         ERR_AUTH,
         "asks who we are (401: Authentication required.): give --user",
         NULL,
         NULL},
        {{"GET", "/", 403, "", NULL, NULL}, ERR_AUTH, "asks who we are (403)", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const struct canned answers[] = {rows[i].root,
                                         {"GET", "/_session", 200, NOBODY_CTX, NULL, NULL}};
        struct server s = {ROWS(answers)};
        struct err err = ERR_INIT;
        struct http *h = engine();
        server_start(&s);
        struct couch *c = open_with(&s, h, NULL, &err);
        ck_assert_msg(err.kind == rows[i].kind && (c != NULL) == (err.kind == ERR_NONE),
                      "row %zu: %d %s", i, err.kind, err.text);
        ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "row %zu: %s", i, err.text);
        ck_assert_ptr_null(strchr(err.text, '\033'));
        if (c != NULL) {
            ck_assert_str_eq(couch_vendor(c), rows[i].vendor);
            ck_assert_str_eq(couch_version(c), rows[i].version);
            ck_assert_str_eq(couch_address(c), "127.0.0.1");
        }
        couch_close(c);
        http_free(h);
        stub_stop(s.stub);
    }
}
END_TEST

START_TEST(nobody_there)
{
    struct err err = ERR_INIT;
    struct http *h = engine();
    struct stub *stub = stub_start(&(struct stub_config){0}, &err);
    char *url = mem_strdup(stub_url(stub));
    stub_stop(stub); /* its port is free now */
    ck_assert_ptr_null(couch_open(h, &(struct couch_config){url, NULL, NULL}, &err));
    ck_assert_int_eq(err.kind, ERR_UNREACHABLE);
    ck_assert_msg(strstr(err.text, "is the server running?") != NULL, "%s", err.text);
    free(url);
    http_free(h);
}
END_TEST

START_TEST(credentials)
{
    struct auth good = {AUTH_BASIC, (char *)"admin", (char *)SECRET};
    struct auth bad = {AUTH_BASIC, (char *)"admin", (char *)SECRET "-not"};
    struct auth cookie = {AUTH_COOKIE, (char *)"admin", (char *)SECRET};
    struct auth bad_cookie = {AUTH_COOKIE, (char *)"admin", (char *)"wrong"};
    struct auth token = {AUTH_BEARER, NULL, (char *)SECRET};
    struct auth none = {AUTH_NONE, NULL, NULL};
    const struct {
        const struct auth *auth;
        const char *wanted; /* by the server */
        enum err_kind kind;
        const char *says;
    } rows[] = {
        {&good, SECRET_BASIC, ERR_NONE, ""},
        {&bad, SECRET_BASIC, ERR_AUTH, "refused user \"admin\" or the password"},
        {&none, SECRET_BASIC, ERR_AUTH, "asks who we are"},
        {NULL, SECRET_BASIC, ERR_AUTH, "asks who we are"},
        {&token, "Bearer " SECRET, ERR_NONE, ""},
        {&token, SECRET_BASIC, ERR_AUTH, "refused the token"},
        {&cookie, "a cookie", ERR_NONE, ""},
        {&bad_cookie, "a cookie", ERR_AUTH, "user \"admin\" or the password was refused"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct server s = {ROWS(couchdb), .authorization = rows[i].wanted};
        struct err err = ERR_INIT;
        struct http *h = engine();
        server_start(&s);
        struct couch *c = open_with(&s, h, rows[i].auth, &err);
        ck_assert_msg(err.kind == rows[i].kind, "row %zu: %s", i, err.text);
        ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "row %zu: %s", i, err.text);
        ck_assert_msg(strstr(err.text, SECRET) == NULL, "told a secret: %s", err.text);
        if (c != NULL) {
            cJSON *facts = couch_server_facts(c);
            char *text = json_print(facts, false);
            ck_assert_ptr_null(strstr(text, SECRET));
            ck_assert_ptr_null(strstr(text, &SECRET_BASIC[6]));
            free(text);
            cJSON_Delete(facts);
        }
        couch_close(c);
        http_free(h);
        stub_stop(s.stub);
    }
    /* a server that takes no notice of a token (its handler is not enabled) */
    static const struct canned deaf[] = {{"GET", "/", 200, COUCH_ROOT, NULL, NULL},
                                         {"GET", "/_session", 200, NOBODY_CTX, NULL, NULL}};
    struct server s = {ROWS(deaf)};
    struct err err = ERR_INIT;
    struct http *h = engine();
    server_start(&s);
    ck_assert_ptr_null(open_with(&s, h, &token, &err));
    ck_assert_int_eq(err.kind, ERR_AUTH);
    ck_assert_ptr_nonnull(strstr(err.text, "took no notice of the token"));
    http_free(h);
    stub_stop(s.stub);
}
END_TEST

/* Half a second is half of the shortest session there is: by then a new cookie is fetched when
 * headers are asked for, while the old headers stay what they were. */
START_TEST(sessions)
{
    struct auth cookie = {AUTH_COOKIE, (char *)"admin", (char *)SECRET};
    struct server s = {ROWS(couchdb), .authorization = "a cookie", .life_s = 1};
    struct err err = ERR_INIT;
    struct http *h = engine();
    server_start(&s);
    struct couch *c = open_with(&s, h, &cookie, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    ck_assert_uint_eq(s.logins, 1);
    const struct http_headers *old = couch_headers(c);
    ck_assert_ptr_eq(couch_headers(c), old);
    http_wait(h, 600000000);
    ck_assert_ptr_eq(couch_headers(c), old); /* asks for the new cookie, and waits for nothing */
    http_run(h);
    ck_assert_uint_eq(s.logins, 2);
    ck_assert_ptr_ne(couch_headers(c), old);
    ck_assert_int_eq(couch_db_info(c, "mine", NULL, &err), 1);
    /* a request that took the old headers still goes out with them */
    char *url = couch_url_db(c, "mine", NULL);
    struct http_request late = {.method = HTTP_GET, .url = url, .headers = old};
    struct http_reply answered;
    http_call(h, &late, &answered);
    ck_assert_str_eq(s.last_cookie, "AuthSession=c1");
    buf_free(&answered.body);
    free(url);
    /* a fresh cookie in a reply is taken too */
    struct http_reply reply = {.set_cookie = "AuthSession=fresh; Max-Age=600"};
    const struct http_headers *second = couch_headers(c);
    couch_saw(c, &reply);
    ck_assert_ptr_ne(couch_headers(c), second);
    couch_close(c);
    ck_assert_str_eq(s.last_path, "/_session"); /* ended there too */
    http_free(h);
    stub_stop(s.stub);
}
END_TEST

/* ---- URLs ------------------------------------------------------------------------------------ */

#define SAME(text, want)                      \
    do {                                      \
        char *made_ = (text);                 \
        ck_assert_str_eq(made_ + base, want); \
        free(made_);                          \
    } while (0)

START_TEST(urls)
{
    struct server s = {ROWS(couchdb)};
    struct err err = ERR_INIT;
    struct http *h = engine();
    server_start(&s);
    struct couch *c = open_with(&s, h, NULL, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    size_t base = strlen(couch_url(c));
    SAME(couch_url_server(c, "/_up"), "/_up");
    SAME(couch_url_db(c, "a/b+c", NULL), "/a%2Fb%2Bc");
    SAME(couch_url_db(c, "d", "_all_docs?limit=1"), "/d/_all_docs?limit=1");
    SAME(couch_url_doc(c, "d", "x y\"/\xc3\xa9?", NULL), "/d/x%20y%22%2F%C3%A9%3F");
    SAME(couch_url_doc(c, "d", "_design/a/b", "rev=1-x"), "/d/_design/a%2Fb?rev=1-x");
    SAME(couch_url_doc(c, "d", "_local/t", NULL), "/d/_local/t");
    SAME(couch_url_attachment(c, "d", "i", "f/1.bin", "rev=1"), "/d/i/f%2F1.bin?rev=1");
    SAME(couch_url_view(c, "d", "dd", "v w", "limit=1"), "/d/_design/dd/_view/v%20w?limit=1");
    SAME(couch_url_view(c, "d", "_design/dd", "v", NULL), "/d/_design/dd/_view/v");
    SAME(couch_url_ddoc(c, "d", "dd", NULL), "/d/_design/dd");
    SAME(couch_url_search(c, "d", CAP_NOUVEAU, "dd", "i"), "/d/_design/dd/_nouveau/i");
    SAME(couch_url_search(c, "d", CAP_CLOUSEAU, "dd", "i"), "/d/_design/dd/_search/i");
    couch_close(c);
    http_free(h);
    stub_stop(s.stub);
}
END_TEST

/* ---- messages -------------------------------------------------------------------------------- */

START_TEST(explaining)
{
    static const struct {
        struct http_reply reply;
        const char *body;
        enum err_kind kind;
        const char *says;
    } rows[] = {
        {{.status = 413},
         "{\"error\":\"too_large\",\"reason\":\"the request entity is too large\"}",
         ERR_STEP,
         "413 too_large: the request entity is too large (larger than the server"},
        {{.status = 413, .content_type = "text/html"},
         "<html>\r\n<head><title>413 Request Entity Too Large</title></head>",
         ERR_STEP,
         "413: an HTML page: \"413 Request Entity Too Large\""},
        {{.status = 500, .content_type = "text/html"},
         "<p>a<b>b</b> \033[2J</p>",
         ERR_STEP,
         "an HTML page: \"a b \\x1b[2J \""},
        {{.status = 500}, "{\"error\":\"enospc\",\"reason\":\"x\"}", ERR_STEP, "disk is full"},
        {{.status = 500}, "{\"error\":true,\"message\":\"boom\"}", ERR_STEP, "500: boom"},
        {{.status = 500}, "plain\ntext\x01", ERR_STEP, "no JSON: \"plain text\\x01\""},
        {{.status = 500}, "", ERR_STEP, "500: an empty answer"},
        {{.status = 401},
         "{\"error\":\"unauthorized\",\"reason\":\"no\"}",
         ERR_AUTH,
         "no credentials were given"},
        {{.status = 403}, "", ERR_AUTH, "403"},
        {{.status = 429}, "", ERR_STEP, "limits how often"},
        {{.status = 301, .location = "/x/"}, "", ERR_STEP, "redirects to /x/"},
        {{.outcome = HTTP_UNSENT, .error = "refused"}, "", ERR_UNREACHABLE, "not sent: refused"},
        {{.outcome = HTTP_TIMEOUT, .error = "no answer"}, "", ERR_STEP, "no answer"},
        {{.outcome = HTTP_BROKEN, .error = "reset"}, "", ERR_STEP, "reset"},
    };
    struct server s = {ROWS(couchdb)};
    struct err err = ERR_INIT;
    struct http *h = engine();
    server_start(&s);
    struct couch *c = open_with(&s, h, NULL, &err);
    ck_assert_msg(c != NULL, "%s", err.text);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct http_reply r = rows[i].reply;
        buf_init(&r.body, 10000);
        buf_adds(&r.body, rows[i].body);
        ck_assert_int_eq(couch_explain(c, HTTP_POST, "http://h/d/_bulk_docs", &r, &err), -1);
        ck_assert_msg(text_starts(err.text, "POST http://h/d/_bulk_docs: "), "%s", err.text);
        ck_assert_msg(err.kind == rows[i].kind, "row %zu: %s", i, err.text);
        ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "row %zu: %s", i, err.text);
        ck_assert_ptr_null(strpbrk(err.text, "\033\n\r\x01"));
        buf_free(&r.body);
    }
    couch_close(c);
    http_free(h);
    stub_stop(s.stub);
}
END_TEST

TEST_MAIN("couch", what_answers, nobody_there, credentials, sessions, urls, explaining)
