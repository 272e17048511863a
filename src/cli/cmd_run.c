#include "cli/cmd.h"

#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "bench/plan.h"
#include "bench/runner.h"
#include "cli/output_args.h"
#include "cli/progress.h"
#include "cli/server_args.h"

struct run_args {
    char *save, *label;
    bool sequential, quiet;
};

#define AT(member) offsetof(struct run_args, member)

static const struct opt run_options[] = {
    {"save", 's', OPT_TEXT, AT(save), NULL, 0, 0, NULL, "FILE",
     "Keep the result (JSON), from which every report can be made again.", 0},
    {"label", 'l', OPT_TEXT, AT(label), NULL, 0, 0, NULL, "TEXT", "A word of yours in the result.",
     0},
    {"sequential", 0, OPT_FLAG, AT(sequential), NULL, 0, 0, NULL, NULL,
     "All runs of a spec before the next one, not interleaved.", 0},
    {"quiet", 'q', OPT_FLAG, AT(quiet), NULL, 0, 0, NULL, NULL,
     "No progress and no remarks: only warnings, errors and the document.", 0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

enum { TABLE_SERVER, TABLE_OUTPUT, TABLE_RUN, TABLE_PLAN };

static size_t tables(struct option_table *out)
{
    out[TABLE_SERVER] = (struct option_table){"The server", server_options, NULL};
    out[TABLE_OUTPUT] = (struct option_table){"The document", output_options, NULL};
    out[TABLE_RUN] = (struct option_table){"The session", run_options, NULL};
    return TABLE_PLAN + plan_tables(out + TABLE_PLAN, COMMAND_TABLES_MAX - TABLE_PLAN);
}

static int resolve(const struct server_args *args, const struct option_list *list,
                   struct server_spec **servers, size_t *n, struct err *err)
{
    if (list->operands_n == 0) {
        return err_set(err, ERR_USAGE,
                       "which server? Give its URL: tunecouch run http://127.0.0.1:5984");
    }
    *servers = mem_zero(list->operands_n, sizeof **servers);
    for (*n = 0; *n < list->operands_n; (*n)++) {
        const char *word = list->operands[*n];
        if (strstr(word, "://") == NULL) {
            return err_set(err, ERR_USAGE, "\"%s\" is not a server's URL (http://HOST:PORT)", word);
        }
        if (server_args_resolve(args, word, &(*servers)[*n], err) < 0) {
            return -1;
        }
        for (size_t i = 0; i < *n; i++) {
            if (strcmp((*servers)[i].key, (*servers)[*n].key) == 0) {
                server_spec_free(&(*servers)[(*n)]);
                return err_set(err, ERR_USAGE, "%s is given twice", (*servers)[i].url);
            }
        }
    }
    return 0;
}

/* Measures, keeps, prints: the document also when the run failed or was cut off. */
static int measure(const struct plan *plan, const struct output_args *output,
                   const struct run_args *args)
{
    struct err err = ERR_INIT, trouble = ERR_INIT;
    struct result *result = result_new();
    const struct result *shown = result;
    struct progress *progress = progress_new();
    int rc = runner_run(plan, progress_observer(progress), result, &err);
    progress_free(progress);
    bool measured = false;
    for (size_t i = 0; i < result->specs_n; i++) {
        for (size_t j = 0; j < result->specs[i].runs_n; j++) {
            measured = measured || result->specs[i].runs[j].phases_n > 0;
        }
    }
    if (measured) {
        if (args->save != NULL && result_save(result, args->save, &trouble) < 0) {
            log_error("%s", trouble.text);
        }
        struct err document = ERR_INIT;
        if (output_write(output, &shown, 1, &document) < 0) {
            log_error("%s", document.text);
            trouble = document;
        }
    }
    result_free(result);
    if (rc < 0) {
        return command_fail(&err);
    }
    return err_exit_code(trouble.kind);
}

static int run(int argc, char **argv)
{
    struct server_args server = {0};
    struct output_args output = {0};
    struct run_args args = {0};
    struct option_table t[COMMAND_TABLES_MAX];
    struct option_list list = {0};
    struct err err = ERR_INIT;
    struct server_spec *servers = NULL;
    size_t servers_n = 0, n = tables(t);
    struct plan plan;
    int done, code;
    t[TABLE_SERVER].into = &server;
    t[TABLE_OUTPUT].into = &output;
    t[TABLE_RUN].into = &args;
    code = command_parse(&cmd_run, t, n, argc, argv, &list, &done);
    if (done) {
        goto cleanup;
    }
    log_set_level(args.quiet ? LOG_WARN : LOG_INFO);
    if (output_check(&output, &err) < 0 ||
        (args.save != NULL && file_can_save(args.save, &err) < 0) ||
        resolve(&server, &list, &servers, &servers_n, &err) < 0) {
        for (size_t i = 0; i < servers_n; i++) {
            server_spec_free(&servers[i]);
        }
        free(servers);
        code = command_fail(&err);
    } else if (plan_make(&plan, servers, servers_n, &list, TABLE_PLAN, &err) < 0) {
        code = command_fail(&err);
    } else {
        plan.sequential = args.sequential;
        plan.label = mem_strdup(args.label);
        code = measure(&plan, &output, &args);
        plan_free(&plan);
    }
cleanup:
    option_list_free(&list);
    option_release(server_options, &server);
    option_release(output_options, &output);
    option_release(run_options, &args);
    return code;
}

const struct command cmd_run = {
    .name = "run",
    .operands = "URL…",
    .summary = "Measure a server (or several), and print what came of it.",
    .about = "\nEach run works on a database of its own, of a unique name, which is deleted in the "
             "end.\n"
             "Nothing else on the server is touched.",
    .examples = "  tunecouch run http://127.0.0.1:5984 --user admin --password-file ~/.couch\n"
                "  tunecouch run http://db1:5984 --batch 100,1000,5000 --concurrency 1,4 --runs 6\n"
                "  tunecouch run http://db1:5984 --steps import --save import.json\n",
    .tables = tables,
    .run = run,
};
