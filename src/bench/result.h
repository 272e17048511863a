/* result: what a session of runs measured: the model, and its versioned JSON store.
 *
 * Everything people look at is made from this alone. Members this version does not know are
 * ignored on reading; a higher major schema is refused. Units are in the JSON names (`wall_s`).
 *
 * Ownership: every pointer below belongs to the struct that holds it; result_free frees all. */
#ifndef BENCH_RESULT_H
#define BENCH_RESULT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/hist.h"
#include "base/json.h"

#define RESULT_SCHEMA_MAJOR 1
#define RESULT_SCHEMA_MINOR 1

/* Largest file read. A tree of cJSON takes up to 64 bytes for 2 of text ("0,"), so this bounds
 * memory at 8 GiB for a hostile file; a real one of this size takes about 1 GiB. */
#define RESULT_FILE_MAX ((size_t)256 << 20)

/* How things ended, by class. Once of requests, once of documents. */
struct counts {
    uint64_t ok;
    uint64_t conflict;        /* 409, or a row with "conflict" that was not our own earlier write */
    uint64_t http_error;      /* any other refusal by the server, of the request or of the row */
    uint64_t transport_error; /* not sent, or broken with the outcome known to be "not done" */
    uint64_t timeout;         /* our deadline passed */
    uint64_t unknown;         /* may or may not have been done */
    uint64_t retried;         /* tries beyond the first; not a class of its own */
};

enum phase_state {
    PHASE_OK,
    PHASE_FAILED,  /* its figures are in no statistic; `reason` says why */
    PHASE_SKIPPED, /* the server cannot do it; `reason` says why */
    PHASE_PARTIAL, /* cut off by Ctrl-C or an earlier failure */
};

/* A figure for each group of items in order (objects' groups, batches): milliseconds. */
struct series {
    char *name; /* "ms per 1,000 objects" */
    size_t n;
    double *ms; /* NAN (null in the file): nothing in this group succeeded */
};

/* A distribution in a few figures; all 0 where count is. */
struct quantiles {
    uint64_t count;
    double min_s, mean_s, p50_s, p90_s, p99_s, max_s;
};

/* What a request's time was spent on. */
enum request_part {
    PART_CONNECT,    /* of requests that opened a connection: until it was there */
    PART_TLS,        /* of those with TLS: until its handshake had ended */
    PART_FIRST_BYTE, /* until the first byte of the answer */
    PART_TRANSFER,   /* from there to its end */
    PARTS
};
extern const char *const request_part_names[]; /* "connect", …, ended by NULL */

/* One second of a phase, by when requests ended. */
struct second {
    uint64_t ok, errors;
    uint64_t sent_bytes, received_bytes;
    double p50_s, p99_s; /* service times, nearest rank: of few requests p99 is the largest; NAN:
                            none succeeded */
};

/* How a plan of starts was kept. */
struct open_loop {
    double asked_per_s;
    bool poisson;
    double plan_s;            /* length of the plan */
    uint64_t planned;         /* starts within it */
    uint64_t started;         /* of them, at any time */
    uint64_t late;            /* of those, more than late_after_s after their time */
    uint64_t waited;          /* started late because max_in_flight were in flight */
    uint64_t missed;          /* not started when the plan's time was over; in no latency */
    uint64_t started_in_time; /* by the end of the plan and a little, see load_plan.c */
    double late_after_s;
    double achieved_per_s; /* started by the time the starting took */
    uint64_t max_in_flight, in_flight_most;
    bool reached; /* the asked-for rate */
};

