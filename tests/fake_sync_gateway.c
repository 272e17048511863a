#include "tests/fake_sync_gateway.h"

#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/mem.h"
#include "base/text.h"
#include "net/stub.h"
#include "tests/fake_sync_store.h"

#define SERVER "Server: Couchbase Sync Gateway/3.1.0 CE\r\n"
#define DATABASES 8

struct fake_sync {
    pthread_mutex_t lock; /* the two ports are two threads over one store */
    struct stub *public_port, *admin_port;
    struct store *stores[DATABASES];
    char *authorization; /* expected on the public port; NULL: none */
    bool memory_store;
    unsigned busy_each, busy_count;
};

struct port {
    struct fake_sync *f;
    bool admin;
    char headers[400]; /* read by the stub after the handler has returned */
};

/* One request taken apart. */
struct ask {
    struct fake_sync *f;
    struct port *port;
    bool admin;
    const struct stub_request *request;
    char *parts[6]; /* decoded path segments */
    size_t count;
    bool slash; /* the path ends in one */
    const char *query;
    struct stub_answer *answer;
};

/* ---- answers --------------------------------------------------------------------------------- */

static void answer(struct ask *a, int status, const char *text)
{
    a->answer->status = status;
    buf_init(&a->answer->body, BUF_TEXT_MAX);
    buf_adds(&a->answer->body, text);
}

static void fail(struct ask *a, int status, const char *error, const char *reason)
{
    char text[300];
    snprintf(text, sizeof text, "{\"error\":\"%s\",\"reason\":\"%s\"}", error, reason);
    answer(a, status, text);
}

static void unknown_url(struct ask *a)
{
    fail(a, 404, "not_found", "unknown URL");
}

static const char *error_name(int status)
{
    return status == 409 ? "conflict" : status == 404 ? "not_found" : "Bad Request";
}

/* ---- requests -------------------------------------------------------------------------------- */

static char *decode(const char *s, size_t n)
{
    char *out = mem_alloc(n + 1);
    size_t k = 0;
    for (size_t i = 0; i < n; i++) {
        unsigned byte;
        if (s[i] == '%' && i + 2 < n && sscanf(s + i + 1, "%2x", &byte) == 1) {
            out[k++] = (char)byte;
            i += 2;
        } else {
            out[k++] = s[i] == '+' ? ' ' : s[i];
        }
    }
    out[k] = '\0';
    return out;
}

/* The value of a query parameter, decoded; NULL if absent. The caller frees. */
static char *parameter(const struct ask *a, const char *name)
{
    size_t n = strlen(name);
    for (const char *p = a->query; p != NULL && *p != '\0';) {
        size_t len = strcspn(p, "&");
        if (len > n && strncmp(p, name, n) == 0 && p[n] == '=') {
            return decode(p + n + 1, len - n - 1);
        }
        p += len;
        p += *p == '&';
    }
    return NULL;
}

static cJSON *json_parameter(const struct ask *a, const char *name)
{
    char *text = parameter(a, name);
    cJSON *json = text != NULL ? json_parse(text, strlen(text), NULL) : NULL;
    free(text);
    return json;
}

static long number_parameter(const struct ask *a, const char *name, long otherwise)
{
    char *text = parameter(a, name);
    long n = text != NULL ? strtol(text, NULL, 10) : otherwise;
    free(text);
    return n;
}

static bool flag_parameter(const struct ask *a, const char *name, bool otherwise)
{
    char *text = parameter(a, name);
    bool flag = text != NULL ? strcmp(text, "true") == 0 : otherwise;
    free(text);
    return flag;
}

static bool method_is(const struct ask *a, const char *name)
{
    return strcmp(a->request->method, name) == 0;
}

static struct store **store_of(struct fake_sync *f, const char *name)
{
    for (size_t i = 0; i < DATABASES; i++) {
        if (f->stores[i] != NULL && strcmp(f->stores[i]->name, name) == 0) {
            return &f->stores[i];
        }
    }
    return NULL;
}

/* ---- _bulk_docs ------------------------------------------------------------------------------ */

