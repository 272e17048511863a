/* The engine against a well-behaved server: requests, options that stick, concurrency, bytes. */
#include <fcntl.h>

#include "tests/http_fixture.h"

START_TEST(names_and_versions)
{
    ck_assert_str_eq(http_method_name(HTTP_DELETE), "DELETE");
    ck_assert_str_eq(http_outcome_name(HTTP_TOO_LARGE), "too large");
    ck_assert(text_starts(http_library_version(), "libcurl "));
    ck_assert_ptr_nonnull(strstr(http_library_version(), ", libuv "));
}
END_TEST

START_TEST(kept_connection)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    for (int i = 0; i < 3; i++) {
        struct http_reply reply = fixture_get(&f, "/body/11");
        assert_answered(reply, 200);
        ck_assert_str_eq(reply.body.data, "abcdefghijk");
        ck_assert_uint_eq(reply.connections, i == 0);
        ck_assert((reply.connect_ns > 0) == (i == 0));
        ck_assert_uint_eq(reply.tls_ns, 0);
        ck_assert_int_eq(reply.http_version, 11);
        ck_assert_uint_le(reply.submit_ns, reply.start_ns);
        ck_assert_uint_gt(reply.first_byte_ns, 0);
        ck_assert_uint_ge(reply.end_ns, reply.start_ns + reply.first_byte_ns);
        ck_assert_str_eq(reply.error, "");
        buf_free(&reply.body);
    }
    fixture_close(&f);
}
END_TEST

/* ---- options that stick ---- */

static size_t read_letters(void *arg, uint64_t offset, void *out, size_t size)
{
    (void)arg;
    size_t n = size < 1000 ? size : 1000; /* in small pieces, as a file might */
    for (size_t i = 0; i < n; i++) {
        ((char *)out)[i] = (char)('a' + (offset + i) % 26);
    }
    return n;
}

struct shape {
    enum http_method method;
    size_t len; /* of the body */
    bool streamed, has_length;
};

static const struct shape shapes[] = {
    {HTTP_GET, 0, false, false},  {HTTP_HEAD, 0, false, false},     {HTTP_DELETE, 0, false, false},
    {HTTP_POST, 0, false, true},  {HTTP_PUT, 0, false, true},       {HTTP_POST, 5500, false, true},
    {HTTP_PUT, 17, false, true},  {HTTP_POST, 700000, false, true}, {HTTP_PUT, 16385, false, true},
    {HTTP_PUT, 3001, true, true}, {HTTP_POST, 100, true, true},     {HTTP_DELETE, 9, false, true},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static void check_shape(struct fixture *f, const struct shape *shape, const char *letters)
{
    struct http_request request = {.method = shape->method, .body_len = shape->len};
    request.body = shape->streamed ? NULL : letters;
    request.read = shape->streamed ? read_letters : NULL;
    struct http_reply reply = fixture_call(f, request, "/echo?a=b");
    assert_answered(reply, 200);
    if (shape->method == HTTP_HEAD) {
        ck_assert_uint_eq(reply.body.len, 0);
        buf_free(&reply.body);
        return;
    }
    char want[256];
    snprintf(want, sizeof want, "%s /echo?a=b\nseen=%llu\nbody=%zu\nsum=%lu\nexpect=[]\ntype=[]\n",
             http_method_name(shape->method), (unsigned long long)reply.sent_bytes, shape->len,
             actor_sum(letters, shape->len));
    ck_assert_msg(strncmp(reply.body.data, want, strlen(want)) == 0, "want:\n%sgot:\n%s", want,
                  reply.body.data);
    snprintf(want, sizeof want, shape->has_length ? "length=[%zu]\n" : "length=[]\n", shape->len);
    assert_has(reply, want);
    assert_has(reply, "encoding=[]\n");
    assert_has(reply, "agent=[tunecouch/");
    assert_has(reply, "connection=0.");
    buf_free(&reply.body);
}

/* Every kind of request after every other on one slot: nothing of the one before is left. No
 * Expect, no invented Content-Type, an exact Content-Length, the bytes sent as counted. */
START_TEST(every_shape_after_every_other)
{
    struct fixture f;
    struct buf letters = BUF_INIT(BUF_TEXT_MAX);
    actor_fill(&letters, 700000);
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    for (size_t i = 0; i < SHAPES; i++) {
        for (size_t j = 0; j < SHAPES; j++) {
            check_shape(&f, &shapes[i], letters.data);
            check_shape(&f, &shapes[j], letters.data);
        }
    }
    struct stub_stats stats;
    stub_stats(f.stub, &stats);
    ck_assert_uint_eq(stats.connections, 1);
    fixture_close(&f);
    buf_free(&letters);
}
END_TEST

START_TEST(headers)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 1, .user_agent = "other/2"});
    struct http_headers *base = http_headers_new();
    http_headers_add(base, "X-Test: one");
    struct http_headers *typed = http_headers_copy(base);
    http_headers_add(typed, "content-type: text/x");
    const struct {
        const struct http_headers *headers;
        const char *want;
    } rows[] = {{typed, "type=[text/x]\n"}, {NULL, "type=[]\n"}, {base, "type=[]\n"},
                {base, "x=[one]\n"},        {NULL, "x=[]\n"},    {typed, "x=[one]\n"}};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct http_request request = {
            .method = HTTP_POST, .body = "{}", .body_len = 2, .headers = rows[i].headers};
        struct http_reply reply = fixture_call(&f, request, "/echo");
        assert_answered(reply, 200);
        assert_has(reply, rows[i].want);
        assert_has(reply, "expect=[]\n");
        assert_has(reply, "agent=[other/2]\n");
        buf_free(&reply.body);
    }
    http_headers_free(base);
    http_headers_free(typed);
    http_headers_free(NULL);
    fixture_close(&f);
}
END_TEST

