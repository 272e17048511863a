/* differ: what two specs differ by: in their work, which must agree, and in factors. */
#include "report/compare.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/parts.h"

#define NOT_STATED "not stated"

/* Members that are no condition of a measurement: addresses (said in the heading), names and
 * sentences for people, counts of runs (shown beside the figures), what was measured in passing,
 * and what another member says as well. Names are of members at any depth below the kind. */
static const struct {
    enum differ_kind kind;
    const char *name;
} passed_over[] = {
    {DIFFERS_WORK, "summary"},         {DIFFERS_WORK, "data.name"}, /* its digest decides */
    {DIFFERS_SETTING, "runs"},         {DIFFERS_SETTING, "keep"},
    {DIFFERS_SERVER, "url"},           {DIFFERS_SERVER, "admin_url"},
    {DIFFERS_SERVER, "address"},       {DIFFERS_SERVER, "unread"},
    {DIFFERS_SERVER, "round_trip_s"},  {DIFFERS_SERVER, "small_request_s"},
    {DIFFERS_SERVER, "root.couchdb"},  {DIFFERS_SERVER, "root.version"},
    {DIFFERS_SERVER, "root.vendor"},   {DIFFERS_SERVER, "root.uuid"},
    {DIFFERS_NETWORK, "round_trip_s"}, {DIFFERS_NETWORK, "small_request_s"},
    {DIFFERS_CLIENT, "load_1m"},
};

const char *differ_word(enum differ_kind kind)
{
    static const char *const words[] = {
        [DIFFERS_WORK] = "work",         [DIFFERS_SETTING] = "setting", [DIFFERS_SERVER] = "server",
        [DIFFERS_DATABASE] = "database", [DIFFERS_NETWORK] = "network", [DIFFERS_CLIENT] = "client",
    };
    return words[kind];
}

bool compare_across(const struct compare_options *o, const char *factor)
{
    for (size_t i = 0; i < o->across_n; i++) {
        if (strcmp(o->across[i], factor) == 0) {
            return true;
        }
    }
    return false;
}

/* Whether the user asked to compare across this. A server that is compared brings its defaults. */
static bool asked_for(const struct compare_options *o, enum differ_kind kind, const char *name)
{
    static const char *const shape[] = {"server", "shards", "replicas", "write-quorum",
                                        "read-quorum"};
    if (kind == DIFFERS_SETTING) {
        return compare_across(o, name);
    }
    for (size_t i = 0; kind == DIFFERS_DATABASE && i < sizeof shape / sizeof shape[0]; i++) {
        if (compare_across(o, shape[i])) {
            return true;
        }
    }
    return compare_across(o, differ_word(kind));
}

struct search {
    struct differences *d;
    const struct compare_options *o;
    enum differ_kind kind;
    bool both; /* a member that only one of them has is no difference */
};

static char *value_text(const cJSON *value)
{
    return value == NULL           ? mem_strdup(NOT_STATED)
           : cJSON_IsString(value) ? mem_strdup(value->valuestring)
                                   : json_print(value, false);
}

/* Takes the texts. */
static void add(const struct search *s, const char *name, char *base, char *new)
{
    struct differences *d = s->d;
    bool work = s->kind == DIFFERS_WORK;
    d->all = mem_grow(d->all, d->n, &d->cap, sizeof *d->all);
    struct difference *one = &d->all[d->n++];
    *one = (struct difference){s->kind, mem_strdup(name), base, new, false};
    one->flagged = !work && s->o->across_n > 0 && !asked_for(s->o, s->kind, name);
    d->work_n += work;
    d->flagged_n += one->flagged;
}

