/* change: what a run did to a server's own counters: _node/_local/_stats and _system before and
 * after, as differences, since the values since the server's start say nothing about a run. */
#ifndef BENCH_CHANGE_H
#define BENCH_CHANGE_H

#include "base/json.h"

/* {"stats":{"couchdb.document_inserts":12189,…},"system":{"reductions":…,…}} of two answers of
 * couch_run_facts: counters of _stats and numbers of _system that differ, by dotted names. The
 * caller frees. NULL if either has none to compare. */
cJSON *change_of(const cJSON *before, const cJSON *after);

#endif
