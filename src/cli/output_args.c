#include "cli/output_args.h"

#include <stdio.h>
#include <string.h>

#include "base/file.h"
#include "base/text.h"
#include "report/report.h"

#define AT(member) offsetof(struct output_args, member)

const struct opt output_options[] = {
    {"format", 'f', OPT_TEXT, AT(format), NULL, 0, 0, NULL, "NAME",
     "Form of the document: text (both tables), table, tunemark, md, html, csv, svg, prometheus, "
     "json. "
     "Default: by the ending of --output, else text.",
     0},
    {"output", 'o', OPT_TEXT, AT(output), NULL, 0, 0, NULL, "FILE",
     "Where the document goes, written whole or not at all. Default: standard output.", 0},
    {"prometheus", 0, OPT_TEXT, AT(prometheus), NULL, 0, 0, NULL, "FILE",
     "Metrics as well, for the textfile collector of Prometheus's node exporter (its name must end "
     "in .prom), written whole or not at all.",
     0},
    {"original-statistics", 0, OPT_FLAG, AT(original_statistics), NULL, 0, 0, NULL, NULL,
     "In TuneMark's form, its own statistics: a tenth of the runs dropped at each end for average "
     "and deviation.",
     0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

static const char *format_of(const struct output_args *args)
{
    if (args->format != NULL) {
        return args->format;
    }
    const char *dot = args->output != NULL ? strrchr(args->output, '.') : NULL;
    if (dot != NULL && strcmp(dot, ".prom") == 0) {
        return "prometheus";
    }
    if (dot != NULL && report_format_what(dot + 1) != NULL) {
        return dot + 1;
    }
    return "text";
}

int output_check(const struct output_args *args, struct err *err)
{
    const char *format = format_of(args);
    if (report_format_what(format) == NULL) {
        const char *near = text_nearest(format, report_formats());
        return near != NULL
                   ? err_set(err, ERR_USAGE, "--format: \"%s\" is not known; did you mean \"%s\"?",
                             format, near)
                   : err_set(err, ERR_USAGE, "--format: \"%s\" is not known", format);
    }
    if (args->prometheus != NULL && file_can_save(args->prometheus, err) < 0) {
        return -1;
    }
    return args->output != NULL ? file_can_save(args->output, err) : 0;
}

static int write_metrics(const char *path, const struct result *const *results, size_t n,
                         struct err *err)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    int rc = report_render("prometheus", results, n, NULL, &out, err);
    rc = rc == 0 ? file_save(path, buf_text(&out), out.len, err) : rc;
    buf_free(&out);
    return rc;
}

int output_write(const struct output_args *args, const struct result *const *results, size_t n,
                 struct err *err)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    struct report_options o = {.original_statistics = args->original_statistics};
    int rc = report_render(format_of(args), results, n, &o, &out, err);
    if (rc == 0) {
        rc = file_save(args->output != NULL ? args->output : "-", buf_text(&out), out.len, err);
        if (rc < 0 && args->output != NULL) {
            fwrite(buf_text(&out), 1, out.len, stdout); /* not lost */
        }
    }
    if (args->prometheus != NULL) { /* whatever became of the document; the first failure is told */
        struct err trouble = ERR_INIT;
        if (write_metrics(args->prometheus, results, n, &trouble) < 0 && rc == 0) {
            *err = trouble;
            rc = -1;
        }
    }
    buf_free(&out);
    return rc;
}
