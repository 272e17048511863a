#include "bench/workload.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stop.h"
#include "bench/load.h"
#include "bench/meter.h"
#include "bench/strain.h"
#include "bench/wl_bulkdocs.h"
#include "bench/wl_mix.h"
#include "bench/wl_objects.h"
#include "bench/wl_request.h"
#include "bench/wl_tunemark.h"

/* One row a workload: the same order in both. */
const struct workload *const workloads[] = {&wl_tunemark, &wl_bulkdocs, &wl_objects,
                                            &wl_request,  &wl_mix,      NULL};
const char *const workload_names[] = {"tunemark", "bulkdocs", "objects", "request", "mix", NULL};

bool workload_ignores(const struct workload *w, const struct opt *common)
{
    for (size_t i = 0; w->unused != NULL && w->unused[i] != NULL; i++) {
        if (strcmp(w->unused[i], common->name) == 0) {
            return true;
        }
    }
    return false;
}

void bench_start(struct bench *b)
{
    http_counters(b->http, &b->at_start);
    b->strain = strain_start(http_loop(b->http));
    b->started_ns = uv_hrtime();
    meter_start(bench_meter(b), b->started_ns);
}

void bench_stop(struct bench *b)
{
    uint64_t now = uv_hrtime();
    struct http_counters end;
    http_counters(b->http, &end);
    struct phase_result *p = b->phase;
    strain_stop(b->strain, p);
    b->strain = NULL;
    meter_into(b->meter, p);
    meter_free(b->meter);
    b->meter = NULL;
    p->wall_s = (double)(now - b->started_ns) / 1e9;
    p->sent_bytes = end.sent_bytes - b->at_start.sent_bytes;
    p->received_bytes = end.received_bytes - b->at_start.received_bytes;
    p->connections = end.connections - b->at_start.connections;
}

void bench_load(const struct bench *b, struct load *l)
{
    const struct spec_settings *c = &b->spec->common;
    l->concurrency = (unsigned)c->concurrency;
    l->limit = c->requests;
    l->duration_ns = c->duration_ns;
    if (c->rate > 0) {
        l->concurrency = (unsigned)c->max_in_flight;
        l->rate = c->rate;
        l->arrivals = (enum arrivals_kind)c->arrivals;
        l->seed = c->seed;
    }
}

void bench_loaded(struct bench *b, const struct load *l)
{
    struct phase_result *p = b->phase;
    counts_add(&p->requests, &l->requests);
    p->client_busy_s += (double)l->busy_ns / 1e9;
    if (l->rate > 0) {
        p->open = mem_alloc(sizeof *p->open);
        *p->open = l->open;
        if (!l->open.reached && !stop_wanted()) {
            phase_note(p, "the asked-for rate of %g requests/s was not reached: %.4g/s were sent",
                       l->open.asked_per_s, l->open.achieved_per_s);
        }
    }
    bench_waited(p, l);
}

void bench_waited(struct phase_result *p, const struct load *l)
{
    if (l->waits > 0) {
        p->facts = p->facts != NULL ? p->facts : json_object();
        json_add_u64(p->facts, "waits", l->waits);
        json_add_num(p->facts, "waited_s", (double)l->waited_ns / 1e9);
        phase_note(p, "the server asked to wait %llu times; %.3f s of the phase were spent so",
                   (unsigned long long)l->waits, (double)l->waited_ns / 1e9);
    }
}

bool bench_too_many_errors(struct bench *b, struct phase_result *p, const char *first_error)
{
    uint64_t bad = counts_bad(&p->requests), all = bad + p->requests.ok;
    double percent = all > 0 ? 100 * (double)bad / (double)all : 0;
    if (bad == 0 || (percent <= b->spec->common.allow_errors && p->requests.ok > 0)) {
        return false;
    }
    bool said = first_error != NULL && first_error[0] != '\0';
    phase_end(p, PHASE_FAILED, "%llu of %llu requests failed%s%s", (unsigned long long)bad,
              (unsigned long long)all, said ? ": " : "", said ? first_error : "");
    return true;
}

