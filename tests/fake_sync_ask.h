/* What the files of the stand-in for Sync Gateway share: one request taken apart, and its answer.
 */
#ifndef TESTS_FAKE_SYNC_ASK_H
#define TESTS_FAKE_SYNC_ASK_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/json.h"
#include "net/stub.h"
#include "tests/fake_sync_store.h"

#define DATABASES 8

struct fake_sync {
    pthread_mutex_t lock; /* the two ports are two threads over one store */
    struct stub *public_port, *admin_port;
    struct store *stores[DATABASES];
    char *authorization; /* expected on the public port; NULL: none */
    bool memory_store;
    unsigned busy_each, busy_count;
};

struct port {
    struct fake_sync *f;
    bool admin;
    char headers[400]; /* read by the stub after the handler has returned */
};

/* One request taken apart. */
struct ask {
    struct fake_sync *f;
    struct port *port;
    bool admin;
    const struct stub_request *request;
    char *parts[6]; /* decoded path segments */
    size_t count;
    bool slash; /* the path ends in one */
    const char *query;
    struct stub_answer *answer;
};

void ask_answer(struct ask *a, int status, const char *text);
void ask_fail(struct ask *a, int status, const char *error, const char *reason);
const char *ask_error_name(int status); /* what "error" says with a status */

char *ask_decode(const char *s, size_t n); /* percent-encoded; the caller frees */
/* The value of a query parameter, decoded; NULL if absent. The caller frees. */
char *ask_parameter(const struct ask *a, const char *name);
cJSON *ask_json(const struct ask *a, const char *name);
long ask_number(const struct ask *a, const char *name, long otherwise);
bool ask_flag(const struct ask *a, const char *name, bool otherwise);
bool ask_method(const struct ask *a, const char *name);

/* fake_sync_docs.c: the routes of documents */
void ask_bulk_docs(struct ask *a, struct store *s);
void ask_all_docs(struct ask *a, struct store *s);
void ask_bulk_get(struct ask *a, struct store *s);
void ask_document(struct ask *a, struct store *s, const char *id);

#endif
