/* rank: the specs of a sweep, best first, and which differences to the best are real. */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/compare.h"
#include "report/parts.h"

struct entry {
    const struct column *column;
    const struct step *step;
    const double *x; /* seconds, or seconds an item */
    double median;
    struct stats_comparison c; /* with the best */
};

/* Specs of equal work. */
struct group {
    const struct column **columns;
    size_t n;
};

/* ---- which, and by what ---------------------------------------------------------------------- */

/* Whether two specs of a result differ by a setting that is a number in both. */
static bool number_differs(const struct column *a, const struct column *b)
{
    const cJSON *setting;
    cJSON_ArrayForEach(setting, a->spec->settings)
    {
        uint64_t x, y;
        const char *name = setting->string != NULL ? setting->string : "";
        if (strcmp(name, "runs") != 0 && cJSON_IsString(setting) &&
            text_parse_size(setting->valuestring, &x, NULL) == 0 &&
            text_parse_size(json_str(b->spec->settings, name, ""), &y, NULL) == 0 && x != y) {
            return true;
        }
    }
    return false;
}

static bool is_sweep(const struct group *g)
{
    bool differs = false;
    for (size_t i = 1; i < g->n; i++) {
        if (g->columns[i]->result != g->columns[0]->result) {
            return false;
        }
        differs |= number_differs(g->columns[0], g->columns[i]);
    }
    return differs;
}

/* The first step that writes documents, else the first of all. */
static const char *usual_step(const struct column *c)
{
    for (size_t i = 0; i < c->steps_n; i++) {
        if (c->steps[i].docs.ok > 0) {
            return c->steps[i].name;
        }
    }
    return c->steps_n > 0 ? c->steps[0].name : NULL;
}

/* ---- order and statistics -------------------------------------------------------------------- */

static int by_median(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    double m = x->median, n = y->median;
    return m < n ? -1 : m > n ? 1 : x->column < y->column ? -1 : 1; /* as listed where equal */
}

/* The best is picked from the same runs that it is then compared by, so that of n equal specs one
 * looks the better the more there are: at the level alpha, a false "slower" was found in simulation
 * in about sqrt(n / 2) times alpha of the cases (n = 2 to 64, 6 to 20 runs, log-normal noise). This
 * takes that back. */
static double level_for(size_t n)
{
    return n > 2 ? COMPARE_ALPHA / sqrt((double)n / 2) : COMPARE_ALPHA;
}

void best_compare(const struct stats_pair *pairs, size_t others, struct stats_comparison *out)
{
    stats_compare(pairs, others, level_for(others + 1), COMPARE_EQUAL_WITHIN, out);
}

static void compare_with_best(struct entry *e, size_t n)
{
    struct stats_pair *pairs = mem_zero(n - 1, sizeof *pairs);
    struct stats_comparison *out = mem_zero(n - 1, sizeof *out);
    for (size_t i = 1; i < n; i++) {
        pairs[i - 1] = (struct stats_pair){e[0].x, e[i].x, e[0].step->n, e[i].step->n};
    }
    best_compare(pairs, n - 1, out);
    for (size_t i = 1; i < n; i++) {
        e[i].c = out[i - 1];
    }
    free(pairs);
    free(out);
}

/* ---- the table ------------------------------------------------------------------------------- */

static void rank_row(struct table *t, const struct entry *e, size_t rank, double like)
{
    char text[64];
    bool per_item = e->x == e->step->per_item;
    const char *slash = per_item ? "/" : "", *unit = per_item ? e->step->unit : "";
    table_cell(t, "%zu", rank);
    table_cell(t, "%s", e->column->label);
    table_cell(t, "%zu", e->step->n);
    table_cell(t, "%s%s%s", time_beside(text, sizeof text, e->median, like), slash, unit);
    table_cell(t, "%s", rate_text(text, sizeof text, e->step));
    if (rank == 1) {
        for (int i = 0; i < 3; i++) {
            table_cell(t, "%s", "");
        }
        table_cell(t, "%s", "best");
    } else {
        ratio_cells(t, &e->c);
        table_cell(t, "%s",
                   stats_verdict_words(text, sizeof text, e->c.verdict, COMPARE_EQUAL_WITHIN));
    }
}

static void rank_table(struct page *page, const struct entry *e, size_t n, const char *work)
{
    static const char *const headings[] = {"rank",    "spec",     "runs",     "median", "rate",
                                           "to best", "interval", "p (Holm)", "verdict"};
    struct table *t = table_new("rlrrrrrrl");
    bool few = false;
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        table_cell(t, "%s", headings[i]);
    }
    for (size_t i = 0; i < n; i++) {
        rank_row(t, &e[i], i + 1, e[0].median);
        few |= i > 0 && e[i].c.verdict == VERDICT_TOO_FEW;
    }
    page_heading(page, "%s: %s, ranked%s%s", e[0].column->spec->workload, e[0].step->title,
                 work[0] != '\0' ? ": " : "", work);
    page_table(page, t);
    table_free(t);
    page_line(page,
              "to best: the time by that of the best. \"slower\" is a real difference: Mann and "
              "Whitney, Holm over %zu comparison%s, at %.2g %% to keep any false one at about 5 %% "
              "although the best was picked from the same runs",
              n - 1, n == 2 ? "" : "s", level_for(n) * 100);
    if (few) {
        page_line(page, "no difference could be found here with fewer than %zu runs a spec",
                  compare_runs_needed(n - 1, level_for(n)));
    }
}

static void rank_group(struct page *page, const struct group *g, const char *phase, bool several)
{
    struct entry *e = mem_zero(g->n, sizeof *e);
    size_t n = 0;
    for (size_t i = 0; i < g->n; i++) {
        const struct column *c = g->columns[i];
        const struct step *s = column_step(c, phase);
        bool amount = n == 0 || column_endless(c) || (s != NULL && s->items == e[0].step->items);
        if (s != NULL && s->n > 0 && amount) { /* a step that failed is in the notes */
            const double *x = step_figures(c, s);
            e[n++] =
                (struct entry){.column = c, .step = s, .x = x, .median = stats_median(x, s->n)};
        }
    }
    if (n > 1) {
        qsort(e, n, sizeof *e, by_median);
        compare_with_best(e, n);
        rank_table(page, e, n, several ? json_str(g->columns[0]->spec->work, "summary", "") : "");
    }
    free(e);
}

void rank_tables(struct page *page, const struct view *v, size_t first, const char *phase)
{
    struct group *groups = mem_zero(v->n, sizeof *groups);
    size_t n = 0;
    for (size_t i = first; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        size_t k = 0;
        if (!same_workload(c, &v->columns[first])) {
            continue;
        }
        while (k < n && !same_work(groups[k].columns[0], c)) {
            k++;
        }
        n += k == n;
        groups[k].columns =
            mem_resize(groups[k].columns, groups[k].n + 1, sizeof *groups[k].columns);
        groups[k].columns[groups[k].n++] = c;
    }
    for (size_t k = 0; k < n; k++) {
        const char *by = phase != NULL ? phase : usual_step(groups[k].columns[0]);
        if (by != NULL && groups[k].n > 1 && (phase != NULL || is_sweep(&groups[k]))) {
            rank_group(page, &groups[k], by, n > 1);
        }
        free(groups[k].columns);
    }
    free(groups);
}
