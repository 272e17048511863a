/* observer: how a run tells what it does. The runner calls down into nothing of the interface;
 * whoever wants to draw passes one of these. Every member may be NULL. */
#ifndef BENCH_OBSERVER_H
#define BENCH_OBSERVER_H

#include <stdint.h>

struct result;
struct phase_result;
struct spec;

struct observer {
    void *arg;
    void (*run_started)(void *arg, const struct spec *spec, unsigned run, unsigned runs,
                        unsigned position,
                        unsigned total); /* position of total runs (0: not known) */
    void (*phase_started)(void *arg, const char *name, const char *via);
    /* total 0: not known; rate is the caller's to derive from its own clock */
    void (*progress)(void *arg, uint64_t done, uint64_t total, uint64_t errors);
    void (*phase_ended)(void *arg, const struct phase_result *phase);
    void (*run_ended)(void *arg);
    void (*waiting)(void *arg, const char *what); /* background tasks, a retry */
};

#endif
