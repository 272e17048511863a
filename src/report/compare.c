#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/parts.h"

/* ---- phases ---------------------------------------------------------------------------------- */

static const char *reason_of(const struct step *s)
{
    return s->reason[0] != '\0' ? s->reason : "no reason given";
}

/* Why a phase cannot be compared, NULL if it can. The caller frees. */
static char *why_not(const struct step *base, const struct step *new, bool per_item)
{
    if (base == NULL || new == NULL) {
        return mem_printf("not in %s", base == NULL ? "base" : "new");
    }
    if (base->n == 0 && new->n == 0) {
        const char *a = step_state_word(base), *b = step_state_word(new);
        return strcmp(a, b) == 0 && strcmp(reason_of(base), reason_of(new)) == 0
                   ? mem_printf("%s in both: %s", a, reason_of(base))
                   : mem_printf("%s in base: %s; %s in new: %s", a, reason_of(base), b,
                                reason_of(new));
    }
    if (base->n == 0 || new->n == 0) {
        const struct step *bad = base->n == 0 ? base : new;
        return mem_printf("%s in %s: %s", step_state_word(bad), bad == base ? "base" : "new",
                          reason_of(bad));
    }
    if (!per_item && base->items != new->items) {
        char a[32], b[32];
        return mem_printf("not the same work: %s %ss in base, %s in new",
                          text_grouped(a, sizeof a, base->items), base->unit,
                          text_grouped(b, sizeof b, new->items));
    }
    return NULL;
}

/* False where a figure has no logarithm. */
static bool take_figures(const struct matched *m, const struct step *s, const double **x,
                         double *median)
{
    *x = m->per_item ? s->per_item : s->seconds;
    *median = stats_median(*x, s->n);
    for (size_t i = 0; i < s->n; i++) {
        if (!((*x)[i] > 0)) {
            return false;
        }
    }
    return true;
}

static void add_phase(struct comparison *c, const struct step *base, const struct step *new)
{
    c->phases = mem_resize(c->phases, c->n + 1, sizeof *c->phases);
    struct matched *m = &c->phases[c->n++];
    *m = (struct matched){.base = base, .new = new};
    m->per_item = column_endless(c->base) || column_endless(c->new);
    m->why_not = c->differences.work_n > 0 ? mem_strdup("the work differs")
                                           : why_not(base, new, m->per_item);
    if (m->why_not == NULL && base != NULL && new != NULL &&
        !(take_figures(m, base, &m->base_x, &m->base_median) &&
          take_figures(m, new, &m->new_x, &m->new_median))) {
        m->why_not = mem_strdup("a run that took no time, or did nothing");
    }
    m->lost = base != NULL && base->n > 0 &&
              (new == NULL || (new->n == 0 && new->failed + new->partial > 0));
    c->compared += m->why_not == NULL;
    c->lost += m->lost;
}

/* Those of base in its order, then what only new has. */
static void match_phases(struct comparison *c)
{
    for (size_t i = 0; i < c->base->steps_n; i++) {
        const struct step *s = &c->base->steps[i];
        add_phase(c, s, column_step(c->new, s->name));
    }
    for (size_t i = 0; i < c->new->steps_n; i++) {
        const struct step *s = &c->new->steps[i];
        if (column_step(c->base, s->name) == NULL) {
            add_phase(c, NULL, s);
        }
    }
}

static void judge_phases(struct comparison *c, const struct compare_options *o)
{
    if (c->compared == 0) {
        c->score = NAN;
        return;
    }
    struct stats_pair *pairs = mem_zero(c->compared, sizeof *pairs);
    struct stats_comparison *out = mem_zero(c->compared, sizeof *out);
    double logs = 0;
    size_t k = 0;
    for (size_t i = 0; i < c->n; i++) {
        const struct matched *m = &c->phases[i];
        if (m->why_not == NULL) {
            pairs[k++] = (struct stats_pair){m->base_x, m->new_x, m->base->n, m->new->n};
            logs += log(m->new_median) - log(m->base_median);
        }
    }
    stats_compare(pairs, c->compared, o->alpha, o->equal_within, out);
    for (size_t i = 0, j = 0; i < c->n; i++) {
        struct matched *m = &c->phases[i];
        if (m->why_not == NULL) {
            m->c = out[j++];
            m->beyond = o->fail_above > 0 && m->c.verdict == VERDICT_SLOWER &&
                        m->c.ratio > 1 + o->fail_above;
            c->beyond += m->beyond;
        }
    }
    c->score = exp(logs / (double)c->compared);
    free(pairs);
    free(out);
}

