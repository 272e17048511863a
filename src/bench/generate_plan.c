#include "bench/generate_plan.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/rng.h"
#include "bench/generate.h"
#include "bench/generate_names.h"

/* What the original answers (its reference says so), and what was chosen for it here;
 * data/README.md lists both. All at scale 1. */
enum {
    COMPILATION_TRACKS = 1219, /* chosen */
    THE_TRACKS = 1223,
    ARTISTS = 1111,     /* with albums of their own, ignoring case and accents */
    ACCENT_ARTISTS = 3, /* 1,114 under lower */
    CASE_ARTISTS = 1,   /* 1,115 under ascii, and 1,887 pairs */
    PAIRS = 1886,
    ALL_ARTISTS = 2094,
    ROCKS = 30,
    ROCKS_PLAIN = 27,
    NO_ARTIST_TRACKS = 37, /* chosen, as all that follow */
    NAMELESS_ALBUMS = 61,  /* artists with tracks that have no Album */
    LOW_ARTISTS = 24,      /* some tracks spelled without capitals */
    BOTH_ARTISTS = 9,      /* some tracks with, some without "The " */
    COMPILATIONS = 76,     /* albums */
    COMPILATION_THE = 98,  /* tracks of artists that only compilations have */
    NO_ARTIST_ALBUMS = 14,
};

enum purpose { FOR_PLAN = 1, FOR_PICK, FOR_ROCK, FOR_SHUFFLE };

uint32_t plan_round(uint32_t figure, uint32_t docs)
{
    return (uint32_t)(((uint64_t)figure * docs * 2 + GENERATE_DOCS) /
                      (2 * (uint64_t)GENERATE_DOCS));
}

uint64_t library_plan_mix(uint64_t seed, uint64_t purpose, uint64_t index)
{
    /* splitmix64's finalizer over each part */
    uint64_t parts[] = {seed, purpose, index}, h = 0;
    for (int i = 0; i < 3; i++) {
        h = (h ^ parts[i]) + UINT64_C(0x9e3779b97f4a7c15);
        h = (h ^ h >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
        h = (h ^ h >> 27) * UINT64_C(0x94d049bb133111eb);
        h ^= h >> 31;
    }
    return h;
}

uint32_t plan_shuffle(uint64_t seed, uint32_t n, uint32_t i)
{
    /* a Feistel network over the next even power of two, walked until it is within n again: less
     * than four steps on average */
    unsigned half = 1;
    while ((UINT64_C(1) << 2 * half) < n) {
        half++;
    }
    uint32_t mask = (uint32_t)((UINT64_C(1) << half) - 1);
    uint64_t v = i;
    do {
        uint32_t left = (uint32_t)(v >> half), right = (uint32_t)v & mask;
        for (uint64_t round = 0; round < 4; round++) {
            uint32_t next =
                left ^ ((uint32_t)library_plan_mix(seed, FOR_SHUFFLE + 16 * round, right) & mask);
            left = right;
            right = next;
        }
        v = (uint64_t)left << half | right;
    } while (v >= n);
    return (uint32_t)v;
}

static uint32_t clamp(uint32_t v, uint32_t low, uint32_t high)
{
    return v > high ? high : v < low ? low : v;
}

/* ---- making -------------------------------------------------------------------------------- */

struct making {
    struct plan *p;
    struct rng rng;
    uint32_t own_tracks;   /* of artists with albums */
    uint32_t *first_album; /* by artist; one more at the end */
    uint32_t *lengths;     /* tracks of each album */
    bool *taken;           /* artists that already are special in some way */
};

/* How many albums each artist has: one, and the rest go to artists by a square law, so that few
 * have many. */
static void spread_albums(struct making *m, uint32_t pairs)
{
    struct plan *p = m->p;
    uint32_t *count = mem_zero(p->album_artists, sizeof *count);
    for (uint32_t i = 0; i < p->album_artists; i++) {
        count[i] = 1;
    }
    for (uint32_t i = p->album_artists; i < pairs; i++) {
        uint64_t u = rng_next(&m->rng) >> 32;
        uint32_t artist = (uint32_t)((u * u >> 32) * p->album_artists >> 32);
        while (count[artist] >= 60) {
            artist = artist + 1 < p->album_artists ? artist + 1 : 0;
        }
        count[artist]++;
    }
    uint32_t album = 0;
    for (uint32_t i = 0; i < p->album_artists; i++) {
        m->first_album[i] = album;
        for (uint32_t k = 0; k < count[i]; k++) {
            p->albums[album++] = (struct plan_album){.artist = i, .kind = PLAN_ALBUM};
        }
    }
    m->first_album[p->album_artists] = album;
    free(count);
}

/* How many tracks each of these albums has: single tracks, parts of albums, whole albums; then
 * evened out to the exact sum. */
static void spread_tracks(struct making *m, uint32_t albums)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < albums; i++) {
        uint64_t kind = rng_below(&m->rng, 100);
        uint32_t most = m->p->albums[i].nameless ? 3 : kind < 38 ? 1 : kind < 55 ? 4 : 0;
        m->lengths[i] =
            most > 0 ? 1 + (uint32_t)rng_below(&m->rng, most) : 8 + (uint32_t)rng_below(&m->rng, 8);
        sum += m->lengths[i];
    }
    while (sum != m->own_tracks) {
        uint32_t i = (uint32_t)rng_below(&m->rng, albums);
        if (sum > m->own_tracks && m->lengths[i] > 1) {
            m->lengths[i]--;
            sum--;
        } else if (sum < m->own_tracks && (m->lengths[i] > 1 || albums < 50)) {
            m->lengths[i]++;
            sum++;
        }
    }
}

