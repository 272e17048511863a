/* history: the same measurement night after night: each phase over time, and where it moved to
 * another level. Results are taken in one by one and need not be kept. */
#ifndef REPORT_HISTORY_H
#define REPORT_HISTORY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/stats.h"
#include "bench/result.h"
#include "report/page.h"

/* One phase in one result. */
struct history_point {
    size_t n;                 /* runs that ended well; 0: no figure */
    double median, low, high; /* seconds; the interval of the median, or least and most */
    const char *state;        /* static: "skipped", …; NULL: the phase is not in this result */
};

/* One result, as far as a track is concerned. */
struct history_night {
    int64_t at_ns; /* Unix time */
    char *label, *server, *tool;
    cJSON *settings;
    struct history_point *points; /* by line; fewer than there are lines if they came later */
    size_t points_n;
};

/* A phase. */
struct history_line {
    char *name, *title;
    struct stats_change *changes; /* their `at` is a place among the track's nights */
    size_t changes_n;
};

/* What was measured in the same way each night: spec, server, network, client and work agree. */
struct history_track {
    char *key, *title, *work;
    struct history_night *nights; /* in order of time, after history_judge */
    size_t nights_n, nights_cap;
    struct history_line *lines; /* in order of first appearance */
    size_t lines_n, lines_cap;
};

struct history {
    struct history_track *tracks;
    size_t tracks_n, tracks_cap;
    size_t results;
    double alpha, line_alpha; /* as asked for; of each phase */
};

struct history *history_new(void);
void history_free(struct history *h);
void history_add(struct history *h, const struct result *r);

/* Once all are in: orders them and looks for changes. On pure noise one is found anywhere with a
 * chance of `alpha` at most (Bonferroni over the phases). */
void history_judge(struct history *h, double alpha, uint64_t seed);

/* The point of a line in a night; NULL if the phase is not in it. */
const struct history_point *history_point(const struct history_night *night, size_t line);

/* Tables, and in HTML the drawings. */
void history_page(const struct history *h, enum page_kind kind, size_t width, struct buf *out);

/* One phase over time with its levels, as a script for gnuplot. */
bool history_plot(struct buf *script, const struct history_track *track, size_t line);

#endif
