/* TuneMark's artist queries, without and with an index, and the building of both indexes. */
#include "bench/tunemark.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/track.h"

#define PAGE_MAX 100000 /* rows to a _find page: bounds the answer's size at any scale */

#define USED_WITHIN_NS 5000000000u /* from the definition of an index to a query that uses it */
#define USED_POLL_NS 1000000u      /* between two such queries */

/* ---- _find, page by page --------------------------------------------------------------------- */

struct find {
    struct bench *b;
    const char *selector;  /* JSON */
    const char *fields;    /* JSON array */
    const char *use_index; /* JSON array; NULL: none */
    uint64_t limit;        /* of a page */
    uint64_t timeout_ns;   /* of a page; 0: the engine's */
    couch_row_fn *each;
    void *arg;
    /* what came back */
    uint64_t rows, pages;
    char warning[200];
    double keys_examined, docs_examined; /* sums over the pages; -1: not reported */
};

static void find_body(const struct find *f, const char *bookmark, struct buf *out)
{
    buf_addf(out, "{\"selector\":%s,\"fields\":%s,\"limit\":%llu,\"execution_stats\":true",
             f->selector, f->fields, (unsigned long long)f->limit);
    if (f->use_index != NULL) {
        buf_addf(out, ",\"use_index\":%s", f->use_index);
    }
    if (f->b->spec->common.read_quorum != 0) {
        buf_addf(out, ",\"r\":%llu", (unsigned long long)f->b->spec->common.read_quorum);
    }
    if (bookmark[0] != '\0') {
        buf_adds(out, ",\"bookmark\":");
        json_quote(out, bookmark, strlen(bookmark));
    }
    buf_addc(out, '}');
}

/* One page, within the phase clock; page->bookmark says which and is moved on. */
static int find_page(struct find *f, struct couch_find *page, struct err *err)
{
    char *url = couch_url_db(f->b->couch, f->b->db, "_find");
    struct buf body = BUF_INIT(BUF_TEXT_MAX);
    struct http_reply reply;
    find_body(f, page->bookmark, &body);
    struct http_request request = {.method = HTTP_POST,
                                   .url = url,
                                   .headers = couch_headers(f->b->couch),
                                   .body = body.data,
                                   .body_len = body.len,
                                   .timeout_ns = f->timeout_ns};
    int rc = bench_call(f->b, &request, &reply, err);
    if (rc == 0) {
        uint64_t from = uv_hrtime();
        rc = couch_judge_find(buf_text(&reply.body), reply.body.len, f->each, f->arg, page, err);
        f->b->phase->client_busy_s += (double)(uv_hrtime() - from) / 1e9;
    }
    if (rc == 0) {
        f->rows += page->rows;
        f->pages++;
        if (page->warning[0] != '\0') {
            memcpy(f->warning, page->warning, sizeof f->warning);
        }
        f->keys_examined =
            page->total_keys_examined < 0 ? -1 : f->keys_examined + page->total_keys_examined;
        f->docs_examined =
            page->total_docs_examined < 0 ? -1 : f->docs_examined + page->total_docs_examined;
    }
    buf_free(&reply.body);
    buf_free(&body);
    free(url);
    return rc;
}

/* Pages until one is not full. */
static int find_all(struct find *f, struct err *err)
{
    struct couch_find page = {.bookmark = ""};
    int rc;
    do {
        rc = find_page(f, &page, err);
    } while (rc == 0 && page.rows == f->limit && page.bookmark[0] != '\0');
    return rc;
}

static void find_facts(const struct find *f, struct phase_result *p)
{
    if (p->facts == NULL) {
        p->facts = json_object();
    }
    json_add_u64(p->facts, "page_limit", f->limit);
    json_add_u64(p->facts, "pages", f->pages);
    if (f->keys_examined >= 0) {
        json_add_num(p->facts, "total_keys_examined", f->keys_examined);
    }
    if (f->docs_examined >= 0) {
        json_add_num(p->facts, "total_docs_examined", f->docs_examined);
    }
    if (f->warning[0] != '\0') {
        json_add_str(p->facts, "warning", f->warning);
    }
}

/* ---- artists --------------------------------------------------------------------------------- */

struct artists {
    struct tunemark *t;
    struct names names; /* folded */
};

static int artist_row(void *arg, const struct couch_row *row)
{
    struct artists *a = arg;
    size_t len;
    char *artist = track_artist(row->doc, &len);
    if (artist != NULL) {
        names_add(&a->names, fold_text((enum fold_rule)a->t->set->fold, artist, len));
        free(artist);
    }
    return 0;
}

