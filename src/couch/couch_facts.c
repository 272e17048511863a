#include "couch/couch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "couch/couch_private.h"

/* Settings that change timings, read one by one: the configuration as a whole holds secrets. */
static const struct {
    const char *member, *path;
} settings[] = {
    {"log_level", "log/level"},
    {"log_writer", "log/writer"},
    {"log_file", "log/file"},
    {"file_compression", "couchdb/file_compression"},
    {"max_document_size", "couchdb/max_document_size"},
    {"os_process_limit", "query_server_config/os_process_limit"},
    {"require_valid_user", "chttpd/require_valid_user"},
};

static void read_into(struct couch *c, cJSON *facts, cJSON *unread, const char *member,
                      const char *path)
{
    char why[200], *url = couch_url_server(c, path);
    cJSON *value = couch_get_json(c, url, why, sizeof why);
    if (value != NULL) {
        json_add(facts, member, value);
    } else {
        json_add_str(unread, member, why);
    }
    free(url);
}

cJSON *couch_server_facts(struct couch *c)
{
    cJSON *facts = json_object(), *unread = json_object();
    const char *why;
    json_add_str(facts, "url", c->url);
    json_add_str(facts, "admin_url", c->admin_url);
    json_add_str(facts, "address", c->address);
    json_add_str(facts, "vendor", c->vendor);
    json_add_str(facts, "version", c->version);
    json_add_str(facts, "dialect", c->dialect->name);
    json_add_str(facts, "auth", auth_describe(&c->auth));
    json_add_bool(facts, "tls", text_starts(c->url, "https:"));
    if (c->admin_known) {
        json_add_bool(facts, "administrator", c->admin);
    }
    if (c->root != NULL) {
        json_add(facts, "root", mem_checked(cJSON_Duplicate(c->root, true)));
    }
    if (c->dialect->views_on_admin_port && c->admin_url != NULL) {
        /* "walrus:" is a store in memory, whose figures are nobody's Couchbase Server's */
        char reason[200], *url = mem_printf("%s/_config", c->admin_url);
        cJSON *config = couch_get_json(c, url, reason, sizeof reason);
        json_add_str(facts, "store", json_str(json_get(config, "bootstrap"), "server", NULL));
        json_add_str(unread, "store", config == NULL ? reason : NULL);
        cJSON_Delete(config);
        free(url);
    }
    if (couch_can(c, CAP_NODE_STATS, NULL, &why)) {
        for (size_t i = 0; i < sizeof settings / sizeof settings[0]; i++) {
            char path[100];
            snprintf(path, sizeof path, "/_node/_local/_config/%s", settings[i].path);
            read_into(c, facts, unread, settings[i].member, path);
        }
        read_into(c, facts, unread, "versions", "/_node/_local/_versions");
    } else {
        json_add_str(unread, "settings", why);
    }
    if (cJSON_GetArraySize(unread) > 0) {
        json_add(facts, "unread", unread);
    } else {
        cJSON_Delete(unread);
    }
    return facts;
}

cJSON *couch_run_facts(struct couch *c, const char *db)
{
    cJSON *facts = json_object(), *unread = json_object(), *info = NULL;
    const char *why;
    struct err err = ERR_INIT;
    if (db != NULL) {
        if (couch_db_info(c, db, &info, &err) == 1) {
            json_add(facts, "db", info);
        } else {
            json_add_str(unread, "db", *err.text != '\0' ? err.text : "there is no such database");
        }
    }
    if (couch_can(c, CAP_NODE_STATS, NULL, &why)) {
        read_into(c, facts, unread, "system", "/_node/_local/_system");
        read_into(c, facts, unread, "stats", "/_node/_local/_stats");
    } else {
        json_add_str(unread, "system", why);
        json_add_str(unread, "stats", why);
    }
    if (cJSON_GetArraySize(unread) > 0) {
        json_add(facts, "unread", unread);
    } else {
        cJSON_Delete(unread);
    }
    return facts;
}

/* Tasks name the database as it is, or as a shard: shards/00000000-7fffffff/NAME.1700000000 */
static bool concerns(const char *task_db, const char *db)
{
    if (db == NULL || strcmp(task_db, db) == 0) {
        return true;
    }
    size_t n = strlen(db);
    const char *name = text_starts(task_db, "shards/") ? strchr(task_db + 7, '/') : NULL;
    return name != NULL && strncmp(name + 1, db, n) == 0 && name[n + 1] == '.';
}

int couch_active_tasks(struct couch *c, const char *db, char *summary, size_t size)
{
    int count = -1;
    if (summary != NULL && size > 0) {
        summary[0] = '\0';
    }
    if (c->dialect->can[CAP_ACTIVE_TASKS] == CAP_NO) {
        return -1;
    }
    char why[200], *url = couch_url_server(c, "/_active_tasks");
    cJSON *list = couch_get_json(c, url, why, sizeof why);
    const cJSON *task;
    if (cJSON_IsArray(list)) {
        size_t used = 0;
        count = 0;
        cJSON_ArrayForEach(task, list)
        {
            if (!concerns(json_str(task, "database", ""), db)) {
                continue;
            }
            bool endless = json_bool(task, "continuous", false); /* a replication */
            count += !endless;
            if (summary == NULL || used + 1 >= size) {
                continue;
            }
            char type[40];
            couch_visible(type, sizeof type, task, "type");
            double progress = json_num(task, "progress", -1);
            const char *comma = used > 0 ? ", " : "";
            int n =
                progress >= 0 && progress <= 100
                    ? snprintf(summary + used, size - used, "%s%s %.0f %%", comma, type, progress)
                    : snprintf(summary + used, size - used, "%s%s%s", comma,
                               endless ? "continuous " : "", type);
            used = n > 0 && used + (size_t)n < size ? used + (size_t)n : size;
        }
    }
    cJSON_Delete(list);
    free(url);
    return count;
}
