/* expect: what a data set must answer under one fold rule: the artists (of tracks whose Compilation
 * is missing or null), their albums, every spelling. Made from the file alone, so that a workload
 * checks row sets, not just counts.
 *
 * Ownership: all strings belong to the expect, or (spellings) to the data set it was made from,
 * which must outlive it. Nothing in it changes after it was made: threads may share it. */
#ifndef BENCH_EXPECT_H
#define BENCH_EXPECT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/catalog.h"
#include "bench/fold.h"

struct expect;

struct expect_artist {
    const char *folded;           /* after stripping "The " (if that was asked for) and folding */
    const char *const *spellings; /* as a document holds it then: for Mango's $eq; sorted bytes */
    size_t spelling_count;        /* at least 1 */
    const char *const *albums;    /* folded, distinct, sorted by bytes; a missing album is one
                                     group: NULL, and first */
    size_t album_count;           /* at least 1 */
};

/* From a catalog after catalog_end; see dataset_expect. Never NULL. */
struct expect *expect_new(const struct catalog *c, enum fold_rule rule, bool stripped);
void expect_free(struct expect *e); /* NULL is fine */

size_t expect_artist_count(const struct expect *e);
size_t expect_pair_count(const struct expect *e); /* artist and album pairs */

/* Artists sorted by the bytes of their folded name; i < expect_artist_count. */
const struct expect_artist *expect_artist(const struct expect *e, size_t i);

/* NULL if there is no such artist. `folded` must already be folded. */
const struct expect_artist *expect_find(const struct expect *e, const char *folded);
bool expect_has_artist(const struct expect *e, const char *folded);
bool expect_has_album(const struct expect_artist *a, const char *folded); /* NULL: no album */

/* An order-independent digest of rows: equal for equal multisets, different otherwise but for a
 * chance of about 2^-64. Add every row an answer holds and compare with the expected one. */
struct expect_digest {
    uint64_t rows, sum;
};
void expect_digest_artist(struct expect_digest *d, const char *folded);
void expect_digest_pair(struct expect_digest *d, const char *folded, const char *folded_album);
bool expect_digest_equal(const struct expect_digest *a, const struct expect_digest *b);
struct expect_digest expect_artists_digest(const struct expect *e);
struct expect_digest expect_pairs_digest(const struct expect *e);

#endif
