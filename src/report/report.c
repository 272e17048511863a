#include "report/report.h"

#include <string.h>

#include "base/text.h"
#include "report/gather.h"

static const struct report_format formats[] = {
    {"text", "TuneMark's own form where it applies, then a compact table with notes", report_text},
    {"table", "the compact table with its notes only", report_table},
    {"tunemark", "TuneMark's own form only", report_tunemark},
    {"md", "Markdown: the same as text, to paste into a page or a ticket", report_markdown},
    {"html", "one page with drawings that opens offline, to look at, send and print", report_html},
    {"csv", "every figure of every run in a row of its own", report_csv},
    {"svg", "one drawing, by gnuplot: groups, or a sweep, or the steps", report_svg},
    {"prometheus", "metrics for Prometheus's textfile collector (.prom)", report_prometheus},
    {"hdr", "latencies as HdrHistogram's percentile text, for its plotters", report_hdr},
    {"json", "the result itself, in this version's schema", report_json},
};
enum { FORMATS = sizeof formats / sizeof formats[0] };

const char *const *report_formats(void)
{
    static const char *names[FORMATS + 1];
    for (size_t i = 0; i < FORMATS; i++) {
        names[i] = formats[i].name;
    }
    return names;
}

const char *report_format_what(const char *name)
{
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return formats[i].what;
        }
    }
    return NULL;
}

int report_render(const char *format, const struct result *const *results, size_t n,
                  const struct report_options *o, struct buf *out, struct err *err)
{
    struct report_options options = o != NULL ? *o : (struct report_options){0};
    if (options.width == 0) {
        options.width = REPORT_WIDTH;
    }
    for (size_t i = 0; i < FORMATS; i++) {
        if (strcmp(formats[i].name, format) == 0) {
            return formats[i].render(results, n, &options, out, err);
        }
    }
    const char *meant = text_nearest(format, report_formats());
    return err_set(err, ERR_USAGE, "no report format \"%s\"%s%s%s", format,
                   meant != NULL ? "; did you mean \"" : "", meant != NULL ? meant : "",
                   meant != NULL ? "\"?" : "");
}

int report_has_step(const struct result *const *results, size_t n, const char *step,
                    struct err *err)
{
    const char *names[400];
    size_t names_n = 0;
    struct view *v = view_new(results, n);
    bool found = false;
    for (size_t i = 0; i < v->n && !found; i++) {
        const struct column *c = &v->columns[i];
        found = column_step(c, step) != NULL;
        for (size_t k = 0; k < c->steps_n && names_n + 1 < sizeof names / sizeof names[0]; k++) {
            names[names_n++] = c->steps[k].name;
        }
    }
    view_free(v);
    if (found) {
        return 0;
    }
    names[names_n] = NULL; /* the names are the results' own */
    const char *near = text_nearest(step, names);
    return err_set(err, ERR_USAGE, "--rank: no step \"%s\" in there%s%s%s", step,
                   near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                   near != NULL ? "\"?" : "");
}

int report_json(const struct result *const *results, size_t n, const struct report_options *o,
                struct buf *out, struct err *err)
{
    (void)o;
    if (n != 1) {
        return err_set(err, ERR_USAGE, "format json takes one result, not %zu", n);
    }
    cJSON *json = result_to_json(results[0]);
    char *text = json_print(json, true);
    buf_adds(out, text);
    buf_addc(out, '\n');
    cJSON_free(text);
    cJSON_Delete(json);
    return 0;
}
