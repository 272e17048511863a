/* latency: percentiles of request latencies as a table: what the drawing of them shows, in figures.
 */
#include "report/parts.h"

#include <stdio.h>
#include <string.h>

#include "base/text.h"

static void figure_cell(struct table *t, uint64_t ns)
{
    char text[40];
    table_cell(t, "%s", text_seconds(text, sizeof text, (double)ns * 1e-9));
}

void latency_table(struct page *page, const struct view *v)
{
    static const double percents[] = {50, 90, 95, 99, 99.9};
    enum { PERCENTS = sizeof percents / sizeof percents[0] };
    struct table *t = table_new("lllrrrrrrr");
    char text[40];
    table_cell(t, "spec");
    table_cell(t, "step");
    table_cell(t, "via");
    table_cell(t, "requests");
    for (size_t i = 0; i < PERCENTS; i++) {
        table_cell(t, "%g %%", percents[i]);
    }
    table_cell(t, "max");
    for (size_t i = 0; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; k < c->steps_n; k++) {
            struct hist *h = step_latency(c, &c->steps[k]);
            if (h == NULL) {
                continue;
            }
            table_cell(t, "%s", c->label);
            table_cell(t, "%s", c->steps[k].plain);
            table_cell(t, "%s", c->steps[k].via);
            table_cell(t, "%s", text_grouped(text, sizeof text, hist_count(h)));
            for (size_t p = 0; p < PERCENTS; p++) {
                if (hist_supports(h, percents[p])) {
                    figure_cell(t, hist_percentile(h, percents[p]));
                } else {
                    table_cell(t, "%s", "");
                }
            }
            figure_cell(t, hist_max(h));
            hist_free(h);
        }
    }
    if (table_rows(t) > 1) {
        page_heading(page, "Latency of requests");
        page_table(page, t);
        page_line(page, "Successful requests of all runs together, from the send to the last byte. "
                        "A percentile is given where at least ten requests lie beyond it.");
    }
    table_free(t);
}
