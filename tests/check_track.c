#include <string.h>

#include "bench/track.h"
#include "tests/testing.h"

static struct json_span span(const char *s)
{
    return (struct json_span){s, strlen(s)};
}

START_TEST(reading)
{
    static const struct {
        const char *doc, *artist, *album, *name;
        bool compilation;
    } rows[] = {
        {"{\"Artist\":\"A\\/B\",\"Album\":\"\\u00e9\",\"Name\":\"\"}", "A/B", "\xc3\xa9", "",
         false},
        {"{\"Artist\":null,\"Album\":3,\"Compilation\":null}", NULL, NULL, NULL, false},
        {"{\"Compilation\":true}", NULL, NULL, NULL, true},
        {"{\"Compilation\":false}", NULL, NULL, NULL, true},
        {"{\"x\":{\"Artist\":\"no\"},\"Artist\":\"yes\"}", "yes", NULL, NULL, false},
        {"{\"artist\":\"no\"}", NULL, NULL, NULL, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct json_span doc = span(rows[i].doc);
        char *got[] = {track_artist(doc, NULL), track_album(doc, NULL), track_name(doc, NULL)};
        const char *want[] = {rows[i].artist, rows[i].album, rows[i].name};
        for (size_t k = 0; k < 3; k++) {
            ck_assert_msg((got[k] == NULL) == (want[k] == NULL), "row %zu, %zu", i, k);
            ck_assert_msg(got[k] == NULL || strcmp(got[k], want[k]) == 0, "row %zu, %zu", i, k);
            free(got[k]);
        }
        ck_assert_msg(track_is_compilation(doc) == rows[i].compilation, "row %zu", i);
    }
}
END_TEST

START_TEST(play_count)
{
    static const struct {
        const char *doc, *want;
    } rows[] = {
        {"{\"a\":1.0,\"Play Count\":9,\"b\":\"\\/\"}",
         "{\"a\":1.0,\"Play Count\":10,\"b\":\"\\/\"}"},
        {"{\"a\":1}", "{\"Play Count\":1,\"a\":1}"},
        {"{}", "{\"Play Count\":1}"},
        {"{\"Play Count\":null}", "{\"Play Count\":1}"},
        {"{\"Play Count\":\"7\"}", "{\"Play Count\":1}"},
        {"{\"Play Count\":1.9}", "{\"Play Count\":2}"},
        {"{\"Play Count\":2e2}", "{\"Play Count\":201}"},
        {"{\"Play Count\":-3}", "{\"Play Count\":-2}"},
        {"{\"Play Count\":-1}", "{\"Play Count\":0}"},
        {"{\"Play Count\":-0}", "{\"Play Count\":1}"},
        {"{\"Play Count\":-2.5}", "{\"Play Count\":-1}"},
        {"{\"Play Count\":9007199254740993}", "{\"Play Count\":9007199254740994}"},
        {"{\"Play Count\":99999999999999999999}", "{\"Play Count\":18446744073709551615}"},
        {"{\"Play Count\":1e300}", "{\"Play Count\":9007199254740993}"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf out = BUF_INIT(1000);
        ck_assert_int_eq(track_play_count_plus_one(&out, span(rows[i].doc)), 0);
        ck_assert_msg(strcmp(buf_text(&out), rows[i].want) == 0, "row %zu: %s", i, buf_text(&out));
        buf_free(&out);
    }
    struct buf full = BUF_INIT(10);
    ck_assert_int_eq(track_play_count_plus_one(&full, span(rows[0].doc)), -1);
    buf_free(&full);
}
END_TEST

START_TEST(the)
{
    static const struct {
        const char *doc, *want; /* NULL: left alone */
    } rows[] = {
        {"{\"a\":1,\"Artist\":\"The Mill\\/s\",\"b\":2}",
         "{\"a\":1,\"Artist\":\"Mill\\/s\",\"b\":2}"},
        {"{\"Artist\":\"The The\"}", "{\"Artist\":\"The\"}"},
        {"{\"Artist\":\"The \"}", "{\"Artist\":\"\"}"},
        {"{\"Artist\":\"\\u0054he\\u0020\\\"X\"}", "{\"Artist\":\"\\\"X\"}"},
        {"{\"Artist\":\"the Mill\"}", NULL},
        {"{\"Artist\":\"THE Mill\"}", NULL},
        {"{\"Artist\":\"Theory\"}", NULL},
        {"{\"Artist\":\"The\"}", NULL},
        {"{\"Artist\":\"\"}", NULL},
        {"{\"Artist\":7}", NULL},
        {"{\"Name\":\"The Mill\"}", NULL},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf out = BUF_INIT(1000);
        ck_assert_msg(track_artist_without_the(&out, span(rows[i].doc)) == (rows[i].want != NULL),
                      "row %zu", i);
        ck_assert_msg(strcmp(buf_text(&out), rows[i].want ? rows[i].want : "") == 0, "row %zu: %s",
                      i, buf_text(&out));
        buf_free(&out);
    }
    struct buf full = BUF_INIT(10);
    ck_assert_int_eq(track_artist_without_the(&full, span(rows[0].doc)), -1);
    buf_free(&full);
    ck_assert_str_eq(track_strip_the("The X"), "X");
    ck_assert_str_eq(track_strip_the("TheX"), "TheX");
}
END_TEST

START_TEST(rock)
{
    static const struct {
        const char *name;
        bool plain, stemmed, unsure;
    } rows[] = {
        {"Rock", true, true, false},
        {"rock", true, true, false},
        {"The ROCK, again", true, true, false},
        {"(Rock)", true, true, false},
        {"\xe2\x80\xa2Rock!", true, true, false},
        {"Rocks", false, true, false},
        {"We're rocking", false, true, false},
        {"Rocked out", false, true, false},
        {"Rocky", false, false, false},
        {"Rocket", false, false, false},
        {"Rocker", false, false, false},
        {"Shamrock", false, false, false},
        {"Baroque", false, false, false},
        {"", false, false, false},
        {"Rocks and Rock", true, true, false},
        {"Rock'n'Roll", false, false, true},
        {"Rock 'n' Roll", true, true, false},
        {"'Rock'", true, true, true},
        {"Rock's End", false, true, true},
        {"Rock\xe2\x80\x99s End", false, true, true},
        {"Punk-Rock", true, true, true},
        {"Rock-a-Billy", true, true, true},
        {"Rock/Pop", true, true, true},
        {"Rock.", true, true, true},
        {"Mr.Rock", false, false, true},
        {"Rock_2", false, false, true},
        {"Rock2", false, false, true},
        {"2 Rock", true, true, false},
        {"R\xc3\xb6"
         "ck",
         false, false, false},
        {"Rock\xc3\xa9", false, false, false},
        {"\xe5\xb2\xa9 Rock \xe5\xb2\xa9", true, true, false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct track_match m = track_match_rock(rows[i].name, strlen(rows[i].name));
        ck_assert_msg(m.plain == rows[i].plain && m.stemmed == rows[i].stemmed &&
                          m.unsure == rows[i].unsure,
                      "\"%s\": %d %d %d", rows[i].name, m.plain, m.stemmed, m.unsure);
    }
}
END_TEST

TEST_MAIN("track", reading, play_count, the, rock)
