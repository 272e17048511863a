/* save: where a session's result is kept: a named file, or a folder that collects one result a
 * session, named by time and label. */
#ifndef CLI_SAVE_H
#define CLI_SAVE_H

#include "bench/result.h"

/* Makes the folder if it is not there, and checks that results can be put into it. */
int save_dir_check(const char *dir, struct err *err);

/* "2026-01-31T120000Z-nightly.json": by the time the session began (UTC, without colons, which not
 * every file system takes), so that names sort by time. The caller frees. `again` above 0: another
 * one of the same second. */
char *save_name(int64_t started_ns, const char *label, unsigned again);

/* Saves under such a name, and never over another file; *path (the caller frees) says where. */
int save_into(const struct result *r, const char *dir, char **path, struct err *err);

#endif
