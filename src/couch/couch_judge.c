#include "couch/couch.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

/* Judges walk the bytes once and build nothing: an answer may be tens of megabytes. Whatever they
 * quote in a message is cut and made visible, since it comes from a server. */

/* ---- pieces ---------------------------------------------------------------------------------- */

/* A string span decoded, or any other value as it is; visible and cut to `size`. */
static void quote_span(char *out, size_t size, struct json_span s)
{
    char *text = NULL;
    if (s.at != NULL) {
        /* no more is decoded than can be shown: an escape of six bytes gives one at least */
        size_t most = size * 6 + 2;
        text = s.len <= most ? json_decode(s, NULL) : NULL;
        if (text == NULL) {
            text = mem_strndup(s.at, s.len < most ? s.len : most);
        }
    }
    text_visible(out, size, text != NULL ? text : "");
    free(text);
}

static bool is_null(struct json_span s)
{
    return s.at == NULL || (s.len == 4 && memcmp(s.at, "null", 4) == 0);
}

static bool is_text(struct json_span s, const char *text)
{
    return s.at != NULL && *s.at == '"' && json_name_is(s, text);
}

/* A number's value; -1 for anything else (null: the server does not know it). */
static double number(struct json_span s)
{
    char copy[40];
    if (s.at == NULL || s.len >= sizeof copy || (*s.at != '-' && (*s.at < '0' || *s.at > '9'))) {
        return -1;
    }
    memcpy(copy, s.at, s.len);
    copy[s.len] = '\0';
    double v = strtod(copy, NULL);
    return isfinite(v) ? v : -1;
}

/* A bookmark must come back whole or the pages would not follow each other. */
static int take_bookmark(char *out, size_t size, struct json_span s, struct err *err)
{
    size_t len = 0;
    char *text = s.at != NULL ? json_decode(s, &len) : NULL;
    int rc = 0;
    out[0] = '\0';
    if (text != NULL) {
        if (len >= size) {
            rc = err_set(err, ERR_STEP, "the answer's bookmark is longer than %zu bytes", size - 1);
        } else {
            memcpy(out, text, len + 1);
        }
        free(text);
    }
    return rc;
}

/* Says why the walk failed. A server that fails in the middle of its answer adds an object with
 * the error on a line of its own (CouchDB's chttpd:send_chunked_error): that is worth more. */
static int broken(const struct json_walk *w, const char *body, size_t len, struct err *err)
{
    struct json_span error = {NULL, 0}, reason = {NULL, 0};
    char what[100], why[300];
    size_t end = len;
    while (end > 0 && (body[end - 1] == '\n' || body[end - 1] == '\r')) {
        end--;
    }
    const char *line = end > 0 ? memrchr(body, '\n', end) : NULL;
    if (line != NULL) {
        size_t n = end - (size_t)(line + 1 - body);
        if (json_validate(line + 1, n, NULL) == 0 &&
            json_member(line + 1, n, "error", &error, NULL)) {
            json_member(line + 1, n, "reason", &reason, NULL);
            quote_span(what, sizeof what, error);
            quote_span(why, sizeof why, reason);
            return err_set(err, ERR_STEP, "the server broke off its answer: %s: %s", what, why);
        }
    }
    return err_set(err, ERR_STEP, "the answer is not of the expected form: at byte %zu of %zu: %s",
                   (size_t)(w->p - body) + 1, len, w->why);
}

/* The top of an answer that is an error and not the expected object. */
static int said_error(struct json_span error, struct json_span reason, struct err *err)
{
    char what[100], why[300];
    quote_span(what, sizeof what, error);
    quote_span(why, sizeof why, reason);
    return err_set(err, ERR_STEP, "the server answered an error: %s%s%s", what,
                   *why != '\0' ? ": " : "", why);
}

/* ---- rows of views, _all_docs and searches --------------------------------------------------- */

struct rows {
    couch_row_fn *each;
    void *arg;
    uint64_t count;
    bool stopped;           /* `each` wanted no more: the rest is not even checked */
    const char *value_name; /* "value", or "fields" in a search */
    char first_error[400];
};

