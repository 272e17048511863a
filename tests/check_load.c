#include <stdatomic.h>
#include <string.h>

#include "base/mem.h"
#include "bench/judge.h"
#include "bench/load.h"
#include "net/stub.h"
#include "tests/testing.h"

/* ---- the closed loop ---------------------------------------------------------------------------
 */

struct server {
    unsigned busy_first; /* requests answered 503 before the others */
    double retry_after;
    int status;
};

static void answer(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    struct server *s = arg;
    static char header[64];
    if (r->number < s->busy_first) {
        a->status = 503;
        snprintf(header, sizeof header, "Retry-After: %g\r\n", s->retry_after);
        a->headers = header;
    } else {
        a->status = s->status;
        a->delay_ns = 2000000;
    }
    buf_adds(&a->body, "{}");
}

struct source {
    struct load l;
    struct phase_result p;
    const char *url;
    unsigned left, done, ok, in_flight, most;
};

static int next(void *arg, struct load_op *op)
{
    struct source *s = arg;
    if (s->left == 0) {
        return 0;
    }
    s->left--;
    s->in_flight++;
    s->most = s->in_flight > s->most ? s->in_flight : s->most;
    op->request.method = HTTP_GET;
    op->request.url = s->url;
    op->item = s;
    return 1;
}

static void done(void *arg, void *item, struct http_reply *reply)
{
    struct source *s = arg;
    ck_assert_ptr_eq(item, s);
    s->in_flight--;
    s->done++;
    s->ok += reply->outcome == HTTP_ANSWERED && reply->status == 200;
}

static void run(struct server *server, struct source *s, unsigned concurrency, unsigned n,
                unsigned retries)
{
    struct stub_config config = {.handler = answer, .arg = server};
    struct stub *stub = stub_start(&config, NULL);
    ck_assert_ptr_nonnull(stub);
    struct http_config hc = {.concurrency = concurrency};
    struct http *http = http_new(&hc, NULL);
    uint64_t limit = s->l.limit, duration = s->l.duration_ns;
    *s = (struct source){.url = stub_url(stub), .left = n};
    s->l = (struct load){.limit = limit,
                         .duration_ns = duration,
                         .http = http,
                         .concurrency = concurrency,
                         .retries = retries,
                         .arg = s,
                         .next = next,
                         .done = done,
                         .meter = meter_new(0)};
    load_run(&s->l);
    meter_into(s->l.meter, &s->p);
    meter_free(s->l.meter);
    http_free(http);
    stub_stop(stub);
}

static void source_free(struct source *s)
{
    hist_free(s->p.latency);
    hist_free(s->p.response);
    free(s->p.seconds);
    free(s->p.raw_ns);
    free(s->p.raw_response_ns);
}

START_TEST(closed_loop)
{
    struct server server = {.status = 200};
    struct source s = {0};
    run(&server, &s, 4, 50, 0);
    ck_assert_uint_eq(s.done, 50);
    ck_assert_uint_eq(s.ok, 50);
    ck_assert_uint_eq(s.most, 4);
    ck_assert_uint_eq(s.l.requests.ok, 50);
    ck_assert_uint_eq(hist_count(s.p.latency), 50);
    ck_assert_uint_ge(hist_min(s.p.latency), 2000000); /* never less than the delay given */
    source_free(&s);
}
END_TEST

/* A load ends by number or by time, though its source would go on. */
START_TEST(ends_when_told)
{
    struct server server = {.status = 200};
    struct source s = {.l = {.limit = 20}};
    run(&server, &s, 4, 1000000, 0);
    ck_assert_uint_eq(s.done, 20);
    source_free(&s);
    s.l = (struct load){.duration_ns = 50000000};
    run(&server, &s, 4, 1000000, 0);
    ck_assert_uint_ge(s.done, 4);
    ck_assert_uint_lt(s.done, (size_t)4 * (50 / 2 + 2)); /* each takes 2 ms at least */
    source_free(&s);
}
END_TEST

/* A failure is in no latency and in no count of successes. */
START_TEST(errors_apart)
{
    struct server server = {.status = 500};
    struct source s = {0};
    run(&server, &s, 2, 10, 5);
    ck_assert_uint_eq(s.done, 10);
    ck_assert_uint_eq(s.l.requests.ok, 0);
    ck_assert_uint_eq(s.l.requests.http_error, 10);
    ck_assert_uint_eq(s.l.requests.retried, 0);
    ck_assert_uint_eq(hist_count(s.p.latency), 0);
    source_free(&s);
}
END_TEST

START_TEST(retry_after)
{
    struct server server = {.status = 200, .busy_first = 3, .retry_after = 0};
    struct source s = {0};
    run(&server, &s, 1, 5, 5);
    ck_assert_uint_eq(s.ok, 5);
    ck_assert_uint_eq(s.l.requests.retried, 3);
    ck_assert_uint_eq(s.l.requests.http_error, 0);
    ck_assert_uint_eq(s.l.waits, 3);
    ck_assert_uint_eq(hist_count(s.p.latency), 5);
    source_free(&s);
}
END_TEST

START_TEST(waiting_is_counted_apart)
{
    struct server server = {.status = 200, .busy_first = 1, .retry_after = 1};
    struct source s = {0};
    run(&server, &s, 1, 1, 5);
    ck_assert_uint_eq(s.ok, 1);
    ck_assert_uint_ge(s.l.waited_ns, 900000000u);
    ck_assert_uint_lt(hist_max(s.p.latency), 500000000u); /* the wait is in no latency */
    source_free(&s);
}
END_TEST

START_TEST(retries_end)
{
    struct server server = {.status = 200, .busy_first = 100, .retry_after = 0};
    struct source s = {0};
    run(&server, &s, 1, 1, 2);
    ck_assert_uint_eq(s.done, 1);
    ck_assert_uint_eq(s.ok, 0);
    ck_assert_uint_eq(s.l.requests.http_error, 1);
    ck_assert_uint_eq(s.l.requests.retried, 2);
    source_free(&s);
}
END_TEST

/* ---- the judge ---------------------------------------------------------------------------------
 */

struct judged {
    unsigned n;
    size_t bytes;
};

static void judge_one(void *arg, void *item, const char *bytes, size_t len)
{
    struct judged *j = arg;
    ck_assert_uint_eq(strlen(bytes), len);
    j->n++;
    j->bytes += len;
    free(item);
}

static struct judged judge_many(size_t keep, unsigned n, bool *threaded)
{
    struct judged j = {0, 0};
    struct judge *judge = judge_new(keep, judge_one, &j);
    for (unsigned i = 0; i < n; i++) {
        struct buf body = BUF_INIT(1000);
        for (unsigned k = 0; k < 100; k++) {
            buf_adds(&body, "x");
        }
        judge_add(judge, mem_alloc(1), &body);
        buf_free(&body);
    }
    judge_finish(judge);
    *threaded = judge_threaded(judge);
    judge_free(judge);
    return j;
}

START_TEST(judge_keeps_then_threads)
{
    bool threaded;
    struct judged j = judge_many(1000000, 50, &threaded);
    ck_assert_uint_eq(j.n, 50);
    ck_assert(!threaded);
    j = judge_many(1000, 5000, &threaded);
    ck_assert_uint_eq(j.n, 5000);
    ck_assert_uint_eq(j.bytes, 500000);
    ck_assert(threaded);
}
END_TEST

TEST_MAIN("load", closed_loop, ends_when_told, errors_apart, retry_after, waiting_is_counted_apart,
          retries_end, judge_keeps_then_threads)
