#include "tests/fake_sync_gateway.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/mem.h"
#include "base/text.h"
#include "tests/fake_sync_ask.h"

#define SERVER "Server: Couchbase Sync Gateway/3.1.0 CE\r\n"

static struct store **store_of(struct fake_sync *f, const char *name)
{
    for (size_t i = 0; i < DATABASES; i++) {
        if (f->stores[i] != NULL && strcmp(f->stores[i]->name, name) == 0) {
            return &f->stores[i];
        }
    }
    return NULL;
}

static void unknown_url(struct ask *a)
{
    ask_fail(a, 404, "not_found", "unknown URL");
}

/* ---- design documents and views -------------------------------------------------------------- */

static void view(struct ask *a, struct store *s)
{
    struct view_query q = {ask_json(a, "startkey"),
                           ask_json(a, "endkey"),
                           ask_flag(a, "reduce", true),
                           ask_flag(a, "group", false),
                           ask_flag(a, "inclusive_end", true),
                           ask_number(a, "group_level", 0),
                           ask_number(a, "limit", -1),
                           ask_number(a, "skip", 0),
                           a->f->memory_store};
    const char *reason = "";
    cJSON *key = ask_json(a, "key");
    if (key != NULL) {
        cJSON_Delete(q.start);
        cJSON_Delete(q.end);
        q.start = key;
        q.end = mem_checked(cJSON_Duplicate(key, true));
    }
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    if (!ask_method(a, "GET")) {
        ask_fail(a, 405, "Method Not Allowed", "");
    } else if (!a->admin) {
        ask_fail(a, 403, "Forbidden", "forbidden");
    } else if (a->f->memory_store && q.group_level > 0) {
        a->answer->fault = STUB_CLOSE;
    } else {
        int status = store_view(s, a->parts[2], a->parts[4], &q, &out, &reason);
        if (status == 0) {
            ask_answer(a, 200, out.data);
        } else {
            ask_fail(a, status, ask_error_name(status), reason);
        }
    }
    buf_free(&out);
    cJSON_Delete(q.start);
    cJSON_Delete(q.end);
}

/* The name of a member that design documents, or views in one, do not have; NULL: none. The caller
 * frees. */
static char *unknown_member(const char *text, size_t len)
{
    cJSON *ddoc = json_parse(text, len, NULL);
    const cJSON *member, *view;
    const char *found = NULL;
    cJSON_ArrayForEach(member, ddoc)
    {
        const char *n = member->string;
        if (strcmp(n, "language") != 0 && strcmp(n, "views") != 0 && strcmp(n, "options") != 0) {
            found = n;
        }
    }
    cJSON_ArrayForEach(view, json_get(ddoc, "views"))
    {
        cJSON_ArrayForEach(member, view)
        {
            if (strcmp(member->string, "map") != 0 && strcmp(member->string, "reduce") != 0) {
                found = member->string;
            }
        }
    }
    char *name = mem_strdup(found);
    cJSON_Delete(ddoc);
    return name;
}

static void design(struct ask *a, struct store *s)
{
    const struct stub_request *r = a->request;
    if (a->count == 5 && strcmp(a->parts[3], "_view") == 0) {
        view(a, s);
    } else if (a->count != 3) {
        unknown_url(a);
    } else if (!a->admin) {
        ask_fail(a, 403, "Forbidden", "forbidden");
    } else if (ask_method(a, "PUT")) {
        char *unknown = NULL;
        if (r->body_len == 0 || json_validate(r->body, r->body_len, NULL) < 0) {
            ask_fail(a, 400, "Bad Request", "Bad JSON");
        } else if ((unknown = unknown_member(r->body, r->body_len)) != NULL) {
            char *reason = mem_printf("JSON Unknown Field: json: unknown field \\\"%s\\\": "
                                      "unrecognized JSON field",
                                      unknown);
            ask_fail(a, 400, "Bad Request", reason);
            free(reason);
            free(unknown);
        } else {
            store_ddoc_put(s, a->parts[2], r->body, r->body_len);
            ask_answer(a, 201, "");
        }
    } else if (ask_method(a, "DELETE")) {
        if (store_ddoc_delete(s, a->parts[2])) {
            ask_answer(a, 200, "");
        } else {
            ask_fail(a, 404, "not_found", "missing");
        }
    } else if (store_ddoc(s, a->parts[2]) != NULL) {
        ask_answer(a, 200, store_ddoc(s, a->parts[2]));
    } else {
        ask_fail(a, 404, "not_found", "missing");
    }
}

/* ---- routes ---------------------------------------------------------------------------------- */