static void walk_row(struct json_walk *w, struct rows *r)
{
    struct couch_row row = {{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    struct json_span name, v, reason = {NULL, 0};
    if (!json_enter(w, '{')) {
        return;
    }
    while (json_next_member(w, &name) && json_take(w, &v)) {
        if (json_name_is(name, "id")) {
            row.id = v;
        } else if (json_name_is(name, "key")) {
            row.key = v;
        } else if (json_name_is(name, r->value_name)) {
            row.value = v;
        } else if (json_name_is(name, "doc")) {
            row.doc = v;
        } else if (json_name_is(name, "error")) {
            row.error = v;
        } else if (json_name_is(name, "reason")) {
            reason = v;
        }
    }
    if (w->why != NULL) {
        return;
    }
    r->count++;
    if (!is_null(row.error) && r->first_error[0] == '\0') {
        char key[100], what[100], why[150];
        quote_span(key, sizeof key, row.key.at != NULL ? row.key : row.id);
        quote_span(what, sizeof what, row.error);
        quote_span(why, sizeof why, reason);
        snprintf(r->first_error, sizeof r->first_error, "row of key %s: %s%s%s", key, what,
                 *why != '\0' ? ": " : "", why);
    }
    if (r->each != NULL && r->each(r->arg, &row) != 0) {
        r->stopped = true;
    }
}

static void walk_rows(struct json_walk *w, struct rows *r)
{
    if (json_enter(w, '[')) {
        while (!r->stopped && json_next_element(w)) {
            walk_row(w, r);
        }
    }
}

/* Couchbase views report a failing node in `errors`: [{"from":…,"reason":…}]. */
static void walk_errors(struct json_walk *w, struct rows *r)
{
    struct json_span v;
    if (!json_take(w, &v) || is_null(v)) {
        return;
    }
    if (!(v.len >= 2 && *v.at == '[' && strspn(v.at + 1, " \t\r\n") + 2 == v.len) &&
        r->first_error[0] == '\0') {
        quote_span(r->first_error, sizeof r->first_error, v);
    }
}

int couch_judge_view(const char *body, size_t len, couch_row_fn *each, void *arg, uint64_t *rows,
                     struct err *err)
{
    struct rows r = {each, arg, 0, false, "value", ""};
    struct json_walk w;
    struct json_span name, v, error = {NULL, 0}, reason = {NULL, 0};
    bool found = false;
    json_walk_start(&w, body, len);
    if (json_enter(&w, '{')) {
        while (!r.stopped && json_next_member(&w, &name)) {
            if (json_name_is(name, "rows")) {
                found = true;
                walk_rows(&w, &r);
            } else if (json_name_is(name, "errors")) {
                walk_errors(&w, &r);
            } else if (json_take(&w, &v)) {
                error = json_name_is(name, "error") ? v : error;
                reason = json_name_is(name, "reason") ? v : reason;
            }
        }
    }
    if (rows != NULL) {
        *rows = r.count;
    }
    if (r.first_error[0] != '\0') {
        return err_set(err, ERR_STEP, "the answer reports an error: %s", r.first_error);
    }
    if (r.stopped) {
        return 0;
    }
    if (!json_walk_end(&w)) {
        return broken(&w, body, len, err);
    }
    if (!is_null(error)) {
        return said_error(error, reason, err);
    }
    return found ? 0 : err_set(err, ERR_STEP, "the answer has no rows member");
}

/* https://docs.couchdb.org/en/stable/api/ddoc/search.html: {"total_rows","bookmark","rows":
 * [{"id","order","fields"}]}; https://docs.couchdb.org/en/stable/api/ddoc/nouveau.html:
 * {"total_hits","total_hits_relation","bookmark","hits":[{"id","order","fields"}]}. */
int couch_judge_search(enum capability engine, const char *body, size_t len, couch_row_fn *each,
                       void *arg, struct couch_search *out, struct err *err)
{
    bool nouveau = engine == CAP_NOUVEAU;
    struct rows r = {each, arg, 0, false, "fields", ""};
    struct json_walk w;
    struct json_span name, v, bookmark = {NULL, 0}, total = v = bookmark, error = v, reason = v;
    bool found = false;
    json_walk_start(&w, body, len);
    *out = (struct couch_search){0, 0, ""};
    if (json_enter(&w, '{')) {
        while (!r.stopped && json_next_member(&w, &name)) {
            if (json_name_is(name, nouveau ? "hits" : "rows")) {
                found = true;
                walk_rows(&w, &r);
            } else if (json_take(&w, &v)) {
                total = json_name_is(name, nouveau ? "total_hits" : "total_rows") ? v : total;
                bookmark = json_name_is(name, "bookmark") ? v : bookmark;
                error = json_name_is(name, "error") ? v : error;
                reason = json_name_is(name, "reason") ? v : reason;
            }
        }
    }
    out->rows = r.count;
    double n = number(total);
    out->total = n > 0 ? (uint64_t)fmin(n, 9007199254740992.0) : 0;
    if (r.first_error[0] != '\0') {
        return err_set(err, ERR_STEP, "the answer reports an error: %s", r.first_error);
    }
    if (!r.stopped && !json_walk_end(&w)) {
        return broken(&w, body, len, err);
    }
    if (!is_null(error)) {
        return said_error(error, reason, err);
    }
    if (!found) {
        return err_set(err, ERR_STEP, "the answer has no %s member", nouveau ? "hits" : "rows");
    }
    return take_bookmark(out->bookmark, sizeof out->bookmark, bookmark, err);
}

int couch_judge_find(const char *body, size_t len, couch_row_fn *each, void *arg,
                     struct couch_find *out, struct err *err)
{
    struct json_walk w;
    struct json_span name, v, none = {NULL, 0}, bookmark = none, error = none, reason = none;
    bool found = false, stopped = false;
    *out = (struct couch_find){0, "", "", -1, -1};
    json_walk_start(&w, body, len);
    if (json_enter(&w, '{')) {
        while (!stopped && json_next_member(&w, &name)) {
            if (json_name_is(name, "docs")) {
                found = true;
                if (!json_enter(&w, '[')) {
                    break;
                }
                while (!stopped && json_next_element(&w) && json_take(&w, &v)) {
                    struct couch_row row = {none, none, none, v, none};
                    out->rows++;
                    stopped = each != NULL && each(arg, &row) != 0;
                }
            } else if (json_take(&w, &v)) {
                bookmark = json_name_is(name, "bookmark") ? v : bookmark;
                error = json_name_is(name, "error") ? v : error;
                reason = json_name_is(name, "reason") ? v : reason;
                if (json_name_is(name, "warning") && !is_null(v)) {
                    quote_span(out->warning, sizeof out->warning, v);
                } else if (json_name_is(name, "execution_stats")) {
                    struct json_span n;
                    json_member(v.at, v.len, "total_keys_examined", &n, NULL);
                    out->total_keys_examined = number(n);
                    json_member(v.at, v.len, "total_docs_examined", &n, NULL);
                    out->total_docs_examined = number(n);
                }
            }
        }
    }
    if (!stopped && !json_walk_end(&w)) {
        return broken(&w, body, len, err);
    }
    if (!is_null(error)) {
        return said_error(error, reason, err);
    }
    if (!found) {
        return err_set(err, ERR_STEP, "the answer has no docs member");
    }
    return take_bookmark(out->bookmark, sizeof out->bookmark, bookmark, err);
}

/* ---- _bulk_docs ------------------------------------------------------------------------------ */

/* Ids by hash, built only when rows do not come in the order sent. Open addressing over a power of
 * two at least twice n; equal ids follow each other along the probe. */
struct index {
    const char *const *ids;
    size_t n, mask;
    size_t *slots; /* position + 1; 0: empty */
};

static uint64_t hash(const char *s, size_t n)
{
    uint64_t h = 14695981039346656037u; /* FNV-1a */
    for (size_t i = 0; i < n; i++) {
        h = (h ^ (unsigned char)s[i]) * 1099511628211u;
    }
    return h ^ h >> 32;
}

static void index_build(struct index *x)
{
    size_t size = 16;
    while (size < x->n * 2) {
        size *= 2;
    }
    x->mask = size - 1;
    x->slots = mem_zero(size, sizeof *x->slots);
    for (size_t i = 0; i < x->n; i++) {
        size_t at = hash(x->ids[i], strlen(x->ids[i])) & x->mask;
        while (x->slots[at] != 0) {
            at = (at + 1) & x->mask;
        }
        x->slots[at] = i + 1;
    }
}

/* The first position of this id that no row answered for yet; n if there is none. */
static size_t index_find(const struct index *x, const char *id, size_t len, const char *outcomes)
{
    for (size_t at = hash(id, len) & x->mask; x->slots[at] != 0; at = (at + 1) & x->mask) {
        size_t i = x->slots[at] - 1;
        if (outcomes[i] == 'm' && strncmp(x->ids[i], id, len) == 0 && x->ids[i][len] == '\0') {
            return i;
        }
    }
    return x->n;
}

struct bulk_row {
    struct json_span id, ok, rev, error, reason, status, name, message;
};

static void walk_bulk_row(struct json_walk *w, struct bulk_row *row)
{
    struct json_span name, v;
    *row = (struct bulk_row){{NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0},
                             {NULL, 0}, {NULL, 0}, {NULL, 0}, {NULL, 0}};
    const struct {
        const char *name;
        struct json_span *to;
    } members[] = {{"id", &row->id},       {"rev", &row->rev},        {"ok", &row->ok},
                   {"error", &row->error}, {"reason", &row->reason},  {"status", &row->status},
                   {"name", &row->name},   {"message", &row->message}};
    if (!json_enter(w, '{')) {
        return;
    }
    while (json_next_member(w, &name) && json_take(w, &v)) {
        for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
            if (json_name_is(name, members[i].name)) {
                *members[i].to = v;
                break;
            }
        }
    }
    /* PouchDB's own form, which some of its servers pass on: {"error":true,"name":"conflict",
     * "message":…,"status":409} */
    if (row->error.at != NULL && *row->error.at != '"' && row->name.at != NULL) {
        row->error = row->name;
        row->reason = row->reason.at != NULL ? row->reason : row->message;
    }
}

static char outcome_of(const struct bulk_row *row, struct couch_bulk *out)
{
    double status = number(row->status);
    bool failed = !is_null(row->error) || status >= 300;
    if (!failed && (!is_null(row->rev) || (row->ok.at != NULL && *row->ok.at == 't'))) {
        return 'o';
    }
    if (is_text(row->error, "conflict") || status == 409) {
        return 'c';
    }
    if (status == 429 || status == 503 || is_text(row->error, "timeout") ||
        is_text(row->error, "too_many_requests") || is_text(row->error, "service_unavailable") ||
        (status == 500 && is_text(row->reason, "timeout"))) {
        out->retryable++;
    }
    return 'r';
}

static void note_error(const struct bulk_row *row, const char *otherwise, struct couch_bulk *out)
{
    if (out->first_error[0] == '\0') {
        char id[64], what[48], why[64];
        quote_span(id, sizeof id, row->id);
        quote_span(what, sizeof what, row->error.at != NULL ? row->error : row->status);
        quote_span(why, sizeof why, row->reason);
        snprintf(out->first_error, sizeof out->first_error, "%s: %s%s%s",
                 *id != '\0' ? id : "a row without id", *what != '\0' ? what : otherwise,
                 *why != '\0' ? ": " : "", why);
    }
}

/* Which document sent is meant by the row; n: none. */
static size_t position_of(struct index *x, const struct bulk_row *row, size_t *next,
                          const char *outcomes)
{
    if (row->id.at == NULL || *row->id.at != '"') {
        return x->n;
    }
    const char *id = row->id.at + 1;
    size_t len = row->id.len - 2, i;
    char *decoded = NULL;
    if (memchr(id, '\\', len) != NULL) {
        decoded = json_decode(row->id, &len);
        id = decoded;
    }
    if (*next < x->n && outcomes[*next] == 'm' && strncmp(x->ids[*next], id, len) == 0 &&
        x->ids[*next][len] == '\0') {
        i = *next;
    } else {
        if (x->slots == NULL) {
            index_build(x);
        }
        i = index_find(x, id, len, outcomes);
    }
    free(decoded);
    *next = i < x->n ? i + 1 : *next;
    return i;
}

int couch_judge_bulk(const struct couch *c, const char *body, size_t len, const char *const *ids,
                     size_t n, struct couch_bulk *out, char *rows, struct err *err)
{
    struct index x = {ids, n, 0, NULL};
    struct json_walk w;
    struct bulk_row row;
    char *outcomes = rows != NULL ? rows : mem_alloc(n);
    size_t next = 0;
    (void)c; /* `status` and `error` are read wherever a row has them, whatever the dialect */
    *out = (struct couch_bulk){0, 0, 0, 0, 0, "", 0};
    if (n > 0) {
        memset(outcomes, 'm', n);
    }
    json_walk_start(&w, body, len);
    if (json_enter(&w, '[')) {
        while (json_next_element(&w)) {
            walk_bulk_row(&w, &row);
            if (w.why != NULL) {
                break;
            }
            uint64_t retryable = out->retryable;
            char outcome = outcome_of(&row, out);
            size_t i = position_of(&x, &row, &next, outcomes);
            if (outcome != 'o' || i == n) {
                note_error(
                    &row, outcome == 'o' ? "not among the documents sent" : "neither rev nor error",
                    out);
            }
            if (i == n) {
                out->strange++;
                out->retryable = retryable;
                continue;
            }
            outcomes[i] = outcome;
            out->ok += outcome == 'o';
            out->conflict += outcome == 'c';
            out->refused += outcome == 'r';
        }
    }
    out->missing = n - out->ok - out->conflict - out->refused;
    bool whole = json_walk_end(&w);
    free(x.slots);
    if (rows == NULL) {
        free(outcomes);
    }
    if (whole) {
        return 0;
    }
    struct json_span error, reason;
    if (json_validate(body, len, NULL) == 0 && json_member(body, len, "error", &error, NULL)) {
        json_member(body, len, "reason", &reason, NULL);
        return said_error(error, reason, err);
    }
    return broken(&w, body, len, err);
}
