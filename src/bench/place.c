#include "bench/place.h"

#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/rng.h"

#define CLEAR_BATCH 1000 /* ids to a request when documents are taken out */

static char *fresh_token(void)
{
    struct rng r;
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    rng_seed(&r, (uint64_t)now.tv_sec * 1000000007u ^ (uint64_t)now.tv_nsec ^ uv_hrtime() << 20 ^
                     (uint64_t)uv_os_getpid() << 44);
    return mem_printf("%016llx", (unsigned long long)rng_next(&r));
}

/* ---- taking our documents out ---------------------------------------------------------------- */

struct deletion {
    struct buf body; /* {"docs":[…]} */
    size_t n;
};

static void deletion_add(struct deletion *d, const char *id, const char *rev)
{
    buf_adds(&d->body, d->n++ ? ",{\"_id\":" : "{\"docs\":[{\"_id\":");
    json_quote(&d->body, id, strlen(id));
    buf_adds(&d->body, ",\"_rev\":");
    json_quote(&d->body, rev, strlen(rev));
    buf_adds(&d->body, ",\"_deleted\":true}");
}

/* The row's document, if it is there. */
static void delete_row(struct deletion *d, const cJSON *row)
{
    const char *id = json_str(row, "id", NULL);
    const cJSON *value = json_get(row, "value");
    const char *rev = json_str(value, "rev", NULL);
    if (id != NULL && rev != NULL && !json_bool(value, "deleted", false)) {
        deletion_add(d, id, rev);
    }
}

static int deletion_send(struct deletion *d, struct couch *c, const char *db, struct err *err)
{
    int rc = 0;
    if (d->n > 0) {
        buf_adds(&d->body, "]}");
        char *url = couch_url_db(c, db, "_bulk_docs");
        struct couch_answer answer;
        rc = couch_call(c, HTTP_POST, url, d->body.data, d->body.len, NULL, 0, &answer, err);
        couch_answer_free(&answer);
        free(url);
    }
    buf_free(&d->body);
    return rc;
}

/* Some ids of ours: as the body of a query, and one after another with a NUL after each. */
struct ids {
    struct buf query, list; /* {"keys":[…]} */
    size_t n;
};

static void ids_add(struct ids *ids, const char *id)
{
    buf_adds(&ids->query, ids->n++ ? "," : "{\"keys\":[");
    json_quote(&ids->query, id, strlen(id));
    buf_add(&ids->list, id, strlen(id) + 1);
}

/* A server that does not know `keys` would answer with everything there is: only an answer that
 * keeps to what was asked, id by id, deletes anything. */
static int delete_answered(struct deletion *d, const struct ids *ids, const cJSON *rows,
                           struct err *err)
{
    const char *id = ids->list.data, *end = id + ids->list.len;
    const cJSON *row;
    cJSON_ArrayForEach(row, rows)
    {
        if (id == end || strcmp(json_str(row, "key", ""), id) != 0 ||
            strcmp(json_str(row, "id", id), id) != 0) {
            break;
        }
        id += strlen(id) + 1;
        delete_row(d, row);
    }
    if (row != NULL || id != end) {
        d->n = 0;
        return err_set(err, ERR_STEP,
                       "_all_docs does not answer by the keys asked for: nothing "
                       "can be taken out safely");
    }
    return 0;
}

/* Deletes those that are there, and starts anew. */
static int delete_ids(struct couch *c, const char *db, struct ids *ids, struct err *err)
{
    struct deletion d = {BUF_INIT(BUF_TEXT_MAX), 0};
    struct couch_answer answer;
    char *url = couch_url_db(c, db, "_all_docs");
    buf_adds(&ids->query, "]}");
    int rc = couch_call(c, HTTP_POST, url, ids->query.data, ids->query.len, NULL, 0, &answer, err);
    if (rc == 0) {
        rc = delete_answered(&d, ids, json_get(answer.json, "rows"), err);
    }
    couch_answer_free(&answer);
    free(url);
    buf_clear(&ids->query);
    buf_clear(&ids->list);
    ids->n = 0;
    if (rc < 0) {
        buf_free(&d.body);
        return rc;
    }
    return deletion_send(&d, c, db, err);
}

