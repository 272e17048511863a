/* http_fixture: an engine, a stub with the actor, and a tally of how requests ended. */
#ifndef TESTS_HTTP_FIXTURE_H
#define TESTS_HTTP_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "net/http.h"
#include "tests/actor.h"
#include "tests/testing.h"

struct fixture {
    struct stub *stub;
    struct http *http;
    char url[256]; /* of fixture_url */
};

static inline void fixture_open(struct fixture *f, const struct http_config *config)
{
    struct err err = ERR_INIT;
    struct stub_config stub = {.handler = actor, .early = actor_early};
    f->stub = stub_start(&stub, &err);
    ck_assert_msg(f->stub != NULL, "%s", err.text);
    f->http = http_new(config, &err);
    ck_assert_msg(f->http != NULL, "%s", err.text);
}

static inline void fixture_close(struct fixture *f)
{
    http_free(f->http);
    stub_stop(f->stub);
}

static inline const char *fixture_url(struct fixture *f, const char *path)
{
    snprintf(f->url, sizeof f->url, "%s%s", stub_url(f->stub), path);
    return f->url;
}

/* One request; the body of the reply is freed by the caller. */
static inline struct http_reply fixture_call(struct fixture *f, struct http_request request,
                                             const char *path)
{
    struct http_reply reply;
    request.url = fixture_url(f, path);
    http_call(f->http, &request, &reply);
    return reply;
}

static inline struct http_reply fixture_get(struct fixture *f, const char *path)
{
    return fixture_call(f, (struct http_request){.method = HTTP_GET}, path);
}

#define assert_answered(reply, code)                                                        \
    ck_assert_msg((reply).outcome == HTTP_ANSWERED && (reply).status == (code), "%s %d %s", \
                  http_outcome_name((reply).outcome), (reply).status, (reply).error)

#define assert_has(reply, text) \
    ck_assert_msg(strstr(buf_text(&(reply).body), text) != NULL, "%s", buf_text(&(reply).body))

/* Counts of many requests. */
struct tally {
    struct http *http;
    struct http_request next; /* submitted again from `done` while more > 0 */
    unsigned more, outcomes[HTTP_CANCELLED + 1], ended, in_flight_max;
    unsigned cancel_at; /* http_cancel in the done of this one, counted from 1 */
};

static inline void tally_done(void *arg, struct http_reply *reply)
{
    struct tally *t = arg;
    t->outcomes[reply->outcome]++;
    t->ended++;
    unsigned in_flight = http_in_flight(t->http) + 1; /* this one has just left */
    t->in_flight_max = in_flight > t->in_flight_max ? in_flight : t->in_flight_max;
    if (t->more > 0) {
        t->more--;
        unsigned queued = http_queued(t->http);
        http_submit(t->http, &t->next); /* waits for the end of the drain */
        ck_assert_uint_eq(http_queued(t->http), queued + 1);
    }
    if (t->cancel_at == t->ended) {
        http_cancel(t->http);
    }
}

static inline void tally_submit(struct tally *t, const char *url, unsigned n)
{
    struct http_request request = {.method = HTTP_GET, .url = url, .done = tally_done, .arg = t};
    t->next = request;
    for (unsigned i = 0; i < n; i++) {
        http_submit(t->http, &request);
    }
}

#endif
