/* TuneMark's full-text steps: an index on Name, and the query for "Rock", through whichever engine
 * the server has; and, named as what it is, a view of the words of Name.
 *
 * Requests as documented: https://docs.couchdb.org/en/stable/ddocs/nouveau.html,
 * https://docs.couchdb.org/en/stable/ddocs/search.html and
 * https://docs.couchdb.org/en/stable/api/database/find.html#text-indexes */
#include "bench/tunemark.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define LIMIT 200 /* the engines' maximum to a page */
#define PAGES_MAX 10000

/* ---- index ----------------------------------------------------------------------------------- */

/* Engines drop a document whose index function throws or is given undefined: every member is
 * guarded. Sort fields are strings, folded as everywhere; what is shown is stored as it is. */
static char *index_function(const struct tunemark *t, const char *text, const char *sort,
                            const char *stored)
{
    return mem_printf("function(doc) { %s if (typeof doc.Name !== 'string') { return; } "
                      "index(%s'Name', doc.Name, {store: true}); "
                      "var a = typeof doc.Artist === 'string' ? doc.Artist : ''; "
                      "var b = typeof doc.Album === 'string' ? doc.Album : ''; "
                      "index(%s'artist', fold(a)%s; index(%s'album', fold(b)%s; }",
                      t->fold_js, text, sort, stored, sort, stored);
}

static char *search_ddoc(struct bench *b, struct tunemark *t)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    char *function, *marked;
    if (t->engine == CAP_NOUVEAU) {
        function = index_function(t, "'text', ", "'string', ", ", {store: true})");
        buf_adds(&out, "{\"language\":\"javascript\",\"autoupdate\":false,\"nouveau\":{\"names\":{"
                       "\"default_analyzer\":\"standard\",\"field_analyzers\":{\"artist\":"
                       "\"keyword\",\"album\":\"keyword\"},\"index\":");
    } else {
        function = index_function(t, "", "", ", {store: true})");
        buf_adds(&out, "{\"language\":\"javascript\",\"autoupdate\":false,\"indexes\":{\"names\":{"
                       "\"analyzer\":{\"name\":\"perfield\",\"default\":\"standard\",\"fields\":{"
                       "\"artist\":\"keyword\",\"album\":\"keyword\"}},\"index\":");
    }
    marked = mem_printf("%s /* %s */", function, b->token);
    json_quote(&out, marked, strlen(marked));
    buf_adds(&out, "}}}");
    free(marked);
    free(function);
    return buf_take(&out, NULL);
}

/* ---- query ----------------------------------------------------------------------------------- */

struct hits {
    struct names ids;
    uint64_t pages;
};

static int hit_row(void *arg, const struct couch_row *row)
{
    struct hits *h = arg;
    struct json_span id = row->id;
    if (id.at == NULL && row->doc.at != NULL) { /* a _find answer */
        json_member(row->doc.at, row->doc.len, "_id", &id, NULL);
    }
    char *decoded = json_decode(id, NULL);
    if (decoded != NULL) {
        names_add(&h->ids, decoded);
    }
    return 0;
}

static void query_body(const struct bench *b, const struct tunemark *t, unsigned limit,
                       const char *bookmark, struct buf *out)
{
    if (t->engine == CAP_MANGO_TEXT) {
        buf_addf(out,
                 "{\"selector\":{\"$text\":\"rock\"},\"fields\":[\"_id\",\"Artist\",\"Album\","
                 "\"Name\"],\"use_index\":[\"_design/tunecouch-search-%s\",\"names\"],\"limit\":%u",
                 b->token, limit);
    } else if (t->engine == CAP_NOUVEAU) {
        buf_addf(out, "{\"q\":\"Name:rock\",\"sort\":[\"artist\",\"album\"],\"limit\":%u", limit);
    } else {
        buf_addf(
            out,
            "{\"q\":\"Name:rock\",\"sort\":[\"artist<string>\",\"album<string>\"],\"limit\":%u",
            limit);
    }
    if (bookmark[0] != '\0') {
        buf_adds(out, ",\"bookmark\":");
        json_quote(out, bookmark, strlen(bookmark));
    }
    buf_addc(out, '}');
}

static char *query_url(struct bench *b, const struct tunemark *t)
{
    if (t->engine == CAP_MANGO_TEXT) {
        return couch_url_db(b->couch, b->db, "_find");
    }
    char *ddoc = tunemark_ddoc(b, "search");
    char *url = couch_url_search(b->couch, b->db, t->engine, ddoc, "names");
    free(ddoc);
    return url;
}

