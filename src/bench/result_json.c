/* result_json: a result as JSON and back. What is read is believed in nothing: each member used has
 * its type and range checked, and the message says where the fault is. */
#include "bench/result.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/result_member.h"

/* More bounds of what is accepted, see result_member.h. */
#define MS_MAX 1e12       /* of a series */
#define RUN_MAX 1000000.0 /* run number */

static const struct {
    const char *name;
    size_t offset;
} count_members[] = {
    {"ok", offsetof(struct counts, ok)},
    {"conflict", offsetof(struct counts, conflict)},
    {"http_error", offsetof(struct counts, http_error)},
    {"transport_error", offsetof(struct counts, transport_error)},
    {"timeout", offsetof(struct counts, timeout)},
    {"unknown", offsetof(struct counts, unknown)},
    {"retried", offsetof(struct counts, retried)},
};
enum { COUNT_MEMBERS = sizeof count_members / sizeof count_members[0] };

static const char *const states[] = {"ok", "failed", "skipped", "partial"};

/* ---- times ----------------------------------------------------------------------------------- */

/* 2026-01-31T12:00:00.123456789Z: as a number, nanoseconds since 1970 do not fit a double. */
static void add_time(cJSON *o, const char *name, int64_t ns)
{
    char text[64];
    time_t s = (time_t)(ns / 1000000000);
    struct tm tm;
    gmtime_r(&s, &tm);
    snprintf(text, sizeof text, "%04d-%02d-%02dT%02d:%02d:%02d.%09dZ", tm.tm_year + 1900,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec, (int)(ns % 1000000000));
    json_add_str(o, name, text);
}

static int read_time(const cJSON *o, const char *name, int64_t *ns, struct err *err)
{
    static const char shape[] = "dddd-dd-ddTdd:dd:dd.dddddddddZ";
    const cJSON *v = json_get(o, name);
    if (v == NULL) {
        *ns = 0;
        return 0;
    }
    const char *s = cJSON_IsString(v) ? v->valuestring : "";
    bool ok = strlen(s) == sizeof shape - 1;
    for (size_t i = 0; ok && i < sizeof shape - 1; i++) {
        ok = shape[i] == 'd' ? s[i] >= '0' && s[i] <= '9' : s[i] == shape[i];
    }
    if (ok) {
        struct tm tm = {.tm_year = atoi(s) - 1900,
                        .tm_mon = atoi(s + 5) - 1,
                        .tm_mday = atoi(s + 8),
                        .tm_hour = atoi(s + 11),
                        .tm_min = atoi(s + 14),
                        .tm_sec = atoi(s + 17)};
        time_t t = timegm(&tm);
        if (t >= 0 && t < (time_t)9000000000) { /* the year 2255: nanoseconds fit 63 bits */
            *ns = (int64_t)t * 1000000000 + atol(s + 20);
            return 0;
        }
    }
    return err_set(err, ERR_USAGE, "\"%s\" must be a time like 2026-01-31T12:00:00.000000000Z",
                   name);
}

/* ---- writing --------------------------------------------------------------------------------- */

void result_add_figure(cJSON *o, const char *name, double v)
{
    json_add_num(o, name, isfinite(v) ? v : 0);
}

static void add_counts(cJSON *o, const char *name, const struct counts *c)
{
    cJSON *counts = json_add(o, name, json_object());
    for (size_t i = 0; i < COUNT_MEMBERS; i++) {
        uint64_t v;
        memcpy(&v, (const char *)c + count_members[i].offset, sizeof v);
        json_add_u64(counts, count_members[i].name, v);
    }
}

static void add_copy(cJSON *o, const char *name, const cJSON *v)
{
    if (v != NULL) {
        json_add(o, name, cJSON_Duplicate(v, true));
    }
}

static cJSON *series_to_json(const struct series *s)
{
    cJSON *o = json_object();
    json_add_str(o, "name", s->name);
    json_add_str(o, "unit", "ms");
    cJSON *values = json_add(o, "values", json_array());
    for (size_t i = 0; i < s->n; i++) {
        json_append(values, isfinite(s->ms[i]) ? cJSON_CreateNumber(s->ms[i]) : cJSON_CreateNull());
    }
    return o;
}

