#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "tests/fake_sync_ask.h"

/* ---- _bulk_docs ------------------------------------------------------------------------------ */

struct bulk {
    struct ask *a;
    struct store *s;
    struct buf rows;
    bool bad;
};

static int bulk_doc(void *arg, struct json_span doc)
{
    struct bulk *b = arg;
    struct fake_sync *f = b->a->f;
    const struct store_doc *stored;
    const char *reason = "";
    char *id = NULL;
    if (*doc.at != '{') {
        b->bad = true;
        return 1;
    }
    bool busy = f->busy_each > 0 && ++f->busy_count % f->busy_each == 0;
    int status = 503;
    if (busy) {
        struct json_span v;
        json_member(doc.at, doc.len, "_id", &v, NULL);
        id = v.at != NULL ? json_decode(v, NULL) : NULL;
        reason = "Database is busy";
    } else {
        status = store_put(b->s, NULL, NULL, doc, &stored, &reason, &id);
    }
    buf_adds(&b->rows, b->rows.len > 1 ? "," : "");
    if (status == 0) {
        buf_adds(&b->rows, "{\"id\":");
        json_quote(&b->rows, id, strlen(id));
        buf_addf(&b->rows, ",\"rev\":\"%s\"}", stored->rev);
    } else {
        buf_addf(&b->rows, "{\"error\":\"%s\",\"id\":",
                 busy            ? "Service Unavailable"
                 : status == 409 ? "conflict"
                                 : "bad_request");
        json_quote(&b->rows, id != NULL ? id : "", id != NULL ? strlen(id) : 0);
        buf_addf(&b->rows, ",\"reason\":\"%s\",\"status\":%d}", reason, status);
    }
    free(id);
    return 0;
}

void ask_bulk_docs(struct ask *a, struct store *s)
{
    const struct stub_request *r = a->request;
    struct bulk b = {a, s, BUF_INIT(BUF_TEXT_MAX), false};
    struct json_span docs;
    struct err err = ERR_INIT;
    if (json_validate(r->body, r->body_len, &err) < 0) {
        ask_fail(a, 400, "Bad Request", "Bad JSON");
    } else if (!json_member(r->body, r->body_len, "docs", &docs, NULL) || *docs.at != '[') {
        ask_fail(a, 400, "Bad Request", "missing 'docs' property");
    } else {
        buf_addc(&b.rows, '[');
        json_each(docs.at, docs.len, bulk_doc, &b, NULL);
        buf_addc(&b.rows, ']');
        if (b.bad) {
            ask_fail(a, 400, "Bad Request", "Document body must be JSON");
        } else {
            ask_answer(a, 201, b.rows.data);
        }
    }
    buf_free(&b.rows);
}

/* ---- reading --------------------------------------------------------------------------------- */

static void add_doc(struct buf *out, const struct store_doc *d)
{
    bool empty = strcmp(d->body, "{}") == 0;
    buf_add(out, d->body, strlen(d->body) - 1);
    buf_adds(out, empty ? "\"_id\":" : ",\"_id\":");
    json_quote(out, d->id, strlen(d->id));
    buf_addf(out, ",\"_rev\":\"%s\"}", d->rev);
}

static void add_row(struct buf *out, const struct store_doc *d, bool docs)
{
    buf_adds(out, "{\"key\":");
    json_quote(out, d->id, strlen(d->id));
    buf_adds(out, ",\"id\":");
    json_quote(out, d->id, strlen(d->id));
    buf_addf(out, ",\"value\":{\"rev\":\"%s\"}", d->rev);
    if (docs) {
        buf_adds(out, ",\"doc\":");
        add_doc(out, d);
    }
    buf_addc(out, '}');
}