struct phase_result {
    char *name;  /* stable: "import", "view.artists", "mango.albums", "search.query" */
    char *title; /* as TuneMark prints it: "Import 12189 docs" */
    char *via;   /* "view", "mango", "search"; NULL where there is no such choice */
    enum phase_state state;
    char *reason;                        /* of a state other than OK; NULL otherwise */
    char *item_unit;                     /* singular: "doc", "row", "artist", "update", "object" */
    double wall_s;                       /* phase time */
    uint64_t items;                      /* the divisor of per-item figures, as verified */
    struct counts requests, docs;        /* docs all 0 where the phase writes none */
    uint64_t sent_bytes, received_bytes; /* on the wire, HTTP headers included */
    uint64_t payload_bytes; /* of documents, attachments: what throughput in MB/s is made from */
    uint64_t connections;   /* opened during the phase */
    double client_busy_s; /* of wall_s, our own work: building, folding, judging within the clock */
    bool streamed;        /* bodies were built during the phase, not before its clock */
    struct hist *latency; /* service times of successful requests; NULL: not measured */
    struct hist *response; /* from their planned starts; NULL: there was no plan */
    struct quantiles parts[PARTS];
    struct second *seconds; /* NULL: none */
    size_t seconds_n;
    struct open_loop *open; /* NULL: a closed loop */
    double client_cpu_s;    /* processor time of the thread that sends and receives; 0: not known */
    struct quantiles loop_lag; /* how late its event loop was, looked at every 10 ms */
    uint64_t *raw_ns;          /* service times in order of their ends, as many as were kept */
    uint64_t *raw_response_ns; /* response times of the same; NULL: there was no plan */
    size_t raw_n;
    struct series *series; /* NULL: none */
    size_t series_n;
    cJSON *facts; /* object: whatever else the workload wants kept; NULL: none */
    char **notes; /* sentences that a reader must see beside the figure */
    size_t notes_n;
};

struct run_result {
    int number;  /* from 1 within its spec; warm-up runs count on their own */
    bool warmup; /* in no statistic */
    bool partial;
    int64_t started_ns; /* Unix time */
    char *error;        /* what ended the run early; NULL: nothing did */
    struct phase_result *phases;
    size_t phases_n;
    cJSON *server_before, *server_after; /* objects: info, system, stats; NULL: not read */
};

struct spec_result {
    char *name;     /* unique within the result: "tunemark batch=1000 concurrency=1" */
    char *workload; /* "tunemark" */
    char *client, *server, *network; /* keys into the result's objects of these names */
    cJSON *settings;                 /* object: every option by its name, as text */
    cJSON *work; /* object: what must agree for a comparison (data digest, fold, steps, …) */
    struct run_result *runs;
    size_t runs_n;
};

struct result {
    int schema_major, schema_minor; /* as read; ours when made here */
    char *tool;                     /* "tunecouch 0.1.0" */
    char *label;                    /* the user's word for it; NULL: none */
    int64_t started_ns, ended_ns;
    bool partial;                        /* interrupted */
    cJSON *clients, *servers, *networks; /* objects by key; see doc/result.schema.json */
    struct spec_result *specs;
    size_t specs_n;
};

struct result *result_new(void);
void result_free(struct result *r); /* NULL is fine */

/* Append; the pointer is valid until the next append to the same list. A spec starts with empty
 * settings and work, a run with its place in the list as its number. */
struct spec_result *result_add_spec(struct result *r);
struct run_result *result_add_run(struct spec_result *s);
struct phase_result *result_add_phase(struct run_result *run, const char *name);

/* A sentence; one that is there already is not added again. */
void phase_note(struct phase_result *p, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* Sets state and reason (replacing an earlier one; fmt may be NULL: no reason). */
void phase_end(struct phase_result *p, enum phase_state state, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void phase_series(struct phase_result *p, const char *name, const double *ms, size_t n);

void counts_add(struct counts *into, const struct counts *from);
uint64_t counts_bad(const struct counts *c); /* everything but ok and retried */

/* JSON. result_from_json checks types and ranges of everything it uses and never trusts a file.
 * Figures are kept to 15 significant digits at least. Saving always writes our own schema. */
cJSON *result_to_json(const struct result *r);
struct result *result_from_json(const cJSON *json, struct err *err);
int result_save(const struct result *r, const char *path, struct err *err);
struct result *result_load(const char *path, struct err *err); /* "-": standard input */

/* The first phase of this name in a run, or NULL. */
const struct phase_result *result_phase(const struct run_result *run, const char *name);

/* The phase times of all runs of a spec that count (not warm-up; phase OK): what statistics are
 * made from. The caller frees *seconds; *items is that of the first such run. The count. */
size_t result_phase_times(const struct spec_result *s, const char *phase, double **seconds,
                          uint64_t *items);

#endif
