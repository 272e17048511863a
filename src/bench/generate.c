#include "bench/generate.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/stop.h"
#include "base/text.h"
#include "bench/fold.h"
#include "bench/generate_doc.h"
#include "bench/generate_names.h"
#include "bench/generate_plan.h"

/* ---- names that must differ ---------------------------------------------------------------- */

/* A name's folded hash and whose it is: sorted, equal hashes stand together. */
struct claim {
    uint64_t hash;
    uint32_t index;
};

static int by_claim(const void *a, const void *b)
{
    const struct claim *x = a, *y = b;
    if (x->hash != y->hash) {
        return x->hash < y->hash ? -1 : 1;
    }
    return x->index < y->index ? -1 : x->index > y->index;
}

static uint64_t hash_name(const char *name)
{
    /* equal under the widest rule: then names that differ here differ under all */
    char *folded = fold_text(FOLD_NOCASE_NOACCENT, name, strlen(name));
    uint64_t h = 0;
    for (const char *p = folded; *p != '\0'; p++) {
        h = (h ^ (unsigned char)*p) * UINT64_C(0x100000001b3);
    }
    free(folded);
    return library_plan_mix(h, 0, 0);
}

/* Gives another try to whoever has a name that one before it has, until all differ. `retry` makes
 * the next name of an index and returns its hash. */
static void settle(struct claim *claims, size_t n, uint64_t (*retry)(void *arg, uint32_t index),
                   void *arg)
{
    bool again = n > 1;
    while (again) {
        again = false;
        qsort(claims, n, sizeof *claims, by_claim);
        uint64_t last = claims[0].hash;
        for (size_t i = 1; i < n; i++) {
            uint64_t hash = claims[i].hash;
            if (hash == last) {
                claims[i].hash = retry(arg, claims[i].index);
                again = true;
            }
            last = hash;
        }
    }
}

struct naming {
    struct plan *plan;
    struct buf name;
};

static uint64_t next_artist(void *arg, uint32_t index)
{
    struct naming *n = arg;
    struct plan_artist *a = &n->plan->artists[index];
    do {
        a->tries++;
        doc_artist(n->plan, index, &n->name);
    } while (!names_meets(n->name.data, a->needs));
    return hash_name(n->name.data);
}

static uint64_t next_album(void *arg, uint32_t index)
{
    struct naming *n = arg;
    n->plan->albums[index].tries++;
    doc_album(n->plan, index, &n->name);
    return hash_name(n->name.data);
}

/* Artists must differ from each other, albums from those of the same artist. */
static void settle_names(struct plan *p)
{
    struct naming n = {p, BUF_INIT(BUF_TEXT_MAX)};
    uint32_t most = p->artist_count > p->album_count ? p->artist_count : p->album_count;
    struct claim *claims = mem_zero(most, sizeof *claims);
    for (uint32_t i = 0; i < p->artist_count; i++) {
        p->artists[i].tries = UINT16_MAX; /* so that the first try is number 0 */
        claims[i] = (struct claim){next_artist(&n, i), i};
    }
    settle(claims, p->artist_count, next_artist, &n);
    for (uint32_t from = 0, to; from < p->album_count; from = to) {
        size_t count = 0;
        for (to = from; to < p->album_count && p->albums[to].artist == p->albums[from].artist;
             to++) {
            if (!p->albums[to].nameless) {
                doc_album(p, to, &n.name);
                claims[count++] = (struct claim){hash_name(n.name.data), to};
            }
        }
        if (p->albums[from].kind == PLAN_ALBUM) {
            settle(claims, count, next_album, &n);
        }
    }
    free(claims);
    buf_free(&n.name);
}

/* ---- the library --------------------------------------------------------------------------- */

#define SCALE_PART_MAX UINT64_C(100000000000000) /* times 2 * GENERATE_DOCS it still fits */

/* 0 / 0 is scale 1. 0 if the library would be too small or too large. */
static uint32_t count_docs(const struct generate_options *o)
{
    uint64_t num = o->scale_den > 0 ? o->scale_num : 1, den = o->scale_den > 0 ? o->scale_den : 1;
    if (num > SCALE_PART_MAX || den > SCALE_PART_MAX) {
        return 0;
    }
    uint64_t docs = (GENERATE_DOCS * num * 2 + den) / 2 / den;
    return docs >= 1 && docs <= GENERATE_DOCS_MAX ? (uint32_t)docs : 0;
}

static int digits(const char **p, uint64_t *value, uint64_t *scale)
{
    const char *from = *p;
    while (**p >= '0' && **p <= '9') {
        if (*value >= SCALE_PART_MAX / 10 || *scale >= SCALE_PART_MAX / 10) {
            return -1;
        }
        *value = *value * 10 + (uint64_t)(*(*p)++ - '0');
        *scale *= 10;
    }
    return *p > from ? 0 : -1;
}

int generate_parse_scale(const char *text, struct generate_options *o, struct err *err)
{
    const char *p = text;
    uint64_t num = 0, den = 1, unused = 1;
    char shown[64];
    int rc = digits(&p, &num, &unused);
    if (rc == 0 && *p == '.') {
        p++;
        rc = digits(&p, &num, &den);
    } else if (rc == 0 && *p == '/') {
        p++;
        den = 0;
        unused = 1;
        rc = digits(&p, &den, &unused);
    }
    if (rc < 0 || *p != '\0' || den == 0) {
        return err_set(err, ERR_USAGE, "\"%s\" is no scale: a number like 2, 0.1 or 100/12189",
                       text_visible(shown, sizeof shown, text));
    }
    struct generate_options with = {num, den, o->seed};
    if (count_docs(&with) == 0) {
        return err_set(err, ERR_USAGE,
                       "scale %s: scale 1 has %u documents, and 1 to %u can be generated",
                       text_visible(shown, sizeof shown, text), GENERATE_DOCS, GENERATE_DOCS_MAX);
    }
    *o = with;
    return 0;
}

int generate_library(const struct generate_options *o,
                     int (*write)(void *arg, const void *bytes, size_t n), void *arg,
                     struct generate_stats *stats, struct err *err)
{
    uint32_t docs = count_docs(o);
    struct generate_stats done = {0, 0};
    struct plan plan;
    struct buf line = BUF_INIT(BUF_TEXT_MAX);
    int rc = 0;
    if (docs == 0) {
        return err_set(err, ERR_USAGE, "a library has 1 to %u documents", GENERATE_DOCS_MAX);
    }
    library_plan_make(&plan, docs, o->seed);
    settle_names(&plan);
    struct doc_writer *w = doc_writer_new(&plan);
    for (uint32_t i = 0; rc == 0 && i < docs; i++) {
        if (i % 1024 == 0 && stop_wanted()) {
            rc = err_set(err, ERR_INTERRUPTED, "stopped while generating");
            break;
        }
        buf_clear(&line);
        doc_write(w, i, &line);
        buf_addc(&line, '\n');
        if (write(arg, line.data, line.len) != 0) {
            rc = -1;
            break;
        }
        done.docs++;
        done.bytes += line.len;
    }
    if (stats != NULL) {
        *stats = done;
    }
    doc_writer_free(w);
    buf_free(&line);
    library_plan_free(&plan);
    return rc;
}