size_t compare_runs_needed(size_t m, double alpha)
{
    double p = 2; /* two-sided, of all of one side below all of the other: 2 / C(2n, n) */
    size_t n = 0;
    while (p * (double)(m > 0 ? m : 1) > alpha * (1 + 1e-9)) {
        n++;
        p *= (double)n / (2 * (2 * (double)n - 1)); /* C(2n-2, n-1) / C(2n, n) */
    }
    return n;
}

/* ---- pairs of specs -------------------------------------------------------------------------- */

/* The columns of one input. */
struct side {
    const char *name;
    const struct column *columns;
    size_t n;
};

/* What specs are told apart by. */
struct axes {
    const char **names; /* of settings, or one of `places` */
    size_t n, cap;
};

static const char *const places[] = {"server", "network", "client"};
enum { PLACES = sizeof places / sizeof places[0] };

/* A place has precedence over a setting of its name: none has one. */
static const char *value_of(const struct column *c, const char *axis)
{
    const char *const keys[PLACES] = {c->spec->server, c->spec->network, c->spec->client};
    for (size_t i = 0; i < PLACES; i++) {
        if (strcmp(axis, places[i]) == 0) {
            return keys[i] != NULL ? keys[i] : "";
        }
    }
    return json_str(c->spec->settings, axis, "");
}

static void add_axis(struct axes *axes, const char *name, const struct compare_options *o)
{
    for (size_t i = 0; i < axes->n; i++) {
        if (strcmp(axes->names[i], name) == 0) {
            return;
        }
    }
    if (!compare_across(o, name) && strcmp(name, "runs") != 0 && strcmp(name, "keep") != 0) {
        axes->names = mem_grow(axes->names, axes->n, &axes->cap, sizeof *axes->names);
        axes->names[axes->n++] = name;
    }
}

/* What those specs of a side differ by that have the workload of `like`. */
static void find_axes(struct axes *axes, const struct side *side, const struct column *like,
                      const struct compare_options *o)
{
    const struct column *first = NULL;
    for (size_t i = 0; i < side->n; i++) {
        const struct column *c = &side->columns[i];
        const cJSON *setting;
        if (!same_workload(c, like)) {
            continue;
        }
        first = first == NULL ? c : first;
        for (size_t k = 0; k < PLACES; k++) {
            if (strcmp(value_of(c, places[k]), value_of(first, places[k])) != 0) {
                add_axis(axes, places[k], o);
            }
        }
        cJSON_ArrayForEach(setting, c->spec->settings)
        {
            if (setting->string != NULL &&
                strcmp(value_of(c, setting->string), value_of(first, setting->string)) != 0) {
                add_axis(axes, setting->string, o);
            }
        }
    }
}

static bool agree(const struct axes *axes, const struct column *a, const struct column *b)
{
    for (size_t i = 0; i < axes->n; i++) {
        if (strcmp(value_of(a, axes->names[i]), value_of(b, axes->names[i])) != 0) {
            return false;
        }
    }
    return same_workload(a, b);
}

/* The first spec of `base` that is the counterpart of `c`. */
static const struct column *counterpart(const struct side *base, const struct side *side,
                                        const struct column *c, const struct compare_options *o)
{
    struct axes axes = {NULL, 0, 0};
    const struct column *found = NULL;
    if (base->n == 1 && side->n == 1) {
        return base->columns; /* whatever they are: their work is looked at next */
    }
    find_axes(&axes, base, c, o);
    find_axes(&axes, side, c, o);
    for (size_t i = 0; i < base->n && found == NULL; i++) {
        found = agree(&axes, &base->columns[i], c) ? &base->columns[i] : NULL;
    }
    free(axes.names);
    return found;
}

/* "new.json", or with its spec where the file has several; the spec alone where there is but one
 * file. */
static char *name_of(const struct side *side, const struct column *c, bool one_file)
{
    const char *spec = c->spec->name; /* NOLINT(clang-analyzer-core.NullDereference): of an array */
    return one_file       ? mem_strdup(spec)
           : side->n == 1 ? mem_strdup(side->name)
                          : mem_printf("%s: %s", side->name, spec);
}

static void add_comparison(struct compare *all, const struct side *base_side,
                           const struct column *base, const struct side *new_side,
                           const struct column *new)
{
    all->all = mem_resize(all->all, all->n + 1, sizeof *all->all);
    struct comparison *c = &all->all[all->n++];
    *c = (struct comparison){.base = base, .new = new};
    c->base_name = name_of(base_side, base, base_side == new_side);
    c->new_name = name_of(new_side, new, base_side == new_side);
    differences_find(&c->differences, base, new, &all->options);
    match_phases(c);
    judge_phases(c, &all->options);
}

