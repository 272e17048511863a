#include "bench/generate_names.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "base/text.h"
#include "bench/fold.h"
#include "bench/generate_words.h"

static uint32_t below(struct rng *r, uint32_t n)
{
    return (uint32_t)rng_below(r, n);
}

static bool chance(struct rng *r, uint32_t of_hundred)
{
    return below(r, 100) < of_hundred;
}

static const char *any(struct rng *r, const char *const *list)
{
    uint32_t n = 0;
    while (list[n] != NULL) {
        n++;
    }
    return list[below(r, n)];
}

enum flavour names_flavour(struct rng *r)
{
    /* of a thousand; chosen, as a library collected in an English-speaking country */
    static const uint16_t share[FLAVOURS] = {
        [ENGLISH] = 872, [FRENCH] = 25, [SPANISH] = 22, [GERMAN] = 22, [NORDIC] = 20, [SLAVIC] = 12,
        [RUSSIAN] = 7,   [GREEK] = 4,   [JAPANESE] = 8, [KOREAN] = 3,  [ARABIC] = 3,  [HEBREW] = 2,
    };
    uint32_t at = below(r, 1000), f = ENGLISH;
    while (at >= share[f]) {
        at -= share[f++];
    }
    return (enum flavour)f;
}

/* ---- pieces -------------------------------------------------------------------------------- */

/* One form of a name: how often it is taken among its list, and letters after "$" that stand for
 * words (see piece). Pieces are drawn from left to right, one statement each: C leaves the order of
 * a call's arguments open, and the bytes must not depend on the compiler. */
struct form {
    uint32_t share; /* 0 ends a list */
    const char *text;
};

static const char *noun(struct rng *r, enum flavour f)
{
    return any(r, words_of[f].nouns);
}

static const char *other(struct rng *r, enum flavour f)
{
    return any(r, words_of[f].others);
}

static void plural(struct buf *out, const char *word)
{
    size_t n = strlen(word);
    bool vowel = n > 1 && strchr("aeiou", word[n - 2]) != NULL;
    if (word[n - 1] == 'y' && !vowel) {
        buf_add(out, word, n - 1);
        buf_adds(out, "ies");
    } else {
        buf_adds(out, word);
        buf_adds(out, strchr("sxh", word[n - 1]) ? "es" : "s");
    }
}

/* One invented name: syllables, the first with a capital. */
static void syllables(struct rng *r, struct buf *out)
{
    buf_adds(out, any(r, words_first));
    if (chance(r, 60)) {
        buf_adds(out, any(r, words_middle));
    }
    if (chance(r, 20)) {
        buf_adds(out, any(r, words_middle));
    }
    buf_adds(out, any(r, words_last));
}

static void person(struct rng *r, struct buf *out)
{
    syllables(r, out);
    buf_addc(out, ' ');
    if (chance(r, 12)) {
        buf_addf(out, "%c. ", 'A' + (int)below(r, 26));
    }
    if (chance(r, 6)) {
        buf_adds(out, chance(r, 50) ? "O'" : "de ");
    }
    syllables(r, out);
}

static void compose(struct rng *r, const struct form *forms, struct buf *out);

/* What may stand after "The ". */
static const struct form bands[] = {
    {5, "$a $N"}, {1, "$p $N"}, {1, "$s $N"}, {3, "$v $N"}, {0, NULL}};

static void piece(struct rng *r, char kind, struct buf *out)
{
    switch (kind) {
    case 'n':
        buf_adds(out, noun(r, ENGLISH));
        break;
    case 'N':
        plural(out, noun(r, ENGLISH));
        break;
    case 'a':
        buf_adds(out, other(r, ENGLISH));
        break;
    case 'v':
        buf_adds(out, any(r, words_verbs));
        break;
    case 'p':
        buf_adds(out, any(r, words_places));
        break;
    case 's':
        syllables(r, out);
        break;
    case 'P':
        person(r, out);
        break;
    case 'B':
        compose(r, bands, out);
        break;
    case 'i': /* numbers: a part */
        buf_addf(out, "%u", 1 + below(r, 4));
        break;
    case 'd': /* two digits */
        buf_addf(out, "%u", 2 + below(r, 98));
        break;
    case 'c': /* a share of a hundred */
        buf_addf(out, "%u", 1 + below(r, 100));
        break;
    case 'y': /* up to a year */
        buf_addf(out, "%u", 2 + below(r, 2000));
        break;
    default:
        break;
    }
}

