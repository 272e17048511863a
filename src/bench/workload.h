/* workload: what is measured, as a table of phases. A new workload is one file with one const
 * `struct workload`, and its row in workload.c. */
#ifndef BENCH_WORKLOAD_H
#define BENCH_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/json.h"
#include "base/option.h"
#include "bench/observer.h"
#include "bench/result.h"
#include "bench/spec.h"
#include "couch/couch.h"

/* What a phase works with: one run of one spec. */
struct bench {
    const struct spec *spec;
    struct couch *couch;
    struct http *http; /* couch_http(couch) */
    const char *db;    /* the run's database; NULL: it has none */
    const char *token; /* unique to the run: fresh names and signatures of design documents */
    unsigned run;      /* number of the run, for labels */
    const struct observer *observer;
    struct phase_result *phase; /* the one that runs */

    /* the phase clock: see bench_start */
    uint64_t started_ns;
    struct http_counters at_start;
    struct meter *meter;   /* of the phase; see bench_meter */
    struct strain *strain; /* from start to stop */
};

struct phase {
    const char *name;
    const char *via; /* NULL, "view", "mango", "search" */
    /* Measures and verifies. 0: the phase has ended, its state says how. -1: the run cannot go on
     * (interrupted, server gone); `err` says why. */
    int (*run)(struct bench *b, void *state, struct phase_result *p, struct err *err);
    bool required; /* when it fails, the later phases are not run */
    int step;      /* the workload's own number, for `wanted` */
};

/* What a phase will send: requests, and bytes of their bodies. */
struct estimate {
    uint64_t requests, bytes;
};

struct workload {
    const char *name;
    const char *summary;
    const struct opt *options; /* its own; ended by a NULL name */
    size_t settings_size;      /* bytes of its own settings struct */
    unsigned runs;             /* default number */
    bool drop_each_run;        /* its databases are large: dropped after each run, not in the end */
    bool no_database;          /* has none of its own, and what answers need not be a CouchDB */
    bool tolerant;             /* --allow-errors: what failed is in no figure, and ends nothing */
    bool endless;              /* goes on for as long as it is told: --duration or --requests */
    /* Common options that mean nothing to it, ended by NULL: refused, lest a result tells of a
     * setting that changed nothing. NULL: none. */
    const char *const *unused;
    const struct phase *phases;
    size_t phases_n;
    const char *bulk_phase; /* that writes in batches, and can be run alone; NULL: none */
    const char *const
        *ddocs; /* design documents of a run (bench_ddoc), ended by NULL; NULL: none */

    /* Contradictions between options; NULL: none possible. */
    int (*check)(const struct spec *spec, struct err *err);
    /* Once a spec, before any run: opens data, works out what must come back. */
    int (*prepare)(const struct spec *spec, void **state, struct err *err);
    /* Adds what must agree for a comparison. */
    void (*describe)(const void *state, cJSON *work);
    /* Whether a phase is part of this spec (steps and ways chosen). */
    bool (*wanted)(const void *state, const struct phase *phase);
    /* What a phase of a run will send, for --dry-run; nothing is sent. NULL: cannot be known. */
    int (*estimate)(void *state, const struct spec *spec, const struct phase *phase,
                    struct estimate *out, struct err *err);
    /* Around each run: outside every clock. */
    int (*begin)(struct bench *b, void *state, struct err *err);
    void (*end)(struct bench *b, void *state);
    /* The next id of a document that a run writes, NULL after the last; `again`: from the first.
     * For taking them out of a database that is not ours to drop. */
    int (*ids)(void *state, bool again, const char **id, struct err *err);
    void (*release)(void *state);
};

extern const struct workload *const workloads[]; /* ended by NULL */
extern const char *const workload_names[];       /* the same, by name */

/* Whether a common option means nothing to a workload. */
bool workload_ignores(const struct workload *w, const struct opt *common);

/* The phase clock. bench_start stamps the time and the engine's counters; bench_stop fills
 * wall_s, bytes and connections of the phase, and all that was noted of its requests. What happens
 * between the two is the phase. */
void bench_start(struct bench *b);
void bench_stop(struct bench *b);

/* For workloads without an end: sets up a load as the spec says (how many at once, for how long),
 * and takes over what it counted, after bench_stop. */
struct load;
void bench_load(const struct bench *b, struct load *l);
void bench_loaded(struct bench *b, const struct load *l);

/* How often and how long a load waited because the server asked for it, into the phase. */
void bench_waited(struct phase_result *p, const struct load *l);

/* Fails the phase if more of its requests failed than --allow-errors allows, or none went well:
 * true if so. */
bool bench_too_many_errors(struct bench *b, struct phase_result *p, const char *first_error);

/* Progress of the running phase: `done` of `total` items (0: not known), errors so far. */
void bench_progress(struct bench *b, uint64_t done, uint64_t total, uint64_t errors);

/* One blocking request inside the phase clock, counted in the phase: requests by class, latency.
 * The reply is left in *reply (free its body). 0 if it was answered 2xx. */
int bench_call(struct bench *b, const struct http_request *request, struct http_reply *reply,
               struct err *err);

/* The name of a run's design document, "tunecouch-WHAT-TOKEN"; the caller frees. `what` is listed
 * in the workload's `ddocs`. */
char *bench_ddoc(const char *what, const char *token);

/* {"views":{"rows":{…}}}, to be put as a design document; `map` and `reduce` (or NULL) are
 * JavaScript. The run's token in it makes its signature fresh: no server has an index of it. The
 * caller frees. */
char *bench_view_json(const struct bench *b, const char *map, const char *reduce);

/* Puts a design document and waits for the answer of `first`, which builds the index: both within
 * the phase clock. The answer is left in *reply (free its body). */
int bench_build(struct bench *b, struct phase_result *p, const char *ddoc, const char *ddoc_json,
                const struct http_request *first, struct http_reply *reply, struct err *err);

/* A note on writes of which the server made fewer copies than it was to (202): 0 is none. */
void bench_below_quorum(struct phase_result *p, uint64_t answers);

/* Fails the phase if its count is wrong or not every request was answered well: true if so. `what`
 * names the items; first_error may be NULL. */
bool bench_wrong(struct phase_result *p, uint64_t got, uint64_t want, const char *what,
                 const char *first_error);

/* The same for the number of documents that the server says the database holds, where it does. */
void bench_check_stored(struct bench *b, struct phase_result *p, uint64_t want);

/* Where the phase's requests are noted; bench_stop puts it into the phase. Made on first use. */
struct meter *bench_meter(struct bench *b);

/* ERR_INTERRUPTED if a stop was asked for. */
int bench_check_stop(struct err *err);

#endif
