#include "bench/track.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "base/mem.h"
#include "base/text.h"

static char *string_member(struct json_span doc, const char *name, size_t *len)
{
    struct json_span value;
    return json_member(doc.at, doc.len, name, &value, NULL) ? json_decode(value, len) : NULL;
}

char *track_artist(struct json_span doc, size_t *len)
{
    return string_member(doc, "Artist", len);
}

char *track_album(struct json_span doc, size_t *len)
{
    return string_member(doc, "Album", len);
}

char *track_name(struct json_span doc, size_t *len)
{
    return string_member(doc, "Name", len);
}

bool track_is_compilation(struct json_span doc)
{
    struct json_span value;
    return json_member(doc.at, doc.len, "Compilation", &value, NULL) && value.at[0] != 'n';
}

bool track_has_the(const char *artist)
{
    return text_starts(artist, "The ");
}

const char *track_strip_the(const char *artist)
{
    return track_has_the(artist) ? artist + strlen("The ") : artist;
}

/* ---- changes ------------------------------------------------------------------------------- */

/* Digits of the whole part, with one added. Longer numbers than 64 bits hold are no play counts;
 * they are taken as the largest that can still be counted on. */
static void plus_one(struct json_span value, char *out, size_t size)
{
    const char *p = value.at, *end = value.at + value.len;
    bool negative = p < end && *p == '-';
    uint64_t n = 0;
    for (p += negative; p < end && *p >= '0' && *p <= '9'; p++) {
        uint64_t digit = (uint64_t)(*p - '0');
        n = n > (UINT64_MAX - 1 - digit) / 10 ? UINT64_MAX - 1 : n * 10 + digit;
    }
    if (p < end && (*p == 'e' || *p == 'E' || *p == '.')) {
        /* 1.5e2 and the like: beyond 2^53 nothing after the point is left anyway */
        char text[64];
        size_t len = value.len < sizeof text - 1 ? value.len : sizeof text - 1;
        memcpy(text, value.at, len);
        text[len] = '\0';
        double d = strtod(text, NULL);
        d = d < 0 ? -d : d;
        n = d < 9007199254740992.0 ? (uint64_t)d : UINT64_C(9007199254740992);
    }
    if (negative && n > 0) {
        snprintf(out, size, "%s%llu", n > 1 ? "-" : "", (unsigned long long)n - 1);
    } else {
        snprintf(out, size, "%llu", (unsigned long long)n + 1);
    }
}

int track_play_count_plus_one(struct buf *out, struct json_span doc)
{
    struct json_span value;
    char count[32] = "1";
    if (json_member(doc.at, doc.len, "Play Count", &value, NULL) &&
        (value.at[0] == '-' || (value.at[0] >= '0' && value.at[0] <= '9'))) {
        plus_one(value, count, sizeof count);
    }
    return json_set(out, doc.at, doc.len, "Play Count", count);
}

int track_artist_without_the(struct buf *out, struct json_span doc)
{
    struct json_span value;
    if (!json_member(doc.at, doc.len, "Artist", &value, NULL)) {
        return 0;
    }
    char *artist = json_decode(value, NULL);
    bool the = artist != NULL && track_has_the(artist);
    free(artist);
    if (!the) {
        return 0;
    }
    /* The four characters are cut out of the raw text, where each may be written as an escape: the
     * rest of the name keeps its own escapes. */
    const char *from = value.at + 1, *p = from;
    for (int i = 0; i < 4; i++) {
        p += p[0] != '\\' ? 1 : p[1] == 'u' ? 6 : 2;
    }
    size_t before = (size_t)(from - doc.at);
    size_t after = doc.len - (size_t)(p - doc.at);
    return buf_add(out, doc.at, before) < 0 || buf_add(out, p, after) < 0 ? -1 : 1;
}

/* ---- Rock ---------------------------------------------------------------------------------- */

/* What Porter's English stemmer and its successor make "rock" of; "rocker" and "rocky" are words of
 * their own to both. Possessives are cut by English analyzers before stemming. */
static const char *const stemmed_forms[] = {"rocks",     "rocked",      "rocking", "rockings",
                                            "rock's",    "rock\u2019s", "rockly",  "rockness",
                                            "rockingly", "rockedly"};

