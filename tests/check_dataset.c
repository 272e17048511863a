#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/dataset.h"
#include "tests/testing.h"

/* Writes the bytes to a temporary file, opens it and removes its name. */
static struct dataset *open_bytes(const char *bytes, size_t n, struct err *err)
{
    char path[] = "/tmp/tunecouch-check-XXXXXX";
    int fd = mkstemp(path);
    ck_assert_int_ge(fd, 0);
    ck_assert_int_eq(write(fd, bytes, n), (ssize_t)n);
    close(fd);
    struct dataset *d = dataset_open(path, NULL, err);
    unlink(path);
    return d;
}

static struct dataset *open_text(const char *text, struct err *err)
{
    return open_bytes(text, strlen(text), err);
}

static const char library[] =
    "{\"Persistent ID\":\"A1\",\"Name\":\"One Rock\",\"Artist\":\"The \xc3\x89"
    "cho\",\"Album\":\"X\"}\n"
    "{\"Artist\":\"\xc3\xa9"
    "cho\",\"Album\":\"x\",\"Persistent ID\":\"A2\",\"Name\":\"Rocks\\/\"}\n"
    "{\"Artist\":\"\xc3\x89"
    "cho\",\"Persistent ID\":\"A3\"}\n"
    "\n"
    "{\"Artist\":\"The Mill\",\"Persistent ID\":\"A4\",\"Compilation\":true,\"Album\":\"V\"}\n"
    "{\"Artist\":\"Mill\",\"Persistent ID\":\"A5\",\"Album\":null,\"Compilation\":null}\n"
    "{\"Artist\":\"Nobody\"}\n"
    "{\"Artist\":5,\"Persistent ID\":\"A6\"}\n"
    "{\"Persistent ID\":\"A7\",\"n\":12345678901234567890}";

START_TEST(summary)
{
    struct err err = ERR_INIT;
    struct dataset *d = open_text(library, &err);
    ck_assert_msg(d != NULL, "%s", err.text);
    const struct dataset_summary *s = dataset_summary(d);
    ck_assert_uint_eq(s->docs, 6);
    ck_assert_uint_eq(s->bytes, sizeof library - 1);
    ck_assert_uint_eq(s->skipped_empty, 1);
    ck_assert_uint_eq(s->skipped_no_id, 1);
    ck_assert_uint_eq(s->skipped_type, 1);
    ck_assert_int_eq(s->origin, DATASET_OTHER);
    ck_assert(!s->array);
    ck_assert_uint_eq(s->with_artist, 5);
    ck_assert_uint_eq(s->with_album, 3);
    ck_assert_uint_eq(s->compilations, 1);
    ck_assert_uint_eq(s->the_docs, 2);
    ck_assert_uint_eq(s->indexed_docs, 4);
    ck_assert_uint_eq(s->all_artists, 4); /* the echo, echo, the mill, mill */
    ck_assert_uint_eq(s->artists[FOLD_ASCII], 3);
    ck_assert_uint_eq(s->artists[FOLD_LOWER], 2);
    ck_assert_uint_eq(s->artists[FOLD_NOCASE_NOACCENT], 2);
    ck_assert_uint_eq(s->pairs[FOLD_ASCII], 4);
    ck_assert_uint_eq(s->pairs[FOLD_LOWER], 3);
    ck_assert_uint_eq(s->rock_plain, 1);
    ck_assert_uint_eq(s->rock_stemmed, 2);
    ck_assert_uint_eq(s->rock_unsure, 1); /* "Rocks/" */
    size_t rocks;
    const struct dataset_rock *r = dataset_rocks(d, &rocks);
    ck_assert_uint_eq(rocks, 2);
    ck_assert_str_eq(r[0].id, "A1");
    ck_assert(r[0].plain && !r[1].plain);
    dataset_close(d);
}
END_TEST

START_TEST(digests)
{
    struct err err = ERR_INIT;
    struct dataset *d = open_text("{\"Persistent ID\":\"A\"}\n", &err);
    const struct dataset_summary *s = dataset_summary(d);
    /* as `sha256sum` and `git hash-object` print them */
    ck_assert_str_eq(s->sha256, "b9601103913bf8eb454b8861ca574c172923404075d73e5b3e3bd88408898949");
    ck_assert_str_eq(s->git_blob, "68925bb9334d9e354fa13f9a07da32a51eb4a43e");
    dataset_close(d);
}
END_TEST

