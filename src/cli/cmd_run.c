#include "cli/cmd.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/lock.h"
#include "base/log.h"
#include "base/mem.h"
#include "bench/plan.h"
#include "bench/runner.h"
#include "cli/dry_run.h"
#include "cli/find_text.h"
#include "cli/job.h"
#include "cli/output_args.h"
#include "cli/progress.h"
#include "cli/save.h"
#include "cli/server_args.h"

struct run_args {
    char *save, *save_dir, *label, *lock_file;
    int order;
    bool quiet, lock, dry_run, find_batch;
};

enum { ORDER_INTERLEAVED, ORDER_SEQUENTIAL };
static const char *const order_names[] = {"interleaved", "sequential", NULL};

#define AT(member) offsetof(struct run_args, member)

static const struct opt run_options[] = {
    {"save", 's', OPT_TEXT, AT(save), NULL, 0, 0, NULL, "FILE",
     "Keep the result (JSON), from which every report can be made again.", 0},
    {"save-dir", 0, OPT_TEXT, AT(save_dir), NULL, 0, 0, NULL, "DIR",
     "Keep the result in this folder (made if it is not there) under a name of its own, by UTC "
     "time "
     "and label: 2026-01-31T120000Z-nightly.json. Never over another file.",
     0},
    {"label", 'l', OPT_TEXT, AT(label), NULL, 0, 0, NULL, "TEXT", "A word of yours in the result.",
     0},
    {"dry-run", 0, OPT_FLAG, AT(dry_run), NULL, 0, 0, NULL, NULL,
     "Print what would be run, and how much each run would send; connect to nothing.", 0},
    {"find-batch", 0, OPT_FLAG, AT(find_batch), NULL, 0, 0, NULL, NULL,
     "Search for the fastest --batch and --concurrency of the import (or insert) by successive "
     "narrowing, within the lists given or wide ones; print the curve, every setting that may be "
     "the "
     "best, and the smallest batch among them.",
     0},
    {"order", 0, OPT_CHOICE, AT(order), "interleaved", 0, 0, order_names, "ORDER",
     "Runs of different specs in turn (A B A B), so that drift of the machine lands on all alike; "
     "or all of one before the next.",
     0},
    {"lock", 0, OPT_FLAG, AT(lock), NULL, 0, 0, NULL, NULL,
     "One run at a time: where another one of this user holds the lock, exit at once with code 75.",
     0},
    {"lock-file", 0, OPT_TEXT, AT(lock_file), NULL, 0, 0, NULL, "FILE",
     "The lock of --lock, which this implies. Default: tunecouch.lock in XDG_RUNTIME_DIR, else one "
     "of the user's in /tmp.",
     0},
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

/* ---- what is to be run ----------------------------------------------------------------------- */

/* A session as asked for: on the command line, and in a job file where one is named. */
struct session {
    struct option_table tables[COMMAND_TABLES_MAX];
    size_t n;
    struct option_list line;
    struct option_list under; /* what a search tries unless told otherwise */
    struct job job;
    bool has_job;
    char **urls; /* among the operands */
    size_t urls_n;
    struct server_args server;
    struct output_args output;
    struct run_args args;
    struct plan plan;
};

static struct job_tables job_tables(const struct session *s)
{
    return (struct job_tables){s->tables, s->n, TABLE_SERVER, TABLE_PLAN,
                               s->under.n > 0 ? &s->under : NULL};
}

/* Anything with "://" is a server, "-" a job on standard input, else a job file. */
static int sort_operands(struct session *s, const char **job, struct err *err)
{
    s->urls = mem_zero(s->line.operands_n + 1, sizeof *s->urls);
    *job = NULL;
    for (size_t i = 0; i < s->line.operands_n; i++) {
        char *word = s->line.operands[i];
        if (strstr(word, "://") != NULL) {
            s->urls[s->urls_n++] = word;
        } else if (*job != NULL) {
            return err_set(err, ERR_USAGE, "two job files, %s and %s: one at a time", *job, word);
        } else {
            *job = word;
        }
    }
    if (*job == NULL && s->urls_n == 0) {
        return err_set(err, ERR_USAGE,
                       "which server? Give its URL: tunecouch run http://127.0.0.1:5984");
    }
    if (*job != NULL && strcmp(*job, "-") == 0 && s->server.password_file != NULL &&
        strcmp(s->server.password_file, "-") == 0) {
        return err_set(err, ERR_USAGE, "standard input cannot hold both the job and the password");
    }
    return 0;
}

/* All that is wrong, each with its line. */
static int tell(const struct session *s, const struct problems *bad, struct err *err)
{
    for (size_t i = 0; i + 1 < bad->n || (i < bad->n && s->has_job); i++) {
        const struct problem *p = &bad->problem[i];
        if (s->has_job && p->line > 0) {
            log_error("%s:%zu: %s", s->job.file, p->line, p->text);
        } else {
            log_error("%s", p->text);
        }
    }
    if (!s->has_job) { /* one at least: the last is the reason */
        return err_set(err, ERR_USAGE, "%s", bad->problem[bad->n - 1].text);
    }
    return err_set(err, ERR_USAGE, "%s: %zu fault%s, nothing was run", s->job.file, bad->n,
                   bad->n == 1 ? "" : "s");
}

/* The session's own options from the file, under those of the command line. */
static int settle_options(struct session *s, struct err *err)
{
    if (option_apply(&s->job.global.given, s->tables, s->n, err) < 0 ||
        option_apply(&s->line, s->tables, s->n, err) < 0) {
        return -1;
    }
    return 0;
}

static int read_session(struct session *s, struct problems *bad, struct err *err)
{
    const char *job;
    struct job_tables t = job_tables(s);
    if (sort_operands(s, &job, err) < 0) {
        return -1;
    }
    if (job != NULL) {
        s->has_job = true;
        if (job_read(&s->job, job, &t, bad, err) < 0) {
            err->kind = ERR_USAGE;
            return strcmp(job, "-") == 0
                       ? -1
                       : err_prefix(err,
                                    "\"%s\" is not a server's URL (http://HOST:PORT), nor a job "
                                    "file that can be read",
                                    job);
        }
        if (settle_options(s, err) < 0) {
            return -1;
        }
    }
    if (s->args.find_batch) {
        static const char *const wide[][2] = {{"batch", FIND_BATCH_SIZES},
                                              {"concurrency", FIND_BATCH_CONCURRENCY},
                                              {"steps", "import"}};
        for (size_t i = 0; i < 3; i++) {
            option_give(&s->under, s->tables, s->n, wide[i][0], wide[i][1], "--find-batch", NULL);
        }
        t = job_tables(s);
    }
    /* everything that can be known is, before a password is read or asked for */
    for (int dry = 1; dry >= (s->args.dry_run ? 1 : 0); dry--) {
        if (job_plan(s->has_job ? &s->job : NULL, &t, &s->line, s->urls, s->urls_n, dry, &s->plan,
                     bad, err) < 0) {
            return -1;
        }
        if (bad->n > 0) {
            return tell(s, bad, err);
        }
        if (dry && !s->args.dry_run) {
            plan_free(&s->plan);
        }
    }
    return 0;
}

/* ---- running it ------------------------------------------------------------------------------ */

/* What was found becomes the document, or, where one was asked for by format or file, goes to
 * standard error beside it. */
static int search(struct plan *plan, const struct observer *observer, struct result *result,
                  struct buf *found, struct err *err)
{
    struct find_batch f;
    int rc = find_batch_run(&f, plan, observer, result, err);
    find_text(&f, found);
    find_batch_free(&f);
    return rc;
}

/* Measures, keeps, prints: the document also when the run failed or was cut off. */
static int measure(struct plan *plan, const struct output_args *output, const struct run_args *args)
{
    struct buf found = BUF_INIT(BUF_TEXT_MAX);
    struct err err = ERR_INIT, trouble = ERR_INIT;
    struct result *result = result_new();
    const struct result *shown = result;
    struct progress *progress = progress_new();
    int rc = args->find_batch ? search(plan, progress_observer(progress), result, &found, &err)
                              : runner_run(plan, progress_observer(progress), result, &err);
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
        if (args->save_dir != NULL) {
            char *path = NULL;
            if (save_into(result, args->save_dir, &path, &trouble) < 0) {
                log_error("%s", trouble.text);
            } else {
                log_info("saved: %s", path);
            }
            free(path);
        }
        struct err document = ERR_INIT;
        bool own = output->format == NULL && output->output == NULL;
        if (found.len > 0 && !own && !args->quiet) {
            fputs(found.data, stderr);
        }
        if (found.len > 0 && own) {
            fputs(found.data, stdout); /* in place of a report of all settings */
        } else if (output_write(output, &shown, 1, &document) < 0) {
            log_error("%s", document.text);
            trouble = document;
        }
    }
    result_free(result);
    buf_free(&found);
    if (rc < 0) {
        return command_fail(&err);
    }
    return err_exit_code(trouble.kind);
}

