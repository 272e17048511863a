/* dry_run: what a plan would do, on standard output. */
#ifndef CLI_DRY_RUN_H
#define CLI_DRY_RUN_H

#include "bench/plan.h"

/* Reads the data that specs name, and connects to nothing. */
int dry_run(const struct plan *plan, struct err *err);

#endif