START_TEST(expected)
{
    struct err err = ERR_INIT;
    struct dataset *d = open_text(library, &err);
    struct expect *e = dataset_expect(d, FOLD_LOWER, true);
    ck_assert_uint_eq(expect_artist_count(e), 2);
    ck_assert_uint_eq(expect_pair_count(e), 3);
    const struct expect_artist *a = expect_artist(e, 0);
    ck_assert_str_eq(a->folded, "mill");
    ck_assert_uint_eq(a->album_count, 1);
    ck_assert_ptr_null(a->albums[0]);
    a = expect_find(e, "\xc3\xa9"
                       "cho");
    ck_assert_ptr_eq(a, expect_artist(e, 1));
    ck_assert_uint_eq(a->spelling_count, 2); /* with and without capital; "The " is gone */
    ck_assert_str_eq(a->spellings[0], "\xc3\x89"
                                      "cho");
    ck_assert_str_eq(a->spellings[1], "\xc3\xa9"
                                      "cho");
    ck_assert_uint_eq(a->album_count, 2);
    ck_assert_ptr_null(a->albums[0]);
    ck_assert_str_eq(a->albums[1], "x");
    ck_assert(expect_has_album(a, NULL) && expect_has_album(a, "x"));
    ck_assert(!expect_has_album(a, "X") && !expect_has_album(expect_artist(e, 0), "x"));
    ck_assert(!expect_has_artist(e, "the mill"));

    struct expect_digest want = expect_pairs_digest(e), got = {0, 0};
    expect_digest_pair(&got,
                       "\xc3\xa9"
                       "cho",
                       "x");
    expect_digest_pair(&got, "mill", NULL);
    ck_assert(!expect_digest_equal(&got, &want));
    struct expect_digest other = got;
    expect_digest_pair(&got,
                       "\xc3\xa9"
                       "cho",
                       NULL);
    expect_digest_pair(&other,
                       "\xc3\xa9"
                       "cho",
                       "");
    ck_assert(expect_digest_equal(&got, &want));
    ck_assert(!expect_digest_equal(&other, &want));
    got = (struct expect_digest){0, 0};
    expect_digest_artist(&got, "\xc3\xa9"
                               "cho");
    expect_digest_artist(&got, "mill");
    want = expect_artists_digest(e);
    ck_assert(expect_digest_equal(&got, &want));
    expect_free(e);

    e = dataset_expect(d, FOLD_LOWER, false);
    ck_assert_uint_eq(expect_artist_count(e), 3);
    ck_assert(expect_has_artist(e, "the \xc3\xa9"
                                   "cho"));
    expect_free(e);

    struct fold_table *t = dataset_fold_table(d, FOLD_LOWER);
    ck_assert_uint_eq(fold_table_size(t), 1);
    fold_table_free(t);
    dataset_close(d);
}
END_TEST

START_TEST(documents)
{
    struct err err = ERR_INIT;
    struct dataset *d = open_text(library, &err);
    for (int pass = 0; pass < 2; pass++) {
        char ids[64] = "";
        struct json_span doc;
        const char *id;
        int rc;
        ck_assert_int_eq(dataset_rewind(d, &err), 0);
        while ((rc = dataset_next(d, &doc, &id, &err)) > 0) {
            strcat(strcat(ids, id), " ");
            ck_assert(doc.at[0] == '{' && doc.at[doc.len - 1] == '}');
        }
        ck_assert_msg(rc == 0, "%s", err.text);
        ck_assert_str_eq(ids, "A1 A2 A3 A4 A5 A7 ");
    }
    dataset_close(d);
}
END_TEST

START_TEST(batches)
{
    static const struct {
        size_t max_docs, max_bytes;
        const char *sizes;
    } rows[] = {
        {100, 100000, "6 "},         {4, 100000, "4 2 "},      {1, 100000, "1 1 1 1 1 1 "},
        {0, 100000, "1 1 1 1 1 1 "}, {100, 1, "1 1 1 1 1 1 "}, {100, 230, "3 2 1 "},
    };
    struct err err = ERR_INIT;
    struct dataset *d = open_text(library, &err);
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char sizes[64] = "";
        struct dataset_batch b;
        int rc;
        ck_assert_int_eq(dataset_rewind(d, &err), 0);
        while ((rc = dataset_batch(d, rows[i].max_docs, rows[i].max_bytes, &b, &err)) > 0) {
            sprintf(sizes + strlen(sizes), "%zu ", b.count);
            ck_assert_int_eq(json_validate(b.body.data, b.body.len, NULL), 0);
            ck_assert(b.count == 1 || b.body.len <= rows[i].max_bytes);
            for (size_t k = 0; k < b.count; k++) {
                struct buf part = BUF_INIT(10000);
                struct buf want = BUF_INIT(10000);
                ck_assert_int_eq(dataset_batch_part(&b, k, k + 1, &part), 0);
                ck_assert_int_eq(json_validate(part.data, part.len, NULL), 0);
                buf_addf(&want, "{\"docs\":[{\"_id\":\"%s\",", b.ids[k]);
                ck_assert(strncmp(part.data, want.data, want.len) == 0);
                buf_free(&want);
                buf_free(&part);
            }
            dataset_batch_free(&b);
        }
        ck_assert_msg(rc == 0, "%s", err.text);
        ck_assert_msg(strcmp(sizes, rows[i].sizes) == 0, "row %zu: %s", i, sizes);
    }
    dataset_close(d);

    static const char one[] = " {\"b\":1.0,\"Persistent ID\":\"A\\/\\u00e9\" }\r\n";
    struct dataset_batch b;
    d = open_text(one, &err);
    ck_assert_int_eq(dataset_batch(d, 9, 9999, &b, &err), 1);
    ck_assert_str_eq(b.body.data, "{\"docs\":[{\"_id\":\"A\\/\\u00e9\",\"b\":1.0,"
                                  "\"Persistent ID\":\"A\\/\\u00e9\" }]}");
    ck_assert_str_eq(b.ids[0], "A/\xc3\xa9");
    dataset_batch_free(&b);
    ck_assert_int_eq(dataset_batch(d, 9, 9999, &b, &err), 0);
    dataset_close(d);
}
END_TEST

