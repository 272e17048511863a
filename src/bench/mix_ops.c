/* The operations of mix: requests made, answers judged (after the clock, or by the judge's thread).
 */
#include "bench/mix.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/meter.h"

#define KEEP_BYTES ((size_t)16 << 20)
#define PROGRESS_EVERY 64
#define FIND_LIMIT 1000 /* rows: more than an artist has tracks */
#define SEARCH_LIMIT 25

const char *const mix_op_names[] = {"read", "albums", "find", "search", "insert", NULL};

/* One request: its buffers are used again. */
struct ask {
    struct ask *next;
    struct mix *m;
    enum mix_op op;
    uint64_t key; /* document, artist or word; first inserted document */
    struct buf url, body;
};

/* An answer that waits to be judged. */
struct answer {
    enum mix_op op;
    uint64_t key;
};

static size_t draw(struct mix *m, const struct mix_range *r)
{
    uint64_t rank =
        m->set->keys == KEYS_ZIPF ? zipf_next(&r->zipf, &m->rng) : rng_below(&m->rng, r->n);
    return r->place[rank];
}

static const char *id_of(const struct mix *m, uint64_t doc)
{
    return m->text + m->id_at[doc];
}

static const char *word_of(const struct mix *m, uint64_t word)
{
    return m->text + m->word_at[word];
}

/* ---- asking ---------------------------------------------------------------------------------- */

static void take_url(struct ask *a, char *url)
{
    buf_clear(&a->url);
    buf_adds(&a->url, url);
    free(url);
}

static void ask_albums(struct mix *m, struct ask *a)
{
    const char *artist = expect_artist(m->t.expect, a->key)->folded;
    struct buf *key = &a->body, query = BUF_INIT(BUF_TEXT_MAX);
    buf_addc(key, '[');
    json_quote(key, artist, strlen(artist));
    buf_adds(&query, "group_level=2&startkey=");
    couch_escape(&query, key->data, key->len);
    couch_escape(&query, "]", 1);
    buf_adds(&query, "&endkey=");
    couch_escape(&query, key->data, key->len);
    couch_escape(&query, ",{}]", 4);
    take_url(a, couch_url_view(m->b->couch, m->b->db, m->ddoc_view, "rows", query.data));
    buf_free(&query);
}

static void ask_find(struct mix *m, struct ask *a)
{
    const char *spelling = expect_artist(m->t.expect, a->key)->spellings[0];
    buf_adds(&a->body, "{\"selector\":{\"Artist\":{\"$eq\":");
    json_quote(&a->body, spelling, strlen(spelling));
    buf_addf(&a->body, "}},\"fields\":[\"Album\"],\"limit\":%d,\"use_index\":%s", FIND_LIMIT,
             m->use_index);
    if (m->b->spec->common.read_quorum != 0) {
        buf_addf(&a->body, ",\"r\":%" PRIu64, m->b->spec->common.read_quorum);
    }
    buf_addc(&a->body, '}');
}

static void ask_search(struct mix *m, struct ask *a)
{
    if (m->t.engine == CAP_MANGO_TEXT) {
        buf_addf(&a->body,
                 "{\"selector\":{\"$text\":\"%s\"},\"fields\":[\"_id\",\"Name\"],"
                 "\"use_index\":[\"_design/tunecouch-search-%s\",\"names\"],\"limit\":%d}",
                 word_of(m, a->key), m->b->token, SEARCH_LIMIT);
    } else {
        buf_addf(&a->body, "{\"q\":\"Name:%s\",\"limit\":%d}", word_of(m, a->key), SEARCH_LIMIT);
    }
}

/* Documents that no query of the mix finds. */
static void ask_insert(struct mix *m, struct ask *a)
{
    a->key = m->inserted;
    m->inserted += m->set->insert_docs;
    buf_adds(&a->body, "{\"docs\":[");
    for (uint64_t i = 0; i < m->set->insert_docs; i++) {
        buf_addf(&a->body,
                 "%s{\"_id\":\"" MIX_ID "\",\"Kind\":\"AAC audio file\",\"Size\":%" PRIu64
                 ",\"Comments\":\"%0400d\"}",
                 i ? "," : "", (unsigned long long)(a->key + i), 1000000 + a->key + i, 0);
    }
    buf_adds(&a->body, "]}");
}

static enum mix_op choose(struct mix *m)
{
    uint64_t at = rng_below(&m->rng, m->shares);
    int op = 0;
    while (at >= m->share[op]) {
        at -= m->share[op++];
    }
    return (enum mix_op)op;
}