struct bulk {
    struct ask *a;
    struct store *s;
    struct buf rows;
    bool bad;
};

static int bulk_doc(void *arg, struct json_span doc)
{
    struct bulk *b = arg;
    struct fake_sync *f = b->a->f;
    const struct store_doc *stored;
    const char *reason = "";
    char *id = NULL;
    if (*doc.at != '{') {
        b->bad = true;
        return 1;
    }
    bool busy = f->busy_each > 0 && ++f->busy_count % f->busy_each == 0;
    int status = 503;
    if (busy) {
        struct json_span v;
        json_member(doc.at, doc.len, "_id", &v, NULL);
        id = v.at != NULL ? json_decode(v, NULL) : NULL;
        reason = "Database is busy";
    } else {
        status = store_put(b->s, NULL, NULL, doc, &stored, &reason, &id);
    }
    buf_adds(&b->rows, b->rows.len > 1 ? "," : "");
    if (status == 0) {
        buf_adds(&b->rows, "{\"id\":");
        json_quote(&b->rows, id, strlen(id));
        buf_addf(&b->rows, ",\"rev\":\"%s\"}", stored->rev);
    } else {
        buf_addf(&b->rows, "{\"error\":\"%s\",\"id\":",
                 busy            ? "Service Unavailable"
                 : status == 409 ? "conflict"
                                 : "bad_request");
        json_quote(&b->rows, id != NULL ? id : "", id != NULL ? strlen(id) : 0);
        buf_addf(&b->rows, ",\"reason\":\"%s\",\"status\":%d}", reason, status);
    }
    free(id);
    return 0;
}

static void bulk_docs(struct ask *a, struct store *s)
{
    const struct stub_request *r = a->request;
    struct bulk b = {a, s, BUF_INIT(BUF_TEXT_MAX), false};
    struct json_span docs;
    struct err err = ERR_INIT;
    if (json_validate(r->body, r->body_len, &err) < 0) {
        fail(a, 400, "Bad Request", "Bad JSON");
    } else if (!json_member(r->body, r->body_len, "docs", &docs, NULL) || *docs.at != '[') {
        fail(a, 400, "Bad Request", "missing 'docs' property");
    } else {
        buf_addc(&b.rows, '[');
        json_each(docs.at, docs.len, bulk_doc, &b, NULL);
        buf_addc(&b.rows, ']');
        if (b.bad) {
            fail(a, 400, "Bad Request", "Document body must be JSON");
        } else {
            answer(a, 201, b.rows.data);
        }
    }
    buf_free(&b.rows);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void add_doc(struct buf *out, const struct store_doc *d)
{
    bool empty = strcmp(d->body, "{}") == 0;
    buf_add(out, d->body, strlen(d->body) - 1);
    buf_adds(out, empty ? "\"_id\":" : ",\"_id\":");
    json_quote(out, d->id, strlen(d->id));
    buf_addf(out, ",\"_rev\":\"%s\"}", d->rev);
}

static void add_row(struct buf *out, const struct store_doc *d, bool docs)
{
    buf_adds(out, "{\"key\":");
    json_quote(out, d->id, strlen(d->id));
    buf_adds(out, ",\"id\":");
    json_quote(out, d->id, strlen(d->id));
    buf_addf(out, ",\"value\":{\"rev\":\"%s\"}", d->rev);
    if (docs) {
        buf_adds(out, ",\"doc\":");
        add_doc(out, d);
    }
    buf_addc(out, '}');
}

/* As 3.1.0: limit (0 means none), startkey and endkey; skip, key and descending are ignored. */
static void all_docs(struct ask *a, struct store *s)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    bool docs = flag_parameter(a, "include_docs", false);
    long limit = number_parameter(a, "limit", 0), n = 0;
    buf_adds(&out, "{\"rows\":[\n");
    if (method_is(a, "POST")) {
        cJSON *body = json_parse(a->request->body, a->request->body_len, NULL);
        const cJSON *key;
        cJSON_ArrayForEach(key, json_get(body, "keys"))
        {
            const struct store_doc *d = cJSON_IsString(key) ? store_get(s, key->valuestring) : NULL;
            buf_adds(&out, n++ > 0 ? "," : "");
            if (d != NULL && d->body != NULL) {
                add_row(&out, d, docs);
            } else {
                char *text = json_print(key, false);
                buf_addf(&out, "{\"key\":%s,\"error\":\"not_found\",\"status\":404}", text);
                free(text);
            }
            buf_addc(&out, '\n');
        }
        cJSON_Delete(body);
    } else {
        cJSON *start = json_parameter(a, "startkey"), *end = json_parameter(a, "endkey");
        size_t i = cJSON_IsString(start) ? store_first(s, start->valuestring) : 0;
        for (; i < s->count && (limit == 0 || n < limit); i++) {
            const struct store_doc *d = &s->docs[i];
            if (cJSON_IsString(end) && strcmp(d->id, end->valuestring) > 0) {
                break;
            }
            if (d->body != NULL && *d->id != '_') {
                buf_adds(&out, n++ > 0 ? "," : "");
                add_row(&out, d, docs);
                buf_addc(&out, '\n');
            }
        }
        cJSON_Delete(start);
        cJSON_Delete(end);
    }
    buf_addf(&out, "],\n\"total_rows\":%ld,\"update_seq\":%lu}", n, s->seq);
    a->answer->status = 200;
    a->answer->body = out;
}

