#include "couch/dialect.h"

#include <string.h>

#include "base/text.h"

/* Sync Gateway's API: https://docs.couchbase.com/sync-gateway/current/rest-api/rest_api_public.html
 * and rest_api_admin.html; what the documentation leaves open was seen on 3.1.0. */
#define NOT_A_COUCH "what answers there is not known to be a CouchDB"

static const struct dialect dialects[] = {
    {
        .name = "couchdb",
        .vendor = "Apache CouchDB",
        .can =
            {
                [CAP_CREATE_DB] = CAP_ASK, /* server administrators only */
                [CAP_DDOC_VIEWS] = CAP_YES,
                [CAP_GROUP_LEVEL] = CAP_YES,
                [CAP_JS_REDUCE] = CAP_YES,
                [CAP_MANGO] = CAP_ASK, /* since 2.0 */
                [CAP_MANGO_PROOF] = CAP_ASK,
                [CAP_NOUVEAU] = CAP_ASK,
                [CAP_CLOUSEAU] = CAP_ASK,
                [CAP_MANGO_TEXT] = CAP_ASK,
                [CAP_BULK_GET] = CAP_YES,
                [CAP_ATTACHMENTS] = CAP_YES,
                [CAP_LOCAL_DOCS] = CAP_YES,
                [CAP_SESSION] = CAP_YES,
                [CAP_ACTIVE_TASKS] = CAP_ASK,
                [CAP_NODE_STATS] = CAP_ASK,
                [CAP_CLUSTER_INFO] = CAP_ASK,
                [CAP_SHARDS] = CAP_ASK,
            },
        .underscore_members = false,
    },
    {
        .name = "pouchdb",
        .vendor = "PouchDB Server",
        .can =
            {
                [CAP_CREATE_DB] = CAP_YES,
                [CAP_DDOC_VIEWS] = CAP_YES,
                [CAP_GROUP_LEVEL] = CAP_YES,
                [CAP_JS_REDUCE] = CAP_YES,
                [CAP_MANGO] = CAP_YES,
                [CAP_NOUVEAU] = CAP_ASK,
                [CAP_CLOUSEAU] = CAP_ASK,
                [CAP_MANGO_TEXT] = CAP_ASK,
                [CAP_BULK_GET] = CAP_YES,
                [CAP_ATTACHMENTS] = CAP_YES,
                [CAP_LOCAL_DOCS] = CAP_YES,
                [CAP_SESSION] = CAP_ASK,
                [CAP_ACTIVE_TASKS] = CAP_ASK,
            },
        .why_not =
            {
                [CAP_MANGO_PROOF] =
                    "PouchDB Server does not report how many keys and documents a query examined",
                [CAP_NODE_STATS] = "PouchDB Server has no node statistics",
                [CAP_CLUSTER_INFO] = "PouchDB Server is a single process without shards",
                [CAP_SHARDS] = "PouchDB Server is a single process without shards",
            },
    },
    {
        .name = "sync-gateway",
        .vendor = "Couchbase Sync Gateway",
        .can =
            {
                [CAP_DDOC_VIEWS] = CAP_ASK, /* on the admin port */
                [CAP_GROUP_LEVEL] = CAP_ASK,
                [CAP_JS_REDUCE] = CAP_ASK,
                [CAP_BULK_GET] = CAP_YES,
                [CAP_ATTACHMENTS] = CAP_YES,
                [CAP_LOCAL_DOCS] = CAP_YES,
            },
        .why_not =
            {
                [CAP_CREATE_DB] =
                    "Sync Gateway makes databases over a Couchbase bucket, on its admin port: "
                    "make an empty one there and name it with --database",
                [CAP_MANGO] = "Sync Gateway has no Mango queries",
                [CAP_MANGO_PROOF] = "Sync Gateway has no Mango queries",
                [CAP_NOUVEAU] = "Sync Gateway has no full-text search",
                [CAP_CLOUSEAU] = "Sync Gateway has no full-text search",
                [CAP_MANGO_TEXT] = "Sync Gateway has no full-text search",
                [CAP_SESSION] = "Sync Gateway's sessions belong to one database each; Basic "
                                "authentication is used there",
                [CAP_ACTIVE_TASKS] = "Sync Gateway has no list of active tasks",
                [CAP_NODE_STATS] = "Sync Gateway has no CouchDB node statistics",
                [CAP_CLUSTER_INFO] = "Sync Gateway leaves storage to Couchbase Server",
                [CAP_SHARDS] = "Sync Gateway leaves storage to Couchbase Server",
            },
        .views_on_admin_port = true,
        .per_doc_status = true,
        .db_slash = true,
        .db_hidden = true,
        .ddoc_strict = true,
        .view_meta = true,
        .view_query = "stale=false",
        .bulk_get_multipart = true,
    },
    {
        .name = "http",
        .vendor = "an HTTP server",
        .why_not =
            {
                [CAP_CREATE_DB] = NOT_A_COUCH,
                [CAP_DDOC_VIEWS] = NOT_A_COUCH,
                [CAP_GROUP_LEVEL] = NOT_A_COUCH,
                [CAP_JS_REDUCE] = NOT_A_COUCH,
                [CAP_MANGO] = NOT_A_COUCH,
                [CAP_MANGO_PROOF] = NOT_A_COUCH,
                [CAP_NOUVEAU] = NOT_A_COUCH,
                [CAP_CLOUSEAU] = NOT_A_COUCH,
                [CAP_MANGO_TEXT] = NOT_A_COUCH,
                [CAP_BULK_GET] = NOT_A_COUCH,
                [CAP_ATTACHMENTS] = NOT_A_COUCH,
                [CAP_LOCAL_DOCS] = NOT_A_COUCH,
                [CAP_SESSION] = NOT_A_COUCH,
                [CAP_ACTIVE_TASKS] = NOT_A_COUCH,
                [CAP_NODE_STATS] = NOT_A_COUCH,
                [CAP_CLUSTER_INFO] = NOT_A_COUCH,
                [CAP_SHARDS] = NOT_A_COUCH,
            },
    },
};

