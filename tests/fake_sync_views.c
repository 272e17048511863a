#include "tests/fake_sync_store.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bench/fold.h"

/* ---- rows ------------------------------------------------------------------------------------ */

struct row {
    char *a, *b;    /* [artist, album]; NULL: null. Others: a alone */
    double number;  /* of ROWS_NUMBER: the value */
    const char *id; /* valid until the next write */
};

enum rows { ROWS_NONE, ROWS_PAIR, ROWS_WORD, ROWS_NUMBER };
enum reduce { REDUCE_NONE, REDUCE_COUNT, REDUCE_SUM, REDUCE_JS_SUM, REDUCE_OTHER };

struct store_view {
    char *name; /* DDOC/VIEW */
    unsigned long seq;
    enum rows kind;
    enum reduce reduce;
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

void store_views_free(struct store_view *v)
{
    for (struct store_view *next; v != NULL; v = next) {
        next = v->next;
        rows_free(v);
        free(v->rows);
        free(v->name);
        free(v);
    }
}

/* null first */
static int text_order(const char *x, const char *y)
{
    return x == NULL || y == NULL ? (x != NULL) - (y != NULL) : strcmp(x, y);
}

static int row_order(const void *x, const void *y)
{
    const struct row *p = x, *q = y;
    int c = text_order(p->a, q->a);
    c = c != 0 ? c : text_order(p->b, q->b);
    return c != 0 ? c : strcmp(p->id, q->id);
}

static void add_row(struct store_view *v, char *a, char *b, double number, const char *id)
{
    v->rows = mem_grow(v->rows, v->count, &v->cap, sizeof *v->rows);
    v->rows[v->count++] = (struct row){a, b, number, id};
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
        add_row(v, artist, folded_member(d, "Album"), 0, d->id);
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
            add_row(v, mem_strndup(p, n), NULL, 0, d->id);
        }
        p += n > 0 ? n : 1;
    }
    free(name);
}

/* emit(ID, doc.integer OPERATOR OPERAND): the id is in meta.id; doc._id is undefined, whose key is
 * null. */
static void map_number(struct store_view *v, const struct store_doc *d, const char *map)
{
    struct json_span member;
    json_member(d->body, strlen(d->body), "integer", &member, NULL);
    const char *expression = strstr(map, "doc.integer");
    char operator;
    double n = member.at != NULL ? strtod(member.at, NULL) : 0, operand;
    if (member.at == NULL || sscanf(expression, "doc.integer %c %lf", &operator, & operand) != 2) {
        return;
    }
    n = operator== '%' ? fmod(n, operand) : operator== '/' ? n / operand : n * operand;
    add_row(v, strstr(map, "meta.id") != NULL ? mem_strdup(d->id) : NULL, NULL, n, d->id);
}

static enum rows kind_of(const char *map)
{
    return strstr(map, "doc.Album") != NULL     ? ROWS_PAIR
           : strstr(map, "doc.Name") != NULL    ? ROWS_WORD
           : strstr(map, "doc.integer") != NULL ? ROWS_NUMBER
                                                : ROWS_NONE;
}

static enum reduce reduce_of(const char *reduce)
{
    return *reduce == '\0'                  ? REDUCE_NONE
           : strcmp(reduce, "_count") == 0  ? REDUCE_COUNT
           : strcmp(reduce, "_sum") == 0    ? REDUCE_SUM
           : strstr(reduce, "sum(") != NULL ? REDUCE_JS_SUM
                                            : REDUCE_OTHER;
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
        v->kind = kind_of(map);
        v->reduce = reduce_of(json_str(def, "reduce", ""));
        for (size_t i = 0; i < s->count; i++) {
            if (s->docs[i].body == NULL || text_starts(s->docs[i].id, "_local/")) {
                continue;
            }
            if (v->kind == ROWS_PAIR) {
                map_pair(v, &s->docs[i]);
            } else if (v->kind == ROWS_WORD) {
                map_words(v, &s->docs[i]);
            } else if (v->kind == ROWS_NUMBER) {
                map_number(v, &s->docs[i], map);
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

/* ---- queries --------------------------------------------------------------------------------- */

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

static cJSON *text_or_null(const char *text)
{
    return mem_checked(text != NULL ? cJSON_CreateString(text) : cJSON_CreateNull());
}

static cJSON *key_of(const struct store_view *v, const struct row *r)
{
    if (v->kind != ROWS_PAIR) {
        return text_or_null(r->a);
    }
    cJSON *key = json_array();
    json_append(key, text_or_null(r->a));
    json_append(key, text_or_null(r->b));
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

static void put_text(struct buf *out, const char *text)
{
    if (text != NULL) {
        json_quote(out, text, strlen(text));
    } else {
        buf_adds(out, "null");
    }
}

static void put_key(const struct store_view *v, const struct row *r, long level, struct buf *out)
{
    bool pair = v->kind == ROWS_PAIR;
    buf_adds(out, pair ? "[" : "");
    put_text(out, r->a);
    if (pair && level > 1) {
        buf_addc(out, ',');
        put_text(out, r->b);
    }
    buf_adds(out, pair ? "]" : "");
}

static void put_number(struct buf *out, double n)
{
    char text[40];
    snprintf(text, sizeof text, "%.15g", n);
    if (strtod(text, NULL) != n) {
        snprintf(text, sizeof text, "%.17g", n);
    }
    buf_adds(out, text);
}

static bool same_group(const struct row *x, const struct row *y, long level)
{
    return text_order(x->a, y->a) == 0 && (level == 1 || text_order(x->b, y->b) == 0);
}

/* The rows [from, to) as one. */
static double reduced(const struct store_view *v, size_t from, size_t to)
{
    double sum = 0;
    for (size_t i = from; i < to; i++) {
        sum += v->reduce == REDUCE_COUNT ? 1 : v->rows[i].number;
    }
    return sum;
}

int store_view(struct store *s, const char *ddoc, const char *view, const struct view_query *q,
               struct buf *out, const char **reason)
{
    struct store_view *v = rows_of(s, ddoc, view);
    if (v == NULL) {
        *reason = "missing";
        return 404;
    }
    bool reduce = v->reduce != REDUCE_NONE && q->reduce;
    if (reduce && (v->reduce == REDUCE_OTHER || (v->reduce == REDUCE_JS_SUM && q->builtin_only))) {
        *reason = "Internal error: Sgbucket only supports _count and _sum reduce functions";
        return 500;
    }
    struct buf rows = BUF_INIT(BUF_TEXT_MAX);
    size_t from = q->start != NULL ? bound_of(v, q->start, false) : 0;
    size_t to = q->end != NULL ? bound_of(v, q->end, q->inclusive_end) : v->count;
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
        put_text(&rows, reduce ? "" : v->rows[i].id);
        buf_adds(&rows, ",\"key\":");
        if (reduce && level == 0) {
            buf_adds(&rows, "null");
        } else {
            put_key(v, &v->rows[i], reduce ? level : 99, &rows);
        }
        buf_adds(&rows, ",\"value\":");
        if (reduce || v->kind == ROWS_NUMBER) {
            put_number(&rows, reduce ? reduced(v, i, next) : v->rows[i].number);
        } else {
            buf_adds(&rows, "null");
        }
        buf_addc(&rows, '}');
    }
    buf_addf(out, "{\"total_rows\":%ld,\"rows\":[%s],\"Collator\":{}}", n, buf_text(&rows));
    buf_free(&rows);
    return 0;
}
