/* The engine when things go wrong: each trap of libcurl and each fault of the stub by its name. */
#include <arpa/inet.h>
#include <errno.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/stop.h"
#include "net/http_engine.h"
#include "tests/http_fixture.h"

#define MS ((uint64_t)1000000)

static char large[2000000]; /* a body that no socket buffer swallows whole */

/* ---- faults of the server ---- */

START_TEST(every_fault_has_its_outcome)
{
    static const struct {
        enum stub_fault fault;
        enum http_method method;
        size_t body_len;
        enum http_outcome want;
        int status;
    } rows[] = {
        {STUB_NONE, HTTP_POST, sizeof large, HTTP_ANSWERED, 200},
        {STUB_RESET_BEFORE_BODY, HTTP_POST, sizeof large, HTTP_BROKEN, 0},
        {STUB_RESET_BEFORE_BODY, HTTP_PUT, 10, HTTP_BROKEN, 0},
        {STUB_RESET_BEFORE_BODY, HTTP_GET, 0, HTTP_BROKEN, 0},
        {STUB_RESET_IN_BODY, HTTP_POST, sizeof large, HTTP_BROKEN, 0},
        {STUB_RESET_AFTER_BODY, HTTP_POST, sizeof large, HTTP_BROKEN, 0},
        {STUB_RESET_AFTER_BODY, HTTP_GET, 0, HTTP_BROKEN, 0},
        {STUB_CLOSE, HTTP_POST, 10, HTTP_BROKEN, 0},
        {STUB_CLOSE, HTTP_GET, 0, HTTP_BROKEN, 0},
        {STUB_CUT_ANSWER, HTTP_GET, 0, HTTP_BROKEN, 200},
        {STUB_STALL_ANSWER, HTTP_GET, 0, HTTP_TIMEOUT, 200},
        {STUB_SILENT, HTTP_GET, 0, HTTP_TIMEOUT, 0},
        {STUB_SILENT, HTTP_POST, sizeof large, HTTP_TIMEOUT, 0},
        {STUB_BAD_STATUS_LINE, HTTP_GET, 0, HTTP_BROKEN, 0},
        {STUB_ENDLESS_HEADERS, HTTP_GET, 0, HTTP_TOO_LARGE, 200},
        {STUB_ENDLESS_BODY, HTTP_GET, 0, HTTP_TOO_LARGE, 200},
    };
    struct fixture f;
    struct http_counters counters;
    fixture_open(&f, &(struct http_config){.concurrency = 1, .reply_max = 1000000});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[32];
        /* A fresh connection for each row: libcurl treats a kept one differently. */
        struct http_reply reply = fixture_get(&f, "/close");
        assert_answered(reply, 200);
        buf_free(&reply.body);
        snprintf(path, sizeof path, "/fault/%d", (int)rows[i].fault);
        struct http_request request = {
            .method = rows[i].method, .body = large, .body_len = rows[i].body_len};
        request.timeout_ns = rows[i].want == HTTP_TIMEOUT ? 200 * MS : 30000 * MS;
        uint64_t start = uv_hrtime();
        reply = fixture_call(&f, request, path);
        ck_assert_msg(reply.outcome == rows[i].want && reply.status == rows[i].status,
                      "row %zu: %s %d %s", i, http_outcome_name(reply.outcome), reply.status,
                      reply.error);
        ck_assert((reply.error[0] == '\0') == (reply.outcome == HTTP_ANSWERED));
        ck_assert_uint_eq(reply.connections, 1);
        ck_assert(!reply.resent);
        ck_assert_uint_gt(reply.sent_bytes, 0);
        if (rows[i].want == HTTP_TIMEOUT) { /* our own deadline, soon after its time */
            ck_assert_uint_ge(reply.end_ns - reply.start_ns, 200 * MS);
            ck_assert_uint_lt(uv_hrtime() - start, 10000 * MS);
        }
        buf_free(&reply.body);
    }
    http_counters(f.http, &counters);
    ck_assert_uint_eq(counters.requests, 2 * sizeof rows / sizeof rows[0]);
    fixture_close(&f);
}
END_TEST

/* The end of the last running transfer, when it comes from a timer and not from a socket. */
START_TEST(last_completion_is_not_lost)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 4});
    struct tally t = {.http = f.http};
    struct http_request request = {.method = HTTP_GET, .done = tally_done, .arg = &t};
    char urls[4][64];
    for (int i = 0; i < 4; i++) {
        request.url = strcpy(urls[i], fixture_url(&f, i < 3 ? "/body/3" : "/fault/7"));
        request.timeout_ns = i < 3 ? 30000 * MS : 150 * MS;
        http_submit(f.http, &request);
    }
    http_run(f.http); /* would not return */
    ck_assert_uint_eq(t.outcomes[HTTP_ANSWERED], 3);
    ck_assert_uint_eq(t.outcomes[HTTP_TIMEOUT], 1);
    fixture_close(&f);
}
END_TEST

