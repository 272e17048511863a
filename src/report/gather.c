#include "report/gather.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buf.h"
#include "base/mem.h"
#include "base/text.h"

#define STRAIN_LOOKS 20 /* at the event loop's lag, before anything is concluded from it */

/* ---- steps ----------------------------------------------------------------------------------- */

static void add_note(struct step *s, const char *note)
{
    for (size_t i = 0; i < s->notes_n; i++) {
        if (strcmp(s->notes[i], note) == 0) {
            return;
        }
    }
    s->notes = mem_resize(s->notes, s->notes_n + 1, sizeof *s->notes);
    s->notes[s->notes_n++] = note;
}

static const char *unit_of(const struct phase_result *p)
{
    return p->item_unit != NULL && p->item_unit[0] != '\0' ? p->item_unit : "item";
}

static void add_run(struct step *s, const struct phase_result *p)
{
    s->runs++;
    counts_add(&s->requests, &p->requests);
    counts_add(&s->docs, &p->docs);
    s->streamed |= p->streamed;
    for (size_t i = 0; i < p->notes_n; i++) {
        add_note(s, p->notes[i]);
    }
    if (p->state != PHASE_OK) {
        size_t *tally = p->state == PHASE_FAILED    ? &s->failed
                        : p->state == PHASE_SKIPPED ? &s->skipped
                                                    : &s->partial;
        ++*tally;
        if (s->reason[0] == '\0' && p->reason != NULL) {
            s->reason = p->reason;
        }
        return;
    }
    if (s->n == 0) {
        s->items = p->items;
        s->payload_bytes = p->payload_bytes;
        s->unit = unit_of(p); /* a run before may have skipped the step, and said none */
    }
    s->per_item[s->n] = p->items > 0 ? p->wall_s / (double)p->items : 0;
    s->seconds[s->n++] = p->wall_s;
    if (p->wall_s > 0 && p->client_busy_s / p->wall_s > s->busy) {
        s->busy = p->client_busy_s / p->wall_s;
    }
}

static struct step *find_step(struct column *c, const char *name)
{
    for (size_t i = 0; i < c->steps_n; i++) {
        if (strcmp(c->steps[i].name, name) == 0) {
            return &c->steps[i];
        }
    }
    return NULL;
}

const struct step *column_step(const struct column *c, const char *name)
{
    for (size_t i = 0; i < c->steps_n; i++) {
        if (strcmp(c->steps[i].name, name) == 0) {
            return &c->steps[i];
        }
    }
    return NULL;
}

bool column_endless(const struct column *c)
{
    uint64_t n = 0;
    return (text_parse_duration(json_str(c->spec->settings, "duration", ""), &n, NULL) == 0 &&
            n > 0) ||
           (text_parse_u64(json_str(c->spec->settings, "requests", ""), &n, NULL) == 0 && n > 0);
}

const double *step_figures(const struct column *c, const struct step *s)
{
    return column_endless(c) ? s->per_item : s->seconds;
}

static void new_step(struct column *c, const struct phase_result *p)
{
    c->steps = mem_resize(c->steps, c->steps_n + 1, sizeof *c->steps);
    struct step *s = &c->steps[c->steps_n++];
    *s = (struct step){.name = p->name, .via = p->via != NULL ? p->via : "", .reason = ""};
    s->unit = unit_of(p);
    s->plain = p->title != NULL && p->title[0] != '\0' ? p->title : p->name;
    s->title = mem_strdup(s->plain);
    s->seconds = mem_zero(c->spec->runs_n, sizeof *s->seconds);
    s->per_item = mem_zero(c->spec->runs_n, sizeof *s->per_item);
}

/* "Query 1111 artists" by view and by Mango are two lines of a report that must differ. */
static void tell_titles_apart(struct column *c)
{
    for (size_t i = 0; i < c->steps_n; i++) {
        bool twin = false;
        for (size_t k = 0; k < c->steps_n && !twin; k++) {
            twin = k != i && strcmp(c->steps[k].plain, c->steps[i].plain) == 0;
        }
        if (twin) {
            const struct step *s = &c->steps[i];
            char *title = mem_printf("%s (%s)", s->plain, s->via[0] != '\0' ? s->via : s->name);
            free(c->steps[i].title);
            c->steps[i].title = title;
        }
    }
}

