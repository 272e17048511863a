/* TuneMark's album queries: one query per artist, sequential as in the original unless
 * --concurrency says otherwise: through the view, through Mango's index, and without an index for
 * a sample of artists. */
#include "bench/tunemark.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/judge.h"
#include "bench/track.h"

#define KEEP_BYTES ((size_t)8 << 20) /* view answers kept for judging after the clock */
#define ROWS_MAX 100000              /* to a Mango answer: an artist has fewer tracks */

struct query {
    size_t artist;   /* index into the expected artists */
    size_t spelling; /* Mango with an index: one query per spelling */
    struct buf body; /* of Mango */
    char *url;       /* of the view */
};

struct albums {
    struct bench *b;
    struct tunemark *t;
    struct phase_result *p;
    enum { BY_VIEW, BY_INDEX, BY_SCAN } way;
    size_t *wanted; /* artists to ask for */
    size_t wanted_n, at, spelling;
    struct names *found; /* per wanted artist, folded albums */
    size_t *place;       /* of an artist (by expected index) in `wanted` */
    char *url, *use, *ddoc;
    const char *grouping; /* of the view */
    struct judge *judge;
    uint64_t done;
    char warning[200];
    double keys_examined;
    uint64_t rows;
    struct err err;    /* of the first bad answer */
    struct err judged; /* the same of the judge, which may be in a thread of its own */
};

/* ---- asking ---------------------------------------------------------------------------------- */

static void view_query(struct albums *a, struct query *q, struct load_op *op)
{
    const char *artist = expect_artist(a->t->expect, q->artist)->folded;
    struct buf key = BUF_INIT(BUF_TEXT_MAX), query = BUF_INIT(BUF_TEXT_MAX);
    buf_addc(&key, '[');
    json_quote(&key, artist, strlen(artist));
    buf_addf(&query, "%s&startkey=", a->grouping);
    couch_escape(&query, key.data, key.len);
    couch_escape(&query, "]", 1);
    buf_adds(&query, "&endkey=");
    couch_escape(&query, key.data, key.len);
    couch_escape(&query, ",{}]", 4);
    q->url = couch_url_view(a->b->couch, a->b->db, a->ddoc, "rows", query.data);
    op->request.method = HTTP_GET;
    op->request.url = q->url;
    buf_free(&key);
    buf_free(&query);
}

static void quote_spelling(struct buf *out, const struct expect_artist *artist, size_t i)
{
    json_quote(out, artist->spellings[i], strlen(artist->spellings[i]));
}

/* With the index: {"Artist":{"$eq":SPELLING}}; $in, $or and $regex would scan all of it. Without:
 * one scan for all spellings of the artist. */
static void mango_query(struct albums *a, struct query *q, struct load_op *op)
{
    const struct expect_artist *artist = expect_artist(a->t->expect, q->artist);
    struct buf *body = &q->body;
    buf_init(body, BUF_TEXT_MAX);
    buf_adds(body, "{\"selector\":{\"Artist\":");
    if (a->way == BY_INDEX || artist->spelling_count == 1) {
        buf_adds(body, "{\"$eq\":");
        quote_spelling(body, artist, q->spelling);
        buf_addc(body, '}');
    } else {
        buf_adds(body, "{\"$in\":[");
        for (size_t i = 0; i < artist->spelling_count; i++) {
            buf_adds(body, i ? "," : "");
            quote_spelling(body, artist, i);
        }
        buf_adds(body, "]}");
    }
    if (a->way == BY_SCAN) {
        buf_adds(body, ",\"Compilation\":{\"$exists\":false}");
    }
    buf_addf(body, "},\"fields\":[\"Album\"],\"limit\":%d,\"execution_stats\":true", ROWS_MAX);
    if (a->use != NULL) {
        buf_addf(body, ",\"use_index\":%s", a->use);
    }
    if (a->b->spec->common.read_quorum != 0) {
        buf_addf(body, ",\"r\":%llu", (unsigned long long)a->b->spec->common.read_quorum);
    }
    buf_addc(body, '}');
    op->request.method = HTTP_POST;
    op->request.url = a->url;
    op->request.body = body->data;
    op->request.body_len = body->len;
}

static int albums_next(void *arg, struct load_op *op)
{
    struct albums *a = arg;
    if (a->at >= a->wanted_n || a->err.kind != ERR_NONE) {
        return 0;
    }
    struct query *q = mem_zero(1, sizeof *q);
    q->artist = a->wanted[a->at];
    q->spelling = a->spelling;
    if (a->way == BY_VIEW) {
        view_query(a, q, op);
    } else {
        mango_query(a, q, op);
    }
    op->request.headers = couch_headers(a->b->couch);
    if (a->way == BY_SCAN) {
        op->request.timeout_ns = a->b->spec->common.build_timeout_ns;
    }
    op->item = q;
    if (a->way != BY_INDEX ||
        ++a->spelling >= expect_artist(a->t->expect, q->artist)->spelling_count) {
        a->spelling = 0;
        a->at++;
    }
    return 1;
}

