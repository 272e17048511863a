#include "net/stub.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include "base/mem.h"
#include "net/stub_engine.h"

#define NS_PER_S ((uint64_t)1000000000)
#define BODY_MAX ((size_t)1 << 30)
#define DELAYS_MAX ((size_t)1 << 20) /* kept for stub_delays; the sum counts all */
#define READ_ROOM ((size_t)16 << 10) /* offered to each read of headers */
#define BODY_ROOM ((size_t)1 << 20)  /* offered to each read of a body, at most */
#define BACKLOG 1024

/* ---- connections ---- */

static void free_conn(uv_handle_t *handle)
{
    struct stub_conn *c = handle->data;
    buf_free(&c->in);
    buf_free(&c->head);
    buf_free(&c->answer.body);
    free(c);
}

static void forget(struct stub_conn *c)
{
    struct stub *s = c->stub;
    c->state = STUB_CLOSING;
    *(c->prev ? &c->prev->next : &s->conns) = c->next;
    if (c->next != NULL) {
        c->next->prev = c->prev;
    }
    for (struct stub_conn **p = &s->due; c->delayed && *p != NULL; p = &(*p)->next_due) {
        if (*p == c) {
            *p = c->next_due;
            break;
        }
    }
    atomic_fetch_sub_explicit(&s->open, 1, memory_order_relaxed);
}

void stub_close(struct stub_conn *c)
{
    if (c->state != STUB_CLOSING) {
        forget(c);
        uv_close((uv_handle_t *)&c->tcp, free_conn);
    }
}

void stub_reset(struct stub_conn *c)
{
    if (c->state != STUB_CLOSING) {
        forget(c);
        if (uv_tcp_close_reset(&c->tcp, free_conn) != 0) {
            uv_close((uv_handle_t *)&c->tcp, free_conn);
        }
    }
}

static void on_alloc(uv_handle_t *handle, size_t suggested, uv_buf_t *out)
{
    (void)suggested;
    struct stub_conn *c = handle->data;
    if (stub_drops(c)) {
        *out = uv_buf_init(c->stub->scratch, (unsigned)STUB_SCRATCH);
        return;
    }
    size_t room = READ_ROOM;
    if (c->state == STUB_ANSWERING && c->in.len > stub_request_len(c) + STUB_HEADERS_MAX) {
        *out = uv_buf_init(NULL, 0); /* far too much ahead of its answers: on_read gets an error */
        return;
    }
    if (c->state == STUB_IN_BODY && c->body_len - c->body_seen > room) {
        uint64_t left = c->body_len - c->body_seen;
        room = left < BODY_ROOM ? (size_t)left : BODY_ROOM;
    }
    if (buf_reserve(&c->in, room) < 0) {
        *out = uv_buf_init(NULL, 0);
        return;
    }
    *out = uv_buf_init(c->in.data + c->in.len, (unsigned)room);
}

static void on_read(uv_stream_t *stream, ssize_t n, const uv_buf_t *b)
{
    struct stub_conn *c = stream->data;
    if (n < 0) {
        stub_close(c);
    } else if (n > 0) {
        stub_take(c, (size_t)n, b->base == c->stub->scratch);
    }
}

static void on_connection(uv_stream_t *listener, int status)
{
    struct stub *s = listener->data;
    if (status < 0) {
        return;
    }
    struct stub_conn *c = mem_zero(1, sizeof *c);
    uv_tcp_init(&s->loop, &c->tcp);
    c->tcp.data = c->write.data = c;
    c->stub = s;
    c->next = s->conns;
    if (s->conns != NULL) {
        s->conns->prev = c;
    }
    s->conns = c;
    /* Room for the next request's beginning behind a whole one. */
    buf_init(&c->in, s->config.body_max + 2 * STUB_HEADERS_MAX + STUB_SCRATCH);
    buf_init(&c->head, BUF_TEXT_MAX);
    unsigned long long open = atomic_fetch_add(&s->open, 1) + 1;
    if (open > atomic_load(&s->open_max)) { /* only this thread writes it */
        atomic_store(&s->open_max, open);
    }
    if (uv_accept(listener, (uv_stream_t *)&c->tcp) != 0) {
        stub_close(c);
        return;
    }
    c->number = s->next_connection++;
    atomic_fetch_add_explicit(&s->connections, 1, memory_order_relaxed);
    uv_tcp_nodelay(&c->tcp, 1);
    if (uv_read_start((uv_stream_t *)&c->tcp, on_alloc, on_read) != 0) {
        stub_close(c);
    }
}

