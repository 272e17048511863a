#include "bench/result_member.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define RATE_MAX 1e9      /* requests a second */
#define NS_MAX 0x1p53     /* a raw time: 104 days */
#define LIST_MAX 10000000 /* elements of a list that are read */

/* ---- writing --------------------------------------------------------------------------------- */

static void add_quantiles(cJSON *o, const char *name, const struct quantiles *q)
{
    if (q->count == 0) {
        return;
    }
    cJSON *t = json_add(o, name, json_object());
    json_add_u64(t, "count", q->count);
    result_add_figure(t, "min_s", q->min_s);
    result_add_figure(t, "mean_s", q->mean_s);
    result_add_figure(t, "p50_s", q->p50_s);
    result_add_figure(t, "p90_s", q->p90_s);
    result_add_figure(t, "p99_s", q->p99_s);
    result_add_figure(t, "max_s", q->max_s);
}

static void add_seconds(const struct phase_result *p, cJSON *o)
{
    cJSON *s = json_add(o, "per_second", json_object());
    cJSON *ok = json_add(s, "ok", json_array()), *errors = json_add(s, "errors", json_array());
    cJSON *sent = json_add(s, "sent_bytes", json_array());
    cJSON *received = json_add(s, "received_bytes", json_array());
    cJSON *p50 = json_add(s, "p50_s", json_array()), *p99 = json_add(s, "p99_s", json_array());
    for (size_t i = 0; i < p->seconds_n; i++) {
        const struct second *each = &p->seconds[i];
        json_append(ok, cJSON_CreateNumber((double)each->ok));
        json_append(errors, cJSON_CreateNumber((double)each->errors));
        json_append(sent, cJSON_CreateNumber((double)each->sent_bytes));
        json_append(received, cJSON_CreateNumber((double)each->received_bytes));
        json_append(p50,
                    isfinite(each->p50_s) ? cJSON_CreateNumber(each->p50_s) : cJSON_CreateNull());
        json_append(p99,
                    isfinite(each->p99_s) ? cJSON_CreateNumber(each->p99_s) : cJSON_CreateNull());
    }
}

static const struct {
    const char *name;
    size_t offset;
} plan_counts[] = {
    {"planned", offsetof(struct open_loop, planned)},
    {"started", offsetof(struct open_loop, started)},
    {"late", offsetof(struct open_loop, late)},
    {"waited", offsetof(struct open_loop, waited)},
    {"missed", offsetof(struct open_loop, missed)},
    {"started_in_time", offsetof(struct open_loop, started_in_time)},
    {"max_in_flight", offsetof(struct open_loop, max_in_flight)},
    {"in_flight_most", offsetof(struct open_loop, in_flight_most)},
};
enum { PLAN_COUNTS = sizeof plan_counts / sizeof plan_counts[0] };

static void add_open(const struct open_loop *open, cJSON *o)
{
    cJSON *t = json_add(o, "open_loop", json_object());
    json_add_str(t, "arrivals", open->poisson ? "poisson" : "constant");
    result_add_figure(t, "asked_per_s", open->asked_per_s);
    result_add_figure(t, "achieved_per_s", open->achieved_per_s);
    json_add_bool(t, "reached", open->reached);
    result_add_figure(t, "plan_s", open->plan_s);
    result_add_figure(t, "late_after_s", open->late_after_s);
    for (size_t i = 0; i < PLAN_COUNTS; i++) {
        json_add_u64(t, plan_counts[i].name,
                     *(const uint64_t *)(const void *)((const char *)open + plan_counts[i].offset));
    }
}

static void add_raw(cJSON *o, const char *name, const uint64_t *ns, size_t n)
{
    if (ns == NULL || n == 0) {
        return;
    }
    cJSON *list = json_add(o, name, json_array());
    for (size_t i = 0; i < n; i++) {
        json_append(list, cJSON_CreateNumber((double)ns[i]));
    }
}