START_TEST(different_deadlines)
{
    static const unsigned limits[] = {400, 100, 250, 50, 300};
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 8});
    struct tally t = {.http = f.http};
    struct http_request request = {
        .method = HTTP_GET, .url = fixture_url(&f, "/fault/7"), .done = tally_done, .arg = &t};
    uint64_t start = uv_hrtime();
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        request.timeout_ns = limits[i] * MS;
        http_submit(f.http, &request);
    }
    http_wait(f.http, 175 * MS);
    ck_assert_uint_ge(t.ended, 2);
    http_run(f.http);
    ck_assert_uint_ge(uv_hrtime() - start, 400 * MS);
    ck_assert_uint_eq(t.outcomes[HTTP_TIMEOUT], 5);
    fixture_close(&f);
}
END_TEST

/* ---- a dead kept connection ---- */

START_TEST(dead_kept_connection_seen_before_use)
{
    struct fixture f;
    struct stub_stats stats;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    struct http_reply reply = fixture_get(&f, "/body/3");
    buf_free(&reply.body);
    /* The stub ends and another takes its port: the kept connection is closed. */
    struct err err = ERR_INIT;
    uint16_t port = stub_port(f.stub);
    stub_stop(f.stub);
    f.stub = stub_start(&(struct stub_config){.handler = actor, .port = port}, &err);
    ck_assert_msg(f.stub != NULL, "%s", err.text);
    http_wait(f.http, 10 * MS); /* its end arrives */
    struct http_request request = {.method = HTTP_POST, .body = "{}", .body_len = 2};
    reply = fixture_call(&f, request, "/echo");
    assert_answered(reply, 200);
    ck_assert_uint_eq(reply.connections, 1); /* a second one for the engine */
    ck_assert(!reply.resent);
    buf_free(&reply.body);
    struct http_counters counters;
    http_counters(f.http, &counters);
    ck_assert_uint_eq(counters.connections, 2);
    stub_stats(f.stub, &stats);
    ck_assert_uint_eq(stats.requests, 1);
    fixture_close(&f);
}
END_TEST

static size_t read_letters(void *arg, uint64_t offset, void *out, size_t size)
{
    *(unsigned *)arg += offset == 0;
    for (size_t i = 0; i < size; i++) {
        ((char *)out)[i] = (char)('a' + (offset + i) % 26);
    }
    return size;
}

/* The server breaks a kept connection when the request is there already: libcurl would send it once
 * more without a word. Only a GET or HEAD may be; what a server may have done is not done twice. */
START_TEST(dead_kept_connection_is_not_retried_silently)
{
    static const struct {
        const char *path;
        enum http_method method;
        size_t body_len;
        bool streamed, resent;
    } rows[] = {
        {"/once", HTTP_GET, 0, false, true},          {"/once-reset", HTTP_GET, 0, false, true},
        {"/once", HTTP_HEAD, 0, false, true},         {"/once", HTTP_POST, 10, false, false},
        {"/once-reset", HTTP_POST, 10, false, false}, {"/once", HTTP_PUT, 100000, false, false},
        {"/once", HTTP_PUT, 5000, true, false},       {"/once", HTTP_DELETE, 0, false, false},
        {"/once", HTTP_GET, 5000, true, true}, /* a streamed body is read again from its start */
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        struct stub_stats stats;
        unsigned from_start = 0;
        fixture_open(&f, &(struct http_config){.concurrency = 1});
        struct http_reply reply = fixture_get(&f, "/body/3"); /* opens the connection */
        buf_free(&reply.body);
        struct http_request request = {.method = rows[i].method,
                                       .body = large,
                                       .body_len = rows[i].body_len,
                                       .read = rows[i].streamed ? read_letters : NULL,
                                       .arg = &from_start};
        reply = fixture_call(&f, request, rows[i].path);
        stub_stats(f.stub, &stats);
        ck_assert_msg(reply.outcome == (rows[i].resent ? HTTP_ANSWERED : HTTP_BROKEN),
                      "row %zu: %s %s", i, http_outcome_name(reply.outcome), reply.error);
        ck_assert(reply.resent == rows[i].resent);
        ck_assert_uint_eq(stats.requests, rows[i].resent ? 3 : 2);
        if (rows[i].resent) {
            ck_assert_uint_eq(reply.connections, 1);
            ck_assert_uint_eq(from_start, rows[i].streamed ? 2 : 0);
        } else {
            ck_assert_ptr_nonnull(strstr(reply.error, "not sent again"));
        }
        buf_free(&reply.body);
        reply = fixture_get(&f, "/echo"); /* and the engine goes on */
        assert_answered(reply, 200);
        ck_assert_uint_le(reply.connections, 1);
        buf_free(&reply.body);
        fixture_close(&f);
    }
}
END_TEST