/* multipart/mixed whatever is asked for, and 406 if that is not accepted. */
static void bulk_get(struct ask *a, struct store *s)
{
    char accept[200];
    stub_header(a->request, "Accept", accept, sizeof accept);
    cJSON *body = json_parse(a->request->body, a->request->body_len, NULL);
    const cJSON *each;
    if (!cJSON_IsArray(json_get(body, "docs"))) {
        fail(a, 400, "Bad Request", "missing 'docs' property");
    } else if (strstr(accept, "multipart/") == NULL && strstr(accept, "*/*") == NULL &&
               *accept != '\0') {
        fail(a, 406, "Not Acceptable", "Response is multipart");
    } else {
        struct buf out = BUF_INIT(BUF_TEXT_MAX);
        cJSON_ArrayForEach(each, json_get(body, "docs"))
        {
            const char *id = json_str(each, "id", "");
            const struct store_doc *d = store_get(s, id);
            bool there = d != NULL && d->body != NULL;
            buf_addf(&out, "--fakeboundary\r\nContent-Type: application/json%s\r\n\r\n",
                     there ? "" : "; error=\"true\"");
            if (there) {
                add_doc(&out, d);
            } else {
                buf_adds(&out, "{\"error\":\"not_found\",\"id\":");
                json_quote(&out, id, strlen(id));
                buf_adds(&out, ",\"reason\":\"missing\",\"status\":404}");
            }
            buf_adds(&out, "\r\n");
        }
        buf_adds(&out, "--fakeboundary--\r\n");
        a->answer->type = "multipart/mixed; boundary=\"fakeboundary\"";
        a->answer->status = 200;
        a->answer->body = out;
    }
    cJSON_Delete(body);
}

/* ---- single documents ------------------------------------------------------------------------ */

static void document(struct ask *a, struct store *s, const char *id)
{
    const struct store_doc *d = store_get(s, id);
    const char *reason = "";
    char *rev = parameter(a, "rev"), *used = NULL;
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    int status;
    if (method_is(a, "GET") || method_is(a, "HEAD")) {
        if (d == NULL || d->body == NULL) {
            fail(a, 404, "not_found", "missing");
        } else {
            add_doc(&out, d);
            answer(a, 200, out.data);
        }
    } else if (method_is(a, "PUT")) {
        struct json_span body = {a->request->body, a->request->body_len};
        if (body.len == 0 || json_validate(body.at, body.len, NULL) < 0 || *body.at != '{') {
            fail(a, 400, "Bad Request", "Bad JSON");
        } else if ((status = store_put(s, id, rev, body, &d, &reason, &used)) != 0) {
            fail(a, status, error_name(status), reason);
        } else {
            buf_adds(&out, "{\"id\":");
            json_quote(&out, id, strlen(id));
            buf_addf(&out, ",\"ok\":true,\"rev\":\"%s\"}", d->rev);
            answer(a, 201, out.data);
        }
    } else if (method_is(a, "DELETE")) {
        if ((status = store_delete(s, id, rev, &d, &reason)) != 0) {
            fail(a, status, error_name(status), reason);
        } else {
            buf_adds(&out, "{\"id\":");
            json_quote(&out, id, strlen(id));
            buf_addf(&out, ",\"ok\":true,\"rev\":\"%s\"}", d->rev);
            answer(a, 200, *id == '_' ? "" : out.data);
        }
    } else {
        fail(a, 405, "Method Not Allowed", "");
    }
    buf_free(&out);
    free(rev);
    free(used);
}