static void add_unmatched(struct compare *all, const struct side *side, const struct column *c)
{
    all->unmatched = mem_resize(all->unmatched, all->unmatched_n + 1, sizeof(char *));
    all->unmatched[all->unmatched_n++] = name_of(side, c, false);
}

static bool is_base(const struct compare *all, const struct column *c)
{
    for (size_t i = 0; i < all->n; i++) {
        if (all->all[i].base == c) {
            return true;
        }
    }
    return false;
}

/* Within one file, a spec is a base if none before it is its counterpart. */
static void match_sides(struct compare *all, const struct side *sides, size_t n)
{
    const struct side *base = &sides[0];
    for (size_t s = n > 1 ? 1 : 0; s < n; s++) {
        for (size_t i = 0; i < sides[s].n; i++) {
            const struct column *c = &sides[s].columns[i],
                                *found = counterpart(base, &sides[s], c, &all->options);
            if (found == NULL) {
                add_unmatched(all, &sides[s], c);
            } else if (found != c) {
                add_comparison(all, base, found, &sides[s], c);
            }
        }
    }
    for (size_t i = 0; i < base->n; i++) {
        const struct column *c = &base->columns[i];
        if (!is_base(all, c) && (n > 1 || counterpart(base, base, c, &all->options) == c)) {
            add_unmatched(all, base, c);
        }
    }
}

/* ---- the whole ------------------------------------------------------------------------------- */

/* A name that no spec has is a slip of the fingers. */
static int check_across(const struct view *v, const struct compare_options *o, struct err *err)
{
    for (size_t i = 0; i < o->across_n; i++) {
        const char *names[200] = {places[0], places[1], places[2]};
        size_t n = PLACES;
        bool known = false;
        const cJSON *setting, *settings = v->n > 0 ? v->columns[0].spec->settings : NULL;
        for (size_t k = 0; k < v->n; k++) {
            known |= json_get(v->columns[k].spec->settings, o->across[i]) != NULL;
        }
        cJSON_ArrayForEach(setting, settings)
        {
            if (setting->string != NULL && n + 1 < sizeof names / sizeof names[0]) {
                names[n++] = setting->string;
            }
        }
        for (size_t k = 0; k < PLACES; k++) {
            known |= strcmp(o->across[i], places[k]) == 0;
        }
        if (!known) {
            const char *near = text_nearest(o->across[i], names);
            return err_set(err, ERR_USAGE, "--across: no spec has a setting \"%s\"%s%s%s",
                           o->across[i], near != NULL ? "; did you mean \"" : "",
                           near != NULL ? near : "", near != NULL ? "\"?" : "");
        }
    }
    return 0;
}

static int nothing_matches(const struct side *sides, size_t n, const struct compare_options *o,
                           struct err *err)
{
    struct axes axes = {NULL, 0, 0};
    struct buf names = BUF_INIT(BUF_TEXT_MAX);
    int rc;
    for (size_t s = 0; s < n; s++) {
        for (size_t i = 0; i < sides[s].n; i++) {
            find_axes(&axes, &sides[s], &sides[s].columns[i], o);
        }
    }
    for (size_t i = 0; i < axes.n; i++) {
        buf_addf(&names, "%s%s", i > 0 ? ", " : "", axes.names[i]);
    }
    if (n == 1) {
        rc = err_set(err, ERR_USAGE, "%s: no two specs agree but in what --across names%s%s",
                     sides[0].name, axes.n > 0 ? "; they differ by " : "", buf_text(&names));
    } else {
        rc = err_set(
            err, ERR_USAGE,
            "no spec agrees with one of %s in all of: workload%s%s (--across leaves some out)",
            sides[0].name, axes.n > 0 ? ", " : "", buf_text(&names));
    }
    buf_free(&names);
    free(axes.names);
    return rc;
}

/* The last part of a path, unless another input would then be called the same. */
static const char *short_name(const struct compare_input *inputs, size_t n, size_t i)
{
    const char *slash = strrchr(inputs[i].name, '/');
    const char *name = slash != NULL ? slash + 1 : inputs[i].name;
    for (size_t k = 0; k < n; k++) {
        const char *other = strrchr(inputs[k].name, '/');
        other = other != NULL ? other + 1 : inputs[k].name;
        if (strcmp(name, other) == 0 && strcmp(inputs[i].name, inputs[k].name) != 0) {
            return inputs[i].name;
        }
    }
    return name;
}

