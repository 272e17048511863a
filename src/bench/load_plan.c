/* The open loop: a timer for the next planned start, on the engine's own loop. libuv's timers are
 * whole milliseconds: this is a timerfd, set to absolute times of the clock that the plan is in. */
#include "bench/load_plan.h"

#include <stdlib.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/mem.h"

#define LATE_NS UINT64_C(1000000) /* a start is called late from here on */

/* The rate was reached if 99 % of the plan was started by its end and 1 % of its length more (at
 * least 10 ms: the client's own lateness is not the server's). */
#define REACHED 0.99
#define SLACK 0.01
#define SLACK_MIN_NS UINT64_C(10000000)

#define PLAN_WALK_MAX 10000000 /* starts that are walked through to know a plan's length: 0.1 s */

struct load_plan {
    struct load *l;
    uv_poll_t poll;
    int fd;
    struct arrivals arrivals;
    uint64_t begin_ns;
    uint64_t next_ns; /* the first start that has not been made */
    uint64_t last_ns; /* when the last one was made */
    uint64_t in_time_ns;
    bool blocked; /* a start waits for a place in flight */
    bool over;    /* nothing more will be started */
};

/* Length of the plan: its duration, or the time of its last start and one mean gap. */
static uint64_t plan_length(const struct load *l)
{
    if (l->duration_ns != 0) {
        return l->duration_ns;
    }
    double gap = 1e9 / l->rate;
    if (l->arrivals == ARRIVALS_CONSTANT || l->limit > PLAN_WALK_MAX) {
        return (uint64_t)((double)l->limit * gap);
    }
    struct arrivals a;
    uint64_t at = 0;
    arrivals_init(&a, l->arrivals, l->rate, l->seed);
    for (uint64_t i = 0; i < l->limit; i++) {
        at = arrivals_next(&a);
    }
    return at + (uint64_t)gap;
}

/* Whether next_ns is still within the plan. */
static bool in_plan(const struct load_plan *plan)
{
    const struct load *l = plan->l;
    return (l->limit == 0 || l->open.planned < l->limit) &&
           (l->duration_ns == 0 || plan->next_ns < plan->begin_ns + l->duration_ns);
}

static void advance(struct load_plan *plan)
{
    plan->l->open.planned++;
    plan->next_ns = plan->begin_ns + arrivals_next(&plan->arrivals);
}

/* What waits for a place in flight when the plan's time is over is not sent any more. */
static void miss_the_rest(struct load_plan *plan)
{
    while (in_plan(plan)) {
        plan->l->open.missed++;
        advance(plan);
    }
}

/* One start, whose time has come. */
static void start_one(struct load_plan *plan, uint64_t *now)
{
    struct load *l = plan->l;
    struct open_loop *open = &l->open;
    uint64_t late_by = *now - plan->next_ns;
    int rc = load_start_next(l, now, plan->next_ns);
    if (rc < 0) {
        plan->over = true;
        return;
    }
    if (rc == 0) {
        open->missed++;
    } else {
        plan->last_ns = *now;
        open->started++;
        open->started_in_time += *now <= plan->in_time_ns;
        open->late += late_by > LATE_NS;
        open->waited += late_by > LATE_NS && plan->blocked;
        open->in_flight_most = l->active > open->in_flight_most ? l->active : open->in_flight_most;
    }
    advance(plan);
}

/* Everything whose time has come. */
static void move_on(struct load_plan *plan, uint64_t now)
{
    struct load *l = plan->l;
    bool past_end = l->duration_ns != 0 && now >= plan->begin_ns + l->duration_ns;
    if (l->put_off > 0) {
        load_start_due(l, now);
    }
    if (plan->blocked && past_end) {
        miss_the_rest(plan);
    }
    while (!plan->over && in_plan(plan) && plan->next_ns <= now && l->free_slots != NULL) {
        start_one(plan, &now);
    }
    plan->over = plan->over || !in_plan(plan) || http_stopped(l->http);
    plan->blocked = !plan->over && plan->next_ns <= now; /* no place was free */
}

static void set_timer(struct load_plan *plan)
{
    const struct load *l = plan->l;
    uint64_t at = plan->over || plan->blocked ? 0 : plan->next_ns;
    uint64_t due = l->put_off > 0 ? load_earliest(l) : 0;
    if (due != 0 && (at == 0 || due < at)) {
        at = due;
    }
    struct itimerspec spec = {
        .it_value = {.tv_sec = (time_t)(at / 1000000000), .tv_nsec = (long)(at % 1000000000)}};
    timerfd_settime(plan->fd, TFD_TIMER_ABSTIME, &spec, NULL); /* all 0: none */
}

static void on_timer(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    move_on(poll->data, uv_hrtime());
    set_timer(poll->data); /* which also takes back that it has fired */
}

void load_plan_ended(struct load *l, uint64_t now)
{
    if (l->plan->blocked || l->put_off > 0) { /* else the timer is set already */
        move_on(l->plan, now);
        set_timer(l->plan);
    }
}

static void closed(uv_handle_t *handle)
{
    free(handle->data);
}

static void run(struct load_plan *plan)
{
    struct load *l = plan->l;
    move_on(plan, plan->begin_ns);
    set_timer(plan);
    while (!plan->over || l->active > 0) {
        uv_run(http_loop(l->http), UV_RUN_ONCE);
        if (http_stopped(l->http)) {
            move_on(plan, uv_hrtime());
        }
    }
}

static void sum_up(struct load_plan *plan)
{
    struct open_loop *open = &plan->l->open;
    double starting_s = open->started > 0 ? (double)(plan->last_ns - plan->begin_ns) / 1e9 : 0;
    double took_s = starting_s > open->plan_s ? starting_s : open->plan_s;
    open->achieved_per_s = took_s > 0 ? (double)open->started / took_s : 0;
    open->reached = (double)open->started_in_time >= REACHED * (double)open->planned;
}

void load_plan_run(struct load *l)
{
    struct load_plan *plan = mem_zero(1, sizeof *plan);
    uint64_t length = plan_length(l), slack = (uint64_t)((double)length * SLACK);
    l->open = (struct open_loop){.asked_per_s = l->rate,
                                 .poisson = l->arrivals == ARRIVALS_POISSON,
                                 .plan_s = (double)length / 1e9,
                                 .late_after_s = (double)LATE_NS / 1e9,
                                 .max_in_flight = l->concurrency};
    plan->l = l;
    plan->poll.data = plan;
    plan->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (plan->fd < 0 || uv_poll_init(http_loop(l->http), &plan->poll, plan->fd) != 0) {
        if (plan->fd >= 0) {
            close(plan->fd); /* out of descriptors: nothing is sent, and the rate is not reached */
        }
        free(plan);
        return;
    }
    uv_poll_start(&plan->poll, UV_READABLE, on_timer);
    arrivals_init(&plan->arrivals, l->arrivals, l->rate, l->seed);
    plan->begin_ns = uv_hrtime();
    plan->in_time_ns = plan->begin_ns + length + (slack > SLACK_MIN_NS ? slack : SLACK_MIN_NS);
    plan->next_ns = plan->begin_ns + arrivals_next(&plan->arrivals);
    l->plan = plan;
    run(plan);
    l->plan = NULL;
    uint64_t end = plan->begin_ns + length, now = uv_hrtime();
    if (now < end) { /* the phase lasts as long as the plan, so that its rate is the plan's */
        http_wait(l->http, end - now);
    }
    sum_up(plan);
    uv_close((uv_handle_t *)&plan->poll, closed);
    close(plan->fd);
}
