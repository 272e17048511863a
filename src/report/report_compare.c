/* report_compare: comparisons as documents for people: what was set against what, which factors
 * differ, a row for each phase with its verdict, and what could not be compared and why. */
#include "report/compare.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/html.h"
#include "report/parts.h"
#include "report/table.h"

#define VALUE_MAX 60 /* of a factor's value that is shown */

/* ---- what was compared ----------------------------------------------------------------------- */

static void side_item(struct page *page, const char *which, const struct column *c)
{
    char server[512];
    const char *url = json_str(c->server, "url", ""), *label = c->result->label;
    column_server(c, server, sizeof server);
    page_item(page, which, "%s on %s%s%s, %zu run%s%s%s%s%s", c->spec->workload, server,
              url[0] != '\0' ? " at " : "", url, c->runs, c->runs == 1 ? "" : "s",
              c->partial || c->result->partial ? " (PARTIAL)" : "", label != NULL ? ", \"" : "",
              label != NULL ? label : "", label != NULL ? "\"" : "");
}

/* "batch", "server version", "database q" */
static char *difference_name(const struct difference *d)
{
    return d->kind == DIFFERS_SETTING || d->kind == DIFFERS_WORK
               ? mem_strdup(d->name)
               : mem_printf("%s %s", differ_word(d->kind), d->name);
}

static const char *quoted_if_empty(const char *value)
{
    return value[0] != '\0' ? value : "\"\"";
}

static void difference_items(struct page *page, const struct differences *d, bool flagged)
{
    size_t said = 0;
    for (size_t i = 0; i < d->n; i++) {
        const struct difference *one = &d->all[i];
        char base[VALUE_MAX + 8], new[VALUE_MAX + 8];
        if (one->flagged != flagged) {
            continue;
        }
        char *name = difference_name(one);
        page_item(page,
                  said++ > 0                  ? ""
                  : one->kind == DIFFERS_WORK ? "WORK"
                  : flagged                   ? "FLAGGED"
                                              : "differs",
                  "%s%s: %s in base, %s in new%s", flagged ? "also " : "", name,
                  text_visible(base, VALUE_MAX, quoted_if_empty(one->base)),
                  text_visible(new, VALUE_MAX, quoted_if_empty(one->new)),
                  flagged ? ", which --across does not name" : "");
        free(name);
    }
}

static const char *direction(double ratio)
{
    return fabs(ratio - 1) < 0.0005 ? "the same" : ratio < 1 ? "faster" : "slower"; /* as printed */
}

static void score_item(struct page *page, const struct comparison *c)
{
    if (c->compared > 0) {
        char ratio[40];
        page_item(page, "score",
                  "%s the time of base (%s): geometric mean of the ratios of medians, %zu phase%s",
                  ratio_text(ratio, sizeof ratio, c->score), direction(c->score), c->compared,
                  c->compared == 1 ? "" : "s");
    }
}

/* ---- the phases ------------------------------------------------------------------------------ */

static void phase_row(struct table *t, const struct matched *m, double equal_within)
{
    char text[64];
    double base = m->base_median, new = m->new_median, like = fmin(base, new);
    const char *slash = m->per_item ? "/" : "", *unit = m->per_item ? m->base->unit : "";
    table_cell(t, "%s", m->base->plain);
    table_cell(t, "%s", m->base->via);
    table_cell(t, "%zu/%zu", m->c.base_n, m->c.new_n);
    table_cell(t, "%s%s%s", time_beside(text, sizeof text, base, like), slash, unit);
    table_cell(t, "%s%s%s", time_beside(text, sizeof text, new, like), slash, unit);
    ratio_cells(t, &m->c);
    table_cell(t, "%s%s", stats_verdict_words(text, sizeof text, m->c.verdict, equal_within),
               m->beyond ? " BEYOND THE LIMIT" : "");
}

static void phases_table(struct page *page, const struct comparison *c, double equal_within)
{
    static const char *const headings[] = {"step",     "via",      "runs",     "base",   "new",
                                           "new/base", "interval", "p (Holm)", "verdict"};
    struct table *t = table_new("llrrrrrrl");
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        table_cell(t, "%s", headings[i]);
    }
    for (size_t i = 0; i < c->n; i++) {
        if (c->phases[i].why_not == NULL) {
            phase_row(t, &c->phases[i], equal_within);
        }
    }
    page_gap(page);
    page_table(page, t);
    table_free(t);
}

static void bad_runs_note(struct page *page, const char *which, const struct step *s)
{
    if (s->n < s->runs) {
        page_note(page, "%s: %s in %zu of %zu runs of %s, which are not in its figures%s%s",
                  s->title, step_state_word(s), s->runs - s->n, s->runs, which,
                  s->reason[0] != '\0' ? ": " : "", s->reason);
    }
}

static void phase_notes(struct page *page, const struct comparison *c, double alpha)
{
    size_t few = 0;
    page_gap(page);
    for (size_t i = 0; i < c->n; i++) {
        const struct matched *m = &c->phases[i];
        if (m->why_not != NULL) {
            page_note(page, "%s: not compared: %s",
                      m->base != NULL ? m->base->title : m->new->title, m->why_not);
        } else {
            bad_runs_note(page, "base", m->base);
            bad_runs_note(page, "new", m->new);
            few += m->c.verdict == VERDICT_TOO_FEW;
        }
    }
    if (few > 0) {
        page_note(page,
                  "%zu phase%s compared at once: no difference could be found with fewer than "
                  "%zu runs a side",
                  c->compared, c->compared == 1 ? "" : "s",
                  compare_runs_needed(c->compared, alpha));
    }
}

