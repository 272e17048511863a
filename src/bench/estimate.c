#include "bench/estimate.h"

int estimate_spec(const struct spec *spec, struct spec_estimate *out, struct err *err)
{
    const struct workload *w = spec->workload;
    const struct spec_settings *c = &spec->common;
    void *state = NULL;
    *out = (struct spec_estimate){.known = w->estimate != NULL,
                                  .runs_least = c->runs,
                                  .runs_most = c->until_ci > 0 ? c->runs_max : c->runs};
    int rc = w->prepare(spec, &state, err);
    for (size_t i = 0; rc == 0 && w->estimate != NULL && i < w->phases_n; i++) {
        const struct phase *phase = &w->phases[i];
        struct estimate one = {0, 0};
        if (w->wanted == NULL || w->wanted(state, phase)) {
            rc = w->estimate(state, spec, phase, &one, err);
            out->run.requests += one.requests;
            out->run.bytes += one.bytes;
        }
    }
    if (state != NULL) {
        w->release(state);
    }
    return rc;
}
