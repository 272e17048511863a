/* load_plan: what load.c and load_plan.c share; nobody else includes it. */
#ifndef BENCH_LOAD_PLAN_H
#define BENCH_LOAD_PLAN_H

#include "bench/load.h"

struct load_slot {
    struct load *load;
    struct load_op op;
    struct load_slot *free_next;
    unsigned tries;
    uint64_t due_ns;     /* put off until then; 0: in flight or free */
    uint64_t planned_ns; /* when it was to start; 0: a closed loop */
};

/* ---- load.c ---- */
/* Asks the source and starts what it gives in the first free slot, which there must be. What `next`
 * answered; *now is moved on. */
int load_start_next(struct load *l, uint64_t *now, uint64_t planned_ns);
/* Starts what was put off and is due (after a stop: all of it). */
void load_start_due(struct load *l, uint64_t now);
/* The earliest time at which something put off is due; 0: nothing was. */
uint64_t load_earliest(const struct load *l);

/* ---- load_plan.c ---- */
/* Runs the plan until its last request has ended; fills l->open. */
void load_plan_run(struct load *l);
/* A request of the plan has ended, or was put off. */
void load_plan_ended(struct load *l, uint64_t now);

#endif
