#include "couch/couch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "couch/couch_private.h"

/* ---- blocking calls -------------------------------------------------------------------------- */

void couch_answer_free(struct couch_answer *a)
{
    cJSON_Delete(a->json);
    buf_free(&a->body);
    a->json = NULL;
}

static void perform(struct couch *c, enum http_method method, const char *url, const char *body,
                    size_t body_len, uint64_t timeout_ns, struct http_reply *reply)
{
    struct http_request request = {.method = method,
                                   .url = url,
                                   .headers = couch_headers(c),
                                   .body = body,
                                   .body_len = body_len,
                                   .timeout_ns = timeout_ns};
    http_call(c->http, &request, reply);
    if (reply->outcome == HTTP_BROKEN && reply->status == 0 && reply->connections == 0) {
        /* A kept connection that the server had closed in the meantime (stock express-pouchdb does
         * after 5 s): the request met nobody. Once more, on a new one. */
        buf_free(&reply->body);
        http_call(c->http, &request, reply);
    }
    session_saw(c->session, reply);
}

static void fill_answer(struct couch_answer *a, struct http_reply *reply)
{
    *a = (struct couch_answer){.outcome = reply->outcome,
                               .status = reply->status,
                               .body = reply->body,
                               .ns = reply->end_ns - reply->start_ns,
                               .retry_after_s = reply->retry_after_s};
    memcpy(a->etag, reply->etag, sizeof a->etag);
    if (a->outcome == HTTP_ANSWERED && a->body.len > 0) {
        a->json = json_parse(a->body.data, a->body.len, NULL);
    }
}

int couch_call(struct couch *c, enum http_method method, const char *url, const char *body,
               size_t body_len, const int *also, uint64_t timeout_ns, struct couch_answer *answer,
               struct err *err)
{
    struct http_reply reply;
    perform(c, method, url, body, body_len, timeout_ns, &reply);
    bool good = reply.outcome == HTTP_ANSWERED && reply.status >= 200 && reply.status <= 299;
    for (; !good && reply.outcome == HTTP_ANSWERED && also != NULL && *also != 0; also++) {
        good = reply.status == *also;
    }
    if (!good) {
        couch_explain(c, method, url, &reply, err);
    }
    fill_answer(answer, &reply);
    return good ? 0 : -1;
}

int couch_ask(struct couch *c, enum http_method method, const char *url, const char *body,
              size_t body_len, uint64_t timeout_ns, struct couch_answer *answer, char *why,
              size_t why_size)
{
    struct http_reply reply;
    perform(c, method, url, body, body_len, timeout_ns, &reply);
    struct err err = ERR_INIT;
    if (reply.outcome != HTTP_ANSWERED || reply.status < 200 || reply.status > 299) {
        couch_explain(c, method, url, &reply, &err);
    }
    text_visible(why, why_size, err.text);
    fill_answer(answer, &reply);
    return answer->outcome == HTTP_ANSWERED ? 0 : -1;
}

cJSON *couch_get_json(struct couch *c, const char *url, char *why, size_t why_size)
{
    struct couch_answer a;
    cJSON *json = NULL;
    if (couch_ask(c, HTTP_GET, url, NULL, 0, COUCH_CALL_NS, &a, why, why_size) == 0 &&
        a.status == 200) {
        json = a.json;
        a.json = NULL;
        if (json == NULL) {
            text_visible(why, why_size, "the answer is not JSON");
        }
    }
    couch_answer_free(&a);
    return json;
}

char *couch_visible(char *out, size_t size, const cJSON *object, const char *name)
{
    return text_visible(out, size, json_str(object, name, ""));
}

/* ---- what answers there ---------------------------------------------------------------------- */

