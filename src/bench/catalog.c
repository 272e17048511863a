#include "bench/catalog.h"

#include <search.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define BLOCK ((size_t)64 << 10) /* bytes of text storage taken at a time */

/* A text with its number, as the search tree keeps it. */
struct text {
    uint32_t number;
    bool artist; /* it is some track's artist (else only an album) */
    char text[];
};

struct block {
    struct block *next;
    size_t used, size;
    char bytes[];
};

struct catalog {
    struct block *blocks; /* the newest first; texts never move */
    void *tree;           /* of struct text by its text (tsearch) */
    struct text **texts;  /* by number */
    size_t text_count, text_cap;
    uint64_t *pairs; /* artist << 32 | album; distinct and sorted after catalog_end */
    size_t pair_count, pair_cap;
};

struct catalog *catalog_new(void)
{
    return mem_zero(1, sizeof(struct catalog));
}

static void keep_node(void *node)
{
    (void)node; /* texts live in the blocks */
}

static void drop_tree(struct catalog *c)
{
    if (c->tree != NULL) {
        tdestroy(c->tree, keep_node);
        c->tree = NULL;
    }
}

void catalog_free(struct catalog *c)
{
    if (c == NULL) {
        return;
    }
    drop_tree(c);
    while (c->blocks != NULL) {
        struct block *next = c->blocks->next;
        free(c->blocks);
        c->blocks = next;
    }
    free(c->texts);
    free(c->pairs);
    free(c);
}

static int by_text(const void *a, const void *b)
{
    return strcmp(((const struct text *)a)->text, ((const struct text *)b)->text);
}

/* The text with its number: a new one, or the one that is there already. */
static struct text *enter(struct catalog *c, const char *s)
{
    size_t len = strlen(s), align = _Alignof(struct text);
    size_t need = (sizeof(struct text) + len + 1 + align - 1) / align * align;
    if (c->blocks == NULL || c->blocks->size - c->blocks->used < need) {
        size_t size = need > BLOCK ? need : BLOCK;
        struct block *b = mem_alloc(sizeof *b + size);
        *b = (struct block){c->blocks, 0, size};
        c->blocks = b;
    }
    /* written where it would stay, and left to be written over if it is not new */
    struct text *t = (void *)(c->blocks->bytes + c->blocks->used);
    *t = (struct text){(uint32_t)c->text_count, false};
    memcpy(t->text, s, len + 1);
    struct text *found = *(struct text **)mem_checked(tsearch(t, &c->tree, by_text));
    if (found == t) {
        c->blocks->used += need;
        c->texts = mem_grow(c->texts, c->text_count, &c->text_cap, sizeof *c->texts);
        c->texts[c->text_count++] = t;
    }
    return found;
}

static int by_number(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

static void compact(struct catalog *c)
{
    size_t n = 0;
    if (c->pair_count > 0) {
        qsort(c->pairs, c->pair_count, sizeof *c->pairs, by_number);
    }
    for (size_t i = 0; i < c->pair_count; i++) {
        if (n == 0 || c->pairs[i] != c->pairs[n - 1]) {
            c->pairs[n++] = c->pairs[i];
        }
    }
    c->pair_count = n;
}

void catalog_add(struct catalog *c, const char *artist, const char *album, bool compilation)
{
    if (artist == NULL) {
        return;
    }
    struct text *a = enter(c, artist);
    a->artist = true;
    if (compilation) {
        return;
    }
    uint64_t pair = (uint64_t)a->number << 32 | (album ? enter(c, album)->number : CATALOG_NONE);
    if (c->pair_count > 0 && c->pairs[c->pair_count - 1] == pair) {
        return; /* the tracks of an album often stand together */
    }
    if (c->pair_count == c->pair_cap) {
        /* doubles are thrown out before it grows, and it grows only if at least half was new: the
         * work stays in proportion to the tracks */
        compact(c);
        if (c->pair_cap == 0 || c->pair_count > c->pair_cap / 2) {
            c->pair_cap = c->pair_cap ? c->pair_cap * 2 : 1024;
            c->pairs = mem_resize(c->pairs, c->pair_cap, sizeof *c->pairs);
        }
    }
    c->pairs[c->pair_count++] = pair;
}

void catalog_end(struct catalog *c)
{
    compact(c);
    drop_tree(c);
}

size_t catalog_pair_count(const struct catalog *c)
{
    return c->pair_count;
}

struct catalog_pair catalog_pair(const struct catalog *c, size_t i)
{
    return (struct catalog_pair){(uint32_t)(c->pairs[i] >> 32), (uint32_t)c->pairs[i]};
}

size_t catalog_text_count(const struct catalog *c)
{
    return c->text_count;
}

const char *catalog_text(const struct catalog *c, uint32_t number)
{
    return c->texts[number]->text;
}

static int by_string(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

uint64_t catalog_all_artists(const struct catalog *c, enum fold_rule rule)
{
    char **folded = mem_zero(c->text_count + 1, sizeof *folded);
    size_t n = 0;
    uint64_t distinct = 0;
    for (size_t i = 0; i < c->text_count; i++) {
        if (c->texts[i]->artist) {
            folded[n++] = fold_text(rule, c->texts[i]->text, strlen(c->texts[i]->text));
        }
    }
    qsort(folded, n, sizeof *folded, by_string);
    for (size_t i = 0; i < n; i++) {
        distinct += i == 0 || strcmp(folded[i], folded[i - 1]) != 0;
    }
    for (size_t i = 0; i < n; i++) {
        free(folded[i]);
    }
    free(folded);
    return distinct;
}

void catalog_chars(const struct catalog *c, struct fold_table *t)
{
    for (size_t i = 0; i < c->text_count; i++) {
        fold_table_add(t, c->texts[i]->text, strlen(c->texts[i]->text));
    }
}
