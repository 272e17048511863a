#include "tests/fake_couch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/text.h"
#include "bench/track.h"

struct doc {
    char *id, *body; /* body NULL: deleted */
    unsigned generation;
    char *attachment;
    size_t attachment_len;
};

struct db {
    char *name;
    struct doc *docs; /* sorted by id, _local and _design ones too */
    size_t n, cap;
};

struct fake_couch {
    struct fake_couch_config config;
    struct stub *stub;
    struct db dbs[32];
    size_t dbs_n;
    unsigned searches, wrong;
};

/* ---- documents ------------------------------------------------------------------------------- */

static struct doc *find(struct db *db, const char *id, bool make)
{
    size_t lo = 0, hi = db->n;
    while (lo < hi) {
        size_t mid = (lo + hi) / 2;
        if (strcmp(db->docs[mid].id, id) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    if (lo < db->n && strcmp(db->docs[lo].id, id) == 0) {
        return &db->docs[lo];
    }
    if (!make) {
        return NULL;
    }
    db->docs = mem_grow(db->docs, db->n, &db->cap, sizeof *db->docs);
    memmove(db->docs + lo + 1, db->docs + lo, (db->n - lo) * sizeof *db->docs);
    db->docs[lo] = (struct doc){.id = mem_strdup(id)};
    db->n++;
    return &db->docs[lo];
}

static void rev_of(const struct doc *d, char *out, size_t size)
{
    snprintf(out, size, "%u-%032x", d->generation, d->generation * 2654435761u);
}

/* 201, 200 for a deletion, or 409. */
static int write_doc(struct db *db, const char *id, const char *rev, const char *body, size_t len,
                     bool deleted)
{
    struct doc *d = find(db, id, true);
    char now[64] = "";
    if (d->body != NULL) {
        rev_of(d, now, sizeof now);
    }
    if (d->body != NULL ? rev == NULL || strcmp(rev, now) != 0
                        : rev != NULL && d->generation == 0) {
        return 409;
    }
    free(d->body);
    d->body = deleted ? NULL : mem_strndup(body, len);
    d->generation++;
    return deleted ? 200 : 201;
}

static void db_free(struct db *db)
{
    for (size_t i = 0; i < db->n; i++) {
        free(db->docs[i].id);
        free(db->docs[i].body);
        free(db->docs[i].attachment);
    }
    free(db->docs);
    free(db->name);
}

static struct db *db_of(struct fake_couch *f, const char *name)
{
    for (size_t i = 0; i < f->dbs_n; i++) {
        if (strcmp(f->dbs[i].name, name) == 0) {
            return &f->dbs[i];
        }
    }
    return NULL;
}

static bool counted(const struct doc *d)
{
    return d->body != NULL && d->id[0] != '_';
}

/* ---- requests -------------------------------------------------------------------------------- */

void fake_couch_answer(struct stub_answer *a, int status, const char *text)
{
    a->status = status;
    buf_init(&a->body, BUF_TEXT_MAX);
    buf_adds(&a->body, text);
}

static char *decoded(const char *s, size_t n)
{
    char *out = mem_alloc(n + 1), *p = out;
    for (size_t i = 0; i < n; i++) {
        if (s[i] == '%' && i + 2 < n) {
            char hex[3] = {s[i + 1], s[i + 2], '\0'};
            *p++ = (char)strtol(hex, NULL, 16);
            i += 2;
        } else {
            *p++ = s[i];
        }
    }
    *p = '\0';
    return out;
}

/* A query parameter, decoded; NULL: absent. The caller frees. */
static char *parameter(const struct stub_request *r, const char *name)
{
    const char *p = strchr(r->path, '?');
    size_t len = strlen(name);
    while (p != NULL) {
        p++;
        if (strncmp(p, name, len) == 0 && p[len] == '=') {
            return decoded(p + len + 1, strcspn(p + len + 1, "&"));
        }
        p = strchr(p, '&');
    }
    return NULL;
}

static void bulk_row(struct db *db, const cJSON *doc, struct buf *out)
{
    const char *id = json_str(doc, "_id", ""), *rev = json_str(doc, "_rev", NULL);
    char *body = json_print(doc, false), text[64];
    int status = write_doc(db, id, rev, body, strlen(body), json_bool(doc, "_deleted", false));
    rev_of(find(db, id, false), text, sizeof text);
    if (status == 409) {
        buf_addf(out,
                 "{\"id\":\"%s\",\"error\":\"conflict\",\"reason\":\"Document update conflict.\"}",
                 id);
    } else {
        buf_addf(out, "{\"ok\":true,\"id\":\"%s\",\"rev\":\"%s\"}", id, text);
    }
    free(body);
}

static void bulk_docs(struct db *db, const struct stub_request *r, struct stub_answer *a)
{
    cJSON *json = json_parse(r->body, r->body_len, NULL);
    const cJSON *doc;
    size_t n = 0;
    a->status = 201;
    buf_init(&a->body, BUF_TEXT_MAX);
    buf_addc(&a->body, '[');
    cJSON_ArrayForEach(doc, json_get(json, "docs"))
    {
        buf_adds(&a->body, n++ ? "," : "");
        bulk_row(db, doc, &a->body);
    }
    buf_addc(&a->body, ']');
    cJSON_Delete(json);
}

static void doc_text(const struct doc *d, struct buf *out)
{
    char rev[64];
    struct buf with_id = BUF_INIT(BUF_TEXT_MAX), id = BUF_INIT(1000);
    rev_of(d, rev, sizeof rev);
    json_quote(&id, d->id, strlen(d->id));
    json_set(&with_id, d->body, strlen(d->body), "_id", id.data);
    char *quoted = mem_printf("\"%s\"", rev);
    json_set(out, with_id.data, with_id.len, "_rev", quoted);
    free(quoted);
    buf_free(&with_id);
    buf_free(&id);
}

static void all_docs(struct db *db, const struct stub_request *r, struct stub_answer *a)
{
    char *limit = parameter(r, "limit"), *start = parameter(r, "startkey"),
         *docs = parameter(r, "include_docs");
    size_t n = 0, most = limit != NULL ? (size_t)atol(limit) : SIZE_MAX, total = 0;
    char *from = start != NULL ? json_decode((struct json_span){start, strlen(start)}, NULL) : NULL;
    struct buf rows = BUF_INIT(BUF_TEXT_MAX);
    for (size_t i = 0; i < db->n; i++) {
        const struct doc *d = &db->docs[i];
        if (!counted(d)) {
            continue;
        }
        total++;
        if (n < most && (from == NULL || strcmp(d->id, from) >= 0)) {
            char rev[64];
            rev_of(d, rev, sizeof rev);
            buf_addf(&rows, "%s{\"id\":\"%s\",\"key\":\"%s\",\"value\":{\"rev\":\"%s\"}",
                     n++ ? "," : "", d->id, d->id, rev);
            if (docs != NULL) {
                buf_adds(&rows, ",\"doc\":");
                doc_text(d, &rows);
            }
            buf_addc(&rows, '}');
        }
    }
    a->status = 200;
    buf_init(&a->body, BUF_TEXT_MAX);
    buf_addf(&a->body, "{\"total_rows\":%zu,\"offset\":0,\"rows\":[%s]}", total, buf_text(&rows));
    buf_free(&rows);
    free(limit);
    free(start);
    free(docs);
    free(from);
}

/* ---- attachments ----------------------------------------------------------------------------- */

static void attachment(struct db *db, const char *id, const struct stub_request *r,
                       struct stub_answer *a)
{
    struct doc *d = find(db, id, false);
    if (strcmp(r->method, "GET") == 0) {
        if (d == NULL || d->attachment == NULL) {
            fake_couch_answer(a, 404, "{\"error\":\"not_found\",\"reason\":\"missing\"}");
            return;
        }
        a->status = 200;
        a->type = "application/octet-stream";
        buf_init(&a->body, BUF_TEXT_MAX);
        buf_add(&a->body, d->attachment, d->attachment_len);
        return;
    }
    char *rev = parameter(r, "rev"), text[64];
    int status = write_doc(db, id, rev, "{}", 2, false);
    d = find(db, id, false);
    if (status == 201) {
        free(d->attachment);
        d->attachment = mem_strndup(r->body, r->body_len);
        d->attachment_len = r->body_len;
        rev_of(d, text, sizeof text);
        char *answer = mem_printf("{\"ok\":true,\"id\":\"%s\",\"rev\":\"%s\"}", id, text);
        fake_couch_answer(a, 201, answer);
        free(answer);
    } else {
        fake_couch_answer(a, status,
                          "{\"error\":\"conflict\",\"reason\":\"Document update conflict.\"}");
    }
    free(rev);
}

static void document(struct db *db, const char *id, const struct stub_request *r,
                     struct stub_answer *a)
{
    struct doc *d = find(db, id, false);
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    char *rev = parameter(r, "rev"), text[64];
    if (strcmp(r->method, "GET") == 0) {
        if (d == NULL || d->body == NULL) {
            fake_couch_answer(a, 404, "{\"error\":\"not_found\",\"reason\":\"missing\"}");
        } else {
            doc_text(d, &out);
            fake_couch_answer(a, 200, out.data);
        }
    } else {
        bool put = strcmp(r->method, "PUT") == 0;
        struct json_span in_body = {NULL, 0};
        if (put && rev == NULL && json_member(r->body, r->body_len, "_rev", &in_body, NULL)) {
            rev = json_decode(in_body, NULL);
        }
        int status = write_doc(db, id, rev, put ? r->body : "", put ? r->body_len : 0, !put);
        rev_of(find(db, id, false), text, sizeof text);
        char *answer = status == 409
                           ? mem_strdup("{\"error\":\"conflict\",\"reason\":\"conflict\"}")
                           : mem_printf("{\"ok\":true,\"id\":\"x\",\"rev\":\"%s\"}", text);
        fake_couch_answer(a, status, answer);
        free(answer);
    }
    buf_free(&out);
    free(rev);
}

/* ---- full-text search, as documented --------------------------------------------------------- */

/* Whether a query of an engine has the members it must have, with the right types. */
static bool query_well_formed(const char *engine, const cJSON *q)
{
    if (strcmp(engine, "_find") == 0) {
        return strcmp(json_str(json_get(q, "selector"), "$text", ""), "rock") == 0;
    }
    const char *first = strcmp(engine, "_search") == 0 ? "artist<string>" : "artist";
    const cJSON *sort = json_get(q, "sort");
    double limit = json_num(q, "limit", 25);
    return strcmp(json_str(q, "q", ""), "Name:rock") == 0 && limit >= 1 && limit <= 200 &&
           cJSON_GetArraySize(sort) == 2 &&
           strcmp(cJSON_GetArrayItem(sort, 0)->valuestring, first) == 0;
}

/* Rows [from, from + limit) of those whose Name has the word, in the engine's own form. */
static size_t hits(struct db *db, const char *engine, size_t from, size_t limit, struct buf *rows,
                   size_t *total)
{
    size_t n = 0, seen = 0;
    for (size_t i = 0; i < db->n; i++) {
        const struct doc *d = &db->docs[i];
        size_t len;
        if (!counted(d)) {
            continue;
        }
        char *name = track_name((struct json_span){d->body, strlen(d->body)}, &len);
        bool match = name != NULL && track_match_rock(name, len).plain;
        if (match && seen >= from && n < limit) {
            buf_adds(rows, n++ ? "," : "");
            if (strcmp(engine, "_find") == 0) {
                buf_addf(rows, "{\"_id\":\"%s\"}", d->id);
            } else if (strcmp(engine, "_search") == 0) {
                buf_addf(rows, "{\"id\":\"%s\",\"order\":[1.0,%zu],\"fields\":{\"Name\":\"x\"}}",
                         d->id, i);
            } else {
                buf_addf(rows,
                         "{\"order\":[{\"value\":1.0,\"@type\":\"float\"}],\"id\":\"%s\","
                         "\"fields\":{\"Name\":\"x\"}}",
                         d->id);
            }
        }
        seen += match;
        free(name);
    }
    *total = seen;
    return n;
}

static void search(struct fake_couch *f, struct db *db, const char *engine,
                   const struct stub_request *r, struct stub_answer *a)
{
    cJSON *q = json_parse(r->body, r->body_len, NULL);
    size_t from = (size_t)atol(json_str(q, "bookmark", "0")), total;
    size_t limit = (size_t)json_num(q, "limit", 25);
    struct buf rows = BUF_INIT(BUF_TEXT_MAX);
    f->wrong += !query_well_formed(engine, q);
    f->searches++;
    size_t n = hits(db, engine, from, limit, &rows, &total);
    a->status = 200;
    buf_init(&a->body, BUF_TEXT_MAX);
    if (strcmp(engine, "_find") == 0) {
        buf_addf(&a->body, "{\"docs\":[%s],\"bookmark\":\"%zu\"}", buf_text(&rows), from + n);
    } else if (strcmp(engine, "_search") == 0) {
        buf_addf(&a->body, "{\"total_rows\":%zu,\"bookmark\":\"%zu\",\"rows\":[%s]}", total,
                 from + n, buf_text(&rows));
    } else {
        buf_addf(&a->body,
                 "{\"total_hits_relation\":\"EQUAL_TO\",\"total_hits\":%zu,\"ranges\":null,"
                 "\"hits\":[%s],\"counts\":null,\"bookmark\":\"%zu\"}",
                 total, buf_text(&rows), from + n);
    }
    buf_free(&rows);
    cJSON_Delete(q);
}

/* ---- routes ---------------------------------------------------------------------------------- */

static void server_path(struct fake_couch *f, const char *path, struct stub_answer *a)
{
    if (path[0] == '\0') {
        fake_couch_answer(
            a, 200,
            f->config.nouveau
                ? "{\"couchdb\":\"Welcome\",\"version\":\"3.5.0\",\"features\":[\"nouveau\"],"
                  "\"vendor\":{\"name\":\"The Apache Software Foundation\"}}"
                : "{\"couchdb\":\"Welcome\",\"version\":\"3.5.0\",\"features\":[],"
                  "\"vendor\":{\"name\":\"The Apache Software Foundation\"}}");
    } else if (strcmp(path, "_session") == 0) {
        fake_couch_answer(a, 200,
                          "{\"ok\":true,\"userCtx\":{\"name\":\"admin\",\"roles\":[\"_admin\"]},"
                          "\"info\":{}}");
    } else if (strcmp(path, "_active_tasks") == 0) {
        fake_couch_answer(a, 200, "[]");
    } else if ((strcmp(path, "_search_analyze") == 0 && f->config.clouseau) ||
               (strcmp(path, "_nouveau_analyze") == 0 && f->config.nouveau)) {
        fake_couch_answer(a, 200, "{\"tokens\":[\"rock\"]}");
    } else if (strcmp(path, "_search_analyze") == 0) {
        fake_couch_answer(
            a, 503, "{\"error\":\"service unavailable\",\"reason\":\"Search is not available\"}");
    } else {
        fake_couch_answer(a, 404, "{\"error\":\"not_found\",\"reason\":\"missing\"}");
    }
}

static void database(struct fake_couch *f, const char *name, const struct stub_request *r,
                     struct stub_answer *a)
{
    struct db *db = db_of(f, name);
    if (strcmp(r->method, "PUT") == 0 && db == NULL && f->dbs_n < 32) {
        f->dbs[f->dbs_n++] = (struct db){.name = mem_strdup(name)};
        fake_couch_answer(a, 201, "{\"ok\":true}");
    } else if (db == NULL) {
        fake_couch_answer(a, 404,
                          "{\"error\":\"not_found\",\"reason\":\"Database does not exist.\"}");
    } else if (strcmp(r->method, "PUT") == 0) {
        fake_couch_answer(a, 412, "{\"error\":\"file_exists\",\"reason\":\"exists\"}");
    } else if (strcmp(r->method, "DELETE") == 0) {
        db_free(db);
        *db = f->dbs[--f->dbs_n];
        fake_couch_answer(a, 200, "{\"ok\":true}");
    } else {
        size_t n = 0;
        for (size_t i = 0; i < db->n; i++) {
            n += db->docs[i].body != NULL && !text_starts(db->docs[i].id, "_local/");
        }
        char *info =
            mem_printf("{\"db_name\":\"%s\",\"doc_count\":%zu,\"cluster\":{\"q\":2,\"n\":1,"
                       "\"w\":1,\"r\":1}}",
                       name, n);
        fake_couch_answer(a, 200, info);
        free(info);
    }
}

/* What stands after the database's name: a special endpoint, an attachment or a document. */
static void within(struct fake_couch *f, struct db *db, char *rest, const struct stub_request *r,
                   struct stub_answer *a)
{
    if (strcmp(rest, "_bulk_docs") == 0) {
        bulk_docs(db, r, a);
    } else if (strcmp(rest, "_all_docs") == 0) {
        all_docs(db, r, a);
    } else if (strcmp(rest, "_index") == 0) {
        bool text = strstr(r->body, "\"type\":\"text\"") != NULL && f->config.clouseau;
        fake_couch_answer(
            a, text ? 200 : 503,
            text ? "{\"result\":\"created\",\"id\":\"_design/x\",\"name\":\"names\"}"
                 : "{\"error\":\"required index service unavailable\",\"reason\":\"text\"}");
    } else if (strcmp(rest, "_find") == 0) {
        search(f, db, "_find", r, a);
    } else if (strstr(rest, "/_nouveau/") != NULL) {
        search(f, db, "_nouveau", r, a);
    } else if (strstr(rest, "/_search/") != NULL) {
        search(f, db, "_search", r, a);
    } else {
        char *slash = strchr(rest, '/');
        if (slash != NULL && rest[0] != '_') {
            *slash = '\0';
            attachment(db, rest, r, a);
        } else {
            document(db, rest, r, a);
        }
    }
}

static void handle(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    struct fake_couch *f = arg;
    if (f->config.hook != NULL && f->config.hook(f->config.arg, r, a)) {
        return;
    }
    const char *path = r->path + 1;
    size_t len = strcspn(path, "?");
    char *whole = decoded(path, len), *slash = strchr(whole, '/');
    if (whole[0] == '_' || whole[0] == '\0') {
        server_path(f, whole, a);
    } else if (slash == NULL) {
        database(f, whole, r, a);
    } else {
        *slash = '\0';
        struct db *db = db_of(f, whole);
        if (db == NULL) {
            fake_couch_answer(a, 404,
                              "{\"error\":\"not_found\",\"reason\":\"Database does not exist.\"}");
        } else {
            within(f, db, slash + 1, r, a);
        }
    }
    free(whole);
}

struct fake_couch *fake_couch_start(const struct fake_couch_config *config)
{
    struct fake_couch *f = mem_zero(1, sizeof *f);
    struct stub_config stub = {.handler = handle, .arg = f};
    f->config = *config;
    f->stub = stub_start(&stub, NULL);
    return f;
}

void fake_couch_stop(struct fake_couch *f)
{
    stub_stop(f->stub);
    for (size_t i = 0; i < f->dbs_n; i++) {
        db_free(&f->dbs[i]);
    }
    free(f);
}

const char *fake_couch_url(const struct fake_couch *f)
{
    return stub_url(f->stub);
}

unsigned fake_couch_databases(const struct fake_couch *f)
{
    return (unsigned)f->dbs_n;
}

unsigned fake_couch_searches(const struct fake_couch *f)
{
    return f->searches;
}

unsigned fake_couch_wrong(const struct fake_couch *f)
{
    return f->wrong;
}