static int refused(const struct couch *c, const struct http_reply *reply, struct err *err)
{
    char reason[200];
    cJSON *json = reply->body.len > 0 ? json_parse(reply->body.data, reply->body.len, NULL) : NULL;
    couch_visible(reason, sizeof reason, json, "reason");
    cJSON_Delete(json);
    const char *colon = *reason != '\0' ? ": " : "";
    switch (c->auth.kind) {
    case AUTH_NONE:
        return err_set(err, ERR_AUTH,
                       "%s asks who we are (%d%s%s): give --user with --password-file, "
                       "TUNECOUCH_USER and TUNECOUCH_PASSWORD, or an entry in netrc",
                       c->url, reply->status, colon, reason);
    case AUTH_BEARER:
        return err_set(err, ERR_AUTH, "%s refused the token (%d%s%s)", c->url, reply->status, colon,
                       reason);
    default:
        return err_set(err, ERR_AUTH, "%s refused user \"%s\" or the password (%d%s%s)", c->url,
                       c->auth.user, reply->status, colon, reason);
    }
}

/* `root` is NULL if the answer was not JSON. */
static int not_couch(const struct couch *c, const struct http_reply *reply, const cJSON *root,
                     struct err *err)
{
    char text[200];
    if (reply->status >= 300 && reply->status <= 399 && reply->location[0] != '\0') {
        text_visible(text, sizeof text, reply->location);
        return err_set(err, ERR_UNREACHABLE, "%s redirects to %s: give the server's own URL",
                       c->url, text);
    }
    if (json_get(root, "db_name") != NULL) {
        return err_set(err, ERR_UNREACHABLE,
                       "%s is the URL of a database: give the server's, and name the database "
                       "with --database",
                       c->url);
    }
    if (reply->status != 200) {
        struct err why = ERR_INIT;
        couch_explain(c, HTTP_GET, c->url, reply, &why);
        return err_set(err, ERR_UNREACHABLE, "no CouchDB there: %s", why.text);
    }
    text_visible(text, sizeof text, reply->content_type);
    if (root != NULL) {
        return err_set(err, ERR_UNREACHABLE,
                       "%s answers JSON, but not as a CouchDB does (no \"couchdb\": \"Welcome\")",
                       c->url);
    }
    return err_set(err, ERR_UNREACHABLE, "%s is no CouchDB: it answers %s where JSON is expected",
                   c->url, *text != '\0' ? text : "something of no stated type");
}

/* The answer of GET / as a tree, or NULL. `reply` tells the Server header. */
static cJSON *ask_root(struct couch *c, const char *url, struct http_reply *reply, struct err *err)
{
    char *slash = mem_printf("%s/", url);
    perform(c, HTTP_GET, slash, NULL, 0, COUCH_CALL_NS, reply);
    free(slash);
    cJSON *root = NULL;
    if (reply->outcome == HTTP_CANCELLED) {
        err_set(err, ERR_INTERRUPTED, "interrupted");
    } else if (reply->outcome != HTTP_ANSWERED) {
        err_set(err, ERR_UNREACHABLE,
                "cannot reach %s: %s: is the server running? is the port right?", url,
                reply->error);
    } else if (reply->status == 401 || reply->status == 403) {
        refused(c, reply, err);
    } else {
        root = reply->body.len > 0 ? json_parse(reply->body.data, reply->body.len, NULL) : NULL;
        if (reply->status != 200 || !(text_starts(json_str(root, "couchdb", ""), "Welcome") ||
                                      json_get(root, "express-pouchdb") != NULL ||
                                      json_get(root, "pouchdb-server") != NULL)) {
            not_couch(c, reply, root, err);
            cJSON_Delete(root);
            root = NULL;
        }
    }
    buf_free(&reply->body);
    return root;
}

/* The version without the name some put before it ("Couchbase Sync Gateway/3.1.0(2a98) CE"). */
static char *version_of(const cJSON *root)
{
    char text[100];
    couch_visible(text, sizeof text, root, "version");
    const char *slash = strchr(text, '/');
    const char *from = slash != NULL ? slash + 1 : text;
    if (*from == '\0') {
        couch_visible(text, sizeof text, json_get(root, "vendor"), "version");
        from = text;
    }
    return mem_strdup(*from != '\0' ? from : "unknown");
}