START_TEST(forms)
{
    static const struct {
        const char *text;
        bool array;
        uint64_t docs;
    } rows[] = {
        {"{\"Persistent ID\":\"A\"}", false, 1},
        {"\xef\xbb\xbf{\"Persistent ID\":\"A\"}\r\n{\"Persistent ID\":\"B\"}\r\n", false, 2},
        {"\n\n  {\"Persistent ID\":\"A\"}\n\n", false, 1},
        {"[{\"Persistent ID\":\"A\"},{\"Persistent ID\":\"B\",\"x\":\"],[\\\"}\"}]", true, 2},
        {"\xef\xbb\xbf [\n {\"Persistent ID\":\"A\",\n\"x\":[1,[2]]\n}\n,\n{\"Persistent "
         "ID\":\"B\"}\n]\n",
         true, 2},
        {"{\"Persistent\\u0020ID\":\"A\"}", false, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        struct dataset *d = open_text(rows[i].text, &err);
        ck_assert_msg(d != NULL, "row %zu: %s", i, err.text);
        ck_assert_msg(dataset_summary(d)->docs == rows[i].docs, "row %zu", i);
        ck_assert_msg(dataset_summary(d)->array == rows[i].array, "row %zu", i);
        dataset_close(d);
    }
}
END_TEST

#define GOOD "{\"Persistent ID\":\"A\"}\n"

START_TEST(refused)
{
    static const struct {
        const char *text, *where, *why;
    } rows[] = {
        {"", "", "no document to import"},
        {"\n\n", "", "no document to import"},
        {"[]", "", "no document to import"},
        {"{\"a\":1}\n", "", "1 have no \"Persistent ID\""},
        {"hello\n", ":1: ", "one JSON object a line"},
        {"<?xml version=\"1.0\"?>\n", ":1: ", "not JSON at byte 1"},
        {"{\n\"Persistent ID\":\"A\"\n}\n", ":1: ", "one JSON object a line"},
        {GOOD "{\"Persistent ID\":\"B\"", ":2: ", "not JSON at byte 21"},
        {GOOD "{\"Persistent ID\":\"B\"}{}", ":2: ", "something after"},
        {GOOD "\n[1]\n", ":3: ", "not a JSON object"},
        {GOOD "7\n", ":2: ", "not a JSON object"},
        {GOOD "{\"x\":\"\xff\"}\n", ":2: ", "invalid UTF-8"},
        {GOOD "{\"_id\":\"x\",\"Persistent ID\":\"B\"}\n", ":2: ", "dump of a database"},
        {GOOD "{\"\\u005frev\":\"x\",\"Persistent ID\":\"B\"}\n", ":2: ", "dump of a database"},
        {"{\"Persistent ID\":\"_A\"}\n", ":1: ", "does not take as an id"},
        {GOOD "{\"Persistent ID\":\"B\"}\n" GOOD, ":3: ", "\"A\" was there before: "},
        {"[{\"Persistent ID\":\"A\"}", ":1: element 1: ", "no end"},
        {"[{\"Persistent ID\":\"A\"},]", ":1: element 2: ", "not JSON"},
        {"[{\"Persistent ID\":\"A\"},\n,]", ":2: element 2: ", "not JSON"},
        {"[{\"Persistent ID\":\"A\"}]\nx", ":2: element 2: ", "after the end of the array"},
        {"[{\"Persistent ID\":\"A\"}}]", ":1: element 1: ", "something after"},
        {"[{\"Persistent ID\":\"A\",\"x\":\"\\", ":1: element 1: ", "no end"},
        {"[\n1]", ":2: element 1: ", "not a JSON object"},
        {"version https://git-lfs.github.com/spec/v1\noid sha256:dd\nsize 6717198\n", "",
         "Git LFS pointer"},
        {"\x1f\x8b\x08", "", "gzip"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        struct dataset *d = open_text(rows[i].text, &err);
        ck_assert_msg(d == NULL, "row %zu was taken", i);
        ck_assert_msg(err.kind == ERR_USAGE, "row %zu: %s", i, err.text);
        ck_assert_msg(strstr(err.text, rows[i].where) != NULL, "row %zu: %s", i, err.text);
        ck_assert_msg(strstr(err.text, rows[i].why) != NULL, "row %zu: %s", i, err.text);
    }
}
END_TEST

START_TEST(not_files)
{
    static const struct {
        const char *path, *why;
    } rows[] = {
        {"/nonexistent/library.json", "No such file"},
        {"/tmp", "not a regular file"},
        {"/dev/null", "not a regular file"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        ck_assert_ptr_null(dataset_open(rows[i].path, NULL, &err));
        ck_assert_int_eq(err.kind, ERR_USAGE);
        ck_assert_msg(strstr(err.text, rows[i].why) != NULL, "%s", err.text);
    }
}
END_TEST

/* Lines around the limit, and around the edges of the chunks the file is read in. */
START_TEST(long_lines)
{
    static const char head[] = "{\"Persistent ID\":\"A\",\"x\":\"", tail[] = "\"}";
    for (int array = 0; array < 2; array++) {
        for (size_t over = 0; over < 2; over++) {
            size_t len = DATASET_LINE_MAX + over;
            struct buf text = BUF_INIT(3 * DATASET_LINE_MAX);
            struct err err = ERR_INIT;
            buf_adds(&text, array ? "[" : "");
            buf_adds(&text, head);
            while (text.len < len + (size_t)array - strlen(tail)) {
                buf_addc(&text, 'y');
            }
            buf_adds(&text, tail);
            buf_adds(&text, array ? "," : "\n");
            buf_adds(&text, "{\"Persistent ID\":\"B\"}");
            buf_adds(&text, array ? "]" : "\n");
            struct dataset *d = open_bytes(text.data, text.len, &err);
            ck_assert_msg((d != NULL) == (over == 0), "array %d, over %zu: %s", array, over,
                          err.text);
            ck_assert(d == NULL || dataset_summary(d)->doc_bytes_max == DATASET_LINE_MAX);
            ck_assert(d != NULL || strstr(err.text, ":1: ") != NULL);
            dataset_close(d);
            buf_free(&text);
        }
    }
    for (size_t array = 0; array < 2; array++) { /* many lines of uneven lengths */
        struct buf text = BUF_INIT(3 * DATASET_LINE_MAX);
        struct err err = ERR_INIT;
        size_t docs = 0;
        while (text.len < 600000) {
            buf_addf(&text, "%s{\"Persistent ID\":\"%zu\",\"x\":\"%.*s\\\\\"}%s",
                     array ? (docs == 0 ? "[" : ",") : "", docs, (int)(docs * 7 % 50),
                     "[,],{}[,],{}[,],{}[,],{}[,],{}[,],{}[,],{}[,],{}[,]", array ? "" : "\n");
            docs++;
        }
        buf_adds(&text, array ? "]" : "");
        struct dataset *d = open_bytes(text.data, text.len, &err);
        ck_assert_msg(d != NULL, "%s", err.text);
        ck_assert_uint_eq(dataset_summary(d)->docs, docs);
        dataset_close(d);
        buf_free(&text);
    }
}
END_TEST

START_TEST(changed)
{
    char path[] = "/tmp/tunecouch-check-XXXXXX";
    struct err err = ERR_INIT;
    int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, GOOD, strlen(GOOD)), (ssize_t)strlen(GOOD));
    struct dataset *d = dataset_open(path, NULL, &err);
    ck_assert_msg(d != NULL, "%s", err.text);
    ck_assert_int_eq(write(fd, "\n", 1), 1);
    ck_assert_int_eq(dataset_rewind(d, &err), -1);
    ck_assert_ptr_nonnull(strstr(err.text, "was changed"));
    dataset_close(d);
    close(fd);
    unlink(path);
}
END_TEST

START_TEST(other_id)
{
    char path[] = "/tmp/tunecouch-check-XXXXXX";
    static const char text[] = "{\"key\":\"K\"}\n";
    struct dataset_options o = {"key"};
    struct err err = ERR_INIT;
    struct json_span doc;
    const char *id;
    int fd = mkstemp(path);
    ck_assert_int_eq(write(fd, text, strlen(text)), (ssize_t)strlen(text));
    struct dataset *d = dataset_open(path, &o, &err);
    ck_assert_int_eq(dataset_next(d, &doc, &id, &err), 1);
    ck_assert_str_eq(id, "K");
    dataset_close(d);
    close(fd);
    unlink(path);
}
END_TEST

TEST_MAIN("dataset", summary, digests, expected, documents, batches, forms, refused, not_files,
          long_lines, changed, other_id)