static uint32_t album_count(const struct making *m, uint32_t artist)
{
    return m->first_album[artist + 1] - m->first_album[artist];
}

static uint32_t track_count(const struct making *m, uint32_t artist)
{
    uint32_t n = 0;
    for (uint32_t i = m->first_album[artist]; i < m->first_album[artist + 1]; i++) {
        n += m->lengths[i];
    }
    return n;
}

static void spell(struct making *m, uint32_t album, enum plan_spelling other, uint32_t tracks)
{
    m->p->albums[album].other = (uint8_t)other;
    m->p->albums[album].other_tracks = (uint16_t)tracks;
}

/* Finds an artist that is not special yet, with at least this many albums and tracks on the first;
 * PLAN_NONE if there is none. */
static uint32_t find(struct making *m, uint32_t albums, uint32_t tracks)
{
    uint32_t n = m->p->album_artists, from = (uint32_t)rng_below(&m->rng, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t i = (from + k) % n;
        if (!m->taken[i] && album_count(m, i) >= albums &&
            m->lengths[m->first_album[i]] >= tracks) {
            m->taken[i] = true;
            return i;
        }
    }
    return PLAN_NONE;
}

static void spell_otherwise(struct making *m, uint32_t docs)
{
    struct plan *p = m->p;
    for (uint32_t k = plan_round(ACCENT_ARTISTS, docs); k > 0; k--) {
        uint32_t a = find(m, 2, 1); /* a whole album: no pair is counted twice */
        if (a == PLAN_NONE) {
            break;
        }
        p->artists[a].needs = NAMES_ACCENT;
        spell(m, m->first_album[a], PLAN_PLAIN, m->lengths[m->first_album[a]]);
    }
    for (uint32_t k = plan_round(CASE_ARTISTS, docs); k > 0; k--) {
        uint32_t a = find(m, 1, 2); /* part of an album: one pair is counted twice under ascii */
        if (a == PLAN_NONE) {
            break;
        }
        p->artists[a].needs = NAMES_CAPITAL;
        spell(m, m->first_album[a], PLAN_LOW, 1);
    }
    for (uint32_t k = plan_round(LOW_ARTISTS, docs); k > 0; k--) {
        uint32_t a = find(m, 1, 2);
        if (a == PLAN_NONE) {
            break;
        }
        spell(m, m->first_album[a], PLAN_ASCII_LOW, m->lengths[m->first_album[a]] / 2);
    }
}

/* Gives "The " to artists until exactly `wanted` tracks have it. Returns how many artists are
 * spelled both ways. */