static cJSON *phase_to_json(const struct phase_result *p)
{
    cJSON *o = json_object();
    json_add_str(o, "name", p->name);
    json_add_str(o, "title", p->title);
    json_add_str(o, "via", p->via);
    json_add_str(o, "state", states[p->state]);
    json_add_str(o, "reason", p->reason);
    json_add_str(o, "item_unit", p->item_unit);
    result_add_figure(o, "wall_s", p->wall_s);
    json_add_u64(o, "items", p->items);
    add_counts(o, "requests", &p->requests);
    add_counts(o, "docs", &p->docs);
    json_add_u64(o, "sent_bytes", p->sent_bytes);
    json_add_u64(o, "received_bytes", p->received_bytes);
    json_add_u64(o, "payload_bytes", p->payload_bytes);
    json_add_u64(o, "connections", p->connections);
    result_add_figure(o, "client_busy_s", p->client_busy_s);
    json_add_bool(o, "streamed", p->streamed);
    if (p->latency != NULL) {
        json_add(o, "latency", hist_to_json(p->latency));
    }
    result_load_to_json(p, o);
    if (p->series_n > 0) {
        cJSON *list = json_add(o, "series", json_array());
        for (size_t i = 0; i < p->series_n; i++) {
            json_append(list, series_to_json(&p->series[i]));
        }
    }
    add_copy(o, "facts", p->facts);
    if (p->notes_n > 0) {
        cJSON *list = json_add(o, "notes", json_array());
        for (size_t i = 0; i < p->notes_n; i++) {
            json_append(list, cJSON_CreateString(p->notes[i]));
        }
    }
    return o;
}

static cJSON *run_to_json(const struct run_result *run)
{
    cJSON *o = json_object();
    json_add_num(o, "number", run->number);
    json_add_bool(o, "warmup", run->warmup);
    json_add_bool(o, "partial", run->partial);
    add_time(o, "started", run->started_ns);
    json_add_str(o, "error", run->error);
    add_copy(o, "server_before", run->server_before);
    add_copy(o, "server_after", run->server_after);
    cJSON *phases = json_add(o, "phases", json_array());
    for (size_t i = 0; i < run->phases_n; i++) {
        json_append(phases, phase_to_json(&run->phases[i]));
    }
    return o;
}

static cJSON *spec_to_json(const struct spec_result *s)
{
    cJSON *o = json_object();
    json_add_str(o, "name", s->name != NULL ? s->name : "");
    json_add_str(o, "workload", s->workload != NULL ? s->workload : "");
    json_add_str(o, "client", s->client);
    json_add_str(o, "server", s->server);
    json_add_str(o, "network", s->network);
    add_copy(o, "settings", s->settings);
    add_copy(o, "work", s->work);
    cJSON *runs = json_add(o, "runs", json_array());
    for (size_t i = 0; i < s->runs_n; i++) {
        json_append(runs, run_to_json(&s->runs[i]));
    }
    return o;
}

cJSON *result_to_json(const struct result *r)
{
    char schema[32];
    cJSON *o = json_object();
    snprintf(schema, sizeof schema, "%d.%d", RESULT_SCHEMA_MAJOR, RESULT_SCHEMA_MINOR);
    json_add_str(o, "schema", schema);
    json_add_str(o, "tool", r->tool);
    json_add_str(o, "label", r->label);
    add_time(o, "started", r->started_ns);
    add_time(o, "ended", r->ended_ns);
    json_add_bool(o, "partial", r->partial);
    add_copy(o, "clients", r->clients);
    add_copy(o, "servers", r->servers);
    add_copy(o, "networks", r->networks);
    cJSON *specs = json_add(o, "specs", json_array());
    for (size_t i = 0; i < r->specs_n; i++) {
        json_append(specs, spec_to_json(&r->specs[i]));
    }
    return o;
}

/* ---- reading: counts --------------------------------------------------------------------------
 */

static int read_counts(const cJSON *o, const char *name, struct counts *c, struct err *err)
{
    const cJSON *counts = json_get(o, name);
    if (counts != NULL && !cJSON_IsObject(counts)) {
        return err_set(err, ERR_USAGE, "\"%s\" must be an object", name);
    }
    for (size_t i = 0; counts != NULL && i < COUNT_MEMBERS; i++) {
        uint64_t v = 0;
        if (member_u64(counts, count_members[i].name, &v, err) < 0) {
            return err_prefix(err, "\"%s\"", name);
        }
        memcpy((char *)c + count_members[i].offset, &v, sizeof v);
    }
    return 0;
}

/* ---- reading: phases, runs, specs ------------------------------------------------------------ */

static int read_state(const cJSON *o, enum phase_state *state, struct err *err)
{
    const char *word = json_str(o, "state", "");
    for (size_t i = 0; i < sizeof states / sizeof states[0]; i++) {
        if (strcmp(word, states[i]) == 0) {
            *state = (enum phase_state)i;
            return 0;
        }
    }
    return err_set(err, ERR_USAGE, "\"state\" must be ok, failed, skipped or partial");
}

