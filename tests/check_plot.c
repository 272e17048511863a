/* Drawings are made by gnuplot: where it is not installed, only that this is said is tested (and
 * the rest fails where TC_TESTS_STRICT is set). */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "report/plot.h"
#include "report/report.h"
#include "tests/testing.h"

static bool have_gnuplot(void)
{
    struct err err = ERR_INIT;
    struct buf svg = BUF_INIT(PLOT_SVG_MAX);
    static const char script[] = "set terminal svg\nplot 1\n";
    int rc = plot_run(script, sizeof script - 1, &svg, &err);
    buf_free(&svg);
    ck_assert_msg(rc == 0 || getenv("TC_TESTS_STRICT") == NULL, "%s", err.text);
    return rc == 0;
}

static struct result *load(const char *name)
{
    struct err err = ERR_INIT;
    const char *src = getenv("top_srcdir");
    char *path = mem_printf("%s/tests/golden/%s", src != NULL ? src : ".", name);
    struct result *r = result_load(path, &err);
    ck_assert_msg(r != NULL, "%s", err.text);
    free(path);
    return r;
}

START_TEST(quoting)
{
    static const char *const rows[][2] = {
        {"plain", "'plain'"},
        {"it's", "'it\xe2\x80\x99s'"},
        {"`id`", "'\xe2\x80\x99id\xe2\x80\x99'"},
        {"a\nb\\n", "'a\\x0ab\\n'"},
        {"", "''"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf out = BUF_INIT(1000);
        plot_quote(&out, rows[i][0]);
        ck_assert_str_eq(buf_text(&out), rows[i][1]);
        buf_free(&out);
    }
}
END_TEST

/* Which drawing a result gets, and words that must be in it. */
START_TEST(drawings)
{
    static const struct {
        const char *result, *words[3];
    } rows[] = {
        {"bulkdocs-three.json", {"bars from min to max", "PouchDB 7.3.0", "Map only"}},
        {"bulkdocs-sizes.json", {"bulkdocs over doc-size", "MB/s", "With reduce"}},
        {"objects-fedora-100kb.json", {"objects by group", "ms per 1,000 objects", "Fedora 3"}},
        {"tunemark-batches.json", {"tunemark over batch", "Import 1219 docs", "Index by artist"}},
        {"tunemark-small.json", {"bars from min to max", "PouchDB 7.3.0", "Import 1219 docs"}},
    };
    for (size_t i = 0; have_gnuplot() && i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        struct buf out = BUF_INIT(BUF_TEXT_MAX);
        struct result *r = load(rows[i].result);
        const struct result *list[] = {r};
        int rc = report_render("svg", list, 1, NULL, &out, &err);
        ck_assert_msg(rc == 0, "%s: %s", rows[i].result, err.text);
        ck_assert_int_eq(strncmp(buf_text(&out), "<?xml", 5), 0);
        for (size_t k = 0; k < 3; k++) {
            ck_assert_msg(strstr(buf_text(&out), rows[i].words[k]) != NULL, "%s: no \"%s\"",
                          rows[i].result, rows[i].words[k]);
        }
        buf_free(&out);
        result_free(r);
    }
}
END_TEST

/* A name from a file can neither run a command nor put markup into the drawing. */
START_TEST(hostile_names)
{
    struct err err = ERR_INIT;
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    char *mark = mem_printf("/tmp/tunecouch-mark-%ld", (long)getpid());
    struct result *r = result_new();
    struct spec_result *spec = result_add_spec(r);
    spec->name = mem_strdup("x");
    spec->workload = mem_printf("'\nsystem(\"touch %s\")\n#", mark);
    struct phase_result *p = result_add_phase(result_add_run(spec), "p");
    p->title = mem_printf("`touch %s` <script>alert(1)</script> & EOD", mark);
    p->wall_s = 1;
    const struct result *list[] = {r};
    if (have_gnuplot()) {
        int rc = report_render("svg", list, 1, NULL, &out, &err);
        ck_assert_msg(rc == 0, "%s", err.text);
        ck_assert_ptr_null(strstr(buf_text(&out), "<script>"));
        ck_assert_ptr_nonnull(strstr(buf_text(&out), "&lt;script"));
        ck_assert_int_ne(access(mark, F_OK), 0);
    }
    free(mark);
    buf_free(&out);
    result_free(r);
}
END_TEST

/* What is missing or wrong is an error with a reason, and leaves the output as it was. */
START_TEST(failures)
{
    static const struct {
        const char *script, *why;
    } rows[] = {
        {"set terminal svg\nplot nothing\n", "undefined variable: nothing"},
        {"print 'x'\n", "gnuplot drew nothing"},
    };
    struct err err = ERR_INIT;
    struct buf out = BUF_INIT(PLOT_SVG_MAX);
    buf_adds(&out, "before");
    for (size_t i = 0; have_gnuplot() && i < sizeof rows / sizeof rows[0]; i++) {
        ck_assert_int_lt(plot_run(rows[i].script, strlen(rows[i].script), &out, &err), 0);
        ck_assert_msg(strstr(err.text, rows[i].why) != NULL, "row %zu: %s", i, err.text);
        ck_assert_str_eq(buf_text(&out), "before");
    }
    ck_assert_int_eq(setenv("PATH", "/nonexistent", 1), 0);
    ck_assert_int_lt(plot_run("", 0, &out, &err), 0);
    ck_assert_int_eq(err.kind, ERR_IO);
    ck_assert_ptr_nonnull(strstr(err.text, "plots need gnuplot"));
    ck_assert_str_eq(buf_text(&out), "before");

    struct result *r = result_new();
    const struct result *list[] = {r};
    ck_assert_int_lt(report_render("svg", list, 1, NULL, &out, &err), 0);
    ck_assert_int_eq(err.kind, ERR_USAGE);
    ck_assert_str_eq(err.text, "there are no figures to draw");
    result_free(r);
    buf_free(&out);
}
END_TEST

TEST_MAIN("plot", quoting, drawings, hostile_names, failures)
