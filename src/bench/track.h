/* track: what the workloads read from and change in one track, on the document's own bytes, so that
 * everything else in it stays as it was. Documents are spans of valid JSON objects. */
#ifndef BENCH_TRACK_H
#define BENCH_TRACK_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/json.h"

/* The decoded value; the caller frees. NULL when missing, null or not a string. An empty string is
 * a value. `len` may be NULL. */
char *track_artist(struct json_span doc, size_t *len);
char *track_album(struct json_span doc, size_t *len);
char *track_name(struct json_span doc, size_t *len);

/* A track of a compilation: the member is there and not null. `false` counts as there, as in the
 * original's query ("Compilation is missing"). */
bool track_is_compilation(struct json_span doc);

/* Whether an artist starts with "The " (case-sensitive), and the artist without it: a pointer into
 * the same string. Only one is removed ("The The" is left as "The"). */
bool track_has_the(const char *artist);
const char *track_strip_the(const char *artist);

/* Appends the document with Play Count one higher. Missing or not a number counts as 0, a fraction
 * is cut, as the original's asInt does. 0, or -1 when `out` is full. */
int track_play_count_plus_one(struct buf *out, struct json_span doc);

/* Appends the document with its Artist without "The ": 1; or appends nothing when the artist does
 * not start so: 0. -1 when `out` is full. */
int track_artist_without_the(struct buf *out, struct json_span doc);

/* Whether a Name matches the word Rock: as a standard word (Unicode's default word boundaries,
 * UAX 29, in any case), or also as a form that English stemming makes "rock" of (rocks, rocked,
 * rocking, ...; stemmed includes plain). `unsure`: it touches a character at which tokenizers
 * disagree (apostrophe, hyphen, underscore, dot, digit, ...), so an engine may count otherwise. */
struct track_match {
    bool plain, stemmed, unsure;
};
struct track_match track_match_rock(const char *name, size_t len);

#endif
