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

void names_person(struct rng *r, struct buf *out)
{
    buf_clear(out);
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

/* An adjective and a noun in the order of the language, or two nouns. */
static void phrase(struct rng *r, enum flavour f, struct buf *out)
{
    const struct words *w = &words_of[f];
    const char *space = f == JAPANESE ? "" : " ";
    switch (below(r, 4)) {
    case 0:
        buf_addf(out, "%s%s%s", noun(r, f), w->of, noun(r, f));
        break;
    case 1:
        buf_adds(out, noun(r, f));
        break;
    default:
        if (w->pattern[0] == 'a') {
            buf_addf(out, "%s%s%s", other(r, f), space, noun(r, f));
        } else {
            buf_addf(out, "%s %s", noun(r, f), other(r, f));
        }
    }
}

static void small_letters(char *s)
{
    for (; *s != '\0'; s++) {
        *s = *s >= 'A' && *s <= 'Z' ? (char)(*s + 32) : *s;
    }
}

/* ---- artists ------------------------------------------------------------------------------- */

/* What may stand after "The ". */
static void band(struct rng *r, struct buf *out)
{
    uint32_t kind = below(r, 10);
    if (kind < 5) {
        buf_addf(out, "%s ", other(r, ENGLISH));
    } else if (kind < 6) {
        buf_addf(out, "%s ", any(r, words_places));
    } else if (kind < 7) {
        syllables(r, out);
        buf_adds(out, " ");
    } else {
        buf_addf(out, "%s ", any(r, words_verbs));
    }
    plural(out, noun(r, ENGLISH));
}

static void english_artist(struct rng *r, struct buf *out)
{
    uint32_t kind = below(r, 100);
    if (kind < 24) {
        buf_addf(out, "%s %s", other(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 30) {
        band(r, out);
    } else if (kind < 50) {
        names_person(r, out);
    } else if (kind < 54) {
        buf_addf(out, "%s & %s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 57) {
        names_person(r, out);
        buf_adds(out, chance(r, 50) ? " & The " : " and the ");
        plural(out, noun(r, ENGLISH));
    } else if (kind < 61) {
        buf_adds(out, chance(r, 60) ? "DJ " : "MC ");
        syllables(r, out);
    } else if (kind < 82) {
        syllables(r, out);
    } else if (kind < 87) {
        buf_addf(out, "%s of ", noun(r, ENGLISH));
        plural(out, noun(r, ENGLISH));
    } else if (kind < 91) {
        buf_addf(out, "%s the %s", any(r, words_verbs), noun(r, ENGLISH));
    } else if (kind < 93) {
        buf_addf(out, "%s %u", noun(r, ENGLISH), 2 + below(r, 98));
    } else if (kind < 94) {
        buf_addf(out, "%s/%s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 95) {
        buf_addf(out, "%s + %s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 96) {
        buf_addf(out, "%u%% %s", 10 * (1 + below(r, 10)), noun(r, ENGLISH));
    } else if (kind < 97) {
        names_person(r, out);
        buf_addf(out, " \"%s\" ", noun(r, ENGLISH));
        syllables(r, out);
    } else if (kind < 98) {
        buf_addf(out, "%s!", noun(r, ENGLISH));
    } else if (kind < 99) {
        buf_addf(out, "%s-%s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else {
        buf_addf(out, "%s'n'%s", noun(r, ENGLISH), noun(r, ENGLISH));
    }
    if (kind < 91 && chance(r, 3)) {
        small_letters(out->data);
    }
}

void names_artist(struct rng *r, enum flavour f, bool the, struct buf *out)
{
    buf_clear(out);
    if (the) {
        band(r, out);
    } else if (f == ENGLISH) {
        english_artist(r, out);
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

static void after_album(struct rng *r, struct buf *out)
{
    uint32_t kind = below(r, 100);
    if (kind < 3) {
        buf_adds(out, " (Remastered)");
    } else if (kind < 5) {
        buf_adds(out, " (Deluxe Edition)");
    } else if (kind < 8) {
        buf_adds(out, " EP");
    } else if (kind < 10) {
        buf_addf(out, " [Disc %u]", 1 + below(r, 2));
    } else if (kind < 12) {
        buf_addf(out, ", Vol. %u", 1 + below(r, 4));
    }
}

void names_album(struct rng *r, enum flavour f, struct buf *out)
{
    buf_clear(out);
    if (f != ENGLISH && chance(r, 75)) {
        phrase(r, f, out);
        after_album(r, out);
        return;
    }
    uint32_t kind = below(r, 100);
    if (kind < 22) {
        buf_adds(out, noun(r, ENGLISH));
    } else if (kind < 36) {
        phrase(r, ENGLISH, out);
    } else if (kind < 45) {
        buf_addf(out, "%s the %s", any(r, words_verbs), noun(r, ENGLISH));
    } else if (kind < 52) {
        buf_addf(out, "%s in the %s %s", any(r, words_verbs), other(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 60) {
        buf_addf(out, "%s, %s & %s", noun(r, ENGLISH), noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 67) {
        buf_addf(out, "Live at %s", any(r, words_places));
    } else if (kind < 73) {
        buf_addf(out, "The %s %s", other(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 79) {
        buf_addf(out, "%s's %s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 84) {
        buf_addf(out, "%s: The %s of ", noun(r, ENGLISH), chance(r, 50) ? "Best" : "Early Years");
        syllables(r, out);
    } else if (kind < 88) {
        buf_addf(out, "%u %s", 2 + below(r, 2000), noun(r, ENGLISH));
    } else if (kind < 91) {
        buf_addf(out, "%s/%s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 93) {
        buf_addf(out, "\"%s\"", noun(r, ENGLISH));
    } else if (kind < 95) {
        buf_addf(out, "%u%% %s", 1 + below(r, 100), noun(r, ENGLISH));
    } else {
        buf_adds(out, "Letters from ");
        syllables(r, out);
    }
    after_album(r, out);
}

void names_compilation(struct rng *r, struct buf *out)
{
    static const char *const series[] = {"Sampler",       "Sessions", "Collection", "Selections",
                                         "Transmissions", "Archive",  "Mix",        NULL};
    buf_clear(out);
    buf_addf(out, "%s %s: %s %s, Vol. %u", other(r, ENGLISH), noun(r, ENGLISH), noun(r, ENGLISH),
             any(r, series), 1 + below(r, 9));
}

static void after_title(struct rng *r, struct buf *out)
{
    uint32_t kind = below(r, 200);
    if (kind < 6) {
        buf_adds(out, " (Live)");
    } else if (kind < 10) {
        buf_addf(out, " (%s Remix)", noun(r, ENGLISH));
    } else if (kind < 13) {
        buf_adds(out, " [Demo]");
    } else if (kind < 16) {
        buf_adds(out, " (feat. ");
        syllables(r, out);
        buf_addc(out, ')');
    } else if (kind < 19) {
        buf_addf(out, ", Pt. %u", 1 + below(r, 3));
    } else if (kind < 21) {
        buf_adds(out, " (Remastered)");
    }
}

void names_title(struct rng *r, enum flavour f, struct buf *out)
{
    static const char *const fixed[] = {"Intro",   "Outro",    "Interlude", "Untitled",
                                        "Prelude", "Overture", "Reprise",   NULL};
    buf_clear(out);
    uint32_t kind = below(r, 1000);
    if (f != ENGLISH && kind < 750) {
        phrase(r, f, out);
        after_title(r, out);
        return;
    }
    kind = below(r, 1000);
    if (kind < 330) {
        buf_adds(out, noun(r, ENGLISH));
    } else if (kind < 450) {
        buf_addf(out, "%s %s", other(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 480) {
        buf_addf(out, "%s in the %s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 540) {
        buf_addf(out, "%s the %s", any(r, words_verbs), noun(r, ENGLISH));
    } else if (kind < 600) {
        buf_addf(out, "The %s %s", other(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 640) {
        buf_addf(out, "Don't %s My %s", chance(r, 50) ? "Take" : "Forget", noun(r, ENGLISH));
    } else if (kind < 680) {
        buf_addf(out, "%s's %s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 720) {
        buf_addf(out, "%s & %s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 755) {
        buf_addf(out, "I Was a %s %s", other(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 790) {
        buf_addf(out, "When the %s Comes to %s", noun(r, ENGLISH), any(r, words_places));
    } else if (kind < 825) {
        plural(out, noun(r, ENGLISH));
    } else if (kind < 855) {
        buf_addf(out, "%s (%s the %s)", noun(r, ENGLISH), any(r, words_verbs), noun(r, ENGLISH));
    } else if (kind < 880) {
        buf_addf(out, "%s / %s", noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 900) {
        buf_addf(out, "%s #%u", noun(r, ENGLISH), 1 + below(r, 40));
    } else if (kind < 915) {
        buf_addf(out, "%u%% %s", 1 + below(r, 100), noun(r, ENGLISH));
    } else if (kind < 930) {
        buf_addf(out, "%s + %s = %s", noun(r, ENGLISH), noun(r, ENGLISH), noun(r, ENGLISH));
    } else if (kind < 945) {
        buf_addf(out, "\"%s\"", noun(r, ENGLISH));
    } else if (kind < 970) {
        syllables(r, out);
    } else if (kind < 985) {
        buf_addf(out, "%s-%s %s", other(r, ENGLISH), other(r, ENGLISH), noun(r, ENGLISH));
    } else {
        buf_adds(out, any(r, fixed));
    }
    if (chance(r, 3)) {
        small_letters(out->data);
    }
    if (chance(r, 1)) {
        struct buf bullet = BUF_INIT(BUF_TEXT_MAX);
        buf_addf(&bullet, "•%s", out->data);
        buf_clear(out);
        buf_adds(out, bullet.data);
        buf_free(&bullet);
    }
    after_title(r, out);
}

/* Spaces alone stand beside the word. */
void names_rock(struct rng *r, enum plan_rock rock, struct buf *out)
{
    buf_clear(out);
    if (rock == PLAN_ROCKS) {
        if (chance(r, 50)) {
            buf_addf(out, "%s Rocks", any(r, words_places));
        } else {
            buf_addf(out, "Rocks and %s", noun(r, ENGLISH));
        }
        return;
    }
    switch (below(r, 5)) {
    case 0:
        buf_addf(out, "Rock the %s", noun(r, ENGLISH));
        break;
    case 1:
        buf_addf(out, "%s Rock", other(r, ENGLISH));
        break;
    case 2:
        buf_addf(out, "We Rock %s Tonight", any(r, words_places));
        break;
    case 3:
        buf_addf(out, "rock and %s", noun(r, ENGLISH));
        small_letters(out->data);
        break;
    default:
        buf_addf(out, "%s Rock (Live)", noun(r, ENGLISH));
    }
}

void names_comment(struct rng *r, struct buf *out)
{
    buf_clear(out);
    buf_adds(out, "Visit http://");
    size_t from = out->len;
    buf_addf(out, "%s%s", other(r, ENGLISH), noun(r, ENGLISH));
    small_letters(out->data + from);
    buf_adds(out, ".example.com");
}
