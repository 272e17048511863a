#include "bench/wl_tunemark.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/mem.h"
#include "bench/generate.h"
#include "bench/tunemark.h"

static const char *const step_names[] = {
    "import",           "play-counts", "artist-names", "artists-unindexed",
    "albums-unindexed", "index",       "artists",      "albums",
    "fts-index",        "fts-query",   NULL,
};
static const char *const via_names[] = {"view", "mango", "search", NULL};
static const char *const engine_names[] = {"auto", "nouveau", "clouseau", "mango-text", NULL};

#define AT(member) offsetof(struct tunemark_settings, member)

static const struct opt options[] = {
    {"data", 0, OPT_TEXT, AT(data), NULL, 0, 0, NULL, "FILE",
     "Music library, one JSON object a line. Default: a generated one of the original's shape.",
     OPT_WORK},
    {"scale", 0, OPT_TEXT, AT(scale), "1", 0, 0, NULL, "X",
     "Size of the generated library: 1 is the original's 12,189 tracks.", OPT_AXIS | OPT_WORK},
    {"steps", 0, OPT_SET, AT(steps), "all", 0, 0, step_names, "LIST",
     "Steps to run; what a step needs is run too.", OPT_WORK},
    {"via", 0, OPT_SET, AT(via), "view,mango,search", 0, 0, via_names, "LIST", "Ways to query.",
     OPT_WORK},
    {"fold", 0, OPT_CHOICE, AT(fold), "lower", 0, 0, fold_names, "RULE",
     "How spellings of an artist are made one.", OPT_AXIS | OPT_WORK},
    {"sample", 0, OPT_COUNT, AT(sample), "20", 1, 1000000, NULL, "N",
     "Artists asked for in the albums step without an index: each is a scan of everything.",
     OPT_AXIS | OPT_WORK},
    {"search-engine", 0, OPT_CHOICE, AT(engine), "auto", 0, 0, engine_names, "NAME",
     "Full-text engine; auto takes the first that the server has.", OPT_AXIS | OPT_FACTOR},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

/* A step is wanted if it was asked for, or if one that was needs it. */
static uint32_t with_needs(uint32_t steps)
{
    if (steps & (1u << STEP_FTS_QUERY)) {
        steps |= 1u << STEP_FTS_INDEX;
    }
    if (steps & (1u << STEP_ARTISTS | 1u << STEP_ALBUMS)) {
        steps |= 1u << STEP_INDEX;
    }
    return steps | 1u << STEP_IMPORT;
}

int tunemark_check(const struct tunemark_settings *s, struct err *err)
{
    struct generate_options o = {0, 0, GENERATE_SEED};
    if (s->data != NULL && strcmp(s->scale, "1") != 0) {
        return err_set(err, ERR_USAGE,
                       "--scale is of the generated library, and --data names another");
    }
    return generate_parse_scale(s->scale, &o, err) < 0 ? err_prefix(err, "--scale") : 0;
}

static int check(const struct spec *spec, struct err *err)
{
    return tunemark_check(spec->own, err);
}

static int write_fd(void *arg, const void *bytes, size_t n)
{
    const char *p = bytes;
    while (n > 0) {
        ssize_t w = write(*(int *)arg, p, n);
        if (w < 0) {
            return -1;
        }
        p += w;
        n -= (size_t)w;
    }
    return 0;
}

/* The generated library in a file that has no name any more once it is open. */
static struct dataset *open_generated(const char *scale, struct err *err)
{
    const char *tmp = getenv("TMPDIR");
    char *path = mem_printf("%s/tunecouch-library-XXXXXX", tmp != NULL && *tmp ? tmp : "/tmp");
    struct dataset *data = NULL;
    struct generate_options o = {0, 0, GENERATE_SEED};
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd < 0) {
        err_set(err, ERR_IO, "%s: cannot make a temporary file for the generated library", path);
    } else {
        err_set(err, ERR_IO, "%s: cannot write the generated library (disk full?)", path);
        if (generate_parse_scale(scale, &o, err) == 0 &&
            generate_library(&o, write_fd, &fd, NULL, err) == 0) {
            data = dataset_open(path, NULL, err);
        }
        close(fd);
        unlink(path);
    }
    free(path);
    return data;
}

void tunemark_close(struct tunemark *t)
{
    expect_free(t->expect);
    dataset_close(t->data);
    free(t->fold_js);
}

