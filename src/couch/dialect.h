/* dialect: what kinds of server there are and what each can do, as one constant table. A new
 * server is a new row. */
#ifndef COUCH_DIALECT_H
#define COUCH_DIALECT_H

#include <stdbool.h>

#include "base/json.h"

enum capability {
    CAP_CREATE_DB,
    CAP_DDOC_VIEWS,  /* design documents with map/reduce */
    CAP_GROUP_LEVEL, /* ?group_level= (Sync Gateway's in-memory store drops the connection) */
    CAP_JS_REDUCE,   /* reduce functions in JavaScript, not only _count and _sum */
    CAP_MANGO,
    CAP_MANGO_PROOF, /* _find reports keys and documents examined, so that use of an index shows */
    CAP_NOUVEAU,     /* full-text: /ddoc/_nouveau/index */
    CAP_CLOUSEAU,    /* full-text: /ddoc/_search/index */
    CAP_MANGO_TEXT,  /* full-text: _index of type text */
    CAP_BULK_GET,
    CAP_ATTACHMENTS,
    CAP_LOCAL_DOCS,
    CAP_SESSION, /* cookie authentication */
    CAP_ACTIVE_TASKS,
    CAP_NODE_STATS,   /* _node/_local/… for administrators */
    CAP_CLUSTER_INFO, /* GET /db has `cluster` with q, n, w, r */
    CAP_SHARDS,       /* q and n may be given at creation */
    CAP_COUNT
};

enum capable { CAP_NO, CAP_YES, CAP_ASK /* the server must be asked */ };

struct dialect {
    const char *name;   /* "couchdb", "pouchdb", "sync-gateway"; "http": any other */
    const char *vendor; /* for people, if the server does not say */
    enum capable can[CAP_COUNT];
    const char *why_not[CAP_COUNT]; /* of each CAP_NO */
    bool views_on_admin_port;
    bool underscore_members; /* top-level members that begin with _ are accepted */
    bool per_doc_status;     /* rows of _bulk_docs carry `status` */
    bool db_slash;           /* a database's own URL ends in / (without it: 301) */
    bool db_hidden;          /* one that is not there answers 401, as a wrong password does */
    bool bulk_get_multipart; /* _bulk_get answers multipart/mixed only (JSON alone: 406) */
    bool ddoc_strict;        /* a design document with members that it does not know: 400 */
    bool view_meta;          /* map(doc, meta): the id is in meta.id, and not in doc._id */
    const char *view_query;  /* added to every view query, NULL: nothing */
};

/* The row that fits the answer of GET / and its Server header; never NULL (an unknown server that
 * says "couchdb":"Welcome" is taken for CouchDB). */
const struct dialect *dialect_of(const cJSON *root, const char *server_header);
const struct dialect *dialect_named(const char *name); /* NULL if there is none */
const char *capability_name(enum capability c);        /* "Mango queries" */

#endif