/* ---- design documents and views -------------------------------------------------------------- */

static void view(struct ask *a, struct store *s)
{
    struct view_query q = {json_parameter(a, "startkey"),
                           json_parameter(a, "endkey"),
                           flag_parameter(a, "reduce", true),
                           flag_parameter(a, "group", false),
                           flag_parameter(a, "inclusive_end", true),
                           number_parameter(a, "group_level", 0),
                           number_parameter(a, "limit", -1),
                           number_parameter(a, "skip", 0)};
    cJSON *key = json_parameter(a, "key");
    if (key != NULL) {
        cJSON_Delete(q.start);
        cJSON_Delete(q.end);
        q.start = key;
        q.end = mem_checked(cJSON_Duplicate(key, true));
    }
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    if (!method_is(a, "GET")) {
        fail(a, 405, "Method Not Allowed", "");
    } else if (!a->admin) {
        fail(a, 403, "Forbidden", "forbidden");
    } else if (a->f->memory_store && q.group_level > 0) {
        a->answer->fault = STUB_CLOSE;
    } else if (store_view(s, a->parts[2], a->parts[4], &q, &out)) {
        answer(a, 200, out.data);
    } else {
        fail(a, 404, "not_found", "missing");
    }
    buf_free(&out);
    cJSON_Delete(q.start);
    cJSON_Delete(q.end);
}

static void design(struct ask *a, struct store *s)
{
    const struct stub_request *r = a->request;
    if (a->count == 5 && strcmp(a->parts[3], "_view") == 0) {
        view(a, s);
    } else if (a->count != 3) {
        unknown_url(a);
    } else if (!a->admin) {
        fail(a, 403, "Forbidden", "forbidden");
    } else if (method_is(a, "PUT")) {
        if (r->body_len == 0 || json_validate(r->body, r->body_len, NULL) < 0) {
            fail(a, 400, "Bad Request", "Bad JSON");
        } else {
            store_ddoc_put(s, a->parts[2], r->body, r->body_len);
            answer(a, 201, "");
        }
    } else if (method_is(a, "DELETE")) {
        answer(a, store_ddoc_delete(s, a->parts[2]) ? 200 : 404, "");
    } else if (store_ddoc(s, a->parts[2]) != NULL) {
        answer(a, 200, store_ddoc(s, a->parts[2]));
    } else {
        fail(a, 404, "not_found", "missing");
    }
}

/* ---- routes ---------------------------------------------------------------------------------- */

static void root(struct ask *a)
{
    answer(a, 200,
           a->admin
               ? "{\"ADMIN\":true,\"couchdb\":\"Welcome\",\"vendor\":{\"name\":\"Couchbase Sync "
                 "Gateway\",\"version\":\"3.1\"},\"version\":\"Couchbase Sync "
                 "Gateway/3.1.0(stand-in) CE\",\"persistent_config\":false}"
               : "{\"couchdb\":\"Welcome\",\"vendor\":{\"name\":\"Couchbase Sync Gateway\","
                 "\"version\":\"3.1\"},\"version\":\"Couchbase Sync Gateway/3.1.0(stand-in) "
                 "CE\",\"persistent_config\":false}");
}

