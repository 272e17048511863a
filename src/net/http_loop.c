/* libcurl's multi handle on a libuv loop.
 *
 * libcurl says which sockets to watch (on_socket) and when to be called without an event
 * (on_timer); both only record. http_drive is the one place that calls it back, and the drain loop
 * in http_settle follows every such call, whatever the number of running transfers: the end of the
 * last one may come from a timeout. */
#include "net/http.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/stop.h"
#include "net/http_engine.h"

/* Times round the drain loop before sockets get their turn again. */
#define ROUNDS_MAX 64

#define NS_PER_MS ((uint64_t)1000000)

static void finish_all(struct http *h, enum slot_end end, const char *why);

/* ---- sockets ---- */

static struct watch *find(const struct http *h, curl_socket_t fd)
{
    return fd >= 0 && (size_t)fd < h->watches_cap ? h->watches[fd] : NULL;
}

static void free_watch(uv_handle_t *handle)
{
    free(handle->data);
}

static void drop(struct watch *w)
{
    w->http->watches[w->fd] = NULL;
    w->want = 0;
    /* Leaves epoll now, while the descriptor is open; the memory goes when libuv let go of it. */
    uv_close((uv_handle_t *)&w->poll, free_watch);
}

static void on_poll(uv_poll_t *poll, int status, int events);

static int arm(struct watch *w, int want)
{
    w->want = want;
    w->kept = w->kept || (w->ours && want & UV_READABLE);
    if (w->armed != want) {
        if (uv_poll_start(&w->poll, want, on_poll) != 0) {
            return -1;
        }
        w->armed = want;
    }
    return 0;
}

static struct watch *watch_new(struct http *h, curl_socket_t fd, bool ours)
{
    size_t n = (size_t)fd + 1;
    if (n > h->watches_cap) {
        size_t cap = n < 64 ? 64 : n * 2;
        h->watches = mem_resize(h->watches, cap, sizeof(struct watch *));
        memset(h->watches + h->watches_cap, 0, (cap - h->watches_cap) * sizeof(struct watch *));
        h->watches_cap = cap;
    }
    /* libcurl closes a socket that did not come to be a connection without telling, and if the next
     * address gets the same descriptor it believes that we still watch it. */
    int inherited = 0;
    if (h->watches[fd] != NULL) {
        inherited = h->watches[fd]->want;
        drop(h->watches[fd]);
    }
    struct watch *w = mem_zero(1, sizeof *w);
    if (uv_poll_init_socket(&h->loop, &w->poll, fd) != 0) {
        free(w);
        return NULL;
    }
    w->poll.data = w;
    w->http = h;
    w->fd = fd;
    w->ours = ours;
    h->watches[fd] = w;
    if (inherited != 0 && arm(w, inherited) != 0) {
        drop(w);
        return NULL;
    }
    return w;
}

static void on_poll(uv_poll_t *poll, int status, int events)
{
    struct watch *w = poll->data;
    if (status < 0) {
        w->armed = 0; /* libuv stopped it */
    }
    if (w->want == 0) { /* idle: the server closed it; libcurl sees that before it is used again */
        uv_poll_stop(poll);
        w->armed = 0;
        return;
    }
    int bits = (events & UV_READABLE ? CURL_CSELECT_IN : 0) |
               (events & UV_WRITABLE ? CURL_CSELECT_OUT : 0);
    if (status < 0) {
        /* With the error alone libcurl gives up at once; let it read too, and it finds an answer
         * that came before a reset, and the system's reason. */
        bits = CURL_CSELECT_ERR | (w->want & UV_READABLE ? CURL_CSELECT_IN : CURL_CSELECT_OUT);
    }
    http_drive(w->http, w->fd, bits); /* may free w */
}

/* A connecting socket is watched for writing only; reading starts with the connection. */
static int on_socket(CURL *easy, curl_socket_t fd, int what, void *arg, void *unused)
{
    (void)easy, (void)unused;
    struct http *h = arg;
    struct watch *w = find(h, fd);
    if (what == CURL_POLL_REMOVE) {
        if (w != NULL && w->kept) {
            w->want = 0; /* stays armed for the next request: see on_poll */
        } else if (w != NULL) {
            drop(w);
        }
        return 0;
    }
    if (w == NULL) {
        w = watch_new(h, fd, false);
    }
    return w == NULL ? -1
                     : arm(w, (what & CURL_POLL_IN ? UV_READABLE : 0) |
                                  (what & CURL_POLL_OUT ? UV_WRITABLE : 0));
}

