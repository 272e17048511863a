/* What TuneMark's steps will send, for --dry-run. The import is exact, since its bodies are built
 * as they will be. The rest depends on the server a little (lengths of revisions, names of
 * indexes), by far less than it matters. */
#include "bench/tunemark.h"

#include <string.h>

#define SEARCH_PAGE 200 /* rows, as tunemark_search.c asks for */
#define FIND_PAGE 100000
#define QUERY_BYTES 150 /* of a Mango or search query, near enough */
#define DDOC_BYTES 300  /* of a design document, besides the fold function */
#define WRITE_BACK 90   /* what the server adds to a document: _id and _rev with their values */

static uint64_t pages(uint64_t rows, uint64_t page)
{
    return rows == 0 ? 1 : (rows + page - 1) / page;
}

static int import(struct tunemark *t, const struct spec *spec, struct estimate *out,
                  struct err *err)
{
    struct dataset_batch batch;
    int rc = dataset_rewind(t->data, err);
    while (rc == 0 && (rc = dataset_batch(t->data, spec->common.batch, spec->common.batch_bytes,
                                          &batch, err)) == 1) {
        out->requests++;
        out->bytes += batch.body.len;
        dataset_batch_free(&batch);
        rc = 0;
    }
    return rc < 0 ? -1 : 0;
}

/* Every document is read, `docs` of them are written back. */
static void update(const struct tunemark *t, const struct spec *spec, uint64_t docs,
                   struct estimate *out)
{
    const struct spec_settings *c = &spec->common;
    uint64_t mean = t->sum->docs != 0 ? t->sum->doc_bytes / t->sum->docs + 1 : 1;
    uint64_t fits = c->batch_bytes / mean, page = c->batch < fits ? c->batch : fits;
    uint64_t written = c->batch_bytes / (mean + WRITE_BACK);
    written = c->batch < written ? c->batch : written;
    out->requests = pages(t->sum->docs, page != 0 ? page : 1);
    if (docs > 0) {
        out->requests += pages(docs, written != 0 ? written : 1);
    }
    out->bytes = docs * (mean + WRITE_BACK);
}

static uint64_t spellings(const struct tunemark *t)
{
    uint64_t n = 0;
    for (size_t i = 0; i < expect_artist_count(t->expect); i++) {
        n += expect_artist(t->expect, i)->spelling_count;
    }
    return n;
}

int tunemark_estimate(void *state, const struct spec *spec, const struct phase *phase,
                      struct estimate *out, struct err *err)
{
    struct tunemark *t = state;
    uint64_t artists = expect_artist_count(t->expect);
    uint64_t rows = t->sum->indexed_docs;
    bool mango = phase->via != NULL && strcmp(phase->via, "mango") == 0;
    bool view = phase->via != NULL && strcmp(phase->via, "view") == 0;
    switch ((enum tunemark_step)phase->step) {
    case STEP_IMPORT:
        return import(t, spec, out, err);
    case STEP_PLAY_COUNTS:
        update(t, spec, t->sum->docs, out);
        break;
    case STEP_ARTIST_NAMES:
        update(t, spec, t->sum->the_docs, out);
        break;
    case STEP_ARTISTS_UNINDEXED:
        out->requests = pages(rows, FIND_PAGE);
        out->bytes = out->requests * QUERY_BYTES;
        break;
    case STEP_ALBUMS_UNINDEXED:
        out->requests = t->set->sample < artists ? t->set->sample : artists;
        out->bytes = out->requests * QUERY_BYTES;
        break;
    case STEP_INDEX: /* the definition, and the first query */
        out->requests = rows == 0 && view ? 0 : 2;
        out->bytes = DDOC_BYTES + (mango ? QUERY_BYTES : strlen(t->fold_js));
        break;
    case STEP_ARTISTS:
        out->requests = mango ? pages(rows, FIND_PAGE) : 1;
        out->bytes = mango ? out->requests * QUERY_BYTES : 0;
        break;
    case STEP_ALBUMS:
        out->requests = mango ? spellings(t) : artists;
        out->bytes = mango ? out->requests * QUERY_BYTES : 0;
        break;
    case STEP_FTS_INDEX:
        out->requests = 2;
        out->bytes = view ? DDOC_BYTES : DDOC_BYTES + strlen(t->fold_js) + QUERY_BYTES;
        break;
    case STEP_FTS_QUERY: /* a page that is full is followed by another, be it empty */
        out->requests = view ? 1 : t->sum->rock_plain / SEARCH_PAGE + 1;
        out->bytes = view ? 0 : out->requests * QUERY_BYTES;
        break;
    }
    return 0;
}
