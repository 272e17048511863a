/* find_text: what --find-batch found: the curve, the plateau, the answer. */
#ifndef CLI_FIND_TEXT_H
#define CLI_FIND_TEXT_H

#include "base/buf.h"
#include "bench/find_batch.h"

void find_text(const struct find_batch *f, struct buf *out);

#endif
