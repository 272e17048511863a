/* generate_names: invented artists, albums and titles. Words are common ones of several languages,
 * people are put together from syllables; any likeness is by chance. All text is UTF-8, none holds
 * the letters "rock". Titles that shall match Rock are made apart. */
#ifndef BENCH_GENERATE_NAMES_H
#define BENCH_GENERATE_NAMES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/rng.h"
#include "bench/generate_plan.h"

/* What an artist's name must have for the spellings planned for it. */
enum names_need {
    NAMES_ACCENT = 1,  /* an accent that lower case keeps and `nocase-noaccent` drops */
    NAMES_CAPITAL = 2, /* a capital that is not ASCII, in a name that ASCII folding alone would
                          leave different from its small letters */
};

/* The language a name's words are from: an artist's, which its albums and titles mostly share. */
enum flavour {
    ENGLISH,
    FRENCH,
    SPANISH,
    GERMAN,
    NORDIC,
    SLAVIC,
    RUSSIAN,
    GREEK,
    JAPANESE,
    KOREAN,
    ARABIC,
    HEBREW,
    FLAVOURS
};
enum flavour names_flavour(struct rng *r);

/* Each clears `out` and puts a name there. */
void names_artist(struct rng *r, enum flavour f, bool the, struct buf *out); /* without "The " */

/* Makes a name longer that was taken too often: a language has only so many short ones. */
void names_lengthen(struct rng *r, unsigned tries, struct buf *name);

void names_album(struct rng *r, enum flavour f, struct buf *out);
void names_compilation(struct rng *r, struct buf *out);
void names_title(struct rng *r, enum flavour f, struct buf *out);
void names_rock(struct rng *r, enum plan_rock rock, struct buf *out);
void names_person(struct rng *r, struct buf *out);
void names_comment(struct rng *r, struct buf *out);

/* The flavour that has what is needed (a set of enum names_need), or f if nothing is. */
enum flavour names_suitable(enum flavour f, uint8_t needs);

/* Whether the name has it. */
bool names_meets(const char *name, uint8_t needs);

/* Copies a name in another spelling (without regard to "The "). */
void names_spell(const char *name, enum plan_spelling spelling, struct buf *out);

#endif
