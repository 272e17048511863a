#include "bench/expect.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/track.h"

struct expect {
    struct expect_artist *artists; /* sorted by folded name */
    size_t artist_count, pair_count;
    const char **spellings; /* of all artists, one after the other */
    const char **albums;    /* the same */
    char **owned;           /* folded texts, in no order */
    size_t owned_count;
};

void expect_free(struct expect *e)
{
    if (e == NULL) {
        return;
    }
    for (size_t i = 0; i < e->owned_count; i++) {
        free(e->owned[i]);
    }
    free(e->owned);
    free(e->artists);
    free(e->spellings);
    free(e->albums);
    free(e);
}

/* An artist as the documents spell it, then an artist's album. */
struct spelled {
    const char *folded, *spelling;
    uint32_t number; /* of the text in the catalog */
    size_t artist;   /* index in e->artists, once that is known */
};

struct row {
    size_t artist;
    const char *album; /* folded, NULL: none */
};

static int by_folded(const void *a, const void *b)
{
    const struct spelled *x = a, *y = b;
    int order = strcmp(x->folded, y->folded);
    return order != 0 ? order : strcmp(x->spelling, y->spelling);
}

static int by_number(const void *a, const void *b)
{
    const struct spelled *x = a, *y = b;
    return x->number < y->number ? -1 : x->number > y->number;
}

static int compare_albums(const char *a, const char *b)
{
    return a == NULL || b == NULL ? (a != NULL) - (b != NULL) : strcmp(a, b);
}

static int by_row(const void *a, const void *b)
{
    const struct row *x = a, *y = b;
    return x->artist != y->artist ? (x->artist < y->artist ? -1 : 1)
                                  : compare_albums(x->album, y->album);
}

static const char *fold_owned(struct expect *e, enum fold_rule rule, const char *s)
{
    return e->owned[e->owned_count++] = fold_text(rule, s, strlen(s));
}

/* Artists from the distinct spellings, sorted by folded name. */
static void make_artists(struct expect *e, struct spelled *all, size_t n)
{
    size_t used = 0;
    qsort(all, n, sizeof *all, by_folded);
    for (size_t i = 0; i < n; i++) {
        bool first = i == 0 || strcmp(all[i].folded, all[i - 1].folded) != 0;
        if (first) {
            e->artists[e->artist_count++] =
                (struct expect_artist){all[i].folded, e->spellings + used, 0, NULL, 0};
        }
        struct expect_artist *a = &e->artists[e->artist_count - 1];
        all[i].artist = e->artist_count - 1;
        /* "The Mill" and "Mill" are one spelling once "The " is gone */
        if (first || strcmp(all[i].spelling, all[i - 1].spelling) != 0) {
            e->spellings[used++] = all[i].spelling;
            a->spelling_count++;
        }
    }
}

static void make_albums(struct expect *e, struct row *rows, size_t n)
{
    qsort(rows, n, sizeof *rows, by_row);
    for (size_t i = 0; i < n; i++) {
        if (i > 0 && by_row(&rows[i], &rows[i - 1]) == 0) {
            continue;
        }
        struct expect_artist *a = &e->artists[rows[i].artist];
        if (a->album_count == 0) {
            a->albums = e->albums + e->pair_count;
        }
        e->albums[e->pair_count++] = rows[i].album;
        a->album_count++;
    }
}

struct expect *expect_new(const struct catalog *c, enum fold_rule rule, bool stripped)
{
    size_t pairs = catalog_pair_count(c), texts = 0;
    struct expect *e = mem_zero(1, sizeof *e);
    for (size_t i = 0; i < pairs; i++) {
        texts += i == 0 || catalog_pair(c, i).artist != catalog_pair(c, i - 1).artist;
    }
    struct spelled *all = mem_zero(texts + 1, sizeof *all);
    struct row *rows = mem_zero(pairs + 1, sizeof *rows);
    e->owned = mem_zero(texts + pairs + 1, sizeof *e->owned);
    e->artists = mem_zero(texts + 1, sizeof *e->artists);
    e->spellings = mem_zero(texts + 1, sizeof *e->spellings);
    e->albums = mem_zero(pairs + 1, sizeof *e->albums);

