/* fold: three named ways of treating different spellings of a name as one, and the same folding as
 * JavaScript for a server's map function.
 *
 * Folding is per code point: each maps to a fixed string, whatever stands beside it. So a table of
 * the non-ASCII characters that occur in the data is all a map function needs to fold exactly as
 * the client does: nothing is left to an engine's own toLowerCase or normalize, which differ or are
 * missing (QuickJS). The price is that a rule cannot look at context: a final capital sigma becomes
 * U+03C3, never U+03C2, and `lower` does not join "e" + U+0301 with the precomposed letter.
 * U+0000 and lone surrogates fold to U+FFFD on both sides (json_decode already makes them so). */
#ifndef BENCH_FOLD_H
#define BENCH_FOLD_H

#include <stddef.h>
#include <stdint.h>

#include "base/buf.h"
#include "base/err.h"

enum fold_rule {
    FOLD_ASCII,           /* "ascii": A to Z only */
    FOLD_LOWER,           /* "lower": Unicode's simple lower case; the default */
    FOLD_NOCASE_NOACCENT, /* "nocase-noaccent": canonical decomposition, full case folding, marks
                             (general category M) dropped */
};
#define FOLD_RULES 3
#define FOLD_DEFAULT FOLD_LOWER

extern const char *const fold_names[FOLD_RULES + 1]; /* by rule, NULL at the end */

/* 0 with the rule, or -1 (ERR_USAGE) with the names there are. */
int fold_parse(const char *name, enum fold_rule *rule, struct err *err);
const char *fold_name(enum fold_rule rule);

/* The folded text; the caller frees. Bytes that are not UTF-8 become U+FFFD. Never NULL. */
char *fold_text(enum fold_rule rule, const char *utf8, size_t n);

/* Appends the folding of one code point (of none, one or several characters) to `out`. */
void fold_char(enum fold_rule rule, uint32_t code_point, struct buf *out);

/* The non-ASCII characters of a data set. fold_table_new; add every string that the map function
 * will fold; write; free. */
struct fold_table;
struct fold_table *fold_table_new(enum fold_rule rule);
void fold_table_free(struct fold_table *t); /* NULL is fine */
void fold_table_add(struct fold_table *t, const char *utf8, size_t n);

/* Characters that fold to something other than themselves: the size of the table written. */
size_t fold_table_size(const struct fold_table *t);

/* Appends the source text of `function fold(s){...}`: ECMAScript 5, self-contained, takes a string.
 * For SpiderMonkey 1.8.5 and later, QuickJS, Node. ASCII only (escapes), no line breaks; it stands
 * in a JSON string after json_quote. */
void fold_table_js(const struct fold_table *t, struct buf *out);

/* Appends the table alone as a JSON object: {"\u00c9":"\u00e9",...}, sorted, ASCII only. */
void fold_table_json(const struct fold_table *t, struct buf *out);

#endif