#define COUNT (sizeof dialects / sizeof dialects[0])

const struct dialect *dialect_named(const char *name)
{
    for (size_t i = 0; i < COUNT; i++) {
        if (strcmp(dialects[i].name, name) == 0) {
            return &dialects[i];
        }
    }
    return NULL;
}

const struct dialect *dialect_of(const cJSON *root, const char *server_header)
{
    const cJSON *v = json_get(root, "vendor");
    /* `vendor` is an object on all that are known; a bare string is taken too */
    const char *vendor = cJSON_IsString(v) ? v->valuestring : json_str(v, "name", "");
    if (strstr(vendor, "Sync Gateway") != NULL ||
        (server_header != NULL && text_starts(server_header, "Couchbase Sync Gateway"))) {
        return dialect_named("sync-gateway");
    }
    if (strstr(vendor, "PouchDB") != NULL || json_get(root, "express-pouchdb") != NULL ||
        json_get(root, "pouchdb-server") != NULL) {
        return dialect_named("pouchdb");
    }
    return &dialects[0];
}

const char *capability_name(enum capability c)
{
    static const char *const names[CAP_COUNT] = {
        [CAP_CREATE_DB] = "creating databases",
        [CAP_DDOC_VIEWS] = "map/reduce views",
        [CAP_GROUP_LEVEL] = "grouping of views by level",
        [CAP_JS_REDUCE] = "reduce functions in JavaScript",
        [CAP_MANGO] = "Mango queries",
        [CAP_MANGO_PROOF] = "Mango execution figures",
        [CAP_NOUVEAU] = "full-text search by Nouveau",
        [CAP_CLOUSEAU] = "full-text search by Clouseau",
        [CAP_MANGO_TEXT] = "full-text search by Mango text indexes",
        [CAP_BULK_GET] = "_bulk_get",
        [CAP_ATTACHMENTS] = "attachments",
        [CAP_LOCAL_DOCS] = "_local documents",
        [CAP_SESSION] = "cookie sessions",
        [CAP_ACTIVE_TASKS] = "active tasks",
        [CAP_NODE_STATS] = "node statistics",
        [CAP_CLUSTER_INFO] = "cluster settings in the database info",
        [CAP_SHARDS] = "choosing shards and replicas",
    };
    return names[c];
}