static void server_path(struct ask *a)
{
    if (a->admin && strcmp(a->parts[0], "_all_dbs") == 0) {
        struct buf out = BUF_INIT(BUF_TEXT_MAX);
        buf_addc(&out, '[');
        for (size_t i = 0; i < DATABASES; i++) {
            if (a->f->stores[i] != NULL) {
                buf_adds(&out, out.len > 1 ? "," : "");
                json_quote(&out, a->f->stores[i]->name, strlen(a->f->stores[i]->name));
            }
        }
        buf_addc(&out, ']');
        answer(a, 200, out.data);
        buf_free(&out);
    } else if (a->admin && strcmp(a->parts[0], "_config") == 0) {
        answer(a, 200,
               a->f->memory_store ? "{\"bootstrap\":{\"server\":\"walrus:\"}}"
                                  : "{\"bootstrap\":{\"server\":\"couchbase://127.0.0.1\"}}");
    } else {
        unknown_url(a);
    }
}

static void admin_database(struct ask *a, struct store **at)
{
    if (method_is(a, "PUT") && at != NULL) {
        fail(a, 412, "Precondition Failed", "Duplicate database name");
    } else if (method_is(a, "PUT")) {
        for (size_t i = 0; i < DATABASES && at == NULL; i++) {
            at = a->f->stores[i] == NULL ? &a->f->stores[i] : NULL;
        }
        if (a->request->body_len == 0 || at == NULL) {
            fail(a, 400, "Bad Request", at == NULL ? "too many" : "Bad JSON: EOF");
        } else {
            *at = store_new(a->parts[0]);
            answer(a, 201, "");
        }
    } else if (method_is(a, "DELETE") && at != NULL) {
        store_free(*at);
        *at = NULL;
        answer(a, 200, "{}");
    } else {
        fail(a, 404, "not_found", "no such database");
    }
}

static void database(struct ask *a)
{
    struct store **at = store_of(a->f, a->parts[0]);
    bool bare = a->count == 1;
    if (bare && !a->slash) {
        snprintf(a->port->headers, sizeof a->port->headers, SERVER "Location: /%s/\r\n",
                 a->parts[0]);
        a->answer->headers = a->port->headers;
        answer(a, 301, "");
    } else if (bare && (method_is(a, "PUT") || method_is(a, "DELETE"))) {
        if (a->admin) {
            admin_database(a, at);
        } else if (method_is(a, "DELETE")) {
            fail(a, 405, "Method Not Allowed", "");
        } else {
            fail(a, at != NULL ? 412 : 403, at != NULL ? "Precondition Failed" : "Forbidden",
                 at != NULL ? "Database already exists"
                            : "Creating a DB over the public API is unsupported");
        }
    } else if (!a->admin && at == NULL) {
        fail(a, 401, "Unauthorized", "Login required");
    } else if (at == NULL) {
        fail(a, 404, "not_found", "no such database");
    } else if (bare && method_is(a, "GET")) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"db_name\":\"%s\",\"update_seq\":%lu,\"committed_update_seq\":%lu,"
                 "\"compact_running\":false,\"purge_seq\":0,\"state\":\"Online\"}",
                 (*at)->name, (*at)->seq, (*at)->seq);
        answer(a, 200, text);
    } else if (bare) {
        fail(a, 405, "Method Not Allowed", "");
    } else if (strcmp(a->parts[1], "_bulk_docs") == 0 && method_is(a, "POST")) {
        bulk_docs(a, *at);
    } else if (strcmp(a->parts[1], "_all_docs") == 0) {
        all_docs(a, *at);
    } else if (strcmp(a->parts[1], "_bulk_get") == 0 && method_is(a, "POST")) {
        bulk_get(a, *at);
    } else if (strcmp(a->parts[1], "_design") == 0) {
        design(a, *at);
    } else if (strcmp(a->parts[1], "_local") == 0 && a->count == 3) {
        char *id = mem_printf("_local/%s", a->parts[2]);
        document(a, *at, id);
        free(id);
    } else if (*a->parts[1] != '_' && a->count == 2) {
        document(a, *at, a->parts[1]);
    } else {
        unknown_url(a);
    }
}

