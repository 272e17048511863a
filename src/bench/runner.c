#include "config.h"

#include "bench/runner.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "base/text.h"
#include "bench/change.h"
#include "bench/connect.h"
#include "bench/enough.h"
#include "bench/host.h"
#include "bench/meter.h"
#include "bench/place.h"
#include "bench/workload.h"

#define ROUND_TRIPS 20 /* connects for the round-trip figure */
#define CLEANUP_TIMEOUT_NS 30000000000u
#define SETTLE_POLL_NS 200000000u /* between two looks at _active_tasks */
#define WARM_MAX 32               /* connections opened ahead of an open loop */
#define LEFT_BYTES_MAX 4e9        /* of databases that wait for the end to be dropped */
#define CLIENT "local"
#define NETWORK "direct"

/* A database of ours that is to be dropped in the end. */
struct left {
    struct place place;
    const struct server_spec *server;
    bool keep; /* or is to stay */
};

/* A spec that is being run. */
struct prepared {
    void *state;   /* the workload's; NULL: not prepared */
    size_t result; /* index into the result's specs */
    uint64_t runs; /* made so far, warm-up included */
    bool done;
};

struct runner {
    const struct plan *plan;
    const struct observer *observer;
    struct result *result;
    struct prepared *prepared; /* of each spec */
    struct err failed;         /* of the first phase that did */
    struct left *left;
    size_t left_n, left_cap;
    double left_bytes; /* their files' size, as far as servers say */
    unsigned position, total;
};

static int64_t unix_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

/* ---- connections ----------------------------------------------------------------------------- */

/* Opens the connections that the load will use, so that no phase pays for them: as many requests
 * on fresh connections as there will be in flight. Their outcome does not matter here. */
static void warm_done(void *arg, struct http_reply *reply)
{
    (void)arg;
    (void)reply;
}

static void warm_up(struct bench *b)
{
    char *url =
        b->db != NULL ? couch_url_db(b->couch, b->db, NULL) : couch_url_server(b->couch, "/");
    uint64_t n = spec_in_flight(b->spec);
    if (b->spec->common.rate > 0 && n > WARM_MAX) {
        n = WARM_MAX; /* how many a plan will need depends on the server */
    }
    for (uint64_t i = 0; i < n; i++) {
        struct http_request r = {.method = HTTP_GET,
                                 .url = url,
                                 .headers = couch_headers(b->couch),
                                 .fresh = true, /* a quick server would answer all on one */
                                 .done = warm_done};
        http_submit(b->http, &r);
    }
    http_run(b->http);
    free(url);
}

/* ---- between phases -------------------------------------------------------------------------- */

static void keep_task(struct run_result *run, const char *seen, double waited_s, bool ended)
{
    if (run->server_before == NULL) {
        return;
    }
    cJSON *list = cJSON_GetObjectItemCaseSensitive(run->server_before, "background_tasks");
    if (list == NULL) {
        list = json_add(run->server_before, "background_tasks", json_array());
    }
    cJSON *task = json_object();
    json_add_str(task, "seen", seen);
    json_add_num(task, "waited_s", waited_s);
    json_add_bool(task, "ended", ended);
    json_append(list, task);
}

/* Waits, within the limit, until the server has no background task that will end; keeps what it
 * saw. `left` gets what goes on all the same, while the phase is measured. */
static void settle(struct bench *b, struct run_result *run, char *left, size_t size)
{
    uint64_t from = uv_hrtime(), limit = b->spec->common.settle_timeout_ns;
    int n = couch_active_tasks(b->couch, NULL, left, size);
    if (left[0] == '\0') {
        return;
    }
    char *first = mem_strdup(left);
    if (n > 0 && b->observer != NULL && b->observer->waiting != NULL) {
        b->observer->waiting(b->observer->arg, first);
    }
    while (n > 0 && uv_hrtime() - from < limit && !stop_wanted()) {
        http_wait(b->http, SETTLE_POLL_NS);
        n = couch_active_tasks(b->couch, NULL, left, size);
    }
    keep_task(run, first, (double)(uv_hrtime() - from) / 1e9, left[0] == '\0');
    free(first);
}

/* ---- one run --------------------------------------------------------------------------------- */

static void tell_phase(const struct bench *b, const struct phase *phase)
{
    if (b->observer != NULL && b->observer->phase_started != NULL) {
        b->observer->phase_started(b->observer->arg, phase->name, phase->via);
    }
}

