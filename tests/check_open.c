/* Plans of starts, and the open loop that keeps them. */
#include <math.h>
#include <stdatomic.h>
#include <time.h>

#include "bench/arrivals.h"
#include "tests/endless.h"

/* ---- plans ----------------------------------------------------------------------------------- */

START_TEST(constant)
{
    static const double rates[] = {0.5, 3, 1000, 77777};
    for (size_t i = 0; i < sizeof rates / sizeof rates[0]; i++) {
        struct arrivals a;
        arrivals_init(&a, ARRIVALS_CONSTANT, rates[i], 1);
        ck_assert_uint_eq(arrivals_next(&a), 0);
        for (unsigned n = 1; n < tests_many(100000, 3000); n++) { /* no error adds up */
            double error = (double)arrivals_next(&a) - (double)n / rates[i] * 1e9;
            ck_assert_double_le(fabs(error), 1);
        }
    }
}
END_TEST

/* Exponential gaps: mean 1/rate, deviation equal to the mean; and counts in equal intervals that
 * vary as much as their mean (which gaps of the right distribution but a wrong order would not). */
START_TEST(poisson)
{
    enum { N = 50000 };
    const double rate = 500;
    struct arrivals a, b, c;
    arrivals_init(&a, ARRIVALS_POISSON, rate, 7);
    arrivals_init(&b, ARRIVALS_POISSON, rate, 7);
    arrivals_init(&c, ARRIVALS_POISSON, rate, 8);
    uint64_t last = 0, same = 0, interval = 0, in_it = 0, intervals = 0;
    double squares = 0, count_squares = 0;
    for (unsigned n = 0; n < N; n++) {
        uint64_t at = arrivals_next(&a);
        ck_assert_uint_eq(at, arrivals_next(&b)); /* the same seed, the same plan */
        same += at == arrivals_next(&c);
        ck_assert_uint_ge(at, last);
        double gap = (double)(at - last) / 1e9;
        squares += gap * gap;
        last = at;
        for (; at / 100000000 > interval; interval++) { /* of 0.1 s: 50 starts in the mean */
            count_squares += (double)(in_it * in_it);
            in_it = 0;
            intervals++;
        }
        in_it++;
    }
    double mean = (double)last / 1e9 / N, variance = squares / N - mean * mean;
    ck_assert_double_eq_tol(mean * rate, 1, 0.02); /* 4.5 standard errors */
    ck_assert_double_eq_tol(sqrt(variance) / mean, 1, 0.04);
    double m = rate / 10, v = count_squares / (double)intervals - m * m;
    ck_assert_double_eq_tol(v / m, 1, 0.25);
    ck_assert_uint_lt(same, N / 100);
}
END_TEST

/* ---- a server -------------------------------------------------------------------------------- */

struct server {
    atomic_uint n;               /* measured requests */
    unsigned stall_at, stall_ms; /* the whole server stands still at that request */
    unsigned delay_ms[8];        /* in turn; all 0: none */
};

static void answer(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    struct server *s = arg;
    buf_adds(&a->body, "{}");
    if (strcmp(r->path, "/x") != 0) {
        return;
    }
    unsigned n = atomic_fetch_add(&s->n, 1);
    a->delay_ns = (uint64_t)s->delay_ms[n % 8] * 1000000;
    if (s->stall_ms != 0 && n == s->stall_at) {
        struct timespec t = {.tv_nsec = (long)s->stall_ms * 1000000};
        nanosleep(&t, NULL);
    }
}

static struct stub *serve(struct server *s)
{
    struct stub_config config = {.handler = answer, .arg = s};
    struct stub *stub = stub_start(&config, NULL);
    ck_assert_ptr_nonnull(stub);
    return stub;
}

static const struct phase_result *run(struct server *s, const char *const *words, struct result **r,
                                      int want, struct err *err)
{
    struct stub *stub = serve(s);
    *err = (struct err)ERR_INIT;
    ck_assert_msg(measure(stub, words, r, err) == want, "%s", err->text);
    stub_stop(stub);
    return &(*r)->specs[0].runs[0].phases[0];
}

/* ---- truth is what the stub gave ------------------------------------------------------------- */