/* As 3.1.0: limit (0 means none), startkey and endkey; skip, key and descending are ignored. */
void ask_all_docs(struct ask *a, struct store *s)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    bool docs = ask_flag(a, "include_docs", false);
    long limit = ask_number(a, "limit", 0), n = 0;
    buf_adds(&out, "{\"rows\":[\n");
    if (ask_method(a, "POST")) {
        cJSON *body = json_parse(a->request->body, a->request->body_len, NULL);
        const cJSON *key;
        cJSON_ArrayForEach(key, json_get(body, "keys"))
        {
            const struct store_doc *d = cJSON_IsString(key) ? store_get(s, key->valuestring) : NULL;
            buf_adds(&out, n++ > 0 ? "," : "");
            if (d != NULL && d->body != NULL) {
                add_row(&out, d, docs);
            } else {
                char *text = json_print(key, false);
                buf_addf(&out, "{\"key\":%s,\"error\":\"not_found\",\"status\":404}", text);
                free(text);
            }
            buf_addc(&out, '\n');
        }
        cJSON_Delete(body);
    } else {
        cJSON *start = ask_json(a, "startkey"), *end = ask_json(a, "endkey");
        size_t i = cJSON_IsString(start) ? store_first(s, start->valuestring) : 0;
        for (; i < s->count && (limit == 0 || n < limit); i++) {
            const struct store_doc *d = &s->docs[i];
            if (cJSON_IsString(end) && strcmp(d->id, end->valuestring) > 0) {
                break;
            }
            if (d->body != NULL && *d->id != '_') {
                buf_adds(&out, n++ > 0 ? "," : "");
                add_row(&out, d, docs);
                buf_addc(&out, '\n');
            }
        }
        cJSON_Delete(start);
        cJSON_Delete(end);
    }
    buf_addf(&out, "],\n\"total_rows\":%ld,\"update_seq\":%lu}", n, s->seq);
    a->answer->status = 200;
    a->answer->body = out;
}

/* multipart/mixed whatever is asked for, and 406 if that is not accepted. */
void ask_bulk_get(struct ask *a, struct store *s)
{
    char accept[200];
    stub_header(a->request, "Accept", accept, sizeof accept);
    cJSON *body = json_parse(a->request->body, a->request->body_len, NULL);
    const cJSON *each;
    if (!cJSON_IsArray(json_get(body, "docs"))) {
        ask_fail(a, 400, "Bad Request", "missing 'docs' property");
    } else if (strstr(accept, "multipart/") == NULL && strstr(accept, "*/*") == NULL &&
               *accept != '\0') {
        ask_fail(a, 406, "Not Acceptable", "Response is multipart");
    } else {
        struct buf out = BUF_INIT(BUF_TEXT_MAX);
        cJSON_ArrayForEach(each, json_get(body, "docs"))
        {
            const char *id = json_str(each, "id", "");
            const struct store_doc *d = store_get(s, id);
            bool there = d != NULL && d->body != NULL;
            buf_addf(&out, "--fakeboundary\r\nContent-Type: application/json%s\r\n\r\n",
                     there ? "" : "; error=\"true\"");
            if (there) {
                add_doc(&out, d);
            } else {
                buf_adds(&out, "{\"error\":\"not_found\",\"id\":");
                json_quote(&out, id, strlen(id));
                buf_adds(&out, ",\"reason\":\"missing\",\"status\":404}");
            }
            buf_adds(&out, "\r\n");
        }
        buf_adds(&out, "--fakeboundary--\r\n");
        a->answer->type = "multipart/mixed; boundary=\"fakeboundary\"";
        a->answer->status = 200;
        a->answer->body = out;
    }
    cJSON_Delete(body);
}

/* ---- single documents ------------------------------------------------------------------------ */

void ask_document(struct ask *a, struct store *s, const char *id)
{
    const struct store_doc *d = store_get(s, id);
    const char *reason = "";
    char *rev = ask_parameter(a, "rev"), *used = NULL;
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    int status;
    if (ask_method(a, "GET") || ask_method(a, "HEAD")) {
        if (d == NULL || d->body == NULL) {
            ask_fail(a, 404, "not_found", "missing");
        } else {
            add_doc(&out, d);
            ask_answer(a, 200, out.data);
        }
    } else if (ask_method(a, "PUT")) {
        struct json_span body = {a->request->body, a->request->body_len};
        if (body.len == 0 || json_validate(body.at, body.len, NULL) < 0 || *body.at != '{') {
            ask_fail(a, 400, "Bad Request", "Bad JSON");
        } else if ((status = store_put(s, id, rev, body, &d, &reason, &used)) != 0) {
            ask_fail(a, status, ask_error_name(status), reason);
        } else {
            buf_adds(&out, "{\"id\":");
            json_quote(&out, id, strlen(id));
            buf_addf(&out, ",\"ok\":true,\"rev\":\"%s\"}", d->rev);
            ask_answer(a, 201, out.data);
        }
    } else if (ask_method(a, "DELETE")) {
        if ((status = store_delete(s, id, rev, &d, &reason)) != 0) {
            ask_fail(a, status, ask_error_name(status), reason);
        } else {
            buf_adds(&out, "{\"id\":");
            json_quote(&out, id, strlen(id));
            buf_addf(&out, ",\"ok\":true,\"rev\":\"%s\"}", d->rev);
            ask_answer(a, 200, *id == '_' ? "" : out.data);
        }
    } else {
        ask_fail(a, 405, "Method Not Allowed", "");
    }
    buf_free(&out);
    free(rev);
    free(used);
}
