#include "bench/fold.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <utf8proc.h>

#include "base/mem.h"
#include "base/text.h"

#define CODE_POINTS 0x110000u
#define REPLACEMENT 0xfffdu

const char *const fold_names[FOLD_RULES + 1] = {"ascii", "lower", "nocase-noaccent", NULL};

int fold_parse(const char *name, enum fold_rule *rule, struct err *err)
{
    for (int i = 0; i < FOLD_RULES; i++) {
        if (strcmp(name, fold_names[i]) == 0) {
            *rule = (enum fold_rule)i;
            return 0;
        }
    }
    const char *near = text_nearest(name, fold_names);
    char shown[64];
    return err_set(err, ERR_USAGE,
                   "unknown fold rule \"%s\"%s%s%s: one of ascii, lower, "
                   "nocase-noaccent",
                   text_visible(shown, sizeof shown, name), near ? " (did you mean " : "",
                   near ? near : "", near ? "?)" : "");
}

const char *fold_name(enum fold_rule rule)
{
    return fold_names[rule];
}

/* ---- one code point ------------------------------------------------------------------------ */

static void put_utf8(struct buf *out, utf8proc_int32_t code_point)
{
    utf8proc_uint8_t bytes[4];
    utf8proc_ssize_t n = utf8proc_encode_char(code_point, bytes);
    buf_add(out, bytes, (size_t)n);
}

static char ascii_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c + 32) : c;
}

void fold_char(enum fold_rule rule, uint32_t code_point, struct buf *out)
{
    utf8proc_int32_t cp = (utf8proc_int32_t)code_point;
    if (code_point == 0 || code_point >= CODE_POINTS ||
        (code_point >= 0xd800 && code_point < 0xe000)) {
        put_utf8(out, REPLACEMENT);
        return;
    }
    if (code_point < 0x80) {
        buf_addc(out, ascii_lower((char)code_point));
        return;
    }
    switch (rule) {
    case FOLD_ASCII:
        put_utf8(out, cp);
        return;
    case FOLD_LOWER:
        put_utf8(out, utf8proc_tolower(cp));
        return;
    case FOLD_NOCASE_NOACCENT: {
        /* the longest full decomposition of one character is 18 code points (with compatibility
         * mappings, which are not used here) */
        utf8proc_int32_t parts[32];
        int last = UTF8PROC_BOUNDCLASS_START;
        utf8proc_ssize_t n = utf8proc_decompose_char(
            cp, parts, 32, UTF8PROC_DECOMPOSE | UTF8PROC_CASEFOLD | UTF8PROC_STRIPMARK, &last);
        for (utf8proc_ssize_t i = 0; i < n && i < 32; i++) {
            put_utf8(out, parts[i]);
        }
        return;
    }
    }
}

/* Takes one code point from the bytes at p; what is not UTF-8 is U+FFFD, byte by byte. */
static size_t next_char(const char *p, size_t n, uint32_t *code_point)
{
    size_t len = text_utf8_length((const unsigned char *)p, n);
    utf8proc_int32_t cp;
    if (len == 0 || utf8proc_iterate((const utf8proc_uint8_t *)p, (utf8proc_ssize_t)len, &cp) < 0) {
        *code_point = REPLACEMENT;
        return 1;
    }
    *code_point = (uint32_t)cp;
    return len;
}

char *fold_text(enum fold_rule rule, const char *utf8, size_t n)
{
    /* a folded character is at most a few times as long; n is bounded by a document's length */
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    buf_reserve(&out, n);
    for (size_t i = 0; i < n;) {
        if ((unsigned char)utf8[i] < 0x80 && utf8[i] != '\0') {
            buf_addc(&out, ascii_lower(utf8[i++]));
            continue;
        }
        uint32_t cp;
        i += next_char(utf8 + i, n - i, &cp);
        fold_char(rule, cp, &out);
    }
    char *s = mem_strndup(buf_text(&out), out.len); /* no longer than it must be: many are kept */
    buf_free(&out);
    return s;
}

/* ---- the table for a map function ---------------------------------------------------------- */

struct fold_table {
    enum fold_rule rule;
    unsigned char seen[CODE_POINTS / 8]; /* a bit for each code point: 136 KiB */
};