static void query_free(struct query *q)
{
    buf_free(&q->body);
    free(q->url);
    free(q);
}

/* ---- answers --------------------------------------------------------------------------------- */

static struct names *found_of(struct albums *a, const struct query *q)
{
    return &a->found[a->place[q->artist]];
}

struct into {
    struct albums *a;
    struct names *names;
};

static int mango_row(void *arg, const struct couch_row *row)
{
    struct into *in = arg;
    size_t len;
    char *album = track_album(row->doc, &len);
    names_add(in->names, album ? fold_text((enum fold_rule)in->a->t->set->fold, album, len) : NULL);
    free(album);
    return 0;
}

struct key_parts {
    struct json_span part[2];
    size_t n;
};

static int key_part(void *arg, struct json_span element)
{
    struct key_parts *k = arg;
    if (k->n < 2) {
        k->part[k->n] = element;
    }
    k->n++;
    return 0;
}

static int view_row(void *arg, const struct couch_row *row)
{
    struct into *in = arg;
    struct key_parts k = {.n = 0};
    if (row->key.at != NULL) {
        json_each(row->key.at, row->key.len, key_part, &k, NULL);
    }
    if (k.n != 2) {
        return err_set(&in->a->judged, ERR_STEP, "a row's key is not [artist, album]");
    }
    names_add(in->names, json_decode(k.part[1], NULL)); /* null: no album */
    return 0;
}

/* View answers need nothing of the client but judging: after the clock, or in the judge's thread.
 */
static void judge_view(void *arg, void *item, const char *bytes, size_t len)
{
    struct albums *a = arg;
    struct query *q = item;
    struct into in = {a, found_of(a, q)};
    struct err err = ERR_INIT;
    if (couch_judge_view(bytes, len, view_row, &in, NULL, &err) < 0 && a->judged.kind == ERR_NONE) {
        a->judged = err;
    }
    query_free(q);
}

/* Mango answers are folded and joined by the client, inside the time. */
static void take_mango(struct albums *a, struct query *q, struct http_reply *reply)
{
    struct into in = {a, found_of(a, q)};
    struct couch_find r;
    struct err err = ERR_INIT;
    if (couch_judge_find(buf_text(&reply->body), reply->body.len, mango_row, &in, &r, &err) < 0) {
        a->err = a->err.kind == ERR_NONE ? err : a->err;
    } else {
        a->rows += r.rows;
        a->keys_examined += r.total_keys_examined < 0 ? 0 : r.total_keys_examined;
        if (r.warning[0] != '\0') {
            memcpy(a->warning, r.warning, sizeof a->warning);
        }
    }
    query_free(q);
}

static void albums_done(void *arg, void *item, struct http_reply *reply)
{
    struct albums *a = arg;
    struct query *q = item;
    if (reply->outcome != HTTP_ANSWERED || reply->status != 200) {
        if (a->err.kind == ERR_NONE) {
            couch_explain(a->b->couch, a->way == BY_VIEW ? HTTP_GET : HTTP_POST,
                          a->way == BY_VIEW ? q->url : a->url, reply, &a->err);
        }
        query_free(q);
    } else if (a->way == BY_VIEW) {
        judge_add(a->judge, q, &reply->body);
    } else {
        take_mango(a, q, reply);
    }
    bench_progress(a->b, ++a->done, a->wanted_n, counts_bad(&a->p->requests));
}

/* ---- the phase ------------------------------------------------------------------------------- */

/* Every artist, or `sample` of them evenly spaced by sorted name. */
static void choose(struct albums *a, uint64_t sample)
{
    size_t all = expect_artist_count(a->t->expect);
    a->wanted_n = sample != 0 && sample < all ? (size_t)sample : all;
    a->wanted = mem_zero(a->wanted_n, sizeof *a->wanted);
    a->place = mem_zero(all, sizeof *a->place);
    a->found = mem_zero(a->wanted_n, sizeof *a->found);
    for (size_t i = 0; i < a->wanted_n; i++) {
        a->wanted[i] = i * all / a->wanted_n;
        a->place[a->wanted[i]] = i;
    }
}

/* Whether what was found is what the file holds; counts pairs. */
static void check_albums(struct albums *a, uint64_t *pairs)
{
    struct expect_digest got = {0, 0}, want = {0, 0};
    for (size_t i = 0; i < a->wanted_n; i++) {
        const struct expect_artist *artist = expect_artist(a->t->expect, a->wanted[i]);
        for (size_t j = 0; j < artist->album_count; j++) {
            expect_digest_pair(&want, artist->folded, artist->albums[j]);
        }
        for (size_t j = 0; j < a->found[i].n; j++) {
            expect_digest_pair(&got, artist->folded, a->found[i].name[j]);
        }
    }
    *pairs = got.rows;
    a->p->items = a->wanted_n;
    if (!bench_wrong(a->p, got.rows, want.rows, "albums", a->err.text) &&
        !expect_digest_equal(&got, &want)) {
        phase_end(a->p, PHASE_FAILED, "%llu albums as expected, but not the same ones",
                  (unsigned long long)got.rows);
    }
}

