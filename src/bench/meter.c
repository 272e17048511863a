#include "bench/meter.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define SECOND_NS UINT64_C(1000000000)
#define SECONDS_MAX ((size_t)100000) /* 28 hours; what comes later is in no second */

struct meter {
    struct hist *service, *response; /* response NULL: no plan */
    struct hist *parts[PARTS];       /* NULL: none yet */
    struct hist *recent;             /* service times of the second that runs */
    struct second running;
    uint64_t second_ends_ns;
    struct second *seconds;
    size_t seconds_n, seconds_cap;
    uint64_t *raw, *raw_response;
    size_t raw_n, raw_cap, raw_response_cap, raw_max;
    struct http_counters traffic;
};

struct meter *meter_new(size_t keep_raw)
{
    struct meter *m = mem_zero(1, sizeof *m);
    m->service = hist_new();
    m->recent = hist_new();
    m->parts[PART_FIRST_BYTE] = hist_new();
    m->parts[PART_TRANSFER] = hist_new();
    m->raw_max = keep_raw;
    m->second_ends_ns = UINT64_MAX;
    return m;
}

void meter_free(struct meter *m)
{
    if (m == NULL) {
        return;
    }
    hist_free(m->service);
    hist_free(m->response);
    hist_free(m->recent);
    for (int i = 0; i < PARTS; i++) {
        hist_free(m->parts[i]);
    }
    free(m->seconds);
    free(m->raw);
    free(m->raw_response);
    free(m);
}

void meter_start(struct meter *m, uint64_t now_ns)
{
    m->second_ends_ns = now_ns + SECOND_NS;
}

static void end_second(struct meter *m)
{
    struct second *s = &m->running;
    bool any = hist_count(m->recent) > 0;
    s->p50_s = any ? (double)hist_percentile(m->recent, 50) / 1e9 : NAN;
    s->p99_s = any ? (double)hist_percentile(m->recent, 99) / 1e9 : NAN;
    if (m->seconds_n < SECONDS_MAX) {
        m->seconds = mem_grow(m->seconds, m->seconds_n, &m->seconds_cap, sizeof *m->seconds);
        m->seconds[m->seconds_n++] = *s;
    }
    *s = (struct second){0};
    hist_clear(m->recent);
    m->second_ends_ns = m->seconds_n < SECONDS_MAX ? m->second_ends_ns + SECOND_NS : UINT64_MAX;
}

static void add_part(struct meter *m, enum request_part part, uint64_t ns)
{
    if (m->parts[part] == NULL) {
        m->parts[part] = hist_new();
    }
    hist_add(m->parts[part], ns);
}

void meter_add(struct meter *m, const struct http_reply *reply, uint64_t planned_ns)
{
    while (reply->end_ns >= m->second_ends_ns) {
        end_second(m);
    }
    m->running.sent_bytes += reply->sent_bytes;
    m->running.received_bytes += reply->received_bytes;
    m->traffic.requests++;
    m->traffic.sent_bytes += reply->sent_bytes;
    m->traffic.received_bytes += reply->received_bytes;
    if (reply->connections != 0) {
        m->traffic.connections++;
        add_part(m, PART_CONNECT, reply->connect_ns);
        if (reply->tls_ns != 0) {
            add_part(m, PART_TLS, reply->tls_ns);
        }
    }
    if (reply->outcome != HTTP_ANSWERED || reply->status / 100 != 2) {
        m->running.errors++;
        return; /* a failure is in no latency */
    }
    uint64_t service = reply->end_ns - reply->start_ns;
    m->running.ok++;
    hist_add(m->service, service);
    hist_add(m->recent, service);
    hist_add(m->parts[PART_FIRST_BYTE], reply->first_byte_ns);
    hist_add(m->parts[PART_TRANSFER],
             service > reply->first_byte_ns ? service - reply->first_byte_ns : 0);
    if (planned_ns != 0) {
        if (m->response == NULL) {
            m->response = hist_new();
        }
        hist_add(m->response, reply->end_ns - planned_ns);
    }
    if (m->raw_n < m->raw_max) {
        m->raw = mem_grow(m->raw, m->raw_n, &m->raw_cap, sizeof *m->raw);
        if (planned_ns != 0) {
            m->raw_response =
                mem_grow(m->raw_response, m->raw_n, &m->raw_response_cap, sizeof *m->raw_response);
            m->raw_response[m->raw_n] = reply->end_ns - planned_ns;
        }
        m->raw[m->raw_n++] = service;
    }
}

struct quantiles quantiles_of(const struct hist *h)
{
    struct quantiles q = {0};
    if (h != NULL && hist_count(h) > 0) {
        q.count = hist_count(h);
        q.min_s = (double)hist_min(h) / 1e9;
        q.mean_s = hist_mean(h) / 1e9;
        q.p50_s = (double)hist_percentile(h, 50) / 1e9;
        q.p90_s = (double)hist_percentile(h, 90) / 1e9;
        q.p99_s = (double)hist_percentile(h, 99) / 1e9;
        q.max_s = (double)hist_max(h) / 1e9;
    }
    return q;
}

static void merge(struct hist **into, struct hist **from)
{
    if (*from == NULL) {
        return;
    }
    if (*into == NULL) {
        *into = *from;
        *from = NULL;
    } else {
        hist_merge(*into, *from);
    }
}

void meter_into(struct meter *m, struct phase_result *p)
{
    if (m->running.ok + m->running.errors > 0) {
        end_second(m);
    }
    for (int i = 0; i < PARTS; i++) {
        p->parts[i] = quantiles_of(m->parts[i]);
    }
    merge(&p->latency, &m->service);
    merge(&p->response, &m->response);
    free(p->seconds);
    p->seconds = m->seconds;
    p->seconds_n = m->seconds_n;
    free(p->raw_ns);
    free(p->raw_response_ns);
    p->raw_ns = m->raw;
    p->raw_response_ns = m->raw_response;
    p->raw_n = m->raw_n;
    m->seconds = NULL;
    m->raw = m->raw_response = NULL;
}

void meter_traffic(const struct meter *m, struct http_counters *out)
{
    *out = m->traffic;
}
