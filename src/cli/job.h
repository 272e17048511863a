/* job: a job file: what the command line says, written down, with several experiments.
 *
 *     [global]                 options for the session and for all experiments
 *     [server NAME]            url, and how it is reached
 *     [experiment NAME]        what is measured; [NAME] alone is the same
 *
 * Names and values are the command line's. A value of the command line goes over one of an
 * experiment or server, which goes over one of [global], which goes over the default. */
#ifndef CLI_JOB_H
#define CLI_JOB_H

#include <stdbool.h>

#include "base/inifile.h"
#include "base/option.h"
#include "bench/plan.h"

/* Which option tables are what, by index into the command's. */
struct job_tables {
    const struct option_table *tables;
    size_t n;
    size_t server;                   /* how a server is reached */
    size_t plan;                     /* from here on: the plan's; all others are the session's */
    const struct option_list *under; /* values in place of the defaults; NULL: none */
};

struct job_section {
    char *name;  /* NULL: [global] */
    size_t line; /* of its header */
    struct option_list
        given; /* values of job_tables; those of index n are the section's own (url) */
};

struct job {
    char *file; /* as messages name it */
    struct job_section global;
    struct job_section *servers, *experiments;
    size_t servers_n, servers_cap, experiments_n, experiments_cap;
    bool workload_unknown; /* a workload was refused: which options go with it cannot be judged */
};

/* Reads a file ("-": standard input). Everything wrong with it goes into `bad`; what is right is in
 * `job` (free with job_free in any case). ERR_IO or ERR_USAGE if there is no reading it at all. */
int job_read(struct job *job, const char *path, const struct job_tables *tables,
             struct problems *bad, struct err *err);
void job_free(struct job *job);

/* Makes the plan: of the file's experiments, or of the command line alone (job NULL), on the URLs
 * among the command line's operands, or else the servers of the file. `dry`: credentials are
 * neither read nor asked for. What contradicts goes into `bad`, with lines of the file where there
 * is one; -1 with `err` for anything else (credentials). The plan (free with plan_free in any case)
 * can be used if it returns 0 and added no problem. */
int job_plan(const struct job *job, const struct job_tables *tables, const struct option_list *line,
             char *const *urls, size_t urls_n, bool dry, struct plan *plan, struct problems *bad,
             struct err *err);

/* The text of the last value of `name` given among a section's own, or NULL. */
const char *job_own(const struct job_section *s, const struct job_tables *tables, const char *name);

#endif