void result_load_to_json(const struct phase_result *p, cJSON *o)
{
    if (p->response != NULL) {
        json_add(o, "response", hist_to_json(p->response));
    }
    if (p->parts[PART_FIRST_BYTE].count > 0 || p->parts[PART_CONNECT].count > 0) {
        cJSON *parts = json_add(o, "request_parts", json_object());
        for (int i = 0; i < PARTS; i++) {
            add_quantiles(parts, request_part_names[i], &p->parts[i]);
        }
    }
    if (p->seconds_n > 0) {
        add_seconds(p, o);
    }
    if (p->open != NULL) {
        add_open(p->open, o);
    }
    if (p->client_cpu_s > 0) {
        result_add_figure(o, "client_cpu_s", p->client_cpu_s);
    }
    add_quantiles(o, "loop_lag", &p->loop_lag);
    add_raw(o, "raw_ns", p->raw_ns, p->raw_n);
    add_raw(o, "raw_response_ns", p->raw_response_ns, p->raw_n);
}

/* ---- reading --------------------------------------------------------------------------------- */

static int read_quantiles(const cJSON *from, const char *name, struct quantiles *q, struct err *err)
{
    const cJSON *o = json_get(from, name);
    const double most = RESULT_SECONDS_MAX;
    if (o == NULL) {
        return 0;
    }
    if (!cJSON_IsObject(o)) {
        return err_set(err, ERR_USAGE, "\"%s\" must be an object", name);
    }
    if (member_u64(o, "count", &q->count, err) < 0 ||
        member_num(o, "min_s", OPTIONAL, most, &q->min_s, err) < 0 ||
        member_num(o, "mean_s", OPTIONAL, most, &q->mean_s, err) < 0 ||
        member_num(o, "p50_s", OPTIONAL, most, &q->p50_s, err) < 0 ||
        member_num(o, "p90_s", OPTIONAL, most, &q->p90_s, err) < 0 ||
        member_num(o, "p99_s", OPTIONAL, most, &q->p99_s, err) < 0 ||
        member_num(o, "max_s", OPTIONAL, most, &q->max_s, err) < 0) {
        return err_prefix(err, "\"%s\"", name);
    }
    return 0;
}

/* A list of `n` (SIZE_MAX: any number of) numbers from 0 to `most`, null being NAN where it may be;
 * *out is the caller's. */
static int read_numbers(const cJSON *o, const char *name, size_t *n, double most, bool null,
                        double **out, struct err *err)
{
    const cJSON *list, *v;
    size_t i = 0;
    if (member_list(o, name, OPTIONAL, &list, err) < 0) {
        return -1;
    }
    size_t size = list != NULL ? (size_t)cJSON_GetArraySize(list) : 0;
    if (size > LIST_MAX || (*n != SIZE_MAX && size != *n)) {
        return err_set(err, ERR_USAGE, "\"%s\" has the wrong length", name);
    }
    double *values = mem_zero(size, sizeof *values);
    cJSON_ArrayForEach(v, list)
    {
        bool number = cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble <= most;
        if (!number && !(null && cJSON_IsNull(v))) {
            free(values);
            return err_set(err, ERR_USAGE, "\"%s\": element %zu must be a number from 0 to %g",
                           name, i + 1, most);
        }
        values[i++] = number ? v->valuedouble : NAN;
    }
    *n = size;
    *out = values;
    return 0;
}

static int read_seconds(const cJSON *from, struct phase_result *p, struct err *err)
{
    static const struct {
        const char *name;
        double most;
        bool null;
    } lists[] = {
        {"ok", RESULT_INTEGER_MAX, false},         {"errors", RESULT_INTEGER_MAX, false},
        {"sent_bytes", RESULT_INTEGER_MAX, false}, {"received_bytes", RESULT_INTEGER_MAX, false},
        {"p50_s", RESULT_SECONDS_MAX, true},       {"p99_s", RESULT_SECONDS_MAX, true},
    };
    enum { LISTS = sizeof lists / sizeof lists[0] };
    double *v[LISTS] = {NULL};
    size_t n = SIZE_MAX;
    int rc = 0;
    const cJSON *o = json_get(from, "per_second");
    if (o == NULL) {
        return 0;
    }
    for (size_t i = 0; rc == 0 && i < LISTS; i++) {
        rc = read_numbers(o, lists[i].name, &n, lists[i].most, lists[i].null, &v[i], err);
    }
    if (rc == 0) {
        p->seconds = mem_zero(n, sizeof *p->seconds);
        p->seconds_n = n;
        for (size_t i = 0; i < n; i++) {
            p->seconds[i] = (struct second){(uint64_t)v[0][i], (uint64_t)v[1][i], (uint64_t)v[2][i],
                                            (uint64_t)v[3][i], v[4][i],           v[5][i]};
        }
    }
    for (size_t i = 0; i < LISTS; i++) {
        free(v[i]);
    }
    return rc < 0 ? err_prefix(err, "\"per_second\"") : 0;
}

