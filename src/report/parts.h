/* parts: what the text formats have in common. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "base/buf.h"
#include "report/gather.h"
#include "report/report.h"

#define ORIGINAL_STATISTICS_NOTE                                                                \
    "Statistics of the original TuneMark: of n runs, n/10 are dropped at each end for average " \
    "and deviation (population), not for the range; the median is sorted[n/2]."

/* "skipped", "failed", "stopped": what befell a step in the runs that do not count. */
const char *step_state_word(const struct step *s);

/* Which workload on which server, network, data and client, with which runs: a few lines. */
void setting_lines(struct buf *out, const struct view *v, const struct column *c, size_t width);

/* TuneMark's own lines of one column. */
void tunemark_lines(struct buf *out, const struct column *c, bool original);

/* A unit of time that suits `seconds`: the first of s, ms, us, ns in which it is at least 1. */
struct time_unit {
    const char *name;
    double factor;
};
struct time_unit time_unit_for(double seconds);

/* Three significant figures at least, and as many decimals as `like` (the figure it stands beside,
 * in the same unit) needs. Returns out. */
char *time_in(char *out, size_t size, double seconds, struct time_unit unit, double like);

/* "3 conflicts, 1 timeout", "" where everything went well. Returns out. */
char *errors_text(char *out, size_t size, const struct step *s);

/* Reasons, notes and warnings below a table. */
void note_lines(struct buf *out, const struct view *v, size_t width);

/* "grows 6.77 s a group (+151 % over 25 groups, …)": thresholds as in stats.h. Returns out. */
char *trend_words(char *out, size_t size, const struct stats_trend *t, const char *per);

/* The per-group series of objects side by side, with the trend of each. */
void series_tables(struct buf *out, const struct view *v, size_t width);

#endif
