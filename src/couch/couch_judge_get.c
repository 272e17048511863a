#include "couch/couch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/text.h"

/* _bulk_get: CouchDB and PouchDB Server answer JSON,
 *     {"results":[{"id":…,"docs":[{"ok":DOC} or {"error":{"id","rev","error","reason"}}]}]}
 * (https://docs.couchdb.org/en/stable/api/database/bulk-api.html#db-bulk-get); Sync Gateway answers
 * multipart/mixed only, a part a document, where the Content-Type of an error says error="true"
 * (https://docs.couchbase.com/sync-gateway/current/rest-api/rest_api_public.html). */

struct get {
    couch_row_fn *each;
    void *arg;
    struct couch_bulk_get *out;
    bool stopped;
};

static void note(struct get *g, struct json_span id, struct json_span error)
{
    struct json_span parts[3];
    static const char *const names[] = {"id", "error", "reason"};
    char text[3][64] = {"", "", ""};
    g->out->failed++;
    if (g->out->first_error[0] != '\0') {
        return;
    }
    for (size_t i = 0; i < 3; i++) {
        json_member(error.at, error.len, names[i], &parts[i], NULL);
        parts[i] = i == 0 && parts[i].at == NULL ? id : parts[i];
        char *s = parts[i].at != NULL && parts[i].len < 1000 ? json_decode(parts[i], NULL) : NULL;
        text_visible(text[i], sizeof text[i], s != NULL ? s : "");
        free(s);
    }
    snprintf(g->out->first_error, sizeof g->out->first_error, "%s: %s%s%s",
             *text[0] != '\0' ? text[0] : "a document without id",
             *text[1] != '\0' ? text[1] : "missing", *text[2] != '\0' ? ": " : "", text[2]);
}

static void give(struct get *g, struct json_span id, struct json_span doc, struct json_span error)
{
    struct couch_row row = {id, {NULL, 0}, {NULL, 0}, doc, error};
    if (error.at != NULL) {
        note(g, id, error);
    } else {
        g->out->found++;
    }
    g->stopped = g->each != NULL && g->each(g->arg, &row) != 0;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static int one_doc(struct get *g, struct json_span id, struct json_span doc)
{
    struct json_span ok, error, none = {NULL, 0};
    bool good = json_member(doc.at, doc.len, "ok", &ok, NULL);
    if (!good && !json_member(doc.at, doc.len, "error", &error, NULL)) {
        /* PouchDB Server says {} of a document that is missing: not found, at any rate */
        if (*doc.at != '{') {
            return -1;
        }
        error = doc;
    }
    give(g, id, good ? ok : none, good ? none : error);
    return 0;
}

static void walk_result(struct json_walk *w, struct get *g)
{
    struct json_span name, v, id = {NULL, 0}, docs = {NULL, 0};
    if (!json_enter(w, '{')) {
        return;
    }
    while (json_next_member(w, &name) && json_take(w, &v)) {
        id = json_name_is(name, "id") ? v : id;
        docs = json_name_is(name, "docs") ? v : docs;
    }
    if (w->why != NULL) {
        return;
    }
    if (docs.at == NULL || *docs.at != '[') {
        w->why = "a result without docs";
        return;
    }
    struct json_walk inner;
    json_walk_start(&inner, docs.at, docs.len);
    json_enter(&inner, '[');
    while (!g->stopped && json_next_element(&inner) && json_take(&inner, &v)) {
        if (one_doc(g, id, v) < 0) {
            w->why = "a document's entry that is no object";
            return;
        }
    }
}

static int judge_json(struct get *g, const char *body, size_t len, struct err *err)
{
    struct json_walk w;
    struct json_span name, v;
    bool found = false;
    json_walk_start(&w, body, len);
    if (json_enter(&w, '{')) {
        while (!g->stopped && json_next_member(&w, &name)) {
            if (!json_name_is(name, "results")) {
                json_take(&w, &v);
                continue;
            }
            found = true;
            if (json_enter(&w, '[')) {
                while (!g->stopped && json_next_element(&w)) {
                    walk_result(&w, g);
                }
            }
        }
    }
    if (!g->stopped && !json_walk_end(&w)) {
        return err_set(err, ERR_STEP,
                       "the answer is not of the expected form: at byte %zu of %zu: %s",
                       (size_t)(w.p - body) + 1, len, w.why);
    }
    return found ? 0 : err_set(err, ERR_STEP, "the answer has no results member");
}

/* ---- multipart ------------------------------------------------------------------------------- */

/* RFC 2046: at most 70 characters. "" if there is none. */
static void boundary_of(const char *content_type, char *out, size_t size)
{
    const char *p = strcasestr(content_type, "boundary=");
    out[0] = '\0';
    if (p != NULL) {
        p += strlen("boundary=");
        bool quoted = *p == '"';
        p += quoted;
        size_t n = strcspn(p, quoted ? "\"" : "; \t");
        if (n > 0 && n < size) {
            memcpy(out, p, n);
            out[n] = '\0';
        }
    }
}

static int one_part(struct get *g, const char *part, size_t len, struct err *err)
{
    struct json_span none = {NULL, 0};
    const char *end = memmem(part, len, "\r\n\r\n", 4);
    const char *body = end != NULL ? end + 4 : part;
    size_t head = end != NULL ? (size_t)(end - part) : 0;
    struct json_span json = {body, len - (size_t)(body - part)};
    if (json_validate(json.at, json.len, err) < 0 || memchr(json.at, '{', json.len) == NULL) {
        return err_prefix(err, "a part of the answer");
    }
    bool bad = memmem(part, head, "error=\"true\"", 12) != NULL;
    give(g, none, bad ? none : json, bad ? json : none);
    return 0;
}

static int judge_multipart(struct get *g, const char *content_type, const char *body, size_t len,
                           struct err *err)
{
    char boundary[80], delimiter[90];
    boundary_of(content_type, boundary, sizeof boundary);
    if (*boundary == '\0') {
        return err_set(err, ERR_STEP, "the answer is multipart without a boundary");
    }
    size_t n = (size_t)snprintf(delimiter, sizeof delimiter, "--%s", boundary);
    const char *end = body + len, *p = memmem(body, len, delimiter, n);
    while (p != NULL && !g->stopped) {
        p += n;
        if (end - p >= 2 && p[0] == '-' && p[1] == '-') {
            return 0; /* the last one */
        }
        /* the line break before a delimiter belongs to the delimiter */
        char next_delimiter[92];
        size_t m = (size_t)snprintf(next_delimiter, sizeof next_delimiter, "\r\n%s", delimiter);
        const char *next = memmem(p, (size_t)(end - p), next_delimiter, m);
        if (next == NULL) {
            break;
        }
        if (one_part(g, p, (size_t)(next - p), err) < 0) {
            return -1;
        }
        p = next + 2;
    }
    return g->stopped ? 0 : err_set(err, ERR_STEP, "the answer ends in the middle of its parts");
}

int couch_judge_bulk_get(const char *content_type, const char *body, size_t len, couch_row_fn *each,
                         void *arg, struct couch_bulk_get *out, struct err *err)
{
    struct get g = {each, arg, out, false};
    *out = (struct couch_bulk_get){0, 0, ""};
    return strncasecmp(content_type, "multipart/", 10) == 0
               ? judge_multipart(&g, content_type, body, len, err)
               : judge_json(&g, body, len, err);
}
