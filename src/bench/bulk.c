#include "bench/bulk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define KEEP_BYTES ((size_t)8 << 20) /* answers kept for judging after the clock */
#define ROW_BYTES 512                /* of a document in an answer to a write, more than enough */
#define REPLY_BYTES ((size_t)64 << 20)
#define SERIES_MAX 100000 /* batches whose times are kept one by one */

void bulk_item_free(struct bulk_item *it)
{
    dataset_batch_free(&it->batch);
    free(it);
}

static void keep_first(char *first, size_t size, const char *text)
{
    if (first[0] == '\0') {
        snprintf(first, size, "%s", text);
    }
}

void bulk_first_error(struct bulk *w, const char *text)
{
    keep_first(w->first_error, sizeof w->first_error, text);
}

/* Judges the rows of one answer, after the clock or in the judge's thread: what it writes to is
 * nobody else's until judge_finish. */
static void judge_item(void *arg, void *item, const char *bytes, size_t len)
{
    struct bulk *w = arg;
    struct bulk_item *it = item;
    struct couch_bulk r;
    struct err err = ERR_INIT;
    size_t n = it->batch.count;
    if (couch_judge_bulk(w->b->couch, bytes, len, it->batch.ids, n, &r, NULL, &err) < 0) {
        w->sum.missing += n;
        keep_first(w->judged_error, sizeof w->judged_error, err.text);
    } else {
        w->sum.ok += r.ok;
        w->sum.conflict += r.conflict;
        w->sum.refused += r.refused;
        w->sum.missing += r.missing;
        w->sum.strange += r.strange;
        keep_first(w->judged_error, sizeof w->judged_error, r.first_error);
    }
    bulk_item_free(it);
}

void bulk_push(struct bulk *w, struct bulk_item *it)
{
    it->next = NULL;
    *w->queue_end = it;
    w->queue_end = &it->next;
}

struct bulk_item *bulk_pop(struct bulk *w)
{
    struct bulk_item *it = w->queue;
    if (it != NULL) {
        w->queue = it->next;
        if (w->queue == NULL) {
            w->queue_end = &w->queue;
        }
    }
    return it;
}

/* Documents [from, from + n) of a batch as a batch of its own. */
static struct bulk_item *part_of(const struct dataset_batch *whole, size_t from, size_t n)
{
    struct bulk_item *it = mem_zero(1, sizeof *it);
    struct dataset_batch *part = &it->batch;
    size_t bytes = 0, shift = whole->at[from] - strlen("{\"docs\":[");
    buf_init(&part->body, BUF_TEXT_MAX);
    dataset_batch_part(whole, from, from + n, &part->body);
    for (size_t i = 0; i < n; i++) {
        bytes += strlen(whole->ids[from + i]) + 1;
    }
    part->count = n;
    part->id_text = mem_alloc(bytes);
    part->ids = mem_zero(n, sizeof *part->ids);
    part->at = mem_zero(n + 1, sizeof *part->at);
    char *text = part->id_text;
    for (size_t i = 0; i <= n; i++) {
        part->at[i] = whole->at[from + i] - shift;
        if (i == n && from + n < whole->count) {
            part->at[i]--; /* its end, before the comma that stands in the whole */
        }
        if (i < n) {
            size_t len = strlen(whole->ids[from + i]) + 1;
            part->ids[i] = memcpy(text, whole->ids[from + i], len);
            text += len;
        }
    }
    return it;
}

/* Two requests in place of one that was refused for its size. */
static void halve(struct bulk *w, struct bulk_item *it)
{
    size_t middle = it->batch.count / 2;
    bulk_push(w, part_of(&it->batch, 0, middle));
    bulk_push(w, part_of(&it->batch, middle, it->batch.count - middle));
    w->halved++;
    bulk_item_free(it);
}

void bulk_op(struct bulk *w, struct bulk_item *it, struct load_op *op)
{
    op->request.method = HTTP_POST;
    op->request.url = w->url;
    op->request.headers = couch_headers(w->b->couch);
    op->request.body = it->batch.body.data;
    op->request.body_len = it->batch.body.len;
    op->request.reply_max = REPLY_BYTES + it->batch.count * ROW_BYTES;
    op->item = it;
}