/* Whether the distinct names are the expected ones; ends the phase if not. */
static void check_artists(struct tunemark *t, const struct names *names, struct phase_result *p)
{
    struct expect_digest got = {0, 0}, want = expect_artists_digest(t->expect);
    for (size_t i = 0; i < names->n; i++) {
        expect_digest_artist(&got, names->name[i]);
    }
    p->items = names->n;
    if (!bench_wrong(p, names->n, expect_artist_count(t->expect), "artists", NULL) &&
        !expect_digest_equal(&got, &want)) {
        phase_end(p, PHASE_FAILED, "%zu artists as expected, but not the same ones", names->n);
    }
}

/* The query of both artist steps through Mango: rows, then folding, deduplication and sorting in
 * the client, inside the time. */
static int find_artists(struct bench *b, struct tunemark *t, struct phase_result *p, struct find *f,
                        struct names *names, struct err *err)
{
    struct artists a = {.t = t};
    uint64_t want = t->sum->indexed_docs + 1; /* one more: a full page would ask for another */
    f->b = b;
    f->limit = want < PAGE_MAX ? want : PAGE_MAX;
    f->each = artist_row;
    f->arg = &a;
    p->item_unit = mem_strdup("row");
    bench_start(b);
    int rc = find_all(f, err);
    f->arg = NULL;
    uint64_t from = uv_hrtime();
    names_distinct(&a.names);
    p->client_busy_s += (double)(uv_hrtime() - from) / 1e9;
    bench_stop(b);
    *names = a.names;
    find_facts(f, p);
    return rc;
}

bool tunemark_skip_mango(struct bench *b, struct phase_result *p)
{
    const char *why;
    if (couch_can(b->couch, CAP_MANGO, b->db, &why)) {
        return false;
    }
    phase_end(p, PHASE_SKIPPED, "%s", why);
    return true;
}

int tunemark_artists_unindexed(struct bench *b, void *state, struct phase_result *p,
                               struct err *err)
{
    struct tunemark *t = state;
    struct names names = {NULL, 0, 0};
    struct find f = {.selector =
                         "{\"Artist\":{\"$exists\":true},\"Compilation\":{\"$exists\":false}}",
                     .fields = "[\"Artist\"]",
                     .timeout_ns = b->spec->common.build_timeout_ns};
    p->title = mem_printf("Query %zu artists", expect_artist_count(t->expect));
    if (tunemark_skip_mango(b, p)) {
        return 0;
    }
    int rc = find_artists(b, t, p, &f, &names, err);
    if (rc == 0) {
        check_artists(t, &names, p);
    }
    names_free(&names);
    return rc;
}

int tunemark_mango_artists(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    struct names names = {NULL, 0, 0};
    p->title = mem_strdup("Re-query artists");
    if (tunemark_skip_mango(b, p)) {
        return 0;
    }
    if (!t->index_there[VIA_MANGO]) {
        phase_end(p, PHASE_SKIPPED, "the index was not built");
        return 0;
    }
    char *use = tunemark_mango_use(b);
    struct find f = {.selector = TUNEMARK_COVERED, .fields = "[\"Artist\"]", .use_index = use};
    int rc = find_artists(b, t, p, &f, &names, err);
    if (rc == 0) {
        check_artists(t, &names, p);
    }
    if (rc == 0 && p->state == PHASE_OK) {
        rc = tunemark_prove_indexed(b, p, TUNEMARK_COVERED, "[\"Artist\"]", f.warning,
                                    f.keys_examined, f.rows, err);
    }
    names_free(&names);
    free(use);
    return rc;
}

/* ---- proof that an index was used ------------------------------------------------------------ */

char *tunemark_mango_use(const struct bench *b)
{
    return mem_printf("[\"_design/tunecouch-mango-%s\",\"by-artist\"]", b->token);
}

int tunemark_prove_indexed(struct bench *b, struct phase_result *p, const char *selector,
                           const char *fields, const char *warning, double keys_examined,
                           uint64_t rows, struct err *err)
{
    if (warning[0] != '\0') {
        phase_end(p, PHASE_FAILED, "the index was not used: %s", warning);
        return 0;
    }
    if (p->facts == NULL) {
        p->facts = json_object();
    }
    const char *why;
    if (!couch_can(b->couch, CAP_MANGO_PROOF, b->db, &why)) {
        json_add_str(p->facts, "indexed", "unverified");
        phase_note(p, "use of the index is unverified: %s", why);
        return 0;
    }
    char *use = tunemark_mango_use(b);
    char *url = couch_url_db(b->couch, b->db, "_explain");
    char *body =
        mem_printf("{\"selector\":%s,\"fields\":%s,\"use_index\":%s}", selector, fields, use);
    struct couch_answer a;
    int rc = couch_call(b->couch, HTTP_POST, url, body, strlen(body), NULL, 0, &a, err);
    if (rc == 0) {
        const char *name = json_str(json_get(a.json, "index"), "name", "");
        /* keys examined beyond the rows: one is the end of a page's range */
        if (strcmp(name, "by-artist") != 0) {
            phase_end(p, PHASE_FAILED, "_explain names the index \"%.60s\", not ours", name);
        } else if (keys_examined > (double)rows * 1.1 + 10) {
            phase_end(p, PHASE_FAILED, "the index was scanned: %.0f keys examined for %llu rows",
                      keys_examined, (unsigned long long)rows);
        } else {
            json_add_str(p->facts, "indexed", "proven");
            const cJSON *covering = json_get(a.json, "covering");
            if (covering != NULL) {
                json_add_bool(p->facts, "covering", cJSON_IsTrue(covering));
            }
        }
    }
    couch_answer_free(&a);
    free(body);
    free(url);
    free(use);
    return rc;
}