static void session_free(struct session *s)
{
    plan_free(&s->plan);
    job_free(&s->job);
    free(s->urls);
    option_list_free(&s->line);
    option_list_free(&s->under);
    option_release(server_options, &s->server);
    option_release(output_options, &s->output);
    option_release(run_options, &s->args);
}

/* Everything that could spoil the end is looked at before the beginning. */
static int check_places(const struct session *s, struct err *err)
{
    if (output_check(&s->output, err) < 0 ||
        (s->args.save != NULL && file_can_save(s->args.save, err) < 0) ||
        (s->args.save_dir != NULL && save_dir_check(s->args.save_dir, err) < 0)) {
        return -1;
    }
    return 0;
}

static int run_session(struct session *s)
{
    struct err err = ERR_INIT;
    struct lock *lock = NULL;
    log_set_level(s->args.quiet ? LOG_WARN : LOG_INFO);
    s->plan.sequential = s->args.order == ORDER_SEQUENTIAL;
    s->plan.label = mem_strdup(s->args.label);
    if (s->args.dry_run) {
        if (dry_run(&s->plan, &err) < 0) {
            return command_fail(&err);
        }
        if (s->args.find_batch) {
            puts("The search measures a part of these settings.");
        }
        return 0;
    }
    if (check_places(s, &err) < 0) {
        return command_fail(&err);
    }
    if (s->args.lock || s->args.lock_file != NULL) {
        char *path =
            s->args.lock_file != NULL ? mem_strdup(s->args.lock_file) : lock_default_path();
        lock = lock_take(path, &err);
        free(path);
        if (lock == NULL) {
            return command_fail(&err);
        }
    }
    int code = measure(&s->plan, &s->output, &s->args);
    lock_release(lock);
    return code;
}

