/* report_hdr: latency histograms as HdrHistogram's percentile distribution text, for its plotters:
 * of every step with requests, runs that count together, response times before service times. With
 * several, each is headed by a comment that names it; plotters take one a file: name it with --rank
 * and there is one step. */
#include "report/report.h"

#include "report/gather.h"
#include "report/table.h"

#include <string.h>

static size_t each(const struct view *v, const struct report_options *o, bool headed,
                   struct buf *out)
{
    size_t n = 0;
    for (size_t i = 0; i < v->n; i++) {
        const struct column *c = &v->columns[i];
        for (size_t k = 0; k < c->steps_n; k++) {
            const struct step *s = &c->steps[k];
            if (o->rank != NULL && strcmp(o->rank, s->name) != 0) {
                continue;
            }
            struct hist *of[] = {step_response(c, s), step_latency(c, s)};
            for (int j = 0; j < 2; j++) {
                if (of[j] != NULL && out != NULL) {
                    if (headed) {
                        put_line(out, "#[%s, %s, %s times in ms]", c->spec->name, s->name,
                                 j == 0 ? "response" : "service");
                    }
                    hist_percentile_text(of[j], out);
                }
                n += of[j] != NULL;
                hist_free(of[j]);
            }
        }
    }
    return n;
}

int report_hdr(const struct result *const *results, size_t n, const struct report_options *o,
               struct buf *out, struct err *err)
{
    (void)err;
    struct view *v = view_new(results, n);
    size_t found = each(v, o, false, NULL);
    each(v, o, found > 1, out);
    view_free(v);
    if (found == 0) {
        put_line(out, "#[no step there has latencies of requests]");
    }
    return 0;
}
