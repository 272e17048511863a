/* compare: saved results set against a base: pairs of specs, phase by phase, and what else differs
 * between them. Work (what was measured) must agree; factors (how: server, network, client,
 * settings) may differ and are listed. Borrows from the results, which must outlive it. */
#ifndef REPORT_COMPARE_H
#define REPORT_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buf.h"
#include "base/err.h"
#include "report/gather.h"

struct compare_input {
    const char *name; /* what the user calls it: a path */
    const struct result *result;
};

struct compare_options {
    double alpha;        /* chance of any false "faster" or "slower" in one comparison */
    double equal_within; /* margin of "equal", a share */
    double fail_above;   /* a share that a phase may be slower by; 0: any */
    char *const *across; /* the factors that are compared: settings, or server, network, client */
    size_t across_n;     /* 0: any may differ */
};

#define COMPARE_ALPHA 0.05
#define COMPARE_EQUAL_WITHIN 0.05

/* ---- what differs (differ.c) ----------------------------------------------------------------- */

enum differ_kind {
    DIFFERS_WORK,
    DIFFERS_SETTING,
    DIFFERS_SERVER,
    DIFFERS_DATABASE, /* as the server made it: shards, copies */
    DIFFERS_NETWORK,
    DIFFERS_CLIENT,
};

struct difference {
    enum differ_kind kind;
    char *name, *base, *new; /* own; a value that is not stated: "not stated" */
    bool flagged;            /* factors were named, and this is none of them */
};

struct differences {
    struct difference *all;
    size_t n, cap;
    size_t work_n, flagged_n; /* of them */
};

void differences_find(struct differences *d, const struct column *base, const struct column *new,
                      const struct compare_options *o);
void differences_free(struct differences *d);
const char *differ_word(enum differ_kind kind); /* "work", "setting", "server", … */

/* Whether the times of two columns can be compared at all. */
bool same_work(const struct column *a, const struct column *b);

/* Whether a factor is among those named. */
bool compare_across(const struct compare_options *o, const char *factor);

/* ---- comparisons (compare.c) ----------------------------------------------------------------- */

/* A phase that either has. */
struct matched {
    const struct step *base, *new; /* NULL: not there */
    char *why_not;                 /* own: the reason why it is not compared; NULL: it is */
    const double *base_x, *new_x;
    double base_median, new_median; /* of what is compared: seconds, or seconds an item */
    bool per_item;
    struct stats_comparison c;
    bool beyond; /* slower by more than fail_above, and significantly */
    bool lost;   /* measured in base; in new failed, cut off or not reached in every run */
};

struct comparison {
    const struct column *base, *new;
    char *base_name, *new_name; /* own */
    struct differences differences;
    struct matched *phases;
    size_t n;
    size_t compared; /* of them; 0 where the work differs */
    size_t beyond, lost;
    double score; /* geometric mean of the ratios of medians, new / base, of what is compared; NAN
                     without any */
};

struct compare {
    struct view *view;
    struct compare_options options;
    struct comparison *all;
    size_t n;
    char **unmatched; /* own: specs that no other matches */
    size_t unmatched_n;
};

/* Sets every spec of the inputs after the first against that spec of the first that agrees in
 * whatever the specs of either file differ by among themselves, `across` left out. With a single
 * input (and `across`), the first of the specs that agree otherwise is the base of the others.
 * NULL with ERR_USAGE where nothing matches. */
struct compare *compare_new(const struct compare_input *inputs, size_t n,
                            const struct compare_options *o, struct err *err);
void compare_free(struct compare *c); /* NULL is fine */

/* What the exit code must say: 0, or -1 with ERR_USAGE (the work differs), ERR_REGRESSION (beyond
 * fail_above), ERR_STEP (nothing was compared; with fail_above: a phase was lost). */
int compare_judge(const struct compare *c, struct err *err);

/* Runs a side that m comparisons judged together need at least, lest every answer is "too few". */
size_t compare_runs_needed(size_t m, double alpha);

/* ---- documents (report_compare.c, compare_data.c) -------------------------------------------- */

#define COMPARE_FORMATS "text, md, html, csv, json"
const char *const *compare_formats(void); /* ended by NULL */
int compare_render(const char *format, const struct compare *c, struct buf *out, struct err *err);
void compare_csv(const struct compare *c, struct buf *out);
void compare_json(const struct compare *c, struct buf *out);

#endif
