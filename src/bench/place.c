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

/* Rows of an _all_docs answer become deletions where the document is there. */
static void delete_rows(struct deletion *d, const cJSON *answer)
{
    const cJSON *row;
    cJSON_ArrayForEach(row, json_get(answer, "rows"))
    {
        const char *id = json_str(row, "id", NULL);
        const cJSON *value = json_get(row, "value");
        const char *rev = json_str(value, "rev", NULL);
        if (id == NULL || rev == NULL || json_bool(value, "deleted", false)) {
            continue; /* never there, or deleted already */
        }
        buf_adds(&d->body, d->n++ ? ",{\"_id\":" : "{\"docs\":[{\"_id\":");
        json_quote(&d->body, id, strlen(id));
        buf_adds(&d->body, ",\"_rev\":");
        json_quote(&d->body, rev, strlen(rev));
        buf_adds(&d->body, ",\"_deleted\":true}");
    }
}

static int delete_send(struct couch *c, const char *db, struct deletion *d, struct err *err)
{
    if (d->n == 0) {
        return 0;
    }
    buf_adds(&d->body, "]}");
    char *url = couch_url_db(c, db, "_bulk_docs");
    struct couch_answer answer;
    int rc = couch_call(c, HTTP_POST, url, d->body.data, d->body.len, NULL, 0, &answer, err);
    couch_answer_free(&answer);
    free(url);
    return rc;
}

/* Deletes what an _all_docs query finds; `keys` is its body ({"keys":[…]}), NULL: a GET. */
static int delete_found(struct couch *c, const char *db, const char *query, const struct buf *keys,
                        struct err *err)
{
    struct deletion d = {BUF_INIT(BUF_TEXT_MAX), 0};
    char *url = couch_url_db(c, db, query);
    struct couch_answer answer;
    int rc = couch_call(c, keys ? HTTP_POST : HTTP_GET, url, keys ? keys->data : NULL,
                        keys ? keys->len : 0, NULL, 0, &answer, err);
    if (rc == 0) {
        delete_rows(&d, answer.json);
        rc = delete_send(c, db, &d, err);
    }
    couch_answer_free(&answer);
    free(url);
    buf_free(&d.body);
    return rc;
}

static int delete_ours(struct couch *c, const char *db, const struct spec *spec, void *state,
                       struct err *err)
{
    struct buf keys = BUF_INIT(BUF_TEXT_MAX);
    size_t n = 0;
    bool again = true;
    int rc;
    do {
        const char *id;
        rc = spec->workload->ids(state, again, &id, err);
        again = false;
        if (rc == 0 && id != NULL) {
            buf_adds(&keys, n ? "," : "{\"keys\":[");
            json_quote(&keys, id, strlen(id));
            n++;
        }
        if (rc == 0 && n > 0 && (id == NULL || n == CLEAR_BATCH)) {
            buf_adds(&keys, "]}");
            rc = delete_found(c, db, "_all_docs", &keys, err);
            buf_clear(&keys);
            n = 0;
        }
        if (id == NULL) {
            break;
        }
    } while (rc == 0);
    buf_free(&keys);
    return rc;
}

/* Design documents that runs of ours made: their names begin with "tunecouch-". */
static int delete_designs(struct couch *c, const char *db, struct err *err)
{
    return delete_found(c, db,
                        "_all_docs?startkey=%22_design%2Ftunecouch-%22"
                        "&endkey=%22_design%2Ftunecouch.%22",
                        NULL, err);
}

/* Documents in the database, design documents included; -1 on trouble. */
static int count_docs(struct couch *c, const char *db, uint64_t *n, struct err *err)
{
    char *url = couch_url_db(c, db, "_all_docs?limit=1");
    struct couch_answer answer;
    int rc = couch_call(c, HTTP_GET, url, NULL, 0, NULL, 0, &answer, err);
    if (rc == 0) {
        uint64_t rows = 0;
        rc = couch_judge_view(answer.body.data, answer.body.len, NULL, NULL, &rows, err);
        /* total_rows of Sync Gateway is the number of rows returned: enough to see "none" */
        *n = json_u64(answer.json, "total_rows", rows);
        *n = *n < rows ? rows : *n;
    }
    couch_answer_free(&answer);
    free(url);
    return rc;
}

/* ---- opening and closing --------------------------------------------------------------------- */

static int adopt(struct place *p, struct couch *c, const struct spec *spec, void *state,
                 struct err *err)
{
    const char *db = spec->common.database;
    uint64_t docs = 0;
    int there = couch_db_info(c, db, NULL, err);
    if (there <= 0) {
        return there < 0 ? -1
                         : err_set(err, ERR_USAGE,
                                   "--database %s: there is no such database on %s; create it, or "
                                   "leave --database out to have one made",
                                   db, couch_url(c));
    }
    if (db[0] == '_') {
        return err_set(err, ERR_USAGE, "--database %s: system databases are never touched", db);
    }
    int marked = couch_marker_check(c, db, NULL, err);
    if (marked < 0 || count_docs(c, db, &docs, err) < 0) {
        return -1;
    }
    if (docs > 0 && marked == 1) {
        log_info("%s holds documents of an earlier run: taking them out", db);
        if (delete_ours(c, db, spec, state, err) < 0 || delete_designs(c, db, err) < 0 ||
            count_docs(c, db, &docs, err) < 0) {
            return -1;
        }
    }
    if (docs > 0) {
        return err_set(err, ERR_USAGE,
                       "--database %s: it holds documents that are not an earlier run's (%llu); it "
                       "must be empty, and nothing in it was changed",
                       db, (unsigned long long)docs);
    }
    p->db = mem_strdup(db);
    return couch_marker_write(c, db, p->token, err);
}

int place_open(struct place *p, struct couch *c, const struct spec *spec, void *state,
               struct err *err)
{
    *p = (struct place){NULL, fresh_token(), false};
    int rc;
    if (spec->common.database != NULL) {
        rc = adopt(p, c, spec, state, err);
    } else {
        const char *why;
        if (!couch_can(c, CAP_CREATE_DB, NULL, &why)) {
            rc = err_set(err, ERR_USAGE,
                         "%s: a database cannot be created there (%s); make one and name it with "
                         "--database",
                         couch_url(c), why);
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
    if (couch_marker_check(c, p->db, p->token, err) != 1) {
        return err_set(err, ERR_STEP,
                       "%s no longer carries this run's marker: its documents are left as they are",
                       p->db);
    }
    return delete_ours(c, p->db, spec, state, err) < 0 ? -1 : delete_designs(c, p->db, err);
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
