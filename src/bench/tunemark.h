/* tunemark: what the files of the workload share (wl_tunemark.c, tunemark_*.c), and mix, which
 * loads and indexes the same library. Nobody else includes it. */
#ifndef BENCH_TUNEMARK_H
#define BENCH_TUNEMARK_H

#include "bench/dataset.h"
#include "bench/load.h"
#include "bench/workload.h"

/* Bits of --steps, in the order of tunemark_steps. */
enum tunemark_step {
    STEP_IMPORT,
    STEP_PLAY_COUNTS,
    STEP_ARTIST_NAMES,
    STEP_ARTISTS_UNINDEXED,
    STEP_ALBUMS_UNINDEXED,
    STEP_INDEX,
    STEP_ARTISTS,
    STEP_ALBUMS,
    STEP_FTS_INDEX,
    STEP_FTS_QUERY,
};

enum tunemark_via { VIA_VIEW, VIA_MANGO, VIA_SEARCH };

enum tunemark_engine { ENGINE_AUTO, ENGINE_NOUVEAU, ENGINE_CLOUSEAU, ENGINE_MANGO_TEXT };

struct tunemark_settings {
    char *data;  /* path; NULL: a generated library */
    char *scale; /* of the generated one */
    uint32_t steps, via;
    int fold;
    uint64_t sample; /* artists of the albums step without an index */
    int engine;
};

struct tunemark {
    const struct spec *spec;
    const struct tunemark_settings *set;
    struct dataset *data;
    const struct dataset_summary *sum;
    struct expect *expect;  /* of the state the queries meet: stripped or not */
    char *fold_js;          /* function fold(s){…} for map functions */
    bool strips;            /* artist names are updated before the queries */
    enum capability engine; /* of this run; CAP_COUNT: none (see engine_why) */
    char engine_why[200];
    bool index_there[2]; /* of this run, by VIA_VIEW and VIA_MANGO */
    bool words_there, search_there;
};

/* The library and what comes of it. `set` must outlive `t`. tunemark_close frees what it holds, not
 * itself; nothing is to be closed when tunemark_open fails. */
int tunemark_check(const struct tunemark_settings *set, struct err *err);
int tunemark_open(struct tunemark *t, const struct spec *spec, const struct tunemark_settings *set,
                  struct err *err);
void tunemark_close(struct tunemark *t);
void tunemark_describe_data(const struct tunemark *t, cJSON *work);

/* Of struct workload; `state` begins with a struct tunemark. */
int tunemark_begin(struct bench *b, void *state, struct err *err);
int tunemark_ids(void *state, bool again, const char **id, struct err *err);

/* ---- phases, by file ------------------------------------------------------------------------- */

typedef int tunemark_phase(struct bench *b, void *state, struct phase_result *p, struct err *err);

/* tunemark_write.c */
tunemark_phase tunemark_import, tunemark_play_counts, tunemark_artist_names;
/* tunemark_query.c */
tunemark_phase tunemark_artists_unindexed, tunemark_view_index, tunemark_mango_index,
    tunemark_view_artists, tunemark_mango_artists;
/* tunemark_albums.c */
tunemark_phase tunemark_albums_unindexed, tunemark_view_albums, tunemark_mango_albums;
/* tunemark_search.c */
tunemark_phase tunemark_search_index, tunemark_search_query, tunemark_words_index,
    tunemark_words_query;

/* tunemark_estimate.c */
int tunemark_estimate(void *state, const struct spec *spec, const struct phase *phase,
                      struct estimate *out, struct err *err);

/* Names of this run's design documents: "tunecouch-view-TOKEN". The caller frees. */
char *tunemark_ddoc(const struct bench *b, const char *what);

/* Builds (bench_build) a view named "rows" of its own design document (tunemark_ddoc of `what`):
 * `map` is JavaScript, `reduce` may be NULL. Fails the phase if it answers no row; *there: it can
 * be used.
 */
int tunemark_build_view(struct bench *b, struct phase_result *p, const char *what, const char *map,
                        const char *reduce, uint64_t docs, bool *there, struct err *err);

/* Mango: the query that the index covers (anything more would fetch every document), the use_index
 * value of this run (the caller frees), and the proof that a query used the index: no warning,
 * named by _explain, keys examined near the rows returned. Outside the clock. */
bool tunemark_skip_mango(struct bench *b, struct phase_result *p); /* skipped where there is none */
#define TUNEMARK_COVERED "{\"Artist\":{\"$gt\":null}}"
char *tunemark_mango_use(const struct bench *b);
int tunemark_prove_indexed(struct bench *b, struct phase_result *p, const char *selector,
                           const char *fields, const char *warning, double keys_examined,
                           uint64_t rows, struct err *err);

/* Folded names, collected, then sorted and made distinct. */
struct names {
    char **name; /* NULL elements: no album */
    size_t n, cap;
};
void names_add(struct names *names, char *name); /* takes it */
void names_distinct(struct names *names);        /* sorts by bytes, NULL first */
void names_free(struct names *names);

#endif
