/* A stand-in for Couchbase Sync Gateway's public and admin ports, in memory, on loopback: enough of
 * its documented API for a whole TuneMark run, with the statuses and bodies seen on 3.1.0.
 *
 * It runs no JavaScript: a view whose map reads doc.Album is answered as rows of [folded Artist,
 * folded Album or null], one whose map reads doc.Name as rows of its words, one whose map reads
 * doc.integer as the value of "doc.integer % 100" or the like by id, whatever else the map says; a
 * reduce with "sum(" in it adds up. Folding is Unicode lower case. */
#ifndef TESTS_FAKE_SYNC_GATEWAY_H
#define TESTS_FAKE_SYNC_GATEWAY_H

#include <stdbool.h>

#include "base/err.h"

struct fake_sync;

struct fake_sync_config {
    const char *database;        /* made at the start, empty; NULL: none */
    const char *user, *password; /* asked for on the public port; NULL: open to guests */
    bool memory_store;           /* as 3.1's in-memory store: group_level ends the connection, and
                                    reduces in JavaScript are refused */
    unsigned busy_each;          /* every n-th document of _bulk_docs is answered 503; 0: none */
};

struct fake_sync *fake_sync_start(const struct fake_sync_config *config, struct err *err);
void fake_sync_stop(struct fake_sync *f);

const char *fake_sync_public(const struct fake_sync *f); /* URLs without a slash at the end */
const char *fake_sync_admin(const struct fake_sync *f);

/* Documents there, deleted ones and _local ones not counted; -1: no such database. */
long fake_sync_docs(struct fake_sync *f, const char *database);
long fake_sync_ddocs(struct fake_sync *f, const char *database); /* design documents; -1 */

#endif
