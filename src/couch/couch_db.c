#include "couch/couch.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"
#include "couch/couch_private.h"

#define MARKER "_local/tunecouch"

static const int missing[] = {404, 0};

int couch_refuse_system(const char *db, struct err *err)
{
    /* CouchDB takes any name whose last part is _users or _replicator for a system database */
    const char *slash = strrchr(db, '/');
    if (*db == '\0' || *db == '_' || (slash != NULL && slash[1] == '_')) {
        char shown[100];
        return err_set(err, ERR_USAGE, "\"%s\" is a system database: it is never written to",
                       text_visible(shown, sizeof shown, db));
    }
    return 0;
}

/* ---- databases ------------------------------------------------------------------------------- */

int couch_db_create(struct couch *c, const char *db, const struct couch_db_options *o,
                    struct err *err)
{
    const char *why;
    struct couch_answer a;
    char query[60] = "";
    if (couch_refuse_system(db, err) < 0) {
        return -1;
    }
    if (!couch_can(c, CAP_CREATE_DB, NULL, &why)) {
        return err_set(err, ERR_AUTH, "cannot create a database: %s", why);
    }
    if (o != NULL && (o->shards > 0 || o->replicas > 0)) {
        if (!couch_can(c, CAP_SHARDS, NULL, &why)) {
            return err_set(err, ERR_USAGE, "shards and replicas cannot be chosen: %s", why);
        }
        int n = o->shards > 0 ? snprintf(query, sizeof query, "?q=%d", o->shards) : 0;
        if (o->replicas > 0) {
            snprintf(query + n, sizeof query - (size_t)n, "%cn=%d", n > 0 ? '&' : '?', o->replicas);
        }
    }
    char *plain = couch_url_db(c, db, NULL), *url = mem_printf("%s%s", plain, query);
    int rc = couch_call(c, HTTP_PUT, url, NULL, 0, NULL, 0, &a, err);
    if (rc < 0 && a.status == 412) {
        err_set(err, ERR_STEP, "database \"%s\" exists already", db);
    } else if (rc < 0 && err != NULL && err->kind == ERR_AUTH) {
        err_set(err, ERR_AUTH,
                "this user may not create databases: use a server administrator's account, or name "
                "an empty database made for the purpose with --database");
    }
    couch_answer_free(&a);
    free(url);
    free(plain);
    return rc;
}

int couch_db_info(struct couch *c, const char *db, cJSON **info, struct err *err)
{
    struct couch_answer a;
    char *url = couch_url_db(c, db, NULL);
    int rc = couch_call(c, HTTP_GET, url, NULL, 0, missing, 0, &a, err);
    if (rc == 0) {
        rc = a.status == 404 ? 0 : 1;
        if (rc == 1 && !cJSON_IsObject(a.json)) {
            rc = err_set(err, ERR_STEP, "GET %s: the answer is not a JSON object", url);
        }
    }
    if (info != NULL) {
        *info = NULL;
        if (rc == 1) {
            *info = a.json;
            a.json = NULL;
        }
    }
    couch_answer_free(&a);
    free(url);
    return rc;
}

static int delete_database(struct couch *c, const char *db, const char *token, struct err *err)
{
    struct couch_answer a;
    if (couch_refuse_system(db, err) < 0) {
        return -1;
    }
    int ours = couch_marker_check(c, db, token, err);
    if (ours <= 0) {
        return ours < 0
                   ? -1
                   : err_set(err, ERR_STEP,
                             "database \"%s\" is not deleted: it does not carry the mark of %s", db,
                             token != NULL ? "this run" : "a tunecouch run");
    }
    char *url = couch_url_db(c, db, NULL);
    int rc = couch_call(c, HTTP_DELETE, url, NULL, 0, NULL, 0, &a, err);
    couch_answer_free(&a);
    free(url);
    return rc;
}

int couch_db_delete(struct couch *c, const char *db, struct err *err)
{
    return delete_database(c, db, NULL, err);
}

int couch_db_delete_ours(struct couch *c, const char *db, const char *token, struct err *err)
{
    return delete_database(c, db, token, err);
}