/* ---- no server ---- */

START_TEST(refused_connection_is_unsent)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 2});
    char url[64];
    strcpy(url, fixture_url(&f, "/echo"));
    stub_stop(f.stub);
    f.stub = NULL;
    static const enum http_method methods[] = {HTTP_GET, HTTP_POST, HTTP_PUT};
    for (size_t i = 0; i < 3; i++) {
        struct http_request request = {
            .method = methods[i], .url = url, .body = large, .body_len = i * 20000};
        struct http_reply reply;
        http_call(f.http, &request, &reply);
        ck_assert_msg(reply.outcome == HTTP_UNSENT, "%s", http_outcome_name(reply.outcome));
        ck_assert_uint_eq(reply.sent_bytes, 0);
        ck_assert_uint_eq(reply.connections, 0);
        ck_assert_str_ne(reply.error, "");
        buf_free(&reply.body);
    }
    struct err err = ERR_INIT;
    ck_assert_uint_eq(http_round_trip(f.http, url, 3, &err), 0);
    ck_assert_int_eq(err.kind, ERR_UNREACHABLE);
    fixture_close(&f);
}
END_TEST

START_TEST(bad_hosts_and_urls_are_unsent)
{
    /* An empty label is refused without asking a name server. */
    static const char *const urls[] = {"http://no..such..host/", "http://", "ftp://127.0.0.1/",
                                       "nonsense://x", "http://127.0.0.1:99999/"};
    struct err err = ERR_INIT;
    char address[64];
    struct http *h = http_new(&(struct http_config){.concurrency = 1}, &err);
    for (size_t i = 0; i < sizeof urls / sizeof urls[0]; i++) {
        struct http_request request = {
            .method = HTTP_POST, .url = urls[i], .body = "x", .body_len = 1};
        struct http_reply reply;
        http_call(h, &request, &reply);
        ck_assert_msg(reply.outcome == HTTP_UNSENT, "%s: %s", urls[i],
                      http_outcome_name(reply.outcome));
        ck_assert_str_ne(reply.error, "");
        buf_free(&reply.body);
    }
    ck_assert_int_lt(http_pin(h, urls[0], address, sizeof address, &err), 0);
    ck_assert_int_eq(err.kind, ERR_UNREACHABLE);
    ck_assert_int_lt(http_pin(h, "http://", address, sizeof address, &err), 0);
    ck_assert_uint_eq(http_round_trip(h, urls[0], 1, &err), 0);
    http_free(h);
}
END_TEST

