/* catalog: the distinct artists and albums of a file, each text once, and which go together: what
 * expected answers are made from, under any fold rule, without reading the file again.
 *
 * Memory for each distinct text: its bytes and about 60 more while adding, about 20 after
 * catalog_end; for each distinct pair 8 to 16. A million tracks with 171,000 artists, as many
 * albums and 155,000 pairs need about 25 MiB while adding. */
#ifndef BENCH_CATALOG_H
#define BENCH_CATALOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "bench/fold.h"

#define CATALOG_NONE UINT32_MAX /* in a pair: no album */

struct catalog;

struct catalog *catalog_new(void);
void catalog_free(struct catalog *c); /* NULL is fine */

/* One track. Without an artist (NULL) it adds nothing; `album` may be NULL. A track of a
 * compilation counts for the artists alone, not for the pairs. */
void catalog_add(struct catalog *c, const char *artist, const char *album, bool compilation);

/* After the last track: sorts, and lets go of what only adding needs. */
void catalog_end(struct catalog *c);

/* After catalog_end. Pairs of tracks without Compilation, distinct and sorted, as numbers of texts;
 * texts are as the file has them, "The " included. Borrowed. */
struct catalog_pair {
    uint32_t artist, album; /* album may be CATALOG_NONE */
};
size_t catalog_pair_count(const struct catalog *c);
struct catalog_pair catalog_pair(const struct catalog *c, size_t i);
size_t catalog_text_count(const struct catalog *c);
const char *catalog_text(const struct catalog *c, uint32_t number);

/* Distinct artists as they stand in the file, compilations included. */
uint64_t catalog_all_artists(const struct catalog *c, enum fold_rule rule);

/* Adds the characters of all texts. */
void catalog_chars(const struct catalog *c, struct fold_table *t);

#endif
