#include "couch/couch.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "couch/couch_private.h"

/* How long a search engine may take to answer: CouchDB gives up on a Nouveau that is down only
 * after about 10 s, and a first query starts an index. */
#define ENGINE_NS (30 * UINT64_C(1000000000))

#define NO_ADMIN_URL "Sync Gateway has views on its admin port only: give --admin-url"

static bool can(struct couch *c, enum capability what)
{
    c->can[what].known = KNOWN_CAN;
    c->can[what].why[0] = '\0';
    return true;
}

static bool cannot(struct couch *c, enum capability what, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static bool cannot(struct couch *c, enum capability what, const char *fmt, ...)
{
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(c->can[what].why, sizeof c->can[what].why, fmt, ap);
    va_end(ap);
    c->can[what].known = KNOWN_CANNOT;
    return false;
}

static bool needs_db(struct couch *c, enum capability what)
{
    snprintf(c->can[what].why, sizeof c->can[what].why,
             "not known: asking would need a database of ours");
    c->can[what].known = KNOWN_NEEDS_DB;
    return false;
}

/* ---- by version ------------------------------------------------------------------------------ */

static bool since(struct couch *c, enum capability what, unsigned major, unsigned minor)
{
    char *end;
    unsigned long have = strtoul(c->version, &end, 10);
    unsigned long have_minor = *end == '.' ? strtoul(end + 1, NULL, 10) : 0;
    if (end == c->version || have > major || (have == major && have_minor >= minor)) {
        return can(c, what); /* a version that is not a number is taken for a new one */
    }
    return cannot(c, what, "%s %s has no %s; they came with %u.%u", c->vendor, c->version,
                  capability_name(what), major, minor);
}

/* ---- engines that answer without a database ---------------------------------------------------
 */

/* POST /_search_analyze and /_nouveau_analyze only cut a text into words, but need the engine for
 * that: https://docs.couchdb.org/en/stable/api/server/common.html#search-analyze. */
static bool ask_analyze(struct couch *c, enum capability what)
{
    static const char body[] = "{\"analyzer\":\"standard\",\"text\":\"rock\"}";
    bool nouveau = what == CAP_NOUVEAU;
    struct couch_answer a;
    char why[200];
    char *url = couch_url_server(c, nouveau ? "/_nouveau_analyze" : "/_search_analyze");
    bool answered =
        couch_ask(c, HTTP_POST, url, body, sizeof body - 1, ENGINE_NS, &a, why, sizeof why) == 0;
    bool found;
    if (answered && a.status == 200) {
        found = can(c, what);
    } else if (answered && a.status == 404) {
        found = nouveau ? cannot(c, what, "Nouveau is not enabled on this server")
                        : cannot(c, what, "this server has no Clouseau search");
    } else if (answered && a.status == 503 && !nouveau) {
        char reason[100];
        couch_visible(reason, sizeof reason, a.json, "reason");
        found = cannot(c, what, "no Clouseau engine is connected (%s)", reason);
    } else if (answered && (a.status == 401 || a.status == 403)) {
        found = needs_db(c, what);
    } else if (nouveau) {
        found = cannot(c, what, "Nouveau is enabled, but its engine does not answer (%s)", why);
    } else {
        found = cannot(c, what, "%s", why);
    }
    couch_answer_free(&a);
    free(url);
    return found;
}

/* ---- engines that need a design document ------------------------------------------------------
 */

static void read_engine(struct couch *c, enum capability what, const char *db, const char *ddoc)
{
    struct couch_answer a;
    struct couch_search found;
    struct err err = ERR_INIT;
    char why[200];
    char *plain = couch_url_search(c, db, what, ddoc, "i");
    char *url = mem_printf("%s?q=f:rock&limit=1", plain);
    bool answered = couch_ask(c, HTTP_GET, url, NULL, 0, ENGINE_NS, &a, why, sizeof why) == 0;
    if (answered && a.status == 200) {
        if (couch_judge_search(what, buf_text(&a.body), a.body.len, NULL, NULL, &found, &err) ==
            0) {
            can(c, what);
        } else {
            cannot(c, what, "the answer is not a search's: %s", err.text);
        }
    } else if (answered && a.status == 404) {
        cannot(c, what, "this server has no %s", what == CAP_NOUVEAU ? "_nouveau" : "_search");
    } else {
        char reason[120];
        couch_visible(reason, sizeof reason, a.json, "reason");
        cannot(c, what, "its engine does not answer (%s)", *reason != '\0' ? reason : why);
    }
    couch_answer_free(&a);
    free(url);
    free(plain);
}

static bool ask_search(struct couch *c, enum capability what, const char *db)
{
    static const char json[] =
        "{\"indexes\":{\"i\":{\"index\":\"function (doc) { index('f', 'rock'); }\"}},"
        "\"nouveau\":{\"i\":{\"index\":\"function (doc) { index('text', 'f', 'rock'); }\"}}}";
    struct err err = ERR_INIT;
    char *name = couch_db_name("probe");
    if (couch_ddoc_put(c, db, name, json, &err) < 0) {
        cannot(c, what, "a design document to ask with was refused: %.150s", err.text);
    } else {
        read_engine(c, what, db, name);
        couch_ddoc_delete(c, db, name, &err);
    }
    free(name);
    return c->can[what].known == KNOWN_CAN;
}

/* The type that GET /db/_index gives the index; "" if it is not listed. */
static void index_type(struct couch *c, const char *db, const char *name, char *type, size_t size)
{
    char why[100], *url = couch_url_db(c, db, "_index");
    cJSON *list = couch_get_json(c, url, why, sizeof why);
    const cJSON *each;
    type[0] = '\0';
    cJSON_ArrayForEach(each, json_get(list, "indexes"))
    {
        if (strcmp(json_str(each, "name", ""), name) == 0) {
            couch_visible(type, size, each, "type");
        }
    }
    cJSON_Delete(list);
    free(url);
}

/* 200 alone says nothing: stock express-pouchdb makes a plain index of it, and a query with $text
 * is answered 200 by a CouchDB without the engine, which reads everything and ignores $text. */
static bool ask_mango_text(struct couch *c, const char *db)
{
    struct couch_answer a;
    char why[200], type[20] = "";
    char *name = couch_db_name("probe"), *url = couch_url_db(c, db, "_index");
    char *body = mem_printf("{\"index\":{\"fields\":[{\"name\":\"Name\",\"type\":\"string\"}]},"
                            "\"type\":\"text\",\"ddoc\":\"%s\",\"name\":\"%s\"}",
                            name, name);
    bool answered =
        couch_ask(c, HTTP_POST, url, body, strlen(body), ENGINE_NS, &a, why, sizeof why) == 0;
    if (answered && a.status >= 200 && a.status <= 299) {
        index_type(c, db, name, type, sizeof type);
        if (strcmp(type, "text") == 0) {
            can(c, CAP_MANGO_TEXT);
        } else {
            cannot(c, CAP_MANGO_TEXT, "the server takes a text index for a plain one (type \"%s\")",
                   type);
        }
        struct couch_answer gone;
        char *drop =
            mem_printf("%s/_design/%s/%s/%s", url, name, *type != '\0' ? type : "json", name);
        couch_ask(c, HTTP_DELETE, drop, NULL, 0, COUCH_CALL_NS, &gone, why, sizeof why);
        couch_answer_free(&gone);
        free(drop);
    } else {
        char error[100];
        couch_visible(error, sizeof error, a.json, "error");
        cannot(c, CAP_MANGO_TEXT, "text indexes are refused (%s)", *error != '\0' ? error : why);
    }
    couch_answer_free(&a);
    free(body);
    free(url);
    free(name);
    return c->can[CAP_MANGO_TEXT].known == KNOWN_CAN;
}

/* A database may be written to for a question only if it is ours. */
static bool usable(struct couch *c, const char *db)
{
    struct err err = ERR_INIT;
    return db != NULL && couch_marker_check(c, db, NULL, &err) == 1;
}

static bool ask_engine(struct couch *c, enum capability what, const char *db)
{
    bool couchdb = strcmp(c->dialect->name, "couchdb") == 0;
    if (couchdb && what == CAP_MANGO_TEXT) {
        const char *why; /* CouchDB makes text indexes by Clouseau, and refuses them without */
        if (couch_can(c, CAP_CLOUSEAU, db, &why)) {
            return can(c, what);
        }
        return c->can[CAP_CLOUSEAU].known == KNOWN_NEEDS_DB
                   ? needs_db(c, what)
                   : cannot(c, what, "text indexes need Clouseau: %.180s", why);
    }
    if (couchdb && c->can[what].known == KNOWN_NOT_YET) {
        ask_analyze(c, what);
        if (c->can[what].known != KNOWN_NEEDS_DB) {
            return c->can[what].known == KNOWN_CAN;
        }
    }
    if (!usable(c, db)) {
        return needs_db(c, what);
    }
    return what == CAP_MANGO_TEXT ? ask_mango_text(c, db) : ask_search(c, what, db);
}

/* ---- the rest -------------------------------------------------------------------------------- */

static bool ask_path(struct couch *c, enum capability what, const char *path)
{
    char why[200], *url = couch_url_server(c, path);
    cJSON *json = couch_get_json(c, url, why, sizeof why);
    bool found = json != NULL ? can(c, what) : cannot(c, what, "%s", why);
    cJSON_Delete(json);
    free(url);
    return found;
}

/* What Sync Gateway's in-memory store (walrus:) cannot: it panics on group_level, so that the
 * connection ends without an answer, and reduces by _count and _sum only. Where the configuration
 * cannot be read, it is not that store: only an admin port that asks for a name and password
 * refuses it, and that needs Couchbase Server's users. */
static bool ask_store(struct couch *c, enum capability what, const char *memory_store)
{
    if (c->admin_url == NULL) {
        return cannot(c, what, NO_ADMIN_URL);
    }
    char why[200], *url = mem_printf("%s/_config", c->admin_url);
    cJSON *config = couch_get_json(c, url, why, sizeof why);
    bool memory = text_starts(json_str(json_get(config, "bootstrap"), "server", ""), "walrus:");
    cJSON_Delete(config);
    free(url);
    return memory ? cannot(c, what, "%s", memory_store) : can(c, what);
}

static bool ask(struct couch *c, enum capability what, const char *db)
{
    switch (what) {
    case CAP_CREATE_DB:
        if (c->admin_known && !c->admin) {
            return cannot(c, what,
                          "creating one needs a server administrator%s; or name an empty database "
                          "made for the purpose with --database",
                          c->auth.kind == AUTH_NONE ? ", and no credentials were given"
                                                    : ", which this user is not");
        }
        return can(c, what);
    case CAP_DDOC_VIEWS:
        return c->admin_url != NULL ? can(c, what) : cannot(c, what, NO_ADMIN_URL);
    case CAP_GROUP_LEVEL:
        return ask_store(c, what,
                         "Sync Gateway's in-memory store ends the connection on group_level");
    case CAP_JS_REDUCE:
        return ask_store(c, what, "Sync Gateway's in-memory store reduces by _count and _sum only");
    case CAP_MANGO:
    case CAP_SHARDS:
    case CAP_CLUSTER_INFO:
        return since(c, what, 2, 0);
    case CAP_MANGO_PROOF:
        return since(c, what, 3, 4); /* earlier ones say 0 keys examined always */
    case CAP_NOUVEAU:
    case CAP_CLOUSEAU:
    case CAP_MANGO_TEXT:
        return ask_engine(c, what, db);
    case CAP_SESSION:
        return ask_path(c, what, "/_session");
    case CAP_ACTIVE_TASKS:
        return ask_path(c, what, "/_active_tasks");
    case CAP_NODE_STATS:
        return ask_path(c, what, "/_node/_local/_system");
    default:
        return can(c, what);
    }
}

bool couch_can(struct couch *c, enum capability what, const char *db, const char **why)
{
    const char *reason = NULL;
    bool yes = c->dialect->can[what] == CAP_YES;
    if (c->dialect->can[what] == CAP_NO) {
        reason = c->dialect->why_not[what];
    } else if (c->dialect->can[what] == CAP_ASK) {
        enum known k = c->can[what].known;
        yes = k == KNOWN_CAN;
        if (k == KNOWN_NOT_YET || (k == KNOWN_NEEDS_DB && db != NULL)) {
            yes = ask(c, what, db);
        }
        reason = c->can[what].why;
    }
    if (why != NULL) {
        *why = yes ? NULL : reason;
    }
    return yes;
}

bool couch_can_unknown(const struct couch *c, enum capability what)
{
    return c->dialect->can[what] == CAP_ASK && c->can[what].known == KNOWN_NEEDS_DB;
}
