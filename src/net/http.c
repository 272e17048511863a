#include "net/http.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stop.h"
#include "net/http_engine.h"

#define NS_PER_S ((uint64_t)1000000000)
#define TIMEOUT_NS (60 * NS_PER_S)
#define CONNECT_TIMEOUT_NS (10 * NS_PER_S)
#define REPLY_MAX ((size_t)64 << 20)

/* ---- once a process ---- */

static pthread_once_t once = PTHREAD_ONCE_INIT;
static CURLcode global_code;

static void global_init(void)
{
    signal(SIGPIPE, SIG_IGN); /* a write to a dead connection is an error, not our end */
    global_code = curl_global_init(CURL_GLOBAL_DEFAULT);
    if (global_code == CURLE_OK) {
        atexit(curl_global_cleanup);
    }
}

/* A connection a slot, and what the rest of the program has open. */
static void raise_descriptor_limit(unsigned connections)
{
    struct rlimit limit;
    rlim_t need = (rlim_t)connections * 2 + 64;
    if (getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur != RLIM_INFINITY &&
        limit.rlim_cur < need + 960) {
        need += 960;
        limit.rlim_cur = limit.rlim_max < need ? limit.rlim_max : need;
        setrlimit(RLIMIT_NOFILE, &limit);
    }
}

/* ---- life ---- */

static int start(struct http *h, const struct http_config *config, struct err *err)
{
    if (http_loop_init(h, err) < 0 || http_loop_multi(h, config, err) < 0) {
        return -1;
    }
    for (unsigned i = h->concurrency; i-- > 0;) {
        struct slot *s = &h->slots[i];
        if (http_slot_init(s, h, config) < 0) {
            return err_set(err, ERR_IO, "cannot make a libcurl handle");
        }
        s->next_free = h->free_slots;
        h->free_slots = s;
    }
    return 0;
}

struct http *http_new(const struct http_config *config, struct err *err)
{
    pthread_once(&once, global_init);
    if (global_code != CURLE_OK) {
        err_set(err, ERR_IO, "cannot start libcurl: %s", curl_easy_strerror(global_code));
        return NULL;
    }
    struct http *h = mem_zero(1, sizeof *h);
    h->concurrency = config->concurrency ? config->concurrency : 1;
    h->timeout_ns = config->timeout_ns ? config->timeout_ns : TIMEOUT_NS;
    h->connect_timeout_ns =
        config->connect_timeout_ns ? config->connect_timeout_ns : CONNECT_TIMEOUT_NS;
    h->reply_max = config->reply_max ? config->reply_max : REPLY_MAX;
    h->proxied = config->proxy != NULL && config->proxy[0] != '\0';
    h->wait_fd = -1;
    h->no_headers = http_headers_new();
    h->slots = mem_zero(h->concurrency, sizeof *h->slots);
    raise_descriptor_limit(h->concurrency);
    if (start(h, config, err) < 0) {
        http_free(h);
        return NULL;
    }
    return h;
}

void http_free(struct http *h)
{
    if (h == NULL) {
        return;
    }
    http_cancel(h);
    for (unsigned i = 0; i < h->concurrency; i++) {
        http_slot_free(&h->slots[i]);
    }
    http_loop_free(h);
    if (h->wait_fd >= 0) {
        close(h->wait_fd);
    }
    curl_slist_free_all(h->resolve);
    http_headers_free(h->no_headers);
    free(h->slots);
    free(h->queue);
    free(h);
}

/* ---- the queue ---- */

void http_queue_push(struct http *h, const struct job *job)
{
    if (h->queue_len == h->queue_cap) {
        size_t cap = h->queue_cap ? h->queue_cap * 2 : 16;
        struct job *grown = mem_resize(NULL, cap, sizeof *grown);
        for (size_t i = 0; i < h->queue_len; i++) {
            grown[i] = h->queue[(h->queue_head + i) % h->queue_cap];
        }
        free(h->queue);
        h->queue = grown;
        h->queue_cap = cap;
        h->queue_head = 0;
    }
    h->queue[(h->queue_head + h->queue_len++) % h->queue_cap] = *job;
}

struct job http_queue_pop(struct http *h)
{
    struct job job = h->queue[h->queue_head];
    h->queue_head = (h->queue_head + 1) % h->queue_cap;
    h->queue_len--;
    return job;
}