/* ---- delays: one timerfd, armed for the nearest ---- */

static void arm_timer(struct stub *s)
{
    uint64_t at = UINT64_MAX;
    for (const struct stub_conn *c = s->due; c != NULL; c = c->next_due) {
        at = c->due_ns < at ? c->due_ns : at;
    }
    if (at != UINT64_MAX) {
        struct itimerspec when = {
            .it_value = {.tv_sec = (time_t)(at / NS_PER_S), .tv_nsec = (long)(at % NS_PER_S)}};
        timerfd_settime(s->timer_fd, TFD_TIMER_ABSTIME, &when, NULL);
    }
}

void stub_delay(struct stub_conn *c)
{
    c->due_ns = c->last_byte_ns + c->answer.delay_ns;
    c->delayed = true;
    c->next_due = c->stub->due;
    c->stub->due = c;
    arm_timer(c->stub);
}

static void note_delay(struct stub *s, uint64_t ns)
{
    atomic_fetch_add_explicit(&s->delay_sum_ns, ns, memory_order_relaxed);
    uv_mutex_lock(&s->lock);
    if (s->delays_len < DELAYS_MAX) {
        s->delays = mem_grow(s->delays, s->delays_len, &s->delays_cap, sizeof *s->delays);
        s->delays[s->delays_len++] = ns;
    }
    uv_mutex_unlock(&s->lock);
}

static void on_timer(uv_poll_t *poll, int status, int events)
{
    (void)status, (void)events;
    struct stub *s = poll->data;
    uint64_t expirations;
    ssize_t got = read(s->timer_fd, &expirations, sizeof expirations);
    (void)got;
    for (;;) { /* answering changes the list: begin anew after each */
        struct stub_conn **p = &s->due;
        uint64_t now = uv_hrtime();
        while (*p != NULL && (*p)->due_ns > now) {
            p = &(*p)->next_due;
        }
        struct stub_conn *c = *p;
        if (c == NULL) {
            break;
        }
        *p = c->next_due;
        c->delayed = false;
        note_delay(s, now - c->last_byte_ns);
        stub_respond(c);
    }
    arm_timer(s);
}

/* ---- life ---- */

static void on_stop(uv_async_t *async)
{
    struct stub *s = async->data;
    while (s->conns != NULL) {
        stub_close(s->conns);
    }
    uv_close((uv_handle_t *)&s->listener, NULL);
    uv_close((uv_handle_t *)&s->timer, NULL);
    uv_close((uv_handle_t *)&s->stop, NULL);
}

static void serve(void *arg)
{
    struct stub *s = arg;
    uv_run(&s->loop, UV_RUN_DEFAULT);
}

static int listen_on(struct stub *s)
{
    struct sockaddr_storage address;
    int len = sizeof address;
    int rc = s->config.ipv6
                 ? uv_ip6_addr("::1", s->config.port, (struct sockaddr_in6 *)&address)
                 : uv_ip4_addr("127.0.0.1", s->config.port, (struct sockaddr_in *)&address);
    if (rc == 0) {
        rc = uv_tcp_bind(&s->listener, (struct sockaddr *)&address, 0);
    }
    if (rc == 0) {
        rc = uv_listen((uv_stream_t *)&s->listener, BACKLOG, on_connection);
    }
    if (rc == 0) {
        rc = uv_tcp_getsockname(&s->listener, (struct sockaddr *)&address, &len);
    }
    if (rc == 0) {
        s->port = ntohs(s->config.ipv6 ? ((struct sockaddr_in6 *)&address)->sin6_port
                                       : ((struct sockaddr_in *)&address)->sin_port);
        snprintf(s->url, sizeof s->url, "http://%s:%u", s->config.ipv6 ? "[::1]" : "127.0.0.1",
                 (unsigned)s->port);
    }
    return rc;
}

