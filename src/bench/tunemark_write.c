/* The steps of TuneMark that write: import, play counts, artist names. */
#include "bench/tunemark.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/bulk.h"
#include "bench/track.h"

/* ---- import ---------------------------------------------------------------------------------- */

struct import {
    struct bulk w; /* first: the judge's and the load's argument is the same */
    struct tunemark *t;
    bool streamed, read_all;
    struct err err;
};

/* The next batch of the file as an item; NULL after the last or on trouble. */
static struct bulk_item *read_item(struct import *im)
{
    const struct spec_settings *c = &im->w.b->spec->common;
    struct bulk_item *it = mem_zero(1, sizeof *it);
    int rc = dataset_batch(im->t->data, c->batch, c->batch_bytes, &it->batch, &im->err);
    if (rc <= 0) {
        free(it);
        im->read_all = true;
        return NULL;
    }
    im->w.p->payload_bytes += it->batch.body.len;
    return it;
}

static int import_next(void *arg, struct load_op *op)
{
    struct import *im = arg;
    struct bulk_item *it = bulk_pop(&im->w);
    if (it == NULL && im->streamed && !im->read_all) {
        it = read_item(im);
    }
    if (it == NULL) {
        return 0;
    }
    bulk_op(&im->w, it, op);
    return 1;
}

static void import_done(void *arg, void *item, struct http_reply *reply)
{
    struct import *im = arg;
    bulk_done(&im->w, item, reply);
}

/* All bodies before the clock, if they fit; else the rest is read during the phase. */
static void prepare_bodies(struct import *im)
{
    const struct dataset_summary *s = im->t->sum;
    uint64_t about = s->doc_bytes + s->docs * 32; /* the spliced ids */
    im->streamed = about > im->w.b->spec->common.prepare_bytes;
    while (!im->streamed && !im->read_all) {
        struct bulk_item *it = read_item(im);
        if (it != NULL) {
            bulk_push(&im->w, it);
        }
    }
}

int tunemark_import(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct import im = {.t = state, .err = ERR_INIT};
    uint64_t docs = im.t->sum->docs;
    bulk_open(&im.w, b, p, docs);
    p->title = mem_printf("Import %llu docs", (unsigned long long)docs);
    p->item_unit = mem_strdup("doc");
    if (dataset_rewind(im.t->data, &im.err) == 0) {
        prepare_bodies(&im);
    }
    struct load l = {.http = b->http,
                     .concurrency = (unsigned)b->spec->common.concurrency,
                     .retries = (unsigned)b->spec->common.retries,
                     .arg = &im,
                     .next = import_next,
                     .done = import_done,
                     .meter = bench_meter(b)};
    p->streamed = im.streamed;
    bench_start(b);
    load_run(&l);
    bench_stop(b);
    bulk_close(&im.w, &l);
    p->items = p->docs.ok;
    if (bench_check_stop(err) < 0) {
        return -1;
    }
    if (im.err.kind != ERR_NONE) {
        *err = im.err;
        return -1;
    }
    if (!bench_wrong(p, p->docs.ok, docs, "documents written", im.w.first_error)) {
        bench_check_stored(b, p, docs);
    }
    return 0;
}

#define READ_BYTES ((size_t)64 << 20)
#define READ_ROW_BYTES 512

/* ---- updates: read every document, change some, write them back ------------------------------ */

struct update {
    struct bulk w;
    /* 1: `out` got the changed document; 0: it stays as it is; -1: it cannot be changed */
    int (*change)(struct buf *out, struct json_span doc);
    size_t page; /* documents to a read */
    char *start; /* key of the next page, JSON; NULL: the first */
    bool reading, read_all;
    uint64_t read_docs, reads;
    struct bulk_item *building; /* collects documents until a batch is full */
    size_t at_cap;
    struct buf ids; /* its ids, NUL after each */
    char *url;      /* of the page being read */
    struct err err;
};

