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
     "hdr, json. "
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
    {"rank", 0, OPT_TEXT, AT(rank), NULL, 0, 0, NULL, "STEP",
     "Rank the specs by this step, as import or view.artists, and say which differ from the best. "
     "Default: the first that writes documents, where specs differ by a number. With --format hdr: "
     "the "
     "only step shown.",
     0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

static bool is_one_of(const char *name, const char *const *known)
{
    while (*known != NULL && strcmp(*known, name) != 0) {
        known++;
    }
    return *known != NULL;
}

const char *output_format(const char *given, const char *path, const char *const *known)
{
    const char *dot = path != NULL ? strrchr(path, '.') : NULL;
    return given != NULL ? given : dot != NULL && is_one_of(dot + 1, known) ? dot + 1 : "text";
}

int output_can(const char *format, const char *path, const char *const *known, struct err *err)
{
    if (!is_one_of(format, known)) {
        const char *near = text_nearest(format, known);
        return near != NULL
                   ? err_set(err, ERR_USAGE, "--format: \"%s\" is not known; did you mean \"%s\"?",
                             format, near)
                   : err_set(err, ERR_USAGE, "--format: \"%s\" is not known", format);
    }
    return path != NULL ? file_can_save(path, err) : 0;
}

int output_save(const char *path, const struct buf *document, struct err *err)
{
    int rc = file_save(path != NULL ? path : "-", buf_text(document), document->len, err);
    if (rc < 0 && path != NULL) {
        fwrite(buf_text(document), 1, document->len, stdout); /* not lost */
    }
    return rc;
}

static const char *format_of(const struct output_args *args)
{
    const char *dot = args->output != NULL ? strrchr(args->output, '.') : NULL;
    if (args->format == NULL && dot != NULL && strcmp(dot, ".prom") == 0) {
        return "prometheus";
    }
    return output_format(args->format, args->output, report_formats());
}

int output_check(const struct output_args *args, struct err *err)
{
    if (args->prometheus != NULL && file_can_save(args->prometheus, err) < 0) {
        return -1;
    }
    return output_can(format_of(args), args->output, report_formats(), err);
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
    struct report_options o = {.original_statistics = args->original_statistics,
                               .rank = args->rank};
    int rc = report_render(format_of(args), results, n, &o, &out, err);
    if (rc == 0) {
        rc = output_save(args->output, &out, err);
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
