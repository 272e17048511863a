/* spec: plain settings: what one measurement is, free of command lines and job files. */
#ifndef BENCH_SPEC_H
#define BENCH_SPEC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/json.h"
#include "base/option.h"
#include "couch/auth.h"

struct workload;

/* Settings that every workload has. Option names and defaults: spec_options. */
struct spec_settings {
    int workload;               /* index into workload_names */
    uint64_t runs;              /* measured; 0: the workload's own default */
    double until_ci;            /* percent: runs until the interval is within it; 0: `runs` */
    char *until_ci_phase;       /* of this phase alone; NULL: of every one */
    uint64_t runs_max;          /* with until_ci */
    uint64_t warmup;            /* runs before them, marked and left out */
    uint64_t concurrency;       /* requests in flight */
    uint64_t batch;             /* documents to a _bulk_docs request */
    uint64_t batch_bytes;       /* bytes to a _bulk_docs body at most */
    uint64_t shards;            /* q; 0: as the server has it */
    uint64_t replicas;          /* n; 0: as the server has it */
    uint64_t write_quorum;      /* w; 0: as the server has it */
    uint64_t read_quorum;       /* r; 0: as the server has it */
    uint64_t timeout_ns;        /* of one request */
    uint64_t build_timeout_ns;  /* of the first answer of an index */
    uint64_t settle_timeout_ns; /* wait for background tasks between phases at most */
    uint64_t retries;           /* of a request answered 429 or 503 */
    uint64_t prepare_bytes;     /* bodies built before the clock, at most */
    char *database;             /* an existing one to use; NULL: a fresh one each run */
    bool keep;                  /* leave the databases */
    uint64_t keep_raw;          /* latencies of a phase kept one by one, at most */

    /* of workloads that go on for as long as they are told */
    uint64_t requests;      /* sent in all; 0: by duration */
    uint64_t duration_ns;   /* 0: by requests */
    double rate;            /* requests a second by plan; 0: a closed loop */
    int arrivals;           /* enum arrivals_kind */
    uint64_t max_in_flight; /* with a rate */
    bool strict;            /* a rate that was not reached is a failure */
    uint64_t seed;          /* of whatever is random in a load */
    double allow_errors;    /* percent of the requests that may fail before the phase does */
};

extern const struct opt spec_options[];

/* A server as it is reached: where, who we are, how. */
struct server_spec {
    char *key;       /* unique in the plan, for results: "db1:5984" */
    char *url;       /* clean */
    char *admin_url; /* NULL: none */
    struct auth auth;
    char *ca_file, *client_cert, *client_key, *proxy; /* NULL: none */
    bool insecure, http2;
};
void server_spec_free(struct server_spec *s); /* what it holds, not itself */

struct spec {
    char *name; /* unique in the plan: "tunemark", "tunemark batch=100 concurrency=4" */
    const struct workload *workload;
    struct spec_settings common;
    void *own; /* the workload's own settings struct */
    const struct server_spec *server;
};

/* Refuses what contradicts itself (the workload's own check too), and fills defaults that depend on
 * other settings. */
int spec_check(struct spec *s, struct err *err);

/* Requests in flight at most. */
uint64_t spec_in_flight(const struct spec *s);

/* Every option of the spec as text, by name, in the order of the tables. */
cJSON *spec_to_json(const struct spec *s);

#endif
