/* The page: what may stand in it whatever the results hold, what it says, and that it is whole
 * without gnuplot. Drawings are looked at only where there is one (see check_plot.c). */
#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/mem.h"
#include "report/inline_svg.h"
#include "report/plot.h"
#include "report/report.h"
#include "tests/testing.h"

/* Everything a page may be made of; '/' marks one that has no end tag. */
static const char *const tags[] = {
    "html",    "head",      "meta/", "title",  "style",   "body",        "h1",       "h2",
    "h3",      "p",         "div",   "table",  "thead",   "tbody",       "tr",       "th",
    "td",      "dl",        "dt",    "dd",     "ul",      "li",          "pre",      "details",
    "summary", "figure",    "svg",   "g",      "path",    "rect",        "circle",   "use",
    "polygon", "text",      "defs",  "filter", "feFlood", "feComposite", "polyline", "desc",
    "tspan",   "!DOCTYPE/", NULL};

static const char *known_tag(const char *name, size_t len)
{
    for (size_t i = 0; tags[i] != NULL; i++) {
        if (strlen(tags[i]) - (strchr(tags[i], '/') != NULL) == len &&
            strncmp(tags[i], name, len) == 0) {
            return tags[i];
        }
    }
    return NULL;
}

/* The ids of a page so far. */
struct ids {
    const char *at[1000];
    size_t len[1000], n;
};

static void new_id(struct ids *ids, const char *at, size_t len)
{
    for (size_t i = 0; i < ids->n; i++) {
        ck_assert_msg(ids->len[i] != len || strncmp(ids->at[i], at, len) != 0, "twice: %.*s",
                      (int)len, at);
    }
    ck_assert_uint_lt(ids->n, 1000);
    ids->at[ids->n] = at;
    ids->len[ids->n++] = len;
}

/* Past the attributes of a tag: names and quoted values, nothing that runs or loads. */
static const char *attributes(const char *p, struct ids *ids)
{
    while (*p != '>' && *p != '/') {
        char name[64];
        size_t n = 0;
        p += strspn(p, " \t\n");
        while (*p != '\0' && strchr(" \t\n=>/", *p) == NULL && n < sizeof name - 1) {
            name[n++] = *p++;
        }
        name[n] = '\0';
        p += strspn(p, " \t\n");
        ck_assert_msg(strncmp(name, "on", 2) != 0 && strcmp(name, "src") != 0, "attribute %s",
                      name);
        if (*p == '=') {
            p += 1 + strspn(p + 1, " ");
            ck_assert_msg(*p == '"' || *p == '\'', "an unquoted %s: %.40s", name, p);
            const char *end = strchr(p + 1, *p);
            ck_assert_ptr_nonnull(end);
            ck_assert_msg(strstr(name, "href") == NULL || p[1] == '#', "%s=%.40s", name, p);
            if (strcmp(name, "id") == 0) {
                new_id(ids, p + 1, (size_t)(end - p - 1));
            }
            p = end + 1;
        }
        p += strspn(p, " \t\n");
    }
    return p;
}