static char *vendor_of(const struct dialect *d, const cJSON *root)
{
    char text[100];
    const cJSON *v = json_get(root, "vendor");
    text_visible(text, sizeof text,
                 cJSON_IsString(v) ? v->valuestring : json_str(v, "name", d->vendor));
    /* CouchDB says who publishes it; a report needs the product ("IBM Cloudant" is one) */
    bool foundation = strstr(text, "Apache Software Foundation") != NULL;
    return mem_strdup(*text == '\0' || foundation ? d->vendor : text);
}

/* Who the server thinks we are. The first request with a password costs CouchDB 0.2 s and more
 * (PBKDF2), later ones find it cached: so this is also the warm-up. A server that does not answer
 * _session tells nothing here. */
static int check_login(struct couch *c, struct err *err)
{
    char why[200];
    struct couch_answer a;
    char *url = couch_url_server(c, c->dialect->can[CAP_SESSION] != CAP_NO ? "/_session"
                                    : c->sync_admin                        ? "/_all_dbs"
                                                                           : "/");
    int rc = 0;
    if (couch_ask(c, HTTP_GET, url, NULL, 0, COUCH_CALL_NS, &a, why, sizeof why) < 0) {
        rc = err_set(err, a.outcome == HTTP_CANCELLED ? ERR_INTERRUPTED : ERR_UNREACHABLE, "%s",
                     why);
    } else if (a.status == 401 || a.status == 403) {
        struct http_reply reply = {.status = a.status, .body = a.body};
        rc = refused(c, &reply, err);
    } else if (a.status == 200 && json_get(a.json, "userCtx") != NULL) {
        const cJSON *user = json_get(a.json, "userCtx"), *role;
        bool named = cJSON_IsString(json_get(user, "name"));
        c->admin_known = true;
        cJSON_ArrayForEach(role, json_get(user, "roles"))
        {
            c->admin =
                c->admin || (cJSON_IsString(role) && strcmp(role->valuestring, "_admin") == 0);
        }
        if (c->auth.kind != AUTH_NONE && !named && !c->admin) {
            rc =
                err_set(err, ERR_AUTH,
                        "%s took no notice of the %s we sent: it does not know us (for a token: is "
                        "jwt_authentication_handler enabled there?)",
                        c->url, c->auth.kind == AUTH_BEARER ? "token" : "name and password");
        }
    }
    couch_answer_free(&a);
    free(url);
    return rc;
}

static int check_admin_url(struct couch *c, const char *admin_url, struct err *err)
{
    char scratch[64];
    struct http_reply reply;
    if (!c->dialect->views_on_admin_port) {
        return 0; /* an admin URL means nothing to other servers */
    }
    if (admin_url == NULL) {
        c->admin_url = c->sync_admin ? mem_strdup(c->url) : NULL;
        return 0;
    }
    if (http_pin(c->http, admin_url, scratch, sizeof scratch, err) < 0) {
        return -1;
    }
    c->admin_url = mem_strdup(admin_url);
    cJSON *root = ask_root(c, admin_url, &reply, err);
    if (root == NULL) {
        return err_prefix(err, "admin port");
    }
    int rc = json_bool(root, "ADMIN", false)
                 ? 0
                 : err_set(err, ERR_USAGE, "%s is not a Sync Gateway's admin port", admin_url);
    cJSON_Delete(root);
    return rc;
}

/* As far as is the same for all: the address pinned, logged in. */
static struct couch *begin(struct http *http, const struct couch_config *config, struct err *err)
{
    struct couch *c = mem_zero(1, sizeof *c);
    size_t n = strlen(config->url);
    while (n > 0 && config->url[n - 1] == '/') {
        n--;
    }
    c->http = http;
    c->url = mem_strndup(config->url, n);
    c->dialect = dialect_named("couchdb"); /* until it has answered */
    if (config->auth != NULL) {
        c->auth = (struct auth){config->auth->kind, mem_strdup(config->auth->user),
                                mem_strdup(config->auth->secret)};
    }
    c->session = session_new(http, c->url, &c->auth);
    if (http_pin(http, c->url, c->address, sizeof c->address, err) < 0 ||
        session_login(c->session, err) < 0) {
        couch_close(c);
        return NULL;
    }
    return c;
}

