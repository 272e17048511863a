#include "config.h"

#include "bench/runner.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/stop.h"
#include "bench/change.h"
#include "bench/connect.h"
#include "bench/host.h"
#include "bench/place.h"
#include "bench/workload.h"

#define ROUND_TRIPS 20 /* connects for the round-trip figure */
#define CLEANUP_TIMEOUT_NS 30000000000u
#define SETTLE_POLL_NS 200000000u /* between two looks at _active_tasks */
#define CLIENT "local"
#define NETWORK "direct"

/* A database of ours that is to be dropped in the end. */
struct left {
    struct place place;
    const struct server_spec *server;
};

struct runner {
    const struct plan *plan;
    const struct observer *observer;
    struct result *result;
    void **states; /* of each spec; prepared at the start */
    struct left *left;
    size_t left_n, left_cap;
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
    for (uint64_t i = 0; i < b->spec->common.concurrency; i++) {
        struct http_request r = {.method = HTTP_GET,
                                 .url = url,
                                 .headers = couch_headers(b->couch),
                                 .fresh = true,
                                 .done = warm_done};
        http_submit(b->http, &r);
    }
    http_run(b->http);
    free(url);
}

/* ---- between phases -------------------------------------------------------------------------- */

/* Waits, within the limit, until the server has no background task; notes what it saw. */
static void settle(struct bench *b, struct run_result *run)
{
    char seen[200];
    uint64_t from = uv_hrtime(), limit = b->spec->common.settle_timeout_ns;
    int n = couch_active_tasks(b->couch, NULL, seen, sizeof seen);
    if (n <= 0) {
        return;
    }
    char *first = mem_strdup(seen);
    if (b->observer != NULL && b->observer->waiting != NULL) {
        b->observer->waiting(b->observer->arg, first);
    }
    while (n > 0 && uv_hrtime() - from < limit && !stop_wanted()) {
        http_wait(b->http, SETTLE_POLL_NS);
        n = couch_active_tasks(b->couch, NULL, seen, sizeof seen);
    }
    if (run->server_before != NULL) {
        cJSON *list = cJSON_GetObjectItemCaseSensitive(run->server_before, "background_tasks");
        if (list == NULL) {
            list = json_add(run->server_before, "background_tasks", json_array());
        }
        cJSON *task = json_object();
        json_add_str(task, "seen", first);
        json_add_num(task, "waited_s", (double)(uv_hrtime() - from) / 1e9);
        json_add_bool(task, "ended", n <= 0);
        json_append(list, task);
    }
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
static int run_phases(struct bench *b, void *state, struct run_result *run, struct err *err)
{
    const struct workload *w = b->spec->workload;
    const char *broken = NULL; /* the required phase that failed */
    for (size_t i = 0; i < w->phases_n; i++) {
        const struct phase *phase = &w->phases[i];
        if (w->wanted != NULL && !w->wanted(state, phase)) {
            continue;
        }
        settle(b, run);
        if (bench_check_stop(err) < 0) {
            return -1;
        }
        struct phase_result *p = result_add_phase(run, phase->name);
        p->via = mem_strdup(phase->via);
        if (broken != NULL) {
            phase_end(p, PHASE_SKIPPED, "not run: %s failed", broken);
            continue;
        }
        b->phase = p;
        tell_phase(b, phase);
        struct err why = ERR_INIT;
        int rc = phase->run(b, state, p, &why);
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
    return 0;
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

/* What is left behind if we are killed now. */
static void note_left(const struct place *p, const struct couch *c)
{
    char *note =
        mem_printf("%s%s on %s", p->ours ? "the database " : "documents in ", p->db, couch_url(c));
    stop_leaving(note);
    free(note);
}

/* Databases of ours are dropped after the last run, so that no run pays for a deletion; large ones
 * at once, lest the server's disk fills. */
static void leave(struct runner *r, const struct spec *spec, struct couch *c, struct place *place)
{
    struct err trouble = ERR_INIT;
    if (spec->workload->drop_each_run && !spec->common.keep) {
        http_resume(couch_http(c));
        if (place_drop(place, c, &trouble) == 0) {
            place_free(place);
            stop_leaving(NULL);
            return;
        }
    }
    r->left = mem_grow(r->left, r->left_n, &r->left_cap, sizeof *r->left);
    r->left[r->left_n++] = (struct left){*place, spec->server};
}

static int run_once(struct runner *r, size_t index, struct run_result *run, struct err *err)
{
    const struct spec *spec = &r->plan->specs[index];
    void *state = r->states[index];
    struct place place = {NULL, NULL, false};
    int rc = -1;
    run->started_ns = unix_ns();
    struct couch *c = connect_open(spec->server, (unsigned)spec->common.concurrency + 1,
                                   spec->common.timeout_ns, spec->workload->no_database, err);
    if (c == NULL) {
        return -1;
    }
    if (place_open(&place, c, spec, state, err) < 0) {
        goto cleanup;
    }
    if (place.db != NULL) {
        note_left(&place, c);
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
        rc = run_phases(&b, state, run, err);
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
        leave(r, spec, c, &place);
    } else {
        place_free(&place);
        stop_leaving(NULL);
    }
    connect_close(c);
    return rc;
}

/* ---- the end: databases of ours -------------------------------------------------------------- */

static void drop_all(struct runner *r)
{
    struct couch *c = NULL;
    const struct server_spec *to = NULL;
    for (size_t i = 0; i < r->left_n; i++) {
        struct left *l = &r->left[i];
        bool keep = r->plan->specs[0].common.keep;
        if (keep) {
            log_info("kept: %s on %s", l->place.db, l->server->url);
        } else {
            struct err err = ERR_INIT;
            if (to != l->server) {
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

static int prepare(struct runner *r, struct err *err)
{
    r->states = mem_zero(r->plan->specs_n, sizeof *r->states);
    json_add(r->result->clients, CLIENT, host_facts());
    cJSON *network = json_add(r->result->networks, NETWORK, json_object());
    json_add_str(network, "name", NETWORK);
    for (size_t i = 0; i < r->plan->specs_n; i++) {
        const struct spec *spec = &r->plan->specs[i];
        if (spec->workload->prepare(spec, &r->states[i], err) < 0 ||
            meet_server(r, spec, err) < 0) {
            return -1;
        }
        struct spec_result *s = result_add_spec(r->result);
        s->name = mem_strdup(spec->name);
        s->workload = mem_strdup(spec->workload->name);
        s->client = mem_strdup(CLIENT);
        s->server = mem_strdup(spec->server->key);
        s->network = mem_strdup(NETWORK);
        cJSON_Delete(s->settings); /* empty so far */
        s->settings = spec_to_json(spec);
        json_add_str(s->work, "workload", spec->workload->name);
        spec->workload->describe(r->states[i], s->work);
        r->total += (unsigned)(spec->common.runs + spec->common.warmup);
    }
    return 0;
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

static int run_spec(struct runner *r, size_t index, uint64_t number, struct err *failed,
                    struct err *err)
{
    const struct spec *spec = &r->plan->specs[index];
    bool warmup = number < spec->common.warmup;
    struct run_result *run = result_add_run(&r->result->specs[index]);
    run->warmup = warmup;
    run->number = (int)(warmup ? number + 1 : number - spec->common.warmup + 1);
    r->position++;
    if (r->observer != NULL && r->observer->run_started != NULL) {
        r->observer->run_started(r->observer->arg, spec, (unsigned)run->number,
                                 (unsigned)(warmup ? spec->common.warmup : spec->common.runs),
                                 r->position, r->total);
    }
    int rc = run_once(r, index, run, err);
    if (rc < 0) {
        run->partial = true;
        run->error = mem_strdup(err->text);
    }
    const struct phase_result *bad = first_failed(run);
    if (bad != NULL && failed->kind == ERR_NONE) {
        err_set(failed, ERR_STEP, "%s, run %d: %s failed: %s", spec->name, run->number, bad->name,
                bad->reason);
    }
    if (r->observer != NULL && r->observer->run_ended != NULL) {
        r->observer->run_ended(r->observer->arg);
    }
    return rc;
}

/* All runs, A B A B, or A A B B. */
static int run_all(struct runner *r, struct err *failed, struct err *err)
{
    const struct plan *plan = r->plan;
    uint64_t rounds = 0;
    for (size_t i = 0; i < plan->specs_n; i++) {
        uint64_t n = plan->specs[i].common.runs + plan->specs[i].common.warmup;
        rounds = n > rounds ? n : rounds;
    }
    for (uint64_t outer = 0; outer < (plan->sequential ? plan->specs_n : rounds); outer++) {
        for (uint64_t inner = 0; inner < (plan->sequential ? rounds : plan->specs_n); inner++) {
            size_t index = plan->sequential ? outer : inner;
            uint64_t number = plan->sequential ? inner : outer;
            const struct spec_settings *c = &plan->specs[index].common;
            if (number < c->runs + c->warmup && run_spec(r, index, number, failed, err) < 0) {
                return -1;
            }
        }
    }
    return 0;
}

int runner_run(const struct plan *plan, const struct observer *observer, struct result *result,
               struct err *err)
{
    struct runner r = {.plan = plan, .observer = observer, .result = result};
    struct err failed = ERR_INIT;
    result->started_ns = unix_ns();
    result->tool = mem_strdup(PACKAGE_STRING);
    result->label = mem_strdup(plan->label);
    int rc = prepare(&r, err);
    if (rc == 0) {
        rc = run_all(&r, &failed, err);
    }
    result->partial = rc < 0;
    drop_all(&r);
    for (size_t i = 0; r.states != NULL && i < plan->specs_n; i++) {
        if (r.states[i] != NULL) {
            plan->specs[i].workload->release(r.states[i]);
        }
    }
    free(r.states);
    result->ended_ns = unix_ns();
    if (rc == 0 && failed.kind != ERR_NONE) {
        *err = failed;
        rc = -1;
    }
    return rc;
}
