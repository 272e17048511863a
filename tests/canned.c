#include "tests/canned.h"

#include <stdio.h>
#include <string.h>

const struct canned couchdb[COUCHDB_ROWS] = {
    {"GET", "/", 200, COUCH_ROOT, "Server: CouchDB/3.5.0 (Erlang OTP/25)\r\n", NULL},
    {"GET", "/_session", 200, ADMIN_CTX, NULL, NULL},
    {"DELETE", "/_session", 200, JSON_OK, NULL, NULL},
    {"POST", "/_search_analyze", 503,
     "{\"error\":\"service unavailable\",\"reason\":\"Search is not available\"}", NULL, NULL},
    {"POST", "/_nouveau_analyze", 404, "{\"error\":\"not_found\",\"reason\":\"missing\"}", NULL,
     NULL},
    {"GET", "/_active_tasks", 200,
     "[{\"type\":\"indexer\",\"database\":\"shards/00000000-7fffffff/"
     "mine.1700000000\",\"progress\":45},"
     "{\"type\":\"database_compaction\",\"database\":\"shards/80000000-ffffffff/mine2.1700000000\","
     "\"progress\":3},{\"type\":\"x\\u0007\",\"database\":\"mine\"}]",
     NULL, NULL},
    {"GET", "/_node/_local/_system", 200, "{\"uptime\":5}", NULL, NULL},
    {"GET", "/_node/_local/_stats", 200, "{\"couchdb\":{}}", NULL, NULL},
    {"GET", "/_node/_local/_versions", 200, "{}", NULL, NULL},
    {"GET", "/_node/_local/_config/log/level", 200, "\"info\"", NULL, NULL},
    {"GET", "/mine", 200, "{\"db_name\":\"mine\",\"doc_count\":3}", NULL, NULL},
    {"PUT", "/mine*", 201, JSON_OK, NULL, NULL},
    {"PUT", "/there", 412, "{\"error\":\"file_exists\",\"reason\":\"x\"}", NULL, NULL},
    {"PUT", "/forbidden", 401, "{\"error\":\"unauthorized\",\"reason\":\"no\"}", NULL, NULL},
    {"DELETE", "/mine", 200, JSON_OK, NULL, NULL},
};

static bool fits(const char *pattern, const char *path)
{
    size_t n = strlen(pattern);
    return n > 0 && pattern[n - 1] == '*' ? strncmp(pattern, path, n - 1) == 0
                                          : strcmp(pattern, path) == 0;
}

static void say(struct stub_answer *answer, int status, const char *body)
{
    answer->status = status;
    buf_init(&answer->body, BUF_TEXT_MAX);
    buf_adds(&answer->body, body);
}

static void serve(void *arg, const struct stub_request *r, struct stub_answer *answer)
{
    static char header[200]; /* read by the stub after this returns; one thread only */
    struct server *s = arg;
    char given[300], cookie[100];
    bool session = strcmp(r->path, "/_session") == 0;
    stub_header(r, "Authorization", given, sizeof given);
    stub_header(r, "Cookie", cookie, sizeof cookie);
    snprintf(s->last_cookie, sizeof s->last_cookie, "%s", cookie);
    snprintf(s->last_path, sizeof s->last_path, "%s", r->path);
    if (strcmp(r->method, "GET") != 0 && !session && strstr(r->path, "_analyze") == NULL) {
        s->writes++;
        snprintf(s->last_body, sizeof s->last_body, "%.*s", (int)r->body_len,
                 r->body != NULL ? r->body : "");
    }
    if (session && strcmp(r->method, "POST") == 0) {
        s->logins++;
        bool good = r->body_len > 0 && strstr(r->body, SECRET) != NULL;
        snprintf(header, sizeof header,
                 "Set-Cookie: Other=1\r\nSet-Cookie: AuthSession=c%u; "
                 "Version=1; %s=%u; Path=/; HttpOnly\r\n",
                 s->logins, s->life_s > 0 ? "Max-Age" : "Nothing", s->life_s);
        answer->headers = good ? header : NULL;
        say(answer, good ? 200 : 401,
            good ? JSON_OK
                 : "{\"error\":\"unauthorized\",\"reason\":\"Name or password is "
                   "incorrect.\"}");
        return;
    }
    snprintf(header, sizeof header, "AuthSession=c%u", s->logins);
    if (s->authorization != NULL && strcmp(given, s->authorization) != 0 &&
        !(s->logins > 0 && strcmp(cookie, header) == 0)) {
        say(answer, 401, "{\"error\":\"unauthorized\",\"reason\":\"You are not authorized.\"}");
        return;
    }
    if (strstr(r->path, "/_local/tunecouch") != NULL && s->marker[0] != '\0' &&
        strcmp(r->method, "GET") == 0) {
        say(answer, 200, s->marker);
        return;
    }
    for (size_t i = 0; i < s->count; i++) {
        const struct canned *row = &s->rows[i];
        if (strcmp(row->method, r->method) == 0 && fits(row->path, r->path)) {
            answer->headers = row->headers;
            answer->type = row->type;
            say(answer, row->status, row->body);
            return;
        }
    }
    s->unexpected++;
    say(answer, 404, "{\"error\":\"not_found\",\"reason\":\"missing\"}");
}

struct http *engine(void)
{
    struct err err = ERR_INIT;
    struct http *h = http_new(&(struct http_config){.concurrency = 1}, &err);
    ck_assert_msg(h != NULL, "%s", err.text);
    return h;
}

void server_start(struct server *s)
{
    struct err err = ERR_INIT;
    s->stub = stub_start(&(struct stub_config){.handler = serve, .arg = s}, &err);
    ck_assert_msg(s->stub != NULL, "%s", err.text);
}

struct couch *open_with(struct server *s, struct http *h, const struct auth *auth, struct err *err)
{
    return couch_open(h, &(struct couch_config){stub_url(s->stub), NULL, auth}, err);
}