static int delete_ours(struct couch *c, const char *db, const struct spec *spec, void *state,
                       struct err *err)
{
    struct ids ids = {BUF_INIT(BUF_TEXT_MAX), BUF_INIT(BUF_TEXT_MAX), 0};
    const char *id = NULL;
    bool again = true;
    int rc;
    do {
        rc = spec->workload->ids(state, again, &id, err);
        again = false;
        if (rc == 0 && id != NULL) {
            ids_add(&ids, id);
        }
        if (rc == 0 && ids.n > 0 && (id == NULL || ids.n == CLEAR_BATCH)) {
            rc = delete_ids(c, db, &ids, err);
        }
    } while (rc == 0 && id != NULL);
    buf_free(&ids.query);
    buf_free(&ids.list);
    return rc;
}

/* ---- taking our design documents out --------------------------------------------------------- */

#define DESIGN "_design/tunecouch-"

/* Where _all_docs lists them: every one whose name begins with ours. */
static int delete_listed_designs(struct couch *c, const char *db, struct err *err)
{
    struct deletion d = {BUF_INIT(BUF_TEXT_MAX), 0};
    struct couch_answer answer;
    char *url = couch_url_db(c, db,
                             "_all_docs?startkey=%22_design%2Ftunecouch-%22"
                             "&endkey=%22_design%2Ftunecouch.%22");
    int rc = couch_call(c, HTTP_GET, url, NULL, 0, NULL, 0, &answer, err);
    const cJSON *row;
    cJSON_ArrayForEach(row, json_get(answer.json, "rows"))
    {
        if (strncmp(json_str(row, "id", ""), DESIGN, strlen(DESIGN)) == 0) {
            delete_row(&d, row);
        }
    }
    couch_answer_free(&answer);
    free(url);
    if (rc < 0) {
        buf_free(&d.body);
        return rc;
    }
    return deletion_send(&d, c, db, err);
}

/* Where no list has them: by name. The marker's token and the workloads' tables give every name
 * that a run can have used, also one that was killed. */
static int delete_named_designs(struct couch *c, const char *db, const char *token, struct err *err)
{
    int rc = 0;
    for (const struct workload *const *w = workloads; *w != NULL; w++) {
        const char *const *what = (*w)->ddocs;
        for (; what != NULL && *what != NULL && rc == 0; what++) {
            char *name = bench_ddoc(*what, token);
            rc = couch_ddoc_delete(c, db, name, err);
            free(name);
        }
    }
    return rc;
}

static int delete_designs(struct couch *c, const char *db, const char *token, struct err *err)
{
    if (!couch_dialect(c)->views_on_admin_port) {
        return delete_listed_designs(c, db, err);
    }
    if (couch_admin_url(c) == NULL) {
        return 0; /* this run cannot have made any */
    }
    return delete_named_designs(c, db, token, err);
}

/* Documents in the database, design documents included where they are listed (of Sync Gateway one
 * at most: total_rows is the number of rows there, which is enough to see "none"). */
static int count_docs(struct couch *c, const char *db, uint64_t *n, struct err *err)
{
    char *url = couch_url_db(c, db, "_all_docs?limit=1");
    struct couch_answer answer;
    int rc = couch_call(c, HTTP_GET, url, NULL, 0, NULL, 0, &answer, err);
    if (rc == 0) {
        uint64_t rows = 0;
        rc = couch_judge_view(answer.body.data, answer.body.len, NULL, NULL, &rows, err);
        *n = json_u64(answer.json, "total_rows", rows);
        *n = *n < rows ? rows : *n;
    }
    couch_answer_free(&answer);
    free(url);
    return rc;
}

/* ---- opening and closing --------------------------------------------------------------------- */

/* What an earlier run left, where the marker says that there was one. */
static int clear_earlier(struct couch *c, const struct spec *spec, void *state, const char *token,
                         uint64_t *docs, struct err *err)
{
    const char *db = spec->common.database;
    if (*docs > 0) {
        log_info("%s holds documents of an earlier run: taking them out", db);
    }
    if (delete_ours(c, db, spec, state, err) < 0 || delete_designs(c, db, token, err) < 0) {
        return -1;
    }
    return count_docs(c, db, docs, err);
}