/* What it says of itself at its root. */
static int introduce(struct couch *c, char *server_header, size_t size, enum http_outcome *outcome,
                     struct err *err)
{
    struct http_reply reply;
    c->root = ask_root(c, c->url, &reply, err);
    snprintf(server_header, size, "%s", reply.server);
    *outcome = reply.outcome;
    if (c->root == NULL) {
        return -1;
    }
    c->dialect = dialect_of(c->root, server_header);
    c->vendor = vendor_of(c->dialect, c->root);
    c->version = version_of(c->root);
    return 0;
}

struct couch *couch_open(struct http *http, const struct couch_config *config, struct err *err)
{
    char header[100];
    enum http_outcome outcome;
    struct couch *c = begin(http, config, err);
    if (c == NULL) {
        return NULL;
    }
    if (introduce(c, header, sizeof header, &outcome, err) == 0) {
        c->sync_admin = c->dialect->views_on_admin_port && json_bool(c->root, "ADMIN", false);
        if (check_login(c, err) == 0 && check_admin_url(c, config->admin_url, err) == 0) {
            return c;
        }
    }
    couch_close(c);
    return NULL;
}

struct couch *couch_open_any(struct http *http, const struct couch_config *config, struct err *err)
{
    char header[100], name[100];
    enum http_outcome outcome;
    struct err why = ERR_INIT;
    struct couch *c = begin(http, config, err);
    if (c == NULL || introduce(c, header, sizeof header, &outcome, &why) == 0) {
        return c;
    }
    if (outcome != HTTP_ANSWERED) {
        err_set(err, why.kind, "%s", why.text);
        couch_close(c);
        return NULL;
    }
    c->dialect = dialect_named("http");
    char *slash = strchr(text_visible(name, sizeof name, header), '/'); /* "nginx/1.22.1" */
    if (slash != NULL) {
        *slash = '\0';
    }
    c->vendor = mem_strdup(name[0] != '\0' ? name : c->dialect->vendor);
    c->version = mem_strdup(slash != NULL ? slash + 1 : "");
    return c;
}

void couch_close(struct couch *c)
{
    if (c == NULL) {
        return;
    }
    session_close(c->session);
    auth_free(&c->auth);
    cJSON_Delete(c->root);
    free(c->url);
    free(c->admin_url);
    free(c->vendor);
    free(c->version);
    free(c);
}

/* ---- what is known --------------------------------------------------------------------------- */

struct http *couch_http(const struct couch *c)
{
    return c->http;
}

const char *couch_url(const struct couch *c)
{
    return c->url;
}

const char *couch_admin_url(const struct couch *c)
{
    return c->admin_url;
}

const char *couch_address(const struct couch *c)
{
    return c->address;
}

const struct dialect *couch_dialect(const struct couch *c)
{
    return c->dialect;
}

const char *couch_vendor(const struct couch *c)
{
    return c->vendor;
}

const char *couch_version(const struct couch *c)
{
    return c->version;
}

const cJSON *couch_root(const struct couch *c)
{
    return c->root;
}

const struct http_headers *couch_headers(const struct couch *c)
{
    return session_headers(c->session, "application/json", "application/json");
}

const struct http_headers *couch_headers_type(struct couch *c, const char *content_type)
{
    return session_headers(c->session, content_type, "application/json");
}

const struct http_headers *couch_headers_bulk_get(struct couch *c)
{
    return session_headers(c->session, "application/json",
                           c->dialect->bulk_get_multipart ? "multipart/mixed" : "application/json");
}

void couch_saw(struct couch *c, const struct http_reply *reply)
{
    session_saw(c->session, reply);
}
