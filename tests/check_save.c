#include <dirent.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"
#include "cli/save.h"
#include "tests/testing.h"

START_TEST(names)
{
    static const struct {
        int64_t seconds;
        const char *label;
        unsigned again;
        const char *name;
    } rows[] = {
        {1769860800, "nightly", 0, "2026-01-31T120000Z-nightly.json"},
        {1769860800, "nightly", 1, "2026-01-31T120000Z-nightly-2.json"},
        {1769860800, NULL, 0, "2026-01-31T120000Z.json"},
        {0, "../a b/c:\xc3\xa4", 0, "1970-01-01T000000Z-..-a-b-c---.json"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char *name =
            save_name(rows[i].seconds * 1000000000 + 999999999, rows[i].label, rows[i].again);
        ck_assert_str_eq(name, rows[i].name);
        free(name);
    }
}
END_TEST

/* Never over another file, and nothing else is left in the folder. */
START_TEST(into_a_folder)
{
    char base[] = "/tmp/tunecouch-save-XXXXXX";
    struct err err = ERR_INIT;
    ck_assert_ptr_nonnull(mkdtemp(base));
    char *dir = mem_printf("%s/new", base);
    ck_assert_msg(save_dir_check(dir, &err) == 0, "%s", err.text);
    ck_assert_int_eq(save_dir_check(dir, &err), 0); /* it is there now */
    char *first = mem_printf("%s/2026-01-31T120000Z-x.json", dir);
    ck_assert_int_eq(file_save(first, "mine", 4, &err), 0);
    struct result *r = result_new();
    r->started_ns = INT64_C(1769860800000000000);
    r->label = mem_strdup("x");
    for (int i = 2; i <= 3; i++) {
        char *path, want[200];
        ck_assert_msg(save_into(r, dir, &path, &err) == 0, "%s", err.text);
        snprintf(want, sizeof want, "%s/2026-01-31T120000Z-x-%d.json", dir, i);
        ck_assert_str_eq(path, want);
        struct result *back = result_load(path, &err);
        ck_assert_msg(back != NULL, "%s", err.text);
        result_free(back);
        free(path);
    }
    struct buf mine = BUF_INIT(100);
    ck_assert_int_eq(file_read(first, &mine, &err), 0);
    ck_assert_str_eq(mine.data, "mine");
    size_t entries = 0;
    DIR *d = opendir(dir);
    while (readdir(d) != NULL) {
        entries++;
    }
    closedir(d);
    ck_assert_uint_eq(entries, 2 + 3);
    result_free(r);
    buf_free(&mine);
    free(first);
    free(dir);
}
END_TEST

START_TEST(not_a_folder)
{
    struct err err = ERR_INIT;
    ck_assert_int_lt(save_dir_check("/dev/null", &err), 0);
    ck_assert_int_eq(err.kind, ERR_IO);
    ck_assert_int_lt(save_dir_check("/nonexistent/a/b", &err), 0);
}
END_TEST

TEST_MAIN("save", names, into_a_folder, not_a_folder)