/* ---- index by artist ------------------------------------------------------------------------- */

int tunemark_build_view(struct bench *b, struct phase_result *p, const char *what, const char *map,
                        const char *reduce, uint64_t docs, bool *there, struct err *err)
{
    char *ddoc = tunemark_ddoc(b, what);
    char *json = bench_view_json(b, map, reduce);
    char *url =
        couch_url_view(b->couch, b->db, ddoc, "rows", reduce ? "limit=1&reduce=false" : "limit=1");
    struct http_request first = {
        .method = HTTP_GET, .url = url, .headers = couch_headers(b->couch)};
    struct http_reply reply;
    uint64_t rows = 0;
    p->item_unit = mem_strdup("doc");
    int rc = bench_build(b, p, ddoc, json, &first, &reply, err);
    if (rc == 0) {
        rc = couch_judge_view(buf_text(&reply.body), reply.body.len, NULL, NULL, &rows, err);
    }
    if (rc == 0) {
        p->items = docs;
        *there = true;
        if (rows == 0) {
            *there = false;
            phase_end(p, PHASE_FAILED,
                      "map failed: the view answers no rows where there must be some");
        }
    }
    buf_free(&reply.body);
    free(url);
    free(json);
    free(ddoc);
    return rc;
}

int tunemark_view_index(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    const char *why;
    p->title = mem_strdup("Index by artist");
    if (!couch_can(b->couch, CAP_DDOC_VIEWS, b->db, &why)) {
        phase_end(p, PHASE_SKIPPED, "%s", why);
        return 0;
    }
    if (t->sum->indexed_docs == 0) {
        phase_end(p, PHASE_SKIPPED, "no document has an Artist and no Compilation");
        return 0;
    }
    char *map =
        mem_printf("function(doc) { %s "
                   "var c = doc.Compilation; "
                   "if (typeof doc.Artist === 'string' && (c === undefined || c === null)) { "
                   "emit([fold(doc.Artist), typeof doc.Album === 'string' ? "
                   "fold(doc.Album) : null], null); } }",
                   t->fold_js);
    int rc = tunemark_build_view(b, p, "view", map, "_count", t->sum->docs,
                                 &t->index_there[VIA_VIEW], err);
    free(map);
    return rc;
}

/* Asks until the index is used. CouchDB keeps the list of a database's indexes in a cache that
 * learns of a new one a moment after POST _index was answered (seen once in 40 runs on 3.5.0); the
 * phase ends with the first query that uses it. */
static int find_used(struct find *f, uint64_t *tries, struct err *err)
{
    uint64_t until = uv_hrtime() + USED_WITHIN_NS;
    int rc;
    for (*tries = 1;; ++*tries) {
        struct couch_find page = {.bookmark = ""};
        f->warning[0] = '\0';
        f->rows = 0;
        rc = find_page(f, &page, err);
        if (rc < 0 || f->warning[0] == '\0' || uv_hrtime() > until) {
            return rc;
        }
        http_wait(f->b->http, USED_POLL_NS);
    }
}

