/* actor: a stub_handler whose answers are asked for by the path, for every test of the network
 * room. It keeps no state, so that nothing is shared with the stub's thread; what it saw of a
 * request is in its answer.
 *
 *   /echo        what came in: method, path, selected headers, size and a checksum of the body
 *   /fault/N     enum stub_fault N       /status/N   that status, with a JSON body
 *   /delay/MS    after MS milliseconds   /body/N     N bytes       /chunked/N  N bytes, chunked
 *   /once        closes without an answer when it is not the first request of its connection
 *   /once-reset  the same by a RST       /close      Connection: close after the answer
 *   /retry/TEXT  503 with Retry-After: TEXT          /retry-date  the same, a date 100 s from now
 *   /redirect    302 to /echo            /cookies    two cookies, an ETag, a Server
 */
#ifndef TESTS_ACTOR_H
#define TESTS_ACTOR_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/text.h"
#include "net/stub.h"

static inline unsigned long actor_sum(const char *p, size_t n)
{
    unsigned long sum = 0;
    for (size_t i = 0; i < n; i++) {
        sum = (sum * 31 + (unsigned char)p[i]) % 1000003;
    }
    return sum;
}

static inline void actor_echo(const struct stub_request *r, struct stub_answer *a)
{
    char expect[32], type[64], length[32], encoding[64], agent[64], x[64];
    /* The request line, the headers up to the NUL in place of the last newline, the body. */
    size_t seen = strlen(r->method) + strlen(r->path) + strlen("  HTTP/1.1\r\n") +
                  strlen(r->headers) + 1 + r->body_len;
    buf_addf(&a->body,
             "%s %s\nseen=%zu\nbody=%zu\nsum=%lu\nexpect=[%s]\ntype=[%s]\nlength=[%s]\n"
             "encoding=[%s]\nagent=[%s]\nx=[%s]\nconnection=%u.%u\n",
             r->method, r->path, seen, r->body_len, r->body ? actor_sum(r->body, r->body_len) : 0ul,
             stub_header(r, "Expect", expect, sizeof expect),
             stub_header(r, "Content-Type", type, sizeof type),
             stub_header(r, "Content-Length", length, sizeof length),
             stub_header(r, "Accept-Encoding", encoding, sizeof encoding),
             stub_header(r, "User-Agent", agent, sizeof agent),
             stub_header(r, "X-Test", x, sizeof x), r->connection, r->on_connection);
}

static inline void actor_fill(struct buf *b, size_t n)
{
    for (size_t i = 0; i < n; i++) {
        buf_addc(b, (char)('a' + i % 26));
    }
}

static inline void actor_retry(struct stub_answer *a, const char *value)
{
    static __thread char line[128]; /* the stub copies it when the handler returns */
    snprintf(line, sizeof line, "Retry-After: %s\r\n", value);
    a->status = 503;
    a->headers = line;
}

static inline void actor(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    (void)arg;
    const char *slash = strrchr(r->path, '/');
    unsigned long n = slash ? strtoul(slash + 1, NULL, 10) : 0;
    if (text_starts(r->path, "/echo")) {
        actor_echo(r, a);
        return;
    }
    if (text_starts(r->path, "/body/") || text_starts(r->path, "/chunked/")) {
        actor_fill(&a->body, n);
        a->chunked = r->path[1] == 'c';
        return;
    }
    buf_adds(&a->body, "{\"ok\":true}");
    if (text_starts(r->path, "/fault/")) {
        a->fault = (enum stub_fault)n;
    } else if (text_starts(r->path, "/status/")) {
        a->status = (int)n;
    } else if (text_starts(r->path, "/delay/")) {
        a->delay_ns = (uint64_t)n * 1000000;
    } else if (text_starts(r->path, "/once")) {
        if (r->on_connection > 0) {
            a->fault = strcmp(r->path, "/once") == 0 ? STUB_CLOSE : STUB_RESET_AFTER_BODY;
        }
    } else if (strcmp(r->path, "/close") == 0) {
        a->close = true;
    } else if (text_starts(r->path, "/retry/")) {
        actor_retry(a, slash + 1);
    } else if (strcmp(r->path, "/retry-date") == 0) {
        char date[64];
        time_t at = time(NULL) + 100;
        struct tm tm;
        strftime(date, sizeof date, "%a, %d %b %Y %H:%M:%S GMT", gmtime_r(&at, &tm));
        actor_retry(a, date);
    } else if (strcmp(r->path, "/retry-past") == 0) {
        actor_retry(a, "Sun, 06 Nov 1994 08:49:37 GMT");
    } else if (strcmp(r->path, "/redirect") == 0) {
        a->status = 302;
        a->headers = "Location: /echo\r\n";
    } else if (strcmp(r->path, "/cookies") == 0) {
        a->headers = "Set-Cookie: a=1; Path=/\r\nServer: Stub/1 (Test)\r\netag:  \"1-abc\" \r\n"
                     "Set-Cookie: AuthSession=xyz; HttpOnly\r\n";
    }
}

/* For stub_config.early: a fault of the path is known as soon as the headers are in. */
static inline void actor_early(void *arg, const struct stub_request *r, struct stub_answer *a)
{
    if (text_starts(r->path, "/fault/")) {
        actor(arg, r, a);
    }
}

#endif
