/* generate_doc: one document of a generated library, as a line of JSON. Everything in it follows
 * from the plan, its seed and the track's number: documents can be made in any order. */
#ifndef BENCH_GENERATE_DOC_H
#define BENCH_GENERATE_DOC_H

#include <stdint.h>

#include "base/buf.h"
#include "bench/generate_plan.h"

/* An artist's name without "The ", and an album's, at the try that the plan says. Clear `out` first
 * themselves. */
void doc_artist(const struct plan *p, uint32_t artist, struct buf *out);
void doc_album(const struct plan *p, uint32_t album, struct buf *out);

struct doc_writer; /* room for the parts of a document */
struct doc_writer *doc_writer_new(const struct plan *p);
void doc_writer_free(struct doc_writer *w);

/* Appends the document that is line `line` of the file (from 0), without the line's end. */
void doc_write(struct doc_writer *w, uint32_t line, struct buf *out);

#endif
