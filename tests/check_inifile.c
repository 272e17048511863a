#include <stdio.h>
#include <string.h>

#include "base/inifile.h"
#include "tests/testing.h"

/* What was read, as one text: "[a] x=1 y=2 [b] z=3". */
static void show(const struct inifile *f, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < f->n; i++) {
        used +=
            (size_t)snprintf(out + used, size - used, "%s[%s]", i ? " " : "", f->sections[i].name);
        for (size_t j = 0; j < f->sections[i].n; j++) {
            used += (size_t)snprintf(out + used, size - used, " %s=%s",
                                     f->sections[i].pairs[j].name, f->sections[i].pairs[j].value);
        }
    }
}

/* "3: text" of each problem, "; " between. */
static void show_problems(const struct problems *p, char *out, size_t size)
{
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < p->n; i++) {
        used += (size_t)snprintf(out + used, size - used, "%s%zu: %s", i ? "; " : "",
                                 p->problem[i].line, p->problem[i].text);
    }
}

START_TEST(good)
{
    static const struct {
        const char *text, *read;
    } rows[] = {
        {"", ""},
        {"; only a comment\n\n# and another\n   ; an indented one\n", ""},
        {"[a]\nx = 1\n", "[a] x=1"},
        {"[a]\nx=1", "[a] x=1"}, /* no newline at the end */
        {"\xEF\xBB\xBF[a]\r\nx\t=\t1 \r\n", "[a] x=1"},
        {"[a]\nx = 1\n[b c]\nx = 2\ny = a, b\n", "[a] x=1 [b c] x=2 y=a, b"},
        {"[a]\nx =\n", "[a] x="},
        {"[a]\nurl = http://h:1/p?q=1;r\n", "[a] url=http://h:1/p?q=1;r"},
        {"[a]\nx: 1\n", "[a] x=1"},
        {"[a]\nlabel = C# and all\n", "[a] label=C# and all"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct inifile f;
        struct problems bad = {NULL, 0, 0};
        char text[400];
        inifile_parse(&f, rows[i].text, strlen(rows[i].text), &bad);
        show_problems(&bad, text, sizeof text);
        ck_assert_msg(bad.n == 0, "row %zu: %s", i, text);
        show(&f, text, sizeof text);
        ck_assert_str_eq(text, rows[i].read);
        inifile_free(&f);
    }
}
END_TEST

/* Everything that inih alone would have swallowed or changed without a word. */
START_TEST(refused)
{
    static const struct {
        const char *text, *says;
    } rows[] = {
        {"[a] x = 1\ny = 2\n", "1: text after \"]\""},
        {"[a] ; comment\ny = 2\n", "1: text after \"]\""},
        {"[a]]\ny = 2\n", "1: text after \"]\""},
        {"[a]\nx = 1 ; one\n", "2: \" ;\" within a value"},
        {"[a]\nx = ; one\n", "2: \" ;\" within a value"},
        {"[a]\nx = 1\t;one\n", "2: \" ;\" within a value"},
        {"[a]\nx ;y = 1\n", "2: a name cannot hold"},
        {"[a]\nx = 1\n  y = 2\n", "3: the line is indented"},
        {"[a]\nx = 1\n\tand more\n", "3: the line is indented"},
        {"[a]\nx = 1\n [b]\ny = 2\n", "3: the line is indented"},
        {"[a]\n[b]\nx = 1\n", "1: [a] is empty"},
        {"[a]\nx = 1\n\n[b]\n; nothing\n", "4: [b] is empty"},
        {"[a]\nkeep\n", "2: \"keep\" has no value"},
        {"[a]\n= 1\n", "2: the name before \"=\" is missing"},
        {"x = 1\n[a]\ny = 2\n", "1: a setting before the first section"},
        {"[a\nx = 1\n", "1: the \"]\" of the section is missing"},
        {"[]\nx = 1\n", "1: the section has no name"},
        {"[ a ]\nx = 1\n", "1: the section's name begins or ends with a space"},
        {"[a;b]\nx = 1\n", "1: a section's name cannot hold \";\""},
        {"[aaaaaaaaaabbbbbbbbbbccccccccccddddddddddeeeeeeeeee]\nx = 1\n",
         "1: the section's name has more than 49 bytes"},
        {"[a]\nx = 1\n[a]\ny = 2\n", "3: [a] is there already, in line 1"},
        {"[a]\nx = 1\ny = 2\nx = 3\n", "4: x is there already, in line 2"},
        {"[a]\nx = \x01\n", "2: the line holds a control character"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct inifile f;
        struct problems bad = {NULL, 0, 0};
        char text[600];
        inifile_parse(&f, rows[i].text, strlen(rows[i].text), &bad);
        show_problems(&bad, text, sizeof text);
        ck_assert_msg(bad.n == 1, "row %zu: %zu problems: %s", i, bad.n, text);
        ck_assert_msg(strncmp(text, rows[i].says, strlen(rows[i].says)) == 0, "row %zu: %s", i,
                      text);
        inifile_free(&f);
        problems_free(&bad);
    }
}
END_TEST

START_TEST(nul_byte)
{
    static const char text[] = "[a]\nx = 1\0 ; 2\ny = 3\n";
    struct inifile f;
    struct problems bad = {NULL, 0, 0};
    inifile_parse(&f, text, sizeof text - 1, &bad);
    ck_assert_uint_eq(bad.n, 1);
    ck_assert_uint_eq(bad.problem[0].line, 2);
    ck_assert_uint_eq(f.sections[0].n, 1);
    ck_assert_str_eq(f.sections[0].pairs[0].name, "y");
    inifile_free(&f);
    problems_free(&bad);
}
END_TEST

/* Just within inih's line, and just beyond: nothing of a line is ever lost or made into another. */
START_TEST(long_lines)
{
    for (size_t n = INIFILE_LINE_MAX - 2; n <= INIFILE_LINE_MAX + 300; n++) {
        char text[700] = "[a]\n";
        size_t at = strlen(text);
        memset(text + at, 'v', n);
        memcpy(text + at, "x=", 2);
        strcpy(text + at + n, "\r\ny=1\n");
        struct inifile f;
        struct problems bad = {NULL, 0, 0};
        inifile_parse(&f, text, strlen(text), &bad);
        if (n <= INIFILE_LINE_MAX) {
            ck_assert_uint_eq(bad.n, 0);
            ck_assert_uint_eq(strlen(f.sections[0].pairs[0].value), n - 2);
            ck_assert_uint_eq(f.sections[0].pairs[1].line, 3);
        } else {
            ck_assert_uint_eq(bad.n, 1);
            ck_assert_uint_eq(bad.problem[0].line, 2);
            ck_assert_uint_eq(f.sections[0].n, 1);
        }
        inifile_free(&f);
        problems_free(&bad);
    }
}
END_TEST

/* All at once, in the order of the lines; what is right is read all the same. */
START_TEST(all_at_once)
{
    static const char text[] = "early = 1\n"    /* 1 */
                               "[a]\n"          /* 2 */
                               "x = 1 ; one\n"  /* 3 */
                               "good = yes\n"   /* 4 */
                               " y = 2\n"       /* 5 */
                               "[empty]\n"      /* 6 */
                               "[b] z = 1\n"    /* 7 */
                               "z = 2\n"        /* 8: belongs nowhere, and is not told again */
                               "switch\n"       /* 9 */
                               "[c]\n"          /* 10 */
                               "also = good\n"; /* 11 */
    static const size_t lines[] = {1, 3, 5, 6, 7, 9};
    struct inifile f;
    struct problems bad = {NULL, 0, 0};
    char all[900];
    inifile_parse(&f, text, strlen(text), &bad);
    show_problems(&bad, all, sizeof all);
    ck_assert_msg(bad.n == sizeof lines / sizeof lines[0], "%s", all);
    for (size_t i = 0; i < bad.n; i++) {
        ck_assert_msg(bad.problem[i].line == lines[i], "%s", all);
    }
    show(&f, all, sizeof all);
    ck_assert_str_eq(all, "[a] good=yes [empty] [c] also=good");
    inifile_free(&f);
    problems_free(&bad);
}
END_TEST

TEST_MAIN("inifile", good, refused, nul_byte, long_lines, all_at_once)
