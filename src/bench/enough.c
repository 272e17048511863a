#include "bench/enough.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/stats.h"

uint64_t enough_count(const struct spec_result *s)
{
    uint64_t n = 0;
    for (size_t i = 0; i < s->runs_n; i++) {
        n += !s->runs[i].warmup && !s->runs[i].partial;
    }
    return n;
}

/* Seconds per item in each run in which the phase went well. */
static size_t figures(const struct spec_result *s, const char *phase, double *out)
{
    size_t n = 0;
    for (size_t i = 0; i < s->runs_n; i++) {
        const struct phase_result *p = s->runs[i].warmup ? NULL : result_phase(&s->runs[i], phase);
        if (p != NULL && p->state == PHASE_OK) {
            out[n++] = p->items > 0 ? p->wall_s / (double)p->items : p->wall_s;
        }
    }
    return n;
}

static double reach(const double *x, size_t n)
{
    struct stats_summary sum;
    stats_summarize(x, n, &sum);
    if (!sum.has_ci || !(sum.median > 0)) {
        return INFINITY;
    }
    return 100 * fmax(sum.ci_high - sum.median, sum.median - sum.ci_low) / sum.median;
}

bool enough_runs(const struct spec_result *s, const struct spec_settings *c,
                 struct enough_phase *widest)
{
    struct enough_phase worst = {NULL, 0};
    uint64_t n = enough_count(s);
    if (c->until_ci > 0 && n >= c->runs) {
        double *x = mem_zero(s->runs_n, sizeof *x);
        for (size_t i = 0; i < s->runs_n; i++) {
            for (size_t j = 0; j < s->runs[i].phases_n; j++) {
                const char *name = s->runs[i].phases[j].name;
                size_t have = 0;
                /* each phase once: where it is met first */
                if ((c->until_ci_phase == NULL || strcmp(c->until_ci_phase, name) == 0) &&
                    (i == 0 || result_phase(&s->runs[0], name) == NULL)) {
                    have = figures(s, name, x);
                }
                double far = have > 0 ? reach(x, have) : 0;
                if (have > 0 && (worst.name == NULL || far > worst.reach)) {
                    worst = (struct enough_phase){name, far};
                }
            }
        }
        free(x);
    }
    if (widest != NULL) {
        *widest = worst;
    }
    return n >= (c->until_ci > 0 ? c->runs_max : c->runs) ||
           (c->until_ci > 0 && n >= c->runs && worst.reach <= c->until_ci);
}
