#include "bench/spec.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"
#include "base/text.h"
#include "bench/arrivals.h"
#include "bench/workload.h"

#define AT(member) offsetof(struct spec_settings, member)
#define DURATION_NS UINT64_C(10000000000) /* of a workload without an end, if none is given */

const struct opt spec_options[] = {
    {"workload", 'w', OPT_CHOICE, AT(workload), "tunemark", 0, 0, workload_names, "NAME",
     "What to measure.", OPT_WORK},
    {"runs", 'n', OPT_COUNT, AT(runs), NULL, 1, 100000, NULL, "N",
     "Runs that count. Default: the workload's own (tunemark 10).", 0},
    {"until-ci", 0, OPT_PERCENT, AT(until_ci), NULL, 0.01, 100, NULL, "PERCENT",
     "In place of a number: runs until the 95 % interval of the median of every phase reaches no "
     "further from it than this; at least 6 (or --runs, if more), at most --runs-max.",
     0},
    {"until-ci-phase", 0, OPT_TEXT, AT(until_ci_phase), NULL, 0, 0, NULL, "PHASE",
     "Looks at this phase alone.", 0},
    {"runs-max", 0, OPT_COUNT, AT(runs_max), "100", STATS_CI_MIN, 100000, NULL, "N",
     "Most runs of --until-ci.", 0},
    {"warmup", 0, OPT_COUNT, AT(warmup), "0", 0, 1000, NULL, "N",
     "Runs before them, marked and left out of every statistic.", 0},
    {"concurrency", 'c', OPT_COUNT, AT(concurrency), "1", 1, 10000, NULL, "N",
     "Requests in flight.", OPT_AXIS | OPT_FACTOR},
    {"batch", 'b', OPT_COUNT, AT(batch), "1000", 1, 10000000, NULL, "N",
     "Documents to a _bulk_docs request.", OPT_AXIS | OPT_FACTOR},
    {"batch-bytes", 0, OPT_SIZE, AT(batch_bytes), "16MiB", 1000, 1e9, NULL, "SIZE",
     "Bytes to a _bulk_docs request at most, whatever --batch says.", OPT_AXIS | OPT_FACTOR},
    {"shards", 0, OPT_COUNT, AT(shards), NULL, 1, 1024, NULL, "Q",
     "Shards of a new database (q). Default: the server's.", OPT_AXIS | OPT_FACTOR},
    {"replicas", 0, OPT_COUNT, AT(replicas), NULL, 1, 64, NULL, "N",
     "Copies of each shard (n). Default: the server's.", OPT_AXIS | OPT_FACTOR},
    {"write-quorum", 0, OPT_COUNT, AT(write_quorum), NULL, 1, 64, NULL, "W",
     "Copies that must be written before a write is answered (w). Default: the server's.",
     OPT_AXIS | OPT_FACTOR},
    {"read-quorum", 0, OPT_COUNT, AT(read_quorum), NULL, 1, 64, NULL, "R",
     "Copies that must agree before a read is answered (r). Default: the server's.",
     OPT_AXIS | OPT_FACTOR},
    {"database", 'd', OPT_TEXT, AT(database), NULL, 0, 0, NULL, "NAME",
     "Use this existing database, for those who may not create one. It must be empty, or hold only "
     "an earlier run's documents; ours are removed after each run, the database is never dropped.",
     0},
    {"keep", 0, OPT_FLAG, AT(keep), NULL, 0, 0, NULL, NULL,
     "Leave the databases of the runs where they are, and print their names.", 0},
    {"timeout", 0, OPT_DURATION, AT(timeout_ns), "60s", 1e6, 86400e9, NULL, "TIME",
     "Longest wait for an answer.", 0},
    {"build-timeout", 0, OPT_DURATION, AT(build_timeout_ns), "2h", 1e6, 7 * 86400e9, NULL, "TIME",
     "Longest wait for the first answer of an index, which builds it.", 0},
    {"settle-timeout", 0, OPT_DURATION, AT(settle_timeout_ns), "60s", 0, 86400e9, NULL, "TIME",
     "Between phases, longest wait for the server's background tasks to end.", 0},
    {"retries", 0, OPT_COUNT, AT(retries), "5", 0, 1000, NULL, "N",
     "Tries again of a request answered 429 or 503; the waiting is reported apart.", 0},
    {"keep-raw", 0, OPT_COUNT, AT(keep_raw), "1000", 0, 1e8, NULL, "N",
     "Latencies of each phase kept one by one in the result, besides their histogram.", 0},
    {"prepare-bytes", 0, OPT_SIZE, AT(prepare_bytes), "32MiB", 0, 1e12, NULL, "SIZE",
     "Request bodies are built before the clock starts if all fit in this, else during the phase; "
     "the result says which.",
     OPT_AXIS | OPT_FACTOR},
    {"requests", 0, OPT_COUNT, AT(requests), NULL, 1, 1e12, NULL, "N",
     "How many requests request and mix send.", OPT_WORK},
    {"duration", 0, OPT_DURATION, AT(duration_ns), NULL, 1e6, 30 * 86400e9, NULL, "TIME",
     "How long request and mix go on. Default: 10s, unless --requests is given.", OPT_WORK},
    {"rate", 0, OPT_NUMBER, AT(rate), NULL, 0.001, 1e6, NULL, "N",
     "Requests a second, started by an absolute plan whatever the server does (an open loop), in "
     "place "
     "of --concurrency.",
     OPT_AXIS | OPT_FACTOR},
    {"arrivals", 0, OPT_CHOICE, AT(arrivals), "constant", 0, 0, arrivals_names, "KIND",
     "The plan of --rate: evenly spaced starts, or independent ones.", OPT_AXIS | OPT_FACTOR},
    {"max-in-flight", 0, OPT_COUNT, AT(max_in_flight), "256", 1, 10000, NULL, "N",
     "With --rate, most requests in flight: further starts wait, are late, and the wait is in "
     "their "
     "response time.",
     OPT_AXIS | OPT_FACTOR},
    {"strict", 0, OPT_FLAG, AT(strict), NULL, 0, 0, NULL, NULL,
     "Exit with 5 if --rate was not reached.", 0},
    {"seed", 0, OPT_COUNT, AT(seed), "1", 0, 1e15, NULL, "N",
     "Seed of what is random in a load: arrivals, keys, the order of operations.", OPT_WORK},
    {"allow-errors", 0, OPT_NUMBER, AT(allow_errors), "0", 0, 100, NULL, "PERCENT",
     "Share of the requests of request and mix, or of the objects of objects, that may fail before "
     "a "
     "phase's figures are void. What failed is in no figure in any case.",
     OPT_WORK},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

void server_spec_free(struct server_spec *s)
{
    free(s->key);
    free(s->url);
    free(s->admin_url);
    auth_free(&s->auth);
    free(s->ca_file);
    free(s->client_cert);
    free(s->client_key);
    free(s->proxy);
}

static int check_phase(const struct spec *s, struct err *err)
{
    const char *name = s->common.until_ci_phase;
    const char **names = mem_zero(s->workload->phases_n + 1, sizeof *names);
    int rc = -1;
    for (size_t i = 0; i < s->workload->phases_n; i++) {
        names[i] = s->workload->phases[i].name;
        rc = strcmp(names[i], name) == 0 ? 0 : rc;
    }
    const char *near = rc < 0 ? text_nearest(name, names) : NULL;
    if (rc < 0) {
        err_set(err, ERR_USAGE, "--until-ci-phase: %s has no phase \"%s\"%s%s%s", s->workload->name,
                name, near != NULL ? "; did you mean \"" : "", near != NULL ? near : "",
                near != NULL ? "\"?" : "");
    }
    free(names);
    return rc;
}

/* How many runs. */
static int check_runs(struct spec *s, struct err *err)
{
    struct spec_settings *c = &s->common;
    if (c->until_ci > 0) {
        c->runs = c->runs > STATS_CI_MIN ? c->runs : STATS_CI_MIN;
        if (c->runs_max < c->runs) {
            return err_set(err, ERR_USAGE, "--runs-max %llu is below the least of %llu runs",
                           (unsigned long long)c->runs_max, (unsigned long long)c->runs);
        }
    } else if (c->runs == 0) {
        c->runs = s->workload->runs;
    }
    if (c->until_ci_phase == NULL) {
        return 0;
    }
    return c->until_ci > 0 ? check_phase(s, err)
                           : err_set(err, ERR_USAGE, "--until-ci-phase is of --until-ci");
}

int spec_check(struct spec *s, struct err *err)
{
    struct spec_settings *c = &s->common;
    if (check_runs(s, err) < 0) {
        return -1;
    }
    if (!s->workload->endless) {
        if (c->requests != 0 || c->duration_ns != 0 || c->rate > 0) {
            return err_set(err, ERR_USAGE,
                           "--requests, --duration and --rate are of workloads that have no end of "
                           "their own; %s has",
                           s->workload->name);
        }
        if (c->allow_errors > 0 && !s->workload->tolerant) {
            return err_set(err, ERR_USAGE, "--allow-errors: in %s every count must be right",
                           s->workload->name);
        }
    } else if (c->requests == 0 && c->duration_ns == 0) {
        c->duration_ns = DURATION_NS;
    }
    if (c->strict && !(c->rate > 0)) {
        return err_set(err, ERR_USAGE, "--strict is about --rate, which is not given");
    }
    if (s->workload->no_database && c->database != NULL) {
        return err_set(err, ERR_USAGE, "--database: %s uses none", s->workload->name);
    }
    return s->workload->check != NULL ? s->workload->check(s, err) : 0;
}

uint64_t spec_in_flight(const struct spec *s)
{
    return s->common.rate > 0 ? s->common.max_in_flight : s->common.concurrency;
}

static void add_settings(cJSON *to, const struct opt *options, const void *from)
{
    for (; options->name != NULL; options++) {
        char *text = option_show(options, from);
        json_add_str(to, options->name, text);
        free(text);
    }
}

cJSON *spec_to_json(const struct spec *s)
{
    cJSON *settings = json_object();
    add_settings(settings, spec_options, &s->common);
    add_settings(settings, s->workload->options, s->own);
    return settings;
}
