/* result_member: single members of a saved result, each with its type and range checked. Only
 * result_*.c include it. A member that is missing and OPTIONAL leaves *out as it is. 0, or -1 with
 * ERR_USAGE naming the member. */
#ifndef BENCH_RESULT_MEMBER_H
#define BENCH_RESULT_MEMBER_H

#include "bench/result.h"

/* Bounds of what is accepted; far above anything measured, below anything that overflows. */
#define RESULT_SECONDS_MAX 1e9    /* 31 years */
#define RESULT_INTEGER_MAX 0x1p53 /* above it doubles skip whole numbers */

enum need { OPTIONAL, REQUIRED };

int member_str(const cJSON *o, const char *name, enum need need, char **out, struct err *err);
int member_num(const cJSON *o, const char *name, enum need need, double most, double *out,
               struct err *err);
int member_u64(const cJSON *o, const char *name, uint64_t *out, struct err *err);
int member_bool(const cJSON *o, const char *name, bool *out, struct err *err);
/* A copy of an object; what stood in *out is replaced. */
int member_object(const cJSON *o, const char *name, cJSON **out, struct err *err);
/* An object whose members are objects: clients, servers, networks. */
int member_group(const cJSON *o, const char *name, cJSON **out, struct err *err);
/* A list, borrowed, or NULL where it is missing. */
int member_list(const cJSON *o, const char *name, enum need need, const cJSON **list,
                struct err *err);

/* result_load.c: what a load adds to a phase: its times, seconds, plan, strain and raw times. */
void result_load_to_json(const struct phase_result *p, cJSON *o);
int result_load_from_json(const cJSON *o, struct phase_result *p, struct err *err);

/* JSON has no NaN; a figure that is not one must not make the file unreadable: it is 0. */
void result_add_figure(cJSON *o, const char *name, double v);

#endif
