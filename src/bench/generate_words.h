/* generate_words: the word lists that generate_names puts names together from. Each ends with NULL.
 */
#ifndef BENCH_GENERATE_WORDS_H
#define BENCH_GENERATE_WORDS_H

#include "bench/generate_names.h"

/* Nouns, and words that go before or after them. */
struct words {
    const char *const *nouns;
    const char *const *others; /* adjectives and the like */
    const char *pattern;       /* where an adjective goes: "an" before, "na" after the noun */
    const char *of;            /* joins two nouns; "" where none is needed */
};
extern const struct words words_of[FLAVOURS];

extern const char *const words_verbs[];  /* English, -ing */
extern const char *const words_places[]; /* English, invented */
extern const char *const words_first[], *const words_middle[], *const words_last[]; /* syllables */

#endif