void bench_progress(struct bench *b, uint64_t done, uint64_t total, uint64_t errors)
{
    if (b->observer != NULL && b->observer->progress != NULL) {
        b->observer->progress(b->observer->arg, done, total, errors);
    }
}

struct meter *bench_meter(struct bench *b)
{
    if (b->meter == NULL) {
        b->meter = meter_new((size_t)b->spec->common.keep_raw);
    }
    return b->meter;
}

int bench_check_stop(struct err *err)
{
    return stop_wanted() ? err_set(err, ERR_INTERRUPTED, "interrupted") : 0;
}

int bench_call(struct bench *b, const struct http_request *request, struct http_reply *reply,
               struct err *err)
{
    http_call(b->http, request, reply);
    counts_reply(&b->phase->requests, reply);
    meter_add(bench_meter(b), reply, 0);
    if (reply->outcome == HTTP_ANSWERED && reply->status / 100 == 2) {
        return 0;
    }
    if (bench_check_stop(err) < 0) {
        return -1;
    }
    return couch_explain(b->couch, request->method, request->url, reply, err);
}

int bench_build(struct bench *b, struct phase_result *p, const char *ddoc, const char *ddoc_json,
                const struct http_request *first, struct http_reply *reply, struct err *err)
{
    struct http_request request = *first;
    request.timeout_ns = b->spec->common.build_timeout_ns;
    memset(reply, 0, sizeof *reply);
    bench_start(b);
    int rc = couch_ddoc_put(b->couch, b->db, ddoc, ddoc_json, err);
    if (rc == 0) {
        p->requests.ok++;
        rc = bench_call(b, &request, reply, err);
    }
    bench_stop(b);
    return rc;
}

void bench_below_quorum(struct phase_result *p, uint64_t answers)
{
    if (answers > 0) {
        phase_note(p,
                   "%llu writes were answered 202: fewer copies had been written than the quorum "
                   "asks for",
                   (unsigned long long)answers);
    }
}

bool bench_wrong(struct phase_result *p, uint64_t got, uint64_t want, const char *what,
                 const char *first_error)
{
    bool said = first_error != NULL && first_error[0] != '\0';
    if (got != want) {
        phase_end(p, PHASE_FAILED, "%llu %s, expected %llu%s%s", (unsigned long long)got, what,
                  (unsigned long long)want, said ? ": " : "", said ? first_error : "");
        return true;
    }
    uint64_t bad = counts_bad(&p->requests) + counts_bad(&p->docs);
    if (bad > 0) {
        phase_end(p, PHASE_FAILED, "%llu errors%s%s", (unsigned long long)bad, said ? ": " : "",
                  said ? first_error : "");
        return true;
    }
    return false;
}

void bench_check_stored(struct bench *b, struct phase_result *p, uint64_t want)
{
    cJSON *info = NULL;
    double stored = -1;
    if (couch_db_info(b->couch, b->db, &info, NULL) == 1) {
        stored = json_num(info, "doc_count", -1);
    }
    cJSON_Delete(info);
    if (stored >= 0) {
        bench_wrong(p, (uint64_t)stored, want, "documents in the database", NULL);
    } else { /* to list them all would do work that a later phase is to be charged with */
        phase_note(p, "the server does not say how many documents it holds: each is counted by the "
                      "answer to its own write alone");
    }
}

char *bench_ddoc(const char *what, const char *token)
{
    return mem_printf("tunecouch-%s-%s", what, token);
}

char *bench_view_json(const struct bench *b, const char *map, const char *reduce)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    char *marked = mem_printf("%s /* %s */", map, b->token);
    buf_adds(&out, "{\"language\":\"javascript\",");
    if (!couch_dialect(b->couch)->ddoc_strict) {
        buf_adds(&out, "\"autoupdate\":false,"); /* not built before it is asked for */
    }
    buf_adds(&out, "\"views\":{\"rows\":{\"map\":");
    json_quote(&out, marked, strlen(marked));
    if (reduce != NULL) {
        buf_adds(&out, ",\"reduce\":");
        json_quote(&out, reduce, strlen(reduce));
    }
    buf_adds(&out, "}}}");
    free(marked);
    return buf_take(&out, NULL);
}