/* What one answered (or not) request means for its documents. */
void bulk_done(struct bulk *w, struct bulk_item *it, struct http_reply *reply)
{
    size_t n = it->batch.count;
    if (reply->outcome == HTTP_ANSWERED && reply->status / 100 == 2) {
        w->batch_max = n > w->batch_max ? n : w->batch_max;
        w->sent_docs += n;
        w->below_quorum += reply->status == 202;
        if (w->series_n < SERIES_MAX) {
            w->series = mem_grow(w->series, w->series_n, &w->series_cap, sizeof *w->series);
            w->series[w->series_n++] = (double)(reply->end_ns - reply->start_ns) / 1e6;
        }
        buf_free(&it->batch.body); /* ids are all that judging needs */
        judge_add(w->judge, it, &reply->body);
    } else if (reply->outcome == HTTP_ANSWERED && reply->status == 413 && n > 1) {
        halve(w, it); /* nothing was written: no error but a fact, see bulk_close */
        return;
    } else {
        struct err err = ERR_INIT;
        couch_explain(w->b->couch, HTTP_POST, w->url, reply, &err);
        bulk_first_error(w, err.text);
        struct counts one = {0};
        counts_reply(&one, reply);
        w->p->docs.conflict += one.conflict * n;
        w->p->docs.http_error += one.http_error * n;
        w->p->docs.transport_error += one.transport_error * n;
        w->p->docs.timeout += one.timeout * n;
        w->p->docs.unknown += one.unknown * n;
        w->errors += n;
        bulk_item_free(it);
    }
    bench_progress(w->b, w->sent_docs, w->total, w->errors);
}

void bulk_open(struct bulk *w, struct bench *b, struct phase_result *p, uint64_t total)
{
    char tail[64] = "_bulk_docs";
    *w = (struct bulk){.b = b, .p = p, .total = total};
    if (b->spec->common.write_quorum != 0) {
        snprintf(tail, sizeof tail, "_bulk_docs?w=%llu",
                 (unsigned long long)b->spec->common.write_quorum);
    }
    w->url = couch_url_db(b->couch, b->db, tail);
    w->queue_end = &w->queue;
    w->judge = judge_new(KEEP_BYTES, judge_item, w);
}

/* Everything into the phase, after its clock. */
void bulk_close(struct bulk *w, const struct load *l)
{
    struct phase_result *p = w->p;
    judge_finish(w->judge);
    bulk_first_error(w, w->judged_error);
    p->client_busy_s = (double)(l->busy_ns + judge_blocked_ns(w->judge)) / 1e9;
    p->requests.ok += l->requests.ok;
    p->requests.conflict += l->requests.conflict;
    p->requests.http_error += l->requests.http_error - w->halved;
    p->requests.transport_error += l->requests.transport_error;
    p->requests.timeout += l->requests.timeout;
    p->requests.unknown += l->requests.unknown;
    p->requests.retried += l->requests.retried;
    p->docs.ok += w->sum.ok;
    p->docs.conflict += w->sum.conflict;
    p->docs.http_error += w->sum.refused;
    p->docs.unknown += w->sum.missing;
    if (p->facts == NULL) {
        p->facts = json_object();
    }
    json_add_u64(p->facts, "batch_docs_max", w->batch_max);
    if (w->halved > 0) {
        json_add_u64(p->facts, "batches_halved", w->halved);
        phase_note(p,
                   "the server refused %llu batches for their size; the largest accepted one had "
                   "%zu documents",
                   (unsigned long long)w->halved, w->batch_max);
    }
    bench_below_quorum(p, w->below_quorum);
    bench_waited(p, l);
    if (judge_threaded(w->judge)) {
        json_add_bool(p->facts, "judged_in_thread", true);
    }
    phase_series(p, "ms per batch", w->series, w->series_n);
    judge_free(w->judge);
    for (struct bulk_item *it = bulk_pop(w); it != NULL; it = bulk_pop(w)) {
        bulk_item_free(it);
    }
    free(w->series);
    free(w->url);
}