/* Runs the phases in order. -1 if the run was cut off. */
static int run_phases(struct bench *b, void *state, const char *only, struct run_result *run,
                      struct err *err)
{
    const struct workload *w = b->spec->workload;
    const char *broken = NULL; /* the required phase that failed */
    for (size_t i = 0; i < w->phases_n; i++) {
        const struct phase *phase = &w->phases[i];
        if ((only != NULL && strcmp(phase->name, only) != 0) ||
            (w->wanted != NULL && !w->wanted(state, phase))) {
            continue;
        }
        char left[200];
        settle(b, run, left, sizeof left);
        if (bench_check_stop(err) < 0) {
            return -1;
        }
        struct phase_result *p = result_add_phase(run, phase->name);
        p->via = mem_strdup(phase->via);
        if (broken != NULL) {
            phase_end(p, PHASE_SKIPPED, "not run: %s failed", broken);
            continue;
        }
        if (left[0] != '\0') {
            phase_note(p, "the server was at other work when it began: %s", left);
        }
        b->phase = p;
        tell_phase(b, phase);
        struct err why = ERR_INIT;
        int rc = phase->run(b, state, p, &why);
        meter_free(b->meter); /* of a phase that did not come to its clock */
        b->meter = NULL;
        if (rc < 0) {
            bool cut = stop_wanted();
            phase_end(p, cut ? PHASE_PARTIAL : PHASE_FAILED, "%s", why.text);
            if (cut || why.kind == ERR_UNREACHABLE || why.kind == ERR_AUTH) {
                if (err != NULL) {
                    *err = why;
                }
                return cut ? bench_check_stop(err) : -1;
            }
        }
        if (b->observer != NULL && b->observer->phase_ended != NULL) {
            b->observer->phase_ended(b->observer->arg, p);
        }
        if (p->state == PHASE_FAILED && phase->required) {
            broken = phase->name;
        }
    }
    return 0;
}

/* Whether the quorums asked for can be had: a server without copies ignores them, and CouchDB
 * answers 202 to a write of which fewer copies were made. */
static int check_quorums(const struct spec *spec, const cJSON *cluster, struct err *err)
{
    const struct {
        const char *what;
        uint64_t wanted;
    } rows[] = {{"write-quorum", spec->common.write_quorum},
                {"read-quorum", spec->common.read_quorum}};
    uint64_t copies = json_u64(cluster, "n", 0);
    for (size_t i = 0; i < 2; i++) {
        if (rows[i].wanted != 0 && copies == 0) {
            return err_set(err, ERR_STEP,
                           "--%s: this server says nothing of copies (no cluster in its database's "
                           "info): there would be no quorum",
                           rows[i].what);
        }
        if (rows[i].wanted > copies) {
            return err_set(err, ERR_STEP,
                           "--%s %llu: the database has %llu cop%s of each shard (n in its info)",
                           rows[i].what, (unsigned long long)rows[i].wanted,
                           (unsigned long long)copies, copies == 1 ? "y" : "ies");
        }
    }
    return 0;
}

/* Whether the database has the shards and copies that were asked for: a server may ignore the wish.
 */
static int check_cluster(const struct spec *spec, const cJSON *facts, struct err *err)
{
    const struct {
        const char *what, *member;
        uint64_t wanted;
    } rows[] = {{"shards", "q", spec->common.shards}, {"replicas", "n", spec->common.replicas}};
    const cJSON *cluster = json_get(json_get(facts, "db"), "cluster");
    for (size_t i = 0; i < 2; i++) {
        uint64_t has = json_u64(cluster, rows[i].member, 0);
        if (rows[i].wanted != 0 && has != rows[i].wanted) {
            return err_set(err, ERR_STEP, "--%s %llu: the database has %llu (%s in its info)",
                           rows[i].what, (unsigned long long)rows[i].wanted,
                           (unsigned long long)has, rows[i].member);
        }
    }
    return check_quorums(spec, cluster, err);
}

/* The state after the run, and what the run changed in the server's own counters: their values
 * since the server's start say nothing about a run, so only differences are kept. */
static void server_change(struct run_result *run, cJSON *after)
{
    cJSON *change = change_of(run->server_before, after); /* NULL also when the run was cut off */
    cJSON *both[] = {run->server_before, after};
    for (size_t i = 0; i < 2; i++) {
        cJSON_DeleteItemFromObjectCaseSensitive(both[i], "stats");
        cJSON_DeleteItemFromObjectCaseSensitive(both[i], "system");
    }
    if (change != NULL) {
        json_add(after, "change", change);
    }
    run->server_after = after;
}

/* What is left behind if we are killed now: databases of earlier runs, and where this one works
 * (NULL: nowhere). */
