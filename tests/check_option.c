#include <stdlib.h>
#include <string.h>

#include "base/option.h"
#include "tests/testing.h"

struct thing {
    bool flag;
    uint64_t count, size, duration;
    double number, percent;
    char *text;
    int choice;
    uint32_t set;
};

static const char *const colours[] = {"red", "green", "blue", NULL};

#define AT(member) offsetof(struct thing, member)

static const struct opt table[] = {
    {"flag", 'f', OPT_FLAG, AT(flag), NULL, 0, 0, NULL, NULL, "A flag.", 0},
    {"count", 'c', OPT_COUNT, AT(count), "3", 1, 100, NULL, "N", "A count.", OPT_AXIS},
    {"size", 0, OPT_SIZE, AT(size), "4KiB", 1, 0, NULL, "SIZE", "A size.", 0},
    {"duration", 0, OPT_DURATION, AT(duration), "1m", 0, 3600e9, NULL, "TIME", "A time.", 0},
    {"number", 0, OPT_NUMBER, AT(number), "0.5", 0, 1, NULL, "X", "A number.", 0},
    {"percent", 0, OPT_PERCENT, AT(percent), "1%", 0.1, 100, NULL, "P", "A share.", 0},
    {"text", 't', OPT_TEXT, AT(text), NULL, 0, 0, NULL, "WORD", "A text.", 0},
    {"choice", 0, OPT_CHOICE, AT(choice), "green", 0, 0, colours, "C", "One.", 0},
    {"set", 0, OPT_SET, AT(set), "all", 0, 0, colours, "LIST", "Some.", 0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

START_TEST(defaults)
{
    struct thing t = {0};
    option_defaults(table, &t);
    ck_assert(!t.flag);
    ck_assert_uint_eq(t.count, 3);
    ck_assert_uint_eq(t.size, 4096);
    ck_assert_uint_eq(t.duration, 60000000000u);
    ck_assert_double_eq(t.number, 0.5);
    ck_assert_ptr_null(t.text);
    ck_assert_int_eq(t.choice, 1);
    ck_assert_uint_eq(t.set, 7);
    option_release(table, &t);
}
END_TEST

/* What is shown can be typed again. */
START_TEST(show)
{
    static const struct {
        const char *name, *text, *shown;
    } rows[] = {
        {"flag", "on", "yes"},
        {"count", "42", "42"},
        {"size", "1500", "1500"},
        {"size", "2000", "2kB"},
        {"size", "16MiB", "16MiB"},
        {"duration", "250ms", "250ms"},
        {"duration", "90", "90s"},
        {"duration", "120s", "2m"},
        {"number", "0.25", "0.25"},
        {"percent", "2 %", "2%"},
        {"percent", "0.5", "0.5%"},
        {"choice", "blue", "blue"},
        {"set", "blue, red", "red,blue"},
        {"text", "a b", "a b"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct thing t = {0};
        const struct opt *o = option_find(table, rows[i].name);
        ck_assert_int_eq(option_set(o, &t, rows[i].text, NULL), 0);
        char *shown = option_show(o, &t);
        ck_assert_str_eq(shown, rows[i].shown);
        ck_assert_int_eq(option_set(o, &t, shown, NULL), 0);
        free(shown);
        option_release(table, &t);
    }
}
END_TEST

START_TEST(refusals)
{
    static const struct {
        const char *name, *text, *says;
    } rows[] = {
        {"count", "0", "out of range: 1 to 100"},
        {"count", "101", "out of range"},
        {"count", "x", "not a whole number"},
        {"size", "0", "at least 1"},
        {"size", "4 parsecs", "unit"},
        {"duration", "2h", "out of range"},
        {"number", "1.5", "out of range"},
        {"percent", "0.01%", "out of range: 0.1% to 100%"},
        {"percent", "2%%", "not a percentage"},
        {"choice", "gren", "did you mean \"green\""},
        {"choice", "mauve", "red, green, blue"},
        {"set", "red,mauve", "mauve"},
        {"flag", "maybe", "neither yes nor no"},
        {"text", "", "empty"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct thing t = {0};
        struct err err = ERR_INIT;
        ck_assert_int_lt(option_set(option_find(table, rows[i].name), &t, rows[i].text, &err), 0);
        ck_assert_int_eq(err.kind, ERR_USAGE);
        ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "row %zu: %s", i, err.text);
        ck_assert_msg(strstr(err.text, rows[i].name) != NULL, "row %zu: %s", i, err.text);
        option_release(table, &t);
    }
}
END_TEST

/* Splits at spaces: test lines need no quoting. */
static int parse(const char *line, struct thing *t, struct option_list *list, struct err *err)
{
    char copy[200], *argv[20];
    int argc = 0;
    strcpy(copy, line);
    for (char *word = strtok(copy, " "); word != NULL; word = strtok(NULL, " ")) {
        argv[argc++] = word;
    }
    argv[argc] = NULL;
    struct option_table tables[] = {{"Things", table, t}};
    option_defaults(table, t);
    int rc = option_parse(tables, 1, argc, argv, list, err);
    return rc < 0 ? rc : option_apply(list, tables, 1, err);
}

START_TEST(command_lines)
{
    static const struct {
        const char *line;
        int ok;
        const char *says; /* of the error */
        uint64_t count;
        size_t operands;
    } rows[] = {
        {"x", 1, NULL, 3, 0},
        {"x --count 7 a b", 1, NULL, 7, 2},
        {"x a --count=8 b -f", 1, NULL, 8, 2},
        {"x -c 9", 1, NULL, 9, 0},
        {"x --count 9 --count 10", 1, NULL, 10, 0},
        {"x -- --count", 1, NULL, 3, 1},
        {"x -", 1, NULL, 3, 1},
        {"x --count 1,2,3", 1, NULL, 3, 0}, /* an axis: left to the plan */
        {"x --count 1,200", 0, "--count: 200 is out of range", 0, 0},
        {"x --conut 7", 0, "did you mean --count?", 0, 0},
        {"x --zzz", 0, "--zzz: no such option", 0, 0},
        {"x -z", 0, "-z", 0, 0},
        {"x --count", 0, "--count needs a value", 0, 0},
        {"x --flag=3", 0, "takes no value", 0, 0},
        {"x --size 1,2", 0, "--size", 0, 0}, /* no axis: no list */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct thing t = {0};
        struct option_list list = {0};
        struct err err = ERR_INIT;
        int rc = parse(rows[i].line, &t, &list, &err);
        ck_assert_msg((rc == 0) == rows[i].ok, "%s: %s", rows[i].line, err.text);
        if (rc == 0) {
            ck_assert_msg(t.count == rows[i].count, "%s: %llu", rows[i].line,
                          (unsigned long long)t.count);
            ck_assert_msg(list.operands_n == rows[i].operands, "%s", rows[i].line);
        } else {
            ck_assert_msg(strstr(err.text, rows[i].says) != NULL, "%s: %s", rows[i].line, err.text);
        }
        option_list_free(&list);
        option_release(table, &t);
    }
}
END_TEST

START_TEST(files)
{
    struct option_list list = {0};
    struct option_table tables[] = {{"Things", table, NULL}};
    struct err err = ERR_INIT;
    ck_assert_int_eq(option_give(&list, tables, 1, "size", "1k", "a.ini:3", &err), 0);
    ck_assert_int_lt(option_give(&list, tables, 1, "sice", "1k", "a.ini:4", &err), 0);
    ck_assert_str_eq(err.text, "a.ini:4: sice: no such option; did you mean size?");
    ck_assert_int_lt(option_give(&list, tables, 1, "size", "1q", "a.ini:5", &err), 0);
    ck_assert_msg(strncmp(err.text, "a.ini:5: size: ", 15) == 0, "%s", err.text);
    ck_assert_str_eq(list.given[0].where, "a.ini:3: size");
    ck_assert_uint_eq(list.n, 1);
    option_list_free(&list);
}
END_TEST

/* Every option is in every document made from the table. */
START_TEST(documents)
{
    struct option_table tables[] = {{"Things", table, NULL}};
    void (*const makers[])(const struct option_table *, size_t,
                           struct buf *) = {option_help, option_roff, option_words};
    for (size_t m = 0; m < 3; m++) {
        struct buf out = BUF_INIT(100000);
        makers[m](tables, 1, &out);
        for (const struct opt *o = table; o->name != NULL; o++) {
            ck_assert_msg(strstr(out.data, o->name) != NULL, "maker %zu lacks %s", m, o->name);
        }
        buf_free(&out);
    }
}
END_TEST

START_TEST(split)
{
    size_t n;
    char **words = option_split(" a ,b,, c d", &n);
    ck_assert_uint_eq(n, 4);
    ck_assert_str_eq(words[0], "a");
    ck_assert_str_eq(words[1], "b");
    ck_assert_str_eq(words[2], "");
    ck_assert_str_eq(words[3], "c d");
    free(words);
}
END_TEST

TEST_MAIN("option", defaults, show, refusals, command_lines, files, documents, split)
