#include "bench/load.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/load_plan.h"

/* Waits grow 0.25, 0.5, 1, … s up to this, each times 0.5 to 1.5 at random, so that clients do not
 * come back all at once; a Retry-After is taken as it is, up to the same limit. */
#define WAIT_FIRST_S 0.25
#define WAIT_MAX_S 30.0

void counts_reply(struct counts *c, const struct http_reply *reply)
{
    switch (reply->outcome) {
    case HTTP_ANSWERED:
        if (reply->status / 100 == 2) {
            c->ok++;
        } else if (reply->status == 409) {
            c->conflict++;
        } else {
            c->http_error++;
        }
        break;
    case HTTP_TIMEOUT:
        c->timeout++;
        break;
    case HTTP_UNSENT:
        c->transport_error++;
        break;
    case HTTP_TOO_LARGE:
        c->http_error++;
        break;
    case HTTP_BROKEN:
    case HTTP_CANCELLED:
        c->unknown++;
        break;
    }
}

static void fill(struct load *l, uint64_t now);

static bool wants_retry(const struct load *l, const struct load_slot *s,
                        const struct http_reply *reply)
{
    return reply->outcome == HTTP_ANSWERED && (reply->status == 429 || reply->status == 503) &&
           s->tries <= l->retries && !http_stopped(l->http);
}

static void put_off(struct load_slot *s, const struct http_reply *reply)
{
    struct load *l = s->load;
    double wait = reply->retry_after_s;
    if (wait < 0) {
        wait = WAIT_FIRST_S;
        for (unsigned i = 1; i < s->tries && wait < WAIT_MAX_S; i++) {
            wait *= 2;
        }
        wait *= 0.5 + rng_double(&l->rng);
    }
    if (wait > WAIT_MAX_S) {
        wait = WAIT_MAX_S;
    }
    s->due_ns = uv_hrtime() + (uint64_t)(wait * 1e9);
    l->put_off++;
    l->waits++;
    l->requests.retried++;
}

static void ended(void *arg, struct http_reply *reply)
{
    struct load_slot *s = arg;
    struct load *l = s->load;
    uint64_t now = uv_hrtime();
    if (wants_retry(l, s, reply)) {
        put_off(s, reply);
    } else {
        counts_reply(&l->requests, reply);
        if (l->meter != NULL) {
            meter_add(l->meter, reply, s->planned_ns);
        }
        if (s->op.meter != NULL) {
            meter_add(s->op.meter, reply, s->planned_ns);
        }
        l->active--;
        uint64_t from = now;
        l->done(l->arg, s->op.item, reply);
        now = uv_hrtime();
        l->busy_ns += now - from;
        s->free_next = l->free_slots;
        l->free_slots = s;
    }
    if (l->plan != NULL) {
        load_plan_ended(l, now);
    } else {
        fill(l, now);
    }
}

static size_t read_body(void *arg, uint64_t offset, void *out, size_t size)
{
    struct load_slot *s = arg;
    return s->op.read(s->op.item, offset, out, size);
}

static int take_answer(void *arg, const void *bytes, size_t n)
{
    struct load_slot *s = arg;
    return s->op.sink(s->op.item, bytes, n);
}

static void start(struct load_slot *s)
{
    s->tries++;
    s->op.request.read = s->op.read != NULL ? read_body : NULL;
    s->op.request.sink = s->op.sink != NULL ? take_answer : NULL;
    s->op.request.done = ended;
    s->op.request.arg = s;
    http_submit(s->load->http, &s->op.request);
}

void load_start_due(struct load *l, uint64_t now)
{
    for (unsigned i = 0; i < l->concurrency; i++) {
        struct load_slot *s = &l->slots[i];
        if (s->due_ns != 0 && (s->due_ns <= now || http_stopped(l->http))) {
            s->due_ns = 0;
            l->put_off--;
            start(s);
        }
    }
}

int load_start_next(struct load *l, uint64_t *now, uint64_t planned_ns)
{
    struct load_slot *s = l->free_slots;
    memset(&s->op, 0, sizeof s->op);
    int rc = l->next(l->arg, &s->op);
    uint64_t then = uv_hrtime();
    l->busy_ns += then - *now;
    *now = then;
    if (rc > 0) {
        l->free_slots = s->free_next;
        s->tries = 0;
        s->planned_ns = planned_ns;
        l->active++;
        l->started++;
        start(s);
    }
    return rc;
}

/* Starts what is due and, in free slots, what the source gives. This and `ended` are what the
 * client does for each request: nothing here may depend on how many slots there are. */
static void fill(struct load *l, uint64_t now)
{
    if (l->put_off > 0) {
        load_start_due(l, now);
    }
    while (l->free_slots != NULL && !l->dry) {
        if ((l->limit != 0 && l->started >= l->limit) || now >= l->end_ns) {
            l->dry = true;
            return;
        }
        int rc = load_start_next(l, &now, 0);
        if (rc <= 0) {
            l->dry = rc < 0;
            return;
        }
    }
}

uint64_t load_earliest(const struct load *l)
{
    uint64_t due = 0;
    for (unsigned i = 0; i < l->concurrency; i++) {
        const struct load_slot *s = &l->slots[i];
        if (s->due_ns != 0 && (due == 0 || s->due_ns < due)) {
            due = s->due_ns;
        }
    }
    return due;
}

void load_run(struct load *l)
{
    uint64_t now = uv_hrtime();
    l->slots = mem_zero(l->concurrency, sizeof *l->slots);
    l->free_slots = NULL;
    l->active = l->put_off = 0;
    l->started = 0;
    l->end_ns = l->duration_ns != 0 ? now + l->duration_ns : UINT64_MAX;
    l->dry = false;
    rng_seed(&l->rng, now);
    for (unsigned i = l->concurrency; i-- > 0;) {
        l->slots[i].load = l;
        l->slots[i].free_next = l->free_slots;
        l->free_slots = &l->slots[i];
    }
    if (l->rate > 0) {
        load_plan_run(l);
        l->dry = true;
    } else {
        fill(l, now);
    }
    while (l->active > 0) {
        http_run(l->http);
        now = uv_hrtime();
        uint64_t due = l->put_off > 0 ? load_earliest(l) : 0;
        if (due > now) {
            http_wait(l->http, due - now);
            l->waited_ns += uv_hrtime() - now;
        }
        fill(l, uv_hrtime());
    }
    free(l->slots);
    l->slots = NULL;
}
