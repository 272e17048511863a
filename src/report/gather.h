/* gather: the results to report as columns (one a spec) of steps (one a phase, over its runs), with
 * the statistics every format prints. Borrows from the results, which must outlive it. */
#ifndef REPORT_GATHER_H
#define REPORT_GATHER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stats.h"
#include "bench/result.h"

/* One phase of one spec, over the runs that count (not warm-up). */
struct step {
    const char *name;
    const char *plain;      /* its title as saved */
    char *title;            /* own: the title, with its via where two steps of the spec share one */
    const char *via;        /* "" where there is no choice */
    const char *unit;       /* of items, singular */
    uint64_t items;         /* of the first run whose time counts; of an endless workload what the
                             * median rate does in the median time */
    uint64_t payload_bytes; /* of these */
    size_t runs;            /* that have this phase */
    size_t n;               /* of them ended well: the times below */
    double *seconds;        /* own */
    double *per_item;       /* own: seconds by the items of each; 0 where it has none */
    struct stats_summary s;
    struct stats_summary per;        /* of per_item, of an endless workload; else all 0 */
    size_t failed, skipped, partial; /* of the others */
    const char *reason;              /* the first one's; "" if none was given */
    struct counts requests, docs;    /* over all of `runs` */
    double busy;        /* the largest share of a run's time in which the client itself worked */
    bool streamed;      /* in any */
    const char **notes; /* own list: each text once */
    size_t notes_n;
};

struct column {
    const struct result *result;
    const struct spec_result *spec;
    const cJSON *server, *client, *network; /* NULL: not in the result */
    char *label;                            /* own: what sets it apart from the other columns */
    struct step *steps;                     /* own; in order of first appearance */
    size_t steps_n;
    size_t runs, warmups; /* runs that count; runs that do not */
    bool partial;         /* a run that counts was cut short */
};

struct view {
    struct column *columns;
    size_t n;
};

struct view *view_new(const struct result *const *results, size_t n);
void view_free(struct view *v);

/* Whether its phases end by a time or a number of requests that was set, so that the amount done is
 * no property of the work. */
bool column_endless(const struct column *c);

/* What two specs are compared by: seconds, or seconds an item where a column is endless. */
const double *step_figures(const struct column *c, const struct step *s);

const struct step *column_step(const struct column *c, const char *name); /* NULL: not there */

/* "Apache CouchDB 3.5.0", "unknown server" */
void column_server(const struct column *c, char *out, size_t size);

/* The values of a series by this name of a phase: the median over the runs that count, group by
 * group (NAN where no run has a figure). The caller frees. Returns how many groups; *runs says over
 * how many runs. */
size_t step_series(const struct column *c, const struct step *s, const char *series, double **ms,
                   size_t *runs);

/* Request latencies of a step over its runs that count and ended well; NULL: none were kept. The
 * caller frees. */
struct hist *step_latency(const struct column *c, const struct step *s);
/* The same of response times, from planned starts. */
struct hist *step_response(const struct column *c, const struct step *s);

/* What the client had to do for a step, in the worst of the runs that count. */
struct strain_seen {
    double cpu;   /* share of a core that its thread used */
    double lag_s; /* mean lag of its event loop, of the run where it was largest against median_s */
    double median_s; /* median service time of that run */
};
struct strain_seen step_strain(const struct column *c, const struct step *s);

/* Of the last run that counts and ended well, or NULL. */
const struct phase_result *step_last(const struct column *c, const struct step *s);

/* The name of the i-th series of a phase in the first run that has it, or NULL. */
const char *step_series_name(const struct column *c, const struct step *s, size_t i);

#endif
