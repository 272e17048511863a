#include "bench/wl_objects.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bench/blob.h"
#include "bench/load.h"

enum action { INGEST, READ, UPDATE, DELETE, ACTIONS };
static const char *const action_names[] = {"ingest", "read", "update", "delete", NULL};

struct settings {
    uint64_t objects, size, group;
    uint32_t actions;
    bool inlined;
};

#define AT(member) offsetof(struct settings, member)

static const struct opt options[] = {
    {"objects", 0, OPT_COUNT, AT(objects), "1000", 1, 8000000, NULL, "N", "Objects.",
     OPT_AXIS | OPT_WORK},
    {"object-size", 0, OPT_SIZE, AT(size), "100kB", 1, 4e9, NULL, "SIZE",
     "Bytes of each: k, m, g are units of 1,000; Ki, Mi, Gi of 1,024.", OPT_AXIS | OPT_WORK},
    {"action", 0, OPT_SET, AT(actions), "ingest,read,update,delete", 0, 0, action_names, "LIST",
     "What is done with them; ingest comes first in any case.", OPT_WORK},
    {"group", 0, OPT_COUNT, AT(group), "100", 1, 8000000, NULL, "N",
     "Objects to a group, whose times are the series.", OPT_AXIS | OPT_WORK},
    {"inline", 0, OPT_FLAG, AT(inlined), NULL, 0, 0, NULL, NULL,
     "The same bytes as base64 within the document, in place of an attachment's own request.",
     OPT_WORK},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

#define ATTACHMENT "content"
#define TYPE \
    "application/octet-stream" /* text types are stored gzipped, which changes the digest */
#define ID_SIZE 32
#define KEEP_BYTES 4096 /* of an answer that is not the object */

/* What an object is known by after a write: enough for its next one. A revision is a generation and
 * a digest of 32 hexadecimal digits, kept as 16 bytes so that memory hardly grows with objects. */
struct rev {
    uint32_t generation; /* 0: not written (or lost) */
    unsigned char digest[16];
    unsigned char version; /* of the content: 0 ingested, 1 updated */
};

struct objects {
    const struct settings *set;
    struct blobs *blobs;
    struct rev *revs;
    uint64_t next_id; /* for ids() */
    char id[ID_SIZE];
};

static int prepare(const struct spec *spec, void **state, struct err *err)
{
    struct objects *t = mem_zero(1, sizeof *t);
    (void)err;
    t->set = spec->own;
    t->blobs = blobs_new(t->set->size);
    t->revs = mem_zero(t->set->objects, sizeof *t->revs);
    *state = t;
    return 0;
}

static void release(void *state)
{
    struct objects *t = state;
    blobs_free(t->blobs);
    free(t->revs);
    free(t);
}

static void describe(const void *state, cJSON *work)
{
    const struct objects *t = state;
    char *actions = option_show(option_find(options, "action"), t->set);
    json_add_u64(work, "objects", t->set->objects);
    json_add_u64(work, "object_size_bytes", t->set->size);
    json_add_str(work, "actions", actions);
    json_add_bool(work, "inline", t->set->inlined);
    json_add_u64(work, "group", t->set->group);
    char objects[32], size[32], summary[160];
    snprintf(summary, sizeof summary, "%s objects of %s (%llu bytes)%s",
             text_grouped(objects, sizeof objects, t->set->objects),
             text_bytes(size, sizeof size, (double)t->set->size,
                        t->set->size % 1024 == 0 && t->set->size % 1000 != 0),
             (unsigned long long)t->set->size,
             t->set->inlined ? ", inline as base64" : ", one attachment each");
    json_add_str(work, "summary", summary);
    free(actions);
}

static bool wanted(const void *state, const struct phase *phase)
{
    const struct objects *t = state;
    return phase->step == INGEST || (t->set->actions >> phase->step & 1u);
}

static int begin(struct bench *b, void *state, struct err *err)
{
    struct objects *t = state;
    (void)b;
    (void)err;
    memset(t->revs, 0, t->set->objects * sizeof *t->revs);
    return 0;
}

static void id_of(uint64_t number, char *out)
{
    snprintf(out, ID_SIZE, "object-%010llu", (unsigned long long)number);
}

static int ids(void *state, bool again, const char **id, struct err *err)
{
    struct objects *t = state;
    (void)err;
    t->next_id = again ? 0 : t->next_id;
    *id = NULL;
    if (t->next_id < t->set->objects) {
        id_of(t->next_id++, t->id);
        *id = t->id;
    }
    return 0;
}

/* ---- revisions --------------------------------------------------------------------------------
 */

static int hex_digit(char c)
{
    return c >= '0' && c <= '9' ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

/* "3-0123…" -> rev; false if it has another form. */
static bool rev_parse(const char *s, struct rev *rev)
{
    char *dash;
    unsigned long generation = strtoul(s, &dash, 10);
    if (*dash != '-' || generation == 0 || generation > UINT32_MAX || strlen(dash + 1) != 32) {
        return false;
    }
    for (int i = 0; i < 16; i++) {
        int hi = hex_digit(dash[1 + 2 * i]), lo = hex_digit(dash[2 + 2 * i]);
        if (hi < 0 || lo < 0) {
            return false;
        }
        rev->digest[i] = (unsigned char)(hi * 16 + lo);
    }
    rev->generation = (uint32_t)generation;
    return true;
}

static void rev_print(const struct rev *rev, char *out, size_t size)
{
    size_t n = (size_t)snprintf(out, size, "%u-", (unsigned)rev->generation);
    for (size_t i = 0; i < 16; i++) {
        snprintf(out + n + 2 * i, size - n - 2 * i, "%02x", rev->digest[i]);
    }
}

/* ---- one request an object --------------------------------------------------------------------
 */

struct act;

/* A request in flight. Slots are reused: there are as many as requests in flight. */
struct slot {
    struct act *act;
    uint64_t number;
    unsigned version; /* of the content sent or expected */
    char *url;
    uint64_t received; /* bytes of the object's answer so far */
    bool differs;      /* they are not the object's */
    struct buf head;   /* inline: what comes before and after the base64 text */
    struct slot *free_next;
};

struct act {
    struct bench *b;
    struct objects *t;
    struct phase_result *p;
    enum action action;
    uint64_t next, done, ok;
    uint64_t expected;     /* objects that it is for */
    uint64_t below_quorum; /* writes answered 202 */
    struct slot *free_slots;
    uint64_t digests_checked, digests_wrong, wrong;
    uint64_t busy_ns; /* comparing and encoding within libcurl's callbacks */
    char error[400];  /* the first */
    /* the series */
    double *ms;
    size_t ms_n, ms_cap;
    uint64_t group_ns; /* when the running group began */
    uint64_t group_ok;
    /* digests to be compared after the clock: of objects read, by number */
    char (*etags)[28];
};

static const char inline_head[] =
    "{\"_attachments\":{\"" ATTACHMENT "\":{\"content_type\":\"" TYPE "\",\"data\":\"";
static const char inline_tail[] = "\"}}}";

static void note_error(struct act *a, const char *text)
{
    if (a->error[0] == '\0') {
        snprintf(a->error, sizeof a->error, "%s", text);
    }
}

/* Request body: the object as it is, or as base64 between head and tail. */
static size_t read_raw(void *arg, uint64_t offset, void *out, size_t size)
{
    struct slot *s = arg;
    return blob_copy(s->act->t->blobs, s->number, s->version, offset, out, size);
}

static size_t read_inline(void *arg, uint64_t offset, void *out, size_t size)
{
    struct slot *s = arg;
    uint64_t base64 = blob_base64_size(s->act->t->blobs), from = uv_hrtime();
    size_t done = 0;
    while (done < size) {
        uint64_t at = offset + done;
        size_t n = 0;
        if (at < s->head.len) {
            n = s->head.len - (size_t)at;
            n = n < size - done ? n : size - done;
            memcpy((char *)out + done, s->head.data + at, n);
        } else if (at - s->head.len < base64) {
            n = blob_copy_base64(s->act->t->blobs, s->number, s->version, at - s->head.len,
                                 (char *)out + done, size - done);
        } else if (at - s->head.len - base64 < sizeof inline_tail - 1) {
            uint64_t tail = at - s->head.len - base64;
            n = sizeof inline_tail - 1 - (size_t)tail;
            n = n < size - done ? n : size - done;
            memcpy((char *)out + done, inline_tail + tail, n);
        }
        if (n == 0) {
            break;
        }
        done += n;
    }
    s->act->busy_ns += uv_hrtime() - from;
    return done;
}

/* The answer to a read: compared as it comes, so that nothing of it is kept. */
static int take_raw(void *arg, const void *bytes, size_t n)
{
    struct slot *s = arg;
    uint64_t from = uv_hrtime();
    s->differs =
        s->differs || !blob_equal(s->act->t->blobs, s->number, s->version, s->received, bytes, n);
    s->received += n;
    s->act->busy_ns += uv_hrtime() - from;
    return 0;
}

/* Inline: the text before "data":" is kept (bounded), the base64 compared, the rest only counted.
 */
static int take_inline(void *arg, const void *bytes, size_t n)
{
    static const char mark[] = "\"data\":\"";
    struct slot *s = arg;
    const char *p = bytes;
    uint64_t from = uv_hrtime(), base64 = blob_base64_size(s->act->t->blobs);
    while (n > 0) {
        bool found =
            s->head.len >= sizeof mark - 1 &&
            memcmp(s->head.data + s->head.len - (sizeof mark - 1), mark, sizeof mark - 1) == 0;
        if (!found) {
            if (buf_addc(&s->head, *p) < 0) {
                s->differs = true;
                break;
            }
            p++;
            n--;
        } else {
            char want[8192];
            size_t part = n < sizeof want ? n : sizeof want;
            size_t got =
                blob_copy_base64(s->act->t->blobs, s->number, s->version, s->received, want, part);
            s->differs = s->differs || memcmp(p, want, got) != 0;
            s->received += got;
            if (got < part) { /* past its end: what follows is JSON again */
                s->differs = s->differs || s->received != base64 || p[got] != '"';
                break;
            }
            p += part;
            n -= part;
        }
    }
    s->act->busy_ns += uv_hrtime() - from;
    return 0;
}

static struct slot *slot_take(struct act *a)
{
    struct slot *s = a->free_slots;
    if (s != NULL) {
        a->free_slots = s->free_next;
    } else {
        s = mem_zero(1, sizeof *s);
        buf_init(&s->head, KEEP_BYTES);
    }
    s->act = a;
    s->received = 0;
    s->differs = false;
    buf_clear(&s->head);
    return s;
}

static void slot_give(struct act *a, struct slot *s)
{
    free(s->url);
    s->url = NULL;
    s->free_next = a->free_slots;
    a->free_slots = s;
}

/* rev=… where there is a revision that the URL must name (inline, a written document names it
 * itself), and the quorum asked for; NULL: neither. The caller frees. */
static char *query_of(const struct act *a, const struct rev *rev)
{
    const struct spec_settings *c = &a->b->spec->common;
    uint64_t quorum = a->action == READ ? c->read_quorum : c->write_quorum;
    bool inlined = a->t->set->inlined, named = inlined ? a->action == DELETE : a->action != READ;
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    if (rev->generation != 0 && named) {
        char text[64];
        rev_print(rev, text, sizeof text);
        buf_addf(&out, "rev=%s", text);
    }
    if (inlined && a->action == READ) {
        buf_adds(&out, "attachments=true");
    }
    if (quorum != 0) {
        buf_addf(&out, "%s%c=%llu", out.len > 0 ? "&" : "", a->action == READ ? 'r' : 'w',
                 (unsigned long long)quorum);
    }
    return out.len > 0 ? buf_take(&out, NULL) : NULL;
}

static void fill_write(struct act *a, struct slot *s, const struct rev *rev, struct load_op *op)
{
    struct http_request *r = &op->request;
    r->method = HTTP_PUT;
    if (a->t->set->inlined) {
        char text[64];
        r->headers = couch_headers(a->b->couch);
        if (rev->generation != 0) {
            rev_print(rev, text, sizeof text);
            buf_addf(&s->head, "{\"_rev\":\"%s\",%s", text, inline_head + 1);
        } else {
            buf_adds(&s->head, inline_head);
        }
        r->body_len = s->head.len + blob_base64_size(a->t->blobs) + sizeof inline_tail - 1;
        op->read = read_inline;
    } else {
        r->headers = couch_headers_type(a->b->couch, TYPE);
        r->body_len = a->t->set->size;
        op->read = read_raw;
    }
}

static int act_next(void *arg, struct load_op *op)
{
    struct act *a = arg;
    struct objects *t = a->t;
    /* what was not written, or is gone, is not asked for: it was counted where it failed */
    while (a->action != INGEST && a->next < t->set->objects && t->revs[a->next].generation == 0) {
        a->next++;
    }
    if (a->next >= t->set->objects) {
        return 0;
    }
    struct slot *s = slot_take(a);
    struct rev *rev = &t->revs[a->next];
    char id[ID_SIZE];
    s->number = a->next++;
    s->version = a->action == READ ? rev->version : a->action == UPDATE ? 1 : 0;
    id_of(s->number, id);
    char *query = query_of(a, rev);
    s->url = a->action == DELETE || t->set->inlined
                 ? couch_url_doc(a->b->couch, a->b->db, id, query)
                 : couch_url_attachment(a->b->couch, a->b->db, id, ATTACHMENT, query);
    free(query);
    op->request.url = s->url;
    op->request.headers = couch_headers(a->b->couch);
    op->request.timeout_ns = a->b->spec->common.timeout_ns;
    op->item = s;
    if (a->action == INGEST || a->action == UPDATE) {
        fill_write(a, s, rev, op);
    } else if (a->action == READ) {
        op->request.method = HTTP_GET;
        op->sink = t->set->inlined ? take_inline : take_raw;
    } else {
        op->request.method = HTTP_DELETE;
    }
    return 1;
}

/* Every `group` successes are a group: the time since the one before ended. */
static void group_done(struct act *a, uint64_t now)
{
    a->ok++;
    if (++a->group_ok == a->t->set->group) {
        a->ms = mem_grow(a->ms, a->ms_n, &a->ms_cap, sizeof *a->ms);
        a->ms[a->ms_n++] = (double)(now - a->group_ns) / 1e6;
        a->group_ns = now;
        a->group_ok = 0;
    }
}

/* Takes the new revision out of {"ok":true,"id":…,"rev":…}. */
static bool take_rev(struct act *a, const struct slot *s, const struct http_reply *reply)
{
    struct json_span span;
    struct rev *rev = &a->t->revs[s->number];
    bool good = json_validate(buf_text(&reply->body), reply->body.len, NULL) == 0 &&
                json_member(reply->body.data, reply->body.len, "rev", &span, NULL);
    char *text = good ? json_decode(span, NULL) : NULL;
    good = text != NULL && rev_parse(text, rev);
    if (!good) {
        note_error(a, "the answer to a write gives no revision");
        rev->generation = 0;
    }
    rev->version = (unsigned char)s->version;
    free(text);
    return good;
}

/* An ETag of an attachment is its MD5 in base64 (CouchDB, PouchDB): compared after the clock. */
static void keep_etag(struct act *a, const struct slot *s, const struct http_reply *reply)
{
    const char *e = reply->etag;
    size_t n = strlen(e);
    if (n == 26 && e[0] == '"' && e[25] == '"') {
        e++;
        n = 24;
    }
    if (n == 24 && e[23] == '=') {
        memcpy(a->etags[s->number], e, 24);
        a->etags[s->number][24] = '\0';
    }
}

static bool read_good(struct act *a, struct slot *s, const struct http_reply *reply)
{
    uint64_t want = a->t->set->inlined ? blob_base64_size(a->t->blobs) : a->t->set->size;
    if (s->received != want || s->differs) {
        char text[200];
        snprintf(text, sizeof text, "object %llu came back %s (%llu of %llu bytes)",
                 (unsigned long long)s->number,
                 s->received != want ? "with another length" : "changed",
                 (unsigned long long)s->received, (unsigned long long)want);
        note_error(a, text);
        return false;
    }
    if (a->etags != NULL) {
        keep_etag(a, s, reply);
    }
    return true;
}

static void act_done(void *arg, void *item, struct http_reply *reply)
{
    struct act *a = arg;
    struct slot *s = item;
    struct counts *c = &a->p->docs;
    bool good = reply->outcome == HTTP_ANSWERED && reply->status / 100 == 2;
    if (!good) {
        struct err err = ERR_INIT;
        struct counts one = {0};
        couch_explain(a->b->couch,
                      a->action == READ     ? HTTP_GET
                      : a->action == DELETE ? HTTP_DELETE
                                            : HTTP_PUT,
                      s->url, reply, &err);
        note_error(a, err.text);
        counts_reply(&one, reply);
        counts_add(c, &one);
    } else if (a->action == READ ? !read_good(a, s, reply)
                                 : a->action != DELETE && !take_rev(a, s, reply)) {
        a->wrong++;
        c->http_error++;
    } else {
        c->ok++;
        a->below_quorum += a->action != READ && reply->status == 202;
        group_done(a, reply->end_ns);
        a->p->payload_bytes += a->action == DELETE ? 0 : a->t->set->size;
        if (a->action == DELETE) {
            a->t->revs[s->number].generation = 0;
        }
    }
    a->done++;
    slot_give(a, s);
    bench_progress(a->b, a->done, a->t->set->objects, counts_bad(c));
}

/* ---- after the clock --------------------------------------------------------------------------
 */

/* The digests that the server gave, against our own. */
static void check_digests(struct act *a)
{
    for (uint64_t i = 0; a->etags != NULL && i < a->t->set->objects; i++) {
        if (a->etags[i][0] != '\0') {
            char md5[28];
            blob_md5(a->t->blobs, i, a->t->revs[i].version, md5);
            a->digests_checked++;
            if (strcmp(md5, a->etags[i]) != 0) {
                a->digests_wrong++;
                note_error(a, "a digest given by the server is not the MD5 of the object");
            }
        }
    }
}

static void act_facts(const struct act *a)
{
    struct phase_result *p = a->p;
    p->facts = json_object();
    json_add_u64(p->facts, "group_objects", a->t->set->group);
    bench_below_quorum(p, a->below_quorum);
    if (a->action == READ) {
        json_add_u64(p->facts, "compared_byte_by_byte", a->ok);
        json_add_u64(p->facts, "md5_checked", a->digests_checked);
        if (a->digests_checked == 0 && a->ok > 0) {
            phase_note(p, "the server gives no MD5 digest; bytes were compared one by one");
        }
    }
    char name[80], count[32];
    snprintf(name, sizeof name, "ms per %s objects",
             text_grouped(count, sizeof count, a->t->set->group));
    phase_series(p, name, a->ms, a->ms_n);
}

static void check_act(struct act *a)
{
    static const char *const past[] = {"ingested", "read", "updated", "deleted"};
    struct phase_result *p = a->p;
    char what[40];
    snprintf(what, sizeof what, "objects %s", past[a->action]);
    p->items = a->ok;
    uint64_t failed = a->expected - a->ok;
    double percent = a->expected > 0 ? 100 * (double)failed / (double)a->expected : 0;
    if (failed > 0 && a->ok > 0 && percent <= a->b->spec->common.allow_errors) {
        phase_note(p, "%llu of %llu objects failed and are in no figure: %s",
                   (unsigned long long)failed, (unsigned long long)a->expected, a->error);
    } else if (bench_wrong(p, a->ok, a->expected, what, a->error)) {
        return;
    }
    if (a->digests_wrong > 0) {
        phase_end(p, PHASE_FAILED, "%llu of %llu digests are wrong",
                  (unsigned long long)a->digests_wrong, (unsigned long long)a->digests_checked);
    } else if (a->action != READ && failed == 0) { /* what failed may be stored all the same */
        bench_check_stored(a->b, p, a->action == DELETE ? 0 : a->expected);
    }
}

/* Objects that the action is for: all, or those that an earlier one left behind. */
static uint64_t expected(const struct objects *t, enum action action)
{
    uint64_t n = 0;
    for (uint64_t i = 0; i < t->set->objects; i++) {
        n += action == INGEST || t->revs[i].generation != 0;
    }
    return n;
}

static void act_free(struct act *a)
{
    while (a->free_slots != NULL) {
        struct slot *s = a->free_slots;
        a->free_slots = s->free_next;
        buf_free(&s->head);
        free(s);
    }
    free(a->ms);
    free(a->etags);
}

static int run_action(struct bench *b, struct objects *t, struct phase_result *p,
                      enum action action, struct err *err)
{
    static const char *const titles[] = {"Ingesting", "Reading", "Updating", "Deleting"};
    const struct spec_settings *c = &b->spec->common;
    const char *why;
    struct act a = {.b = b, .t = t, .p = p, .action = action, .expected = expected(t, action)};
    p->title = mem_strdup(titles[action]);
    p->item_unit = mem_strdup("object");
    p->streamed = true;
    if (!couch_can(b->couch, CAP_ATTACHMENTS, b->db, &why)) {
        phase_end(p, PHASE_SKIPPED, "%s", why);
        return 0;
    }
    if (action == READ && !t->set->inlined) {
        a.etags = mem_zero(t->set->objects, sizeof *a.etags);
    }
    struct load l = {.http = b->http,
                     .concurrency = (unsigned)c->concurrency,
                     .retries = (unsigned)c->retries,
                     .arg = &a,
                     .next = act_next,
                     .done = act_done,
                     .meter = bench_meter(b)};
    bench_start(b);
    a.group_ns = b->started_ns;
    load_run(&l);
    bench_stop(b);
    p->requests = l.requests;
    p->client_busy_s = (double)(l.busy_ns + a.busy_ns) / 1e9;
    check_digests(&a);
    act_facts(&a);
    bench_waited(p, &l);
    int rc = bench_check_stop(err);
    if (rc == 0) {
        check_act(&a);
    }
    act_free(&a);
    return rc;
}

/* Inline, an update's body also holds the revision it replaces, which is not counted. */
static int estimate(void *state, const struct spec *spec, const struct phase *phase,
                    struct estimate *out, struct err *err)
{
    const struct objects *t = state;
    uint64_t body = t->set->inlined
                        ? sizeof inline_head + sizeof inline_tail - 2 + blob_base64_size(t->blobs)
                        : t->set->size;
    bool writes = phase->step == INGEST || phase->step == UPDATE;
    (void)spec;
    (void)err;
    *out = (struct estimate){t->set->objects, writes ? t->set->objects * body : 0};
    return 0;
}

#define ACTION_PHASE(name, action)                                                         \
    static int name(struct bench *b, void *state, struct phase_result *p, struct err *err) \
    {                                                                                      \
        return run_action(b, state, p, action, err);                                       \
    }

ACTION_PHASE(ingest, INGEST)
ACTION_PHASE(read_all, READ)
ACTION_PHASE(update_all, UPDATE)
ACTION_PHASE(delete_all, DELETE)

static const struct phase phases[] = {
    {"ingest", NULL, ingest, true, INGEST},
    {"read", NULL, read_all, false, READ},
    {"update", NULL, update_all, false, UPDATE},
    {"delete", NULL, delete_all, false, DELETE},
};

static const char *const unused[] = {"batch", "batch-bytes", "prepare-bytes", NULL};

const struct workload wl_objects = {
    .name = "objects",
    .summary = "objects: documents with one attachment each, ingested, read, updated and deleted",
    .options = options,
    .settings_size = sizeof(struct settings),
    .runs = 3,
    .drop_each_run = true,
    .tolerant = true,
    .unused = unused,
    .phases = phases,
    .phases_n = sizeof phases / sizeof phases[0],
    .prepare = prepare,
    .describe = describe,
    .wanted = wanted,
    .estimate = estimate,
    .begin = begin,
    .ids = ids,
    .release = release,
};
