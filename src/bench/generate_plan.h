/* generate_plan: which artist, album and spelling each track of a generated library has. All counts
 * that a library must answer are settled here; names and the other members come later and cannot
 * change them. Integer arithmetic only. */
#ifndef BENCH_GENERATE_PLAN_H
#define BENCH_GENERATE_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define PLAN_NONE UINT32_MAX

/* The other spelling that some tracks of an album have. */
enum plan_spelling {
    PLAN_AS_IS,
    PLAN_NO_THE,    /* without "The ": one artist once that is stripped */
    PLAN_ASCII_LOW, /* ASCII capitals as small letters: one artist under every fold rule */
    PLAN_LOW,       /* all capitals as small letters, one of them not ASCII: two under `ascii` */
    PLAN_PLAIN,     /* without accents: two under `ascii` and `lower` */
};

struct plan_artist {
    bool the;       /* spelled with "The " */
    uint8_t needs;  /* of the name: enum names_need */
    uint16_t tries; /* names passed over because another artist has them (generate.c) */
};

enum plan_kind { PLAN_ALBUM, PLAN_COMPILATION, PLAN_NO_ARTIST };

struct plan_album {
    uint32_t artist; /* PLAN_NONE for a compilation or without an artist */
    uint32_t first;  /* number of its first track */
    uint8_t kind;    /* enum plan_kind */
    uint8_t other;   /* enum plan_spelling of its first other_tracks tracks */
    bool nameless;   /* its tracks have no Album */
    uint8_t tries;
    uint16_t other_tracks;
};

struct plan {
    uint64_t seed;
    uint32_t docs;
    struct plan_artist *artists; /* first those with albums, then those of compilations alone */
    uint32_t album_artists, artist_count;
    struct plan_album
        *albums; /* sorted by first track; by artist; then compilations, then others */
    uint32_t album_count;
    uint32_t compilation_first, compilation_tracks;
    uint32_t rocks, rocks_plain;
};

/* A figure of the original at this many documents: figure * docs / 12,189, halves rounded up. */
uint32_t plan_round(uint32_t figure, uint32_t docs);

void library_plan_make(struct plan *p, uint32_t docs, uint64_t seed);
void library_plan_free(struct plan *p);

enum plan_rock { PLAN_NO_ROCK, PLAN_ROCK, PLAN_ROCKS };

struct plan_track {
    uint32_t album;  /* index */
    uint32_t artist; /* PLAN_NONE: no Artist */
    bool the;        /* this track's artist is spelled with "The " */
    enum plan_spelling spelling;
    uint32_t number, count; /* from 1, within the album; the album's tracks */
    enum plan_rock rock;
};

/* Track t of docs. */
void plan_track(const struct plan *p, uint32_t t, struct plan_track *out);

/* A well mixed number for a purpose and an index: where each generator starts. */
uint64_t library_plan_mix(uint64_t seed, uint64_t purpose, uint64_t index);

/* A permutation of 0 to n - 1, chosen by the seed, one value at a time. */
uint32_t plan_shuffle(uint64_t seed, uint32_t n, uint32_t i);

#endif