/* ---- answers ---- */

START_TEST(answer_headers)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    struct http_reply reply = fixture_get(&f, "/cookies");
    assert_answered(reply, 200);
    ck_assert_str_eq(reply.server, "Stub/1 (Test)");
    ck_assert_str_eq(reply.etag, "\"1-abc\"");
    ck_assert_str_eq(reply.content_type, "application/json");
    ck_assert_str_eq(reply.set_cookie, "a=1; Path=/\nAuthSession=xyz; HttpOnly");
    ck_assert_double_eq(reply.retry_after_s, -1);
    buf_free(&reply.body);

    reply = fixture_get(&f, "/redirect"); /* a 3xx is an answer */
    assert_answered(reply, 302);
    ck_assert_str_eq(reply.location, "/echo");
    ck_assert_str_eq(reply.etag, "");
    buf_free(&reply.body);
    fixture_close(&f);
}
END_TEST

START_TEST(retry_after)
{
    static const struct {
        const char *path;
        double least, most;
    } rows[] = {
        {"/retry/7", 7, 7},      {"/retry/0", 0, 0},    {"/retry/0.5", 0.5, 0.5},
        {"/retry/soon", -1, -1}, {"/retry/-3", -1, -1}, {"/retry-date", 90, 100},
        {"/status/503", -1, -1}, {"/retry-past", 0, 0},
    };
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct http_reply reply = fixture_get(&f, rows[i].path);
        assert_answered(reply, 503);
        ck_assert_msg(reply.retry_after_s >= rows[i].least && reply.retry_after_s <= rows[i].most,
                      "%s: %g", rows[i].path, reply.retry_after_s);
        buf_free(&reply.body);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(statuses)
{
    static const int rows[] = {200, 201, 202, 204, 304, 400, 401, 404, 409, 412, 500, 503};
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        char path[32];
        snprintf(path, sizeof path, "/status/%d", rows[i]);
        struct http_reply reply = fixture_get(&f, path);
        assert_answered(reply, rows[i]);
        ck_assert_uint_eq(reply.body.len, rows[i] == 204 || rows[i] == 304 ? 0 : 11);
        ck_assert_uint_eq(reply.connections, i == 0);
        buf_free(&reply.body);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(lengths_and_limits)
{
    static const struct {
        const char *path;
        size_t reply_max;
        enum http_outcome want;
        size_t len;
    } rows[] = {
        {"/body/1000", 1000, HTTP_ANSWERED, 1000},
        {"/body/1000", 999, HTTP_TOO_LARGE, 0},
        {"/chunked/1000", 999, HTTP_TOO_LARGE, 0},
        {"/chunked/1000", 1000, HTTP_ANSWERED, 1000},
        {"/body/0", 1, HTTP_ANSWERED, 0},
        {"/chunked/0", 1, HTTP_ANSWERED, 0},
        {"/body/3000000", 0, HTTP_ANSWERED, 3000000},
        {"/chunked/3000000", 0, HTTP_ANSWERED, 3000000},
    };
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct http_request request = {.method = HTTP_GET, .reply_max = rows[i].reply_max};
        struct http_reply reply = fixture_call(&f, request, rows[i].path);
        ck_assert_msg(reply.outcome == rows[i].want, "%zu: %s", i, reply.error);
        if (rows[i].want == HTTP_ANSWERED) {
            ck_assert_uint_eq(reply.body.len, rows[i].len);
            ck_assert_uint_gt(reply.received_bytes, rows[i].len);
        } else {
            ck_assert_ptr_nonnull(strstr(reply.error, "longer than allowed"));
        }
        buf_free(&reply.body);
    }
    fixture_close(&f);
}
END_TEST

START_TEST(received_bytes)
{
    static const char answer[] = "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n"
                                 "Content-Length: 11\r\n\r\n{\"ok\":true}";
    struct err err = ERR_INIT;
    struct stub *stub = stub_start(&(struct stub_config){0}, &err);
    struct http *h = http_new(&(struct http_config){0}, &err);
    struct http_request request = {.method = HTTP_GET, .url = stub_url(stub)};
    struct http_reply reply;
    struct http_counters counters;
    http_call(h, &request, &reply);
    assert_answered(reply, 200);
    ck_assert_uint_eq(reply.received_bytes, sizeof answer - 1);
    http_counters(h, &counters);
    ck_assert_uint_eq(counters.requests, 1);
    ck_assert_uint_eq(counters.connections, 1);
    ck_assert_uint_eq(counters.received_bytes, reply.received_bytes);
    ck_assert_uint_eq(counters.sent_bytes, reply.sent_bytes);
    buf_free(&reply.body);
    http_free(h);
    stub_stop(stub);
}
END_TEST

struct sunk {
    size_t bytes, stop_after;
};

static int sink(void *arg, const void *bytes, size_t n)
{
    (void)bytes;
    struct sunk *s = arg;
    s->bytes += n;
    return s->stop_after != 0 && s->bytes >= s->stop_after;
}

START_TEST(sinks)
{
    static const struct {
        const char *path;
        size_t stop_after;
        enum http_outcome want;
        size_t sunk, kept;
    } rows[] = {
        {"/body/2000000", 0, HTTP_ANSWERED, 2000000, 0},
        {"/chunked/50000", 0, HTTP_ANSWERED, 50000, 0},
        {"/status/404", 0, HTTP_ANSWERED, 0, 11},
        {"/body/3000000", 1, HTTP_CANCELLED, 1, 0}, /* at least */
    };
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct sunk sunk = {0, rows[i].stop_after};
        struct http_request request = {
            .method = HTTP_GET, .sink = sink, .arg = &sunk, .reply_max = 1000};
        struct http_reply reply = fixture_call(&f, request, rows[i].path);
        ck_assert_int_eq(reply.outcome, rows[i].want);
        ck_assert_uint_ge(sunk.bytes, rows[i].sunk);
        ck_assert(rows[i].stop_after != 0 || sunk.bytes == rows[i].sunk);
        ck_assert_uint_eq(reply.body.len, rows[i].kept);
        buf_free(&reply.body);
    }
    fixture_close(&f);
}
END_TEST