static void build_flush(struct update *u)
{
    struct bulk_item *it = u->building;
    if (it == NULL || it->batch.count == 0) {
        return;
    }
    struct dataset_batch *batch = &it->batch;
    buf_adds(&batch->body, "]}");
    batch->ids = mem_zero(batch->count, sizeof *batch->ids);
    batch->id_text = buf_take(&u->ids, NULL);
    const char *text = batch->id_text;
    for (size_t i = 0; i < batch->count; i++) {
        batch->ids[i] = text;
        text += strlen(text) + 1;
    }
    u->w.p->payload_bytes += batch->body.len;
    bulk_push(&u->w, it);
    u->building = NULL;
}

static void build_add(struct update *u, struct json_span doc, const char *id)
{
    const struct spec_settings *c = &u->w.b->spec->common;
    if (u->building == NULL) {
        u->building = mem_zero(1, sizeof *u->building);
        buf_init(&u->building->batch.body, BUF_TEXT_MAX);
        buf_adds(&u->building->batch.body, "{\"docs\":[");
        u->at_cap = 0;
    }
    struct dataset_batch *batch = &u->building->batch;
    size_t before = batch->body.len;
    if (batch->count > 0) {
        buf_addc(&batch->body, ',');
    }
    batch->at = mem_grow(batch->at, batch->count + 1, &u->at_cap, sizeof *batch->at);
    batch->at[batch->count] = batch->body.len;
    int rc = u->change(&batch->body, doc);
    if (rc <= 0) {
        batch->body.len = before;
        if (rc < 0) {
            err_set(&u->err, ERR_STEP, "the document %s cannot be changed", id);
        }
        return;
    }
    batch->count++;
    batch->at = mem_grow(batch->at, batch->count + 1, &u->at_cap, sizeof *batch->at);
    batch->at[batch->count] = batch->body.len;
    buf_add(&u->ids, id, strlen(id) + 1);
    if (batch->count >= c->batch || batch->body.len >= c->batch_bytes) {
        build_flush(u);
    }
}

struct page {
    struct update *u;
    size_t rows;
};

static int page_row(void *arg, const struct couch_row *row)
{
    struct page *page = arg;
    struct update *u = page->u;
    page->rows++;
    char *id = json_decode(row->id, NULL);
    if (id == NULL) {
        err_set(&u->err, ERR_STEP, "_all_docs: a row without an id");
        return -1;
    }
    if (page->rows > u->page) { /* one more than the page: where the next one begins */
        u->start = mem_strndup(row->id.at, row->id.len);
    } else if (strncmp(id, "_design/", 8) != 0) {
        if (row->doc.at == NULL) {
            err_set(&u->err, ERR_STEP, "_all_docs: %s came without its document", id);
        } else {
            u->read_docs++;
            build_add(u, row->doc, id);
        }
    }
    free(id);
    return 0;
}

/* Cuts one answer of _all_docs into documents to write. */
static void page_read(struct update *u, struct http_reply *reply)
{
    struct page page = {u, 0};
    u->reading = false;
    free(u->start);
    u->start = NULL;
    if (reply->outcome != HTTP_ANSWERED || reply->status != 200) {
        if (u->err.kind == ERR_NONE) {
            couch_explain(u->w.b->couch, HTTP_GET, u->url, reply, &u->err);
        }
    } else if (couch_judge_view(buf_text(&reply->body), reply->body.len, page_row, &page, NULL,
                                u->err.kind == ERR_NONE ? &u->err : NULL) < 0) {
        bulk_first_error(&u->w, u->err.text);
    }
    if (u->start == NULL || u->err.kind != ERR_NONE) {
        u->read_all = true;
        build_flush(u);
    }
}