static void close_handle(uv_handle_t *handle, void *arg)
{
    (void)arg;
    if (!uv_is_closing(handle)) {
        uv_close(handle, NULL);
    }
}

static void release(struct stub *s)
{
    uv_walk(&s->loop, close_handle, NULL);
    uv_run(&s->loop, UV_RUN_DEFAULT);
    uv_loop_close(&s->loop);
    if (s->timer_fd >= 0) {
        close(s->timer_fd);
    }
    uv_mutex_destroy(&s->lock);
    free(s->delays);
    free(s->scratch);
    free(s->header_block);
    free(s->body_block);
    free(s);
}

struct stub *stub_start(const struct stub_config *config, struct err *err)
{
    struct stub *s = mem_zero(1, sizeof *s);
    s->config = *config;
    if (s->config.body_max == 0) {
        s->config.body_max = BODY_MAX;
    }
    int rc = uv_loop_init(&s->loop);
    if (rc != 0) {
        err_set(err, ERR_IO, "cannot start a stub server: %s", uv_strerror(rc));
        free(s);
        return NULL;
    }
    uv_mutex_init(&s->lock);
    s->scratch = mem_alloc(STUB_SCRATCH);
    stub_blocks(s);
    s->timer_fd = timerfd_create(CLOCK_MONOTONIC, TFD_CLOEXEC | TFD_NONBLOCK);
    rc = s->timer_fd < 0 ? uv_translate_sys_error(errno)
                         : uv_poll_init(&s->loop, &s->timer, s->timer_fd);
    if (rc == 0) {
        rc = uv_poll_start(&s->timer, UV_READABLE, on_timer);
    }
    if (rc == 0) {
        rc = uv_tcp_init(&s->loop, &s->listener);
    }
    if (rc == 0) {
        rc = uv_async_init(&s->loop, &s->stop, on_stop);
    }
    s->timer.data = s->listener.data = s->stop.data = s;
    if (rc == 0) {
        rc = listen_on(s);
    }
    if (rc == 0) {
        rc = uv_thread_create(&s->thread, serve, s);
    }
    if (rc != 0) {
        err_set(err, ERR_IO, "cannot start a stub server on port %u: %s", (unsigned)s->config.port,
                uv_strerror(rc));
        release(s);
        return NULL;
    }
    return s;
}

void stub_stop(struct stub *s)
{
    if (s != NULL) {
        uv_async_send(&s->stop);
        uv_thread_join(&s->thread);
        release(s);
    }
}

/* ---- facts ---- */

uint16_t stub_port(const struct stub *s)
{
    return s->port;
}

const char *stub_url(const struct stub *s)
{
    return s->url;
}

void stub_stats(struct stub *s, struct stub_stats *out)
{
    out->connections = atomic_load(&s->connections);
    out->requests = atomic_load(&s->requests);
    out->body_bytes = atomic_load(&s->body_bytes);
    out->open = atomic_load(&s->open);
    out->open_max = atomic_load(&s->open_max);
    out->delay_sum_s = (double)atomic_load(&s->delay_sum_ns) / 1e9;
}

size_t stub_delays(struct stub *s, uint64_t *out, size_t n)
{
    uv_mutex_lock(&s->lock);
    size_t count = n < s->delays_len ? n : s->delays_len;
    if (count > 0) {
        memcpy(out, s->delays, count * sizeof *out);
    }
    uv_mutex_unlock(&s->lock);
    return count;
}
