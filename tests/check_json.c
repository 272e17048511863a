#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "tests/testing.h"

START_TEST(validate)
{
    static const struct {
        const char *text;
        int ok;
    } rows[] = {
        {"{}", 1},
        {" [1, -0, 1.5e+3, true, false, null, \"a\\u00e9\\n\"] ", 1},
        {"{\"a\":{\"b\":[{}]},\"a\":1}", 1},
        {"\"\xc3\xa9\xf0\x9f\x8e\xb5\"", 1},
        {"", 0},
        {"{", 0},
        {"[1,]", 0},
        {"{\"a\"}", 0},
        {"{\"a\":1,}", 0},
        {"{a:1}", 0},
        {"[1 2]", 0},
        {"01", 0},
        {"1.", 0},
        {".5", 0},
        {"+1", 0},
        {"tru", 0},
        {"nulll", 0},
        {"\"a", 0},
        {"\"\\x\"", 0},
        {"\"\\u12\"", 0},
        {"\"\t\"", 0},
        {"\"\xc3\"", 0},
        {"\"\xed\xa0\x80\"", 0}, /* a surrogate */
        {"\"\xc0\x80\"", 0},     /* overlong */
        {"{} {}", 0},
        {"]", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        int rc = json_validate(rows[i].text, strlen(rows[i].text), &err);
        ck_assert_msg((rc == 0) == rows[i].ok, "row %zu: %s: %s", i, rows[i].text, err.text);
        ck_assert_msg(rows[i].ok || err.text[0] != '\0', "row %zu gives no reason", i);
    }
}
END_TEST

START_TEST(depth)
{
    char deep[2 * JSON_DEPTH_MAX + 4];
    struct err err = ERR_INIT;
    memset(deep, '[', JSON_DEPTH_MAX);
    memset(deep + JSON_DEPTH_MAX, ']', JSON_DEPTH_MAX);
    ck_assert_int_eq(json_validate(deep, (size_t)2 * JSON_DEPTH_MAX, &err), 0);
    memset(deep, '[', JSON_DEPTH_MAX + 1);
    memset(deep + JSON_DEPTH_MAX + 1, ']', JSON_DEPTH_MAX + 1);
    ck_assert_int_lt(json_validate(deep, (size_t)2 * JSON_DEPTH_MAX + 2, &err), 0);
    ck_assert_ptr_nonnull(strstr(err.text, "nested too deep"));
}
END_TEST

START_TEST(getters)
{
    static const char text[] = "{\"a\":\"x\",\"A\":\"y\",\"n\":7,\"b\":true,\"neg\":-1}";
    cJSON *o = json_parse(text, strlen(text), NULL);
    ck_assert_ptr_nonnull(o);
    ck_assert_str_eq(json_str(o, "A", ""), "y");
    ck_assert_str_eq(json_str(o, "n", "none"), "none");
    ck_assert_uint_eq(json_u64(o, "n", 0), 7);
    ck_assert_uint_eq(json_u64(o, "neg", 9), 9);
    ck_assert(json_bool(o, "b", false));
    ck_assert_double_eq(json_num(o, "missing", -2), -2);
    ck_assert_str_eq(json_str(NULL, "a", "none"), "none");
    cJSON_Delete(o);
}
END_TEST

START_TEST(members)
{
    static const struct {
        const char *object, *name, *value, *member;
    } rows[] = {
        {"{\"a\":1,\"b\":2}", "b", "2", "\"b\":2"},
        {"{ \"a\" : [1,{\"b\":3}] , \"b\" : \"x\\\"}\" }", "b", "\"x\\\"}\"", "\"b\" : \"x\\\"}\""},
        {"{\"a\":1,\"a\":2}", "a", "2", "\"a\":2"},
        {"{\"\\u0061\":5}", "a", "5", "\"\\u0061\":5"},
        {"{\"A\":1}", "a", NULL, NULL},
        {"{}", "a", NULL, NULL},
        {"[1]", "a", NULL, NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_span v, m;
        bool found = json_member(rows[i].object, strlen(rows[i].object), rows[i].name, &v, &m);
        ck_assert_msg(found == (rows[i].value != NULL), "row %zu", i);
        if (found) {
            ck_assert_msg(v.len == strlen(rows[i].value) && !memcmp(v.at, rows[i].value, v.len),
                          "row %zu: %.*s", i, (int)v.len, v.at);
            ck_assert_msg(m.len == strlen(rows[i].member) && !memcmp(m.at, rows[i].member, m.len),
                          "row %zu: %.*s", i, (int)m.len, m.at);
        }
    }
}
END_TEST

START_TEST(set)
{
    static const struct {
        const char *object, *name, *value, *want;
    } rows[] = {
        {"{\"n\":12345678901234567890,\"p\":\"a\\/b\"}", "p", "1",
         "{\"n\":12345678901234567890,\"p\":1}"},
        {"{\"a\":1.0}", "_id", "\"x\"", "{\"_id\":\"x\",\"a\":1.0}"},
        {" { } ", "a", "2", " {\"a\":2 } "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf out = BUF_INIT(1000);
        ck_assert_int_eq(
            json_set(&out, rows[i].object, strlen(rows[i].object), rows[i].name, rows[i].value), 0);
        ck_assert_str_eq(out.data, rows[i].want);
        buf_free(&out);
    }
}
END_TEST

START_TEST(decode_and_quote)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"\"a\\/b\\n\\u00e9\"", "a/b\n\xc3\xa9"},
        {"\"\\ud83c\\udfb5\"", "\xf0\x9f\x8e\xb5"},
        {"\"\\ud83c\"", "\xef\xbf\xbd"},
        {"\"x\\u0000y\"", "x\xef\xbf\xbdy"},
        {"12", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *s = json_decode((struct json_span){rows[i].text, strlen(rows[i].text)}, NULL);
        ck_assert_msg((s == NULL) == (rows[i].want == NULL), "row %zu", i);
        if (s != NULL) {
            ck_assert_str_eq(s, rows[i].want);
            free(s);
        }
    }
    struct buf out = BUF_INIT(100);
    json_quote(&out, "a\"\\\n\x01", 5);
    ck_assert_str_eq(out.data, "\"a\\\"\\\\\\u000a\\u0001\"");
    buf_free(&out);
}
END_TEST

static int count(void *arg, struct json_span element)
{
    size_t *bytes = arg;
    *bytes += element.len;
    return 0;
}

START_TEST(each)
{
    static const struct {
        const char *text;
        long n;
        size_t bytes;
    } rows[] = {
        {"[]", 0, 0}, {" [ 1 , {\"a\":[]} ] ", 2, 9}, {"[1", -1, 1}, {"{}", -1, 0}, {"[,]", -1, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        size_t bytes = 0;
        long n = json_each(rows[i].text, strlen(rows[i].text), count, &bytes, NULL);
        ck_assert_msg(n == rows[i].n && bytes == rows[i].bytes, "row %zu: %ld, %zu", i, n, bytes);
    }
}
END_TEST

/* Walks {"rows":[{...},...]} and gives what was seen, or the fault. */
static void walk_text(const char *text, struct buf *out)
{
    struct json_walk w;
    struct json_span name, v;
    json_walk_start(&w, text, strlen(text));
    if (json_enter(&w, '{')) {
        while (json_next_member(&w, &name)) {
            if (!json_name_is(name, "rows")) {
                json_take(&w, &v);
                buf_addf(out, "%.*s ", (int)v.len, v.len > 0 ? v.at : "");
            } else if (json_enter(&w, '[')) {
                while (json_next_element(&w)) {
                    json_take(&w, &v);
                    buf_addf(out, "<%.*s>", (int)v.len, v.len > 0 ? v.at : "");
                }
            }
        }
    }
    if (!json_walk_end(&w)) {
        buf_addf(out, "! %s", w.why);
    }
}

START_TEST(walk)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"{}", ""},
        {"{\"rows\":[]}", ""},
        {" { \"a\" : 1 , \"rows\" : [ 1 , {\"b\":[]} ] , \"c\":\"x\" } ",
         "1 <1><{\"b\":[]}>\"x\" "},
        {"{\"\\u0072ows\":[2]}", "<2>"},
        {"[]", "! expected an object"},
        {"{\"rows\":{}}", "! expected an array"},
        {"{\"rows\":[1,]}", "<1><>! not a JSON value"},
        {"{\"rows\":[1 2]}", "<1>! expected , or ]"},
        {"{\"rows\":[1", "<1>! the text ends in the middle"},
        {"{\"rows\":[1]", "<1>! the text ends in the middle"},
        {"{\"a\":1,}", "1 ! expected a member name"},
        {"{\"a\" 1}", "! expected :"},
        {"{} x", "! something after the JSON value"},
        {"{\"a\":\"\xff\"}", " ! invalid UTF-8"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf out = BUF_INIT(1000);
        walk_text(rows[i].text, &out);
        ck_assert_msg(strcmp(buf_text(&out), rows[i].want) == 0, "row %zu: %s", i, buf_text(&out));
        buf_free(&out);
    }
}
END_TEST

TEST_MAIN("json", validate, depth, getters, members, set, decode_and_quote, each, walk)