/* Appends one of the forms, filled in. */
static void compose(struct rng *r, const struct form *forms, struct buf *out)
{
    uint32_t sum = 0;
    for (const struct form *f = forms; f->share > 0; f++) {
        sum += f->share;
    }
    uint32_t at = below(r, sum);
    while (at >= forms->share) {
        at -= forms->share;
        forms++;
    }
    for (const char *p = forms->text; *p != '\0'; p++) {
        if (*p == '$') {
            piece(r, *++p, out);
        } else {
            buf_addc(out, *p);
        }
    }
}

void names_person(struct rng *r, struct buf *out)
{
    buf_clear(out);
    person(r, out);
}

/* An adjective and a noun in the order of the language, or two nouns, or one. */
static void phrase(struct rng *r, enum flavour f, struct buf *out)
{
    const struct words *w = &words_of[f];
    uint32_t kind = below(r, 4);
    if (kind > 1 && w->pattern[0] == 'a') {
        buf_adds(out, other(r, f));
        buf_adds(out, f == JAPANESE ? "" : " ");
    }
    buf_adds(out, noun(r, f));
    if (kind == 0) {
        buf_adds(out, w->of);
        buf_adds(out, noun(r, f));
    } else if (kind > 1 && w->pattern[0] == 'n') {
        buf_addc(out, ' ');
        buf_adds(out, other(r, f));
    }
}

static void small_letters(char *s)
{
    for (; *s != '\0'; s++) {
        *s = *s >= 'A' && *s <= 'Z' ? (char)(*s + 32) : *s;
    }
}

/* ---- artists ------------------------------------------------------------------------------- */

static const struct form artists[] = {
    {24, "$a $n"},        {6, "$B"},    {20, "$P"},   {4, "$n & $n"}, {2, "$P & The $N"},
    {1, "$P and the $N"}, {2, "DJ $s"}, {2, "MC $s"}, {21, "$s"},     {5, "$n of $N"},
    {4, "$v the $n"},     {2, "$n $d"}, {1, "$n/$n"}, {1, "$n + $n"}, {1, "$c% $n"},
    {1, "$s \"$n\" $s"},  {1, "$n!"},   {1, "$n-$n"}, {1, "$n'n'$n"}, {0, NULL},
};

void names_artist(struct rng *r, enum flavour f, bool the, struct buf *out)
{
    buf_clear(out);
    if (the) {
        compose(r, bands, out);
    } else if (f == ENGLISH) {
        compose(r, artists, out);
        if (chance(r, 3)) {
            small_letters(out->data);
        }
    } else {
        phrase(r, f, out);
    }
}

void names_lengthen(struct rng *r, unsigned tries, struct buf *name)
{
    for (unsigned k = 4; k <= tries && k <= 16; k += 4) {
        buf_addc(name, ' ');
        syllables(r, name);
    }
}

enum flavour names_suitable(enum flavour f, uint8_t needs)
{
    return needs & NAMES_CAPITAL ? FRENCH : needs & NAMES_ACCENT ? NORDIC : f;
}

void names_spell(const char *name, enum plan_spelling spelling, struct buf *out)
{
    size_t n = strlen(name);
    buf_clear(out);
    switch (spelling) {
    case PLAN_AS_IS:
    case PLAN_NO_THE:
        buf_add(out, name, n);
        return;
    case PLAN_ASCII_LOW:
    case PLAN_LOW: {
        char *folded = fold_text(spelling == PLAN_LOW ? FOLD_LOWER : FOLD_ASCII, name, n);
        buf_adds(out, folded);
        free(folded);
        return;
    }
    case PLAN_PLAIN:
        for (size_t i = 0; i < n;) {
            utf8proc_int32_t c, parts[32];
            utf8proc_uint8_t bytes[4];
            int last = UTF8PROC_BOUNDCLASS_START;
            utf8proc_ssize_t len =
                utf8proc_iterate((const utf8proc_uint8_t *)name + i, (utf8proc_ssize_t)(n - i), &c);
            i += len > 0 ? (size_t)len : 1;
            utf8proc_ssize_t k = utf8proc_decompose_char(
                c, parts, 32, UTF8PROC_DECOMPOSE | UTF8PROC_STRIPMARK, &last);
            for (utf8proc_ssize_t j = 0; j < k && j < 32; j++) {
                buf_add(out, bytes, (size_t)utf8proc_encode_char(parts[j], bytes));
            }
        }
        return;
    }
}

static bool folds_alike(enum fold_rule rule, const char *a, const char *b)
{
    char *x = fold_text(rule, a, strlen(a)), *y = fold_text(rule, b, strlen(b));
    bool alike = strcmp(x, y) == 0;
    free(x);
    free(y);
    return alike;
}