/* A listener whose queue is full drops what comes: connecting hangs. */
START_TEST(connecting_has_its_own_limit)
{
    struct sockaddr_in to = {.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t len = sizeof to;
    int listener = socket(AF_INET, SOCK_STREAM, 0), fill[8];
    ck_assert_int_eq(bind(listener, (struct sockaddr *)&to, len), 0);
    ck_assert_int_eq(listen(listener, 0), 0);
    ck_assert_int_eq(getsockname(listener, (struct sockaddr *)&to, &len), 0);
    for (int i = 0; i < 8; i++) {
        fill[i] = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        int rc = connect(fill[i], (struct sockaddr *)&to, len);
        ck_assert(rc == 0 || errno == EINPROGRESS);
    }
    struct err err = ERR_INIT;
    struct http *h =
        http_new(&(struct http_config){.concurrency = 1, .connect_timeout_ns = 150 * MS}, &err);
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u/", ntohs(to.sin_port));
    struct http_request request = {.method = HTTP_GET, .url = url};
    struct http_reply reply;
    http_call(h, &request, &reply);
    ck_assert_int_eq(reply.outcome, HTTP_UNSENT);
    ck_assert_uint_ge(reply.end_ns - reply.start_ns, 150 * MS);
    ck_assert_ptr_nonnull(strstr(reply.error, "connecting"));
    request.timeout_ns = 50 * MS; /* the request's own limit comes first */
    http_call(h, &request, &reply);
    ck_assert_msg(reply.outcome == HTTP_TIMEOUT, "%s", reply.error);
    http_free(h);
    for (int i = 0; i < 8; i++) {
        close(fill[i]);
    }
    close(listener);
}
END_TEST

/* A name with two addresses, no one listening on the first: the socket for the second has the same
 * descriptor as the one that failed. */
START_TEST(next_address_after_a_refused_one)
{
    struct fixture f;
    char url[64], entry[64];
    fixture_open(&f, &(struct http_config){.concurrency = 4, .timeout_ns = 5000 * MS});
    struct tally t = {.http = f.http, .more = 20};
    snprintf(entry, sizeof entry, "twofold.test:%u:127.0.0.2,127.0.0.1", stub_port(f.stub));
    f.http->resolve = curl_slist_append(NULL, entry);
    for (unsigned i = 0; i < 4; i++) {
        curl_easy_setopt(f.http->slots[i].easy, CURLOPT_RESOLVE, f.http->resolve);
    }
    snprintf(url, sizeof url, "http://twofold.test:%u/close", stub_port(f.stub));
    tally_submit(&t, url, 4);
    http_run(f.http);
    ck_assert_uint_eq(t.outcomes[HTTP_ANSWERED], 24);
    fixture_close(&f);
}
END_TEST

/* ---- stopping ---- */

static void raise_stop(uv_timer_t *timer)
{
    (void)timer;
    stop_raise(SIGINT);
}

START_TEST(stop_cancels)
{
    struct fixture f;
    uv_timer_t timer;
    ck_assert_int_eq(stop_init(), 0);
    fixture_open(&f, &(struct http_config){.concurrency = 3});
    uv_timer_init(http_loop(f.http), &timer);
    uv_timer_start(&timer, raise_stop, 50, 0);
    struct tally t = {.http = f.http};
    tally_submit(&t, fixture_url(&f, "/fault/7"), 10);
    uint64_t start = uv_hrtime();
    http_run(f.http);
    ck_assert_uint_lt(uv_hrtime() - start, 20000 * MS);
    ck_assert_uint_eq(t.outcomes[HTTP_CANCELLED], 10);
    ck_assert(http_stopped(f.http));

    struct http_reply reply = fixture_get(&f, "/echo"); /* nothing more is sent */
    ck_assert_int_eq(reply.outcome, HTTP_CANCELLED);
    buf_free(&reply.body);
    start = uv_hrtime();
    http_wait(f.http, 30000 * MS); /* does not wait */
    ck_assert_uint_lt(uv_hrtime() - start, 20000 * MS);

    http_resume(f.http); /* clean-up passes */
    reply = fixture_get(&f, "/echo");
    assert_answered(reply, 200);
    buf_free(&reply.body);
    ck_assert(!http_stopped(f.http));
    fixture_close(&f);

    /* A stop that the loop has not seen yet does not cut the clean-up. */
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    http_resume(f.http);
    reply = fixture_get(&f, "/delay/200");
    assert_answered(reply, 200);
    buf_free(&reply.body);
    fixture_close(&f);

    /* An engine made after the stop stops too, unless it was told not to look. */
    for (int ignore = 0; ignore < 2; ignore++) {
        fixture_open(&f, &(struct http_config){.concurrency = 1, .ignore_stop = ignore});
        reply = fixture_get(&f, "/delay/200");
        ck_assert_int_eq(reply.outcome, ignore ? HTTP_ANSWERED : HTTP_CANCELLED);
        buf_free(&reply.body);
        fixture_close(&f);
    }
    stop_reset();
}
END_TEST

START_TEST(stop_ends_a_wait)
{
    struct fixture f;
    uv_timer_t timer;
    ck_assert_int_eq(stop_init(), 0);
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    uv_timer_init(http_loop(f.http), &timer);
    uv_timer_start(&timer, raise_stop, 20, 0);
    uint64_t start = uv_hrtime();
    http_wait(f.http, 50000 * MS);
    ck_assert_uint_lt(uv_hrtime() - start, 30000 * MS);
    fixture_close(&f);
    stop_reset();
}
END_TEST

START_TEST(cancel_from_done)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 4});
    struct tally t = {.http = f.http, .cancel_at = 2};
    tally_submit(&t, fixture_url(&f, "/body/10"), 2);
    tally_submit(&t, fixture_url(&f, "/fault/7"), 8);
    http_run(f.http);
    ck_assert_uint_eq(t.ended, 10);
    ck_assert_uint_ge(t.outcomes[HTTP_CANCELLED], 8);
    http_resume(f.http);
    struct http_reply reply = fixture_get(&f, "/echo");
    assert_answered(reply, 200);
    buf_free(&reply.body);
    fixture_close(&f);
}
END_TEST

static int cancelling_sink(void *arg, const void *bytes, size_t n)
{
    (void)bytes, (void)n;
    http_cancel(arg);
    return 0;
}

