/* couch: one CouchDB-style server: what it is, what it can do, requests built and answers judged.
 *
 * Two ways to use it. Blocking calls (couch_call and what is made of it) are for set-up, checks and
 * clean-up, outside every phase clock. For measured work the caller takes a URL from couch_url_*,
 * the headers from couch_headers, submits to the engine itself, and hands the answer's bytes to
 * one of the judges, after the clock where it can.
 *
 * Ownership: strings returned as `char *` are the caller's; `const char *` belong to the couch. */
#ifndef COUCH_COUCH_H
#define COUCH_COUCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "couch/auth.h"
#include "couch/dialect.h"
#include "net/http.h"

struct couch;

struct couch_config {
    const char *url;       /* without credentials (auth_from_url takes them out) */
    const char *admin_url; /* Sync Gateway's admin port; NULL: none known */
    const struct auth *auth;
};

/* Pins the address, logs in, and finds out what answers there. The engine must outlive it.
 * ERR_UNREACHABLE or ERR_AUTH with what was tried, what came back and what to do. */
struct couch *couch_open(struct http *http, const struct couch_config *config, struct err *err);
/* The same for a server that need not be a CouchDB: its dialect may be "http", and whether it takes
 * our credentials only its answers will tell. */
struct couch *couch_open_any(struct http *http, const struct couch_config *config, struct err *err);
void couch_close(struct couch *c); /* ends a cookie session where one was opened; NULL is fine */

struct http *couch_http(const struct couch *c);
const char *couch_url(const struct couch *c);       /* no slash at its end, no credentials */
const char *couch_admin_url(const struct couch *c); /* where views are; NULL: no such place */
const char *couch_address(const struct couch *c);   /* resolved and pinned */
const struct dialect *couch_dialect(const struct couch *c);
const char *couch_vendor(const struct couch *c);  /* "Apache CouchDB", "PouchDB", … for reports */
const char *couch_version(const struct couch *c); /* "3.5.0" */
const cJSON *couch_root(const struct couch *c);   /* the answer of GET /; NULL: no CouchDB's */

/* Whether it can, and if not why not ("Sync Gateway has no Mango queries"). Declared by the
 * dialect; search engines and rights are probed once, on first use, against `db` if the probe needs
 * a database of ours (NULL: what can be told without one). */
bool couch_can(struct couch *c, enum capability what, const char *db, const char **why);
/* Whether the last "no" of couch_can only means that a database of ours is needed to tell. */
bool couch_can_unknown(const struct couch *c, enum capability what);

/* Headers of every measured request: Content-Type and Accept application/json, authorization.
 * Take them anew for each request, or at least once a minute: with a cookie session this is also
 * what renews it in time (by a request of its own on the engine). They stay valid until
 * couch_close. */
const struct http_headers *couch_headers(const struct couch *c);
/* The same with another content type (attachments). The couch keeps and reuses them. */
const struct http_headers *couch_headers_type(struct couch *c, const char *content_type);
/* Of _bulk_get: accepts the form that the dialect answers in. */
const struct http_headers *couch_headers_bulk_get(struct couch *c);
/* For replies of measured requests under a cookie session: takes a fresh cookie, if one came. */
void couch_saw(struct couch *c, const struct http_reply *reply);

/* ---- URLs: every variable part is percent-encoded; the caller frees ----------------------- */

char *couch_url_server(const struct couch *c, const char *path); /* "/_all_dbs", as it is */
/* `tail` is appended as it is ("_bulk_docs", "_all_docs?limit=1"); NULL: the database itself */
char *couch_url_db(const struct couch *c, const char *db, const char *tail);
char *couch_url_doc(const struct couch *c, const char *db, const char *id, const char *query);
char *couch_url_attachment(const struct couch *c, const char *db, const char *id, const char *name,
                           const char *query);
char *couch_url_ddoc(const struct couch *c, const char *db, const char *ddoc, const char *query);
/* Design documents and views: on the admin port where the dialect has them there. `query` without
 * '?', NULL: none; what the dialect needs for an answer that is up to date is added. */
char *couch_url_view(const struct couch *c, const char *db, const char *ddoc, const char *view,
                     const char *query);
char *couch_url_search(const struct couch *c, const char *db, enum capability engine,
                       const char *ddoc, const char *index);
/* Percent-encodes everything but unreserved characters. */
void couch_escape(struct buf *out, const char *bytes, size_t n);

/* ---- blocking calls -------------------------------------------------------------------------- */

struct couch_answer {
    enum http_outcome outcome;
    int status;
    cJSON *json; /* NULL if the body was not JSON; the caller frees with couch_answer_free */
    struct buf body;
    uint64_t ns; /* start to end */
    double retry_after_s;
    char etag[96];
};
void couch_answer_free(struct couch_answer *a);

/* One request, answer parsed. 0 if it was answered with a status in 200..299 or listed in `also`
 * (ended by 0; NULL: none); else -1 and what was tried, what came back (the server's own reason)
 * and, where known, what to do. `body` NULL: none. `timeout_ns` 0: the engine's. */
int couch_call(struct couch *c, enum http_method method, const char *url, const char *body,
               size_t body_len, const int *also, uint64_t timeout_ns, struct couch_answer *answer,
               struct err *err);

struct couch_db_options {
    int shards, replicas; /* q, n; 0: as the server has them */
};
int couch_db_create(struct couch *c, const char *db, const struct couch_db_options *o,
                    struct err *err); /* an existing database is an error */
/* 1 if it exists (info filled unless NULL; the caller frees), 0 if not, -1 on trouble. */
int couch_db_info(struct couch *c, const char *db, cJSON **info, struct err *err);
int couch_db_delete(struct couch *c, const char *db, struct err *err); /* with any run's marker */