/* One page; `bookmark` (1024 bytes) is moved on. Returns its rows, or -1. */
static long query_page(struct bench *b, struct tunemark *t, unsigned limit, uint64_t timeout_ns,
                       char *bookmark, struct hits *hits, struct err *err)
{
    struct buf body = BUF_INIT(BUF_TEXT_MAX);
    char *url = query_url(b, t);
    struct http_reply reply;
    long rows = -1;
    query_body(b, t, limit, bookmark, &body);
    struct http_request request = {.method = HTTP_POST,
                                   .url = url,
                                   .headers = couch_headers(b->couch),
                                   .body = body.data,
                                   .body_len = body.len,
                                   .timeout_ns = timeout_ns};
    if (bench_call(b, &request, &reply, err) == 0) {
        const char *text = buf_text(&reply.body);
        if (t->engine == CAP_MANGO_TEXT) {
            struct couch_find f;
            if (couch_judge_find(text, reply.body.len, hit_row, hits, &f, err) == 0) {
                rows = (long)f.rows;
                memcpy(bookmark, f.bookmark, sizeof f.bookmark);
                if (f.warning[0] != '\0') { /* without an engine $text is ignored, in silence */
                    err_set(err, ERR_STEP, "the text index was not used: %s", f.warning);
                    rows = -1;
                }
            }
        } else {
            struct couch_search s;
            if (couch_judge_search(t->engine, text, reply.body.len, hit_row, hits, &s, err) == 0) {
                rows = (long)s.rows;
                memcpy(bookmark, s.bookmark, sizeof s.bookmark);
            }
        }
    }
    buf_free(&reply.body);
    buf_free(&body);
    free(url);
    return rows;
}

static bool skip_search(const struct tunemark *t, struct phase_result *p)
{
    if (t->engine != CAP_COUNT) {
        return false;
    }
    phase_end(p, PHASE_SKIPPED, "%s", t->engine_why);
    return true;
}

static void engine_fact(const struct tunemark *t, struct phase_result *p)
{
    p->facts = p->facts != NULL ? p->facts : json_object();
    json_add_str(p->facts, "engine", capability_name(t->engine));
}

int tunemark_search_index(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    p->title = mem_strdup("FTS indexing");
    p->item_unit = mem_strdup("doc");
    if (skip_search(t, p)) {
        return 0;
    }
    engine_fact(t, p);
    char *ddoc = tunemark_ddoc(b, "search");
    char bookmark[1024] = "";
    struct hits hits = {{NULL, 0, 0}, 0};
    char *json, *url = NULL;
    struct http_reply reply = {.status = 0};
    int rc;
    if (t->engine == CAP_MANGO_TEXT) {
        json = mem_printf("{\"type\":\"text\",\"name\":\"names\",\"ddoc\":\"%s\",\"index\":{"
                          "\"fields\":[{\"name\":\"Name\",\"type\":\"string\"}],"
                          "\"default_field\":{\"enabled\":true,\"analyzer\":\"standard\"}}}",
                          ddoc);
        url = couch_url_db(b->couch, b->db, "_index");
        struct http_request define = {.method = HTTP_POST,
                                      .url = url,
                                      .headers = couch_headers(b->couch),
                                      .body = json,
                                      .body_len = strlen(json),
                                      .timeout_ns = b->spec->common.build_timeout_ns};
        bench_start(b);
        rc = bench_call(b, &define, &reply, err);
    } else {
        json = search_ddoc(b, t);
        bench_start(b);
        rc = couch_ddoc_put(b->couch, b->db, ddoc, json, err);
        p->requests.ok += rc == 0;
    }
    if (rc == 0) {
        rc = query_page(b, t, 1, b->spec->common.build_timeout_ns, bookmark, &hits, err) < 0 ? -1
                                                                                             : 0;
    }
    bench_stop(b);
    if (rc == 0) {
        p->items = t->sum->docs;
        t->search_there = true;
    }
    buf_free(&reply.body);
    names_free(&hits.ids);
    free(url);
    free(json);
    free(ddoc);
    return rc;
}

/* ---- what must come back --------------------------------------------------------------------- */

static int find_id(const void *key, const void *element)
{
    return strcmp(key, *(char *const *)element);
}

/* The ids (sorted, distinct) against the file's own count, as plain words or with English stemming:
 * both are right, and the phase says which the engine does. Names in which tokenizers disagree may
 * be in or out. */
