/* Saved results in tests/golden/ rendered and compared with the text kept beside them. After an
 * intended change, TC_GOLDEN_UPDATE=1 tests/check_report writes the texts anew: read the diff. */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/parts.h"
#include "report/report.h"
#include "report/table.h"
#include "tests/seed_series.h"
#include "tests/testing.h"

static char *golden_path(const char *name)
{
    const char *src = getenv("top_srcdir");
    return mem_printf("%s/tests/golden/%s", src != NULL ? src : ".", name);
}

static void compare(const char *got, const char *name)
{
    struct err err = ERR_INIT;
    char *path = golden_path(name);
    struct buf want = BUF_INIT((size_t)1 << 20);
    if (getenv("TC_GOLDEN_UPDATE") != NULL) {
        ck_assert_msg(file_save(path, got, strlen(got), &err) == 0, "%s", err.text);
    }
    ck_assert_msg(file_read(path, &want, &err) == 0, "%s", err.text);
    ck_assert_msg(strcmp(got, buf_text(&want)) == 0, "%s is not what was printed:\n%s", path, got);
    buf_free(&want);
    free(path);
}

static struct result *load(const char *name)
{
    struct err err = ERR_INIT;
    char *path = golden_path(name);
    struct result *r = result_load(path, &err);
    ck_assert_msg(r != NULL, "%s", err.text);
    free(path);
    return r;
}

