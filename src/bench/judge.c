#include "bench/judge.h"

#include <stdatomic.h>
#include <stdlib.h>

#include <uv.h>

#include "base/mem.h"

struct kept {
    void *item;
    char *bytes;
    size_t len;
};

struct pile {
    struct kept *kept;
    size_t n, cap, bytes;
};

struct judge {
    judge_fn *fn;
    void *arg;
    size_t keep_max;
    struct pile waiting;
    struct pile with_thread; /* the thread's while `running` */
    uv_thread_t thread;
    bool running;
    atomic_bool thread_done;
    bool threaded;
    uint64_t blocked_ns;
};

struct judge *judge_new(size_t keep_max, judge_fn *fn, void *arg)
{
    struct judge *j = mem_zero(1, sizeof *j);
    j->fn = fn;
    j->arg = arg;
    j->keep_max = keep_max;
    return j;
}

static void work_off(struct judge *j, struct pile *p)
{
    for (size_t i = 0; i < p->n; i++) {
        j->fn(j->arg, p->kept[i].item, p->kept[i].bytes, p->kept[i].len);
        free(p->kept[i].bytes);
    }
    p->n = 0;
    p->bytes = 0;
}

static void in_thread(void *arg)
{
    struct judge *j = arg;
    work_off(j, &j->with_thread);
    atomic_store(&j->thread_done, true);
}

static void join(struct judge *j)
{
    if (j->running) {
        uv_thread_join(&j->thread);
        j->running = false;
    }
}

/* Gives the waiting pile to a thread; waits for the earlier one if it must. */
static void hand_over(struct judge *j)
{
    if (j->running && !atomic_load(&j->thread_done)) {
        if (j->waiting.bytes < 2 * j->keep_max) {
            return; /* there is room yet */
        }
        uint64_t from = uv_hrtime();
        join(j);
        j->blocked_ns += uv_hrtime() - from;
    }
    join(j);
    struct pile empty = j->with_thread;
    j->with_thread = j->waiting;
    j->waiting = empty;
    atomic_store(&j->thread_done, false);
    j->threaded = true;
    if (uv_thread_create(&j->thread, in_thread, j) == 0) {
        j->running = true;
    } else {
        uint64_t from =
            uv_hrtime(); /* no thread to be had: do it here, and say so in the figures */
        work_off(j, &j->with_thread);
        j->blocked_ns += uv_hrtime() - from;
    }
}

void judge_add(struct judge *j, void *item, struct buf *body)
{
    struct pile *p = &j->waiting;
    p->kept = mem_grow(p->kept, p->n, &p->cap, sizeof *p->kept);
    struct kept *k = &p->kept[p->n++];
    k->item = item;
    k->bytes = buf_take(body, &k->len);
    p->bytes += k->len;
    if (p->bytes > j->keep_max) {
        hand_over(j);
    }
}

void judge_finish(struct judge *j)
{
    join(j);
    work_off(j, &j->waiting);
}

void judge_free(struct judge *j)
{
    if (j != NULL) {
        judge_finish(j);
        free(j->waiting.kept);
        free(j->with_thread.kept);
        free(j);
    }
}

bool judge_threaded(const struct judge *j)
{
    return j->threaded;
}

uint64_t judge_blocked_ns(const struct judge *j)
{
    return j->blocked_ns;
}
