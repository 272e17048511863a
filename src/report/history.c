#include "report/history.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/gather.h"
#include "report/parts.h"

struct history *history_new(void)
{
    return mem_zero(1, sizeof(struct history));
}

static void track_free(struct history_track *t)
{
    for (size_t i = 0; i < t->nights_n; i++) {
        free(t->nights[i].label);
        free(t->nights[i].server);
        free(t->nights[i].tool);
        cJSON_Delete(t->nights[i].settings);
        free(t->nights[i].points);
    }
    for (size_t i = 0; i < t->lines_n; i++) {
        free(t->lines[i].name);
        free(t->lines[i].title);
        free(t->lines[i].changes);
    }
    free(t->nights);
    free(t->lines);
    free(t->key);
    free(t->title);
    free(t->work);
}

void history_free(struct history *h)
{
    for (size_t i = 0; h != NULL && i < h->tracks_n; i++) {
        track_free(&h->tracks[i]);
    }
    if (h != NULL) {
        free(h->tracks);
        free(h);
    }
}

/* ---- taking results in ----------------------------------------------------------------------- */

static const char *text_or(const char *s)
{
    return s != NULL ? s : "";
}

static char *work_words(const struct column *c)
{
    const cJSON *data = json_get(c->spec->work, "data");
    double docs = json_num(data, "docs", -1);
    char number[40];
    const char *name = json_str(data, "name", "");
    if (name[0] == '\0' || docs < 0 || docs > 0x1p53) {
        return mem_strdup(name[0] != '\0' ? name : json_str(c->spec->work, "summary", ""));
    }
    return mem_printf("%s, %s docs", name, text_grouped(number, sizeof number, (uint64_t)docs));
}

static struct history_track *track_of(struct history *h, const struct column *c)
{
    const struct spec_result *s = c->spec;
    char *work = s->work != NULL ? json_print(s->work, false) : mem_strdup("");
    char *key = mem_printf("%s\n%s\n%s\n%s\n%s\n%s", text_or(s->workload), text_or(s->name),
                           text_or(s->server), text_or(s->network), text_or(s->client), work);
    free(work);
    for (size_t i = 0; i < h->tracks_n; i++) {
        if (strcmp(h->tracks[i].key, key) == 0) {
            free(key);
            return &h->tracks[i];
        }
    }
    h->tracks = mem_grow(h->tracks, h->tracks_n, &h->tracks_cap, sizeof *h->tracks);
    struct history_track *t = &h->tracks[h->tracks_n++];
    bool direct = s->network == NULL || strcmp(s->network, "direct") == 0,
         local = s->client == NULL || strcmp(s->client, "local") == 0;
    *t = (struct history_track){.key = key, .work = work_words(c)};
    t->title = mem_printf("%s on %s%s%s%s%s", text_or(s->name),
                          s->server != NULL ? s->server : "unknown server", direct ? "" : ", ",
                          direct ? "" : s->network, local ? "" : ", from ", local ? "" : s->client);
    return t;
}

static size_t line_of(struct history_track *t, const struct step *s)
{
    for (size_t i = 0; i < t->lines_n; i++) {
        if (strcmp(t->lines[i].name, s->name) == 0) {
            return i;
        }
    }
    t->lines = mem_grow(t->lines, t->lines_n, &t->lines_cap, sizeof *t->lines);
    t->lines[t->lines_n] =
        (struct history_line){.name = mem_strdup(s->name), .title = mem_strdup(s->title)};
    return t->lines_n++;
}

static void add_column(struct history *h, const struct column *c)
{
    char server[512];
    struct history_track *t = track_of(h, c);
    t->nights = mem_grow(t->nights, t->nights_n, &t->nights_cap, sizeof *t->nights);
    struct history_night *night = &t->nights[t->nights_n++];
    column_server(c, server, sizeof server);
    *night = (struct history_night){.at_ns = c->result->started_ns,
                                    .label = mem_strdup(text_or(c->result->label)),
                                    .server = mem_strdup(c->server != NULL ? server : ""),
                                    .tool = mem_strdup(text_or(c->result->tool)),
                                    .settings = cJSON_Duplicate(c->spec->settings, true)};
    for (size_t i = 0; i < c->steps_n; i++) {
        line_of(t, &c->steps[i]);
    }
    night->points_n = t->lines_n;
    night->points = mem_zero(t->lines_n, sizeof *night->points);
    for (size_t i = 0; i < c->steps_n; i++) {
        const struct step *s = &c->steps[i];
        const struct stats_summary *m = &s->s;
        night->points[line_of(t, s)] =
            (struct history_point){.n = s->n,
                                   .median = m->median,
                                   .low = m->has_ci ? m->ci_low : m->min,
                                   .high = m->has_ci ? m->ci_high : m->max,
                                   .state = step_state_word(s)};
    }
}

void history_add(struct history *h, const struct result *r)
{
    struct view *v = view_new(&r, 1);
    for (size_t i = 0; i < v->n; i++) {
        add_column(h, &v->columns[i]);
    }
    h->results++;
    view_free(v);
}

const struct history_point *history_point(const struct history_night *night, size_t line)
{
    return line < night->points_n && night->points[line].state != NULL ? &night->points[line]
                                                                       : NULL;
}

/* ---- judging --------------------------------------------------------------------------------- */

static int by_time(const void *a, const void *b)
{
    int64_t x = ((const struct history_night *)a)->at_ns,
            y = ((const struct history_night *)b)->at_ns;
    return (x > y) - (x < y);
}

/* The figures of a line in order, and the night that each is of. Returns how many. */
static size_t figures_of(const struct history_track *t, size_t line, double *x, size_t *nights)
{
    size_t n = 0;
    for (size_t i = 0; i < t->nights_n; i++) {
        const struct history_point *p = history_point(&t->nights[i], line);
        if (p != NULL && p->n > 0) {
            nights[n] = i;
            x[n++] = p->median;
        }
    }
    return n;
}

static void judge_line(struct history_track *t, size_t line, double alpha, uint64_t seed)
{
    struct history_line *l = &t->lines[line];
    double *x = mem_zero(t->nights_n, sizeof *x);
    size_t *nights = mem_zero(t->nights_n, sizeof *nights), n = figures_of(t, line, x, nights);
    l->changes = mem_zero(t->nights_n, sizeof *l->changes);
    l->changes_n = stats_changes(x, n, alpha, seed, l->changes);
    for (size_t i = 0; i < l->changes_n; i++) {
        l->changes[i].at = nights[l->changes[i].at];
    }
    free(x);
    free(nights);
}

void history_judge(struct history *h, double alpha, uint64_t seed)
{
    size_t lines = 0;
    for (size_t i = 0; i < h->tracks_n; i++) {
        lines += h->tracks[i].lines_n;
    }
    h->alpha = alpha;
    h->line_alpha = lines > 0 ? alpha / (double)lines : alpha;
    for (size_t i = 0; i < h->tracks_n; i++) {
        struct history_track *t = &h->tracks[i];
        qsort(t->nights, t->nights_n, sizeof *t->nights, by_time);
        for (size_t k = 0; k < t->lines_n; k++) {
            judge_line(t, k, h->line_alpha, seed);
        }
    }
}
