/* Metrics: every line by the grammar of the text format (exposition_formats.md), each family in one
 * piece with its HELP and TYPE before it, no series twice. promtool check metrics says the same. */
#include <ctype.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/report.h"
#include "tests/testing.h"

static size_t name_length(const char *p)
{
    size_t n = 0;
    while (isalnum((unsigned char)p[n]) || p[n] == '_') {
        n++;
    }
    return isdigit((unsigned char)p[0]) ? 0 : n;
}

/* Past {name="value",...}. */
static const char *labels(const char *p)
{
    ck_assert_int_eq(*p, '{');
    do {
        size_t n = name_length(++p);
        ck_assert_msg(n > 0 && strncmp(p + n, "=\"", 2) == 0, "%.80s", p);
        for (p += n + 2; *p != '"'; p++) {
            ck_assert_msg((unsigned char)*p >= ' ' && *p != 0x7f, "a control character: %d", *p);
            if (*p == '\\') {
                p++;
                ck_assert_msg(*p == '\\' || *p == '"' || *p == 'n', "\\%c", *p);
            }
        }
        p++;
    } while (*p == ',');
    ck_assert_int_eq(*p, '}');
    return p + 1;
}

/* Checks and returns how many series there are. */
static size_t check_text(const char *text)
{
    char family[100] = "", seen[64][100];
    size_t series = 0, families = 0;
    static const char *starts[2000];
    static size_t lengths[2000];
    for (const char *p = text; *p != '\0'; p = strchr(p, '\n') + 1) {
        ck_assert_msg(strchr(p, '\n') != NULL, "the last line has no end");
        if (strncmp(p, "# HELP ", 7) == 0) {
            size_t n = name_length(p + 7);
            snprintf(family, sizeof family, "%.*s", (int)n, p + 7);
            for (size_t i = 0; i < families; i++) {
                ck_assert_msg(strcmp(seen[i], family) != 0, "%s comes twice", family);
            }
            ck_assert_uint_lt(families, 64);
            snprintf(seen[families++], sizeof seen[0], "%s", family);
            ck_assert_int_eq(p[7 + n], ' ');
            p = strchr(p, '\n') + 1;
            ck_assert_msg(strncmp(p, "# TYPE ", 7) == 0 &&
                              strncmp(p + 7, family, strlen(family)) == 0,
                          "%.100s", p);
            const char *type = p + 8 + strlen(family);
            ck_assert_msg(strncmp(type, "gauge\n", 6) == 0 || strncmp(type, "summary\n", 8) == 0,
                          "%.20s", type);
            continue;
        }
        size_t n = name_length(p);
        ck_assert_msg(strncmp(p, family, strlen(family)) == 0 && n >= strlen(family), "%.100s", p);
        const char *suffix = p + strlen(family), *after = labels(p + n), *end = strchr(p, '\n');
        ck_assert_msg(*suffix == '{' || strncmp(suffix, "_sum{", 5) == 0 ||
                          strncmp(suffix, "_count{", 7) == 0,
                      "%.100s", p);
        char number[64];
        double value;
        snprintf(number, sizeof number, "%.*s", (int)(end - after - 1), after + 1);
        ck_assert_msg(*after == ' ' && text_parse_double(number, &value, NULL) == 0, "%.100s",
                      after);
        for (size_t i = 0; i < series; i++) {
            if (lengths[i] == (size_t)(after - p) && strncmp(starts[i], p, lengths[i]) == 0) {
                /* (an assertion that holds writes a line, and there are many pairs) */
                ck_abort_msg("twice: %.*s", (int)lengths[i], p);
            }
        }
        ck_assert_uint_lt(series, 2000);
        starts[series] = p;
        lengths[series++] = (size_t)(after - p);
    }
    return series;
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

static char *metrics_of(const struct result *const *list, size_t n)
{
    struct err err = ERR_INIT;
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    ck_assert_int_eq(report_render("prometheus", list, n, NULL, &out, &err), 0);
    return buf_take(&out, NULL);
}

START_TEST(lines)
{
    static const struct {
        const char *result, *line; /* one that must be there */
    } rows[] = {
        {"tunemark-small.json",
         "tunecouch_phase_runs{label=\"=1+1, \\\"nightly\\\" | *x* <b>\",workload=\"tunemark\","
         "spec=\"tunemark batch=1000\",server=\"s\",network=\"n\",client=\"c\","
         "phase=\"search.index\",via=\"search\",state=\"skipped\"} 3\n"},
        {"tunemark-small.json", "phase=\"import\",via=\"\",quantile=\"0.5\"} "},
        {"tunemark-batches.json", "tunecouch_phase_requests{label=\"batch sizes\","},
        {"bulkdocs-sizes.json", "tunecouch_phase_payload_bytes{"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct result *r = load(rows[i].result);
        const struct result *one = r;
        char *text = metrics_of(&one, 1);
        ck_assert_uint_gt(check_text(text), 20);
        ck_assert_msg(strstr(text, rows[i].line) != NULL, "%s: no %s in %.1500s", rows[i].result,
                      rows[i].line, text);
        free(text);
        result_free(r);
    }
}
END_TEST

/* What is not known is left out: no 0 that would look measured. */
START_TEST(absent)
{
    struct result *r = result_new();
    struct spec_result *s = result_add_spec(r);
    s->name = mem_strdup("x");
    s->workload = mem_strdup("x");
    phase_end(result_add_phase(result_add_run(s), "p"), PHASE_FAILED, "why");
    const struct result *one = r;
    char *text = metrics_of(&one, 1);
    check_text(text);
    ck_assert_ptr_nonnull(strstr(text, "state=\"failed\"} 1\n"));
    ck_assert_ptr_null(strstr(text, "median"));
    ck_assert_ptr_null(strstr(text, "per_second"));
    ck_assert_ptr_null(strstr(text, "latency"));
    free(text);
    result_free(r);
}
END_TEST

/* A night's result and the next one's: the same series, so only the later one's figures. */
START_TEST(later_one_counts)
{
    struct result *all[3];
    for (size_t i = 0; i < 3; i++) {
        all[i] = result_new();
        all[i]->started_ns = i == 1 ? 2000000000 : 1000000000;
        struct spec_result *s = result_add_spec(all[i]);
        s->name = mem_strdup(i == 2 ? "y" : "x");
        s->workload = mem_strdup("x");
        result_add_phase(result_add_run(s), "p")->wall_s = 1 + (double)i;
    }
    const struct result *const list[] = {all[1], all[0], all[2]};
    char *text = metrics_of(list, 3);
    check_text(text);
    ck_assert_ptr_nonnull(strstr(text, "spec=\"x\",server=\"\",network=\"\",client=\"\","
                                       "phase=\"p\",via=\"\"} 2\n"));
    ck_assert_ptr_nonnull(strstr(text, "spec=\"y\""));
    free(text);
    for (size_t i = 0; i < 3; i++) {
        result_free(all[i]);
    }
}
END_TEST

START_TEST(hostile_texts)
{
    static const char *const evils[] = {"a\"} 1\nevil{x=\"", "\\", "back\\\"slash\\n",
                                        "\033[31m\xff", "{}=,#"};
    for (size_t i = 0; i < sizeof evils / sizeof evils[0]; i++) {
        struct result *r = result_new();
        struct spec_result *s = result_add_spec(r);
        r->label = mem_strdup(evils[i]);
        s->name = mem_strdup(evils[i]);
        s->workload = mem_strdup(evils[i]);
        s->server = mem_strdup(evils[i]);
        cJSON *server = json_object();
        json_add_str(server, "vendor", evils[i]);
        json_add_str(server, "version", evils[i]);
        json_add(r->servers, evils[i], server);
        struct phase_result *p = result_add_phase(result_add_run(s), evils[i]);
        p->via = mem_strdup(evils[i]);
        p->wall_s = 1;
        const struct result *one = r;
        char *text = metrics_of(&one, 1);
        ck_assert_uint_gt(check_text(text), 10);
        free(text);
        result_free(r);
    }
}
END_TEST

TEST_MAIN("prometheus", lines, absent, later_one_counts, hostile_texts)
