/* cmd_compare: saved results against a base. */
#include "cli/cmd.h"

#include <stdlib.h>

#include "base/log.h"
#include "base/mem.h"
#include "cli/output_args.h"
#include "report/compare.h"

struct compare_args {
    char *across;        /* NULL: any factor may differ */
    double equal_within; /* percent; 0: not given */
    double fail_above;   /* percent; 0: no limit */
    char *format, *output;
};

#define AT(member) offsetof(struct compare_args, member)

static const struct opt compare_options[] = {
    {"across", 0, OPT_TEXT, AT(across), NULL, 0, 0, NULL, "NAME,…",
     "The factors that are compared: options of run, as batch, or server, network, client. Any "
     "other "
     "difference is then flagged. With one file, its specs are compared across them.",
     0},
    {"equal-within", 0, OPT_PERCENT, AT(equal_within), NULL, 0.01, 100, NULL, "X%",
     "Call a phase equal where the whole interval of its ratio lies within this margin. Default: "
     "5%, "
     "or that of --fail-above if it is less.",
     0},
    {"fail-above", 0, OPT_PERCENT, AT(fail_above), NULL, 0.01, 100000, NULL, "X%",
     "Exit with code 4 if a phase is slower by more than this, and significantly.", 0},
    {"format", 'f', OPT_TEXT, AT(format), NULL, 0, 0, NULL, "NAME",
     "Form of the document: " COMPARE_FORMATS ". Default: by the ending of --output, else text.",
     0},
    {"output", 'o', OPT_TEXT, AT(output), NULL, 0, 0, NULL, "FILE",
     "Where the document goes, written whole or not at all. Default: standard output.", 0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

static size_t tables(struct option_table *out)
{
    out[0] = (struct option_table){"Comparison", compare_options, NULL};
    return 1;
}

/* Equal and beyond the limit must not be said of the same phase. */
static int margins(const struct compare_args *args, struct compare_options *o, struct err *err)
{
    o->fail_above = args->fail_above / 100;
    o->equal_within = args->equal_within > 0 ? args->equal_within / 100 : COMPARE_EQUAL_WITHIN;
    if (args->fail_above > 0 && o->fail_above < o->equal_within) {
        if (args->equal_within > 0) {
            return err_set(err, ERR_USAGE,
                           "--fail-above %g%% is within --equal-within %g%%: what is equal cannot "
                           "fail",
                           args->fail_above, args->equal_within);
        }
        o->equal_within = o->fail_above;
    }
    return 0;
}

static int check(const struct compare_args *args, const struct option_list *list,
                 const char *format, struct err *err)
{
    if (list->operands_n == 0 || (list->operands_n == 1 && args->across == NULL)) {
        return err_set(
            err, ERR_USAGE,
            "which results? Give BASE and NEW, or one file of several specs and --across");
    }
    return output_can(format, args->output, compare_formats(), err);
}

static int load(const struct option_list *list, struct compare_input *inputs,
                struct result **results, struct err *err)
{
    for (size_t i = 0; i < list->operands_n; i++) {
        results[i] = result_load(list->operands[i], err);
        if (results[i] == NULL) {
            err->kind = ERR_USAGE; /* also for a file that is not there: it was asked for */
            return -1;
        }
        inputs[i] = (struct compare_input){list->operands[i], results[i]};
    }
    return 0;
}

/* What a script would not see in the document. */
static void warn(const struct compare *c)
{
    for (size_t i = 0; i < c->n; i++) {
        size_t n = c->all[i].differences.flagged_n;
        if (n > 0) {
            log_warn("%s against %s: %zu thing%s besides --across differ%s", c->all[i].new_name,
                     c->all[i].base_name, n, n == 1 ? "" : "s", n == 1 ? "s" : "");
        }
    }
    if (c->unmatched_n > 0) {
        log_warn("%zu spec%s compared with nothing, the first is %s", c->unmatched_n,
                 c->unmatched_n == 1 ? " is" : "s are", c->unmatched[0]);
    }
}

/* The document is written also where it says that the work differs or a limit is passed. */
static int document(const struct compare *c, const struct compare_args *args, const char *format,
                    struct err *err)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    int rc = compare_render(format, c, &out, err);
    if (rc == 0) {
        rc = output_save(args->output, &out, err);
    }
    buf_free(&out);
    if (rc == 0) {
        warn(c);
        rc = compare_judge(c, err);
    }
    return rc;
}

static int run(int argc, char **argv)
{
    struct compare_args args = {0};
    struct option_table t[COMMAND_TABLES_MAX];
    struct option_list list = {0};
    struct err err = ERR_INIT;
    struct compare_options o = {.alpha = COMPARE_ALPHA};
    struct compare *c = NULL;
    char **across = NULL;
    int done, code, rc;
    size_t n = tables(t);
    t[0].into = &args;
    code = command_parse(&cmd_compare, t, n, argc, argv, &list, &done);
    struct result **results = mem_zero(list.operands_n + 1, sizeof *results);
    struct compare_input *inputs = mem_zero(list.operands_n + 1, sizeof *inputs);
    if (done) {
        goto cleanup;
    }
    const char *format = output_format(args.format, args.output, compare_formats());
    across = args.across != NULL ? option_split(args.across, &o.across_n) : NULL;
    o.across = across;
    rc = check(&args, &list, format, &err);
    if (rc == 0) {
        rc = margins(&args, &o, &err);
    }
    if (rc == 0) {
        rc = load(&list, inputs, results, &err);
    }
    if (rc == 0) {
        c = compare_new(inputs, list.operands_n, &o, &err);
        rc = c != NULL ? document(c, &args, format, &err) : -1;
    }
    if (rc < 0) {
        code = command_fail(&err);
    }
cleanup:
    compare_free(c);
    for (size_t i = 0; i < list.operands_n; i++) {
        result_free(results[i]);
    }
    free(results);
    free(inputs);
    free(across);
    option_list_free(&list);
    option_release(compare_options, &args);
    return code;
}

const struct command cmd_compare = {
    .name = "compare",
    .operands = "BASE NEW…",
    .summary = "Compare saved results with a base, phase by phase; nothing is measured.",
    .examples = "  tunecouch compare monday.json tuesday.json\n"
                "  tunecouch compare --fail-above 10% base.json new.json\n"
                "  tunecouch compare --across batch sweep.json\n",
    .tables = tables,
    .run = run,
};