static bool is_passed_over(enum differ_kind kind, const char *name)
{
    for (size_t i = 0; i < sizeof passed_over / sizeof passed_over[0]; i++) {
        if (passed_over[i].kind == kind && strcmp(passed_over[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

static void walk(const struct search *s, const char *prefix, const cJSON *base, const cJSON *new);

static void member(const struct search *s, const char *prefix, const char *name, const cJSON *base,
                   const cJSON *new)
{
    char *path = mem_printf("%s%s%s", prefix, prefix[0] != '\0' ? "." : "", name);
    if (is_passed_over(s->kind, path)) {
        /* nothing */
    } else if (cJSON_IsObject(base) && cJSON_IsObject(new)) {
        walk(s, path, base, new);
    } else if ((base != NULL && new != NULL) || !s->both) {
        if (base == NULL || new == NULL || !cJSON_Compare(base, new, true)) {
            add(s, path, value_text(base), value_text(new));
        }
    }
    free(path);
}

static void walk(const struct search *s, const char *prefix, const cJSON *base, const cJSON *new)
{
    const cJSON *m;
    cJSON_ArrayForEach(m, base)
    {
        if (m->string != NULL && json_get(base, m->string) == m) {
            member(s, prefix, m->string, m, json_get(new, m->string));
        }
    }
    cJSON_ArrayForEach(m, new)
    {
        if (m->string != NULL && json_get(new, m->string) == m &&
            json_get(base, m->string) == NULL) {
            member(s, prefix, m->string, NULL, m);
        }
    }
}

/* How the server made the database of the first run that says so: the default shards of one version
 * are not those of the next. */
static const cJSON *cluster_of(const struct column *c)
{
    for (size_t i = 0; i < c->spec->runs_n; i++) {
        const cJSON *cluster = json_get(json_get(c->spec->runs[i].server_before, "db"), "cluster");
        if (cluster != NULL) {
            return cluster;
        }
    }
    return NULL;
}

static double round_trip(const struct column *c)
{
    return json_num(c->network, "round_trip_s", json_num(c->server, "round_trip_s", -1));
}

/* A measured figure always differs; a path is another one from twice the time, and 0.1 ms, on. */
static void round_trips(const struct search *s, const struct column *base, const struct column *new)
{
    char text[2][40];
    double a = round_trip(base), b = round_trip(new);
    if (a >= 0 && b >= 0 && fabs(a - b) > 1e-4 && (a > 2 * b || b > 2 * a)) {
        add(s, "round trip", mem_strdup(text_seconds(text[0], sizeof text[0], a)),
            mem_strdup(text_seconds(text[1], sizeof text[1], b)));
    }
}

static void find_work(const struct search *s, const struct column *base, const struct column *new)
{
    walk(s, "", base->spec->work, new->spec->work);
    if (s->d->work_n == 0 && !same_workload(base, new)) {
        add(s, "workload", mem_strdup(base->spec->workload), mem_strdup(new->spec->workload));
    }
}

void differences_find(struct differences *d, const struct column *base, const struct column *new,
                      const struct compare_options *o)
{
    const char *vendor = json_str(base->server, "vendor", "");
    bool same_vendor = strcmp(vendor, json_str(new->server, "vendor", "")) == 0;
    struct search s = {d, o, DIFFERS_WORK, false};
    *d = (struct differences){0};
    find_work(&s, base, new);
    if (d->work_n > 0) {
        return; /* then the rest does not matter, and half of it says the same */
    }
    s.kind = DIFFERS_SETTING;
    walk(&s, "", base->spec->settings, new->spec->settings);
    s.kind = DIFFERS_SERVER;
    s.both = !same_vendor; /* different products state different things */
    walk(&s, "", base->server, new->server);
    s.kind = DIFFERS_DATABASE;
    walk(&s, "", cluster_of(base), cluster_of(new));
    s.kind = DIFFERS_NETWORK;
    s.both = false;
    walk(&s, "", base->network, new->network);
    round_trips(&s, base, new);
    s.kind = DIFFERS_CLIENT;
    walk(&s, "", base->client, new->client);
}

void differences_free(struct differences *d)
{
    for (size_t i = 0; i < d->n; i++) {
        free(d->all[i].name);
        free(d->all[i].base);
        free(d->all[i].new);
    }
    free(d->all);
    *d = (struct differences){0};
}

bool same_work(const struct column *a, const struct column *b)
{
    struct differences d = {0};
    struct compare_options o = {0};
    struct search s = {&d, &o, DIFFERS_WORK, false};
    find_work(&s, a, b);
    bool same = d.n == 0;
    differences_free(&d);
    return same;
}