/* Where every run does another amount, that of the first says nothing of the others: the rate is
 * made from each run's own, and the amount is what that rate does in the median time. */
static void rate_of_all(struct step *s)
{
    stats_summarize(s->per_item, s->n, &s->per);
    if (s->n > 0 && s->items > 0 && s->per.median > 0) {
        double items = s->s.median / s->per.median;
        s->payload_bytes = (uint64_t)((double)s->payload_bytes / (double)s->items * items + 0.5);
        s->items = (uint64_t)(items + 0.5);
    }
}

static void gather_steps(struct column *c)
{
    for (size_t i = 0; i < c->spec->runs_n; i++) {
        const struct run_result *run = &c->spec->runs[i];
        c->runs += !run->warmup;
        c->warmups += run->warmup;
        c->partial |= run->partial && !run->warmup;
        for (size_t k = 0; !run->warmup && k < run->phases_n; k++) {
            const struct phase_result *p = &run->phases[k];
            if (result_phase(run, p->name) != p) {
                continue; /* a second one of the same name is in no statistic */
            }
            if (find_step(c, p->name) == NULL) {
                new_step(c, p);
            }
            add_run(find_step(c, p->name), p);
        }
    }
    for (size_t i = 0; i < c->steps_n; i++) {
        stats_summarize(c->steps[i].seconds, c->steps[i].n, &c->steps[i].s);
        if (column_endless(c)) {
            rate_of_all(&c->steps[i]);
        }
    }
    tell_titles_apart(c);
}

/* ---- labels ---------------------------------------------------------------------------------- */

void column_server(const struct column *c, char *out, size_t size)
{
    const char *vendor = json_str(c->server, "vendor", ""),
               *version = json_str(c->server, "version", "");
    snprintf(out, size, "%s%s%s", vendor[0] != '\0' ? vendor : "unknown server",
             version[0] != '\0' ? " " : "", version);
}

static const char *text_or(const char *s)
{
    return s != NULL ? s : "";
}

/* What a column may differ by. */
enum trait { BY_LABEL, BY_WORKLOAD, BY_SERVER, BY_URL, BY_NETWORK, BY_CLIENT, TRAITS };

static void trait_of(const struct column *c, enum trait t, char *out, size_t size)
{
    switch (t) {
    case BY_LABEL:
        snprintf(out, size, "%s", text_or(c->result->label));
        break;
    case BY_WORKLOAD:
        snprintf(out, size, "%s", text_or(c->spec->workload));
        break;
    case BY_SERVER:
        column_server(c, out, size);
        break;
    case BY_URL:
        snprintf(out, size, "%s", json_str(c->server, "url", text_or(c->spec->server)));
        break;
    case BY_NETWORK:
        snprintf(out, size, "%s", json_str(c->network, "name", text_or(c->spec->network)));
        break;
    case BY_CLIENT:
        snprintf(out, size, "%s", json_str(c->client, "host", text_or(c->spec->client)));
        break;
    case TRAITS:
        break;
    }
}

static bool differ_by(const struct view *v, enum trait t)
{
    char first[512], other[512];
    trait_of(&v->columns[0], t, first, sizeof first);
    for (size_t i = 1; i < v->n; i++) {
        trait_of(&v->columns[i], t, other, sizeof other);
        if (strcmp(first, other) != 0) {
            return true;
        }
    }
    return false;
}

static const char *setting_of(const struct column *c, const char *name)
{
    return json_str(c->spec->settings, name, "");
}

static bool differ_by_setting(const struct view *v, const char *name)
{
    const char *first = setting_of(&v->columns[0], name);
    for (size_t i = 1; i < v->n; i++) {
        if (strcmp(first, setting_of(&v->columns[i], name)) != 0) {
            return true;
        }
    }
    return false;
}