    size_t n = 0;
    for (size_t i = 0; i < pairs; i++) {
        uint32_t artist = catalog_pair(c, i).artist;
        if (i == 0 || artist != catalog_pair(c, i - 1).artist) {
            const char *s = catalog_text(c, artist);
            s = stripped ? track_strip_the(s) : s;
            all[n++] = (struct spelled){fold_owned(e, rule, s), s, artist, 0};
        }
    }
    make_artists(e, all, n);

    /* pairs are sorted by the artist's number: walk both side by side */
    qsort(all, n, sizeof *all, by_number);
    n = 0;
    for (size_t i = 0; i < pairs; i++) {
        struct catalog_pair pair = catalog_pair(c, i);
        n += pair.artist != all[n].number;
        rows[i].artist = all[n].artist;
        rows[i].album =
            pair.album == CATALOG_NONE ? NULL : fold_owned(e, rule, catalog_text(c, pair.album));
    }
    make_albums(e, rows, pairs);
    free(all);
    free(rows);
    return e;
}

/* ---- looking up ---------------------------------------------------------------------------- */

size_t expect_artist_count(const struct expect *e)
{
    return e->artist_count;
}

size_t expect_pair_count(const struct expect *e)
{
    return e->pair_count;
}

const struct expect_artist *expect_artist(const struct expect *e, size_t i)
{
    return &e->artists[i];
}

static int find_artist(const void *key, const void *element)
{
    return strcmp(key, ((const struct expect_artist *)element)->folded);
}

const struct expect_artist *expect_find(const struct expect *e, const char *folded)
{
    return bsearch(folded, e->artists, e->artist_count, sizeof *e->artists, find_artist);
}

bool expect_has_artist(const struct expect *e, const char *folded)
{
    return expect_find(e, folded) != NULL;
}

bool expect_has_album(const struct expect_artist *a, const char *folded)
{
    size_t low = 0, high = a->album_count; /* not bsearch: NULL is a key here */
    while (low < high) {
        size_t middle = low + (high - low) / 2;
        int order = compare_albums(folded, a->albums[middle]);
        if (order == 0) {
            return true;
        }
        if (order < 0) {
            high = middle;
        } else {
            low = middle + 1;
        }
    }
    return false;
}

/* ---- digests ------------------------------------------------------------------------------- */

static uint64_t hash_bytes(uint64_t h, const char *s, size_t n)
{
    for (size_t i = 0; i < n; i++) { /* FNV-1a */
        h = (h ^ (unsigned char)s[i]) * UINT64_C(0x100000001b3);
    }
    return h;
}

/* The sum of well mixed hashes does not depend on the order, and unlike exclusive or it sees a row
 * that came twice. */
static void add(struct expect_digest *d, uint64_t h)
{
    h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9); /* the finalizer of splitmix64 */
    h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
    d->sum += h ^ h >> 31;
    d->rows++;
}

#define FNV_START UINT64_C(0xcbf29ce484222325)

void expect_digest_artist(struct expect_digest *d, const char *folded)
{
    add(d, hash_bytes(FNV_START, folded, strlen(folded)));
}

void expect_digest_pair(struct expect_digest *d, const char *folded, const char *folded_album)
{
    uint64_t h = hash_bytes(FNV_START, folded, strlen(folded));
    /* bytes that UTF-8 never has keep the two apart, and no album from an empty one */
    h = hash_bytes(h, folded_album ? "\xff" : "\xfe", 1);
    add(d, folded_album ? hash_bytes(h, folded_album, strlen(folded_album)) : h);
}

bool expect_digest_equal(const struct expect_digest *a, const struct expect_digest *b)
{
    return a->rows == b->rows && a->sum == b->sum;
}

struct expect_digest expect_artists_digest(const struct expect *e)
{
    struct expect_digest d = {0, 0};
    for (size_t i = 0; i < e->artist_count; i++) {
        expect_digest_artist(&d, e->artists[i].folded);
    }
    return d;
}

struct expect_digest expect_pairs_digest(const struct expect *e)
{
    struct expect_digest d = {0, 0};
    for (size_t i = 0; i < e->artist_count; i++) {
        const struct expect_artist *a = &e->artists[i];
        for (size_t k = 0; k < a->album_count; k++) {
            expect_digest_pair(&d, a->folded, a->albums[k]);
        }
    }
    return d;
}
