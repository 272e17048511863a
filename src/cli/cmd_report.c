#include "cli/cmd.h"

#include <stdlib.h>

#include "base/mem.h"
#include "cli/output_args.h"
#include "report/report.h"

static size_t tables(struct option_table *out)
{
    out[0] = (struct option_table){"The document", output_options, NULL};
    return 1;
}

static int run(int argc, char **argv)
{
    struct output_args output = {0};
    struct option_table t[COMMAND_TABLES_MAX];
    struct option_list list = {0};
    struct err err = ERR_INIT;
    struct result **results = NULL;
    size_t n = tables(t), loaded = 0;
    int done, code, rc = 0;
    t[0].into = &output;
    code = command_parse(&cmd_report, t, n, argc, argv, &list, &done);
    if (done) {
        goto cleanup;
    }
    if (list.operands_n == 0) {
        rc = err_set(&err, ERR_USAGE, "which result? Give a file that run --save wrote, or -");
    } else {
        rc = output_check(&output, &err);
    }
    results = mem_zero(list.operands_n, sizeof *results);
    for (; rc == 0 && loaded < list.operands_n; loaded++) {
        results[loaded] = result_load(list.operands[loaded], &err);
        if (results[loaded] == NULL) {
            err.kind = ERR_USAGE; /* also for a file that is not there: it was asked for */
            rc = -1;
            break;
        }
    }
    if (rc == 0 && output.rank != NULL) {
        rc = report_has_step((const struct result *const *)results, loaded, output.rank, &err);
    }
    if (rc == 0) {
        rc = output_write(&output, (const struct result *const *)results, loaded, &err);
    }
    if (rc < 0) {
        code = command_fail(&err);
    }
cleanup:
    for (size_t i = 0; i < loaded; i++) {
        result_free(results[i]);
    }
    free(results);
    option_list_free(&list);
    option_release(output_options, &output);
    return code;
}

const struct command cmd_report = {
    .name = "report",
    .operands = "FILE…",
    .summary = "Make a document from saved results; nothing is measured.",
    .examples = "  tunecouch report import.json\n"
                "  tunecouch report --format tunemark monday.json tuesday.json\n",
    .tables = tables,
    .run = run,
};