START_TEST(golden)
{
    static const struct {
        const char *result, *format, *text;
        struct report_options options;
    } rows[] = {
        {"tunemark-ios.json",
         "tunemark",
         "tunemark-ios.original.txt",
         {.original_statistics = true}},
        {"tunemark-ios.json", "text", "tunemark-ios.txt", {.width = 0}},
        {"tunemark-small.json", "text", "tunemark-small.txt", {.width = 0}},
        {"tunemark-small.json", "table", "tunemark-small.narrow.txt", {.width = 60}},
        {"tunemark-batches.json", "table", "tunemark-batches.txt", {.width = 0}},
        {"tunemark-batches.json", "table", "tunemark-batches.narrow.txt", {.width = 70}},
        {"objects-fedora-100kb.json", "text", "objects-fedora-100kb.txt", {.width = 0}},
        {"tunemark-batches.json", "table", "tunemark-batches.rank.txt", {.rank = "view.index"}},
        {"bulkdocs-three.json", "text", "bulkdocs-three.txt", {.width = 0}},
        {"bulkdocs-sizes.json", "table", "bulkdocs-sizes.txt", {.width = 130}},
        {"bulkdocs-sizes.json", "table", "bulkdocs-sizes.narrow.txt", {.width = 80}},
        {"bulkdocs-sizes.json", "md", "bulkdocs-sizes.md", {.width = 0}},
        {"tunemark-small.json", "md", "tunemark-small.md", {.width = 0}},
        {"tunemark-small.json", "csv", "tunemark-small.csv", {.width = 0}},
        {"objects-fedora-100kb.json", "md", "objects-fedora-100kb.md", {.width = 0}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        struct buf out = BUF_INIT(BUF_TEXT_MAX);
        struct result *r = load(rows[i].result);
        const struct result *list[] = {r};
        int rc = report_render(rows[i].format, list, 1, &rows[i].options, &out, &err);
        ck_assert_msg(rc == 0, "%s", err.text);
        compare(buf_text(&out), rows[i].text);
        buf_free(&out);
        result_free(r);
    }
}
END_TEST

/* The lines that the TuneMark wiki shows for an iPhone 6 (April 6, 2018), from runs with those
 * figures. Left out: "Update", whose rate stands between its lines there. */
START_TEST(published_lines)
{
    static const char *const lines[] = {
        "Import 12189 docs:  Range:   1.186 ...   1.690 sec, Average:   1.214, median:   1.203, "
        "std dev: 0.0323\n"
        "                    Range:  97.300 ... 138.664 us/doc, Average:  99.631, median:  98.666, "
        "std dev:  2.65\n"
        "                     Rate: 10135 docs/sec\n",
        "Query 1111 artists: Range:  82.111 ... 127.552 ms, Average:  83.677, median:  83.852, "
        "std dev:  1.18\n"
        "                    Range:  73.907 ... 114.808 us/row, Average:  75.317, median:  75.474, "
        "std dev:  1.06\n",
        "Query 1886 albums:  Range:  11.562 ...  13.504 sec, Average:  11.803, median:  11.773, "
        "std dev: 0.131\n"
        "                    Range:  10.407 ...  12.155 ms/artist, Average:  10.623, median:  "
        "10.597, std dev: 0.118\n",
        "Index by artist:    Range:  44.734 ...  52.680 ms, Average:  45.328, median:  45.342, "
        "std dev: 0.448\n"
        "                    Range:   3.670 ...   4.322 us/doc, Average:   3.719, median:   3.720, "
        "std dev: 0.0368\n",
        "FTS query:          Range:   2.464 ...   3.526 ms, Average:   2.616, median:   2.603, "
        "std dev: 0.141\n"
        "                    Range:  82.122 ... 117.543 us/row, Average:  87.209, median:  86.757, "
        "std dev:   4.7\n",
    };
    struct err err = ERR_INIT;
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    struct result *r = load("tunemark-ios.json");
    const struct result *list[] = {r};
    struct report_options o = {.original_statistics = true};
    ck_assert_int_eq(report_render("tunemark", list, 1, &o, &out, &err), 0);
    for (size_t i = 0; i < sizeof lines / sizeof lines[0]; i++) {
        ck_assert_msg(strstr(buf_text(&out), lines[i]) != NULL, "not printed:\n%s\nbut:\n%s",
                      lines[i], buf_text(&out));
    }
    buf_free(&out);
    result_free(r);
}
END_TEST

/* The average alone decides the unit, for all of the line. */
START_TEST(unit_of_a_line)
{
    static const struct {
        double seconds[3];
        const char *line;
    } rows[] = {
        {{0.9, 1.0, 1.3}, "Range:   0.900 ...   1.300 sec, Average:   1.067, median:   1.000"},
        {{0.9, 0.8, 1.2}, "Range: 800.000 ... 1200.000 ms, Average: 966.667, median: 900.000"},
        {{0.0000009, 0.000001, 0.0000012}, "Range:   0.900 ...   1.200 us, Average:   1.033"},
        {{2e-9, 1e-10, 1e-10}, "Range:   0.100 ...   2.000 ns, Average:   0.733"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct err err = ERR_INIT;
        struct buf out = BUF_INIT(BUF_TEXT_MAX);
        struct result *r = result_new();
        struct spec_result *spec = result_add_spec(r);
        spec->name = mem_strdup("tunemark");
        spec->workload = mem_strdup("tunemark");
        for (size_t k = 0; k < 3; k++) {
            result_add_phase(result_add_run(spec), "x")->wall_s = rows[i].seconds[k];
        }
        const struct result *list[] = {r};
        ck_assert_int_eq(report_render("tunemark", list, 1, NULL, &out, &err), 0);
        ck_assert_msg(strstr(buf_text(&out), rows[i].line) != NULL, "row %zu: %s", i,
                      buf_text(&out));
        buf_free(&out);
        result_free(r);
    }
}
END_TEST

/* The columns of the Fedora tables, 25 groups of 1,000 and 100 groups of 100 objects, in words. */
START_TEST(trends_in_words)
{
    static const double falling[] = {9000, 3000, 2000, 1000, 900}, unclear[] = {1, 3, 2, 5, 4, 6},
                        flat[] = {7, 7, 7, 7, 7};
    static const struct {
        const double *ms;
        size_t n;
        const char *words;
    } rows[] = {
        {fedora3_100kb, 25, "constant (-10.2 % over 25 groups; Mann-Kendall p < 0.001, r² 0.326)"},
        {fedora4_100kb, 25,
         "grows 6.77 s a group (+151 % over 25 groups; Mann-Kendall p < 0.001, r² 0.990)"},
        {fedora4_leveldb_100kb, 25,
         "grows 9.49 s a group (+150 % over 25 groups; Mann-Kendall p < 0.001, r² 0.997)"},
        {fedora3_50mb, 100, "constant (+1.6 % over 100 groups; Mann-Kendall p < 0.001, r² 0.145)"},
        {fedora4_50mb, 100, "constant (+8.65 % over 100 groups; Mann-Kendall p < 0.001, r² 0.833)"},
        {falling, 5,
         "falls 1.82 s a group (-200 % over 5 groups; Mann-Kendall p = 0.017, r² 0.732)"},
        {unclear, 6, "no clear trend (+143 % over 6 groups; Mann-Kendall p = 0.056, r² 0.784)"},
        {flat, 5, "constant (+0 % over 5 groups; Mann-Kendall p = 1.000)"},
        {flat, 3, "too few groups for a trend (3; at least 5)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        double seconds[100];
        char words[200];
        struct stats_trend t;
        for (size_t k = 0; k < rows[i].n; k++) {
            seconds[k] = rows[i].ms[k] / 1000;
        }
        stats_trend(seconds, rows[i].n, &t);
        ck_assert_str_eq(trend_words(words, sizeof words, &t, "group"), rows[i].words);
    }
}
END_TEST

START_TEST(steps_to_rank_by)
{
    struct err err = ERR_INIT;
    struct result *r = load("tunemark-batches.json");
    const struct result *list[] = {r};
    ck_assert_int_eq(report_has_step(list, 1, "view.index", &err), 0);
    ck_assert_int_lt(report_has_step(list, 1, "view.indx", &err), 0);
    ck_assert_int_eq(err.kind, ERR_USAGE);
    ck_assert_str_eq(err.text,
                     "--rank: no step \"view.indx\" in there; did you mean \"view.index\"?");
    result_free(r);
}
END_TEST

START_TEST(formats)
{
    struct err err = ERR_INIT;
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    struct result *r = result_new();
    const struct result *list[] = {r, r};
    ck_assert_int_lt(report_render("tabel", list, 1, NULL, &out, &err), 0);
    ck_assert_int_eq(err.kind, ERR_USAGE);
    ck_assert_str_eq(err.text, "no report format \"tabel\"; did you mean \"table\"?");
    ck_assert_int_lt(report_render("json", list, 2, NULL, &out, &err), 0);
    ck_assert_uint_eq(out.len, 0);
    for (const char *const *f = report_formats(); *f != NULL; f++) {
        ck_assert_ptr_nonnull(report_format_what(*f));
        if (strcmp(*f, "svg") == 0) { /* tests/check_plot.c */
            continue;
        }
        ck_assert_msg(report_render(*f, list, 1, NULL, &out, &err) == 0, "%s: %s", *f, err.text);
    }
    ck_assert_ptr_null(report_format_what("tabel"));
    buf_free(&out);
    result_free(r);
}
END_TEST

/* An open loop's result: both times side by side, how the plan was kept, whose fault it was. */
START_TEST(open_loop)
{
    static const char *const want[] = {
        ("Plan of request, run 1: 200/s (Poisson), sent 150/s, NOT REACHED; "
         "1,100 starts, 7 late by more than 1 ms (6 for want of a place: 8 in flight at most), 100 "
         "missed."),
        "the client was the bottleneck: the share of a core",
        "the client or its machine was too busy: its event loop was late",
    };
    struct result *r = result_new();
    const struct result *list[] = {r};
    struct spec_result *s = result_add_spec(r);
    s->name = mem_strdup("request");
    s->workload = mem_strdup("request");
    struct phase_result *p = result_add_phase(result_add_run(s), "request");
    p->title = mem_strdup("GET /");
    p->item_unit = mem_strdup("request");
    p->wall_s = 10;
    p->items = p->requests.ok = 1000;
    p->connections = 3;
    p->latency = hist_new();
    p->response = hist_new();
    for (int i = 0; i < 1000; i++) {
        hist_add(p->latency, 500);
        hist_add(p->response, (uint64_t)i * 1000000);
    }
    p->open = mem_zero(1, sizeof *p->open);
    *p->open = (struct open_loop){.asked_per_s = 200,
                                  .poisson = true,
                                  .planned = 1100,
                                  .started = 1000,
                                  .late = 7,
                                  .waited = 6,
                                  .missed = 100,
                                  .late_after_s = 0.001,
                                  .achieved_per_s = 150,
                                  .max_in_flight = 8};
    p->parts[PART_CONNECT] = (struct quantiles){.count = 3, .p50_s = 1e-6};
    p->parts[PART_FIRST_BYTE] = (struct quantiles){.count = 1000, .p50_s = 2e-6};
    p->parts[PART_TRANSFER] = (struct quantiles){.count = 1000, .p50_s = 3e-6};
    p->client_cpu_s = 9.5;
    p->loop_lag = (struct quantiles){.count = 1000, .mean_s = 250e-6};
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    struct report_options wide = {.width = 1000};
    ck_assert_int_eq(report_render("text", list, 1, &wide, &out, NULL), 0);
    for (size_t i = 0; i < sizeof want / sizeof want[0]; i++) {
        ck_assert_msg(strstr(buf_text(&out), want[i]) != NULL, "%s\n%s", want[i], out.data);
    }
    const char *row = strstr(buf_text(&out), "response ");
    ck_assert_ptr_nonnull(row);
    ck_assert_ptr_nonnull(strstr(row, "999 ms")); /* the largest */
    ck_assert_ptr_nonnull(strstr(row, "95 %"));
    ck_assert_ptr_null(strstr(buf_text(&out), "99.9 %"));
    buf_clear(&out);
    ck_assert_int_eq(report_render("hdr", list, 1, NULL, &out, NULL), 0);
    const char *response = strstr(buf_text(&out), "#[request, request, response times in ms]");
    const char *service = strstr(buf_text(&out), "#[request, request, service times in ms]");
    ck_assert(response != NULL && service != NULL && response < service);
    ck_assert_ptr_nonnull(strstr(response, "999.000 1.000000000000       1000"));
    buf_clear(&out);
    struct report_options other = {.rank = "none"};
    ck_assert_int_eq(report_render("hdr", list, 1, &other, &out, NULL), 0);
    ck_assert_str_eq(buf_text(&out), "#[no step there has latencies of requests]\n");
    buf_free(&out);
    result_free(r);
}
END_TEST

/* Every format must survive a result with nothing in it but names, and with one figure. */
START_TEST(sparse_results)
{
    static const char *const texts[] = {
        "{\"schema\":\"1.0\",\"specs\":[{\"name\":\"a\",\"workload\":\"tunemark\",\"runs\":[]}]}",
        "{\"schema\":\"1.0\",\"specs\":[{\"name\":\"a\",\"workload\":\"objects\",\"runs\":[{"
        "\"number\":1,\"phases\":[{\"name\":\"p\",\"state\":\"ok\",\"wall_s\":0,\"series\":["
        "{\"name\":\"\",\"values\":[]},{\"name\":\"s\",\"values\":[null,null,1,2,3,4,5]}]}]}]}]}",
        "{\"schema\":\"1.0\",\"specs\":[{\"name\":\"a\",\"workload\":\"tunemark\",\"runs\":[{"
        "\"number\":1,\"phases\":[{\"name\":\"p\",\"state\":\"failed\",\"wall_s\":0},"
        "{\"name\":\"p\",\"state\":\"ok\",\"wall_s\":1e9,\"items\":9007199254740992},"
        "{\"name\":\"q\",\"state\":\"ok\",\"wall_s\":0,\"items\":5}]}]},"
        "{\"name\":\"a\",\"workload\":\"x\",\"runs\":[]}]}",
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        struct err err = ERR_INIT;
        cJSON *json = json_parse(texts[i], strlen(texts[i]), &err);
        struct result *r = result_from_json(json, &err);
        ck_assert_msg(r != NULL, "row %zu: %s", i, err.text);
        const struct result *list[] = {r};
        for (const char *const *f = report_formats(); *f != NULL; f++) {
            struct buf out = BUF_INIT(BUF_TEXT_MAX);
            if (strcmp(*f, "svg") == 0) {
                continue;
            }
            ck_assert_msg(report_render(*f, list, 1, NULL, &out, &err) == 0, "%s", err.text);
            ck_assert_ptr_null(strstr(buf_text(&out), "nan"));
            ck_assert_ptr_null(strstr(buf_text(&out), "inf "));
            buf_free(&out);
        }
        cJSON_Delete(json);
        result_free(r);
    }
}
END_TEST

/* A step that the first run skipped, which says nothing of its items, has the unit of the others.
 */
START_TEST(unit_of_a_later_run)
{
    struct err err = ERR_INIT;
    struct result *r = load("tunemark-small.json");
    struct run_result *first = &r->specs[0].runs[0];
    ck_assert_uint_ge(r->specs[0].runs_n, 2);
    struct phase_result *p = &first->phases[0];
    phase_end(p, PHASE_SKIPPED, "no");
    free(p->item_unit);
    p->item_unit = NULL;
    struct buf out = BUF_INIT((size_t)1 << 20);
    ck_assert_int_eq(report_render("table", (const struct result *const *)&r, 1,
                                   &(struct report_options){.width = 0}, &out, &err),
                     0);
    ck_assert_ptr_nonnull(strstr(out.data, "/doc"));
    ck_assert_ptr_null(strstr(out.data, "/item"));
    buf_free(&out);
    result_free(r);
}
END_TEST

/* Runs of a set duration do different amounts: their rate is the median of all, not the first's. */
START_TEST(rate_of_unequal_runs)
{
    static const char text[] =
        "{\"schema\":\"1.0\",\"specs\":[{\"name\":\"a\",\"workload\":\"request\",\"settings\":{"
        "\"workload\":\"request\",\"duration\":\"1s\"},\"runs\":["
        "{\"number\":1,\"phases\":[{\"name\":\"request\",\"state\":\"ok\",\"wall_s\":1,"
        "\"items\":1700,\"item_unit\":\"request\",\"payload_bytes\":3400}]},"
        "{\"number\":2,\"phases\":[{\"name\":\"request\",\"state\":\"ok\",\"wall_s\":1,"
        "\"items\":1100,\"item_unit\":\"request\",\"payload_bytes\":2200}]},"
        "{\"number\":3,\"phases\":[{\"name\":\"request\",\"state\":\"ok\",\"wall_s\":1,"
        "\"items\":900,\"item_unit\":\"request\",\"payload_bytes\":1800}]}]}]}";
    struct err err = ERR_INIT;
    cJSON *json = json_parse(text, strlen(text), &err);
    struct result *r = result_from_json(json, &err);
    ck_assert_msg(r != NULL, "%s", err.text);
    struct view *v = view_new((const struct result *const *)&r, 1);
    struct buf out = BUF_INIT((size_t)1 << 20);
    ck_assert(column_endless(&v->columns[0]));
    ck_assert_uint_eq(v->columns[0].steps[0].items, 1100);
    ck_assert_uint_eq(v->columns[0].steps[0].payload_bytes, 2200);
    view_free(v);
    ck_assert_int_eq(report_render("table", (const struct result *const *)&r, 1,
                                   &(struct report_options){.width = 0}, &out, &err),
                     0);
    ck_assert_ptr_nonnull(strstr(out.data, "1,100 requests/s"));
    ck_assert_ptr_null(strstr(out.data, " 0.0 %")); /* the spread is of the rate, not of the time */
    buf_free(&out);
    cJSON_Delete(json);
    result_free(r);
}
END_TEST

START_TEST(failures_in_words)
{
    static const struct {
        struct counts requests, docs;
        uint64_t failures;
        const char *words;
    } rows[] = {
        {{.ok = 9, .http_error = 1}, {.ok = 9, .http_error = 1}, 1, "1 refusal"}, /* one object */
        {{.ok = 1, .timeout = 1}, {.ok = 500, .timeout = 500}, 500, "500 timeouts"},
        {{.ok = 2}, {.ok = 995, .conflict = 5}, 5, "5 conflicts"},
        {{.ok = 9, .unknown = 1, .retried = 2}, {0}, 1, "1 unknown outcome, 2 retries"},
        {{.ok = 9}, {.ok = 9}, 0, ""},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct step s = {.requests = rows[i].requests, .docs = rows[i].docs};
        char words[200];
        ck_assert_uint_eq(step_failures(&s), rows[i].failures);
        ck_assert_str_eq(errors_text(words, sizeof words, &s), rows[i].words);
    }
}
END_TEST

/* Columns of a terminal, not bytes or code points; what could drive it is shown instead. */
START_TEST(tables)
{
    struct table *t = table_new("lrl");
    struct buf out = BUF_INIT(10000);
    static const char *const cells[] = {"name",
                                        "n",
                                        "none",
                                        "Sigur R\xc3\xb3s",
                                        "1",
                                        "",
                                        "\xe9\x9f\xb3\xe6\xa5\xbd",
                                        "22",
                                        "",
                                        "a\033[1mb|c",
                                        "333"};
    for (size_t i = 0; i < sizeof cells / sizeof cells[0]; i++) {
        table_cell(t, "%s", cells[i]);
    }
    ck_assert_uint_eq(table_width(t), 16);
    table_text(t, &out);
    ck_assert_str_eq(buf_text(&out), "name           n\n"
                                     "----------------\n"
                                     "Sigur R\xc3\xb3s      1\n"
                                     "\xe9\x9f\xb3\xe6\xa5\xbd          22\n"
                                     "a\\x1b[1mb|c  333\n");
    buf_clear(&out);
    table_markdown(t, &out);
    ck_assert_str_eq(buf_text(&out), "| name | n |\n"
                                     "|---|---:|\n"
                                     "| Sigur R\xc3\xb3s | 1 |\n"
                                     "| \xe9\x9f\xb3\xe6\xa5\xbd | 22 |\n"
                                     "| a\\\\x1b\\[1mb\\|c | 333 |\n");
    buf_clear(&out);
    put_wrapped(&out, 12, 2, "one two three four-is-too-long\n");
    ck_assert_str_eq(buf_text(&out), "one two\n  three\n  four-is-too-long\\x0a\n");
    table_free(t);
    buf_free(&out);
}
END_TEST

TEST_MAIN("report", open_loop, golden, published_lines, unit_of_a_line, trends_in_words,
          steps_to_rank_by, formats, sparse_results, unit_of_a_later_run, rate_of_unequal_runs,
          failures_in_words, tables)