enum char_class {
    CHAR_BREAK, /* ends a word in every tokenizer */
    CHAR_WORD,  /* letter or mark */
    CHAR_DIGIT,
    CHAR_JOIN,   /* keeps a word together between two letters or digits, for some tokenizers */
    CHAR_UNSURE, /* always ends a standard word, but other tokenizers keep it */
};

static enum char_class class_of(utf8proc_int32_t c)
{
    switch (c) {
    case '\'':
    case '.':
    case ':':
    case 0xb7:
    case 0x2018:
    case 0x2019:
    case 0x2024:
    case 0x2027:
    case 0xff07:
        return CHAR_JOIN; /* MidLetter and MidNumLet of UAX 29 */
    case '-':
    case '@':
    case '#':
    case '+':
    case '&':
    case '/':
    case 0x2010:
    case 0x2011:
        return CHAR_UNSURE;
    default:
        break;
    }
    switch (utf8proc_category(c)) {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LL:
    case UTF8PROC_CATEGORY_LT:
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return CHAR_WORD;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
    case UTF8PROC_CATEGORY_PC: /* the underscore: ExtendNumLet, part of a word */
        return CHAR_DIGIT;
    default:
        return CHAR_BREAK;
    }
}

struct word {
    size_t from, to; /* bytes */
    bool unsure;     /* a tokenizer may cut it, or join it with its neighbour */
};

static size_t char_at(const char *s, size_t len, size_t i, enum char_class *class)
{
    utf8proc_int32_t c;
    utf8proc_ssize_t n =
        utf8proc_iterate((const utf8proc_uint8_t *)s + i, (utf8proc_ssize_t)(len - i), &c);
    *class = n > 0 ? class_of(c) : CHAR_BREAK;
    return n > 0 ? (size_t)n : 1;
}

/* The next standard word at or after `i`: false at the end. */
static bool next_word(const char *s, size_t len, size_t i, struct word *w)
{
    enum char_class class = CHAR_BREAK, before = CHAR_BREAK;
    size_t n = 0;
    while (i < len) {
        n = char_at(s, len, i, &class);
        if (class == CHAR_WORD || class == CHAR_DIGIT) {
            break;
        }
        before = class;
        i += n;
    }
    *w = (struct word){i, i, before == CHAR_UNSURE || before == CHAR_JOIN};
    before = CHAR_BREAK;
    while (i < len) {
        n = char_at(s, len, i, &class);
        if (class == CHAR_JOIN) {
            enum char_class after = CHAR_BREAK;
            w->unsure = true;
            if (i + n < len) {
                char_at(s, len, i + n, &after);
            }
            if (before != CHAR_WORD || after != CHAR_WORD) {
                break; /* (between digits it joins too, but a word of digits is never ours) */
            }
        } else if (class == CHAR_DIGIT) {
            w->unsure = true;
        } else if (class != CHAR_WORD) {
            w->unsure |= class == CHAR_UNSURE;
            break;
        }
        before = class;
        i += n;
        w->to = i;
    }
    return w->to > w->from;
}

static bool same_word(const char *s, size_t n, const char *word)
{
    if (strlen(word) != n) {
        return false;
    }
    for (size_t i = 0; i < n; i++) {
        if ((s[i] >= 'A' && s[i] <= 'Z' ? s[i] + 32 : s[i]) != word[i]) {
            return false;
        }
    }
    return true;
}

static bool holds_rock(const char *s, size_t n)
{
    for (size_t i = 0; i + 4 <= n; i++) {
        if (same_word(s + i, 4, "rock")) {
            return true;
        }
    }
    return false;
}

struct track_match track_match_rock(const char *name, size_t len)
{
    struct track_match m = {false, false, false};
    struct word w;
    for (size_t i = 0; i < len && next_word(name, len, i, &w); i = w.to) {
        const char *s = name + w.from;
        size_t n = w.to - w.from;
        if (!holds_rock(s, n)) {
            continue;
        }
        bool plain = same_word(s, n, "rock"), stemmed = plain;
        for (size_t f = 0; f < sizeof stemmed_forms / sizeof stemmed_forms[0]; f++) {
            stemmed |= same_word(s, n, stemmed_forms[f]);
        }
        m.plain |= plain;
        m.stemmed |= stemmed;
        m.unsure |= w.unsure;
    }
    return m;
}
