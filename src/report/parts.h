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

/* A time with its unit: that of `like` (the figure it stands beside), or its own where that would
 * take more than four digits. Returns out. */
char *time_beside(char *out, size_t size, double seconds, double like);

/* Of requests, or of the documents in them. */
uint64_t step_failures(const struct step *s);
/* "3 conflicts, 1 timeout", "" where everything went well. Returns out. */
char *errors_text(char *out, size_t size, const struct step *s);

/* "10,135 docs/s", "13.4 MB/s (12.8 MiB/s)" at the median; "" where there is no such figure. Return
 * out. */
char *rate_text(char *out, size_t size, const struct step *s);
char *throughput_text(char *out, size_t size, const struct step *s);

/* "0.917 x", "1.10 x", "12.5 x": three significant figures. Returns out. */
char *ratio_text(char *out, size_t size, double ratio);

/* Three cells of a comparison: its ratio, its interval, its p after Holm. */
void ratio_cells(struct table *t, const struct stats_comparison *c);

/* Whether bytes are the point of the workload; items are of TuneMark's steps. */
bool bytes_matter(const struct column *c);

bool same_workload(const struct column *a, const struct column *b);
bool first_of_workload(const struct view *v, size_t column); /* no column before it has it */

/* The tables of steps of all workloads: one for all specs of a workload where one fits, else one
 * for each; and their ranks, by the step `rank` or as rank_tables sees fit. */
void result_tables(struct page *page, const struct view *v, const char *rank);

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

/* Compares others with the best of them all, which is the base of every pair: at a level that makes
 * up for its having been picked from the same runs. */
void best_compare(const struct stats_pair *pairs, size_t others, struct stats_comparison *out);

/* The specs that did the work of column `first` (and what is of its workload beyond that, in groups
 * of equal work), best first, by the median of a step: of this name, or (NULL) of the first that
 * writes documents, and then only where the specs of a result differ by a number. Each is compared
 * with the best. */
void rank_tables(struct page *page, const struct view *v, size_t first, const char *phase);

/* The per-group series of objects side by side, with the trend of each. */
void series_tables(struct page *page, const struct view *v);

#endif