static void note_left(const struct runner *r, const struct place *p, const char *url)
{
    struct buf note = BUF_INIT(BUF_TEXT_MAX);
    if (p != NULL && p->db != NULL) {
        buf_addf(&note, "%s%s on %s", p->ours ? "the database " : "documents in ", p->db, url);
    }
    for (size_t i = 0; i < r->left_n; i++) {
        const struct left *l = &r->left[i];
        if (l->place.db != NULL && !l->keep) {
            buf_addf(&note, "%s%s on %s", note.len > 0 ? ", " : "the database ", l->place.db,
                     l->server->url);
        }
    }
    stop_leaving(note.data);
    buf_free(&note);
}

/* Databases of ours are dropped after the last run, so that no run pays for a deletion; large ones
 * at once, lest the server's disk fills. */
static void leave(struct runner *r, const struct spec *spec, const struct run_result *run,
                  struct couch *c, struct place *place)
{
    struct err trouble = ERR_INIT;
    const cJSON *sizes = json_get(json_get(run->server_after, "db"), "sizes");
    double bytes = json_num(sizes, "file", 0);
    bool large = spec->workload->drop_each_run || r->left_bytes + bytes > LEFT_BYTES_MAX;
    if (large && !spec->common.keep) {
        http_resume(couch_http(c));
        if (place_drop(place, c, &trouble) == 0) {
            place_free(place);
            return;
        }
    }
    r->left = mem_grow(r->left, r->left_n, &r->left_cap, sizeof *r->left);
    r->left[r->left_n++] = (struct left){*place, spec->server, spec->common.keep};
    r->left_bytes += bytes;
}

static int run_once(struct runner *r, size_t index, struct run_result *run, struct err *err)
{
    const struct spec *spec = &r->plan->specs[index];
    void *state = r->prepared[index].state;
    struct place place = {NULL, NULL, false};
    int rc = -1;
    run->started_ns = unix_ns();
    struct couch *c = connect_open(spec->server, (unsigned)spec_in_flight(spec) + 1,
                                   spec->common.timeout_ns, spec->workload->no_database, err);
    if (c == NULL) {
        return -1;
    }
    if (place_open(&place, c, spec, state, err) < 0) {
        goto cleanup;
    }
    if (place.db != NULL) {
        note_left(r, &place, couch_url(c));
    }
    struct bench b = {
        .spec = spec,
        .couch = c,
        .http = couch_http(c),
        .db = place.db,
        .token = place.token,
        .run = (unsigned)run->number,
        .observer = r->observer,
    };
    run->server_before = couch_run_facts(c, place.db);
    rc = check_cluster(spec, run->server_before, err);
    if (rc == 0 && spec->workload->begin != NULL) {
        rc = spec->workload->begin(&b, state, err);
    }
    if (rc == 0) {
        warm_up(&b);
        rc = run_phases(&b, state, r->plan->only_phase, run, err);
        if (spec->workload->end != NULL) {
            spec->workload->end(&b, state);
        }
    }
    http_resume(b.http); /* clean-up passes also after a stop */
    server_change(run, rc == 0 ? couch_run_facts(c, place.db) : NULL);
cleanup:
    if (place.db != NULL && !place.ours && !spec->common.keep) {
        struct err trouble = ERR_INIT;
        http_resume(couch_http(c));
        if (place_clear(&place, c, spec, state, &trouble) < 0) {
            log_warn("%s", trouble.text);
        }
    }
    if (place.ours) {
        leave(r, spec, run, c, &place);
    } else {
        place_free(&place);
    }
    note_left(r, NULL, NULL);
    connect_close(c);
    return rc;
}

/* ---- the end: databases of ours -------------------------------------------------------------- */

static void drop_all(struct runner *r)
{
    struct couch *c = NULL;
    const struct server_spec *to = NULL;
    struct err err = ERR_INIT;
    for (size_t i = 0; i < r->left_n; i++) {
        struct left *l = &r->left[i];
        if (l->keep) {
            log_info("kept: %s on %s", l->place.db, l->server->url);
        } else {
            if (i == 0 || to != l->server) {
                connect_close(c);
                c = connect_cleanup(l->server, CLEANUP_TIMEOUT_NS, &err);
                to = l->server;
            }
            if (c == NULL || place_drop(&l->place, c, &err) < 0) {
                log_warn("the database %s is left on %s: %s", l->place.db, l->server->url,
                         err.text);
            }
        }
        place_free(&l->place);
        note_left(r, NULL, NULL);
    }
    connect_close(c);
    free(r->left);
    stop_leaving(NULL);
}

