#include "bench/wl_bulkdocs.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/bulk.h"

enum { TEXT_SAME, TEXT_RANDOM };
static const char *const text_names[] = {"same", "random", NULL};

struct settings {
    uint64_t docs, doc_size;
    int text;
};

#define AT(member) offsetof(struct settings, member)

static const struct opt options[] = {
    {"docs", 0, OPT_COUNT, AT(docs), "10000", 1, 9999999999.0, NULL, "N", "Documents to insert.",
     OPT_AXIS | OPT_WORK},
    {"doc-size", 0, OPT_SIZE, AT(doc_size), "4KiB", 0, 8e6, NULL, "SIZE",
     "Length of each document's text.", OPT_AXIS | OPT_WORK},
    {"text", 0, OPT_CHOICE, AT(text), "same", 0, 0, text_names, "KIND",
     "The text: one letter over and over as in the original, or random letters, since servers "
     "compress.",
     OPT_AXIS | OPT_WORK},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

/* The views. Their map functions differ, so that no server can use one's index for another. */
enum { VIEW_MAP, VIEW_JS_REDUCE, VIEW_BUILTIN, VIEWS };
static const struct {
    const char *name, *value, *reduce;
    enum capability need;
} views[VIEWS] = {
    {"map", "doc.integer % 100", NULL, CAP_DDOC_VIEWS},
    {"js-reduce", "doc.integer / 100", "function(keys, vals) { return sum(vals); }", CAP_JS_REDUCE},
    {"sum", "doc.integer * 2", "_sum", CAP_DDOC_VIEWS},
};
static const char *const ddocs[] = {"map", "js-reduce", "sum", NULL};

struct bulkdocs {
    const struct settings *set;
    char *text;        /* of every document, or a pool that random ones are cut from */
    uint64_t text_len; /* bytes of it */
    uint64_t next_id;  /* for ids() */
    char id[24];
    bool built[VIEWS]; /* in this run */
};

/* ---- documents ------------------------------------------------------------------------------- */

#define POOL_EXTRA 1000003 /* prime: cuts of the pool begin at different places */

static int prepare(const struct spec *spec, void **state, struct err *err)
{
    struct bulkdocs *t = mem_zero(1, sizeof *t);
    (void)err;
    t->set = spec->own;
    t->text_len = t->set->doc_size + (t->set->text == TEXT_RANDOM ? POOL_EXTRA : 0);
    t->text = mem_alloc(t->text_len + 1);
    memset(t->text, 'a', t->text_len);
    if (t->set->text == TEXT_RANDOM) {
        /* 64 letters that JSON leaves as they are: six bits of entropy a byte */
        static const char letters[] =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        struct rng r;
        rng_seed(&r, 20090316);
        rng_fill(&r, t->text, t->text_len);
        for (uint64_t i = 0; i < t->text_len; i++) {
            t->text[i] = letters[(unsigned char)t->text[i] & 63];
        }
    }
    *state = t;
    return 0;
}

static void release(void *state)
{
    struct bulkdocs *t = state;
    free(t->text);
    free(t);
}

static void describe(const void *state, cJSON *work)
{
    const struct bulkdocs *t = state;
    json_add_u64(work, "docs", t->set->docs);
    json_add_u64(work, "doc_size_bytes", t->set->doc_size);
    json_add_str(work, "text", text_names[t->set->text]);
    char docs[32], size[32], summary[160];
    snprintf(summary, sizeof summary, "%s docs with %s of %s text",
             text_grouped(docs, sizeof docs, t->set->docs),
             text_bytes(size, sizeof size, (double)t->set->doc_size,
                        t->set->doc_size % 1024 == 0 && t->set->doc_size % 1000 != 0),
             t->set->text == TEXT_RANDOM ? "random" : "one-letter");
    json_add_str(work, "summary", summary);
}

static int begin(struct bench *b, void *state, struct err *err)
{
    struct bulkdocs *t = state;
    (void)b;
    (void)err;
    memset(t->built, 0, sizeof t->built);
    return 0;
}

static int ids(void *state, bool again, const char **id, struct err *err)
{
    struct bulkdocs *t = state;
    (void)err;
    t->next_id = again ? 0 : t->next_id;
    *id = NULL;
    if (t->next_id < t->set->docs) {
        snprintf(t->id, sizeof t->id, "%010llu", (unsigned long long)t->next_id++);
        *id = t->id;
    }
    return 0;
}

/* Documents [from, from + n) as a batch. */
static struct bulk_item *make_item(const struct bulkdocs *t, uint64_t from, size_t n)
{
    enum { ID_BYTES = 11 };
    struct bulk_item *it = mem_zero(1, sizeof *it);
    struct dataset_batch *batch = &it->batch;
    buf_init(&batch->body, BUF_TEXT_MAX);
    buf_reserve(&batch->body, n * (t->set->doc_size + 64) + 16);
    batch->ids = mem_zero(n, sizeof *batch->ids);
    batch->at = mem_zero(n + 1, sizeof *batch->at);
    batch->id_text = mem_alloc(n * ID_BYTES);
    batch->count = n;
    buf_adds(&batch->body, "{\"docs\":[");
    for (size_t i = 0; i < n; i++) {
        unsigned long long number = from + i;
        char *id = batch->id_text + i * ID_BYTES;
        uint64_t cut = t->set->text == TEXT_RANDOM ? number * 7919 % POOL_EXTRA : 0;
        snprintf(id, ID_BYTES, "%010llu", number);
        batch->ids[i] = id;
        buf_adds(&batch->body, i ? "," : "");
        batch->at[i] = batch->body.len;
        buf_addf(&batch->body, "{\"_id\":\"%s\",\"integer\":%llu,\"text\":\"", id, number);
        buf_add(&batch->body, t->text + cut, t->set->doc_size);
        buf_adds(&batch->body, "\"}");
    }
    batch->at[n] = batch->body.len;
    buf_adds(&batch->body, "]}");
    return it;
}

/* Documents to a request. */
static size_t batch_of(const struct settings *set, const struct spec_settings *c)
{
    uint64_t fits = c->batch_bytes / (set->doc_size + 48), n = c->batch < fits ? c->batch : fits;
    return n != 0 ? (size_t)n : 1;
}

/* Exact for the insert; a design document's length is near enough. */
static int estimate(void *state, const struct spec *spec, const struct phase *phase,
                    struct estimate *out, struct err *err)
{
    enum { FIXED = sizeof "{\"_id\":\"0123456789\",\"integer\":,\"text\":\"\"}" - 1 };
    enum { AROUND = sizeof "{\"docs\":[]}" - 1, DDOC_BYTES = 200 };
    const struct bulkdocs *t = state;
    uint64_t docs = t->set->docs, batch = batch_of(t->set, &spec->common);
    (void)err;
    if (strcmp(phase->name, "insert") != 0) {
        bool first = strstr(phase->name, ".first") != NULL; /* the design document, and the read */
        *out = (struct estimate){first ? 2 : 1, first ? DDOC_BYTES : 0};
        return 0;
    }
    out->requests = (docs + batch - 1) / batch;
    out->bytes = docs * (FIXED + t->set->doc_size) + out->requests * AROUND +
                 (docs - out->requests); /* commas */
    for (uint64_t from = 0, to = 10, digits = 1; from < docs; from = to, to *= 10, digits++) {
        out->bytes += digits * ((to < docs ? to : docs) - from); /* of "integer" */
    }
    return 0;
}

/* ---- insert ---------------------------------------------------------------------------------- */

struct insert {
    struct bulk w;
    const struct bulkdocs *t;
    uint64_t made;
    size_t batch;
};

static struct bulk_item *insert_make(struct insert *in)
{
    uint64_t left = in->t->set->docs - in->made;
    size_t n = left < in->batch ? (size_t)left : in->batch;
    struct bulk_item *it = make_item(in->t, in->made, n);
    in->made += n;
    in->w.p->payload_bytes += it->batch.body.len;
    return it;
}

static int insert_next(void *arg, struct load_op *op)
{
    struct insert *in = arg;
    struct bulk_item *it = bulk_pop(&in->w);
    if (it == NULL && in->made < in->t->set->docs) {
        it = insert_make(in);
    }
    if (it == NULL) {
        return 0;
    }
    bulk_op(&in->w, it, op);
    return 1;
}

static void insert_done(void *arg, void *item, struct http_reply *reply)
{
    struct insert *in = arg;
    bulk_done(&in->w, item, reply);
}

static int run_insert(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct bulkdocs *t = state;
    const struct spec_settings *c = &b->spec->common;
    struct insert in = {.t = t};
    p->title = mem_strdup("Inserting");
    p->item_unit = mem_strdup("doc");
    bulk_open(&in.w, b, p, t->set->docs);
    in.batch = batch_of(t->set, c);
    p->streamed = (t->set->doc_size + 48) * t->set->docs > c->prepare_bytes;
    while (!p->streamed && in.made < t->set->docs) {
        bulk_push(&in.w, insert_make(&in));
    }
    struct load l = {.http = b->http,
                     .concurrency = (unsigned)c->concurrency,
                     .retries = (unsigned)c->retries,
                     .arg = &in,
                     .next = insert_next,
                     .done = insert_done,
                     .meter = bench_meter(b)};
    bench_start(b);
    load_run(&l);
    bench_stop(b);
    bulk_close(&in.w, &l);
    p->items = p->docs.ok;
    if (bench_check_stop(err) < 0) {
        return -1;
    }
    if (!bench_wrong(p, p->docs.ok, t->set->docs, "documents written", in.w.first_error)) {
        bench_check_stored(b, p, t->set->docs);
    }
    return 0;
}

/* ---- views ----------------------------------------------------------------------------------- */

struct sum {
    double total;
    uint64_t rows, bad;
};

static int add_row(void *arg, const struct couch_row *row)
{
    struct sum *s = arg;
    char text[64], *end;
    s->rows++;
    if (row->value.at == NULL || row->value.len >= sizeof text) {
        s->bad++;
        return 0;
    }
    memcpy(text, row->value.at, row->value.len);
    text[row->value.len] = '\0';
    s->total += strtod(text, &end);
    s->bad += *end != '\0';
    return 0;
}

/* What the values of a view must add up to. */
static double expected_sum(int view, uint64_t docs)
{
    double n = (double)docs, all = n * (n - 1) / 2; /* 0 + 1 + … + docs - 1 */
    if (view == VIEW_JS_REDUCE) {
        return all / 100;
    }
    if (view == VIEW_BUILTIN) {
        return all * 2;
    }
    uint64_t hundreds = docs / 100, rest = docs % 100;
    return (double)hundreds * 4950 + (double)rest * ((double)rest - 1) / 2;
}

/* Rows and their sum: fractions to 1e-9 relative, since servers add them in different orders. */
static void check_view(int view, const struct bulkdocs *t, const struct sum *s,
                       struct phase_result *p)
{
    double want = expected_sum(view, t->set->docs);
    uint64_t rows = views[view].reduce != NULL ? 1 : t->set->docs;
    if (bench_wrong(p, s->rows, rows, "rows", NULL)) {
        return;
    }
    if (s->bad > 0 || fabs(s->total - want) > 1e-9 * fabs(want)) {
        phase_end(p, PHASE_FAILED, "the values add up to %.17g, expected %.17g", s->total, want);
    }
}

/* The first read builds the view: it is timed from the PUT of the design document. */
static int read_view(struct bench *b, struct bulkdocs *t, struct phase_result *p, int view,
                     bool first, struct err *err)
{
    const char *why;
    /* a build works on documents; a built view answers rows, of which a reduced one has one */
    p->item_unit = mem_strdup(first ? "doc" : "row");
    if (!couch_can(b->couch, views[view].need, b->db, &why)) {
        phase_end(p, PHASE_SKIPPED, "%s", why);
        return 0;
    }
    if (!first && !t->built[view]) {
        phase_end(p, PHASE_SKIPPED, "the view was not built");
        return 0;
    }
    bool meta = couch_dialect(b->couch)->view_meta;
    char *ddoc = bench_ddoc(views[view].name, b->token);
    char *map = mem_printf("function(%s) { emit(%s, %s); }", meta ? "doc, meta" : "doc",
                           meta ? "meta.id" : "doc._id", views[view].value);
    char *json = bench_view_json(b, map, views[view].reduce);
    char *url = couch_url_view(b->couch, b->db, ddoc, "rows", NULL);
    struct http_request get = {.method = HTTP_GET,
                               .url = url,
                               .headers = couch_headers(b->couch),
                               .timeout_ns = b->spec->common.build_timeout_ns,
                               .reply_max = (size_t)1 << 30};
    struct http_reply reply;
    struct sum sum = {0, 0, 0};
    int rc;
    if (first) {
        rc = bench_build(b, p, ddoc, json, &get, &reply, err);
    } else {
        bench_start(b);
        rc = bench_call(b, &get, &reply, err);
        bench_stop(b);
    }
    if (rc == 0) {
        rc = couch_judge_view(buf_text(&reply.body), reply.body.len, add_row, &sum, NULL, err);
    }
    if (rc == 0) {
        p->items = first ? t->set->docs : sum.rows;
        check_view(view, t, &sum, p);
        t->built[view] = p->state == PHASE_OK;
    }
    buf_free(&reply.body);
    free(url);
    free(json);
    free(map);
    free(ddoc);
    return rc;
}

#define VIEW_PHASES(name, view, title_text)                                                        \
    static int name##_first(struct bench *b, void *state, struct phase_result *p, struct err *err) \
    {                                                                                              \
        p->title = mem_strdup(title_text);                                                         \
        return read_view(b, state, p, view, true, err);                                            \
    }                                                                                              \
    static int name##_again(struct bench *b, void *state, struct phase_result *p, struct err *err) \
    {                                                                                              \
        p->title = mem_strdup(title_text ", again");                                               \
        return read_view(b, state, p, view, false, err);                                           \
    }

VIEW_PHASES(map, VIEW_MAP, "Map only")
VIEW_PHASES(js_reduce, VIEW_JS_REDUCE, "With JavaScript reduce")
VIEW_PHASES(builtin, VIEW_BUILTIN, "With built-in _sum")

static const struct phase phases[] = {
    {"insert", NULL, run_insert, true, 0},
    {"map.first", "view", map_first, false, 0},
    {"map.again", "view", map_again, false, 0},
    {"js-reduce.first", "view", js_reduce_first, false, 0},
    {"js-reduce.again", "view", js_reduce_again, false, 0},
    {"sum.first", "view", builtin_first, false, 0},
    {"sum.again", "view", builtin_again, false, 0},
};

static const char *const unused[] = {"read-quorum", NULL}; /* views have none */

const struct workload wl_bulkdocs = {
    .name = "bulkdocs",
    .summary = "bulkdocs: uniform documents inserted in batches, and three views of them",
    .options = options,
    .settings_size = sizeof(struct settings),
    .runs = 3,
    .unused = unused,
    .phases = phases,
    .phases_n = sizeof phases / sizeof phases[0],
    .bulk_phase = "insert",
    .ddocs = ddocs,
    .prepare = prepare,
    .describe = describe,
    .estimate = estimate,
    .begin = begin,
    .ids = ids,
    .release = release,
};