/* ---- documents ------------------------------------------------------------------------------- */

static int put(struct couch *c, const char *url, const char *json, char *rev, struct err *err)
{
    struct couch_answer a;
    int rc = couch_call(c, HTTP_PUT, url, json, strlen(json), NULL, 0, &a, err);
    if (rev != NULL) {
        const char *r = json_str(a.json, "rev", "");
        snprintf(rev, 128, "%s", rc == 0 ? r : "");
        if (rc == 0 && (*r == '\0' || strlen(r) >= 128)) {
            rc = err_set(err, ERR_STEP, "PUT %s: the answer has no usable rev", url);
        }
    }
    couch_answer_free(&a);
    return rc;
}

int couch_doc_put(struct couch *c, const char *db, const char *id, const char *json, char *rev,
                  struct err *err)
{
    if (couch_refuse_system(db, err) < 0) {
        return -1;
    }
    char *url = couch_url_doc(c, db, id, NULL);
    int rc = put(c, url, json, rev, err);
    free(url);
    return rc;
}

int couch_doc_get(struct couch *c, const char *db, const char *id, cJSON **doc, struct err *err)
{
    struct couch_answer a;
    char *url = couch_url_doc(c, db, id, NULL);
    int rc = couch_call(c, HTTP_GET, url, NULL, 0, missing, 0, &a, err);
    if (rc == 0) {
        rc = a.status == 404 ? 0 : 1;
        if (rc == 1 && !cJSON_IsObject(a.json)) {
            rc = err_set(err, ERR_STEP, "GET %s: the answer is not a JSON object", url);
        }
    }
    if (doc != NULL) {
        *doc = NULL;
        if (rc == 1) {
            *doc = a.json;
            a.json = NULL;
        }
    }
    couch_answer_free(&a);
    free(url);
    return rc;
}

int couch_doc_delete(struct couch *c, const char *db, const char *id, const char *rev,
                     struct err *err)
{
    struct couch_answer a;
    struct buf query = BUF_INIT(BUF_TEXT_MAX);
    if (couch_refuse_system(db, err) < 0) {
        return -1;
    }
    buf_adds(&query, "rev=");
    couch_escape(&query, rev, strlen(rev));
    char *url = couch_url_doc(c, db, id, buf_text(&query));
    int rc = couch_call(c, HTTP_DELETE, url, NULL, 0, missing, 0, &a, err);
    couch_answer_free(&a);
    buf_free(&query);
    free(url);
    return rc;
}

int couch_ddoc_put(struct couch *c, const char *db, const char *name, const char *json,
                   struct err *err)
{
    if (couch_refuse_system(db, err) < 0) {
        return -1;
    }
    char *url = couch_url_ddoc(c, db, name, NULL);
    int rc = put(c, url, json, NULL, err); /* Sync Gateway answers 201 with nothing */
    free(url);
    return rc;
}

int couch_ddoc_delete(struct couch *c, const char *db, const char *name, struct err *err)
{
    struct couch_answer a;
    char *plain = couch_url_ddoc(c, db, name, NULL), *url = NULL;
    int rc = couch_refuse_system(db, err);
    if (rc == 0) {
        rc = couch_call(c, HTTP_GET, plain, NULL, 0, missing, 0, &a, err);
        const char *rev = json_str(a.json, "_rev", NULL);
        bool there = rc == 0 && a.status != 404;
        if (there) { /* Sync Gateway's design documents have no rev */
            url = rev != NULL ? mem_printf("%s?rev=%s", plain, rev) : mem_strdup(plain);
        }
        couch_answer_free(&a);
        if (there) {
            rc = couch_call(c, HTTP_DELETE, url, NULL, 0, missing, 0, &a, err);
            couch_answer_free(&a);
        }
    }
    free(url);
    free(plain);
    return rc;
}

/* ---- the marker ------------------------------------------------------------------------------ */