static void handle(void *arg, const struct stub_request *request, struct stub_answer *out)
{
    struct port *port = arg;
    struct fake_sync *f = port->f;
    struct ask a = {.f = f, .port = port, .admin = port->admin, .request = request, .answer = out};
    size_t len = strcspn(request->path, "?");
    a.query = request->path[len] == '?' ? request->path + len + 1 : NULL;
    a.slash = len > 0 && request->path[len - 1] == '/';
    for (const char *p = request->path, *end = p + len; p < end && a.count < 6;) {
        size_t n = strcspn(p, "/?");
        if (n > 0) {
            a.parts[a.count++] = decode(p, n);
        }
        p += n + 1;
    }
    char given[300];
    out->headers = SERVER;
    stub_header(request, "Authorization", given, sizeof given);
    pthread_mutex_lock(&f->lock);
    if (a.count == 0) {
        root(&a);
    } else if (*a.parts[0] == '_') {
        server_path(&a);
    } else if (!a.admin && f->authorization != NULL && strcmp(given, f->authorization) != 0) {
        out->headers = SERVER "Www-Authenticate: Basic realm=\"Couchbase Sync Gateway\"\r\n";
        fail(&a, 401, "Unauthorized", *given != '\0' ? "Invalid login" : "Login required");
    } else {
        database(&a);
    }
    pthread_mutex_unlock(&f->lock);
    for (size_t i = 0; i < a.count; i++) {
        free(a.parts[i]);
    }
}

/* ---- start and stop -------------------------------------------------------------------------- */

struct fake_sync *fake_sync_start(const struct fake_sync_config *config, struct err *err)
{
    struct {
        struct fake_sync f;
        struct port ports[2];
    } *all = mem_zero(1, sizeof *all);
    struct fake_sync *f = &all->f;
    pthread_mutex_init(&f->lock, NULL);
    f->memory_store = config->memory_store;
    f->busy_each = config->busy_each;
    if (config->database != NULL) {
        f->stores[0] = store_new(config->database);
    }
    if (config->user != NULL) {
        char *pair = mem_printf("%s:%s", config->user, config->password), base64[300];
        EVP_EncodeBlock((unsigned char *)base64, (const unsigned char *)pair, (int)strlen(pair));
        f->authorization = mem_printf("Basic %s", base64);
        free(pair);
    }
    all->ports[0] = (struct port){.f = f};
    all->ports[1] = (struct port){.f = f, .admin = true};
    f->public_port = stub_start(&(struct stub_config){handle, .arg = &all->ports[0]}, err);
    f->admin_port = f->public_port != NULL
                        ? stub_start(&(struct stub_config){handle, .arg = &all->ports[1]}, err)
                        : NULL;
    if (f->admin_port == NULL) {
        fake_sync_stop(f);
        return NULL;
    }
    return f;
}

void fake_sync_stop(struct fake_sync *f)
{
    if (f == NULL) {
        return;
    }
    stub_stop(f->public_port);
    stub_stop(f->admin_port);
    for (size_t i = 0; i < DATABASES; i++) {
        if (f->stores[i] != NULL) {
            store_free(f->stores[i]);
        }
    }
    pthread_mutex_destroy(&f->lock);
    free(f->authorization);
    free(f); /* first member of what was allocated */
}

const char *fake_sync_public(const struct fake_sync *f)
{
    return stub_url(f->public_port);
}

const char *fake_sync_admin(const struct fake_sync *f)
{
    return stub_url(f->admin_port);
}

long fake_sync_docs(struct fake_sync *f, const char *name)
{
    long n = -1;
    pthread_mutex_lock(&f->lock);
    struct store **at = store_of(f, name);
    if (at != NULL) {
        n = 0;
        for (size_t i = 0; i < (*at)->count; i++) {
            n += (*at)->docs[i].body != NULL && *(*at)->docs[i].id != '_';
        }
    }
    pthread_mutex_unlock(&f->lock);
    return n;
}
