/* mix: what the files of the workload share (wl_mix.c, mix_ops.c). Nobody else includes it. */
#ifndef BENCH_MIX_H
#define BENCH_MIX_H

#include "base/rng.h"
#include "base/zipf.h"
#include "bench/judge.h"
#include "bench/tunemark.h"

enum mix_op { MIX_READ, MIX_ALBUMS, MIX_FIND, MIX_SEARCH, MIX_INSERT, MIX_OPS };
extern const char *const mix_op_names[]; /* ended by NULL */

enum mix_keys { KEYS_UNIFORM, KEYS_ZIPF };

#define MIX_ID "tunecouch-mix-%010llu" /* of inserted documents */
#define MIX_ID_BYTES 40                /* room for one with its NUL */

/* Keys of one kind: a number drawn is a rank, which a seeded shuffle makes a place in the data, so
 * that the popular ones are spread over it. */
struct mix_range {
    uint32_t *place;
    size_t n;
    struct zipf zipf;
};

struct mix_settings {
    struct tunemark_settings library;
    char *weights;
    int keys;
    double exponent;
    uint64_t insert_docs;
};

struct ask;

struct mix {
    struct tunemark t; /* first: its phases take the same state */
    struct tunemark_settings library;
    const struct mix_settings *set;
    uint64_t weight[MIX_OPS];
    char *text;              /* ids and words, NUL after each */
    size_t *id_at, *word_at; /* into text */
    size_t ids_n, words_n;
    struct mix_range docs, artists, words;
    char id[MIX_ID_BYTES];
    uint64_t next_id; /* for ids() */

    /* of a run */
    struct bench *b;
    struct rng rng;
    uint64_t share[MIX_OPS], shares; /* weights of the operations that can be done */
    char why_not[MIX_OPS][200];
    uint64_t inserted;
    struct ask *free_asks;
    struct judge *judge;
    char *ddoc_view, *url_bulk, *url_find, *url_search, *use_index;
    struct meter *meter[MIX_OPS];
    struct phase_result sum[MIX_OPS]; /* counts, until the operation's own phase takes them */
    uint64_t ended, bad, wrong[MIX_OPS];
    char first_error[MIX_OPS][300];
    double wall_s;
};

/* Sets up and takes down what a run's requests need. */
void mix_ops_open(struct mix *m, struct bench *b);
void mix_ops_close(struct mix *m);
/* The source of the load. */
int mix_next(void *arg, struct load_op *op);
void mix_done(void *arg, void *item, struct http_reply *reply);

#endif