struct compare *compare_new(const struct compare_input *inputs, size_t n,
                            const struct compare_options *o, struct err *err)
{
    struct compare *c = mem_zero(1, sizeof *c);
    const struct result **results = mem_zero(n, sizeof *results);
    struct side *sides = mem_zero(n, sizeof *sides);
    int rc;
    for (size_t i = 0; i < n; i++) {
        results[i] = inputs[i].result;
    }
    c->view = view_new(results, n);
    c->options = *o;
    for (size_t i = 0, at = 0; i < n; i++) {
        sides[i] =
            (struct side){short_name(inputs, n, i), c->view->columns + at, results[i]->specs_n};
        at += results[i]->specs_n;
    }
    rc = check_across(c->view, o, err);
    if (rc == 0) {
        match_sides(c, sides, n);
        rc = c->n > 0 ? 0 : nothing_matches(sides, n, o, err);
    }
    free(results);
    free(sides);
    if (rc < 0) {
        compare_free(c);
        return NULL;
    }
    return c;
}

void compare_free(struct compare *c)
{
    if (c == NULL) {
        return;
    }
    for (size_t i = 0; i < c->n; i++) {
        struct comparison *one = &c->all[i];
        for (size_t k = 0; k < one->n; k++) {
            free(one->phases[k].why_not);
        }
        free(one->phases);
        free(one->base_name);
        free(one->new_name);
        differences_free(&one->differences);
    }
    for (size_t i = 0; i < c->unmatched_n; i++) {
        free(c->unmatched[i]);
    }
    free(c->unmatched);
    free(c->all);
    view_free(c->view);
    free(c);
}

/* ---- the exit code --------------------------------------------------------------------------- */

static const char *title_of(const struct matched *m)
{
    return m->base != NULL ? m->base->title : m->new->title;
}

static int work_differs(const struct comparison *c, struct err *err)
{
    struct buf names = BUF_INIT(BUF_TEXT_MAX);
    for (size_t i = 0; i < c->differences.n; i++) {
        const struct difference *d = &c->differences.all[i];
        buf_addf(&names, "%s%s (%.60s; %.60s)", i > 0 ? ", " : "", d->name, d->base, d->new);
    }
    err_set(err, ERR_USAGE, "%s and %s cannot be compared: their work differs in %s", c->base_name,
            c->new_name, buf_text(&names));
    buf_free(&names);
    return -1;
}

static int limit_passed(const struct compare *all, struct err *err)
{
    struct buf names = BUF_INIT(BUF_TEXT_MAX);
    for (size_t i = 0; i < all->n; i++) {
        const struct comparison *c = &all->all[i];
        for (size_t k = 0; k < c->n; k++) {
            if (c->phases[k].beyond) {
                buf_addf(&names, "%s%s%s%s %.2f x", names.len > 0 ? ", " : "",
                         all->n > 1 ? c->new_name : "", all->n > 1 ? ": " : "",
                         title_of(&c->phases[k]), c->phases[k].c.ratio);
            }
        }
    }
    err_set(err, ERR_REGRESSION, "slower by more than %g %%: %s the time of base",
            all->options.fail_above * 100, buf_text(&names));
    buf_free(&names);
    return -1;
}

/* A phase that fails now is no regression of its time, and nothing that a limit could pass. */
static int phase_lost(const struct comparison *c, struct err *err)
{
    for (size_t k = 0; k < c->n; k++) {
        if (c->phases[k].lost) {
            return err_set(err, ERR_STEP, "%s: %s was measured in base: %s", c->new_name,
                           title_of(&c->phases[k]), c->phases[k].why_not);
        }
    }
    return 0;
}

int compare_judge(const struct compare *c, struct err *err)
{
    size_t compared = 0, beyond = 0;
    for (size_t i = 0; i < c->n; i++) {
        if (c->all[i].differences.work_n > 0) {
            return work_differs(&c->all[i], err);
        }
        compared += c->all[i].compared;
        beyond += c->all[i].beyond;
    }
    if (beyond > 0) {
        return limit_passed(c, err);
    }
    if (compared == 0) {
        return err_set(err, ERR_STEP, "no phase could be compared");
    }
    for (size_t i = 0; i < c->n && c->options.fail_above > 0; i++) {
        if (phase_lost(&c->all[i], err) < 0) {
            return -1;
        }
    }
    return 0;
}