static void root(struct ask *a)
{
    ask_answer(
        a, 200,
        a->admin ? "{\"ADMIN\":true,\"couchdb\":\"Welcome\",\"vendor\":{\"name\":\"Couchbase Sync "
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
        ask_answer(a, 200, out.data);
        buf_free(&out);
    } else if (a->admin && strcmp(a->parts[0], "_config") == 0) {
        ask_answer(a, 200,
                   a->f->memory_store ? "{\"bootstrap\":{\"server\":\"walrus:\"}}"
                                      : "{\"bootstrap\":{\"server\":\"couchbase://127.0.0.1\"}}");
    } else {
        unknown_url(a);
    }
}

static void no_database(struct ask *a)
{
    char *reason = mem_printf("no such database \\\"%s\\\"", a->parts[0]);
    ask_fail(a, 404, "not_found", reason);
    free(reason);
}

static void admin_database(struct ask *a, struct store **at)
{
    if (ask_method(a, "PUT") && at != NULL) {
        ask_fail(a, 412, "Precondition Failed", "Duplicate database name");
    } else if (ask_method(a, "PUT")) {
        for (size_t i = 0; i < DATABASES && at == NULL; i++) {
            at = a->f->stores[i] == NULL ? &a->f->stores[i] : NULL;
        }
        if (a->request->body_len == 0 || at == NULL) {
            ask_fail(a, 400, "Bad Request", at == NULL ? "too many" : "Bad JSON: EOF");
        } else {
            *at = store_new(a->parts[0]);
            ask_answer(a, 201, "");
        }
    } else if (ask_method(a, "DELETE") && at != NULL) {
        store_free(*at);
        *at = NULL;
        ask_answer(a, 200, "{}");
    } else {
        no_database(a);
    }
}

static void database(struct ask *a, bool given)
{
    struct store **at = store_of(a->f, a->parts[0]);
    bool bare = a->count == 1;
    if (bare && !a->slash) {
        snprintf(a->port->headers, sizeof a->port->headers, SERVER "Location: /%s/\r\n",
                 a->parts[0]);
        a->answer->headers = a->port->headers;
        ask_answer(a, 301, "");
    } else if (bare && (ask_method(a, "PUT") || ask_method(a, "DELETE"))) {
        if (a->admin) {
            admin_database(a, at);
        } else if (ask_method(a, "DELETE")) {
            ask_fail(a, 405, "Method Not Allowed", "");
        } else {
            ask_fail(a, at != NULL ? 412 : 403, at != NULL ? "Precondition Failed" : "Forbidden",
                     at != NULL ? "Database already exists"
                                : "Creating a DB over the public API is unsupported");
        }
    } else if (!a->admin && at == NULL) {
        ask_fail(a, 401, "Unauthorized", given ? "Invalid login" : "Login required");
    } else if (at == NULL) {
        no_database(a);
    } else if (bare && ask_method(a, "GET")) {
        char text[300];
        snprintf(text, sizeof text,
                 "{\"db_name\":\"%s\",\"update_seq\":%lu,\"committed_update_seq\":%lu,"
                 "\"instance_start_time\":1,\"compact_running\":false,\"purge_seq\":0,"
                 "\"disk_format_version\":0,\"state\":\"Online\"}",
                 (*at)->name, (*at)->seq, (*at)->seq);
        ask_answer(a, 200, text);
    } else if (bare) {
        ask_fail(a, 405, "Method Not Allowed", "");
    } else if (strcmp(a->parts[1], "_bulk_docs") == 0 && ask_method(a, "POST")) {
        ask_bulk_docs(a, *at);
    } else if (strcmp(a->parts[1], "_all_docs") == 0) {
        ask_all_docs(a, *at);
    } else if (strcmp(a->parts[1], "_bulk_get") == 0 && ask_method(a, "POST")) {
        ask_bulk_get(a, *at);
    } else if (strcmp(a->parts[1], "_design") == 0) {
        design(a, *at);
    } else if (strcmp(a->parts[1], "_local") == 0 && a->count == 3) {
        char *id = mem_printf("_local/%s", a->parts[2]);
        ask_document(a, *at, id);
        free(id);
    } else if (*a->parts[1] != '_' && a->count == 2) {
        ask_document(a, *at, a->parts[1]);
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
            a.parts[a.count++] = ask_decode(p, n);
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
        ask_fail(&a, 401, "Unauthorized", *given != '\0' ? "Invalid login" : "Login required");
    } else {
        database(&a, *given != '\0');
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

long fake_sync_ddocs(struct fake_sync *f, const char *name)
{
    pthread_mutex_lock(&f->lock);
    struct store **at = store_of(f, name);
    long n = at != NULL ? (long)(*at)->ddoc_count : -1;
    pthread_mutex_unlock(&f->lock);
    return n;
}
