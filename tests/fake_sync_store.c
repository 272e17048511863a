#include "tests/fake_sync_store.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bench/fold.h"

/* ---- documents ------------------------------------------------------------------------------- */

struct store *store_new(const char *name)
{
    struct store *s = mem_zero(1, sizeof *s);
    s->name = mem_strdup(name);
    return s;
}

static void doc_free(struct store_doc *d)
{
    free(d->id);
    free(d->rev);
    free(d->body);
}

static size_t lower(const struct store_doc *docs, size_t n, const char *id)
{
    size_t lo = 0, hi = n;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        if (strcmp(docs[mid].id, id) < 0) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

size_t store_first(const struct store *s, const char *id)
{
    return lower(s->docs, s->count, id);
}

const struct store_doc *store_get(const struct store *s, const char *id)
{
    size_t i = store_first(s, id);
    return i < s->count && strcmp(s->docs[i].id, id) == 0 ? &s->docs[i] : NULL;
}

/* A new element in its place; the id is copied. */
static struct store_doc *insert(struct store_doc **docs, size_t *count, size_t *cap, const char *id)
{
    size_t i = lower(*docs, *count, id);
    *docs = mem_grow(*docs, *count, cap, sizeof **docs);
    memmove(*docs + i + 1, *docs + i, (*count - i) * sizeof **docs);
    ++*count;
    (*docs)[i] = (struct store_doc){mem_strdup(id), NULL, NULL};
    return *docs + i;
}

static bool is_local(const char *id)
{
    return text_starts(id, "_local/");
}

/* N-HASH; of a _local document 0-N. */
static char *next_rev(const struct store_doc *d, const char *body)
{
    bool local = is_local(d->id);
    const char *number = d->rev == NULL ? "" : local ? d->rev + 2 : d->rev;
    unsigned long n = strtoul(number, NULL, 10) + 1, h = 14695981039346656037u;
    if (local) {
        return mem_printf("0-%lu", n);
    }
    for (const char *p = body != NULL ? body : "deleted"; *p != '\0'; p++) {
        h = (h ^ (unsigned char)*p) * 1099511628211u;
    }
    return mem_printf("%lu-%016lx%016lx", n, h, h * 2654435761u + n);
}

static int write_doc(struct store *s, const char *id, const char *rev, char *body,
                     const struct store_doc **stored, const char **reason)
{
    size_t i = store_first(s, id);
    struct store_doc *d = i < s->count && strcmp(s->docs[i].id, id) == 0 ? &s->docs[i] : NULL;
    bool alive = d != NULL && d->body != NULL;
    *stored = d;
    if (alive ? rev == NULL || strcmp(rev, d->rev) != 0 : rev != NULL && d == NULL) {
        *reason = is_local(id)  ? "Document update conflict"
                  : rev == NULL ? "Document exists"
                                : "Document revision conflict";
        free(body);
        return 409;
    }
    if (d == NULL) {
        d = insert(&s->docs, &s->count, &s->cap, id);
    }
    char *fresh = next_rev(d, body);
    free(d->rev);
    free(d->body);
    d->rev = fresh;
    d->body = body;
    s->seq++;
    *stored = d;
    return 0;
}

static bool known_member(struct json_span name)
{
    static const char *const names[] = {"_attachments", "_revisions", "_exp"};
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        if (json_name_is(name, names[i])) {
            return true;
        }
    }
    return false;
}