static void submit(struct http *h, const struct job *job)
{
    if (h->driving || h->stopped || h->free_slots == NULL || h->queue_len > 0) {
        http_queue_push(h, job);
        if (!h->driving) {
            http_soon(h); /* `done` is not called from here, even for a cancelled one */
        }
    } else {
        http_slot_start(h, job);
    }
}

void http_submit(struct http *h, const struct http_request *request)
{
    struct job job = {*request, request->arg, uv_hrtime()};
    submit(h, &job);
}

/* ---- running ---- */

static bool left(const struct http *h)
{
    return h->in_flight > 0 || h->queue_len > 0;
}

void http_run(struct http *h)
{
    h->draining = true; /* the drain loop stops the loop when nothing is left */
    while (left(h)) {
        uv_run(&h->loop, UV_RUN_DEFAULT);
    }
    h->draining = false;
}

void http_run_until(struct http *h, const bool *flag)
{
    while (!*flag && left(h)) {
        uv_run(&h->loop, UV_RUN_ONCE);
    }
}

static void on_wait(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    struct http *h = poll->data;
    h->waited = true;
    uv_poll_stop(poll);
}

/* libuv's timers are whole milliseconds, too coarse for a steady rate: a timerfd. */
void http_wait(struct http *h, uint64_t ns)
{
    if (ns == 0 || h->stopped) {
        return;
    }
    if (h->wait_fd < 0) {
        h->wait_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
        if (h->wait_fd < 0 || uv_poll_init(&h->loop, &h->wait_poll, h->wait_fd) != 0) {
            uv_sleep((unsigned)(ns / 1000000)); /* out of descriptors: better late than at once */
            return;
        }
        h->wait_poll.data = h;
    }
    struct itimerspec at = {
        .it_value = {.tv_sec = (time_t)(ns / NS_PER_S), .tv_nsec = (long)(ns % NS_PER_S)}};
    h->waited = false;
    timerfd_settime(h->wait_fd, 0, &at, NULL);
    uv_poll_start(&h->wait_poll, UV_READABLE, on_wait);
    while (!h->waited && !h->stopped) {
        uv_run(&h->loop, UV_RUN_ONCE);
    }
    uv_poll_stop(&h->wait_poll);
}

struct call {
    bool ended;
    struct http_reply *reply;
};

static void call_done(void *arg, struct http_reply *reply)
{
    struct call *call = arg;
    *call->reply = *reply;
    reply->body = (struct buf)BUF_INIT(reply->body.max); /* the caller's now */
    call->ended = true;
}

void http_call(struct http *h, const struct http_request *request, struct http_reply *reply)
{
    struct call call = {false, reply};
    struct job job = {*request, &call, uv_hrtime()};
    job.request.done = call_done;
    submit(h, &job);
    http_run_until(h, &call.ended);
}

/* ---- stopping ---- */

void http_cancel(struct http *h)
{
    h->stopped = true;
    if (!h->driving && h->has_loop) { /* else the drain loop, which is running, sees to it */
        http_settle(h);
    }
}

void http_resume(struct http *h)
{
    h->stopped = false;
    if (h->stop_poll.data != NULL) { /* a stop that this loop has not seen yet, and later ones */
        uv_poll_stop(&h->stop_poll);
    }
}

bool http_stopped(const struct http *h)
{
    return h->stopped;
}

/* ---- facts ---- */

unsigned http_in_flight(const struct http *h)
{
    return h->in_flight;
}

unsigned http_queued(const struct http *h)
{
    return (unsigned)h->queue_len;
}

void http_counters(const struct http *h, struct http_counters *out)
{
    *out = h->counters;
}

uv_loop_t *http_loop(struct http *h)
{
    return &h->loop;
}

const char *const http_method_names[] = {"GET",    "HEAD",  "PUT",     "POST",
                                         "DELETE", "PATCH", "OPTIONS", NULL};

const char *http_method_name(enum http_method m)
{
    return http_method_names[m];
}

const char *http_outcome_name(enum http_outcome o)
{
    static const char *const names[] = {"answered", "timeout",   "unsent",
                                        "broken",   "too large", "cancelled"};
    return names[o];
}

static char library_version[96];

static void name_libraries(void)
{
    snprintf(library_version, sizeof library_version, "libcurl %s, libuv %s",
             curl_version_info(CURLVERSION_NOW)->version, uv_version_string());
}

const char *http_library_version(void)
{
    static pthread_once_t named = PTHREAD_ONCE_INIT;
    pthread_once(&named, name_libraries);
    return library_version;
}