static void page_op(struct update *u, struct load_op *op)
{
    struct buf tail = BUF_INIT(BUF_TEXT_MAX);
    buf_addf(&tail, "_all_docs?include_docs=true&limit=%zu", u->page + 1);
    if (u->start != NULL) {
        buf_adds(&tail, "&startkey=");
        couch_escape(&tail, u->start, strlen(u->start));
    }
    free(u->url);
    u->url = couch_url_db(u->w.b->couch, u->w.b->db, tail.data);
    buf_free(&tail);
    op->request.method = HTTP_GET;
    op->request.url = u->url;
    op->request.headers = couch_headers(u->w.b->couch);
    /* documents as they were written, each with a row around it; they may be long ones */
    op->request.reply_max =
        READ_BYTES + 4 * (size_t)u->w.b->spec->common.batch_bytes + u->page * READ_ROW_BYTES;
    op->item = NULL; /* a read */
    u->reading = true;
    u->reads++;
}

/* Writes go first; the next page is read when nothing waits to be written, one at a time. */
static int update_next(void *arg, struct load_op *op)
{
    struct update *u = arg;
    struct bulk_item *it = bulk_pop(&u->w);
    if (it != NULL) {
        bulk_op(&u->w, it, op);
        return 1;
    }
    if (u->reading || u->read_all) {
        return 0;
    }
    page_op(u, op);
    return 1;
}

static void update_done(void *arg, void *item, struct http_reply *reply)
{
    struct update *u = arg;
    if (item == NULL) {
        page_read(u, reply);
    } else {
        bulk_done(&u->w, item, reply);
    }
}

static int update(struct bench *b, struct tunemark *t, struct phase_result *p,
                  int (*change)(struct buf *out, struct json_span doc), uint64_t expected,
                  struct err *err)
{
    const struct spec_settings *c = &b->spec->common;
    struct update u = {.change = change, .ids = BUF_INIT(BUF_TEXT_MAX), .err = ERR_INIT};
    uint64_t mean = t->sum->docs ? t->sum->doc_bytes / t->sum->docs + 1 : 1;
    u.page = c->batch < c->batch_bytes / mean ? c->batch : c->batch_bytes / mean;
    u.page = u.page ? u.page : 1;
    bulk_open(&u.w, b, p, expected);
    struct load l = {.http = b->http,
                     .concurrency = (unsigned)c->concurrency,
                     .retries = (unsigned)c->retries,
                     .arg = &u,
                     .next = update_next,
                     .done = update_done,
                     .meter = bench_meter(b)};
    p->streamed = true; /* what is written depends on what was read */
    bench_start(b);
    load_run(&l);
    bench_stop(b);
    p->facts = json_object();
    json_add_u64(p->facts, "docs_read", u.read_docs);
    json_add_u64(p->facts, "read_page_docs", u.page);
    json_add_u64(p->facts, "reads", u.reads);
    bulk_close(&u.w, &l);
    if (u.building != NULL) {
        bulk_item_free(u.building);
    }
    buf_free(&u.ids);
    free(u.start);
    free(u.url);
    p->items = p->docs.ok;
    if (bench_check_stop(err) < 0) {
        return -1;
    }
    if (u.err.kind != ERR_NONE) {
        phase_end(p, PHASE_FAILED, "%s", u.err.text);
    } else if (!bench_wrong(p, u.read_docs, t->sum->docs, "documents read", NULL)) {
        bench_wrong(p, p->docs.ok, expected, "documents updated", u.w.first_error);
    }
    return 0;
}

static int play_count(struct buf *out, struct json_span doc)
{
    return track_play_count_plus_one(out, doc) < 0 ? -1 : 1;
}

int tunemark_play_counts(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    p->title = mem_printf("Update %llu play counts", (unsigned long long)t->sum->docs);
    p->item_unit = mem_strdup("doc");
    return update(b, t, p, play_count, t->sum->docs, err);
}

int tunemark_artist_names(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct tunemark *t = state;
    p->title = mem_printf("Update %llu artist names", (unsigned long long)t->sum->the_docs);
    p->item_unit = mem_strdup("update");
    return update(b, t, p, track_artist_without_the, t->sum->the_docs, err);
}
