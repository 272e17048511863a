#include "couch/probe.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

#define CONNECTS 10 /* of which the shortest counts as the round trip */
#define REQUESTS 10 /* small ones, likewise */

/* Least time of a small request on a kept connection; 0 if none was answered. */
static uint64_t small_request(struct couch *c)
{
    uint64_t least = 0;
    char *url = couch_url_server(c, "/");
    for (int i = 0; i < REQUESTS; i++) {
        struct couch_answer a;
        if (couch_call(c, HTTP_GET, url, NULL, 0, NULL, 0, &a, NULL) == 0 &&
            (least == 0 || a.ns < least)) {
            least = a.ns;
        }
        couch_answer_free(&a);
    }
    free(url);
    return least;
}

/* Asks what could not be told without a database, in one made for that. */
static void ask_in_database(struct couch *c, cJSON *report)
{
    struct err err = ERR_INIT;
    const char *why;
    bool wanted = false;
    for (int i = 0; i < CAP_COUNT; i++) {
        couch_can(c, (enum capability)i, NULL, &why);
        wanted = wanted || couch_can_unknown(c, (enum capability)i);
    }
    if (!wanted) {
        return;
    }
    char *db = couch_db_name("probe");
    if (couch_db_create(c, db, NULL, &err) < 0) {
        json_add_str(report, "database_error", err.text);
    } else if (couch_marker_write(c, db, db, &err) < 0) {
        json_add_str(report, "database_error", err.text);
        json_add_str(report, "left_behind", db); /* without its marker it is not ours to delete */
    } else {
        for (int i = 0; i < CAP_COUNT; i++) {
            couch_can(c, (enum capability)i, db, &why);
        }
        if (couch_db_delete_ours(c, db, db, &err) < 0) {
            json_add_str(report, "database_error", err.text);
            json_add_str(report, "left_behind", db);
        }
    }
    free(db);
}

cJSON *couch_probe_json(struct couch *c, const struct probe_options *o, struct err *err)
{
    cJSON *report = json_object();
    struct err trip = ERR_INIT;
    json_add(report, "server", couch_server_facts(c));
    if (o != NULL && o->may_create) {
        ask_in_database(c, report);
    }
    cJSON *list = json_add(report, "capabilities", json_array());
    for (int i = 0; i < CAP_COUNT; i++) {
        const char *why;
        cJSON *row = json_object();
        bool yes = couch_can(c, (enum capability)i, NULL, &why);
        json_add_str(row, "name", capability_name((enum capability)i));
        if (!yes && couch_can_unknown(c, (enum capability)i)) {
            json_add(row, "can", cJSON_CreateNull());
        } else {
            json_add_bool(row, "can", yes);
        }
        json_add_str(row, "why", why);
        json_append(list, row);
    }
    uint64_t ns = http_round_trip(couch_http(c), couch_url(c), CONNECTS, &trip);
    if (ns > 0) {
        json_add_num(report, "round_trip_s", (double)ns / 1e9);
    } else {
        json_add_str(report, "round_trip_error", trip.text);
    }
    ns = small_request(c);
    if (ns > 0) {
        json_add_num(report, "small_request_s", (double)ns / 1e9);
        return report;
    }
    cJSON_Delete(report);
    err_set(err, ERR_UNREACHABLE, "%s does not answer any more", couch_url(c));
    return NULL;
}

static void line(struct buf *out, const char *name, const char *value)
{
    if (value != NULL && *value != '\0') {
        char shown[400];
        buf_addf(out, "%-15s %s\n", name, text_visible(shown, sizeof shown, value));
    }
}

static void value_line(struct buf *out, const char *name, const cJSON *v)
{
    if (v != NULL) {
        char *text = cJSON_IsString(v) ? mem_strdup(v->valuestring) : json_print(v, false);
        line(out, name, text);
        free(text);
    }
}

static void figure_line(struct buf *out, const char *name, double seconds, const char *note)
{
    char text[40];
    if (seconds >= 0) {
        buf_addf(out, "%-15s %s (%s)\n", name, text_seconds(text, sizeof text, seconds), note);
    }
}

int couch_probe_text(struct couch *c, const struct probe_options *o, struct buf *out,
                     struct err *err)
{
    cJSON *report = couch_probe_json(c, o, err);
    if (report == NULL) {
        return -1;
    }
    const cJSON *s = json_get(report, "server"), *row;
    char *what = mem_printf("%s %s", json_str(s, "vendor", ""), json_str(s, "version", ""));
    line(out, "Server", what);
    free(what);
    line(out, "URL", json_str(s, "url", ""));
    line(out, "Address", json_str(s, "address", ""));
    line(out, "Admin port", json_str(s, "admin_url", NULL));
    line(out, "Store", json_str(s, "store", NULL));
    line(out, "Dialect", json_str(s, "dialect", ""));
    line(out, "Authentication", json_str(s, "auth", ""));
    if (json_get(s, "administrator") != NULL) {
        line(out, "Administrator", json_bool(s, "administrator", false) ? "yes" : "no");
    }
    value_line(out, "Features", json_get(json_get(s, "root"), "features"));
    value_line(out, "Log level", json_get(s, "log_level"));
    value_line(out, "Compression", json_get(s, "file_compression"));
    figure_line(out, "Round trip", json_num(report, "round_trip_s", -1),
                "network, least of several connections");
    line(out, "Round trip", json_str(report, "round_trip_error", NULL));
    figure_line(out, "Small request", json_num(report, "small_request_s", -1),
                "GET /, mostly the server's work: not a round trip");
    buf_adds(out, "\nCapabilities\n");
    bool unknown = false;
    cJSON_ArrayForEach(row, json_get(report, "capabilities"))
    {
        char why[400];
        const cJSON *yes = json_get(row, "can");
        bool no_answer = cJSON_IsNull(yes);
        unknown = unknown || no_answer;
        buf_addf(out, "  %-7s %s",
                 cJSON_IsTrue(yes) ? "yes"
                 : no_answer       ? "unknown"
                                   : "no",
                 json_str(row, "name", ""));
        text_visible(why, sizeof why, json_str(row, "why", ""));
        buf_addf(out, "%s%s\n", *why != '\0' ? ": " : "", why);
    }
    if (unknown && (o == NULL || !o->may_create)) {
        buf_adds(out, "\nNothing was written to the server; what is unknown can only be asked in a "
                      "database made for it.\n");
    }
    line(out, "Trouble", json_str(report, "database_error", NULL));
    line(out, "Left behind", json_str(report, "left_behind", NULL));
    cJSON_Delete(report);
    return 0;
}