/* From inside one of libcurl's callbacks it takes effect in the drain loop. */
START_TEST(cancel_from_a_sink)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 2});
    struct tally t = {.http = f.http};
    tally_submit(&t, fixture_url(&f, "/fault/7"), 1);
    struct http_request request = {.method = HTTP_GET, .sink = cancelling_sink, .arg = f.http};
    char url[64];
    request.url = strcpy(url, fixture_url(&f, "/fault/6")); /* half an answer, then nothing */
    http_submit(f.http, &request);
    http_run(f.http);
    ck_assert_uint_eq(t.outcomes[HTTP_CANCELLED], 1);
    fixture_close(&f);
}
END_TEST

START_TEST(free_with_requests_in_flight)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 4});
    struct tally t = {.http = f.http};
    tally_submit(&t, fixture_url(&f, "/fault/7"), 3);
    tally_submit(&t, fixture_url(&f, "/fault/10"), 3);
    http_wait(f.http, 30 * MS);
    http_free(f.http);
    ck_assert_uint_eq(t.outcomes[HTTP_CANCELLED] + t.outcomes[HTTP_TOO_LARGE], 6);
    f.http = NULL;
    http_free(NULL);
    fixture_close(&f);

    fixture_open(&f, &(struct http_config){.concurrency = 4}); /* never run at all */
    t = (struct tally){.http = f.http};
    tally_submit(&t, fixture_url(&f, "/body/3"), 9);
    http_free(f.http);
    ck_assert_uint_eq(t.outcomes[HTTP_CANCELLED], 9);
    f.http = NULL;
    fixture_close(&f);
}
END_TEST

/* ---- addresses ---- */

START_TEST(pin_and_round_trip)
{
    struct fixture f;
    char url[64], address[64];
    struct err err = ERR_INIT;
    fixture_open(&f, &(struct http_config){.concurrency = 2});
    ck_assert_int_eq(http_pin(f.http, stub_url(f.stub), address, sizeof address, &err), 0);
    ck_assert_str_eq(address, "127.0.0.1");
    /* Where the name is ::1 as well, the address that answers is taken. */
    snprintf(url, sizeof url, "http://localhost:%u/echo", stub_port(f.stub));
    ck_assert_int_eq(http_pin(f.http, url, address, sizeof address, &err), 0);
    ck_assert_str_eq(address, "127.0.0.1");
    struct tally t = {.http = f.http};
    tally_submit(&t, url, 10);
    http_run(f.http);
    ck_assert_uint_eq(t.outcomes[HTTP_ANSWERED], 10);
    uint64_t rtt = http_round_trip(f.http, url, 5, &err);
    ck_assert_uint_gt(rtt, 0);
    ck_assert_uint_lt(rtt, 1000 * MS);
    fixture_close(&f);
}
END_TEST

START_TEST(environment_proxy_is_ignored)
{
    struct fixture f;
    setenv("http_proxy", "http://127.0.0.1:1", 1);
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    struct http_reply reply = fixture_get(&f, "/echo");
    assert_answered(reply, 200);
    buf_free(&reply.body);
    fixture_close(&f);
    unsetenv("http_proxy");
}
END_TEST

START_TEST(ipv6)
{
    struct err err = ERR_INIT;
    char address[64];
    struct stub *stub = stub_start(&(struct stub_config){.ipv6 = true}, &err);
    if (stub == NULL) {
        return; /* no IPv6 here */
    }
    struct http *h = http_new(&(struct http_config){.concurrency = 1}, &err);
    struct http_request request = {.method = HTTP_GET, .url = stub_url(stub)};
    struct http_reply reply;
    ck_assert_int_eq(http_pin(h, request.url, address, sizeof address, &err), 0);
    ck_assert_str_eq(address, "::1");
    http_call(h, &request, &reply);
    assert_answered(reply, 200);
    buf_free(&reply.body);
    ck_assert_uint_gt(http_round_trip(h, request.url, 2, &err), 0);
    http_free(h);
    stub_stop(stub);
}
END_TEST

TEST_MAIN("http_faults", every_fault_has_its_outcome, last_completion_is_not_lost,
          different_deadlines, dead_kept_connection_seen_before_use,
          dead_kept_connection_is_not_retried_silently, refused_connection_is_unsent,
          bad_hosts_and_urls_are_unsent, connecting_has_its_own_limit,
          next_address_after_a_refused_one, stop_cancels, stop_ends_a_wait, cancel_from_done,
          cancel_from_a_sink, free_with_requests_in_flight, pin_and_round_trip,
          environment_proxy_is_ignored, ipv6)
