#include "bench/plan.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "bench/workload.h"

size_t plan_tables(struct option_table *out, size_t max)
{
    size_t n = 0;
    out[n++] = (struct option_table){"What is measured, and how", spec_options, NULL};
    for (size_t i = 0; workloads[i] != NULL && n < max; i++) {
        out[n++] = (struct option_table){workloads[i]->summary, workloads[i]->options, NULL};
    }
    return n;
}

/* One option of several values. */
struct axis {
    const struct opt *option;
    size_t table; /* 0: common; else workload table - 1 */
    char **values;
    size_t n, at;
};

struct axes {
    struct axis *axis;
    size_t n, cap;
};

static void axes_free(struct axes *a)
{
    for (size_t i = 0; i < a->n; i++) {
        free(a->axis[i].values);
    }
    free(a->axis);
}

/* The next combination, the last axis fastest; false after the last one. */
static bool axes_next(struct axes *a)
{
    for (size_t i = a->n; i-- > 0;) {
        if (++a->axis[i].at < a->axis[i].n) {
            return true;
        }
        a->axis[i].at = 0;
    }
    return false;
}

/* A later value of the same option replaces an earlier one: only the last is an axis. */
static bool is_last(const struct option_list *list, size_t i)
{
    for (size_t j = i + 1; j < list->n; j++) {
        if (list->given[j].option == list->given[i].option) {
            return false;
        }
    }
    return true;
}

static int axes_find(struct axes *a, const struct option_list *list, size_t first, size_t tables,
                     struct err *err)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct option_given *g = &list->given[i];
        if (g->table < first || g->table >= first + tables || !(g->option->flags & OPT_AXIS) ||
            strchr(g->text, ',') == NULL || !is_last(list, i)) {
            continue;
        }
        a->axis = mem_grow(a->axis, a->n, &a->cap, sizeof *a->axis);
        struct axis *x = &a->axis[a->n++];
        *x = (struct axis){g->option, g->table - first, NULL, 0, 0};
        x->values = option_split(g->text, &x->n);
        for (size_t j = 0; j < x->n; j++) {
            for (size_t k = 0; k < j; k++) {
                if (strcmp(x->values[j], x->values[k]) == 0) {
                    return err_set(err, ERR_USAGE, "%s: %s is given twice", g->where, x->values[j]);
                }
            }
        }
    }
    return 0;
}

static int spec_fill(struct spec *s, const struct option_list *list, size_t first,
                     const struct axes *axes, struct err *err)
{
    option_defaults(spec_options, &s->common);
    for (int pass = 0; pass < 2; pass++) { /* the workload is known after the common ones */
        for (size_t i = 0; i < list->n; i++) {
            const struct option_given *g = &list->given[i];
            if (g->table < first || (g->table == first) != (pass == 0)) {
                continue;
            }
            bool several = (g->option->flags & OPT_AXIS) != 0 && strchr(g->text, ',') != NULL;
            if (g->table == first) {
                if (!several && option_set(g->option, &s->common, g->text, err) < 0) {
                    return -1;
                }
            } else if (workloads[g->table - first - 1] != s->workload) {
                return err_set(err, ERR_USAGE, "%s belongs to the workload %s, not to %s", g->where,
                               workloads[g->table - first - 1]->name, s->workload->name);
            } else if (!several && option_set(g->option, s->own, g->text, err) < 0) {
                return -1;
            }
        }
        if (pass == 0) {
            s->workload = workloads[s->common.workload];
            s->own = mem_zero(1, s->workload->settings_size);
            option_defaults(s->workload->options, s->own);
        }
    }
    for (size_t i = 0; i < list->n; i++) {
        const struct option_given *g = &list->given[i];
        if (g->table == first && workload_ignores(s->workload, g->option)) {
            return err_set(err, ERR_USAGE, "%s: means nothing to the workload %s", g->where,
                           s->workload->name);
        }
    }
    for (size_t i = 0; i < axes->n; i++) {
        const struct axis *x = &axes->axis[i];
        if (option_set(x->option, x->table == 0 ? (void *)&s->common : s->own, x->values[x->at],
                       err) < 0) {
            return -1;
        }
    }
    return spec_check(s, err);
}

static char *spec_name(const struct spec *s, const char *part, const struct axes *axes,
                       bool name_server)
{
    struct buf name = BUF_INIT(BUF_TEXT_MAX);
    if (part != NULL) {
        buf_addf(&name, "%s: ", part);
    }
    buf_adds(&name, s->workload->name);
    if (name_server) {
        buf_addf(&name, " %s", s->server->key);
    }
    for (size_t i = 0; i < axes->n; i++) {
        const struct axis *x = &axes->axis[i];
        buf_addf(&name, " %s=%s", x->option->name, x->values[x->at]);
    }
    return buf_take(&name, NULL);
}

static void spec_free(struct spec *s)
{
    option_release(spec_options, &s->common);
    if (s->own != NULL) {
        option_release(s->workload->options, s->own);
        free(s->own);
    }
    free(s->name);
}

void plan_open(struct plan *plan, struct server_spec *servers, size_t servers_n)
{
    *plan = (struct plan){.servers = servers, .servers_n = servers_n};
}

int plan_add(struct plan *plan, const struct plan_part *part, struct err *err)
{
    struct option_table tables[32];
    struct axes axes = {NULL, 0, 0};
    size_t before = plan->specs_n;
    size_t servers_n = part->servers != NULL ? part->servers_n : plan->servers_n;
    int rc = axes_find(&axes, part->list, part->first, plan_tables(tables, 32), err);
    size_t total = servers_n;
    for (size_t i = 0; rc == 0 && i < axes.n; i++) {
        total *= axes.axis[i].n;
        if (total + before > PLAN_SPECS_MAX) {
            rc =
                err_set(err, ERR_USAGE, "the lists multiply to more than %d specs", PLAN_SPECS_MAX);
        }
    }
    if (rc == 0) {
        plan->specs = mem_resize(plan->specs, before + total, sizeof *plan->specs);
    }
    for (size_t v = 0; rc == 0 && v < servers_n; v++) {
        do {
            struct spec *s = &plan->specs[plan->specs_n++];
            *s = (struct spec){.server =
                                   &plan->servers[part->servers != NULL ? part->servers[v] : v]};
            rc = spec_fill(s, part->list, part->first, &axes, err);
            if (rc == 0) {
                s->name = spec_name(s, part->name, &axes, servers_n > 1);
            }
        } while (rc == 0 && axes_next(&axes));
    }
    axes_free(&axes);
    while (rc < 0 && plan->specs_n > before) {
        spec_free(&plan->specs[--plan->specs_n]);
    }
    return rc;
}

int plan_make(struct plan *plan, struct server_spec *servers, size_t servers_n,
              const struct option_list *list, size_t first, struct err *err)
{
    struct plan_part part = {.list = list, .first = first};
    plan_open(plan, servers, servers_n);
    int rc = plan_add(plan, &part, err);
    if (rc < 0) {
        plan_free(plan);
    }
    return rc;
}

void plan_free(struct plan *plan)
{
    for (size_t i = 0; i < plan->specs_n; i++) {
        spec_free(&plan->specs[i]);
    }
    free(plan->specs);
    for (size_t i = 0; i < plan->servers_n; i++) {
        server_spec_free(&plan->servers[i]);
    }
    free(plan->servers);
    free(plan->label);
    *plan = (struct plan){0};
}