static int run(int argc, char **argv)
{
    struct session s = {.n = 0};
    struct problems bad = {NULL, 0, 0};
    struct err err = ERR_INIT;
    int done, code;
    s.n = tables(s.tables);
    s.tables[TABLE_SERVER].into = &s.server;
    s.tables[TABLE_OUTPUT].into = &s.output;
    s.tables[TABLE_RUN].into = &s.args;
    code = command_parse(&cmd_run, s.tables, s.n, argc, argv, &s.line, &done);
    if (!done) {
        code = read_session(&s, &bad, &err) < 0 ? command_fail(&err) : run_session(&s);
    }
    problems_free(&bad);
    session_free(&s);
    return code;
}

const struct command cmd_run = {
    .name = "run",
    .operands = "URL…|JOB.ini|-",
    .summary = "Measure a server (or several), and print what came of it.",
    .about = "\nEach run works on a database of its own, of a unique name, which is deleted in the "
             "end.\n"
             "Nothing else on the server is touched.\n"
             "A job file holds the same options by the same names, for one or several experiments; "
             "- is a job on standard input.",
    .examples = "  tunecouch run http://127.0.0.1:5984 --user admin --password-file ~/.couch\n"
                "  tunecouch run http://db1:5984 --batch 100,1000,5000 --concurrency 1,4 --runs 6\n"
                "  tunecouch run http://db1:5984 --steps import --save import.json\n"
                "  tunecouch run nightly.ini --runs 3\n"
                "  tunecouch run http://db1:5984 --find-batch\n",
    .tables = tables,
    .run = run,
};