int store_put(struct store *s, const char *id, const char *rev, struct json_span text,
              const struct store_doc **stored, const char **reason, char **used_id)
{
    struct buf body = BUF_INIT(BUF_TEXT_MAX);
    struct json_walk w;
    struct json_span name, v;
    char *in_id = NULL, *in_rev = NULL;
    bool deleted = false, underscore = false;
    int status;
    *stored = NULL;
    *used_id = NULL;
    json_walk_start(&w, text.at, text.len);
    buf_addc(&body, '{');
    if (json_enter(&w, '{')) {
        while (json_next_member(&w, &name) && json_take(&w, &v)) {
            if (json_name_is(name, "_id")) {
                free(in_id);
                in_id = json_decode(v, NULL);
            } else if (json_name_is(name, "_rev")) {
                free(in_rev);
                in_rev = json_decode(v, NULL);
            } else if (json_name_is(name, "_deleted")) {
                deleted = *v.at == 't';
            } else {
                underscore = underscore || (name.at[1] == '_' && !known_member(name));
                buf_addf(&body, "%s%.*s:%.*s", body.len > 1 ? "," : "", (int)name.len, name.at,
                         (int)v.len, v.at);
            }
        }
    }
    buf_addc(&body, '}');
    const char *use = id != NULL ? id : in_id;
    *used_id = use != NULL ? mem_strdup(use) : mem_printf("made-up-%lu", s->seq);
    if (w.why != NULL) {
        *reason = "Document body must be JSON";
        status = 400;
    } else if (underscore) {
        /* documented; 3.1.0 itself refuses only some of them */
        *reason = "user defined top-level properties beginning with '_' are not allowed";
        status = 400;
    } else if (**used_id == '\0' || (**used_id == '_' && !is_local(*used_id))) {
        *reason = "Invalid doc ID";
        status = 400;
    } else {
        char *kept = deleted ? NULL : buf_take(&body, NULL);
        status = write_doc(s, *used_id, rev != NULL ? rev : in_rev, kept, stored, reason);
    }
    buf_free(&body);
    free(in_id);
    free(in_rev);
    return status;
}

int store_delete(struct store *s, const char *id, const char *rev, const struct store_doc **stored,
                 const char **reason)
{
    const struct store_doc *d = store_get(s, id);
    *stored = d;
    if (d == NULL || d->body == NULL) {
        *reason = "missing";
        return 404;
    }
    return write_doc(s, id, rev, NULL, stored, reason);
}

/* ---- design documents -------------------------------------------------------------------------
 */

static struct store_doc *find_ddoc(const struct store *s, const char *name)
{
    size_t i = lower(s->ddocs, s->ddoc_count, name);
    return i < s->ddoc_count && strcmp(s->ddocs[i].id, name) == 0 ? &s->ddocs[i] : NULL;
}

const char *store_ddoc(const struct store *s, const char *name)
{
    const struct store_doc *d = find_ddoc(s, name);
    return d != NULL ? d->body : NULL;
}

void store_ddoc_put(struct store *s, const char *name, const char *text, size_t len)
{
    struct store_doc *d = find_ddoc(s, name);
    if (d == NULL) {
        d = insert(&s->ddocs, &s->ddoc_count, &s->ddoc_cap, name);
    }
    free(d->body);
    d->body = mem_strndup(text, len);
    s->seq++;
}

bool store_ddoc_delete(struct store *s, const char *name)
{
    struct store_doc *d = find_ddoc(s, name);
    if (d == NULL) {
        return false;
    }
    size_t i = (size_t)(d - s->ddocs);
    doc_free(d);
    memmove(d, d + 1, (--s->ddoc_count - i) * sizeof *d);
    return true;
}

/* ---- views ------------------------------------------------------------------------------------
 */

struct row {
    char *a, *b;    /* [artist, album]; b NULL: null. A word: a alone */
    const char *id; /* valid until the next write */
};

struct store_view {
    char *name; /* DDOC/VIEW */
    unsigned long seq;
    bool pair, counts; /* keys are pairs; there is a reduce (_count) */
    struct row *rows;
    size_t count, cap;
    struct store_view *next;
};

static void rows_free(struct store_view *v)
{
    for (size_t i = 0; i < v->count; i++) {
        free(v->rows[i].a);
        free(v->rows[i].b);
    }
    v->count = 0;
}

void store_free(struct store *s)
{
    for (size_t i = 0; i < s->count; i++) {
        doc_free(&s->docs[i]);
    }
    for (size_t i = 0; i < s->ddoc_count; i++) {
        doc_free(&s->ddocs[i]);
    }
    for (struct store_view *v = s->views, *next; v != NULL; v = next) {
        next = v->next;
        rows_free(v);
        free(v->rows);
        free(v->name);
        free(v);
    }
    free(s->docs);
    free(s->ddocs);
    free(s->name);
    free(s);
}