int tunemark_mango_index(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    p->title = mem_strdup("Index by artist");
    p->item_unit = mem_strdup("doc");
    if (tunemark_skip_mango(b, p)) {
        return 0;
    }
    char *index = couch_url_db(b->couch, b->db, "_index");
    char *use = tunemark_mango_use(b);
    char *define =
        mem_printf("{\"type\":\"json\",\"name\":\"by-artist\",\"ddoc\":\"tunecouch-mango-%s\","
                   "\"index\":{\"fields\":[\"Artist\"],\"partial_filter_selector\":"
                   "{\"Compilation\":{\"$exists\":false}}}}",
                   b->token);
    struct http_request put = {.method = HTTP_POST,
                               .url = index,
                               .headers = couch_headers(b->couch),
                               .body = define,
                               .body_len = strlen(define),
                               /* PouchDB builds the index here, not at the first query */
                               .timeout_ns = b->spec->common.build_timeout_ns};
    struct http_reply reply;
    /* the first query that uses it builds it; one row is enough */
    struct find f = {.b = b,
                     .selector = TUNEMARK_COVERED,
                     .fields = "[\"Artist\"]",
                     .use_index = use,
                     .limit = 1,
                     .timeout_ns = b->spec->common.build_timeout_ns};
    bench_start(b);
    int rc = bench_call(b, &put, &reply, err);
    uint64_t tries = 0;
    if (rc == 0) {
        rc = find_used(&f, &tries, err);
    }
    bench_stop(b);
    buf_free(&reply.body);
    if (rc == 0) {
        p->items = t->sum->docs;
        p->facts = json_object();
        json_add_u64(p->facts, "queries_until_used", tries);
        if (f.warning[0] != '\0') {
            phase_end(p, PHASE_FAILED, "the index was not used: %s", f.warning);
        } else if (f.rows == 0 && t->sum->indexed_docs > 0) {
            phase_end(p, PHASE_FAILED, "the index answers no rows where there must be some");
        } else {
            t->index_there[VIA_MANGO] = true;
        }
    }
    free(define);
    free(use);
    free(index);
    return rc;
}

/* ---- artists through the view ---------------------------------------------------------------- */

struct view_artists {
    struct names names;
    struct err err;
};

static int first_of_key(void *arg, struct json_span element)
{
    *(struct json_span *)arg = element;
    return 1; /* the first is enough */
}

static int view_artist_row(void *arg, const struct couch_row *row)
{
    struct view_artists *v = arg;
    struct json_span artist = {NULL, 0};
    if (row->key.at != NULL) {
        json_each(row->key.at, row->key.len, first_of_key, &artist, NULL);
    }
    char *name = json_decode(artist, NULL);
    if (name == NULL) {
        return err_set(&v->err, ERR_STEP, "a row's key is not [artist]");
    }
    names_add(&v->names, name);
    return 0;
}

/* Rows are folded, distinct and sorted by the server: judging is all that is left to do, after the
 * clock. */
static int grouped_artists(struct bench *b, const struct http_request *get, struct view_artists *v,
                           uint64_t *rows, struct err *err)
{
    struct http_reply reply;
    bench_start(b);
    int rc = bench_call(b, get, &reply, err);
    bench_stop(b);
    if (rc == 0) {
        rc = couch_judge_view(buf_text(&reply.body), reply.body.len, view_artist_row, v, rows, err);
    }
    buf_free(&reply.body);
    return rc;
}

/* Rows are [artist, album]: the client makes artists of them, within the clock. */
static int ungrouped_artists(struct bench *b, const struct http_request *get,
                             struct view_artists *v, uint64_t *rows, struct err *err)
{
    struct http_reply reply;
    bench_start(b);
    int rc = bench_call(b, get, &reply, err);
    uint64_t from = uv_hrtime();
    if (rc == 0) {
        rc = couch_judge_view(buf_text(&reply.body), reply.body.len, view_artist_row, v, rows, err);
        names_distinct(&v->names);
    }
    b->phase->client_busy_s += (double)(uv_hrtime() - from) / 1e9;
    bench_stop(b);
    buf_free(&reply.body);
    return rc;
}

int tunemark_view_artists(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    p->title = mem_strdup("Re-query artists");
    p->item_unit = mem_strdup("row");
    if (!t->index_there[VIA_VIEW]) {
        phase_end(p, PHASE_SKIPPED, "the view was not built");
        return 0;
    }
    const char *why;
    bool levels = couch_can(b->couch, CAP_GROUP_LEVEL, b->db, &why);
    char *ddoc = tunemark_ddoc(b, "view");
    char *url =
        couch_url_view(b->couch, b->db, ddoc, "rows", levels ? "group_level=1" : "group=true");
    struct http_request get = {.method = HTTP_GET, .url = url, .headers = couch_headers(b->couch)};
    struct view_artists v = {.err = ERR_INIT};
    uint64_t rows = 0;
    int rc = levels ? grouped_artists(b, &get, &v, &rows, err)
                    : ungrouped_artists(b, &get, &v, &rows, err);
    if (!levels) {
        p->facts = json_object();
        json_add_str(p->facts, "grouping", "group=true, made distinct by the client");
        json_add_u64(p->facts, "rows_read", rows);
        phase_note(p,
                   "artists and albums were read and made artists by the client, within the time: "
                   "%s",
                   why);
    }
    if (rc == 0 && v.err.kind != ERR_NONE) {
        phase_end(p, PHASE_FAILED, "%s", v.err.text);
    } else if (rc == 0) {
        check_artists(t, &v.names, p);
    }
    names_free(&v.names);
    free(url);
    free(ddoc);
    return rc;
}