/* Tags are known ones and nest; no id is there twice; text holds no control character. */
static void well_formed(const char *page)
{
    const char *open[64];
    size_t depth = 0;
    struct ids ids = {.n = 0};
    for (const char *p = page; *p != '\0'; p++) {
        if ((unsigned char)*p < ' ' && *p != '\n' && *p != '\t') {
            /* (an assertion that holds writes a line, and this is for each character) */
            ck_abort_msg("control character %d", *p);
        }
        if (*p != '<') {
            continue;
        }
        const char *name = p + 1 + (p[1] == '/');
        size_t len = strcspn(name, " \t\n>/");
        const char *tag = known_tag(name, len);
        ck_assert_msg(tag != NULL, "<%.*s", (int)len, name);
        if (p[1] == '/') {
            ck_assert_msg(depth > 0 && open[depth - 1] == tag, "</%s> does not close <%s>", tag,
                          depth > 0 ? open[depth - 1] : "");
            depth--;
            p = name + len;
            continue;
        }
        p = tag[0] == '!' ? strchr(p, '>') : attributes(name + len, &ids);
        if (*p == '/') {
            p++;
        } else if (strchr(tag, '/') == NULL) {
            ck_assert_uint_lt(depth, 64);
            open[depth++] = tag;
        }
        ck_assert_int_eq(*p, '>');
        if (strcmp(tag, "style") == 0) {
            p = strstr(p, "</style>") - 1;
        }
    }
    ck_assert_uint_eq(depth, 0);
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

static char *page_of(const struct result *r)
{
    struct err err = ERR_INIT;
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    ck_assert_msg(report_render("html", &r, 1, NULL, &out, &err) == 0, "%s", err.text);
    return buf_take(&out, NULL);
}

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

static size_t count(const char *text, const char *what)
{
    size_t n = 0;
    for (const char *p = strstr(text, what); p != NULL; p = strstr(p + 1, what)) {
        n++;
    }
    return n;
}

/* Which drawings a result gets. */
START_TEST(drawings)
{
    static const struct {
        const char *result;
        size_t drawings;
        const char *words[3];
    } rows[] = {
        {"bulkdocs-three.json", 1, {"PouchDB 7.3.0", "from min to max", "(12.8 MiB/s)"}},
        {"objects-fedora-100kb.json", 2, {"ms per 1,000 objects", "by group", "Fedora 3"}},
        {"tunemark-small.json", 2, {"latency of requests", "its", "4.28 ms"}},
        {"bulkdocs-sizes.json", 6, {"doc-size", "With reduce: median of the runs", "docs/s"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct result *r = load(rows[i].result);
        char *page = page_of(r);
        well_formed(page);
        if (have_gnuplot()) {
            ck_assert_msg(count(page, "<svg") == rows[i].drawings, "%s: %zu drawings",
                          rows[i].result, count(page, "<svg"));
            for (size_t k = 0; k < 3; k++) {
                ck_assert_msg(strstr(page, rows[i].words[k]) != NULL, "%s: no \"%s\"",
                              rows[i].result, rows[i].words[k]);
            }
        }
        free(page);
        result_free(r);
    }
}
END_TEST

/* Every text of a result, hostile: none of it becomes markup, in tables and drawings alike. */
START_TEST(hostile_texts)
{
    static const char *const evils[] = {
        "</title><script>alert(1)</script>",
        "\"><img src=x onerror=alert(1)>",
        "' onmouseover='alert(1)",
        "</style></td></table><b>&lt;&#60;",
        "a\033[31m\r\n\001b\x7f\xc2\x9b\xff\xc0\xaf",
        " id='x' href='http://example.org/#",
        "`id`'\nsystem('id')\n$d0 << EOD",
        "<!--",
        "]]>",
    };
    for (size_t i = 0; i < tests_many(sizeof evils / sizeof evils[0], 5); i++) {
        struct result *r = result_new();
        const char *evil = evils[i];
        r->label = mem_strdup(evil);
        r->tool = mem_strdup(evil);
        r->started_ns = 1;
        for (int k = 0; k < 3; k++) {
            struct spec_result *s = result_add_spec(r);
            char number[16];
            snprintf(number, sizeof number, "%d", k + 1);
            s->name = mem_printf("%s %d", evil, k);
            s->workload = mem_strdup(evil);
            s->server = mem_strdup(evil);
            s->client = mem_strdup(evil);
            s->network = mem_strdup(evil);
            json_add_str(s->settings, evil, number);
            json_add_str(s->settings, "other", evil);
            json_add_str(s->work, "summary", evil);
            for (int j = 0; j < 2; j++) {
                struct run_result *run = result_add_run(s);
                static const double ms[] = {1, 2, 3};
                run->error = mem_strdup(evil);
                struct phase_result *p = result_add_phase(run, evil);
                p->title = mem_strdup(evil);
                p->via = mem_strdup(evil);
                p->item_unit = mem_strdup(evil);
                p->wall_s = 1 + j + k;
                p->items = 5;
                p->requests.timeout = 1;
                p->latency = hist_new();
                for (uint64_t ns = 1; ns < 100; ns++) {
                    hist_add(p->latency, ns * 1000);
                }
                phase_note(p, "%s", evil);
                phase_series(p, evil, ms, 3);
                phase_end(result_add_phase(run, "other"), PHASE_SKIPPED, "%s", evil);
            }
        }
        cJSON *server = json_object();
        json_add_str(server, "url", evil);
        json_add_str(server, "vendor", evil);
        json_add_str(server, evil, evil);
        json_add(r->servers, evil, server);
        char *page = page_of(r);
        well_formed(page);
        ck_assert_uint_eq(count(page, "<svg"), have_gnuplot() ? 4 : 0);
        free(page);
        result_free(r);
    }
}
END_TEST

/* A step's times under three settings, and what is said of them. */
START_TEST(summary_words)
{
    static const struct {
        const char *name;
        size_t runs, specs;
        double times[3]; /* middle of the runs of each spec */
        double step;     /* between its runs */
        bool other_work; /* in the second spec */
        const char *words;
    } rows[] = {
        {"one run", 1, 1, {2}, 0, false, "<td>2.00 s (50.0 docs/s), one run</td>"},
        {"few runs",
         3,
         1,
         {2},
         0.1,
         false,
         "<td>2.00 s (50.0 docs/s), median of 3 runs, which took 1.90 to 2.10 s: too few to say "
         "how sure it is</td>"},
        {"an interval",
         7,
         1,
         {2},
         0.1,
         false,
         "<td>2.00 s (50.0 docs/s), median of 7 runs; between 1.70 and 2.30 s with 98.4 % "
         "confidence</td>"},
        {"clear",
         7,
         3,
         {2, 4, 6},
         0.1,
         false,
         "<td>fastest: batch=1, 2.00 s (50.0 docs/s). Slower: batch=2 (×2); batch=3 (×3)</td>"},
        {"a tie",
         7,
         3,
         {2, 2.05, 6},
         0.1,
         false,
         "<td>least median: batch=1, 2.00 s (50.0 docs/s). Not told apart from it: batch=2 "
         "(×1.02). Slower: batch=3 (×3)</td>"},
        {"too few",
         2,
         2,
         {2, 9},
         0.1,
         false,
         "<td>least median: batch=1, 2.00 s (50.0 docs/s). Too few runs to tell from it: batch=2 "
         "(×4.5)</td>"},
        {"other work",
         7,
         2,
         {2, 9},
         0.1,
         true,
         "<td>from 2.00 s (50.0 docs/s) with batch=1 to 9.00 s (11.1 docs/s) with batch=2; their "
         "work differs, so none is called faster</td>"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct result *r = result_new();
        for (size_t k = 0; k < rows[i].specs; k++) {
            struct spec_result *s = result_add_spec(r);
            char number[32];
            snprintf(number, sizeof number, "%zu", k + 1);
            s->name = mem_printf("x batch=%zu", k + 1);
            s->workload = mem_strdup("x");
            json_add_str(s->settings, "batch", number);
            json_add_num(s->work, "size", rows[i].other_work ? (double)k : 1);
            for (size_t j = 0; j < rows[i].runs; j++) {
                /* from the middle outwards: no drift */
                size_t half = (j + 1) / 2;
                double away = (double)half * (j % 2 == 0 ? 1 : -1);
                struct phase_result *p = result_add_phase(result_add_run(s), "import");
                p->item_unit = mem_strdup("doc");
                p->items = 100;
                p->wall_s = rows[i].times[k] + away * rows[i].step +
                            (rows[i].runs % 2 == 0 ? rows[i].step / 2 : 0);
            }
        }
        char *page = page_of(r);
        ck_assert_msg(strstr(page, rows[i].words) != NULL, "%s: %.1000s", rows[i].name,
                      strstr(page, "<tbody>"));
        free(page);
        result_free(r);
    }
}
END_TEST

/* Ids and references are changed within tags only. */
START_TEST(svg_in_a_page)
{
    struct buf out = BUF_INIT(10000);
    inline_svg(&out,
               "<?xml version=\"1.0\"?>\n<svg viewBox=\"0 0 1 1\">\n<title>Gnuplot</title>\n"
               "<desc>x</desc>\n<g id=\"a\"><use xlink:href='#b'/><title>t</title>"
               "<text> id='c' href='#d</text></g></svg>\n",
               3, "a \"b\"");
    ck_assert_str_eq(buf_text(&out),
                     "<svg class=\"plot\" role=\"img\" aria-label=\"a &quot;b&quot;\" "
                     "viewBox=\"0 0 1 1\">\n<g id=\"p3-a\"><use xlink:href='#p3-b'/>"
                     "<title>t</title><text> id='c' href='#d</text></g></svg>\n");
    buf_free(&out);
}
END_TEST

/* Without gnuplot, the whole page against the one kept beside the result. After an intended change,
 * TC_GOLDEN_UPDATE=1 tests/check_html writes it anew: read the diff. */
START_TEST(without_gnuplot)
{
    static const char *const names[] = {"tunemark-batches", "objects-fedora-100kb"};
    ck_assert_int_eq(setenv("PATH", "/nonexistent", 1), 0);
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        struct err err = ERR_INIT;
        const char *src = getenv("top_srcdir");
        char *json = mem_printf("%s.json", names[i]),
             *path = mem_printf("%s/tests/golden/%s.html", src != NULL ? src : ".", names[i]);
        struct result *r = load(json);
        struct buf want = BUF_INIT((size_t)1 << 20);
        char *page = page_of(r);
        well_formed(page);
        ck_assert_ptr_nonnull(strstr(page, "There are no drawings: plots need gnuplot"));
        if (getenv("TC_GOLDEN_UPDATE") != NULL) {
            ck_assert_msg(file_save(path, page, strlen(page), &err) == 0, "%s", err.text);
        }
        ck_assert_msg(file_read(path, &want, &err) == 0, "%s", err.text);
        /* the style is not repeated in the files' comparison: what follows it is */
        const char *got = strstr(page, "</style>"), *kept = strstr(buf_text(&want), "</style>");
        ck_assert_msg(kept != NULL && strcmp(got, kept) == 0,
                      "%s is not what was printed:\n%.1000s", path, got);
        buf_free(&want);
        free(page);
        free(path);
        free(json);
        result_free(r);
    }
}
END_TEST

TEST_MAIN("html", drawings, hostile_texts, summary_words, svg_in_a_page, without_gnuplot)