static void albums_free(struct albums *a)
{
    judge_free(a->judge);
    for (size_t i = 0; i < a->wanted_n; i++) {
        names_free(&a->found[i]);
    }
    free(a->found);
    free(a->place);
    free(a->wanted);
    free(a->url);
    free(a->use);
    free(a->ddoc);
}

static int run_albums(struct albums *a, uint64_t sample, struct err *err)
{
    struct bench *b = a->b;
    struct phase_result *p = a->p;
    uint64_t pairs = 0;
    int rc = 0;
    choose(a, sample);
    p->item_unit = mem_strdup("artist");
    a->judge = judge_new(KEEP_BYTES, judge_view, a);
    struct load l = {.http = b->http,
                     .concurrency = (unsigned)b->spec->common.concurrency,
                     .retries = (unsigned)b->spec->common.retries,
                     .arg = a,
                     .next = albums_next,
                     .done = albums_done,
                     .meter = bench_meter(b)};
    bench_start(b);
    load_run(&l);
    uint64_t from = uv_hrtime();
    for (size_t i = 0; a->way != BY_VIEW && i < a->wanted_n; i++) {
        names_distinct(&a->found[i]);
    }
    l.busy_ns += uv_hrtime() - from;
    bench_stop(b);
    judge_finish(a->judge);
    if (a->err.kind == ERR_NONE) {
        a->err = a->judged;
    }
    p->requests = l.requests;
    p->client_busy_s = (double)(l.busy_ns + judge_blocked_ns(a->judge)) / 1e9;
    bench_waited(p, &l);
    rc = bench_check_stop(err);
    if (rc == 0 && a->err.kind != ERR_NONE) {
        phase_end(p, PHASE_FAILED, "%s", a->err.text);
    } else if (rc == 0) {
        check_albums(a, &pairs);
        p->facts = p->facts != NULL ? p->facts : json_object();
        json_add_u64(p->facts, "albums", pairs);
        json_add_u64(p->facts, "artists", a->wanted_n);
        json_add_str(p->facts, "grouping", a->grouping);
        json_add_u64(p->facts, "queries", counts_bad(&l.requests) + l.requests.ok);
    }
    return rc;
}

int tunemark_view_albums(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    p->title = mem_strdup("Re-query albums");
    if (!t->index_there[VIA_VIEW]) {
        phase_end(p, PHASE_SKIPPED, "the view was not built");
        return 0;
    }
    struct albums a = {.b = b, .t = t, .p = p, .way = BY_VIEW, .err = ERR_INIT, .judged = ERR_INIT};
    a.ddoc = tunemark_ddoc(b, "view");
    /* keys have two parts: both answer the same rows */
    a.grouping = couch_can(b->couch, CAP_GROUP_LEVEL, b->db, NULL) ? "group_level=2" : "group=true";
    int rc = run_albums(&a, 0, err);
    albums_free(&a);
    return rc;
}

int tunemark_mango_albums(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    p->title = mem_strdup("Re-query albums");
    if (tunemark_skip_mango(b, p)) {
        return 0;
    }
    if (!t->index_there[VIA_MANGO]) {
        phase_end(p, PHASE_SKIPPED, "the index was not built");
        return 0;
    }
    struct albums a = {
        .b = b, .t = t, .p = p, .way = BY_INDEX, .err = ERR_INIT, .judged = ERR_INIT};
    a.url = couch_url_db(b->couch, b->db, "_find");
    a.use = tunemark_mango_use(b);
    int rc = run_albums(&a, 0, err);
    if (rc == 0 && p->state == PHASE_OK) {
        struct buf selector = BUF_INIT(BUF_TEXT_MAX);
        buf_adds(&selector, "{\"Artist\":{\"$eq\":");
        quote_spelling(&selector, expect_artist(t->expect, 0), 0);
        buf_adds(&selector, "}}");
        rc = tunemark_prove_indexed(b, p, selector.data, "[\"Album\"]", a.warning, a.keys_examined,
                                    a.rows, err);
        buf_free(&selector);
    }
    albums_free(&a);
    return rc;
}

int tunemark_albums_unindexed(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    size_t all = expect_artist_count(t->expect);
    p->title = mem_printf("Query albums of %zu artists",
                          t->set->sample < all ? (size_t)t->set->sample : all);
    if (tunemark_skip_mango(b, p)) {
        return 0;
    }
    struct albums a = {.b = b, .t = t, .p = p, .way = BY_SCAN, .err = ERR_INIT, .judged = ERR_INIT};
    a.url = couch_url_db(b->couch, b->db, "_find");
    int rc = run_albums(&a, t->set->sample, err);
    albums_free(&a);
    return rc;
}
