#include "couch/couch.h"

#include <ctype.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "couch/couch_private.h"

void couch_escape(struct buf *out, const char *bytes, size_t n)
{
    static const char hex[] = "0123456789ABCDEF";
    for (size_t i = 0; i < n; i++) {
        unsigned char b = (unsigned char)bytes[i];
        if (b < 0x80 && (isalnum(b) || strchr("-._~", b) != NULL) && b != '\0') {
            buf_addc(out, (char)b);
        } else {
            char escape[3] = {'%', hex[b >> 4], hex[b & 15]};
            buf_add(out, escape, 3);
        }
    }
}

static void segment(struct buf *out, const char *name)
{
    buf_addc(out, '/');
    /* "." and ".." would be taken out of the path on the way (RFC 3986, 5.2.4), escaped or not */
    couch_escape(out, name, strlen(name));
}

/* Document ids keep the slash after _design and _local: there it is not part of the name. */
static void id_segment(struct buf *out, const char *id)
{
    static const char *const prefixes[] = {"_design/", "_local/"};
    for (size_t i = 0; i < 2; i++) {
        if (text_starts(id, prefixes[i])) {
            buf_addf(out, "/%.*s", (int)strlen(prefixes[i]) - 1, id);
            id += strlen(prefixes[i]);
            break;
        }
    }
    segment(out, id);
}

static void query_part(struct buf *out, const char *query)
{
    if (query != NULL && *query != '\0') {
        buf_addf(out, "%c%s", strchr(buf_text(out), '?') != NULL ? '&' : '?', query);
    }
}

static struct buf start(const char *base, const char *db)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    buf_adds(&out, base);
    if (db != NULL) {
        segment(&out, db);
    }
    return out;
}

char *couch_url_server(const struct couch *c, const char *path)
{
    return mem_printf("%s%s", c->url, path);
}

char *couch_url_db(const struct couch *c, const char *db, const char *tail)
{
    struct buf out = start(c->url, db);
    if (tail != NULL) {
        buf_addf(&out, "/%s", tail);
    } else if (c->dialect->db_slash) {
        buf_addc(&out, '/');
    }
    return buf_take(&out, NULL);
}

char *couch_url_doc(const struct couch *c, const char *db, const char *id, const char *query)
{
    struct buf out = start(c->url, db);
    id_segment(&out, id);
    query_part(&out, query);
    return buf_take(&out, NULL);
}

char *couch_url_attachment(const struct couch *c, const char *db, const char *id, const char *name,
                           const char *query)
{
    struct buf out = start(c->url, db);
    id_segment(&out, id);
    segment(&out, name);
    query_part(&out, query);
    return buf_take(&out, NULL);
}

static struct buf ddoc(const struct couch *c, const char *db, const char *name)
{
    const char *base =
        c->dialect->views_on_admin_port && c->admin_url != NULL ? c->admin_url : c->url;
    struct buf out = start(base, db);
    buf_adds(&out, "/_design");
    segment(&out, text_starts(name, "_design/") ? name + strlen("_design/") : name);
    return out;
}

char *couch_url_ddoc(const struct couch *c, const char *db, const char *name, const char *query)
{
    struct buf out = ddoc(c, db, name);
    query_part(&out, query);
    return buf_take(&out, NULL);
}

char *couch_url_view(const struct couch *c, const char *db, const char *name, const char *view,
                     const char *query)
{
    struct buf out = ddoc(c, db, name);
    buf_adds(&out, "/_view");
    segment(&out, view);
    query_part(&out, query);
    query_part(&out, c->dialect->view_query);
    return buf_take(&out, NULL);
}

char *couch_url_search(const struct couch *c, const char *db, enum capability engine,
                       const char *name, const char *index)
{
    struct buf out = ddoc(c, db, name);
    buf_adds(&out, engine == CAP_NOUVEAU ? "/_nouveau" : "/_search");
    segment(&out, index);
    return buf_take(&out, NULL);
}
