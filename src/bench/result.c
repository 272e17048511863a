#include "bench/result.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

const char *const request_part_names[] = {"connect", "tls", "first_byte", "transfer", NULL};

/* ---- release --------------------------------------------------------------------------------- */

static void phase_free(struct phase_result *p)
{
    free(p->name);
    free(p->title);
    free(p->via);
    free(p->reason);
    free(p->item_unit);
    hist_free(p->latency);
    hist_free(p->response);
    free(p->seconds);
    free(p->open);
    free(p->raw_ns);
    free(p->raw_response_ns);
    for (size_t i = 0; i < p->series_n; i++) {
        free(p->series[i].name);
        free(p->series[i].ms);
    }
    free(p->series);
    cJSON_Delete(p->facts);
    for (size_t i = 0; i < p->notes_n; i++) {
        free(p->notes[i]);
    }
    free(p->notes);
}

static void run_free(struct run_result *run)
{
    for (size_t i = 0; i < run->phases_n; i++) {
        phase_free(&run->phases[i]);
    }
    free(run->phases);
    free(run->error);
    cJSON_Delete(run->server_before);
    cJSON_Delete(run->server_after);
}

static void spec_free(struct spec_result *s)
{
    for (size_t i = 0; i < s->runs_n; i++) {
        run_free(&s->runs[i]);
    }
    free(s->runs);
    free(s->name);
    free(s->workload);
    free(s->client);
    free(s->server);
    free(s->network);
    cJSON_Delete(s->settings);
    cJSON_Delete(s->work);
}

struct result *result_new(void)
{
    struct result *r = mem_zero(1, sizeof *r);
    r->schema_major = RESULT_SCHEMA_MAJOR;
    r->schema_minor = RESULT_SCHEMA_MINOR;
    r->clients = json_object();
    r->servers = json_object();
    r->networks = json_object();
    return r;
}

void result_free(struct result *r)
{
    if (r == NULL) {
        return;
    }
    for (size_t i = 0; i < r->specs_n; i++) {
        spec_free(&r->specs[i]);
    }
    free(r->specs);
    free(r->tool);
    free(r->label);
    cJSON_Delete(r->clients);
    cJSON_Delete(r->servers);
    cJSON_Delete(r->networks);
    free(r);
}

/* ---- append ---------------------------------------------------------------------------------- */

/* Room for one element more and zeroes in it. Room is always a power of two, so that the number in
 * use says by itself when the list is full. */
static void *append(void *list, size_t used, size_t size)
{
    if ((used & (used - 1)) == 0) { /* 0, 1, 2, 4, 8, … */
        list = mem_resize(list, used == 0 ? 1 : used * 2, size);
    }
    memset((char *)list + used * size, 0, size);
    return list;
}

struct spec_result *result_add_spec(struct result *r)
{
    r->specs = append(r->specs, r->specs_n, sizeof *r->specs);
    struct spec_result *s = &r->specs[r->specs_n++];
    s->settings = json_object();
    s->work = json_object();
    return s;
}

struct run_result *result_add_run(struct spec_result *s)
{
    s->runs = append(s->runs, s->runs_n, sizeof *s->runs);
    struct run_result *run = &s->runs[s->runs_n++];
    run->number = (int)s->runs_n;
    return run;
}

struct phase_result *result_add_phase(struct run_result *run, const char *name)
{
    run->phases = append(run->phases, run->phases_n, sizeof *run->phases);
    struct phase_result *p = &run->phases[run->phases_n++];
    p->name = mem_strdup(name);
    return p;
}

static char *print_v(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

static char *print_v(const char *fmt, va_list ap)
{
    char *s = NULL;
    return mem_checked(vasprintf(&s, fmt, ap) < 0 ? NULL : s);
}

void phase_note(struct phase_result *p, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    char *note = print_v(fmt, ap);
    va_end(ap);
    for (size_t i = 0; i < p->notes_n; i++) {
        if (strcmp(p->notes[i], note) == 0) { /* said once is enough */
            free(note);
            return;
        }
    }
    p->notes = append(p->notes, p->notes_n, sizeof *p->notes);
    p->notes[p->notes_n++] = note;
}

void phase_end(struct phase_result *p, enum phase_state state, const char *fmt, ...)
{
    char *reason = NULL;
    if (fmt != NULL && fmt[0] != '\0') {
        va_list ap;
        va_start(ap, fmt);
        reason = print_v(fmt, ap);
        va_end(ap);
    }
    free(p->reason); /* after printing: it may be one of the arguments */
    p->reason = reason;
    p->state = state;
}

void phase_series(struct phase_result *p, const char *name, const double *ms, size_t n)
{
    p->series = append(p->series, p->series_n, sizeof *p->series);
    struct series *s = &p->series[p->series_n++];
    s->name = mem_strdup(name);
    s->ms = mem_zero(n, sizeof *s->ms);
    s->n = n;
    if (n > 0) {
        memcpy(s->ms, ms, n * sizeof *ms);
    }
}

/* ---- counting -------------------------------------------------------------------------------- */

void counts_add(struct counts *into, const struct counts *from)
{
    into->ok += from->ok;
    into->conflict += from->conflict;
    into->http_error += from->http_error;
    into->transport_error += from->transport_error;
    into->timeout += from->timeout;
    into->unknown += from->unknown;
    into->retried += from->retried;
}

uint64_t counts_bad(const struct counts *c)
{
    return c->conflict + c->http_error + c->transport_error + c->timeout + c->unknown;
}

const struct phase_result *result_phase(const struct run_result *run, const char *name)
{
    for (size_t i = 0; i < run->phases_n; i++) {
        if (strcmp(run->phases[i].name, name) == 0) {
            return &run->phases[i];
        }
    }
    return NULL;
}

size_t result_phase_times(const struct spec_result *s, const char *phase, double **seconds,
                          uint64_t *items)
{
    size_t n = 0;
    *seconds = mem_zero(s->runs_n, sizeof **seconds);
    *items = 0;
    for (size_t i = 0; i < s->runs_n; i++) {
        const struct phase_result *p = result_phase(&s->runs[i], phase);
        if (s->runs[i].warmup || p == NULL || p->state != PHASE_OK) {
            continue;
        }
        if (n == 0) {
            *items = p->items;
        }
        (*seconds)[n++] = p->wall_s;
    }
    return n;
}