bool names_meets(const char *name, uint8_t needs)
{
    struct buf spelled = BUF_INIT(BUF_TEXT_MAX);
    bool meets = true;
    if (needs & NAMES_ACCENT) {
        names_spell(name, PLAN_PLAIN, &spelled);
        meets = !folds_alike(FOLD_LOWER, name, spelled.data);
    }
    if (needs & NAMES_CAPITAL) {
        names_spell(name, PLAN_LOW, &spelled);
        meets = meets && !folds_alike(FOLD_ASCII, name, spelled.data);
    }
    buf_free(&spelled);
    return meets;
}

/* ---- albums and titles --------------------------------------------------------------------- */

static const struct form albums[] = {
    {31, "$n"},
    {11, "$a $n"},
    {5, "$n of $n"},
    {9, "$v the $n"},
    {7, "$v in the $a $n"},
    {8, "$n, $n & $n"},
    {7, "Live at $p"},
    {6, "The $a $n"},
    {6, "$n's $n"},
    {3, "$n: The Best of $s"},
    {2, "$n: Early Years"},
    {4, "$y $n"},
    {3, "$n/$n"},
    {2, "\"$n\""},
    {2, "$c% $n"},
    {5, "Letters from $s"},
    {0, NULL},
};

static const struct form after_album[] = {
    {88, ""},   {3, " (Remastered)"}, {2, " (Deluxe Edition)"},
    {3, " EP"}, {2, " [Disc $i]"},    {2, ", Vol. $i"},
    {0, NULL},
};

void names_album(struct rng *r, enum flavour f, struct buf *out)
{
    buf_clear(out);
    if (f != ENGLISH && chance(r, 75)) {
        phrase(r, f, out);
    } else {
        compose(r, albums, out);
    }
    compose(r, after_album, out);
}

void names_compilation(struct rng *r, struct buf *out)
{
    static const struct form forms[] = {
        {2, "$a $n: $n Sampler, Vol. $i"},
        {2, "$a $n: $n Sessions, Vol. $i"},
        {1, "$a $n: $n Collection"},
        {1, "$a $n: $n Selections, Vol. $i"},
        {1, "$a $n: Transmissions from $p"},
        {2, "$n Archive, Vol. $i"},
        {1, "The $s Mix: $a $n"},
        {0, NULL},
    };
    buf_clear(out);
    compose(r, forms, out);
}

static const struct form titles[] = {
    {330, "$n"},
    {120, "$a $n"},
    {30, "$n in the $n"},
    {60, "$v the $n"},
    {60, "The $a $n"},
    {20, "Don't Take My $n"},
    {20, "Don't Forget My $n"},
    {40, "$n's $n"},
    {40, "$n & $n"},
    {35, "I Was a $a $n"},
    {35, "When the $n Comes to $p"},
    {35, "$N"},
    {30, "$n ($v the $n)"},
    {25, "$n / $n"},
    {20, "$n #$d"},
    {15, "$c% $n"},
    {15, "$n + $n = $n"},
    {15, "\"$n\""},
    {25, "$s"},
    {15, "$a-$a $n"},
    {5, "Intro"},
    {3, "Outro"},
    {3, "Interlude"},
    {4, "Untitled"},
    {0, NULL},
};

static const struct form after_title[] = {
    {180, ""},          {6, " (Live)"},  {4, " ($n Remix)"},   {3, " [Demo]"},
    {3, " (feat. $s)"}, {3, ", Pt. $i"}, {2, " (Remastered)"}, {0, NULL},
};

void names_title(struct rng *r, enum flavour f, struct buf *out)
{
    buf_clear(out);
    if (f == ENGLISH && chance(r, 1)) {
        buf_adds(out, "\u2022"); /* a bullet, as people mark titles */
    }
    if (f != ENGLISH && chance(r, 75)) {
        phrase(r, f, out);
    } else {
        compose(r, titles, out);
        if (chance(r, 3)) {
            small_letters(out->data);
        }
    }
    compose(r, after_title, out);
}

/* Spaces alone stand beside the word. */
void names_rock(struct rng *r, enum plan_rock rock, struct buf *out)
{
    static const struct form plain[] = {
        {6, "Rock the $n"}, {6, "$a Rock"},        {2, "We Rock $p Tonight"},
        {3, "rock and $n"}, {3, "$n Rock (Live)"}, {3, "$v Rock Songs"},
        {0, NULL},
    };
    static const struct form stemmed[] = {{1, "$p Rocks"}, {1, "Rocks and $N"}, {0, NULL}};
    buf_clear(out);
    compose(r, rock == PLAN_ROCK ? plain : stemmed, out);
}

void names_comment(struct rng *r, struct buf *out)
{
    static const struct form forms[] = {{1, "$a$n"}, {0, NULL}};
    buf_clear(out);
    buf_adds(out, "Visit http://");
    size_t from = out->len;
    compose(r, forms, out);
    small_letters(out->data + from);
    buf_adds(out, ".example.com");
}
