/* What the files of couch share; nobody else includes it. */
#ifndef COUCH_COUCH_PRIVATE_H
#define COUCH_COUCH_PRIVATE_H

#include "couch/couch.h"
#include "couch/session.h"

#define COUCH_CALL_NS (30 * UINT64_C(1000000000)) /* limit of the requests made to identify */

/* What is known of a capability. */
enum known {
    KNOWN_NOT_YET, /* never asked */
    KNOWN_NEEDS_DB /* asked without a database of ours, which is needed to tell */,
    KNOWN_CAN,
    KNOWN_CANNOT,
};

struct couch {
    struct http *http;
    struct auth auth; /* a copy: needed for as long as sessions are renewed */
    struct session *session;
    char *url, *admin_url; /* admin_url: where views are; NULL if there is no such place */
    char address[64];
    const struct dialect *dialect;
    char *vendor, *version;
    cJSON *root;
    bool sync_admin;         /* `url` itself is a Sync Gateway's admin port */
    bool admin_known, admin; /* whether we are a server administrator, where it could be told */
    struct {
        enum known known;
        char why[240];
    } can[CAP_COUNT];
};

/* A member of an answer's tree made fit to print. Returns out. */
char *couch_visible(char *out, size_t size, const cJSON *object, const char *name);

/* As couch_call, without explaining: 0 if answered with any status, else -1 (*reply_error says why
 * it was not). */
int couch_ask(struct couch *c, enum http_method method, const char *url, const char *body,
              size_t body_len, uint64_t timeout_ns, struct couch_answer *answer, char *why,
              size_t why_size);

/* GET of a path of the server, or of a database's: the parsed answer if it was a 200, else NULL
 * with the reason in `why`. */
cJSON *couch_get_json(struct couch *c, const char *url, char *why, size_t why_size);

/* ERR_USAGE if this database must not be written to by anyone but the server. */
int couch_refuse_system(const char *db, struct err *err);

#endif