/* A reply's body may be kept by taking it in `done`; the slot's next answer is its own. */
static void take(void *arg, struct http_reply *reply)
{
    *(char **)arg = buf_take(&reply->body, NULL);
}

START_TEST(taken_body)
{
    struct fixture f;
    char *kept = NULL;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    struct http_request request = {
        .method = HTTP_GET, .url = fixture_url(&f, "/body/5"), .done = take, .arg = &kept};
    http_submit(f.http, &request);
    http_run(f.http);
    struct http_reply reply = fixture_get(&f, "/body/3");
    ck_assert_str_eq(kept, "abcde");
    ck_assert_str_eq(reply.body.data, "abc");
    free(kept);
    buf_free(&reply.body);
    fixture_close(&f);
}
END_TEST

/* ---- many at once ---- */

START_TEST(concurrency_is_never_exceeded)
{
    static const unsigned rows[] = {1, 7, 64, 100};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        struct stub_stats stats;
        fixture_open(&f, &(struct http_config){.concurrency = rows[i]});
        struct tally t = {.http = f.http, .more = 300};
        tally_submit(&t, fixture_url(&f, "/delay/1"), rows[i] + 20);
        ck_assert_uint_eq(http_in_flight(f.http), rows[i]);
        ck_assert_uint_eq(http_queued(f.http), 20);
        http_run(f.http);
        stub_stats(f.stub, &stats);
        ck_assert_uint_eq(t.outcomes[HTTP_ANSWERED], rows[i] + 320);
        ck_assert_uint_eq(t.in_flight_max, rows[i]);
        ck_assert_uint_eq(stats.open_max, rows[i]);
        ck_assert_uint_eq(stats.connections, rows[i]);
        fixture_close(&f);
    }
}
END_TEST