/* Opening and closing sockets ourselves tells how long a descriptor is the same connection. Not
 * inherited by children. */
curl_socket_t http_open_socket(void *arg, curlsocktype purpose, struct curl_sockaddr *address)
{
    (void)purpose;
    struct http *h = arg;
    int fd = socket(address->family, address->socktype | SOCK_CLOEXEC | SOCK_NONBLOCK,
                    address->protocol);
    if (fd >= 0 && watch_new(h, fd, true) == NULL) {
        close(fd);
        fd = -1;
    }
    return fd >= 0 ? fd : CURL_SOCKET_BAD;
}

int http_close_socket(void *arg, curl_socket_t fd)
{
    struct watch *w = find(arg, fd);
    if (w != NULL) {
        drop(w);
    }
    return close(fd);
}

/* ---- timers ---- */

static void on_curl_timer(uv_timer_t *timer)
{
    http_drive(timer->data, CURL_SOCKET_TIMEOUT, 0);
}

/* A timeout of 0 is not a millisecond: it is handled by the drain loop that is running, or as soon
 * as the loop runs (an idle handle; a zero timer armed again in its own callback would starve
 * sockets before libuv 1.48). */
static int on_timer(CURLM *multi, long timeout_ms, void *arg)
{
    (void)multi;
    struct http *h = arg;
    h->due_now = timeout_ms == 0;
    if (timeout_ms > 0) {
        uv_update_time(&h->loop);
        uv_timer_start(&h->curl_timer, on_curl_timer, (uint64_t)timeout_ms, 0);
    } else if (uv_is_active((uv_handle_t *)&h->curl_timer)) {
        uv_timer_stop(&h->curl_timer);
    }
    if (h->due_now && !h->driving) {
        http_soon(h);
    }
    return 0;
}

static void on_soon(uv_idle_t *idle)
{
    uv_idle_stop(idle);
    http_settle(idle->data);
}

void http_soon(struct http *h)
{
    if (!uv_is_active((uv_handle_t *)&h->soon)) {
        uv_idle_start(&h->soon, on_soon);
    }
}

/* One timer for the deadlines of all slots, armed for the nearest: with equal time limits it fires
 * once a limit, not once a request. */
static void on_sweep(uv_timer_t *timer)
{
    struct http *h = timer->data;
    uint64_t now = uv_hrtime(), next = UINT64_MAX;
    h->sweep_at_ns = UINT64_MAX;
    h->driving = true;
    for (unsigned i = 0; i < h->concurrency; i++) {
        struct slot *s = &h->slots[i];
        if (!s->busy) {
            continue;
        }
        uint64_t at = s->deadline_ns;
        if (!s->begun && s->connect_deadline_ns < at) {
            at = s->connect_deadline_ns;
        }
        if (at <= now) {
            http_slot_end(s, at == s->deadline_ns ? END_DEADLINE : END_CONNECT_DEADLINE, CURLE_OK);
        } else if (at < next) {
            next = at;
        }
    }
    if (next != UINT64_MAX) {
        http_deadline(h, next);
    }
    h->driving = false;
    http_settle(h);
}

void http_deadline(struct http *h, uint64_t at_ns)
{
    if (at_ns >= h->sweep_at_ns) {
        return;
    }
    uint64_t now = uv_hrtime();
    h->sweep_at_ns = at_ns;
    uv_update_time(&h->loop);
    uv_timer_start(&h->sweep, on_sweep, at_ns > now ? (at_ns - now) / NS_PER_MS + 1 : 0, 0);
}

/* ---- the drain loop ---- */

static void act(struct http *h, curl_socket_t fd, int bits)
{
    int running;
    h->due_now = false;
    CURLMcode rc = curl_multi_socket_action(h->multi, fd, bits, &running);
    if (rc != CURLM_OK) { /* a socket that cannot be watched: nothing in flight would ever end */
        finish_all(h, END_ENGINE, curl_multi_strerror(rc));
    }
}

static void drain(struct http *h)
{
    int left;
    CURLMsg *msg;
    while ((msg = curl_multi_info_read(h->multi, &left)) != NULL) {
        if (msg->msg == CURLMSG_DONE) {
            CURLcode code = msg->data.result; /* msg does not survive the handle's removal */
            struct slot *s = NULL;
            curl_easy_getinfo(msg->easy_handle, CURLINFO_PRIVATE, (char **)&s);
            http_slot_end(s, END_BY_CURL, code);
        }
    }
}