static int read_series(const cJSON *list, struct phase_result *p, struct err *err)
{
    const cJSON *o, *v;
    cJSON_ArrayForEach(o, list)
    {
        const char *name = json_str(o, "name", NULL);
        const cJSON *values = json_get(o, "values");
        if (name == NULL || strcmp(json_str(o, "unit", "ms"), "ms") != 0 ||
            !cJSON_IsArray(values)) {
            return err_set(err, ERR_USAGE, "a series needs a name and a list of values in ms");
        }
        size_t n = (size_t)cJSON_GetArraySize(values), i = 0;
        double *ms = mem_zero(n, sizeof *ms);
        cJSON_ArrayForEach(v, values)
        {
            if (cJSON_IsNull(v)) {
                ms[i++] = NAN;
            } else if (cJSON_IsNumber(v) && v->valuedouble >= 0 && v->valuedouble <= MS_MAX) {
                ms[i++] = v->valuedouble;
            } else {
                free(ms);
                return err_set(err, ERR_USAGE, "value %zu of a series is not a time in ms", i + 1);
            }
        }
        phase_series(p, name, ms, n);
        free(ms);
    }
    return 0;
}

static int read_phase(const cJSON *o, struct phase_result *p, struct err *err)
{
    const cJSON *series, *notes, *note, *latency = json_get(o, "latency");
    if (member_str(o, "title", OPTIONAL, &p->title, err) < 0 ||
        member_str(o, "via", OPTIONAL, &p->via, err) < 0 || read_state(o, &p->state, err) < 0 ||
        member_str(o, "reason", OPTIONAL, &p->reason, err) < 0 ||
        member_str(o, "item_unit", OPTIONAL, &p->item_unit, err) < 0 ||
        member_num(o, "wall_s", REQUIRED, RESULT_SECONDS_MAX, &p->wall_s, err) < 0 ||
        member_u64(o, "items", &p->items, err) < 0 ||
        read_counts(o, "requests", &p->requests, err) < 0 ||
        read_counts(o, "docs", &p->docs, err) < 0 ||
        member_u64(o, "sent_bytes", &p->sent_bytes, err) < 0 ||
        member_u64(o, "received_bytes", &p->received_bytes, err) < 0 ||
        member_u64(o, "payload_bytes", &p->payload_bytes, err) < 0 ||
        member_u64(o, "connections", &p->connections, err) < 0 ||
        member_num(o, "client_busy_s", OPTIONAL, RESULT_SECONDS_MAX, &p->client_busy_s, err) < 0 ||
        member_bool(o, "streamed", &p->streamed, err) < 0 ||
        member_object(o, "facts", &p->facts, err) < 0 ||
        member_list(o, "series", OPTIONAL, &series, err) < 0 || read_series(series, p, err) < 0 ||
        member_list(o, "notes", OPTIONAL, &notes, err) < 0) {
        return -1;
    }
    cJSON_ArrayForEach(note, notes)
    {
        if (!cJSON_IsString(note)) {
            return err_set(err, ERR_USAGE, "\"notes\" must be a list of texts");
        }
        phase_note(p, "%s", note->valuestring);
    }
    if (latency != NULL) {
        p->latency = hist_from_json(latency, err);
        if (p->latency == NULL) {
            return err_prefix(err, "\"latency\"");
        }
    }
    return result_load_from_json(o, p, err);
}

static int read_run(const cJSON *o, struct run_result *run, struct err *err)
{
    const cJSON *phases, *each;
    double number = 0;
    if (member_num(o, "number", REQUIRED, RUN_MAX, &number, err) < 0 ||
        member_bool(o, "warmup", &run->warmup, err) < 0 ||
        member_bool(o, "partial", &run->partial, err) < 0 ||
        read_time(o, "started", &run->started_ns, err) < 0 ||
        member_str(o, "error", OPTIONAL, &run->error, err) < 0 ||
        member_object(o, "server_before", &run->server_before, err) < 0 ||
        member_object(o, "server_after", &run->server_after, err) < 0 ||
        member_list(o, "phases", REQUIRED, &phases, err) < 0) {
        return -1;
    }
    if (number != floor(number)) {
        return err_set(err, ERR_USAGE, "\"number\" must be a whole number");
    }
    run->number = (int)number;
    cJSON_ArrayForEach(each, phases)
    {
        const char *name = json_str(each, "name", "");
        if (name[0] == '\0') {
            return err_set(err, ERR_USAGE, "phase %zu: \"name\" must be a text", run->phases_n + 1);
        }
        if (read_phase(each, result_add_phase(run, name), err) < 0) {
            return err_prefix(err, "phase %zu", run->phases_n);
        }
    }
    return 0;
}

