#include "bench/strain.h"

#include <stdlib.h>
#include <sys/timerfd.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "bench/meter.h"

#define EVERY_NS UINT64_C(10000000)
#define CATCH_UP_MAX 100000 /* looks made up for at once: 1,000 s of block */

struct strain {
    uv_poll_t poll;
    int fd;
    uint64_t due_ns; /* of the next look */
    struct hist *lag;
    double cpu_s; /* at the start */
};

static double thread_cpu(void)
{
    struct timespec t;
    return clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t) == 0
               ? (double)t.tv_sec + (double)t.tv_nsec / 1e9
               : 0;
}

static void look(struct strain *s)
{
    uint64_t now = uv_hrtime();
    for (int i = 0; s->due_ns <= now && i < CATCH_UP_MAX; i++) {
        hist_add(s->lag, now - s->due_ns);
        s->due_ns += EVERY_NS;
    }
    if (s->due_ns <= now) {
        s->due_ns = now + EVERY_NS;
    }
}

static void on_timer(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    struct strain *s = poll->data;
    uint64_t times;
    if (read(s->fd, &times, sizeof times) == (ssize_t)sizeof times) {
        look(s);
    }
}

struct strain *strain_start(uv_loop_t *loop)
{
    struct strain *s = mem_zero(1, sizeof *s);
    s->fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    if (s->fd < 0 || uv_poll_init(loop, &s->poll, s->fd) != 0) {
        if (s->fd >= 0) {
            close(s->fd);
        }
        free(s);
        return NULL;
    }
    s->poll.data = s;
    s->lag = hist_new();
    s->due_ns = uv_hrtime() + EVERY_NS; /* CLOCK_MONOTONIC as well */
    struct itimerspec at = {
        .it_interval = {.tv_nsec = (long)EVERY_NS},
        .it_value = {.tv_sec = (time_t)(s->due_ns / 1000000000),
                     .tv_nsec = (long)(s->due_ns % 1000000000)},
    };
    timerfd_settime(s->fd, TFD_TIMER_ABSTIME, &at, NULL);
    uv_poll_start(&s->poll, UV_READABLE, on_timer);
    uv_unref((uv_handle_t *)&s->poll); /* the loop must not run on for this */
    s->cpu_s = thread_cpu();
    return s;
}

static void closed(uv_handle_t *handle)
{
    free(handle->data);
}

void strain_stop(struct strain *s, struct phase_result *p)
{
    if (s == NULL) {
        return;
    }
    p->client_cpu_s = thread_cpu() - s->cpu_s;
    look(s); /* what is overdue now: the loop was not run until the phase's end */
    p->loop_lag = quantiles_of(s->lag);
    hist_free(s->lag);
    uv_close((uv_handle_t *)&s->poll, closed);
    close(s->fd);
}