/* ---- facts ----------------------------------------------------------------------------------- */

/* Reads what a server is, once, and how far away. */
static int meet_server(struct runner *r, const struct spec *spec, struct err *err)
{
    const struct server_spec *s = spec->server;
    if (json_get(r->result->servers, s->key) != NULL) {
        return 0;
    }
    struct couch *c = connect_open(s, 1, 0, spec->workload->no_database, err);
    if (c == NULL) {
        return -1;
    }
    cJSON *facts = json_add(r->result->servers, s->key, couch_server_facts(c));
    json_add_bool(facts, "tls_verified", !s->insecure);
    char *small = couch_url_server(c, "/");
    struct http_request get = {.method = HTTP_GET, .url = small, .headers = couch_headers(c)};
    double least = 0;
    for (int i = 0; i < 10 && !stop_wanted(); i++) {
        struct http_reply reply;
        http_call(couch_http(c), &get, &reply);
        double s_taken = (double)(reply.end_ns - reply.start_ns) / 1e9;
        if (reply.outcome == HTTP_ANSWERED && (least == 0 || s_taken < least)) {
            least = s_taken;
        }
        buf_free(&reply.body);
    }
    free(small);
    struct err why = ERR_INIT;
    uint64_t rtt = http_round_trip(couch_http(c), s->url, ROUND_TRIPS, &why);
    if (rtt > 0) {
        json_add_num(facts, "round_trip_s", (double)rtt / 1e9);
    }
    if (least > 0) {
        json_add_num(facts, "small_request_s", least);
    }
    connect_close(c);
    return bench_check_stop(err);
}

int runner_prepare(struct runner *r, size_t index, struct err *err)
{
    const struct spec *spec = &r->plan->specs[index];
    struct prepared *p = &r->prepared[index];
    if (p->state != NULL) {
        return 0;
    }
    if (spec->workload->prepare(spec, &p->state, err) < 0 || meet_server(r, spec, err) < 0) {
        return -1;
    }
    p->result = r->result->specs_n;
    struct spec_result *s = result_add_spec(r->result);
    s->name = mem_strdup(spec->name);
    s->workload = mem_strdup(spec->workload->name);
    s->client = mem_strdup(CLIENT);
    s->server = mem_strdup(spec->server->key);
    s->network = mem_strdup(NETWORK);
    cJSON_Delete(s->settings); /* empty so far */
    s->settings = spec_to_json(spec);
    json_add_str(s->work, "workload", spec->workload->name);
    spec->workload->describe(p->state, s->work);
    return 0;
}

/* Runs of a spec at most. */
static uint64_t most_runs(const struct spec_settings *c)
{
    return c->warmup + (c->until_ci > 0 ? c->runs_max : c->runs);
}

/* ---- order ----------------------------------------------------------------------------------- */

/* First failed phase of a run, for the message. */
static const struct phase_result *first_failed(const struct run_result *run)
{
    for (size_t i = 0; i < run->phases_n; i++) {
        if (run->phases[i].state == PHASE_FAILED) {
            return &run->phases[i];
        }
    }
    return NULL;
}

/* A rate that was not reached is said at once; with --strict it is what the session ends with,
 * unless something worse happened. */
static void look_at_rate(const struct spec *spec, const struct run_result *run, struct err *failed)
{
    for (size_t i = 0; i < run->phases_n; i++) {
        const struct phase_result *p = &run->phases[i];
        if (p->open == NULL || p->open->reached || p->state == PHASE_PARTIAL) {
            continue;
        }
        struct err why = ERR_INIT;
        err_set(&why, ERR_RATE,
                "%s, run %d: %s: the asked-for rate of %g requests/s was not reached (%.4g/s)",
                spec->name, run->number, p->name, p->open->asked_per_s, p->open->achieved_per_s);
        if (spec->common.strict && failed->kind == ERR_NONE) {
            *failed = why;
        } else {
            log_warn("%s", why.text);
        }
    }
}