static void check_hits(struct tunemark *t, const struct names *ids, struct phase_result *p)
{
    size_t count;
    uint64_t plain = 0, stemmed = 0;
    const struct dataset_rock *rocks = dataset_rocks(t->data, &count);
    for (size_t i = 0; i < count; i++) {
        if (ids->n > 0 &&
            bsearch(rocks[i].id, ids->name, ids->n, sizeof *ids->name, find_id) != NULL) {
            plain += rocks[i].plain;
            stemmed++;
        }
    }
    uint64_t unsure = t->sum->rock_unsure, want = t->sum->rock_plain;
    bool stems = stemmed > plain && ids->n + unsure >= t->sum->rock_stemmed;
    p->items = ids->n;
    p->facts = p->facts != NULL ? p->facts : json_object();
    json_add_str(p->facts, "words", stems ? "with English stemming" : "plain");
    if (stems) {
        want = t->sum->rock_stemmed;
    }
    uint64_t found = stems ? stemmed : plain;
    if (unsure == 0) {
        if (!bench_wrong(p, ids->n, want, "names with Rock", NULL) && found != want) {
            phase_end(p, PHASE_FAILED, "%llu names as expected, but not the same ones",
                      (unsigned long long)want);
        }
        return;
    }
    json_add_u64(p->facts, "unsure", unsure);
    if (found + unsure < want || ids->n > want + unsure) {
        phase_end(p, PHASE_FAILED, "%zu names with Rock, expected %llu, give or take %llu", ids->n,
                  (unsigned long long)want, (unsigned long long)unsure);
    }
}

int tunemark_search_query(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    p->title = mem_strdup("FTS query");
    p->item_unit = mem_strdup("row");
    if (skip_search(t, p)) {
        return 0;
    }
    engine_fact(t, p);
    if (!t->search_there) {
        phase_end(p, PHASE_SKIPPED, "the full-text index was not built");
        return 0;
    }
    char bookmark[1024] = "";
    struct hits hits = {{NULL, 0, 0}, 0};
    long rows;
    bench_start(b);
    do {
        rows = query_page(b, t, LIMIT, 0, bookmark, &hits, err);
        hits.pages++;
    } while (rows == LIMIT && bookmark[0] != '\0' && hits.pages < PAGES_MAX);
    bench_stop(b);
    json_add_u64(p->facts, "pages", hits.pages);
    if (rows >= 0) {
        names_distinct(&hits.ids);
        check_hits(t, &hits.ids, p);
    }
    names_free(&hits.ids);
    return rows < 0 ? -1 : 0;
}

/* ---- the view of words ----------------------------------------------------------------------- */

int tunemark_words_index(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    static const char map[] =
        "function(doc) { if (typeof doc.Name !== 'string') { return; } "
        "var words = doc.Name.split(/[^A-Za-z0-9\\u0080-\\uffff]+/), seen = {}; "
        "for (var i = 0; i < words.length; i++) { var w = words[i].toLowerCase(); "
        "if (w !== '' && seen['_' + w] !== 1) { seen['_' + w] = 1; emit(w, null); } } }";
    struct tunemark *t = state;
    const char *why;
    p->title = mem_strdup("Words view indexing");
    if (!couch_can(b->couch, CAP_DDOC_VIEWS, b->db, &why)) {
        phase_end(p, PHASE_SKIPPED, "%s", why);
        return 0;
    }
    phase_note(p, "a view of the words of Name, not a full-text search");
    return tunemark_build_view(b, p, "words", map, NULL, t->sum->docs, &t->words_there, err);
}

int tunemark_words_query(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    p->title = mem_strdup("Words view query");
    p->item_unit = mem_strdup("row");
    if (!t->words_there) {
        phase_end(p, PHASE_SKIPPED, "the view was not built");
        return 0;
    }
    phase_note(p, "a view of the words of Name, not a full-text search");
    char *ddoc = tunemark_ddoc(b, "words");
    char *url = couch_url_view(b->couch, b->db, ddoc, "rows", "key=%22rock%22");
    struct http_request get = {.method = HTTP_GET, .url = url, .headers = couch_headers(b->couch)};
    struct http_reply reply;
    struct hits hits = {{NULL, 0, 0}, 1};
    bench_start(b);
    int rc = bench_call(b, &get, &reply, err);
    bench_stop(b);
    if (rc == 0) {
        rc = couch_judge_view(buf_text(&reply.body), reply.body.len, hit_row, &hits, NULL, err);
    }
    if (rc == 0) {
        names_distinct(&hits.ids);
        check_hits(t, &hits.ids, p);
    }
    buf_free(&reply.body);
    names_free(&hits.ids);
    free(url);
    free(ddoc);
    return rc;
}
