/* The history of results made here: forty nights with a step that is known, compared with the text
 * kept in tests/golden/. After an intended change, TC_GOLDEN_UPDATE=1 tests/check_history writes it
 * anew: read the diff. */
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "base/rng.h"
#include "report/history.h"
#include "tests/testing.h"

#define DAY_NS ((int64_t)86400 * 1000000000)
#define START_NS ((int64_t)1767225600 * 1000000000) /* 2026-01-01 */

/* A night's result: two steps of six runs, and a third that a newer server alone can do. */
static struct result *night(size_t day, double slower, const char *version, const char *batch)
{
    struct rng rng;
    struct result *r = result_new();
    struct spec_result *s = result_add_spec(r);
    cJSON *server = json_object();
    rng_seed(&rng, day + 1);
    r->started_ns = START_NS + (int64_t)day * DAY_NS;
    r->label = mem_strdup("nightly");
    s->name = mem_strdup("tunemark");
    s->workload = mem_strdup("tunemark");
    s->server = mem_strdup("db1:5984");
    json_add_str(s->settings, "batch", batch);
    json_add_str(s->work, "summary", "all of it");
    json_add_str(server, "vendor", "Apache CouchDB");
    json_add_str(server, "version", version);
    json_add(r->servers, "db1:5984", server);
    for (int i = 0; i < 6; i++) {
        struct run_result *run = result_add_run(s);
        double noise = 1 + (rng_double(&rng) - 0.5) * 0.06;
        struct phase_result *p = result_add_phase(run, "import");
        p->title = mem_strdup("Import 100 docs");
        p->wall_s = 2 * slower * noise;
        p = result_add_phase(run, "view.artists");
        p->title = mem_strdup("Query artists");
        p->wall_s = 0.1 * noise;
        p = result_add_phase(run, "fts");
        if (strcmp(version, "3.4.0") == 0) {
            phase_end(p, PHASE_SKIPPED, "no search");
        } else {
            p->wall_s = 0.5 * noise;
        }
    }
    return r;
}

/* Added in another order than that of time. */
static struct history *forty_nights(void)
{
    struct history *h = history_new();
    for (size_t i = 0; i < 40; i++) {
        size_t day = i * 7 % 40;
        struct result *r = night(day, day >= 28 ? 1.2 : 1, day >= 28 ? "3.5.0" : "3.4.0",
                                 day >= 15 ? "500" : "1000");
        history_add(h, r);
        result_free(r);
    }
    return h;
}

START_TEST(step_found)
{
    struct history *h = forty_nights();
    history_judge(h, 0.05, 1);
    ck_assert_uint_eq(h->tracks_n, 1); /* settings and versions may differ */
    ck_assert_uint_eq(h->tracks[0].lines_n, 3);
    ck_assert_uint_eq(h->tracks[0].lines[0].changes_n, 1);
    ck_assert_uint_eq(h->tracks[0].lines[0].changes[0].at, 28);
    ck_assert_uint_eq(h->tracks[0].lines[1].changes_n, 0);
    ck_assert_uint_eq(h->tracks[0].lines[2].changes_n, 0);
    history_free(h);
}
END_TEST

START_TEST(golden)
{
    static const struct {
        enum page_kind kind;
        const char *name;
    } rows[] = {
        {PAGE_TEXT, "history.txt"}, {PAGE_MARKDOWN, "history.md"}, {PAGE_HTML, "history.html"}};
    const char *path = getenv("PATH");
    char *kept = mem_strdup(path != NULL ? path : "");
    ck_assert_int_eq(setenv("PATH", "/nonexistent", 1),
                     0); /* no gnuplot: the same page everywhere */
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        const char *src = getenv("top_srcdir");
        char *file = mem_printf("%s/tests/golden/%s", src != NULL ? src : ".", rows[i].name);
        struct buf out = BUF_INIT(BUF_TEXT_MAX), want = BUF_INIT((size_t)1 << 20);
        struct history *h = forty_nights();
        history_judge(h, 0.05, 1);
        history_page(h, rows[i].kind, 100, &out);
        if (getenv("TC_GOLDEN_UPDATE") != NULL) {
            ck_assert_msg(file_save(file, buf_text(&out), out.len, &err) == 0, "%s", err.text);
        }
        ck_assert_msg(file_read(file, &want, &err) == 0, "%s", err.text);
        const char *got = buf_text(&out), *expected = buf_text(&want);
        if (rows[i].kind == PAGE_HTML) { /* not the style */
            got = strstr(got, "</style>");
            expected = strstr(expected, "</style>");
        }
        ck_assert_msg(strcmp(got, expected) == 0, "%s is not what was printed:\n%.1500s", file,
                      got);
        history_free(h);
        buf_free(&out);
        buf_free(&want);
        free(file);
    }
    setenv("PATH", kept, 1);
    free(kept);
}
END_TEST

/* What is measured in another way is another track; what says nothing is survived. */
START_TEST(tracks)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    struct history *h = history_new();
    struct result *all[] = {night(1, 1, "3.4.0", "1000"), night(2, 1, "3.4.0", "1000"),
                            night(3, 1, "3.4.0", "1000"), night(4, 1, "3.4.0", "1000"),
                            result_new()};
    free(all[1]->specs[0].server);
    all[1]->specs[0].server = mem_strdup("db2");
    json_add_num(all[2]->specs[0].work, "docs", 5);
    free(all[3]->specs[0].network);
    all[3]->specs[0].network = mem_strdup("<far>\n");
    for (size_t i = 0; i < 5; i++) {
        history_add(h, all[i]);
        result_free(all[i]);
    }
    ck_assert_uint_eq(h->tracks_n, 4);
    ck_assert_uint_eq(h->results, 5);
    history_judge(h, 0.05, 1);
    history_page(h, PAGE_TEXT, 80, &out);
    ck_assert_ptr_nonnull(strstr(buf_text(&out), "Too few results to find a change of level"));
    ck_assert_ptr_nonnull(strstr(buf_text(&out), "tunemark on db1:5984, <far>\\x0a"));
    buf_clear(&out);
    history_page(h, PAGE_HTML, 80, &out);
    ck_assert_ptr_null(strstr(buf_text(&out), "<far>"));
    ck_assert_ptr_nonnull(strstr(buf_text(&out), "&lt;far&gt;\\x0a"));
    history_free(h);

    h = history_new();
    history_judge(h, 0.05, 1);
    history_page(h, PAGE_HTML, 80, &out);
    history_free(h);
    buf_free(&out);
}
END_TEST

/* A drawing has the medians and a level on each side of the change. */
START_TEST(drawing)
{
    struct buf script = BUF_INIT(BUF_TEXT_MAX);
    struct history *h = forty_nights();
    history_judge(h, 0.05, 1);
    ck_assert(history_plot(&script, &h->tracks[0], 0));
    const char *levels = strstr(buf_text(&script), "$level << EOD\n");
    double t[4], y[4];
    ck_assert_ptr_nonnull(levels);
    ck_assert_int_eq(sscanf(levels + 14, "%lf %lf %lf %lf %lf %lf %lf %lf", &t[0], &y[0], &t[1],
                            &y[1], &t[2], &y[2], &t[3], &y[3]),
                     8);
    ck_assert(fabs(y[0] - 2) < 0.05 && fabs(y[1] - 2) < 0.05);
    ck_assert(fabs(y[2] - 2.4) < 0.05 && fabs(y[3] - 2.4) < 0.05);
    ck_assert(fabs(t[2] - t[1] - 86400) < 1);
    history_free(h);
    buf_free(&script);
}
END_TEST

TEST_MAIN("history", step_found, golden, tracks, drawing)