START_TEST(submit_from_done)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    struct tally t = {.http = f.http, .more = 1000};
    tally_submit(&t, fixture_url(&f, "/body/10"), 1);
    http_run(f.http);
    ck_assert_uint_eq(t.outcomes[HTTP_ANSWERED], 1001);
    ck_assert_uint_eq(t.in_flight_max, 1);
    fixture_close(&f);
}
END_TEST

/* The loop never goes to sleep on a timer of a millisecond or two between one request's end and the
 * next one's start: libcurl's timeout of zero is not rounded up. */
static void note_timeout(uv_prepare_t *prepare)
{
    int ms = uv_backend_timeout(prepare->loop);
    *(unsigned *)prepare->data += ms > 0 && ms <= 5;
}

START_TEST(zero_timeout_is_not_a_millisecond)
{
    static const unsigned rows[] = {1, 8};
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct fixture f;
        uv_prepare_t prepare;
        unsigned naps = 0;
        fixture_open(&f, &(struct http_config){.concurrency = rows[i]});
        uv_prepare_init(http_loop(f.http), &prepare);
        prepare.data = &naps;
        uv_prepare_start(&prepare, note_timeout);
        struct tally t = {.http = f.http, .more = 200};
        tally_submit(&t, fixture_url(&f, "/body/10"), rows[i]);
        http_run(f.http);
        ck_assert_uint_eq(t.outcomes[HTTP_ANSWERED], 200 + rows[i]);
        ck_assert_uint_le(naps, 2); /* the very first connects may take one */
        fixture_close(&f);          /* closes the prepare handle as well */
    }
}
END_TEST

/* A timer of the same loop may submit: the request leaves in the same round. */
static void submit_later(uv_timer_t *timer)
{
    struct tally *t = timer->data;
    tally_submit(t, t->next.url, 1);
}

START_TEST(submit_from_a_timer_and_wait)
{
    struct fixture f;
    uv_timer_t timer;
    fixture_open(&f, &(struct http_config){.concurrency = 2});
    struct tally t = {.http = f.http, .next = {.url = fixture_url(&f, "/body/10")}};
    uv_timer_init(http_loop(f.http), &timer);
    timer.data = &t;
    uv_update_time(http_loop(f.http));
    uv_timer_start(&timer, submit_later, 5, 5);
    uint64_t start = uv_hrtime();
    while (t.ended < 4) {
        http_wait(f.http, 2500000);
    }
    ck_assert_uint_ge(uv_hrtime() - start, 15000000);
    ck_assert_uint_ge(t.outcomes[HTTP_ANSWERED], 4);
    uv_timer_stop(&timer);
    http_run(f.http);
    start = uv_hrtime();
    http_wait(f.http, 700000); /* less than libuv's millisecond */
    ck_assert_uint_ge(uv_hrtime() - start, 700000);
    http_run_until(f.http, &(bool){false}); /* nothing left: returns */
    fixture_close(&f);
}
END_TEST