static int row_order(const void *x, const void *y)
{
    const struct row *p = x, *q = y;
    int c = strcmp(p->a, q->a);
    if (c == 0) {
        c = p->b == NULL || q->b == NULL ? (p->b != NULL) - (q->b != NULL) : strcmp(p->b, q->b);
    }
    return c != 0 ? c : strcmp(p->id, q->id);
}

static void add_row(struct store_view *v, char *a, char *b, const char *id)
{
    v->rows = mem_grow(v->rows, v->count, &v->cap, sizeof *v->rows);
    v->rows[v->count++] = (struct row){a, b, id};
}

static char *folded_member(const struct store_doc *d, const char *name)
{
    struct json_span v;
    json_member(d->body, strlen(d->body), name, &v, NULL);
    size_t len;
    char *text = v.at != NULL ? json_decode(v, &len) : NULL, *folded = NULL;
    if (text != NULL) {
        folded = fold_text(FOLD_LOWER, text, len);
        free(text);
    }
    return folded;
}

static void map_pair(struct store_view *v, const struct store_doc *d)
{
    struct json_span c;
    bool compilation = json_member(d->body, strlen(d->body), "Compilation", &c, NULL) &&
                       !(c.len == 4 && memcmp(c.at, "null", 4) == 0);
    char *artist = compilation ? NULL : folded_member(d, "Artist");
    if (artist != NULL) {
        add_row(v, artist, folded_member(d, "Album"), d->id);
    }
}

static bool word_byte(char c)
{
    return (unsigned char)c >= 0x80 || isalnum((unsigned char)c);
}

/* Each distinct word of Name once. */
static void map_words(struct store_view *v, const struct store_doc *d)
{
    char *name = folded_member(d, "Name");
    size_t first = v->count;
    for (const char *p = name; p != NULL && *p != '\0';) {
        size_t n = 0;
        while (p[n] != '\0' && word_byte(p[n])) {
            n++;
        }
        bool seen = n == 0;
        for (size_t i = first; i < v->count && !seen; i++) {
            seen = strlen(v->rows[i].a) == n && memcmp(v->rows[i].a, p, n) == 0;
        }
        if (!seen) {
            add_row(v, mem_strndup(p, n), NULL, d->id);
        }
        p += n > 0 ? n : 1;
    }
    free(name);
}

/* The rows of a view, made anew if anything was written since. NULL: no such view. */
static struct store_view *rows_of(struct store *s, const char *ddoc, const char *view)
{
    const char *text = store_ddoc(s, ddoc);
    cJSON *json = text != NULL ? json_parse(text, strlen(text), NULL) : NULL;
    const cJSON *def = json_get(json_get(json, "views"), view);
    char *name = mem_printf("%s/%s", ddoc, view);
    struct store_view *v = s->views;
    while (v != NULL && strcmp(v->name, name) != 0) {
        v = v->next;
    }
    if (def != NULL && v == NULL) {
        v = mem_zero(1, sizeof *v);
        v->name = mem_strdup(name);
        v->seq = (unsigned long)-1;
        v->next = s->views;
        s->views = v;
    }
    if (def == NULL) {
        v = NULL;
    } else if (v->seq != s->seq) {
        const char *map = json_str(def, "map", "");
        rows_free(v);
        v->pair = strstr(map, "doc.Album") != NULL;
        v->counts = strcmp(json_str(def, "reduce", ""), "_count") == 0;
        for (size_t i = 0; i < s->count; i++) {
            if (s->docs[i].body == NULL || is_local(s->docs[i].id)) {
                continue;
            }
            if (v->pair) {
                map_pair(v, &s->docs[i]);
            } else if (strstr(map, "doc.Name") != NULL) {
                map_words(v, &s->docs[i]);
            }
        }
        if (v->count > 0) {
            qsort(v->rows, v->count, sizeof *v->rows, row_order);
        }
        v->seq = s->seq;
    }
    cJSON_Delete(json);
    free(name);
    return v;
}

static int rank(const cJSON *v)
{
    return cJSON_IsNull(v)     ? 0
           : cJSON_IsBool(v)   ? 1
           : cJSON_IsNumber(v) ? 2
           : cJSON_IsString(v) ? 3
           : cJSON_IsArray(v)  ? 4
                               : 5;
}