int mix_next(void *arg, struct load_op *op)
{
    struct mix *m = arg;
    struct ask *a = m->free_asks;
    if (a != NULL) {
        m->free_asks = a->next;
    } else {
        a = mem_zero(1, sizeof *a);
        a->m = m;
        buf_init(&a->url, BUF_TEXT_MAX);
        buf_init(&a->body, BUF_TEXT_MAX);
    }
    a->op = choose(m);
    buf_clear(&a->body);
    op->request.method = HTTP_POST;
    switch (a->op) {
    case MIX_READ:
        a->key = draw(m, &m->docs);
        take_url(a, couch_url_doc(m->b->couch, m->b->db, id_of(m, a->key), NULL));
        break;
    case MIX_ALBUMS:
        a->key = draw(m, &m->artists);
        ask_albums(m, a);
        break;
    case MIX_FIND:
        a->key = draw(m, &m->artists);
        ask_find(m, a);
        op->request.url = m->url_find;
        break;
    case MIX_SEARCH:
        a->key = draw(m, &m->words);
        ask_search(m, a);
        op->request.url = m->url_search;
        break;
    default:
        ask_insert(m, a);
        op->request.url = m->url_bulk;
        break;
    }
    if (a->op == MIX_READ || a->op == MIX_ALBUMS) {
        op->request.method = HTTP_GET;
        op->request.url = a->url.data;
    } else {
        op->request.body = a->body.data;
        op->request.body_len = a->body.len;
    }
    op->request.headers = couch_headers(m->b->couch);
    op->meter = m->meter[a->op];
    op->item = a;
    return 1;
}

/* ---- answers --------------------------------------------------------------------------------- */

static void remember(struct mix *m, enum mix_op op, const char *text)
{
    if (m->first_error[op][0] == '\0') {
        snprintf(m->first_error[op], sizeof m->first_error[op], "%s", text);
    }
}

static int judge_read(struct mix *m, uint64_t key, const char *bytes, size_t len, struct err *err)
{
    struct json_span id = {NULL, 0};
    json_member(bytes, len, "_id", &id, NULL);
    char *got = id.at != NULL ? json_decode(id, NULL) : NULL;
    bool right = got != NULL && strcmp(got, id_of(m, key)) == 0;
    free(got);
    return right ? 0 : err_set(err, ERR_STEP, "asked for %s, another document came", id_of(m, key));
}

static int judge_rows(uint64_t rows, bool right, const char *what, struct err *err)
{
    return right ? 0 : err_set(err, ERR_STEP, "%" PRIu64 " rows for %s", rows, what);
}

static int judge_search(struct mix *m, uint64_t key, const char *bytes, size_t len, struct err *err)
{
    uint64_t rows;
    if (m->t.engine == CAP_MANGO_TEXT) {
        struct couch_find f;
        if (couch_judge_find(bytes, len, NULL, NULL, &f, err) < 0) {
            return -1;
        }
        rows = f.rows;
    } else {
        struct couch_search s;
        if (couch_judge_search(m->t.engine, bytes, len, NULL, NULL, &s, err) < 0) {
            return -1;
        }
        rows = s.rows;
    }
    return judge_rows(rows, rows > 0, word_of(m, key), err);
}

static int judge_insert(struct mix *m, uint64_t first, const char *bytes, size_t len,
                        struct err *err)
{
    size_t n = (size_t)m->set->insert_docs;
    char *text = mem_alloc(n * MIX_ID_BYTES);
    const char **ids = mem_zero(n, sizeof *ids);
    struct couch_bulk r;
    for (size_t i = 0; i < n; i++) {
        char *id = text + i * MIX_ID_BYTES;
        snprintf(id, MIX_ID_BYTES, MIX_ID, (unsigned long long)(first + i));
        ids[i] = id;
    }
    int rc = couch_judge_bulk(m->b->couch, bytes, len, ids, n, &r, NULL, err);
    if (rc == 0) {
        struct counts *docs = &m->sum[MIX_INSERT].docs;
        docs->ok += r.ok;
        docs->conflict += r.conflict;
        docs->http_error += r.refused;
        docs->unknown += r.missing;
        rc = r.ok == n ? 0 : err_set(err, ERR_STEP, "%.200s", r.first_error);
    }
    free(ids);
    free(text);
    return rc;
}