/* A refusal that may mean something else. */
static int hint_hidden(const char *db, struct err *err)
{
    if (err->kind == ERR_AUTH) {
        struct err was = *err;
        err_set(err, ERR_AUTH, "%s; or there is no database \"%s\", of which it says the same",
                was.text, db);
    }
    return -1;
}

static int adopt(struct place *p, struct couch *c, const struct spec *spec, void *state,
                 struct err *err)
{
    const char *db = spec->common.database;
    uint64_t docs = 0;
    if (db[0] == '_') {
        return err_set(err, ERR_USAGE, "--database %s: system databases are never touched", db);
    }
    int there = couch_db_info(c, db, NULL, err);
    if (there < 0) {
        return couch_dialect(c)->db_hidden ? hint_hidden(db, err) : -1;
    }
    if (there == 0) {
        return err_set(err, ERR_USAGE,
                       "--database %s: there is no such database on %s; create it, or leave "
                       "--database out to have one made",
                       db, couch_url(c));
    }
    char *token;
    int marked = couch_marker_find(c, db, &token, err);
    int rc = marked < 0 ? -1 : count_docs(c, db, &docs, err);
    if (rc == 0 && marked == 1) {
        rc = clear_earlier(c, spec, state, token, &docs, err);
    }
    free(token);
    if (rc == 0 && docs > 0) {
        rc = err_set(err, ERR_USAGE,
                     "--database %s: it holds documents that a run like this one does not make "
                     "(%llu%s); it must be empty, and nothing%s in it was changed",
                     db, (unsigned long long)docs, docs == 1 ? " or more" : "",
                     marked == 1 ? " else" : "");
    }
    if (rc == 0) {
        p->db = mem_strdup(db);
        rc = couch_marker_write(c, db, p->token, err);
    }
    return rc;
}

int place_open(struct place *p, struct couch *c, const struct spec *spec, void *state,
               struct err *err)
{
    *p = (struct place){NULL, fresh_token(), false};
    int rc;
    if (spec->workload->no_database) {
        return 0;
    }
    if (spec->common.database != NULL) {
        rc = adopt(p, c, spec, state, err);
    } else {
        const char *why;
        if (!couch_can(c, CAP_CREATE_DB, NULL, &why)) {
            rc = err_set(err, ERR_USAGE, "%s: a database cannot be created there: %s", couch_url(c),
                         why);
        } else {
            struct couch_db_options o = {(int)spec->common.shards, (int)spec->common.replicas};
            p->db = couch_db_name(spec->workload->name);
            rc = couch_db_create(c, p->db, &o, err);
            if (rc == 0) {
                p->ours = true;
                rc = couch_marker_write(c, p->db, p->token, err);
            }
        }
    }
    if (rc < 0 && !p->ours) {
        place_free(p);
    }
    return rc;
}

int place_clear(struct place *p, struct couch *c, const struct spec *spec, void *state,
                struct err *err)
{
    uint64_t left = 0;
    int marked = couch_marker_check(c, p->db, p->token, err);
    if (marked < 0) {
        return err_prefix(err, "the documents are left in %s", p->db);
    }
    if (marked == 0) {
        return err_set(err, ERR_STEP,
                       "%s no longer carries this run's marker: its documents are left as they are",
                       p->db);
    }
    if (delete_ours(c, p->db, spec, state, err) < 0 ||
        delete_designs(c, p->db, p->token, err) < 0 || count_docs(c, p->db, &left, err) < 0) {
        return -1;
    }
    if (left > 0) { /* the marker stays, so that the next run takes them out */
        return err_set(err, ERR_STEP, "%s: not every document could be taken out", p->db);
    }
    return couch_marker_remove(c, p->db, p->token, err);
}

int place_drop(struct place *p, struct couch *c, struct err *err)
{
    return couch_db_delete_ours(c, p->db, p->token, err);
}

void place_free(struct place *p)
{
    free(p->db);
    free(p->token);
    *p = (struct place){0};
}