static int by_value(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* Where other programs want the processor too, a figure may be late once; so often it is not. */
enum { ATTEMPTS = 5 };

/* The histogram's percentiles are those of the delays the stub measured, within the histogram's
 * bound (1/256), plus what the way there and back takes. The margin above is wide: other programs
 * run here too. Below there is none to give: no request can take less than its delay. false: above
 * the margin, which `last` forbids. */
static bool truth_holds(bool last)
{
    static const double percents[] = {50, 90, 95, 99};
    static const char *const words[] = {"-w",         "request", "--path", "/x",     "--requests",
                                        "1600",       "-c",      "8",      "--runs", "1",
                                        "--keep-raw", "50",      NULL};
    enum { N = 1600 };
    double margin_ms = tests_many(20, 1000); /* under valgrind the client itself takes long */
    struct server s = {.delay_ms = {1, 2, 3, 4, 5, 6, 7, 12}};
    static uint64_t delays[N + 100];
    struct result *r;
    struct err err = ERR_INIT;
    struct stub *stub = serve(&s);
    ck_assert_msg(measure(stub, words, &r, &err) == 0, "%s", err.text);
    ck_assert_uint_eq(stub_delays(stub, delays, N + 100), N);
    stub_stop(stub);
    qsort(delays, N, sizeof delays[0], by_value);
    const struct phase_result *p = &r->specs[0].runs[0].phases[0];
    ck_assert_uint_eq(hist_count(p->latency), N);
    for (size_t i = 0; i < 4; i++) {
        double given = (double)delays[(size_t)ceil(percents[i] / 100 * N) - 1] / 1e6;
        double got = (double)hist_percentile(p->latency, percents[i]) / 1e6;
        bool late = got >= given * (1 + 1.0 / 256) + margin_ms;
        ck_assert_msg(got > given * (1 - 1.0 / 256) && !(late && last),
                      "p%g: %.3f ms, the stub gave %.3f ms", percents[i], got, given);
        if (late) {
            result_free(r);
            return false;
        }
        if (getenv("TC_SHOW") != NULL) {
            printf("p%-4g %.3f ms, the stub gave %.3f ms: %+.3f ms\n", percents[i], got, given,
                   got - given);
        }
    }
    ck_assert_ptr_null(p->response);
    ck_assert_ptr_null(p->open);
    ck_assert_uint_eq(p->raw_n, 50);
    ck_assert_ptr_null(p->raw_response_ns);
    ck_assert_uint_eq(p->parts[PART_FIRST_BYTE].count, N);
    ck_assert_double_ge(p->parts[PART_FIRST_BYTE].min_s, 0.001);
    ck_assert_uint_eq(p->parts[PART_CONNECT].count, 0); /* opened before the clock */
    ck_assert_double_gt(p->client_cpu_s, 0);
    ck_assert_double_lt(p->client_cpu_s, p->wall_s);
    ck_assert_uint_gt(p->loop_lag.count, 10);
    uint64_t ok = 0, sent = 0;
    for (size_t i = 0; i < p->seconds_n; i++) {
        ok += p->seconds[i].ok;
        sent += p->seconds[i].sent_bytes;
    }
    ck_assert_uint_eq(ok, N);
    ck_assert_uint_eq(sent, p->sent_bytes);
    ck_assert_uint_ge(p->seconds_n, (size_t)p->wall_s);
    result_free(r);
    return true;
}

START_TEST(truth)
{
    for (int i = 1; !truth_holds(i == ATTEMPTS); i++) {
    }
}
END_TEST

/* ---- the open loop --------------------------------------------------------------------------- */

/* The whole plan is sent, and what is slow delays nothing. */
START_TEST(as_planned)
{
    static const char *const kinds[] = {"constant", "poisson"};
    for (size_t i = 0; i < 2; i++) {
        const char *words[] = {"-w",         "request", "--path", "/x",     "--requests",
                               "200",        "--rate",  "1000",   "--runs", "1",
                               "--arrivals", kinds[i],  NULL};
        struct server s = {.delay_ms = {20, 20, 20, 20, 20, 20, 20, 20}};
        struct result *r;
        struct err err;
        const struct phase_result *p = run(&s, words, &r, 0, &err);
        ck_assert_ptr_nonnull(p->open);
        ck_assert_uint_eq(p->open->planned, 200);
        ck_assert_uint_eq(p->open->started, 200);
        ck_assert_uint_eq(p->open->missed, 0);
        ck_assert(p->open->poisson == (i == 1));
        ck_assert_uint_gt(p->open->in_flight_most, 2); /* 20 in the mean */
        ck_assert_uint_eq(hist_count(p->latency), 200);
        ck_assert_uint_eq(hist_count(p->response), 200);
        ck_assert_double_ge(p->wall_s, p->open->plan_s);
        for (size_t k = 0; k < p->raw_n; k++) {
            ck_assert_uint_ge(p->raw_response_ns[k], p->raw_ns[k]);
        }
        result_free(r);
    }
}
END_TEST

/* The server stands still for 500 ms while starts are planned every 5 ms and one may be in flight:
 * 100 planned starts of 240 fall into it. One request takes 500 ms. The response times of those
 * planned within it are 500, 495, … 5 ms: a uniform tail of 100/240, so that the percentile q is
 * 500 ms (1 - 240/100 (1 - q)): 260, 380 and 476 ms at 80, 90 and 98 %. false: later than that,
 * which `last` forbids. */
static bool stall_holds(bool last)
{
    static const char *const words[] = {
        "-w",     "request", "--path",          "/x", "--requests", "240", "--rate", "200",
        "--runs", "1",       "--max-in-flight", "1",  NULL};
    static const struct {
        double percent, ms;
    } theory[] = {{80, 260}, {90, 380}, {98, 476}};
    struct server s = {.stall_at = 60, .stall_ms = 500};
    struct result *r;
    struct err err;
    const struct phase_result *p = run(&s, words, &r, 0, &err);
    unsigned stalled = 0;
    ck_assert_uint_eq(p->raw_n, 240);
    for (size_t i = 0; i < p->raw_n; i++) {
        stalled += p->raw_ns[i] > 400000000;
    }
    ck_assert_uint_ge(stalled, 1);
    if (stalled > 1 && !last) {
        result_free(r);
        return false;
    }
    ck_assert_uint_eq(stalled, 1);
    for (size_t i = 0; i < 3; i++) {
        double got = (double)hist_percentile(p->response, theory[i].percent) / 1e6;
        ck_assert_msg(got > theory[i].ms - 120 && !(got >= theory[i].ms + 120 && last),
                      "p%g: %.0f ms", theory[i].percent, got);
        if (got >= theory[i].ms + 120) {
            result_free(r);
            return false;
        }
        if (getenv("TC_SHOW") != NULL) {
            printf("p%g response %.1f ms, theory %.0f ms; service %.3f ms\n", theory[i].percent,
                   got, theory[i].ms, (double)hist_percentile(p->latency, theory[i].percent) / 1e6);
        }
    }
    ck_assert_double_lt((double)hist_percentile(p->latency, 90) / 1e6, 100);
    ck_assert_uint_ge(p->open->late, 80);
    ck_assert_uint_ge(p->open->waited, 80);
    ck_assert_uint_eq(p->open->missed, 0);
    result_free(r);
    return true;
}

START_TEST(stall)
{
    for (int i = 1; !stall_holds(i == ATTEMPTS); i++) {
    }
}
END_TEST

/* A server that answers 20 a second is asked for 200: what could not be sent by the end is missed,
 * the rate is not reached, and --strict makes that the session's end. */
START_TEST(not_reached)
{
    for (int strict = 0; strict < 2; strict++) {
        const char *words[] = {"-w",
                               "request",
                               "--path",
                               "/x",
                               "--duration",
                               "500ms",
                               "--rate",
                               "200",
                               "--runs",
                               "1",
                               "--max-in-flight",
                               "1",
                               strict ? "--strict" : NULL,
                               NULL};
        struct server s = {.delay_ms = {50, 50, 50, 50, 50, 50, 50, 50}};
        struct result *r;
        struct err err;
        const struct phase_result *p = run(&s, words, &r, strict ? -1 : 0, &err);
        const struct open_loop *o = p->open;
        ck_assert_int_eq(err.kind, strict ? ERR_RATE : ERR_NONE);
        ck_assert_int_eq(p->state, PHASE_OK);
        ck_assert(!o->reached);
        ck_assert_uint_eq(o->planned, 100);
        ck_assert_uint_eq(o->planned, o->started + o->missed);
        ck_assert_uint_le(o->started, 11);
        ck_assert_uint_eq(o->started, hist_count(p->response));
        ck_assert_double_lt(o->achieved_per_s, 30);
        ck_assert_double_lt(p->wall_s, 5); /* what waited was not sent after the end */
        ck_assert_uint_eq(p->notes_n, 1);
        ck_assert_ptr_nonnull(strstr(p->notes[0], "was not reached"));
        result_free(r);
    }
}
END_TEST

/* A 503 within a plan: its next try has its own time, and the response time goes on counting. */
static void busy(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    atomic_uint *n = arg;
    buf_adds(&a->body, "{}");
    if (strcmp(r->path, "/x") == 0 && atomic_fetch_add(n, 1) == 0) {
        a->status = 503;
        a->headers = "Retry-After: 1\r\n";
    }
}

START_TEST(put_off)
{
    static const char *const words[] = {"-w",     "request", "--path", "/x", "--requests", "20",
                                        "--rate", "100",     "--runs", "1",  NULL};
    atomic_uint n = 0;
    struct stub_config config = {.handler = busy, .arg = &n};
    struct stub *stub = stub_start(&config, NULL);
    struct result *r;
    struct err err = ERR_INIT;
    ck_assert_msg(measure(stub, words, &r, &err) == 0, "%s", err.text);
    stub_stop(stub);
    const struct phase_result *p = &r->specs[0].runs[0].phases[0];
    ck_assert_uint_eq(p->requests.ok, 20);
    ck_assert_uint_eq(p->requests.retried, 1);
    ck_assert_uint_ge(hist_max(p->response), 1000000000);
    ck_assert_uint_lt(hist_max(p->latency), 900000000);
    ck_assert_uint_eq(p->open->started, 20);
    result_free(r);
}
END_TEST

TEST_MAIN("open", constant, poisson, truth, as_planned, stall, not_reached, put_off)