static void comparison_part(struct page *page, const struct compare *all,
                            const struct comparison *c)
{
    if (page->kind != PAGE_HTML || all->n > 1) { /* a page of one has it as its heading */
        page_title(page, "%s against %s", c->new_name, c->base_name);
    }
    side_item(page, "base", c->base);
    side_item(page, "new", c->new);
    difference_items(page, &c->differences, false);
    difference_items(page, &c->differences, true);
    if (c->differences.work_n > 0) {
        page_line(page, "Not compared: the work differs.");
        return;
    }
    score_item(page, c);
    if (c->compared > 0) {
        phases_table(page, c, all->options.equal_within);
    }
    phase_notes(page, c, all->options.alpha);
}

/* ---- the summary of several, and the legend -------------------------------------------------- */

static size_t with_verdict(const struct comparison *c, enum stats_verdict verdict)
{
    size_t n = 0;
    for (size_t i = 0; i < c->n; i++) {
        n += c->phases[i].why_not == NULL && c->phases[i].c.verdict == verdict;
    }
    return n;
}

static void overview_table(struct page *page, const struct compare *all)
{
    static const char *const headings[] = {"new",    "base",  "phases",     "score",  "faster",
                                           "slower", "equal", "none found", "too few"};
    static const enum stats_verdict verdicts[] = {VERDICT_FASTER, VERDICT_SLOWER, VERDICT_EQUAL,
                                                  VERDICT_NO_DIFFERENCE, VERDICT_TOO_FEW};
    struct table *t = table_new("llrrrrrrr");
    for (size_t i = 0; i < sizeof headings / sizeof headings[0]; i++) {
        table_cell(t, "%s", headings[i]);
    }
    for (size_t i = 0; i < all->n; i++) {
        char ratio[40];
        const struct comparison *c = &all->all[i];
        table_cell(t, "%s", c->new_name);
        table_cell(t, "%s", c->base_name);
        table_cell(t, "%zu", c->compared);
        if (c->compared > 0) {
            table_cell(t, "%s", ratio_text(ratio, sizeof ratio, c->score));
        } else {
            table_cell(t, "%s", c->differences.work_n > 0 ? "work differs" : "");
        }
        for (size_t k = 0; k < sizeof verdicts / sizeof verdicts[0]; k++) {
            table_cell(t, "%zu", with_verdict(c, verdicts[k]));
        }
    }
    page_title(page, "%zu comparisons", all->n);
    page_table(page, t);
    table_free(t);
}

static void legend(struct page *page, const struct compare *all)
{
    const struct compare_options *o = &all->options;
    page_gap(page);
    page_line(
        page,
        "new/base: the time of new by that of base, below 1 x is faster (Hodges and Lehmann, on "
        "logarithms). interval, p and verdict: Mann and Whitney, corrected by Holm over the "
        "phases of a comparison: any false \"faster\" or \"slower\" in it is at most %g %% likely.",
        o->alpha * 100);
}

static void render(const struct compare *c, enum page_kind kind, struct buf *out)
{
    struct page page = {
        .kind = kind, .width = kind == PAGE_TEXT ? REPORT_WIDTH : SIZE_MAX, .out = out};
    size_t compared = 0;
    if (kind == PAGE_HTML) {
        char *title = c->n == 1
                          ? mem_printf("%s against %s", c->all[0].new_name, c->all[0].base_name)
                          : mem_printf("%zu comparisons", c->n);
        html_begin(out, title);
        free(title);
    }
    if (c->n > 1) {
        overview_table(&page, c);
    }
    for (size_t i = 0; i < c->n; i++) {
        comparison_part(&page, c, &c->all[i]);
        compared += c->all[i].compared;
    }
    if (c->unmatched_n > 0) {
        page_gap(&page);
    }
    for (size_t i = 0; i < c->unmatched_n; i++) {
        page_note(&page, "%s: no other spec agrees with it in what the specs differ by",
                  c->unmatched[i]);
    }
    if (compared > 0) {
        legend(&page, c);
    }
    if (kind == PAGE_HTML) {
        html_end(&page);
    }
}

const char *const *compare_formats(void)
{
    static const char *const names[] = {"text", "md", "html", "csv", "json", NULL};
    return names;
}

int compare_render(const char *format, const struct compare *c, struct buf *out, struct err *err)
{
    if (strcmp(format, "text") == 0) {
        render(c, PAGE_TEXT, out);
    } else if (strcmp(format, "md") == 0) {
        render(c, PAGE_MARKDOWN, out);
    } else if (strcmp(format, "html") == 0) {
        render(c, PAGE_HTML, out);
    } else if (strcmp(format, "csv") == 0) {
        compare_csv(c, out);
    } else if (strcmp(format, "json") == 0) {
        compare_json(c, out);
    } else {
        return err_set(err, ERR_USAGE, "no format \"%s\"", format);
    }
    return 0;
}