/* ---- uploads ---- */

static long peak_kib(void)
{
    char line[128];
    long kib = 0;
    FILE *status = fopen("/proc/self/status", "r");
    while (status != NULL && fgets(line, sizeof line, status) != NULL) {
        if (sscanf(line, "VmHWM: %ld", &kib) == 1) {
            break;
        }
    }
    if (status != NULL) {
        fclose(status);
    }
    return kib;
}

START_TEST(large_upload_in_constant_memory)
{
    const uint64_t size = tests_many(50000000, 5000000);
    struct err err = ERR_INIT;
    struct stub_stats stats;
    struct stub *stub = stub_start(&(struct stub_config){.discard_bodies = true}, &err);
    struct http *h = http_new(&(struct http_config){.concurrency = 1}, &err);
    struct http_request request = {
        .method = HTTP_PUT, .url = stub_url(stub), .read = read_letters, .body_len = size};
    struct http_reply reply;
    long before = peak_kib();
    http_call(h, &request, &reply);
    assert_answered(reply, 200);
    ck_assert_uint_gt(reply.sent_bytes, size);
    ck_assert_uint_lt(reply.sent_bytes, size + 1000);
    ck_assert_int_lt(peak_kib() - before, 24 << 10);
    stub_stats(stub, &stats);
    ck_assert_uint_eq(stats.body_bytes, size);
    buf_free(&reply.body);
    http_free(h);
    stub_stop(stub);
}
END_TEST

static size_t read_short(void *arg, uint64_t offset, void *out, size_t size)
{
    (void)arg, (void)size;
    memset(out, 'x', 10);
    return offset < 100 ? 10 : 0;
}

/* A body that ends before its stated length cannot be sent: the request fails, and nothing hangs.
 */
START_TEST(short_body)
{
    struct fixture f;
    fixture_open(&f, &(struct http_config){.concurrency = 1});
    struct http_request request = {.method = HTTP_PUT, .read = read_short, .body_len = 1000};
    struct http_reply reply = fixture_call(&f, request, "/echo");
    ck_assert_int_eq(reply.outcome, HTTP_BROKEN);
    buf_free(&reply.body);
    reply = fixture_get(&f, "/echo");
    assert_answered(reply, 200);
    buf_free(&reply.body);
    fixture_close(&f);
}
END_TEST

static unsigned open_descriptors(void)
{
    unsigned n = 0;
    for (int fd = 0; fd < 1000; fd++) {
        n += fcntl(fd, F_GETFD) != -1;
    }
    return n;
}

START_TEST(no_descriptor_is_left)
{
    struct fixture f;
    unsigned before = 0;
    for (int i = 0; i < 20; i++) {
        fixture_open(&f, &(struct http_config){.concurrency = 4});
        struct tally t = {.http = f.http, .more = 8};
        tally_submit(&t, fixture_url(&f, i % 2 ? "/close" : "/body/3"), 4);
        http_wait(f.http, 1000000);
        http_run(f.http);
        fixture_close(&f);
        before = i == 0 ? open_descriptors() : before; /* the first may leave what is kept once */
    }
    ck_assert_uint_eq(open_descriptors(), before);
}
END_TEST

TEST_MAIN("http", names_and_versions, kept_connection, every_shape_after_every_other, headers,
          answer_headers, retry_after, statuses, lengths_and_limits, received_bytes, sinks,
          taken_body, concurrency_is_never_exceeded, submit_from_done,
          zero_timeout_is_not_a_millisecond, submit_from_a_timer_and_wait,
          large_upload_in_constant_memory, short_body, no_descriptor_is_left)