static int read_open(const cJSON *from, struct phase_result *p, struct err *err)
{
    const cJSON *o = json_get(from, "open_loop");
    if (o == NULL) {
        return 0;
    }
    if (!cJSON_IsObject(o)) {
        return err_set(err, ERR_USAGE, "\"open_loop\" must be an object");
    }
    struct open_loop *open = p->open = mem_zero(1, sizeof *open);
    const char *arrivals = json_str(o, "arrivals", "constant");
    open->poisson = arrivals[0] == 'p';
    if (member_num(o, "asked_per_s", REQUIRED, RATE_MAX, &open->asked_per_s, err) < 0 ||
        member_num(o, "achieved_per_s", OPTIONAL, RATE_MAX, &open->achieved_per_s, err) < 0 ||
        member_bool(o, "reached", &open->reached, err) < 0 ||
        member_num(o, "plan_s", OPTIONAL, RESULT_SECONDS_MAX, &open->plan_s, err) < 0 ||
        member_num(o, "late_after_s", OPTIONAL, RESULT_SECONDS_MAX, &open->late_after_s, err) < 0) {
        return err_prefix(err, "\"open_loop\"");
    }
    for (size_t i = 0; i < PLAN_COUNTS; i++) {
        uint64_t *at = (uint64_t *)(void *)((char *)open + plan_counts[i].offset);
        if (member_u64(o, plan_counts[i].name, at, err) < 0) {
            return err_prefix(err, "\"open_loop\"");
        }
    }
    return 0;
}

static int read_raw(const cJSON *o, const char *name, size_t *n, uint64_t **out, struct err *err)
{
    double *v = NULL;
    if (json_get(o, name) == NULL) {
        return 0;
    }
    if (read_numbers(o, name, n, NS_MAX, false, &v, err) < 0 || v == NULL) {
        return -1;
    }
    *out = mem_zero(*n, sizeof **out);
    for (size_t i = 0; i < *n; i++) {
        (*out)[i] = (uint64_t)v[i];
    }
    free(v);
    return 0;
}

int result_load_from_json(const cJSON *o, struct phase_result *p, struct err *err)
{
    const cJSON *response = json_get(o, "response"), *parts = json_get(o, "request_parts");
    size_t raw_n = SIZE_MAX;
    if (response != NULL) {
        p->response = hist_from_json(response, err);
        if (p->response == NULL) {
            return err_prefix(err, "\"response\"");
        }
    }
    for (int i = 0; i < PARTS; i++) {
        if (read_quantiles(parts, request_part_names[i], &p->parts[i], err) < 0) {
            return err_prefix(err, "\"request_parts\"");
        }
    }
    if (read_seconds(o, p, err) < 0 || read_open(o, p, err) < 0 ||
        member_num(o, "client_cpu_s", OPTIONAL, RESULT_SECONDS_MAX, &p->client_cpu_s, err) < 0 ||
        read_quantiles(o, "loop_lag", &p->loop_lag, err) < 0 ||
        read_raw(o, "raw_ns", &raw_n, &p->raw_ns, err) < 0) {
        return -1;
    }
    p->raw_n = p->raw_ns != NULL ? raw_n : 0;
    raw_n = p->raw_n;
    return read_raw(o, "raw_response_ns", &raw_n, &p->raw_response_ns, err);
}
