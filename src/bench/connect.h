/* connect: an engine and a couch on it, from the settings of a server. */
#ifndef BENCH_CONNECT_H
#define BENCH_CONNECT_H

#include <stdint.h>

#include "bench/spec.h"
#include "couch/couch.h"

/* `concurrency` requests in flight at most; timeout_ns 0: the engine's default; any_server: it
 * need not be a CouchDB. NULL with a reason (ERR_INTERRUPTED if a stop was asked for meanwhile). */
struct couch *connect_open(const struct server_spec *s, unsigned concurrency, uint64_t timeout_ns,
                           bool any_server, struct err *err);

/* For clean-up: one request at a time, works also after a stop. */
struct couch *connect_cleanup(const struct server_spec *s, uint64_t timeout_ns, struct err *err);
void connect_close(struct couch *c); /* the engine too; NULL is fine */

#endif