static void judge_answer(void *arg, void *item, const char *bytes, size_t len)
{
    struct mix *m = arg;
    struct answer *a = item;
    struct err err = ERR_INIT;
    int rc;
    uint64_t rows = 0;
    struct couch_find found;
    const struct expect_artist *artist;
    switch (a->op) {
    case MIX_READ:
        rc = judge_read(m, a->key, bytes, len, &err);
        break;
    case MIX_ALBUMS:
        artist = expect_artist(m->t.expect, a->key);
        rc = couch_judge_view(bytes, len, NULL, NULL, &rows, &err);
        rc = rc < 0 ? rc : judge_rows(rows, rows == artist->album_count, artist->folded, &err);
        break;
    case MIX_FIND:
        artist = expect_artist(m->t.expect, a->key);
        rc = couch_judge_find(bytes, len, NULL, NULL, &found, &err);
        if (rc == 0 && found.warning[0] != '\0') {
            rc = err_set(&err, ERR_STEP, "the index was not used: %s", found.warning);
        }
        rc = rc < 0 ? rc : judge_rows(found.rows, found.rows > 0, artist->folded, &err);
        break;
    case MIX_SEARCH:
        rc = judge_search(m, a->key, bytes, len, &err);
        break;
    default:
        rc = judge_insert(m, a->key, bytes, len, &err);
        break;
    }
    if (rc < 0) {
        m->wrong[a->op]++;
        if (m->wrong[a->op] == 1) {
            remember(m, a->op, err.text);
        }
    }
    free(a);
}

void mix_done(void *arg, void *item, struct http_reply *reply)
{
    struct mix *m = arg;
    struct ask *a = item;
    counts_reply(&m->sum[a->op].requests, reply);
    if (reply->outcome == HTTP_ANSWERED && reply->status / 100 == 2) {
        struct answer *answer = mem_alloc(sizeof *answer);
        *answer = (struct answer){a->op, a->key};
        judge_add(m->judge, answer, &reply->body);
    } else {
        m->bad++;
        if (reply->outcome != HTTP_CANCELLED && m->why_not[a->op][0] == '\0') {
            struct err err = ERR_INIT;
            bool get = a->op == MIX_READ || a->op == MIX_ALBUMS;
            const char *url = get                   ? a->url.data
                              : a->op == MIX_FIND   ? m->url_find
                              : a->op == MIX_SEARCH ? m->url_search
                                                    : m->url_bulk;
            couch_explain(m->b->couch, get ? HTTP_GET : HTTP_POST, url, reply, &err);
            /* its own place: the judge's thread may be writing first_error */
            snprintf(m->why_not[a->op], sizeof m->why_not[a->op], "%.199s", err.text);
        }
    }
    if (reply->set_cookie[0] != '\0') {
        couch_saw(m->b->couch, reply);
    }
    a->next = m->free_asks;
    m->free_asks = a;
    if (++m->ended % PROGRESS_EVERY == 0) {
        bench_progress(m->b, m->ended, m->b->spec->common.requests, m->bad);
    }
}

/* ---- a run ----------------------------------------------------------------------------------- */

void mix_ops_open(struct mix *m, struct bench *b)
{
    char tail[64] = "_bulk_docs";
    if (b->spec->common.write_quorum != 0) {
        snprintf(tail, sizeof tail, "_bulk_docs?w=%" PRIu64, b->spec->common.write_quorum);
    }
    m->b = b;
    rng_seed(&m->rng, b->spec->common.seed * 1000003 + b->run);
    m->ddoc_view = tunemark_ddoc(b, "view");
    m->use_index = tunemark_mango_use(b);
    m->url_bulk = couch_url_db(b->couch, b->db, tail);
    m->url_find = couch_url_db(b->couch, b->db, "_find");
    if (m->share[MIX_SEARCH] > 0) {
        char *ddoc = tunemark_ddoc(b, "search");
        m->url_search = m->t.engine == CAP_MANGO_TEXT
                            ? mem_strdup(m->url_find)
                            : couch_url_search(b->couch, b->db, m->t.engine, ddoc, "names");
        free(ddoc);
    }
    m->judge = judge_new(KEEP_BYTES, judge_answer, m);
    m->ended = m->bad = 0;
    for (int i = 0; i < MIX_OPS; i++) {
        m->sum[i] = (struct phase_result){0};
        m->wrong[i] = 0;
        m->first_error[i][0] = '\0';
        m->meter[i] = m->share[i] > 0 ? meter_new((size_t)b->spec->common.keep_raw) : NULL;
    }
}

void mix_ops_close(struct mix *m)
{
    judge_finish(m->judge);
    judge_free(m->judge);
    while (m->free_asks != NULL) {
        struct ask *a = m->free_asks;
        m->free_asks = a->next;
        buf_free(&a->url);
        buf_free(&a->body);
        free(a);
    }
    for (int i = 0; i < MIX_OPS; i++) {
        if (m->share[i] > 0) {
            remember(m, (enum mix_op)i, m->why_not[i]);
        }
    }
    free(m->ddoc_view);
    free(m->use_index);
    free(m->url_bulk);
    free(m->url_find);
    free(m->url_search);
    m->url_search = NULL;
}