/* The names of the settings by which the columns differ, in the order in which they are found.
 * Settings are many and alike; looking at each name once keeps this linear in the columns. */
struct names {
    const char **all;
    size_t n, cap;
};

static bool names_have(const struct names *names, const char *name)
{
    for (size_t i = 0; i < names->n; i++) {
        if (strcmp(names->all[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void names_add(struct names *names, const char *name)
{
    names->all = mem_grow(names->all, names->n, &names->cap, sizeof(char *));
    names->all[names->n++] = name;
}

static void differing_settings(const struct view *v, struct names *differing)
{
    struct names seen = {NULL, 0, 0};
    for (size_t i = 0; i < v->n; i++) {
        const cJSON *setting;
        cJSON_ArrayForEach(setting, v->columns[i].spec->settings)
        {
            if (setting->string != NULL && !names_have(&seen, setting->string)) {
                names_add(&seen, setting->string);
                if (differ_by_setting(v, setting->string)) {
                    names_add(differing, setting->string);
                }
            }
        }
    }
    free(seen.all);
}

static void add_part(struct buf *label, const char *name, const char *value)
{
    buf_addf(label, "%s%s%s%s", label->len > 0 ? ", " : "", name, name[0] != '\0' ? "=" : "",
             value);
}

/* The values in which the columns differ; where there are none, the place in the list. */
static void label_columns(struct view *v)
{
    bool differ[TRAITS];
    struct names settings = {NULL, 0, 0};
    differing_settings(v, &settings);
    for (enum trait t = 0; t < TRAITS; t++) {
        differ[t] = differ_by(v, t);
    }
    differ[BY_URL] &= !differ[BY_SERVER]; /* the product says more than its address */
    for (size_t i = 0; i < v->n; i++) {
        struct column *c = &v->columns[i];
        struct buf label = BUF_INIT(BUF_TEXT_MAX);
        for (enum trait t = 0; t < TRAITS; t++) {
            char value[512];
            trait_of(c, t, value, sizeof value);
            if (differ[t] && value[0] != '\0') {
                add_part(&label, "", value);
            }
        }
        for (size_t k = 0; k < settings.n; k++) {
            const char *value = setting_of(c, settings.all[k]);
            if (value[0] != '\0') {
                add_part(&label, settings.all[k], value);
            }
        }
        if (label.len == 0 && v->n > 1) {
            buf_addf(&label, "%zu", i + 1);
        }
        c->label = buf_take(&label, NULL);
    }
    free(settings.all);
}

/* ---- the view -------------------------------------------------------------------------------- */

struct view *view_new(const struct result *const *results, size_t n)
{
    struct view *v = mem_zero(1, sizeof *v);
    for (size_t i = 0; i < n; i++) {
        const struct result *r = results[i];
        for (size_t k = 0; k < r->specs_n; k++) {
            v->columns = mem_resize(v->columns, v->n + 1, sizeof *v->columns);
            struct column *c = &v->columns[v->n++];
            *c = (struct column){.result = r, .spec = &r->specs[k]};
            c->server = json_get(r->servers, text_or(c->spec->server));
            c->client = json_get(r->clients, text_or(c->spec->client));
            c->network = json_get(r->networks, text_or(c->spec->network));
            gather_steps(c);
        }
    }
    if (v->n > 0) {
        label_columns(v);
    }
    return v;
}

void view_free(struct view *v)
{
    for (size_t i = 0; i < v->n; i++) {
        for (size_t k = 0; k < v->columns[i].steps_n; k++) {
            free(v->columns[i].steps[k].title);
            free(v->columns[i].steps[k].seconds);
            free(v->columns[i].steps[k].per_item);
            free(v->columns[i].steps[k].notes);
        }
        free(v->columns[i].steps);
        free(v->columns[i].label);
    }
    free(v->columns);
    free(v);
}

/* ---- series ---------------------------------------------------------------------------------- */

static const struct phase_result *counted(const struct run_result *run, const char *name)
{
    const struct phase_result *p = run->warmup ? NULL : result_phase(run, name);
    return p != NULL && (p->state == PHASE_OK || p->state == PHASE_PARTIAL) ? p : NULL;
}

const char *step_series_name(const struct column *c, const struct step *s, size_t i)
{
    for (size_t k = 0; k < c->spec->runs_n; k++) {
        const struct phase_result *p = counted(&c->spec->runs[k], s->name);
        if (p != NULL && i < p->series_n) {
            return p->series[i].name;
        }
    }
    return NULL;
}

static const struct series *find_series(const struct phase_result *p, const char *name)
{
    for (size_t i = 0; p != NULL && i < p->series_n; i++) {
        if (strcmp(p->series[i].name, name) == 0) {
            return &p->series[i];
        }
    }
    return NULL;
}

size_t step_series(const struct column *c, const struct step *s, const char *series, double **ms,
                   size_t *runs)
{
    size_t groups = 0;
    *runs = 0;
    for (size_t k = 0; k < c->spec->runs_n; k++) {
        const struct series *one = find_series(counted(&c->spec->runs[k], s->name), series);
        if (one != NULL) {
            ++*runs;
            groups = one->n > groups ? one->n : groups;
        }
    }
    *ms = mem_zero(groups, sizeof **ms);
    double *values = mem_zero(c->spec->runs_n, sizeof *values);
    for (size_t g = 0; g < groups; g++) {
        size_t n = 0;
        for (size_t k = 0; k < c->spec->runs_n; k++) {
            const struct series *one = find_series(counted(&c->spec->runs[k], s->name), series);
            if (one != NULL && g < one->n && isfinite(one->ms[g])) {
                values[n++] = one->ms[g];
            }
        }
        (*ms)[g] = stats_median(values, n);
    }
    free(values);
    return groups;
}

static struct hist *merged(const struct column *c, const struct step *s, bool response)
{
    struct hist *all = NULL;
    for (size_t k = 0; k < c->spec->runs_n; k++) {
        const struct phase_result *p = counted(&c->spec->runs[k], s->name);
        const struct hist *h = p == NULL ? NULL : response ? p->response : p->latency;
        if (h != NULL && p->state == PHASE_OK && hist_count(h) > 0) {
            all = all != NULL ? all : hist_new();
            hist_merge(all, h);
        }
    }
    return all;
}

struct hist *step_latency(const struct column *c, const struct step *s)
{
    return merged(c, s, false);
}

struct hist *step_response(const struct column *c, const struct step *s)
{
    return merged(c, s, true);
}

struct strain_seen step_strain(const struct column *c, const struct step *s)
{
    struct strain_seen seen = {0, 0, 0};
    for (size_t k = 0; k < c->spec->runs_n; k++) {
        const struct phase_result *p = counted(&c->spec->runs[k], s->name);
        if (p == NULL || p->state != PHASE_OK || !(p->wall_s > 0)) {
            continue;
        }
        double cpu = p->client_cpu_s / p->wall_s;
        seen.cpu = cpu > seen.cpu ? cpu : seen.cpu;
        double median = p->latency != NULL ? (double)hist_percentile(p->latency, 50) / 1e9 : 0;
        if (p->loop_lag.count >= STRAIN_LOOKS && median > 0 &&
            (!(seen.median_s > 0) || p->loop_lag.mean_s / median > seen.lag_s / seen.median_s)) {
            seen.lag_s = p->loop_lag.mean_s;
            seen.median_s = median;
        }
    }
    return seen;
}

const struct phase_result *step_last(const struct column *c, const struct step *s)
{
    const struct phase_result *last = NULL;
    for (size_t k = 0; k < c->spec->runs_n; k++) {
        const struct phase_result *p = counted(&c->spec->runs[k], s->name);
        last = p != NULL && p->state == PHASE_OK ? p : last;
    }
    return last;
}
