#include "tests/fake_sync_store.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

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

/* ---- design documents ------------------------------------------------------------------------ */

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

void store_free(struct store *s)
{
    for (size_t i = 0; i < s->count; i++) {
        doc_free(&s->docs[i]);
    }
    for (size_t i = 0; i < s->ddoc_count; i++) {
        doc_free(&s->ddocs[i]);
    }
    store_views_free(s->views);
    free(s->docs);
    free(s->ddocs);
    free(s->name);
    free(s);
}
