#include <string.h>

#include "base/text.h"
#include "tests/testing.h"

START_TEST(sizes)
{
    static const struct {
        const char *text;
        int ok;
        uint64_t want;
    } rows[] = {
        {"0", 1, 0},        {"1500", 1, 1500},    {"4k", 1, 4000},        {"4KiB", 1, 4096},
        {"4 KiB", 1, 4096}, {"1.5m", 1, 1500000}, {"50MB", 1, 50000000},  {"2gi", 1, 2147483648u},
        {"", 0, 0},         {"k", 0, 0},          {"-1", 0, 0},           {"1.5", 0, 0},
        {"4x", 0, 0},       {"1e3", 0, 0},        {"99999999999t", 0, 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        uint64_t got = 0;
        int rc = text_parse_size(rows[i].text, &got, &err);
        ck_assert_msg((rc == 0) == rows[i].ok, "\"%s\": %s", rows[i].text, err.text);
        ck_assert_msg(rc < 0 || got == rows[i].want, "\"%s\"", rows[i].text);
        ck_assert_msg(rc == 0 || err.kind == ERR_USAGE, "\"%s\"", rows[i].text);
    }
}
END_TEST

START_TEST(durations_and_rates)
{
    uint64_t v;
    ck_assert_int_eq(text_parse_duration("2.5ms", &v, NULL), 0);
    ck_assert_uint_eq(v, 2500000);
    ck_assert_int_eq(text_parse_duration("10", &v, NULL), 0);
    ck_assert_uint_eq(v, 10000000000u);
    ck_assert_int_eq(text_parse_duration("2m", &v, NULL), 0);
    ck_assert_uint_eq(v, 120000000000u);
    ck_assert_int_lt(text_parse_duration("2 weeks", &v, NULL), 0);
    ck_assert_int_eq(text_parse_rate("40mbit", &v, NULL), 0);
    ck_assert_uint_eq(v, 40000000);
    ck_assert_int_eq(text_parse_rate("5MB", &v, NULL), 0);
    ck_assert_uint_eq(v, 40000000);
    ck_assert_int_lt(text_parse_rate("40", &v, NULL), 0);
}
END_TEST

START_TEST(numbers)
{
    uint64_t v;
    double d;
    ck_assert_int_eq(text_parse_u64("18446744073709551615", &v, NULL), 0);
    ck_assert_int_lt(text_parse_u64("18446744073709551616", &v, NULL), 0);
    ck_assert_int_lt(text_parse_u64("1 ", &v, NULL), 0);
    ck_assert_int_lt(text_parse_u64("", &v, NULL), 0);
    ck_assert_int_eq(text_parse_double("2.5", &d, NULL), 0);
    ck_assert_double_eq(d, 2.5);
    ck_assert_int_lt(text_parse_double("inf", &d, NULL), 0);
    ck_assert_int_lt(text_parse_double("0x1", &d, NULL), 0);
}
END_TEST

START_TEST(output)
{
    char s[64];
    ck_assert_str_eq(text_grouped(s, sizeof s, 12189), "12,189");
    ck_assert_str_eq(text_grouped(s, sizeof s, 999), "999");
    ck_assert_str_eq(text_bytes(s, sizeof s, 6717198, false), "6.72 MB");
    ck_assert_str_eq(text_bytes(s, sizeof s, 6717198, true), "6.41 MiB");
    ck_assert_str_eq(text_bytes(s, sizeof s, 12, false), "12 B");
    ck_assert_str_eq(text_seconds(s, sizeof s, 1.214), "1.21 s");
    ck_assert_str_eq(text_seconds(s, sizeof s, 0.0837), "83.7 ms");
    ck_assert_str_eq(text_seconds(s, sizeof s, 0), "0.000 s");
    ck_assert_str_eq(text_figure(s, sizeof s, 10135.2), "10,135");
    ck_assert_str_eq(text_figure(s, sizeof s, 87.24), "87.2");
    ck_assert_str_eq(text_figure(s, sizeof s, 0.05321), "0.0532");
    ck_assert_str_eq(text_utc(s, sizeof s, 1517400000123000000), "2018-01-31T12:00:00.123Z");
}
END_TEST

START_TEST(visible)
{
    char s[64], tiny[8];
    ck_assert_str_eq(text_visible(s, sizeof s, "a\033[31m\xc3\xa9\x7f\n"),
                     "a\\x1b[31m\xc3\xa9\\x7f\\x0a");
    ck_assert_str_eq(text_visible(s, sizeof s, "\xff\xc2\x9b"), "\\xff\\xc2\\x9b");
    ck_assert_str_eq(text_visible(tiny, sizeof tiny, "abcdefghij"), "abcd...");
}
END_TEST

START_TEST(nearest)
{
    static const char *const names[] = {"batch", "concurrency", "runs", NULL};
    ck_assert_str_eq(text_nearest("bacth", names), "batch");
    ck_assert_str_eq(text_nearest("concurency", names), "concurrency");
    ck_assert_str_eq(text_nearest("rnus", names), "runs");
    ck_assert_ptr_null(text_nearest("xyz", names));
}
END_TEST

TEST_MAIN("text", sizes, durations_and_rates, numbers, output, visible, nearest)
