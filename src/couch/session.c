#include "couch/session.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/json.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"

#define SECOND UINT64_C(1000000000)
#define LIFE_S 600             /* CouchDB's default [chttpd_auth] timeout */
#define RETRY_NS (10 * SECOND) /* after a renewal that failed */

struct headers {
    char *type, *accept;
    struct http_headers *list;
};

struct session {
    struct http *http;
    const struct auth *auth;
    char *url;                  /* …/_session */
    struct http_headers *plain; /* for the login itself: no authorization */

    char *cookie;      /* "AuthSession=…"; NULL: none yet */
    uint64_t renew_ns; /* of uv_hrtime */
    bool renewing;
    char *body; /* of the login under way; wiped */
    size_t body_len;

    struct headers *current; /* one for each content type asked for */
    size_t count, cap;
    struct http_headers **retired; /* of earlier cookies */
    size_t retired_count, retired_cap;
};

struct session *session_new(struct http *http, const char *url, const struct auth *auth)
{
    struct session *s = mem_zero(1, sizeof *s);
    s->http = http;
    s->auth = auth;
    s->url = mem_printf("%s/_session", url);
    s->plain = http_headers_new();
    http_headers_add(s->plain, "Content-Type: application/json");
    http_headers_add(s->plain, "Accept: application/json");
    return s;
}

static void wipe(char **p, size_t len)
{
    if (*p != NULL) {
        explicit_bzero(*p, len);
        free(*p);
        *p = NULL;
    }
}

/* ---- cookies --------------------------------------------------------------------------------- */

static bool take_cookie(struct session *s, const char *line)
{
    static const char name[] = "AuthSession=";
    if (!text_starts(line, name)) {
        return false;
    }
    size_t len = strcspn(line, ";\n"), end = strcspn(line, "\n");
    if (len <= sizeof name - 1) {
        return false; /* an empty value ends a session */
    }
    double life = LIFE_S;
    for (const char *p = line + len; p < line + end; p++) {
        if (strncasecmp(p, "max-age=", 8) == 0) {
            double v = strtod(p + 8, NULL);
            life = v >= 1 && v < 1e9 ? v : life;
        }
    }
    s->renew_ns = uv_hrtime() + (uint64_t)(life * 1e9) / 2;
    if (s->cookie != NULL && strlen(s->cookie) == len && memcmp(s->cookie, line, len) == 0) {
        return true;
    }
    wipe(&s->cookie, s->cookie != NULL ? strlen(s->cookie) : 0);
    s->cookie = mem_strndup(line, len);
    for (size_t i = 0; i < s->count; i++) {
        s->retired = mem_grow(s->retired, s->retired_count, &s->retired_cap, sizeof *s->retired);
        s->retired[s->retired_count++] = s->current[i].list;
        free(s->current[i].type);
        free(s->current[i].accept);
    }
    s->count = 0;
    return true;
}

void session_saw(struct session *s, const struct http_reply *reply)
{
    if (s->auth->kind != AUTH_COOKIE) {
        return;
    }
    const char *line = reply->set_cookie;
    while (*line != '\0') {
        if (take_cookie(s, line)) {
            return;
        }
        line += strcspn(line, "\n");
        line += *line == '\n';
    }
}

static struct http_request login_request(struct session *s)
{
    struct buf body = BUF_INIT(BUF_TEXT_MAX);
    buf_reserve(&body,
                (strlen(s->auth->user) + strlen(s->auth->secret)) * 6 + 64); /* never moves */
    buf_adds(&body, "{\"name\":");
    json_quote(&body, s->auth->user, strlen(s->auth->user));
    buf_adds(&body, ",\"password\":");
    json_quote(&body, s->auth->secret, strlen(s->auth->secret));
    buf_addc(&body, '}');
    wipe(&s->body, s->body_len);
    s->body = buf_take(&body, &s->body_len);
    return (struct http_request){.method = HTTP_POST,
                                 .url = s->url,
                                 .headers = s->plain,
                                 .body = s->body,
                                 .body_len = s->body_len,
                                 .timeout_ns = 30 * SECOND};
}

