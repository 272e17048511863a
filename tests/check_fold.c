#include <string.h>

#include "base/json.h"
#include "bench/fold.h"
#include "tests/testing.h"

START_TEST(names)
{
    struct err err = ERR_INIT;
    enum fold_rule rule = FOLD_DEFAULT;
    for (int i = 0; i < FOLD_RULES; i++) {
        ck_assert_int_eq(fold_parse(fold_names[i], &rule, &err), 0);
        ck_assert_int_eq((int)rule, i);
        ck_assert_str_eq(fold_name(rule), fold_names[i]);
    }
    ck_assert_int_eq(fold_parse("Lower", &rule, &err), -1);
    ck_assert_int_eq(err.kind, ERR_USAGE);
    ck_assert_ptr_nonnull(strstr(err.text, "did you mean lower?"));
    ck_assert_int_eq(fold_parse("", &rule, &err), -1);
}
END_TEST

START_TEST(text)
{
    static const struct {
        const char *in, *want[FOLD_RULES];
    } rows[] = {
        {"", {"", "", ""}},
        {"AbZ[@`{", {"abz[@`{", "abz[@`{", "abz[@`{"}},
        {"É", {"É", "é", "e"}},
        {"E\u0301", {"e\u0301", "e\u0301", "e"}},
        {"ÅNGSTRÖM", {"ÅngstrÖm", "ångström", "angstrom"}},
        {"Straße", {"straße", "straße", "strasse"}},
        {"STRA\u1e9eE", {"stra\u1e9ee", "straße", "strasse"}},
        {"ΣΑΣ", {"ΣΑΣ", "σασ", "σασ"}}, /* per code point: no final sigma */
        {"\u0130", {"\u0130", "i", "i"}},
        {"ŁØÐ", {"ŁØÐ", "łøð", "łøð"}}, /* strokes are not marks */
        {"ЙЁ", {"ЙЁ", "йё", "ие"}},
        {"\u212a", {"\u212a", "k", "k"}}, /* the Kelvin sign becomes ASCII */
        {"\uff21\ufb01", {"\uff21\ufb01", "\uff41\ufb01", "\uff41fi"}},
        {"が", {"が", "が", "か"}},
        {"\U00010400", {"\U00010400", "\U00010428", "\U00010428"}}, /* a surrogate pair in JS */
        {"\U0001f3b5", {"\U0001f3b5", "\U0001f3b5", "\U0001f3b5"}},
        {"a\xff"
         "B\xc3",
         {"a\ufffd"
          "b\ufffd",
          "a\ufffd"
          "b\ufffd",
          "a\ufffd"
          "b\ufffd"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (int rule = 0; rule < FOLD_RULES; rule++) {
            char *got = fold_text((enum fold_rule)rule, rows[i].in, strlen(rows[i].in));
            ck_assert_msg(strcmp(got, rows[i].want[rule]) == 0, "%s \"%s\": \"%s\"",
                          fold_names[rule], rows[i].in, got);
            free(got);
        }
    }
    char *nul = fold_text(FOLD_LOWER, "A\0B", 3);
    ck_assert_str_eq(nul, "a\ufffd"
                          "b");
    free(nul);
}
END_TEST

/* Folding twice is folding once, for every code point that folds: expected sets may be folded
 * again. */
START_TEST(idempotent)
{
    static const uint32_t ranges[][2] = {{1, 0x20000}, {0x2f800, 0x2fa20}, {0xe0000, 0xe0200}};
    const unsigned step = tests_many(1, 31);
    for (int rule = 0; rule < FOLD_RULES; rule++) {
        struct buf once = BUF_INIT(1000);
        for (size_t i = 0; i < sizeof ranges / sizeof ranges[0]; i++) {
            for (uint32_t cp = ranges[i][0]; cp < ranges[i][1]; cp += step) {
                buf_clear(&once);
                fold_char((enum fold_rule)rule, cp, &once);
                char *twice = fold_text((enum fold_rule)rule, buf_text(&once), once.len);
                ck_assert_msg(strcmp(buf_text(&once), twice) == 0, "%s U+%04X", fold_names[rule],
                              cp);
                free(twice);
            }
        }
        buf_free(&once);
    }
}
END_TEST

START_TEST(table)
{
    static const struct {
        enum fold_rule rule;
        const char *text, *json;
        size_t size;
    } rows[] = {
        {FOLD_LOWER, "plain ASCII", "{}", 0},
        {FOLD_LOWER, "é", "{}", 0},
        {FOLD_LOWER, "ÉÉé", "{\"\\u00c9\":\"\\u00e9\"}", 1},
        {FOLD_ASCII, "É", "{}", 0},
        {FOLD_NOCASE_NOACCENT, "ÉéE\u0301",
         "{\"\\u00c9\":\"e\",\"\\u00e9\":\"e\",\"\\u0301\":\"\"}", 3},
        {FOLD_LOWER, "\U00010400", "{\"\\ud801\\udc00\":\"\\ud801\\udc28\"}", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fold_table *t = fold_table_new(rows[i].rule);
        struct buf out = BUF_INIT(10000);
        fold_table_add(t, rows[i].text, strlen(rows[i].text));
        fold_table_json(t, &out);
        ck_assert_str_eq(buf_text(&out), rows[i].json);
        ck_assert_uint_eq(fold_table_size(t), rows[i].size);
        ck_assert_int_eq(json_validate(out.data, out.len, NULL), 0);
        buf_clear(&out);
        fold_table_js(t, &out);
        ck_assert(strncmp(out.data, "function fold(s){", 17) == 0);
        for (size_t k = 0; k < out.len; k++) {
            ck_assert(out.data[k] >= 0x20 && out.data[k] < 0x7f);
        }
        buf_free(&out);
        fold_table_free(t);
    }
}
END_TEST

TEST_MAIN("fold", names, text, idempotent, table)
