/* side: several specs of one workload in one table: steps in rows and specs in columns where they
 * fit the page, else specs in rows. */
#include "report/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* What a table shows. */
enum side { SIDE_TIMES, SIDE_RATES, SIDE_BYTES };

struct sheet {
    const struct view *v;
    enum side side;
    const struct column **columns; /* of the workload */
    size_t columns_n;
    const struct step **steps; /* with a figure to show in any of them; titles of the first that has
                                  each */
    size_t steps_n;
    struct time_unit *units; /* of each step: that of its largest median, for all columns */
    bool ranges;             /* (min…max) beside the median */
};

static bool has_figure(const struct step *s, enum side side)
{
    return s != NULL && (side == SIDE_TIMES ||
                         (s->n > 0 && (side == SIDE_RATES ? s->items : s->payload_bytes) > 0));
}

static void add_step(struct sheet *sheet, const struct step *s)
{
    for (size_t i = 0; i < sheet->steps_n; i++) {
        if (strcmp(sheet->steps[i]->name, s->name) == 0) {
            return;
        }
    }
    sheet->steps = mem_resize(sheet->steps, sheet->steps_n + 1, sizeof(struct step *));
    sheet->steps[sheet->steps_n++] = s;
}

/* The unit of time that suits the largest median of a step. */
static struct time_unit step_unit(const struct sheet *sheet, const char *name)
{
    double most = 0;
    for (size_t i = 0; i < sheet->columns_n; i++) {
        const struct step *s = column_step(sheet->columns[i], name);
        most = s != NULL && s->n > 0 && s->s.median > most ? s->s.median : most;
    }
    return time_unit_for(most);
}

static void sheet_open(struct sheet *sheet, const struct view *v, size_t first, enum side side)
{
    *sheet = (struct sheet){.v = v, .side = side, .ranges = true};
    sheet->columns = mem_zero(v->n, sizeof(struct column *));
    for (size_t i = first; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        if (!same_workload(c, &v->columns[first])) {
            continue;
        }
        sheet->columns[sheet->columns_n++] = c;
        for (size_t k = 0; k < c->steps_n; k++) {
            if (has_figure(&c->steps[k], side)) {
                add_step(sheet, &c->steps[k]);
            }
        }
    }
    sheet->units = mem_zero(sheet->steps_n, sizeof *sheet->units);
    for (size_t k = 0; k < sheet->steps_n; k++) {
        sheet->units[k] = step_unit(sheet, sheet->steps[k]->name);
    }
}

static void sheet_close(struct sheet *sheet)
{
    free(sheet->columns);
    free(sheet->steps);
    free(sheet->units);
}

static void times_cell(struct table *t, const struct step *s, struct time_unit unit, bool ranges)
{
    char a[40], b[40], c[40];
    double like = s->s.median;
    if (s->n == 0) {
        table_cell(t, "%s", step_state_word(s));
    } else if (s->n == 1 || !ranges) {
        table_cell(t, "%s %s", time_in(a, sizeof a, s->s.median, unit, like), unit.name);
    } else {
        table_cell(t, "%s %s (%s…%s)", time_in(a, sizeof a, s->s.median, unit, like), unit.name,
                   time_in(b, sizeof b, s->s.min, unit, like),
                   time_in(c, sizeof c, s->s.max, unit, like));
    }
}

static void figure_cell(struct table *t, const struct sheet *sheet, const struct column *c,
                        size_t step)
{
    char text[300];
    const struct step *s = column_step(c, sheet->steps[step]->name);
    if (s == NULL) {
        table_cell(t, "%s", "");
    } else if (sheet->side == SIDE_TIMES) {
        times_cell(t, s, sheet->units[step], sheet->ranges);
    } else if (sheet->side == SIDE_RATES) {
        table_cell(t, "%s", rate_text(text, sizeof text, s));
    } else {
        table_cell(t, "%s", throughput_text(text, sizeof text, s));
    }
}

/* `left` columns of words, then `figures` of figures. */
static struct table *new_table(size_t left, size_t figures)
{
    char *align = mem_alloc(left + figures + 1);
    memset(align, 'l', left);
    memset(align + left, 'r', figures);
    align[left + figures] = '\0';
    struct table *t = table_new(align);
    free(align);
    return t;
}

static struct table *steps_in_rows(const struct sheet *sheet)
{
    struct table *t = new_table(2, sheet->columns_n);
    table_cell(t, "step");
    table_cell(t, "via");
    for (size_t i = 0; i < sheet->columns_n; i++) {
        table_cell(t, "%s", sheet->columns[i]->label);
    }
    for (size_t k = 0; k < sheet->steps_n; k++) {
        table_cell(t, "%s", sheet->steps[k]->plain);
        table_cell(t, "%s", sheet->steps[k]->via);
        for (size_t i = 0; i < sheet->columns_n; i++) {
            figure_cell(t, sheet, sheet->columns[i], k);
        }
    }
    return t;
}

static struct table *specs_in_rows(const struct sheet *sheet)
{
    struct table *t = new_table(1, sheet->steps_n);
    table_cell(t, "spec");
    for (size_t k = 0; k < sheet->steps_n; k++) {
        table_cell(t, "%s", sheet->steps[k]->title);
    }
    for (size_t i = 0; i < sheet->columns_n; i++) {
        table_cell(t, "%s", sheet->columns[i]->label);
        for (size_t k = 0; k < sheet->steps_n; k++) {
            figure_cell(t, sheet, sheet->columns[i], k);
        }
    }
    return t;
}

/* The first arrangement that fits, NULL if none does. */
static struct table *arrange(struct sheet *sheet, size_t width)
{
    for (int i = 0; i < 3; i++) {
        sheet->ranges = i < 2;
        struct table *t = i == 0 ? steps_in_rows(sheet) : specs_in_rows(sheet);
        if (table_width(t) <= width) {
            return t;
        }
        table_free(t);
    }
    return NULL;
}

bool same_workload(const struct column *a, const struct column *b)
{
    return strcmp(a->spec->workload, b->spec->workload) == 0;
}

bool side_tables(struct page *page, const struct view *v, size_t first)
{
    enum side last = bytes_matter(&v->columns[first]) ? SIDE_BYTES : SIDE_TIMES;
    bool times = false;
    for (enum side side = SIDE_TIMES; side <= last; side++) {
        struct sheet sheet;
        sheet_open(&sheet, v, first, side);
        struct table *t = arrange(&sheet, page->width);
        if (t != NULL && table_rows(t) > 1 && sheet.steps_n > 0) {
            page_heading(page, "%s: %s", v->columns[first].spec->workload,
                         side == SIDE_BYTES   ? "throughput at the median"
                         : side == SIDE_RATES ? "rate at the median"
                         : sheet.ranges       ? "median (min…max) of the runs"
                                              : "median of the runs");
            page_table(page, t);
            times |= side == SIDE_TIMES;
        }
        table_free(t);
        sheet_close(&sheet);
    }
    return times;
}