static void finish_all(struct http *h, enum slot_end end, const char *why)
{
    for (unsigned i = 0; i < h->concurrency; i++) {
        struct slot *s = &h->slots[i];
        if (s->busy) {
            if (why != NULL) {
                snprintf(s->error, sizeof s->error, "%s", why);
            }
            http_slot_end(s, end, CURLE_FAILED_INIT);
        }
    }
}

/* What `done` submits meanwhile ends cancelled too. */
static void cancel_all(struct http *h)
{
    finish_all(h, END_CANCEL, NULL);
    while (h->queue_len > 0) {
        struct job job = http_queue_pop(h);
        http_job_cancel(h, &job);
    }
}

/* With libcurl's zero timeout handled on the spot, a request leaves at once, without another round
 * of the loop. */
static void settle(struct http *h)
{
    for (int round = 0;; round++) {
        drain(h);
        if (h->stopped) {
            cancel_all(h);
        }
        while (h->queue_len > 0 && h->free_slots != NULL && !h->stopped) {
            struct job job = http_queue_pop(h);
            http_slot_start(h, &job);
        }
        if (!h->due_now || round >= ROUNDS_MAX) {
            break;
        }
        act(h, CURL_SOCKET_TIMEOUT, 0);
    }
}

static void after(struct http *h)
{
    h->driving = false;
    if (h->due_now) {
        http_soon(h);
    }
    if (h->draining && h->in_flight == 0 && h->queue_len == 0) {
        uv_stop(&h->loop);
    }
}

void http_drive(struct http *h, curl_socket_t fd, int bits)
{
    h->driving = true;
    act(h, fd, bits);
    settle(h);
    after(h);
}

void http_settle(struct http *h)
{
    h->driving = true;
    settle(h);
    after(h);
}

/* ---- life ---- */

static void on_stop(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    uv_poll_stop(poll); /* it stays readable */
    http_cancel(poll->data);
}

int http_loop_init(struct http *h, struct err *err)
{
    int rc = uv_loop_init(&h->loop);
    if (rc != 0) {
        return err_set(err, ERR_IO, "cannot make an event loop: %s", uv_strerror(rc));
    }
    h->has_loop = true;
    h->sweep_at_ns = UINT64_MAX;
    uv_timer_init(&h->loop, &h->curl_timer);
    uv_timer_init(&h->loop, &h->sweep);
    uv_idle_init(&h->loop, &h->soon);
    h->curl_timer.data = h->sweep.data = h->soon.data = h;
    return 0;
}

int http_loop_multi(struct http *h, const struct http_config *config, struct err *err)
{
    h->multi = curl_multi_init();
    if (h->multi == NULL) {
        return err_set(err, ERR_IO, "cannot start libcurl");
    }
    curl_multi_setopt(h->multi, CURLMOPT_SOCKETFUNCTION, on_socket);
    curl_multi_setopt(h->multi, CURLMOPT_SOCKETDATA, h);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERFUNCTION, on_timer);
    curl_multi_setopt(h->multi, CURLMOPT_TIMERDATA, h);
    curl_multi_setopt(h->multi, CURLMOPT_MAXCONNECTS, (long)h->concurrency);
    curl_multi_setopt(h->multi, CURLMOPT_PIPELINING,
                      config->http2 ? (long)CURLPIPE_MULTIPLEX : (long)CURLPIPE_NOTHING);
    if (!config->ignore_stop && stop_fd() >= 0) {
        int rc = uv_poll_init(&h->loop, &h->stop_poll, stop_fd());
        if (rc == 0) {
            h->stop_poll.data = h;
            rc = uv_poll_start(&h->stop_poll, UV_READABLE, on_stop);
        }
        if (rc != 0) {
            return err_set(err, ERR_IO, "cannot watch for a stop: %s", uv_strerror(rc));
        }
        uv_unref((uv_handle_t *)&h->stop_poll);
    }
    return 0;
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle)) {
        uv_close(handle, NULL);
    }
}

/* The easy handles are gone already; the multi handle's end closes the kept connections, which
 * still needs the loop. A handle that someone left on it would make uv_loop_close fail. */
void http_loop_free(struct http *h)
{
    if (h->multi != NULL) {
        curl_multi_cleanup(h->multi);
    }
    if (h->has_loop) {
        uv_walk(&h->loop, close_handle, NULL);
        uv_run(&h->loop, UV_RUN_DEFAULT);
        uv_loop_close(&h->loop);
    }
    free(h->watches);
}
