/* The stub against a plain socket: what it understands, what it refuses, its faults on the wire. */
#include <arpa/inet.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <uv.h>

#include "tests/actor.h"
#include "tests/testing.h"

#define MS ((uint64_t)1000000)

static struct stub *start(const struct stub_config *config)
{
    struct err err = ERR_INIT;
    struct stub *s = stub_start(config, &err);
    ck_assert_msg(s != NULL, "%s", err.text);
    return s;
}

static int dial(const struct stub *s)
{
    struct sockaddr_in to = {.sin_family = AF_INET,
                             .sin_port = htons(stub_port(s)),
                             .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct timeval limit = {.tv_sec = 20};
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
    ck_assert_int_eq(connect(fd, (struct sockaddr *)&to, sizeof to), 0);
    return fd;
}

static void say(int fd, const char *text)
{
    ck_assert_int_eq(send(fd, text, strlen(text), MSG_NOSIGNAL), (ssize_t)strlen(text));
}

/* Reads until the answer holds `until`, or (NULL) to the end. Returns read's last result. */
static ssize_t hear(int fd, struct buf *in, const char *until)
{
    char piece[65536];
    ssize_t n = 1;
    while (n > 0 && (until == NULL || strstr(buf_text(in), until) == NULL)) {
        n = recv(fd, piece, sizeof piece, 0);
        if (n > 0) {
            buf_add(in, piece, (size_t)n);
        }
    }
    return n;
}

static unsigned count(const char *text, const char *what)
{
    unsigned n = 0;
    while ((text = strstr(text, what)) != NULL) {
        text += strlen(what);
        n++;
    }
    return n;
}

/* One exchange to the end of the connection. */
static void exchange(const struct stub_config *config, const char *text, struct buf *in)
{
    struct stub *s = start(config);
    int fd = dial(s);
    say(fd, text);
    hear(fd, in, NULL);
    close(fd);
    stub_stop(s);
}

START_TEST(understands_and_refuses)
{
    static const struct {
        const char *text, *want;
    } rows[] = {
        {"GET /a HTTP/1.1\r\nConnection: close\r\n\r\n",
         "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 11\r\n\r\n"
         "{\"ok\":true}"},
        {"GET /a HTTP/1.0\r\n\r\n", "HTTP/1.1 200 OK\r\n"},
        {"GET /a HTTP/1.1\nConnection: close\n\n", "HTTP/1.1 200 OK\r\n"},
        {"HEAD /a HTTP/1.1\r\nConnection: close\r\n\r\n", "Content-Length: 11\r\n\r\n"},
        {"POST /a HTTP/1.1\r\nTransfer-Encoding: chunked\r\n\r\n5\r\nhello\r\n0\r\n\r\n",
         "HTTP/1.1 411 Length Required\r\n"},
        {"POST /a HTTP/1.1\r\nContent-Length: 1001\r\n\r\n", "HTTP/1.1 413 Payload Too Large\r\n"},
        {"POST /a HTTP/1.1\r\nContent-Length: 12x\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
        {"POST /a HTTP/1.1\r\nContent-Length: 99999999999999999999999\r\n\r\n", "HTTP/1.1 400 "},
        {"GET /a HTTP/2\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
        {"nonsense\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
        {"\r\n\r\n", "HTTP/1.1 400 Bad Request\r\n"},
        {"\n\n", "HTTP/1.1 400 Bad Request\r\n"},
        {"GET /a HTTP/1.1\r\nConnection: close\r\nContent-Length: 3\r\nExpect: 100-continue\r\n\r\n"
         "abc",
         "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 200 OK\r\n"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct buf in = BUF_INIT(1000000);
        struct stub *s = start(&(struct stub_config){.body_max = 1000});
        int fd = dial(s);
        say(fd, rows[i].text);
        ck_assert_msg(hear(fd, &in, NULL) == 0, "row %zu: no end", i); /* a FIN, not a RST */
        ck_assert_msg(text_starts(buf_text(&in), "HTTP/1.1 ") &&
                          strstr(buf_text(&in), rows[i].want) != NULL,
                      "row %zu: %s", i, buf_text(&in));
        ck_assert(strncmp(rows[i].text, "HEAD", 4) != 0 || strstr(in.data, "ok") == NULL);
        close(fd);
        stub_stop(s);
        buf_free(&in);
    }
}
END_TEST

START_TEST(headers_are_bounded)
{
    struct stub *s = start(&(struct stub_config){0});
    struct buf in = BUF_INIT(1000000);
    int fd = dial(s);
    char line[1025];
    memset(line, 'a', sizeof line - 1);
    line[1024] = '\0';
    say(fd, "GET / HTTP/1.1\r\nX: ");
    for (int i = 0; i < 70 && send(fd, line, 1024, MSG_NOSIGNAL) == 1024; i++) {
    }
    hear(fd, &in, "\r\n");
    ck_assert(text_starts(buf_text(&in), "HTTP/1.1 431 "));
    close(fd);
    stub_stop(s);
    buf_free(&in);
}
END_TEST

START_TEST(byte_by_byte_and_pipelined)
{
    static const char text[] =
        "POST /echo HTTP/1.1\r\nX-Test: yes\r\nContent-Length: 5\r\n\r\nhello"
        "GET /echo?2 HTTP/1.1\r\n\r\n"
        "PUT /delay/20 HTTP/1.1\r\nContent-Length: 3\r\n\r\nabc"
        "GET /echo?4 HTTP/1.1\r\nConnection: close\r\n\r\n";
    char hello[32];
    snprintf(hello, sizeof hello, "sum=%lu\n", actor_sum("hello", 5));
    for (int slowly = 0; slowly < 2; slowly++) {
        for (int discard = 0; discard < 2; discard++) {
            struct stub_config config = {.handler = actor, .discard_bodies = discard};
            struct stub *s = start(&config);
            struct buf in = BUF_INIT(1000000);
            struct stub_stats stats;
            int fd = dial(s), one = 1;
            setsockopt(fd, IPPROTO_TCP, 1 /* TCP_NODELAY */, &one, sizeof one);
            for (const char *p = text; *p != '\0'; p += slowly ? 1 : (ptrdiff_t)strlen(p)) {
                say(fd, (char[2]){*p, '\0'}); /* one byte, or all that is left below */
                if (!slowly) {
                    say(fd, p + 1);
                }
            }
            ck_assert_int_eq(hear(fd, &in, NULL), 0);
            ck_assert_uint_eq(count(buf_text(&in), "HTTP/1.1 200 OK"), 4);
            ck_assert_ptr_nonnull(strstr(in.data, "POST /echo\n"));
            ck_assert_ptr_nonnull(strstr(in.data, "body=5\n"));
            ck_assert((strstr(in.data, hello) != NULL) == !discard);
            ck_assert_ptr_nonnull(strstr(in.data, "x=[yes]\n"));
            ck_assert_ptr_nonnull(strstr(in.data, "GET /echo?2\n"));
            ck_assert_ptr_nonnull(strstr(in.data, "connection=0.3\n"));
            close(fd);
            stub_stats(s, &stats);
            ck_assert_uint_eq(stats.requests, 4);
            ck_assert_uint_eq(stats.connections, 1);
            ck_assert_uint_eq(stats.body_bytes, 8);
            stub_stop(s);
            buf_free(&in);
        }
    }
}
END_TEST

START_TEST(faults_on_the_wire)
{
    static const struct {
        const char *text, *want;
        ssize_t end; /* of read: 0 a FIN, -1 a RST */
    } rows[] = {
        {"POST /fault/1 HTTP/1.1\r\nContent-Length: 100\r\n\r\n", "", -1},
        {"POST /fault/2 HTTP/1.1\r\nContent-Length: 4\r\n\r\nab", "", -1},
        {"POST /fault/3 HTTP/1.1\r\nContent-Length: 4\r\n\r\nabcd", "", -1},
        {"GET /fault/4 HTTP/1.1\r\n\r\n", "", 0},
        {"GET /fault/5 HTTP/1.1\r\n\r\n", "Content-Length: 11\r\n\r\n{\"ok\"", 0},
        {"GET /fault/8 HTTP/1.0\r\n\r\n", "HTTP/9.9 banana\r\n", 0},
        {"GET /close HTTP/1.1\r\n\r\n", "Connection: close\r\n", 0},
        {"GET /chunked/5 HTTP/1.0\r\n\r\n", "chunked\r\n\r\n5\r\nabcde\r\n0\r\n\r\n", 0},
        {"GET /chunked/0 HTTP/1.0\r\n\r\n", "chunked\r\n\r\n0\r\n\r\n", 0},
        {"GET /status/204 HTTP/1.0\r\n\r\n", "HTTP/1.1 204 No Content\r\n", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct stub *s = start(&(struct stub_config){.handler = actor, .early = actor_early});
        struct buf in = BUF_INIT(1000000);
        int fd = dial(s);
        say(fd, rows[i].text);
        ck_assert_msg(hear(fd, &in, NULL) == rows[i].end, "row %zu", i);
        ck_assert_msg(strstr(buf_text(&in), rows[i].want) != NULL, "row %zu: %s", i, buf_text(&in));
        ck_assert(rows[i].want[0] != '\0' || in.len == 0);
        ck_assert(strstr(rows[i].text, "204") == NULL || strstr(in.data, "ength") == NULL);
        close(fd);
        stub_stop(s);
        buf_free(&in);
    }
}
END_TEST

START_TEST(endless_headers_end)
{
    struct buf in = BUF_INIT((size_t)100 << 20);
    exchange(&(struct stub_config){.handler = actor}, "GET /fault/9 HTTP/1.1\r\n\r\n", &in);
    ck_assert_uint_ge(in.len, (size_t)64 << 20);
    ck_assert_uint_le(in.len, (size_t)65 << 20);
    ck_assert_ptr_null(strstr(in.data, "\r\n\r\n"));
    buf_free(&in);
}
END_TEST

START_TEST(delays)
{
    static const unsigned ms[] = {30, 5, 0, 20, 1};
    enum { N = sizeof ms / sizeof ms[0] };
    struct stub *s = start(&(struct stub_config){.handler = actor});
    int fds[N];
    uint64_t got[8];
    double sum = 0;
    uint64_t least = UINT64_MAX, most = 0;
    for (int i = 0; i < N; i++) {
        char text[64];
        snprintf(text, sizeof text, "GET /delay/%u HTTP/1.1\r\n\r\n", ms[i]);
        fds[i] = dial(s);
        say(fds[i], text);
    }
    int gone = dial(s); /* gives up while its answer is due */
    say(gone, "GET /delay/10 HTTP/1.1\r\n\r\n");
    close(gone);
    for (int i = 0; i < N; i++) {
        struct buf in = BUF_INIT(10000);
        hear(fds[i], &in, "true}");
        ck_assert(text_starts(buf_text(&in), "HTTP/1.1 200 OK"));
        close(fds[i]);
        buf_free(&in);
    }
    size_t n = stub_delays(s, got, 8);
    ck_assert_uint_ge(n, 4); /* the one of 0 is none; the one that gave up may count */
    for (size_t i = 0; i < n; i++) {
        sum += (double)got[i] / 1e9;
        least = got[i] < least ? got[i] : least;
        most = got[i] > most ? got[i] : most;
    }
    ck_assert_uint_ge(least, 1 * MS); /* never early */
    ck_assert_uint_ge(most, 30 * MS);
    ck_assert_uint_lt(most, 5000 * MS);
    ck_assert_uint_eq(stub_delays(s, got, 2), 2);
    struct stub_stats stats;
    stub_stats(s, &stats);
    ck_assert_double_eq_tol(stats.delay_sum_s, sum, 1e-6);
    stub_stop(s);
}
END_TEST

START_TEST(hundreds_of_connections_and_stop)
{
    enum { N = 300 };
    static const char *const texts[] = {
        "GET /fault/7 HTTP/1.1\r\n\r\n",
        "GET /fault/6 HTTP/1.1\r\n\r\n",
        "GET /fault/10 HTTP/1.1\r\n\r\n",
        "GET /delay/60000 HTTP/1.1\r\n\r\n",
        "POST / HTTP/1.1\r\nContent-Length: 100\r\n\r\nabc",
        "GET /half",
    };
    struct stub *s = start(&(struct stub_config){.handler = actor});
    struct stub_stats stats;
    int fds[N];
    for (int i = 0; i < N; i++) {
        fds[i] = dial(s);
        say(fds[i], texts[i % 6]);
    }
    do {
        usleep(1000);
        stub_stats(s, &stats);
    } while (stats.connections < N);
    ck_assert_uint_eq(stats.open, N);
    ck_assert_uint_eq(stats.open_max, N);
    stub_stop(s); /* joins with all of them open and waiting */
    for (int i = 0; i < N; i++) {
        close(fds[i]);
    }
    stub_stop(NULL);
}
END_TEST

START_TEST(port_in_use)
{
    struct err err = ERR_INIT;
    struct stub *s = start(&(struct stub_config){0});
    struct stub_config same = {.port = stub_port(s)};
    ck_assert_ptr_null(stub_start(&same, &err));
    ck_assert_int_eq(err.kind, ERR_IO);
    char url[64];
    snprintf(url, sizeof url, "http://127.0.0.1:%u", stub_port(s));
    ck_assert_str_eq(stub_url(s), url);
    stub_stop(s);
}
END_TEST

TEST_MAIN("stub", understands_and_refuses, headers_are_bounded, byte_by_byte_and_pipelined,
          faults_on_the_wire, endless_headers_end, delays, hundreds_of_connections_and_stop,
          port_in_use)