int session_login(struct session *s, struct err *err)
{
    if (s->auth->kind != AUTH_COOKIE) {
        return 0;
    }
    struct http_request request = login_request(s);
    struct http_reply reply;
    http_call(s->http, &request, &reply);
    wipe(&s->body, s->body_len);
    session_saw(s, &reply);
    int rc = 0;
    if (reply.outcome == HTTP_CANCELLED) {
        rc = err_set(err, ERR_INTERRUPTED, "interrupted");
    } else if (reply.outcome != HTTP_ANSWERED) {
        rc = err_set(err, ERR_UNREACHABLE, "cannot reach %s: %s: is the server running?", s->url,
                     reply.error);
    } else if (reply.status == 401 || reply.status == 403) {
        rc = err_set(err, ERR_AUTH, "%s: user \"%s\" or the password was refused", s->url,
                     s->auth->user);
    } else if (reply.status != 200 || s->cookie == NULL) {
        rc = err_set(err, ERR_AUTH,
                     "%s: no cookie session was given (status %d): this server may have none; try "
                     "Basic authentication",
                     s->url, reply.status);
    }
    buf_free(&reply.body);
    return rc;
}

static void renewed(void *arg, struct http_reply *reply)
{
    struct session *s = arg;
    s->renewing = false;
    wipe(&s->body, s->body_len);
    session_saw(s, reply);
    if (reply->outcome != HTTP_ANSWERED || reply->status != 200) {
        s->renew_ns = uv_hrtime() + RETRY_NS;
        log_debug("the cookie session was not renewed: status %d %s", reply->status, reply->error);
    }
}

/* ---- headers --------------------------------------------------------------------------------- */

const struct http_headers *session_headers(struct session *s, const char *content_type,
                                           const char *accept)
{
    if (s->cookie != NULL && !s->renewing && uv_hrtime() >= s->renew_ns) {
        struct http_request request = login_request(s);
        request.done = renewed;
        request.arg = s;
        s->renewing = true;
        http_submit(s->http, &request);
    }
    for (size_t i = 0; i < s->count; i++) {
        if (strcmp(s->current[i].type, content_type) == 0 &&
            strcmp(s->current[i].accept, accept) == 0) {
            return s->current[i].list;
        }
    }
    struct http_headers *list = http_headers_new();
    char *line = mem_printf("Content-Type: %s", content_type);
    http_headers_add(list, line);
    free(line);
    line = mem_printf("Accept: %s", accept);
    http_headers_add(list, line);
    free(line);
    auth_header(s->auth, list);
    if (s->cookie != NULL) {
        line = mem_printf("Cookie: %s", s->cookie);
        http_headers_add(list, line);
        wipe(&line, strlen(line));
    }
    s->current = mem_grow(s->current, s->count, &s->cap, sizeof *s->current);
    s->current[s->count++] = (struct headers){mem_strdup(content_type), mem_strdup(accept), list};
    return list;
}

void session_close(struct session *s)
{
    if (s == NULL) {
        return;
    }
    if (s->renewing) {
        http_run(s->http); /* its `done` points here */
    }
    if (s->cookie != NULL && !http_stopped(s->http)) {
        s->renew_ns = UINT64_MAX;
        struct http_request request = {
            .method = HTTP_DELETE,
            .url = s->url,
            .headers = session_headers(s, "application/json", "application/json"),
            .timeout_ns = 5 * SECOND};
        struct http_reply reply;
        http_call(s->http, &request, &reply);
        buf_free(&reply.body);
    }
    for (size_t i = 0; i < s->count; i++) {
        free(s->current[i].type);
        free(s->current[i].accept);
        http_headers_free(s->current[i].list);
    }
    for (size_t i = 0; i < s->retired_count; i++) {
        http_headers_free(s->retired[i]);
    }
    free(s->current);
    free(s->retired);
    http_headers_free(s->plain);
    wipe(&s->cookie, s->cookie != NULL ? strlen(s->cookie) : 0);
    wipe(&s->body, s->body_len);
    free(s->url);
    free(s);
}