int runner_once(struct runner *r, size_t index, struct err *err)
{
    const struct spec *spec = &r->plan->specs[index];
    const struct spec_settings *c = &spec->common;
    struct prepared *prepared = &r->prepared[index];
    if (runner_prepare(r, index, err) < 0) {
        return -1;
    }
    uint64_t number = prepared->runs++;
    bool warmup = number < c->warmup;
    struct run_result *run = result_add_run(&r->result->specs[prepared->result]);
    run->warmup = warmup;
    run->number = (int)(warmup ? number + 1 : number - c->warmup + 1);
    r->position++;
    if (r->observer != NULL && r->observer->run_started != NULL) {
        uint64_t of = warmup ? c->warmup : most_runs(c) - c->warmup;
        r->observer->run_started(r->observer->arg, spec, (unsigned)run->number, (unsigned)of,
                                 r->position, r->total);
    }
    int rc = run_once(r, index, run, err);
    if (rc < 0) {
        run->partial = true;
        run->error = mem_strdup(err->text);
    }
    const struct phase_result *bad = first_failed(run);
    if (bad != NULL && r->failed.kind == ERR_NONE) {
        err_set(&r->failed, ERR_STEP, "%s, run %d: %s failed: %s", spec->name, run->number,
                bad->name, bad->reason);
    }
    look_at_rate(spec, run, &r->failed);
    if (r->observer != NULL && r->observer->run_ended != NULL) {
        r->observer->run_ended(r->observer->arg);
    }
    return rc;
}

const struct spec_result *runner_result(const struct runner *r, size_t index)
{
    const struct prepared *p = &r->prepared[index];
    return p->state != NULL && p->result < r->result->specs_n ? &r->result->specs[p->result] : NULL;
}

/* Whether the spec is done; says so where that depends on what was measured. */
static bool spec_done(struct runner *r, size_t index)
{
    const struct spec *spec = &r->plan->specs[index];
    struct prepared *p = &r->prepared[index];
    struct enough_phase widest;
    if (p->done || !enough_runs(&r->result->specs[p->result], &spec->common, &widest)) {
        return p->done;
    }
    p->done = true;
    if (spec->common.until_ci > 0 && widest.name == NULL) {
        log_warn("%s: no phase to look at has a figure, after %llu runs", spec->name,
                 (unsigned long long)p->runs);
    } else if (spec->common.until_ci > 0 && widest.reach > spec->common.until_ci) {
        char reach[32];
        log_warn("%s: after %llu runs the interval of %s still reaches %s %% from the median",
                 spec->name, (unsigned long long)spec->common.runs_max, widest.name,
                 text_figure(reach, sizeof reach, widest.reach));
    }
    r->total -= (unsigned)(most_runs(&spec->common) - p->runs); /* those that were not needed */
    return true;
}

/* All runs: A B A B, where a spec that is done is left out; or A A B B. */
static int run_all(struct runner *r, struct err *err)
{
    const struct plan *plan = r->plan;
    for (size_t i = 0; i < plan->specs_n; i++) {
        if (runner_prepare(r, i, err) < 0) {
            return -1;
        }
        r->total += (unsigned)most_runs(&plan->specs[i].common);
    }
    for (bool more = true; more;) {
        more = false;
        for (size_t i = 0; i < plan->specs_n; i++) {
            while (!spec_done(r, i)) {
                more = true;
                if (runner_once(r, i, err) < 0) {
                    return -1;
                }
                if (!plan->sequential) {
                    break;
                }
            }
        }
    }
    return 0;
}

struct runner *runner_open(const struct plan *plan, const struct observer *observer,
                           struct result *result)
{
    struct runner *r = mem_zero(1, sizeof *r);
    r->plan = plan;
    r->observer = observer;
    r->result = result;
    r->prepared = mem_zero(plan->specs_n, sizeof *r->prepared);
    for (size_t i = 0; i < plan->specs_n; i++) {
        r->prepared[i].result = SIZE_MAX;
    }
    result->started_ns = unix_ns();
    result->tool = mem_strdup(PACKAGE_STRING);
    result->label = mem_strdup(plan->label);
    json_add(result->clients, CLIENT, host_facts());
    cJSON *network = json_add(result->networks, NETWORK, json_object());
    json_add_str(network, "name", NETWORK);
    return r;
}

int runner_close(struct runner *r, int rc, struct err *err)
{
    r->result->partial = rc < 0;
    drop_all(r);
    for (size_t i = 0; i < r->plan->specs_n; i++) {
        if (r->prepared[i].state != NULL) {
            r->plan->specs[i].workload->release(r->prepared[i].state);
        }
    }
    r->result->ended_ns = unix_ns();
    if (rc == 0 && r->failed.kind != ERR_NONE) {
        *err = r->failed;
        rc = -1;
    }
    free(r->prepared);
    free(r);
    return rc;
}

int runner_run(const struct plan *plan, const struct observer *observer, struct result *result,
               struct err *err)
{
    struct runner *r = runner_open(plan, observer, result);
    return runner_close(r, run_all(r, err), err);
}