struct fold_table *fold_table_new(enum fold_rule rule)
{
    struct fold_table *t = mem_zero(1, sizeof *t);
    t->rule = rule;
    return t;
}

void fold_table_free(struct fold_table *t)
{
    free(t);
}

void fold_table_add(struct fold_table *t, const char *utf8, size_t n)
{
    for (size_t i = 0; i < n;) {
        if ((unsigned char)utf8[i] < 0x80) {
            i++;
            continue;
        }
        uint32_t cp;
        i += next_char(utf8 + i, n - i, &cp);
        t->seen[cp / 8] |= (unsigned char)(1u << cp % 8);
    }
}

/* Whether the code point was seen and folds to something else, which is put into `to`. */
static bool entry(const struct fold_table *t, uint32_t cp, struct buf *to)
{
    if (!(t->seen[cp / 8] & 1u << cp % 8)) {
        return false;
    }
    utf8proc_uint8_t self[4];
    utf8proc_ssize_t n = utf8proc_encode_char((utf8proc_int32_t)cp, self);
    buf_clear(to);
    fold_char(t->rule, cp, to);
    return to->len != (size_t)n || memcmp(to->data, self, (size_t)n) != 0;
}

size_t fold_table_size(const struct fold_table *t)
{
    struct buf to = BUF_INIT(256);
    size_t count = 0;
    for (uint32_t cp = 0x80; cp < CODE_POINTS; cp++) {
        count += entry(t, cp, &to);
    }
    buf_free(&to);
    return count;
}

/* ASCII as it is (what folds to a quote, a backslash or a control character is escaped too), the
 * rest as UTF-16 escapes. */
static void put_escaped(struct buf *out, uint32_t cp)
{
    if (cp >= 0x20 && cp < 0x7f && cp != '"' && cp != '\\') {
        buf_addc(out, (char)cp);
    } else if (cp < 0x10000) {
        buf_addf(out, "\\u%04x", cp);
    } else {
        buf_addf(out, "\\u%04x\\u%04x", 0xd800 + (cp - 0x10000) / 0x400,
                 0xdc00 + (cp - 0x10000) % 0x400);
    }
}

void fold_table_json(const struct fold_table *t, struct buf *out)
{
    struct buf to = BUF_INIT(256);
    const char *comma = "";
    buf_addc(out, '{');
    for (uint32_t cp = 0x80; cp < CODE_POINTS; cp++) {
        if (!entry(t, cp, &to)) {
            continue;
        }
        buf_addf(out, "%s\"", comma);
        comma = ",";
        put_escaped(out, cp);
        buf_adds(out, "\":\"");
        for (size_t i = 0; i < to.len;) {
            uint32_t part;
            i += next_char(to.data + i, to.len - i, &part);
            put_escaped(out, part);
        }
        buf_addc(out, '"');
    }
    buf_addc(out, '}');
    buf_free(&to);
}

/* Text of ASCII alone, which is most of it, never reaches the table: toLowerCase is the same in
 * every engine there, and the table's object would otherwise be built at every call. */
void fold_table_js(const struct fold_table *t, struct buf *out)
{
    buf_adds(out, "function fold(s){"
                  "if(/^[\\x01-\\x7f]*$/.test(s))return s.toLowerCase();"
                  "var t=");
    fold_table_json(t, out);
    buf_adds(out, ",o=\"\",i,c,d,k;"
                  "for(i=0;i<s.length;i++){"
                  "c=s.charCodeAt(i);k=s.charAt(i);"
                  "if(c>=65&&c<=90)k=String.fromCharCode(c+32);"
                  "else if(c===0)k=\"\\ufffd\";"
                  "else if(c>127){"
                  "if(c>=0xd800&&c<0xe000){"
                  "d=c<0xdc00&&i+1<s.length?s.charCodeAt(i+1):0;"
                  "if(d>=0xdc00&&d<0xe000){i++;k+=s.charAt(i);}else k=\"\\ufffd\";"
                  "}"
                  "if(t.hasOwnProperty(k))k=t[k];"
                  "}"
                  "o+=k;"
                  "}"
                  "return o;}");
}
