/* parts: what the text formats have in common. */
#ifndef REPORT_PARTS_H
#define REPORT_PARTS_H

#include "base/buf.h"
#include "report/gather.h"
#include "report/page.h"
#include "report/report.h"

#define ORIGINAL_STATISTICS_NOTE                                                                \
    "Statistics of the original TuneMark: of n runs, n/10 are dropped at each end for average " \
    "and deviation (population), not for the range; the median is sorted[n/2]."

/* "skipped", "failed", "stopped": what befell a step in the runs that do not count. */
const char *step_state_word(const struct step *s);

/* Which workload on which server, network, data and client, with which runs: what all columns have
 * in common (returns which that is), and what is a column's own, under its title where there are
 * several (left out where there is nothing to say, unless `title`). */
unsigned setting_common(struct page *page, const struct view *v);
void setting_column(struct page *page, const struct view *v, const struct column *c,
                    unsigned shared, bool title);

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

/* "10,135 docs/s", "13.4 MB/s (12.8 MiB/s)" at the median; "" where there is no such figure. Return
 * out. */
char *rate_text(char *out, size_t size, const struct step *s);
char *throughput_text(char *out, size_t size, const struct step *s);

/* Whether bytes are the point of the workload; items are of TuneMark's steps. */
bool bytes_matter(const struct column *c);

bool same_workload(const struct column *a, const struct column *b);
bool first_of_workload(const struct view *v, size_t column); /* no column before it has it */

/* The tables of steps of all workloads: one for all specs of a workload where one fits, else one
 * for each. */
void result_tables(struct page *page, const struct view *v);

/* What was found, in words: a row for each step. */
void summary_table(struct page *page, const struct view *v);

/* Percentiles of the request latencies of each step. */
void latency_table(struct page *page, const struct view *v);

/* The specs of the workload of column `first` beside or below each other, whichever fits the page:
 * times, and where bytes matter rates and throughput. False if neither fits. */
bool side_tables(struct page *page, const struct view *v, size_t first);

/* Reasons, notes and warnings below a table. */
void note_lines(struct page *page, const struct view *v);

/* "grows 6.77 s a group (+151 % over 25 groups, …)": thresholds as in stats.h. Returns out. */
char *trend_words(char *out, size_t size, const struct stats_trend *t, const char *per);

/* The per-group series of objects side by side, with the trend of each. */
void series_tables(struct page *page, const struct view *v);

#endif