/* The rev of the written document goes to `rev` (at least 128 bytes; may be NULL). */
int couch_doc_put(struct couch *c, const char *db, const char *id, const char *json, char *rev,
                  struct err *err);
/* 1 found, 0 missing, -1. */
int couch_doc_get(struct couch *c, const char *db, const char *id, cJSON **doc, struct err *err);
int couch_ddoc_put(struct couch *c, const char *db, const char *name, const char *json,
                   struct err *err); /* on the admin port where the dialect wants that */
/* Missing already is well. */
int couch_doc_delete(struct couch *c, const char *db, const char *id, const char *rev,
                     struct err *err);
int couch_ddoc_delete(struct couch *c, const char *db, const char *name, struct err *err);

/* ---- safety ------------------------------------------------------------------------------------
 * A database of ours carries _local/tunecouch {"tunecouch":1,"token":…,"created":…,"host":…}. */

/* A unique name "tunecouch-<label>-<time>-<random>", valid on every dialect. */
char *couch_db_name(const char *label);
int couch_marker_write(struct couch *c, const char *db, const char *token,
                       struct err *err); /* over an earlier run's; never over a stranger's */
int couch_marker_remove(struct couch *c, const char *db, const char *token,
                        struct err *err); /* of a database that is kept; missing is well */
/* 1: there and ours (`token` NULL: any run's); 0: not ours; -1. */
int couch_marker_check(struct couch *c, const char *db, const char *token, struct err *err);
/* 1: there and ours, and *token its token (the caller frees); 0: not ours; -1. */
int couch_marker_find(struct couch *c, const char *db, char **token, struct err *err);
/* Reads the marker again and deletes only if it has this token. Refuses system databases. */
int couch_db_delete_ours(struct couch *c, const char *db, const char *token, struct err *err);

/* ---- judges: of bytes already received ------------------------------------------------------- */

/* Rows of one _bulk_docs answer, matched by id to what was sent, in any order. */
struct couch_bulk {
    uint64_t ok, conflict;
    uint64_t refused;      /* any other row error (forbidden, too large, per-document status) */
    uint64_t missing;      /* sent, but no row answers for it: outcome unknown */
    uint64_t strange;      /* a row for an id that was not sent */
    char first_error[200]; /* id, error and reason of the first bad row; "" if none */
    uint64_t retryable; /* of refused: rows whose status says try again (429, 503, 500 timeout) */
};
/* `ids` as sent. `rows` (may be NULL) is filled with one outcome per id: 'o' ok, 'c' conflict,
 * 'r' refused, 'm' missing. ERR_STEP if the body is not an array of rows. */
int couch_judge_bulk(const struct couch *c, const char *body, size_t len, const char *const *ids,
                     size_t n, struct couch_bulk *out, char *rows, struct err *err);

/* One row of a view, _all_docs or search answer, or (with only `doc`) of a _find answer: raw spans,
 * at == NULL where absent. Return non-zero to stop. */
struct couch_row {
    struct json_span id, key, value, doc, error;
};
typedef int couch_row_fn(void *arg, const struct couch_row *row);

/* A view or _all_docs answer. `each` may be NULL. Row errors (a `key`/`error` pair, or an `errors`
 * member) make it fail. */
int couch_judge_view(const char *body, size_t len, couch_row_fn *each, void *arg, uint64_t *rows,
                     struct err *err);

struct couch_find {
    uint64_t rows;
    char bookmark[1024];
    char warning[200];                               /* "" if none */
    double total_keys_examined, total_docs_examined; /* -1: not reported */
};
int couch_judge_find(const char *body, size_t len, couch_row_fn *each, void *arg,
                     struct couch_find *out, struct err *err);

struct couch_search {
    uint64_t rows, total;
    char bookmark[1024];
};
/* `engine`: CAP_NOUVEAU, CAP_CLOUSEAU; row->value is the `fields` object, row->id the id. */
int couch_judge_search(enum capability engine, const char *body, size_t len, couch_row_fn *each,
                       void *arg, struct couch_search *out, struct err *err);

struct couch_bulk_get {
    uint64_t found, failed; /* documents, and ids answered by an error (missing, deleted, …) */
    char first_error[200];
};
/* A _bulk_get answer, JSON or multipart/mixed as its content type says. `each` (may be NULL) gets
 * row->id (JSON form only) and either row->doc or row->error (the whole error object). */
int couch_judge_bulk_get(const char *content_type, const char *body, size_t len, couch_row_fn *each,
                         void *arg, struct couch_bulk_get *out, struct err *err);

/* What any failed request came to, in one line for people: "POST …/_bulk_docs: 413 …: reason". HTML
 * and long bodies are cut; everything is made visible. Sets err->kind by status (401, 403:
 * ERR_AUTH; no connection: ERR_UNREACHABLE; else ERR_STEP). Always returns -1. */
int couch_explain(const struct couch *c, enum http_method method, const char *url,
                  const struct http_reply *reply, struct err *err);

/* ---- facts for the result ------------------------------------------------------------------- */

/* {"url","address","vendor","version","dialect","root",…, and where an administrator may read them
 * "log_level","log_file"?,"auth","tls"}; the caller frees. Never fails: what cannot be read is left
 * out, with its reason under "unread". */
cJSON *couch_server_facts(struct couch *c);
/* Before and after a run: {"db":info,"system":_node/_local/_system,"stats":_node/_local/_stats} as
 * far as allowed. */
cJSON *couch_run_facts(struct couch *c, const char *db);

/* Number of entries of _active_tasks that concern `db` (NULL: any) and will end; -1: cannot be
 * read. `summary` (may be NULL, 200 bytes) gets "indexer 45 %, continuous replication": those that
 * will not, too. */
int couch_active_tasks(struct couch *c, const char *db, char *summary, size_t size);

#endif
