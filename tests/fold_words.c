/* Prints what CouchDB sends to its JavaScript process for a view that folds: a map function that
 * emits whether its own folding of doc.s is what the client makes of it, and documents. For
 * tests/fold_js.sh. Arguments: the rule, then "all" (every code point) or a library file. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "bench/dataset.h"
#include "bench/fold.h"
#include "bench/track.h"

struct words {
    enum fold_rule rule;
    struct fold_table *table;
    struct buf docs;
    unsigned count;
};

/* JSON text of a string, kept as it is: it may hold escapes that only JSON can say. */
static void add_json(struct words *w, const char *json)
{
    size_t n;
    char *s = json_decode((struct json_span){json, strlen(json)}, &n);
    char *folded = fold_text(w->rule, s, n);
    fold_table_add(w->table, s, n);
    buf_addf(&w->docs, "[\"map_doc\",{\"_id\":\"%u\",\"s\":%s,\"want\":", w->count++, json);
    json_quote(&w->docs, folded, strlen(folded));
    buf_adds(&w->docs, "}]\n");
    free(folded);
    free(s);
}

static void add(struct words *w, const char *s)
{
    struct buf json = BUF_INIT(BUF_TEXT_MAX);
    json_quote(&json, s, strlen(s));
    add_json(w, json.data);
    buf_free(&json);
}

#define PIECE 4096 /* code points a document: the map function builds its table for each */

static void add_all(struct words *w)
{
    struct buf json = BUF_INIT(BUF_TEXT_MAX);
    for (unsigned from = 0; from < 0x110000; from += PIECE) {
        buf_clear(&json);
        buf_addc(&json, '"');
        for (unsigned c = from; c < from + PIECE; c++) {
            if (c >= 0x10000) {
                buf_addf(&json, "\\u%04x\\u%04x", 0xd800 + (c - 0x10000) / 0x400,
                         0xdc00 + (c - 0x10000) % 0x400);
            } else if (c < 0xdc00 || c > 0xdfff) { /* after a high one it would be a pair */
                buf_addf(&json, "\\u%04x", c);
            }
        }
        buf_addc(&json, '"');
        add_json(w, json.data);
    }
    buf_free(&json);
}

static int add_library(struct words *w, const char *path)
{
    static const char *const hostile[] = {
        "\"\"",
        "\"\\u0000\"",
        "\"A\\u0000B\\u0000\"",
        "\"\\ud800\"",
        "\"\\udc00X\"",
        "\"X\\ud83c\"",
        "\"\\ud83cY\\udfb5\"",
        "\"\\ud83c\\ud83c\\udfb5\"",
        "\"\\ud801\\udc00Z\"",
        "\"E\\u0301\\u0327 E\\u0301\"",
        "\"\\u0130I\\u0131\"",
        "\"\\u03a3\\u0391\\u03a3\"",
        "\"\\u1e9e\\u00df\"",
        "\"\\u212a\\u212b\"",
        "\"\\\"\\\\\\n\\t\\u007f\\u0080\\u2028\\u2029\"",
        "\"__proto__ constructor hasOwnProperty \\u00c9\"",
        "\"$& $1 $` </script> \\u00c9\"",
    };
    struct err err = ERR_INIT;
    struct json_span doc;
    const char *id;
    int rc;
    for (size_t i = 0; i < sizeof hostile / sizeof hostile[0]; i++) {
        add_json(w, hostile[i]);
    }
    struct dataset *d = dataset_open(path, NULL, &err);
    if (d == NULL) {
        fprintf(stderr, "%s\n", err.text);
        return -1;
    }
    while ((rc = dataset_next(d, &doc, &id, &err)) > 0) {
        char *s[] = {track_artist(doc, NULL), track_album(doc, NULL), track_name(doc, NULL)};
        for (size_t i = 0; i < 3; i++) {
            if (s[i] != NULL) {
                add(w, s[i]);
            }
            free(s[i]);
        }
    }
    dataset_close(d);
    return rc;
}

int main(int argc, char **argv)
{
    struct words w = {FOLD_DEFAULT, NULL, BUF_INIT(BUF_TEXT_MAX), 0};
    struct buf map = BUF_INIT(BUF_TEXT_MAX), quoted = BUF_INIT(BUF_TEXT_MAX);
    int rc = 0;
    if (argc != 3 || fold_parse(argv[1], &w.rule, NULL) < 0) {
        fprintf(stderr, "usage: fold_words RULE all|FILE\n");
        return 2;
    }
    w.table = fold_table_new(w.rule);
    if (strcmp(argv[2], "all") == 0) {
        add_all(&w);
    } else {
        rc = add_library(&w, argv[2]);
    }
    buf_adds(&map, "function(doc){");
    fold_table_js(w.table, &map);
    buf_adds(&map, "emit(fold(doc.s)===doc.want,null);}");
    json_quote(&quoted, map.data, map.len);
    printf("[\"reset\"]\n[\"add_fun\",%s]\n%s", quoted.data, buf_text(&w.docs));
    fold_table_free(w.table);
    buf_free(&map);
    buf_free(&quoted);
    buf_free(&w.docs);
    return rc < 0 ? 1 : 0;
}