static uint32_t give_the(struct making *m, uint32_t wanted, uint32_t docs)
{
    struct plan *p = m->p;
    uint32_t both = 0, n = p->album_artists;
    for (uint32_t k = plan_round(BOTH_ARTISTS, docs); k > 0; k--) {
        uint32_t a = find(m, 1, 2);
        uint32_t with = a == PLAN_NONE ? 0 : track_count(m, a) - 1;
        if (with == 0 || with > wanted) {
            break;
        }
        p->artists[a].the = true;
        spell(m, m->first_album[a], PLAN_NO_THE, 1);
        wanted -= with;
        both++;
    }
    /* about a tenth of the artists first, then whoever fits */
    for (int pass = 0; pass < 2; pass++) {
        uint32_t from = (uint32_t)rng_below(&m->rng, n);
        for (uint32_t k = 0; k < n && wanted > 0; k++) {
            uint32_t a = (from + k) % n, tracks = track_count(m, a);
            if (!m->taken[a] && tracks <= wanted && (pass == 1 || rng_below(&m->rng, 10) == 0)) {
                p->artists[a].the = m->taken[a] = true;
                wanted -= tracks;
            }
        }
    }
    /* what is left is less than any artist has: one more is spelled both ways */
    uint32_t a = wanted > 0 ? find(m, 1, 1) : PLAN_NONE;
    if (a != PLAN_NONE) {
        uint32_t without = track_count(m, a) - wanted;
        p->artists[a].the = true;
        for (uint32_t i = m->first_album[a]; i < m->first_album[a + 1] && without > 0; i++) {
            uint32_t here = without < m->lengths[i] ? without : m->lengths[i];
            spell(m, i, PLAN_NO_THE, here);
            without -= here;
        }
        both++;
    }
    return both;
}

static void spread_evenly(struct plan *p, enum plan_kind kind, uint32_t *first, uint32_t tracks,
                          uint32_t albums)
{
    albums = clamp(albums, tracks > 0, tracks);
    for (uint32_t k = 0; k < albums; k++) {
        p->albums[p->album_count++] = (struct plan_album){
            .artist = PLAN_NONE,
            .kind = (uint8_t)kind,
            .first = *first + (uint32_t)((uint64_t)k * tracks / albums),
        };
    }
    *first += tracks;
}

void library_plan_make(struct plan *p, uint32_t docs, uint64_t seed)
{
    uint32_t no_artist = plan_round(NO_ARTIST_TRACKS, docs);
    struct making m = {.p = p, .own_tracks = 0};
    *p = (struct plan){.seed = seed, .docs = docs};
    rng_seed(&m.rng, library_plan_mix(seed, FOR_PLAN, docs));
    p->compilation_tracks = plan_round(COMPILATION_TRACKS, docs);
    m.own_tracks = docs - p->compilation_tracks - no_artist; /* at least 1: see the figures */
    p->album_artists = clamp(plan_round(ARTISTS, docs), 1, m.own_tracks);
    uint32_t pairs = clamp(plan_round(PAIRS, docs), p->album_artists, m.own_tracks);
    uint32_t compilations = plan_round(COMPILATIONS, docs),
             others = plan_round(NO_ARTIST_ALBUMS, docs);
    p->rocks = plan_round(ROCKS, docs);
    p->rocks_plain = plan_round(ROCKS_PLAIN, docs);

    p->albums = mem_zero((size_t)pairs + compilations + others + 2, sizeof *p->albums);
    p->artists = mem_zero((size_t)p->album_artists + p->compilation_tracks, sizeof *p->artists);
    m.first_album = mem_zero((size_t)p->album_artists + 1, sizeof *m.first_album);
    m.lengths = mem_zero(pairs, sizeof *m.lengths);
    m.taken = mem_zero(p->album_artists, sizeof *m.taken);

    spread_albums(&m, pairs);
    p->album_count = pairs;
    uint32_t nameless = plan_round(NAMELESS_ALBUMS, docs); /* the last album of every so many */
    for (uint32_t k = 0; k < nameless; k++) {
        uint32_t a = (uint32_t)((uint64_t)k * p->album_artists / nameless);
        p->albums[m.first_album[a + 1] - 1].nameless = true;
    }
    spread_tracks(&m, pairs);
    uint32_t first = 0;
    for (uint32_t i = 0; i < pairs; i++) {
        p->albums[i].first = first;
        first += m.lengths[i];
    }

    spell_otherwise(&m, docs);
    uint32_t the = plan_round(THE_TRACKS, docs);
    uint32_t compilation_the = clamp(plan_round(COMPILATION_THE, docs), 0, the);
    uint32_t both = give_the(&m, the - compilation_the, docs);
    uint32_t known = p->album_artists + both, all = plan_round(ALL_ARTISTS, docs);
    uint32_t only = clamp(all > known ? all - known : 0, 0, p->compilation_tracks);
    p->artist_count = p->album_artists + only;
    for (uint32_t k = 0; k < only && k < compilation_the; k++) {
        p->artists[p->album_artists + k].the = true;
    }

    p->compilation_first = first;
    spread_evenly(p, PLAN_COMPILATION, &first, p->compilation_tracks, compilations);
    spread_evenly(p, PLAN_NO_ARTIST, &first, no_artist, others);
    free(m.first_album);
    free(m.lengths);
    free(m.taken);
}

