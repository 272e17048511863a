/* The documents (fake_sync_store.c) and views (fake_sync_views.c) behind the stand-in for Sync
 * Gateway. Not thread-safe. */
#ifndef TESTS_FAKE_SYNC_STORE_H
#define TESTS_FAKE_SYNC_STORE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

struct store_doc {
    char *id, *rev; /* rev "0-3" of _local documents */
    char *body;     /* JSON object without _id, _rev and _deleted; NULL: deleted */
};

struct store_view;

struct store {
    char *name;
    struct store_doc *docs; /* sorted by the bytes of their id */
    size_t count, cap;
    struct store_doc *ddocs; /* design documents, by name; body as it was put */
    size_t ddoc_count, ddoc_cap;
    struct store_view *views; /* rows already made */
    unsigned long seq;        /* grows with every write */
};

struct store *store_new(const char *name);
void store_free(struct store *s);

const struct store_doc *store_get(const struct store *s, const char *id); /* NULL: never there */
size_t store_first(const struct store *s, const char *id); /* position of the first id >= this */

/* Writes the text of one document. Its id is `id`, or the text's _id if that is NULL, or made up.
 * 0, or an HTTP status with *reason; *stored is the document where it was found. */
int store_put(struct store *s, const char *id, const char *rev, struct json_span text,
              const struct store_doc **stored, const char **reason, char **used_id);
int store_delete(struct store *s, const char *id, const char *rev, const struct store_doc **stored,
                 const char **reason);

void store_ddoc_put(struct store *s, const char *name, const char *text, size_t len);
const char *store_ddoc(const struct store *s, const char *name); /* NULL: none */
bool store_ddoc_delete(struct store *s, const char *name);

struct view_query {
    cJSON *start, *end; /* NULL: open */
    bool reduce, group, inclusive_end;
    long group_level, limit, skip; /* limit -1: all */
    bool builtin_only;             /* reduces in JavaScript are refused */
};

/* Appends {"total_rows":…,"rows":[…],"Collator":{}}: 0; or an HTTP status with *reason. */
int store_view(struct store *s, const char *ddoc, const char *view, const struct view_query *q,
               struct buf *out, const char **reason);
void store_views_free(struct store_view *v); /* all of them; NULL is fine */

#endif