static void release(void *state)
{
    tunemark_close(state);
    free(state);
}

int tunemark_open(struct tunemark *t, const struct spec *spec, const struct tunemark_settings *set,
                  struct err *err)
{
    t->spec = spec;
    t->set = set;
    t->data = t->set->data != NULL ? dataset_open(t->set->data, NULL, err)
                                   : open_generated(t->set->scale, err);
    if (t->data == NULL) {
        return -1;
    }
    t->sum = dataset_summary(t->data);
    t->strips = (with_needs(t->set->steps) & 1u << STEP_ARTIST_NAMES) != 0;
    t->expect = dataset_expect(t->data, (enum fold_rule)t->set->fold, t->strips);
    struct fold_table *table = dataset_fold_table(t->data, (enum fold_rule)t->set->fold);
    struct buf js = BUF_INIT(BUF_TEXT_MAX);
    fold_table_js(table, &js);
    t->fold_js = buf_take(&js, NULL);
    fold_table_free(table);
    uint64_t skipped = t->sum->skipped_empty + t->sum->skipped_no_id + t->sum->skipped_type;
    if (skipped > 0) {
        log_warn(
            "%s: %llu lines skipped (%llu empty, %llu without a Persistent ID, %llu with a "
            "Name, Artist or Album that is no text)",
            t->sum->path, (unsigned long long)skipped, (unsigned long long)t->sum->skipped_empty,
            (unsigned long long)t->sum->skipped_no_id, (unsigned long long)t->sum->skipped_type);
    }
    return 0;
}

static int prepare(const struct spec *spec, void **state, struct err *err)
{
    struct tunemark *t = mem_zero(1, sizeof *t);
    if (tunemark_open(t, spec, spec->own, err) < 0) {
        free(t);
        return -1;
    }
    *state = t;
    return 0;
}

void tunemark_describe_data(const struct tunemark *t, cJSON *work)
{
    const struct dataset_summary *s = t->sum;
    cJSON *data = json_add(work, "data", json_object());
    json_add_str(data, "name", s->name);
    json_add_str(data, "sha256", s->sha256);
    json_add_u64(data, "docs", s->docs);
    json_add_u64(data, "bytes", s->bytes);
    json_add_u64(data, "skipped", s->skipped_empty + s->skipped_no_id + s->skipped_type);
    json_add_bool(data, "generated", s->origin == DATASET_GENERATED);
    json_add_str(work, "fold", fold_name((enum fold_rule)t->set->fold));
}

static void describe(const void *state, cJSON *work)
{
    const struct tunemark *t = state;
    tunemark_describe_data(t, work);
    struct tunemark_settings run = *t->set;
    run.steps = with_needs(run.steps);
    char *steps = option_show(option_find(options, "steps"), &run);
    char *via = option_show(option_find(options, "via"), &run);
    json_add_str(work, "steps", steps);
    json_add_str(work, "via", via);
    json_add_u64(work, "sample", t->set->sample);
    free(steps);
    free(via);
}

/* ---- the phases ------------------------------------------------------------------------------ */

static const struct phase phases[] = {
    {"import", NULL, tunemark_import, true, STEP_IMPORT},
    {"play-counts", NULL, tunemark_play_counts, false, STEP_PLAY_COUNTS},
    {"artist-names", NULL, tunemark_artist_names, true, STEP_ARTIST_NAMES},
    {"mango.artists-unindexed", "mango", tunemark_artists_unindexed, false, STEP_ARTISTS_UNINDEXED},
    {"mango.albums-unindexed", "mango", tunemark_albums_unindexed, false, STEP_ALBUMS_UNINDEXED},
    {"view.index", "view", tunemark_view_index, false, STEP_INDEX},
    {"mango.index", "mango", tunemark_mango_index, false, STEP_INDEX},
    {"view.artists", "view", tunemark_view_artists, false, STEP_ARTISTS},
    {"mango.artists", "mango", tunemark_mango_artists, false, STEP_ARTISTS},
    {"view.albums", "view", tunemark_view_albums, false, STEP_ALBUMS},
    {"mango.albums", "mango", tunemark_mango_albums, false, STEP_ALBUMS},
    {"search.index", "search", tunemark_search_index, false, STEP_FTS_INDEX},
    {"view.words-index", "view", tunemark_words_index, false, STEP_FTS_INDEX},
    {"search.query", "search", tunemark_search_query, false, STEP_FTS_QUERY},
    {"view.words-query", "view", tunemark_words_query, false, STEP_FTS_QUERY},
};