static int read_spec(const cJSON *o, struct spec_result *s, struct err *err)
{
    const cJSON *runs, *each;
    if (member_str(o, "name", REQUIRED, &s->name, err) < 0 ||
        member_str(o, "workload", REQUIRED, &s->workload, err) < 0 ||
        member_str(o, "client", OPTIONAL, &s->client, err) < 0 ||
        member_str(o, "server", OPTIONAL, &s->server, err) < 0 ||
        member_str(o, "network", OPTIONAL, &s->network, err) < 0 ||
        member_object(o, "settings", &s->settings, err) < 0 ||
        member_object(o, "work", &s->work, err) < 0 ||
        member_list(o, "runs", REQUIRED, &runs, err) < 0) {
        return -1;
    }
    cJSON_ArrayForEach(each, runs)
    {
        if (read_run(each, result_add_run(s), err) < 0) {
            return err_prefix(err, "run %zu", s->runs_n);
        }
    }
    return 0;
}

static int read_schema(const cJSON *json, struct result *r, struct err *err)
{
    const char *schema = json_str(json, "schema", "");
    char tail;
    if (strlen(schema) > 9 || strspn(schema, "0123456789.") != strlen(schema) ||
        sscanf(schema, "%d.%d%c", &r->schema_major, &r->schema_minor, &tail) != 2) {
        return err_set(err, ERR_USAGE,
                       "not a tunecouch result: \"schema\" must be a text like \"%d.%d\"",
                       RESULT_SCHEMA_MAJOR, RESULT_SCHEMA_MINOR);
    }
    if (r->schema_major != RESULT_SCHEMA_MAJOR) {
        return err_set(err, ERR_USAGE,
                       "saved in schema %s by another version of tunecouch; this one reads %d.x",
                       schema, RESULT_SCHEMA_MAJOR);
    }
    return 0;
}

struct result *result_from_json(const cJSON *json, struct err *err)
{
    const cJSON *specs, *each;
    struct result *r = result_new();
    if (!cJSON_IsObject(json)) {
        err_set(err, ERR_USAGE, "not a tunecouch result: the JSON text is not an object");
        goto fail;
    }
    if (read_schema(json, r, err) < 0 || member_str(json, "tool", OPTIONAL, &r->tool, err) < 0 ||
        member_str(json, "label", OPTIONAL, &r->label, err) < 0 ||
        read_time(json, "started", &r->started_ns, err) < 0 ||
        read_time(json, "ended", &r->ended_ns, err) < 0 ||
        member_bool(json, "partial", &r->partial, err) < 0 ||
        member_group(json, "clients", &r->clients, err) < 0 ||
        member_group(json, "servers", &r->servers, err) < 0 ||
        member_group(json, "networks", &r->networks, err) < 0 ||
        member_list(json, "specs", REQUIRED, &specs, err) < 0) {
        goto fail;
    }
    cJSON_ArrayForEach(each, specs)
    {
        if (read_spec(each, result_add_spec(r), err) < 0) {
            err_prefix(err, "spec %zu", r->specs_n);
            goto fail;
        }
    }
    return r;
fail:
    result_free(r);
    return NULL;
}

/* ---- files ----------------------------------------------------------------------------------- */

int result_save(const struct result *r, const char *path, struct err *err)
{
    cJSON *o = result_to_json(r);
    char *text = json_print(o, true);
    size_t len = strlen(text);
    text[len] = '\n'; /* in the place of the NUL: bytes are written, not a string */
    int rc = file_save(path, text, len + 1, err);
    free(text);
    cJSON_Delete(o);
    return rc;
}

struct result *result_load(const char *path, struct err *err)
{
    struct buf text = BUF_INIT(RESULT_FILE_MAX);
    struct result *r = NULL;
    cJSON *json = NULL;
    if (file_read(path, &text, err) < 0) { /* its message names the path */
        goto cleanup;
    }
    json = json_parse(buf_text(&text), text.len, err);
    if (json != NULL) {
        r = result_from_json(json, err);
    }
    if (r == NULL && err != NULL) {
        err->kind = ERR_USAGE;
        err_prefix(err, "%s", strcmp(path, "-") == 0 ? "standard input" : path);
    }
cleanup:
    cJSON_Delete(json);
    buf_free(&text);
    return r;
}