void library_plan_free(struct plan *p)
{
    free(p->artists);
    free(p->albums);
}

/* ---- asking -------------------------------------------------------------------------------- */

/* The first tracks, in a shuffled order, go to the artists that only compilations have; the others
 * to artists that have albums too, and are not spelled with "The ". */
static uint32_t compilation_artist(const struct plan *p, uint32_t t)
{
    uint32_t only = p->artist_count - p->album_artists;
    uint32_t i = plan_shuffle(library_plan_mix(p->seed, FOR_PICK, 0), p->compilation_tracks,
                              t - p->compilation_first);
    if (i < only) {
        return p->album_artists + i;
    }
    uint32_t a = (uint32_t)(library_plan_mix(p->seed, FOR_PICK, t) % p->album_artists), first = a;
    while (p->artists[a].the) {
        a = (a + 1) % p->album_artists;
        if (a == first) {
            break;
        }
    }
    return a;
}

/* Rock is in one track of each of `rocks` equal parts of the library; which of those say Rocks is
 * spread as evenly. */
static enum plan_rock rock_of(const struct plan *p, uint32_t t)
{
    if (p->rocks == 0) {
        return PLAN_NO_ROCK;
    }
    uint64_t part = ((uint64_t)t * p->rocks + p->rocks - 1) / p->docs;
    for (uint64_t k = part > 0 ? part - 1 : 0; k <= part && k < p->rocks; k++) {
        uint64_t from = k * p->docs / p->rocks, to = (k + 1) * p->docs / p->rocks;
        if (t == from + library_plan_mix(p->seed, FOR_ROCK, k) % (to - from)) {
            uint64_t stemmed = p->rocks - p->rocks_plain;
            return (k + 1) * stemmed / p->rocks > k * stemmed / p->rocks ? PLAN_ROCKS : PLAN_ROCK;
        }
    }
    return PLAN_NO_ROCK;
}

void plan_track(const struct plan *p, uint32_t t, struct plan_track *out)
{
    uint32_t low = 0, high = p->album_count; /* the last album whose first track is not after t */
    while (high - low > 1) {
        uint32_t middle = low + (high - low) / 2;
        if (p->albums[middle].first <= t) {
            low = middle;
        } else {
            high = middle;
        }
    }
    const struct plan_album *album = &p->albums[low];
    uint32_t end = low + 1 < p->album_count ? p->albums[low + 1].first : p->docs;
    *out = (struct plan_track){
        .album = low,
        .artist = album->artist,
        .number = t - album->first + 1,
        .count = end - album->first,
        .rock = rock_of(p, t),
    };
    if (album->kind == PLAN_COMPILATION) {
        out->artist = compilation_artist(p, t);
    }
    if (out->artist == PLAN_NONE) {
        return;
    }
    out->the = p->artists[out->artist].the;
    if (album->kind == PLAN_ALBUM && out->number <= album->other_tracks) {
        out->spelling = (enum plan_spelling)album->other;
        out->the = out->the && out->spelling != PLAN_NO_THE;
    }
}