/* CouchDB's order of types; strings by bytes. Objects are equal: only {} is asked for. */
static int collate(const cJSON *x, const cJSON *y)
{
    if (rank(x) != rank(y)) {
        return rank(x) - rank(y);
    }
    if (cJSON_IsString(x)) {
        return strcmp(x->valuestring, y->valuestring);
    }
    if (cJSON_IsNumber(x)) {
        return (x->valuedouble > y->valuedouble) - (x->valuedouble < y->valuedouble);
    }
    if (cJSON_IsArray(x)) {
        const cJSON *p = x->child, *q = y->child;
        for (; p != NULL && q != NULL; p = p->next, q = q->next) {
            int c = collate(p, q);
            if (c != 0) {
                return c;
            }
        }
        return (p != NULL) - (q != NULL);
    }
    return 0;
}

static cJSON *key_of(const struct store_view *v, const struct row *r)
{
    if (!v->pair) {
        return mem_checked(cJSON_CreateString(r->a));
    }
    cJSON *key = json_array();
    json_append(key, cJSON_CreateString(r->a));
    json_append(key, r->b != NULL ? cJSON_CreateString(r->b) : cJSON_CreateNull());
    return key;
}

/* The first row whose key is not below `bound` (`after`: is above it). */
static size_t bound_of(const struct store_view *v, const cJSON *bound, bool after)
{
    size_t lo = 0, hi = v->count;
    while (lo < hi) {
        size_t mid = lo + (hi - lo) / 2;
        cJSON *key = key_of(v, &v->rows[mid]);
        int c = collate(key, bound);
        cJSON_Delete(key);
        if (c < 0 || (after && c == 0)) {
            lo = mid + 1;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static void put_key(const struct store_view *v, const struct row *r, long level, struct buf *out)
{
    if (v->pair) {
        buf_addc(out, '[');
    }
    json_quote(out, r->a, strlen(r->a));
    if (v->pair && level > 1) {
        buf_addc(out, ',');
        if (r->b != NULL) {
            json_quote(out, r->b, strlen(r->b));
        } else {
            buf_adds(out, "null");
        }
    }
    if (v->pair) {
        buf_addc(out, ']');
    }
}

static bool same_group(const struct row *x, const struct row *y, long level)
{
    return strcmp(x->a, y->a) == 0 &&
           (level == 1 || (x->b == NULL ? y->b == NULL : y->b != NULL && strcmp(x->b, y->b) == 0));
}

bool store_view(struct store *s, const char *ddoc, const char *view, const struct view_query *q,
                struct buf *out)
{
    struct store_view *v = rows_of(s, ddoc, view);
    if (v == NULL) {
        return false;
    }
    struct buf rows = BUF_INIT(BUF_TEXT_MAX);
    size_t from = q->start != NULL ? bound_of(v, q->start, false) : 0;
    size_t to = q->end != NULL ? bound_of(v, q->end, q->inclusive_end) : v->count;
    bool reduce = v->counts && q->reduce;
    long level = q->group ? 99 : q->group_level, skip = q->skip, n = 0;
    for (size_t i = from, next; i < to && (q->limit < 0 || n < q->limit); i = next) {
        next = i + 1;
        while (reduce && next < to &&
               (level == 0 || same_group(&v->rows[i], &v->rows[next], level))) {
            next++;
        }
        if (skip > 0) {
            skip--;
            continue;
        }
        buf_adds(&rows, n++ > 0 ? ",{\"id\":" : "{\"id\":");
        json_quote(&rows, reduce ? "" : v->rows[i].id, reduce ? 0 : strlen(v->rows[i].id));
        buf_adds(&rows, ",\"key\":");
        if (reduce && level == 0) {
            buf_adds(&rows, "null");
        } else {
            put_key(v, &v->rows[i], reduce ? level : 99, &rows);
        }
        if (reduce) {
            buf_addf(&rows, ",\"value\":%zu}", next - i);
        } else {
            buf_adds(&rows, ",\"value\":null}");
        }
    }
    buf_addf(out, "{\"total_rows\":%ld,\"rows\":[%s],\"Collator\":{}}", n, buf_text(&rows));
    buf_free(&rows);
    return true;
}