static void random_hex(char *out, size_t bytes)
{
    unsigned char b[32];
    if (getrandom(b, bytes, 0) != (ssize_t)bytes) { /* cannot fail for so few once booted */
        memset(b, 0, bytes);
    }
    for (size_t i = 0; i < bytes; i++) {
        sprintf(out + 2 * i, "%02x", b[i]);
    }
}

char *couch_db_name(const char *label)
{
    char clean[41], hex[13], stamp[32];
    size_t n = 0;
    for (; label != NULL && *label != '\0' && n < sizeof clean - 1; label++) {
        unsigned char b = (unsigned char)*label;
        clean[n++] = b < 0x80 && isalnum(b) ? (char)tolower(b) : '-';
    }
    clean[n] = '\0';
    time_t now = time(NULL);
    struct tm tm;
    gmtime_r(&now, &tm);
    strftime(stamp, sizeof stamp, "%Y%m%d-%H%M%S", &tm);
    random_hex(hex, 6);
    return mem_printf("tunecouch-%s%s%s-%s", clean, n > 0 ? "-" : "", stamp, hex);
}

/* 1: there, with its rev (may be ""); 0: no such document or database; -1. */
static int marker_read(struct couch *c, const char *db, cJSON **marker, struct err *err)
{
    int rc = couch_doc_get(c, db, MARKER, marker, err);
    return rc < 0 ? err_prefix(err, "cannot read the marker of database \"%s\"", db) : rc;
}

static bool is_marker(const cJSON *doc)
{
    return json_u64(doc, "tunecouch", 0) == 1 && cJSON_IsString(json_get(doc, "token"));
}

int couch_marker_find(struct couch *c, const char *db, char **token, struct err *err)
{
    cJSON *doc;
    int rc = marker_read(c, db, &doc, err);
    *token = NULL;
    if (rc == 1) {
        rc = is_marker(doc);
        *token = rc == 1 ? mem_strdup(json_str(doc, "token", "")) : NULL;
    }
    cJSON_Delete(doc);
    return rc;
}

int couch_marker_check(struct couch *c, const char *db, const char *token, struct err *err)
{
    char *found;
    int rc = couch_marker_find(c, db, &found, err);
    if (rc == 1 && token != NULL) {
        rc = strcmp(found, token) == 0;
    }
    free(found);
    return rc;
}

int couch_marker_write(struct couch *c, const char *db, const char *token, struct err *err)
{
    char host[100] = "", created[32];
    struct timespec now;
    cJSON *old;
    if (couch_refuse_system(db, err) < 0) {
        return -1;
    }
    int rc = marker_read(c, db, &old, err);
    if (rc == 1 && !is_marker(old)) {
        rc = err_set(err, ERR_STEP, "database \"%s\" has a " MARKER " document that is not ours",
                     db);
    }
    if (rc >= 0) {
        cJSON *doc = json_object();
        clock_gettime(CLOCK_REALTIME, &now);
        gethostname(host, sizeof host - 1);
        /* an update names the rev it replaces: CouchDB does not ask for it here, others do */
        json_add_str(doc, "_rev", json_str(old, "_rev", NULL));
        json_add_num(doc, "tunecouch", 1);
        json_add_str(doc, "token", token);
        json_add_str(
            doc, "created",
            text_utc(created, sizeof created, (int64_t)now.tv_sec * 1000000000 + now.tv_nsec));
        json_add_str(doc, "host", host);
        char *text = json_print(doc, false);
        rc = couch_doc_put(c, db, MARKER, text, NULL, err);
        free(text);
        cJSON_Delete(doc);
    }
    cJSON_Delete(old);
    return rc;
}

int couch_marker_remove(struct couch *c, const char *db, const char *token, struct err *err)
{
    cJSON *doc;
    int rc = marker_read(c, db, &doc, err);
    if (rc == 1 && is_marker(doc) &&
        (token == NULL || strcmp(json_str(doc, "token", ""), token) == 0)) {
        rc = couch_doc_delete(c, db, MARKER, json_str(doc, "_rev", ""), err);
    } else if (rc == 1) {
        rc = err_set(err, ERR_STEP, "the marker of database \"%s\" is not this run's", db);
    }
    cJSON_Delete(doc);
    return rc;
}
