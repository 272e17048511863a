/* probe: what a server is and can do, and why not, for people and for programs. */
#ifndef COUCH_PROBE_H
#define COUCH_PROBE_H

#include "base/buf.h"
#include "couch/couch.h"

struct probe_options {
    bool may_create; /* make a database of ours for what cannot be told without, and delete it */
};

/* Appends lines of text. -1 only if the server could not be asked any more. */
int couch_probe_text(struct couch *c, const struct probe_options *o, struct buf *out,
                     struct err *err);

/* {"server":facts,"capabilities":[{"name","can":true|false|null,"why"}],"round_trip_s",
 * "small_request_s",…}; the caller frees. NULL as above. */
cJSON *couch_probe_json(struct couch *c, const struct probe_options *o, struct err *err);

#endif
