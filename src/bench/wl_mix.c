/* Weighted operations on a loaded library, in a closed or an open loop: reads of a document, album
 * queries through the view, Mango queries with an index, full-text searches, small bulk inserts.
 * The library, its import and its indexes are TuneMark's. mix.all is every operation together; each
 * operation then has a phase of its own, of the same time. */
#include "bench/wl_mix.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "bench/meter.h"
#include "bench/mix.h"
#include "bench/track.h"

#define WEIGHT_MAX 1000000
#define WORD_LEAST 6      /* letters: longer than every word that search engines leave out */
#define LEFT_BEHIND 10000 /* ids of an earlier run that are looked for */

static const char *const keys_names[] = {"uniform", "zipf", NULL};

#define AT(member) offsetof(struct mix_settings, member)

static const struct opt options[] = {
    {"weights", 0, OPT_TEXT, AT(weights), "read=70,albums=10,find=5,search=5,insert=10", 0, 0, NULL,
     "LIST", "Operations and their weights; one that is not named is not done.", OPT_WORK},
    {"keys", 0, OPT_CHOICE, AT(keys), "uniform", 0, 0, keys_names, "KIND",
     "Which documents, artists and words are asked for: all alike, or by Zipf's law.", OPT_WORK},
    {"zipf-exponent", 0, OPT_NUMBER, AT(exponent), "0.99", 0, 10, NULL, "S",
     "With --keys zipf: the key of rank k is asked for 1/k^S times as often as the first.",
     OPT_WORK},
    {"insert-docs", 0, OPT_COUNT, AT(insert_docs), "10", 1, 100000, NULL, "N",
     "Documents to an insert, each of about 500 bytes.", OPT_WORK},
    {"library", 0, OPT_TEXT, AT(library.data), NULL, 0, 0, NULL, "FILE",
     "As --data of tunemark: the library to load. Default: a generated one.", OPT_WORK},
    {"library-scale", 0, OPT_TEXT, AT(library.scale), "1", 0, 0, NULL, "X",
     "As --scale of tunemark: the size of the generated one.", OPT_WORK},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

/* "read=70,find=5" */
static int parse_weights(const char *text, uint64_t *weight, struct err *err)
{
    size_t n, sum = 0;
    char **parts = option_split(text, &n);
    int rc = 0;
    memset(weight, 0, MIX_OPS * sizeof *weight);
    for (size_t i = 0; rc == 0 && i < n; i++) {
        char *equals = strchr(parts[i], '=');
        int op = 0;
        if (equals != NULL) {
            *equals = '\0';
        }
        while (mix_op_names[op] != NULL && strcmp(mix_op_names[op], parts[i]) != 0) {
            op++;
        }
        uint64_t value = 0;
        if (mix_op_names[op] == NULL) {
            const char *near = text_nearest(parts[i], mix_op_names);
            rc = err_set(err, ERR_USAGE,
                         "--weights: \"%s\" is no operation%s%s%s (read, albums, find, search, "
                         "insert)",
                         parts[i], near ? "; did you mean \"" : "", near ? near : "",
                         near ? "\"?" : "");
        } else if (equals == NULL || text_parse_u64(equals + 1, &value, NULL) < 0 ||
                   value > WEIGHT_MAX) {
            rc = err_set(err, ERR_USAGE, "--weights: %s needs a whole number up to %d, as %s=10",
                         parts[i], WEIGHT_MAX, parts[i]);
        } else {
            weight[op] = value;
        }
    }
    free(parts);
    for (int op = 0; op < MIX_OPS; op++) {
        sum += weight[op];
    }
    return rc == 0 && sum == 0 ? err_set(err, ERR_USAGE, "--weights: all of them are 0") : rc;
}

static int check(const struct spec *spec, struct err *err)
{
    const struct mix_settings *set = spec->own;
    uint64_t weight[MIX_OPS];
    return parse_weights(set->weights, weight, err) < 0 ? -1 : tunemark_check(&set->library, err);
}

/* ---- the library ----------------------------------------------------------------------------- */

/* The longest run of ASCII letters that is a word to every tokenizer: white space or nothing around
 * it. 0: none that is long enough. */
static size_t find_word(const char *name, const char **word)
{
    size_t longest = 0;
    for (const char *p = name; *p != '\0';) {
        size_t n = strcspn(p, " ");
        size_t letters = strspn(p, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
        if (letters == n && n > longest) {
            longest = n;
            *word = p;
        }
        p += n + strspn(p + n, " ");
    }
    return longest >= WORD_LEAST ? longest : 0;
}

static int read_library(struct mix *m, struct err *err)
{
    struct buf text = BUF_INIT((size_t)4 << 30);
    struct json_span doc;
    const char *id, *word = NULL;
    int rc = dataset_rewind(m->t.data, err);
    m->id_at = mem_zero(m->t.sum->docs, sizeof *m->id_at);
    m->word_at = mem_zero(m->t.sum->docs, sizeof *m->word_at);
    while (rc == 0 && (rc = dataset_next(m->t.data, &doc, &id, err)) > 0) {
        rc = 0;
        m->id_at[m->ids_n++] = text.len;
        buf_add(&text, id, strlen(id) + 1);
        char *name = track_name(doc, NULL);
        size_t n = name != NULL ? find_word(name, &word) : 0;
        if (n > 0) {
            m->word_at[m->words_n++] = text.len;
            for (size_t i = 0; i < n; i++) {
                buf_addc(&text, (char)(word[i] | 0x20)); /* a letter in lower case */
            }
            buf_addc(&text, '\0');
        }
        free(name);
    }
    m->text = buf_take(&text, NULL);
    return rc;
}

static void range_make(struct mix_range *r, size_t n, double exponent, uint64_t seed)
{
    struct rng rng;
    rng_seed(&rng, seed);
    r->n = n;
    r->place = mem_zero(n, sizeof *r->place);
    for (size_t i = 0; i < n; i++) { /* Fisher and Yates, inside out */
        size_t j = (size_t)rng_below(&rng, i + 1);
        r->place[i] = r->place[j];
        r->place[j] = (uint32_t)i;
    }
    if (n > 0) {
        zipf_init(&r->zipf, n, exponent);
    }
}

static void release(void *state)
{
    struct mix *m = state;
    free(m->docs.place);
    free(m->artists.place);
    free(m->words.place);
    free(m->text);
    free(m->id_at);
    free(m->word_at);
    tunemark_close(&m->t);
    free(m);
}

static int prepare(const struct spec *spec, void **state, struct err *err)
{
    struct mix *m = mem_zero(1, sizeof *m);
    m->set = spec->own;
    m->library = m->set->library;
    m->library.steps = 0;
    m->library.via = 1u << VIA_VIEW | 1u << VIA_MANGO | 1u << VIA_SEARCH;
    m->library.fold = FOLD_LOWER;
    m->library.engine = ENGINE_AUTO;
    if (parse_weights(m->set->weights, m->weight, err) < 0 ||
        tunemark_open(&m->t, spec, &m->library, err) < 0) {
        free(m);
        return -1;
    }
    if (read_library(m, err) < 0) {
        release(m);
        return -1;
    }
    uint64_t seed = spec->common.seed * 3;
    range_make(&m->docs, m->ids_n, m->set->exponent, seed);
    range_make(&m->artists, expect_artist_count(m->t.expect), m->set->exponent, seed + 1);
    range_make(&m->words, m->words_n, m->set->exponent, seed + 2);
    *state = m;
    return 0;
}

static void describe(const void *state, cJSON *work)
{
    const struct mix *m = state;
    tunemark_describe_data(&m->t, work);
    json_add_str(work, "weights", m->set->weights);
    json_add_str(work, "keys", keys_names[m->set->keys]);
    if (m->set->keys == KEYS_ZIPF) {
        json_add_num(work, "zipf_exponent", m->set->exponent);
    }
    json_add_u64(work, "insert_docs", m->set->insert_docs);
}

static int begin(struct bench *b, void *state, struct err *err)
{
    struct mix *m = state;
    m->inserted = 0;
    return tunemark_begin(b, state, err);
}

static int ids(void *state, bool again, const char **id, struct err *err)
{
    struct mix *m = state;
    if (again) {
        m->next_id = 0;
    }
    if (m->next_id == 0) {
        if (tunemark_ids(&m->t, again, id, err) < 0) {
            return -1;
        }
        if (*id != NULL) {
            return 0;
        }
    }
    /* before the first run: those that an earlier one, which was killed, may have left */
    uint64_t n = m->inserted != 0 ? m->inserted : LEFT_BEHIND;
    *id = NULL;
    if (m->next_id < n) {
        snprintf(m->id, sizeof m->id, MIX_ID, (unsigned long long)m->next_id++);
        *id = m->id;
    }
    return 0;
}

/* ---- the phases ------------------------------------------------------------------------------ */

/* Which operations can be done in this run. */
static void find_shares(struct bench *b, struct mix *m)
{
    const char *why = "";
    m->shares = 0;
    for (int i = 0; i < MIX_OPS; i++) {
        const char *reason = "";
        if (i == MIX_ALBUMS && !m->t.index_there[VIA_VIEW]) {
            reason = "the view was not built";
        } else if (i == MIX_ALBUMS && !couch_can(b->couch, CAP_GROUP_LEVEL, b->db, &why)) {
            reason = why;
        } else if (i == MIX_FIND && !m->t.index_there[VIA_MANGO]) {
            reason = couch_can(b->couch, CAP_MANGO, b->db, &why) ? "the index was not built" : why;
        } else if (i == MIX_SEARCH && !m->t.search_there) {
            reason =
                m->t.engine == CAP_COUNT ? m->t.engine_why : "the full-text index was not built";
        } else if (i == MIX_SEARCH && m->words_n == 0) {
            reason = "no Name has a word to search for";
        }
        m->share[i] = reason[0] == '\0' ? m->weight[i] : 0;
        snprintf(m->why_not[i], sizeof m->why_not[i], "%s", reason);
        m->shares += m->share[i];
    }
}

static int run_all(struct bench *b, void *state, struct phase_result *p, struct err *err)
{
    struct mix *m = state;
    p->title = mem_strdup("All operations");
    p->item_unit = mem_strdup("request");
    p->streamed = true;
    find_shares(b, m);
    for (int i = 0; i < MIX_OPS; i++) {
        if (m->weight[i] > 0 && m->share[i] == 0) {
            phase_note(p, "without %s (%s): the other operations have its share", mix_op_names[i],
                       m->why_not[i]);
        }
    }
    if (m->shares == 0) {
        phase_end(p, PHASE_SKIPPED, "none of the operations can be done");
        return 0;
    }
    mix_ops_open(m, b);
    struct load l = {.http = b->http,
                     .retries = (unsigned)b->spec->common.retries,
                     .arg = m,
                     .next = mix_next,
                     .done = mix_done,
                     .meter = bench_meter(b)};
    bench_load(b, &l);
    bench_start(b);
    for (int i = 0; i < MIX_OPS; i++) {
        if (m->meter[i] != NULL) {
            meter_start(m->meter[i], b->started_ns);
        }
    }
    load_run(&l);
    bench_stop(b);
    mix_ops_close(m);
    bench_loaded(b, &l);
    m->wall_s = p->wall_s;
    p->items = p->requests.ok;
    p->docs = m->sum[MIX_INSERT].docs;
    int rc = bench_check_stop(err);
    for (int i = 0; rc == 0 && i < MIX_OPS && p->state == PHASE_OK; i++) {
        if (m->wrong[i] > 0) {
            phase_end(p, PHASE_FAILED, "%llu wrong answers to %s: %s",
                      (unsigned long long)m->wrong[i], mix_op_names[i], m->first_error[i]);
        } else if (m->first_error[i][0] != '\0' && bench_too_many_errors(b, p, m->first_error[i])) {
            break;
        }
    }
    return rc;
}

/* What one operation's requests came to, out of the whole. */
static int run_op(struct bench *b, struct mix *m, struct phase_result *p, enum mix_op op)
{
    static const char *const titles[] = {"Read a document", "Albums of an artist",
                                         "Tracks of an artist", "Search a word",
                                         "Insert documents"};
    p->title = mem_strdup(titles[op]);
    p->item_unit = mem_strdup("request");
    if (m->share[op] == 0) {
        phase_end(p, PHASE_SKIPPED, "%s", m->why_not[op]);
        return 0;
    }
    struct http_counters traffic;
    meter_traffic(m->meter[op], &traffic);
    meter_into(m->meter[op], p);
    meter_free(m->meter[op]);
    m->meter[op] = NULL;
    p->wall_s = m->wall_s;
    p->requests = m->sum[op].requests;
    p->docs = m->sum[op].docs;
    p->items = p->requests.ok;
    p->sent_bytes = traffic.sent_bytes;
    p->received_bytes = traffic.received_bytes;
    p->connections = traffic.connections;
    p->streamed = true;
    if (m->wrong[op] > 0) {
        phase_end(p, PHASE_FAILED, "%llu wrong answers: %s", (unsigned long long)m->wrong[op],
                  m->first_error[op]);
    } else if (counts_bad(&p->requests) + p->requests.ok > 0) {
        bench_too_many_errors(b, p, m->first_error[op]);
    } else {
        phase_end(p, PHASE_SKIPPED, "it was never its turn");
    }
    return 0;
}

#define OP_PHASE(name, op)                                                                 \
    static int name(struct bench *b, void *state, struct phase_result *p, struct err *err) \
    {                                                                                      \
        (void)err;                                                                         \
        return run_op(b, state, p, op);                                                    \
    }

OP_PHASE(op_read, MIX_READ)
OP_PHASE(op_albums, MIX_ALBUMS)
OP_PHASE(op_find, MIX_FIND)
OP_PHASE(op_search, MIX_SEARCH)
OP_PHASE(op_insert, MIX_INSERT)

/* `step`: the operation that a phase is for; -1: all. */
static const struct phase phases[] = {
    {"mix.import", NULL, tunemark_import, true, -1},
    {"mix.view-index", "view", tunemark_view_index, false, MIX_ALBUMS},
    {"mix.mango-index", "mango", tunemark_mango_index, false, MIX_FIND},
    {"mix.search-index", "search", tunemark_search_index, false, MIX_SEARCH},
    {"mix.all", NULL, run_all, true, -1},
    {"mix.read", NULL, op_read, false, MIX_READ},
    {"mix.albums", "view", op_albums, false, MIX_ALBUMS},
    {"mix.find", "mango", op_find, false, MIX_FIND},
    {"mix.search", "search", op_search, false, MIX_SEARCH},
    {"mix.insert", NULL, op_insert, false, MIX_INSERT},
};

static bool wanted(const void *state, const struct phase *phase)
{
    const struct mix *m = state;
    return phase->step < 0 || m->weight[phase->step] > 0;
}

static void end(struct bench *b, void *state)
{
    struct mix *m = state;
    (void)b;
    for (int i = 0; i < MIX_OPS; i++) { /* of operations whose phase did not come */
        meter_free(m->meter[i]);
        m->meter[i] = NULL;
    }
}

static const char *const ddocs[] = {"view", "mango", "search", NULL};

const struct workload wl_mix = {
    .name = "mix",
    .summary = "mix: reads, queries, searches and inserts by weight, on a loaded library",
    .options = options,
    .settings_size = sizeof(struct mix_settings),
    .runs = 3,
    .endless = true,
    .phases = phases,
    .phases_n = sizeof phases / sizeof phases[0],
    .ddocs = ddocs,
    .check = check,
    .prepare = prepare,
    .describe = describe,
    .wanted = wanted,
    .begin = begin,
    .end = end,
    .ids = ids,
    .release = release,
};
