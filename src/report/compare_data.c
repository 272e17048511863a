/* compare_data: comparisons for other programs: a row a phase (CSV), or everything (JSON). */
#include "report/compare.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "report/table.h"

/* Verdicts as words that stay the same. */
static const char *verdict_name(const struct matched *m)
{
    static const char *const names[] = {
        [VERDICT_NONE] = "none",
        [VERDICT_FASTER] = "faster",
        [VERDICT_SLOWER] = "slower",
        [VERDICT_EQUAL] = "equal",
        [VERDICT_NO_DIFFERENCE] = "no difference found",
        [VERDICT_TOO_FEW] = "too few runs",
    };
    return m->why_not != NULL ? "not compared" : names[m->c.verdict];
}

static const struct step *either(const struct matched *m)
{
    return m->base != NULL ? m->base : m->new;
}

/* ---- CSV ------------------------------------------------------------------------------------- */

static void text_field(struct buf *out, const char *text)
{
    put_csv(out, text);
    buf_addc(out, ',');
}

static void number_field(struct buf *out, double value)
{
    if (isfinite(value)) {
        buf_addf(out, "%.15g", value);
    }
    buf_addc(out, ',');
}

static void csv_row(struct buf *out, const struct comparison *c, const struct matched *m)
{
    bool compared = m->why_not == NULL;
    text_field(out, c->base_name);
    text_field(out, c->new_name);
    text_field(out, c->base->spec->workload);
    text_field(out, either(m)->name);
    text_field(out, either(m)->via);
    buf_addf(out, "%zu,%zu,", m->base != NULL ? m->base->n : 0, m->new != NULL ? m->new->n : 0);
    number_field(out, m->base != NULL ? m->base->s.median : NAN);
    number_field(out, m->new != NULL ? m->new->s.median : NAN);
    text_field(out, !compared ? "" : m->per_item ? "seconds an item" : "seconds");
    number_field(out, compared ? m->c.ratio : NAN);
    number_field(out, compared && m->c.has_interval ? m->c.low : NAN);
    number_field(out, compared && m->c.has_interval ? m->c.high : NAN);
    number_field(out, compared ? m->c.p : NAN);
    number_field(out, compared ? m->c.p_holm : NAN);
    text_field(out, verdict_name(m));
    put_csv(out, compared ? "" : m->why_not);
    buf_addc(out, '\n');
}

void compare_csv(const struct compare *c, struct buf *out)
{
    buf_adds(out, "base,new,workload,phase,via,base_runs,new_runs,base_median_s,new_median_s,"
                  "of,new_by_base,low,high,p,p_holm,verdict,reason\n");
    for (size_t i = 0; i < c->n; i++) {
        for (size_t k = 0; k < c->all[i].n; k++) {
            csv_row(out, &c->all[i], &c->all[i].phases[k]);
        }
    }
}

/* ---- JSON ------------------------------------------------------------------------------------ */

static void add_finite(cJSON *o, const char *name, double value)
{
    if (isfinite(value)) {
        json_add_num(o, name, value);
    }
}

static cJSON *side_json(const char *name, const struct column *c)
{
    char server[512];
    cJSON *o = json_object();
    column_server(c, server, sizeof server);
    json_add_str(o, "name", name);
    json_add_str(o, "label", c->result->label);
    json_add_str(o, "spec", c->spec->name);
    json_add_str(o, "workload", c->spec->workload);
    json_add_str(o, "server", server);
    json_add_u64(o, "runs", c->runs);
    return o;
}

static cJSON *phase_json(const struct matched *m)
{
    cJSON *o = json_object();
    json_add_str(o, "name", either(m)->name);
    json_add_str(o, "title", either(m)->title);
    json_add_str(o, "verdict", verdict_name(m));
    json_add_str(o, "reason", m->why_not);
    json_add_u64(o, "base_runs", m->base != NULL ? m->base->n : 0);
    json_add_u64(o, "new_runs", m->new != NULL ? m->new->n : 0);
    add_finite(o, "base_median_s", m->base != NULL ? m->base->s.median : NAN);
    add_finite(o, "new_median_s", m->new != NULL ? m->new->s.median : NAN);
    if (m->why_not == NULL) {
        json_add_str(o, "of", m->per_item ? "seconds an item" : "seconds");
        json_add_num(o, "new_by_base", m->c.ratio);
        if (m->c.has_interval) {
            json_add_num(o, "low", m->c.low);
            json_add_num(o, "high", m->c.high);
            json_add_num(o, "level", m->c.level);
        }
        json_add_num(o, "p", m->c.p);
        json_add_num(o, "p_holm", m->c.p_holm);
        json_add_bool(o, "beyond_limit", m->beyond);
    }
    return o;
}

static cJSON *difference_json(const struct difference *d)
{
    cJSON *o = json_object();
    json_add_str(o, "of", differ_word(d->kind));
    json_add_str(o, "name", d->name);
    json_add_str(o, "base", d->base);
    json_add_str(o, "new", d->new);
    json_add_bool(o, "flagged", d->flagged);
    return o;
}

static cJSON *comparison_json(const struct comparison *c)
{
    cJSON *o = json_object(), *list;
    json_add(o, "base", side_json(c->base_name, c->base));
    json_add(o, "new", side_json(c->new_name, c->new));
    json_add_bool(o, "work_agrees", c->differences.work_n == 0);
    list = json_add(o, "differences", json_array());
    for (size_t i = 0; i < c->differences.n; i++) {
        json_append(list, difference_json(&c->differences.all[i]));
    }
    if (c->compared > 0) {
        cJSON *score = json_add(o, "score", json_object());
        json_add_num(score, "new_by_base", c->score);
        json_add_u64(score, "phases", c->compared);
    }
    list = json_add(o, "phases", json_array());
    for (size_t i = 0; i < c->n; i++) {
        json_append(list, phase_json(&c->phases[i]));
    }
    return o;
}

void compare_json(const struct compare *c, struct buf *out)
{
    cJSON *o = json_object(), *list;
    json_add_str(o, "document", "comparison");
    json_add_num(o, "alpha", c->options.alpha);
    json_add_num(o, "equal_within", c->options.equal_within);
    if (c->options.fail_above > 0) {
        json_add_num(o, "fail_above", c->options.fail_above);
    }
    list = json_add(o, "across", json_array());
    for (size_t i = 0; i < c->options.across_n; i++) {
        json_append(list, mem_checked(cJSON_CreateString(c->options.across[i])));
    }
    list = json_add(o, "comparisons", json_array());
    for (size_t i = 0; i < c->n; i++) {
        json_append(list, comparison_json(&c->all[i]));
    }
    list = json_add(o, "unmatched", json_array());
    for (size_t i = 0; i < c->unmatched_n; i++) {
        json_append(list, mem_checked(cJSON_CreateString(c->unmatched[i])));
    }
    char *text = json_print(o, true);
    buf_adds(out, text);
    buf_addc(out, '\n');
    free(text);
    cJSON_Delete(o);
}