static const char *const ddocs[] = {"view", "mango", "search", "words", NULL};

static bool wanted(const void *state, const struct phase *phase)
{
    const struct tunemark *t = state;
    if (phase->via != NULL) {
        for (int i = 0; via_names[i] != NULL; i++) {
            if (strcmp(via_names[i], phase->via) == 0 && !(t->set->via >> i & 1u)) {
                return false;
            }
        }
    }
    return with_needs(t->set->steps) >> phase->step & 1u;
}

int tunemark_begin(struct bench *b, void *state, struct err *err)
{
    static const struct {
        enum tunemark_engine choice;
        enum capability cap;
    } engines[] = {{ENGINE_NOUVEAU, CAP_NOUVEAU},
                   {ENGINE_CLOUSEAU, CAP_CLOUSEAU},
                   {ENGINE_MANGO_TEXT, CAP_MANGO_TEXT}};
    struct tunemark *t = state;
    t->index_there[VIA_VIEW] = t->index_there[VIA_MANGO] = false;
    t->words_there = t->search_there = false;
    t->engine = CAP_COUNT;
    t->engine_why[0] = '\0';
    for (size_t i = 0; i < 3 && (t->set->via & 1u << VIA_SEARCH) && t->engine == CAP_COUNT; i++) {
        const char *why = "";
        if (t->set->engine != ENGINE_AUTO && t->set->engine != (int)engines[i].choice) {
            continue;
        }
        if (couch_can(b->couch, engines[i].cap, b->db, &why)) {
            t->engine = engines[i].cap;
        } else if (strstr(t->engine_why, why) == NULL) { /* one reason may be that of all */
            size_t used = strlen(t->engine_why);
            snprintf(t->engine_why + used, sizeof t->engine_why - used, "%s%s", used ? "; " : "",
                     why);
        }
    }
    dataset_read_on(t->data, false);
    return dataset_rewind(t->data, err);
}

int tunemark_ids(void *state, bool again, const char **id, struct err *err)
{
    struct tunemark *t = state;
    struct json_span doc;
    dataset_read_on(t->data, true); /* documents are taken out also after a stop */
    if (again && dataset_rewind(t->data, err) < 0) {
        return -1;
    }
    int rc = dataset_next(t->data, &doc, id, err);
    if (rc <= 0) {
        *id = NULL;
    }
    return rc < 0 ? -1 : 0;
}

const struct workload wl_tunemark = {
    .name = "tunemark",
    .summary = "tunemark: a music library imported, updated, queried and searched",
    .options = options,
    .settings_size = sizeof(struct tunemark_settings),
    .runs = 10,
    .phases = phases,
    .phases_n = sizeof phases / sizeof phases[0],
    .bulk_phase = "import",
    .ddocs = ddocs,
    .check = check,
    .prepare = prepare,
    .describe = describe,
    .wanted = wanted,
    .estimate = tunemark_estimate,
    .begin = tunemark_begin,
    .ids = tunemark_ids,
    .release = release,
};

/* ---- shared by the phases -------------------------------------------------------------------- */

char *tunemark_ddoc(const struct bench *b, const char *what)
{
    return bench_ddoc(what, b->token);
}

void names_add(struct names *names, char *name)
{
    names->name = mem_grow(names->name, names->n, &names->cap, sizeof *names->name);
    names->name[names->n++] = name;
}

static int by_bytes(const void *a, const void *b)
{
    const char *x = *(char *const *)a, *y = *(char *const *)b;
    if (x == NULL || y == NULL) {
        return (x != NULL) - (y != NULL);
    }
    return strcmp(x, y);
}

void names_distinct(struct names *names)
{
    size_t kept = 0;
    if (names->n > 1) {
        qsort(names->name, names->n, sizeof *names->name, by_bytes);
    }
    for (size_t i = 0; i < names->n; i++) {
        if (kept > 0 && by_bytes(&names->name[kept - 1], &names->name[i]) == 0) {
            free(names->name[i]);
        } else {
            names->name[kept++] = names->name[i];
        }
    }
    names->n = kept;
}

void names_free(struct names *names)
{
    for (size_t i = 0; i < names->n; i++) {
        free(names->name[i]);
    }
    free(names->name);
    *names = (struct names){NULL, 0, 0};
}
