/* A server of canned answers for the tests of couch/, and what CouchDB 3.5 answers. */
#ifndef TESTS_CANNED_H
#define TESTS_CANNED_H

#include "couch/couch.h"
#include "net/stub.h"
#include "tests/testing.h"

#define SECRET "s3cret-word"
#define SECRET_BASIC "Basic YWRtaW46czNjcmV0LXdvcmQ=" /* admin:s3cret-word */
#define JSON_OK "{\"ok\":true}"

/* The first row that fits answers. `path` may end in * for "begins with". */
struct canned {
    const char *method, *path;
    int status;
    const char *body, *headers, *type;
};

struct server {
    const struct canned *rows;
    size_t count;
    const char *authorization; /* what must be sent, else 401; NULL: anything will do */
    struct stub *stub;
    unsigned unexpected;  /* requests that no row answers */
    unsigned writes;      /* PUT, POST and DELETE seen, but for _session and _analyze */
    unsigned logins;      /* POST /_session */
    unsigned life_s;      /* Max-Age of a session; 0: none stated */
    char last_body[2000]; /* of the last PUT or POST */
    char last_path[500], last_cookie[100];
    char marker[1000]; /* the marker document as it was written; "" none */
};

void server_start(struct server *s);
struct http *engine(void); /* of one request at a time; fails the test if there is none */
struct couch *open_with(struct server *s, struct http *h, const struct auth *auth, struct err *err);

#define ROWS(array) .rows = array, .count = sizeof array / sizeof array[0]

#define COUCH_ROOT                                                                           \
    "{\"couchdb\":\"Welcome\",\"version\":\"3.5.0\",\"features\":[\"quickjs\"],\"vendor\":{" \
    "\"name\":"                                                                              \
    "\"The Apache Software Foundation\"}}"
#define ADMIN_CTX \
    "{\"ok\":true,\"userCtx\":{\"name\":\"admin\",\"roles\":[\"_admin\"]},\"info\":{}}"
#define NOBODY_CTX "{\"ok\":true,\"userCtx\":{\"name\":null,\"roles\":[]},\"info\":{}}"

/* CouchDB without search engines, as an administrator sees it. */
#define COUCHDB_ROWS 15
extern const struct canned couchdb[COUCHDB_ROWS];

#endif
