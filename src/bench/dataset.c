#include "bench/dataset.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/evp.h>

#include "base/mem.h"
#include "base/text.h"
#include "bench/catalog.h"
#include "bench/generate.h"
#include "bench/records.h"
#include "bench/track.h"

/* The original's digests (git blob of its two forms; the Git LFS object, form unknown). */
static const char original_lines[] = "c182dd252c6f79f3f2ceeefb4a970bfefd572d45";
static const char original_array[] = "b8ae0ef3f26fa68ae1572f823dd311e81efccfaa";
static const char original_lfs[] =
    "dd58800df4060a41de5a28c1f149485308e3fca393b2ff5605c436179952c4a8";

struct dataset {
    struct records *records;
    char *path, *id_member;
    struct dataset_summary summary;
    struct catalog *catalog;
    struct dataset_rock *rocks;
    char **rock_ids; /* what rocks[] points to */
    size_t rock_count, rock_cap, rock_id_cap;
    uint64_t seen;                /* documents since the last rewind */
    struct json_span doc, raw_id; /* the latest document, and its id's text with the quotes */
    char *id;                     /* the same, decoded */
    bool held;                    /* it did not fit into a batch, and comes again as the next */
};

/* What is looked at in a document: raw spans, at == NULL where there is none. */
struct fields {
    const char *id_member;
    struct json_span id, name, artist, album, compilation;
    bool reserved; /* a top-level member beginning with "_" */
};

static void take_field(struct fields *f, struct json_span name, struct json_span value)
{
    static const struct {
        const char *name;
        size_t at;
    } known[] = {
        {"Name", offsetof(struct fields, name)},
        {"Artist", offsetof(struct fields, artist)},
        {"Album", offsetof(struct fields, album)},
        {"Compilation", offsetof(struct fields, compilation)},
    };
    for (size_t i = 0; i < sizeof known / sizeof known[0]; i++) {
        if (json_name_is(name, known[i].name)) {
            *(struct json_span *)(void *)((char *)f + known[i].at) = value;
        }
    }
    if (json_name_is(name, f->id_member)) {
        f->id = value;
    }
    if (name.at[1] == '_') {
        f->reserved = true;
    } else if (name.at[1] == '\\') {
        char *decoded = json_decode(name, NULL);
        f->reserved |= decoded != NULL && decoded[0] == '_';
        free(decoded);
    }
}

static bool is_string(struct json_span v)
{
    return v.at != NULL && v.at[0] == '"';
}

static bool string_or_nothing(struct json_span v)
{
    return v.at == NULL || v.at[0] == '"' || v.at[0] == 'n';
}

enum verdict { IMPORT, SKIP_EMPTY, SKIP_NO_ID, SKIP_TYPE };

/* Reads the members of one record that is a valid object (or empty). */
static enum verdict judge(const struct dataset *d, struct json_span record, struct fields *f)
{
    memset(f, 0, sizeof *f);
    f->id_member = d->id_member;
    if (record.len == 0) {
        return SKIP_EMPTY;
    }
    struct json_walk w;
    struct json_span name, value;
    json_walk_start(&w, record.at, record.len);
    if (json_enter(&w, '{')) {
        while (json_next_member(&w, &name) && json_take(&w, &value)) {
            take_field(f, name, value);
        }
    }
    if (!is_string(f->id) || f->id.len == 2) {
        return SKIP_NO_ID;
    }
    return string_or_nothing(f->name) && string_or_nothing(f->artist) && string_or_nothing(f->album)
               ? IMPORT
               : SKIP_TYPE;
}

/* ---- the first reading --------------------------------------------------------------------- */

struct first {
    EVP_MD_CTX *sha256, *sha1;
    uint64_t *hashes; /* of ids */
    size_t hash_count, hash_cap;
};

static void digest_chunk(void *arg, const void *bytes, size_t n)
{
    struct first *first = arg;
    EVP_DigestUpdate(first->sha256, bytes, n);
    EVP_DigestUpdate(first->sha1, bytes, n);
}

static void hexadecimal(EVP_MD_CTX *md, char *out)
{
    unsigned char bytes[EVP_MAX_MD_SIZE];
    unsigned n = 0;
    EVP_DigestFinal_ex(md, bytes, &n);
    for (unsigned i = 0; i < n; i++) {
        sprintf(out + (size_t)2 * i, "%02x", bytes[i]);
    }
}

static int refuse(const struct dataset *d, struct err *err, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static int refuse(const struct dataset *d, struct err *err, const char *fmt, ...)
{
    char where[640], why[320];
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(why, sizeof why, fmt, ap);
    va_end(ap);
    return err_set(err, ERR_USAGE, "%s: %s", records_where(d->records, where, sizeof where), why);
}

static uint64_t hash_id(const char *id)
{
    struct expect_digest d = {0, 0}; /* of one row: a well mixed hash */
    expect_digest_artist(&d, id);
    return d.sum;
}

static void count_doc(struct dataset *d, struct first *first, struct json_span record,
                      const struct fields *f, const char *id)
{
    struct dataset_summary *s = &d->summary;
    char *artist = json_decode(f->artist, NULL), *album = json_decode(f->album, NULL);
    size_t name_len = 0;
    char *name = json_decode(f->name, &name_len);
    bool compilation = f->compilation.at != NULL && f->compilation.at[0] != 'n';

    first->hashes =
        mem_grow(first->hashes, first->hash_count, &first->hash_cap, sizeof *first->hashes);
    first->hashes[first->hash_count++] = hash_id(id);
    if (s->docs++ == 0 && strcmp(id, GENERATE_FIRST_ID) == 0) {
        s->origin = DATASET_GENERATED;
    }
    s->doc_bytes += record.len;
    s->doc_bytes_max = record.len > s->doc_bytes_max ? record.len : s->doc_bytes_max;
    s->with_artist += artist != NULL;
    s->with_album += album != NULL;
    s->compilations += compilation;
    s->the_docs += artist != NULL && track_has_the(artist);
    s->indexed_docs += artist != NULL && !compilation;
    catalog_add(d->catalog, artist, album, compilation);

    struct track_match m = {false, false, false};
    if (name != NULL) {
        m = track_match_rock(name, name_len);
    }
    s->rock_plain += m.plain;
    s->rock_stemmed += m.stemmed;
    s->rock_unsure += m.unsure;
    if (m.stemmed) {
        d->rocks = mem_grow(d->rocks, d->rock_count, &d->rock_cap, sizeof *d->rocks);
        d->rock_ids = mem_grow(d->rock_ids, d->rock_count, &d->rock_id_cap, sizeof *d->rock_ids);
        d->rock_ids[d->rock_count] = mem_strdup(id);
        d->rocks[d->rock_count] = (struct dataset_rock){d->rock_ids[d->rock_count], m.plain};
        d->rock_count++;
    }
    free(artist);
    free(album);
    free(name);
}

static int check_record(struct dataset *d, struct first *first, struct json_span record,
                        struct err *err)
{
    struct dataset_summary *s = &d->summary;
    struct err reason = ERR_INIT;
    struct fields f;
    if (record.len != 0 || records_array(d->records)) { /* between commas nothing is a fault */
        const char *hint = s->docs + s->skipped_no_id + s->skipped_type > 0
                               ? ""
                               : " (a data file holds one JSON object a line, or one array of "
                                 "objects)";
        if (json_validate(record.at, record.len, &reason) < 0) {
            return refuse(d, err, "%s%s", reason.text, hint);
        }
        if (record.at[0] != '{') {
            return refuse(d, err, "not a JSON object%s", hint);
        }
    }
    switch (judge(d, record, &f)) {
    case SKIP_EMPTY:
        s->skipped_empty++;
        return 0;
    case SKIP_NO_ID:
        s->skipped_no_id++;
        return 0;
    case SKIP_TYPE:
        s->skipped_type++;
        return 0;
    case IMPORT:
        break;
    }
    if (f.reserved) {
        return refuse(d, err,
                      "a member's name begins with \"_\", which CouchDB keeps for itself: "
                      "the file looks like a dump of a database");
    }
    char *id = json_decode(f.id, NULL);
    if (id[0] == '_') {
        free(id);
        return refuse(d, err, "\"%s\" begins with \"_\", which CouchDB does not take as an id",
                      d->id_member);
    }
    count_doc(d, first, record, &f, id);
    free(id);
    return 0;
}

static int by_hash(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return x < y ? -1 : x > y;
}

/* Reads the file again for two lines whose ids have this hash: -1 with both named if they are the
 * same, 0 if two different ids share it. */
static int find_twice(struct dataset *d, uint64_t hash, struct err *err)
{
    struct json_span doc;
    const char *id;
    char *other = NULL, where[640] = "", shown[128];
    int rc = dataset_rewind(d, err);
    while (rc == 0 && (rc = dataset_next(d, &doc, &id, err)) > 0) {
        rc = 0;
        if (hash_id(id) != hash) {
            continue;
        }
        if (other == NULL) {
            other = mem_strdup(id);
            records_where(d->records, where, sizeof where);
        } else if (strcmp(other, id) == 0) {
            rc = refuse(d, err, "%s \"%s\" was there before: %.200s", d->id_member,
                        text_visible(shown, sizeof shown, id), where);
        }
    }
    free(other);
    return rc;
}

static int check_unique(struct dataset *d, struct first *first, struct err *err)
{
    if (first->hash_count > 0) {
        qsort(first->hashes, first->hash_count, sizeof *first->hashes, by_hash);
    }
    for (size_t i = 1; i < first->hash_count; i++) {
        if (first->hashes[i] == first->hashes[i - 1] && find_twice(d, first->hashes[i], err) < 0) {
            return -1;
        }
    }
    return 0;
}

static void name_file(struct dataset_summary *s)
{
    if (strcmp(s->git_blob, original_lines) == 0 || strcmp(s->git_blob, original_array) == 0 ||
        strcmp(s->sha256, original_lfs) == 0) {
        s->origin = DATASET_ORIGINAL;
        s->name = "the original TuneMark library";
    } else if (strcmp(s->sha256, GENERATE_SHA256) == 0) {
        s->origin = DATASET_GENERATED;
        s->name = "a library generated by tunecouch (scale 1, default seed)";
    } else if (s->origin == DATASET_GENERATED) {
        s->name = "a library generated by tunecouch";
    } else {
        s->name = "a library of the user's own";
    }
}

static void add_figures(struct dataset *d)
{
    d->summary.all_artists = catalog_all_artists(d->catalog, FOLD_NOCASE_NOACCENT);
    for (int rule = 0; rule < FOLD_RULES; rule++) {
        struct expect *e = expect_new(d->catalog, (enum fold_rule)rule, true);
        d->summary.artists[rule] = expect_artist_count(e);
        d->summary.pairs[rule] = expect_pair_count(e);
        expect_free(e);
    }
}

static int read_first(struct dataset *d, struct err *err)
{
    struct dataset_summary *s = &d->summary;
    struct first first = {mem_checked(EVP_MD_CTX_new()), mem_checked(EVP_MD_CTX_new()), NULL, 0, 0};
    struct json_span record;
    char blob[40];
    int rc = 0;
    s->bytes = records_file_bytes(d->records);
    EVP_DigestInit_ex(first.sha256, EVP_sha256(), NULL);
    EVP_DigestInit_ex(first.sha1, EVP_sha1(), NULL);
    EVP_DigestUpdate(
        first.sha1, blob, /* with its NUL */
        (size_t)snprintf(blob, sizeof blob, "blob %llu", (unsigned long long)s->bytes) + 1);
    records_watch(d->records, digest_chunk, &first);
    rc = records_rewind(d->records, err);
    s->array = records_array(d->records);
    while (rc == 0 && (rc = records_next(d->records, &record, err)) > 0) {
        rc = check_record(d, &first, record, err);
    }
    records_watch(d->records, NULL, NULL);
    if (rc == 0 && s->docs == 0) {
        char skipped[160] = "";
        if (s->skipped_no_id + s->skipped_type > 0) {
            snprintf(skipped, sizeof skipped, ": %llu have no \"%.80s\"",
                     (unsigned long long)s->skipped_no_id, d->id_member);
        }
        rc = err_set(err, ERR_USAGE, "%s: no document to import%s", s->path, skipped);
    }
    if (rc == 0) {
        hexadecimal(first.sha256, s->sha256);
        hexadecimal(first.sha1, s->git_blob);
        name_file(s);
        catalog_end(d->catalog);
        rc = check_unique(d, &first, err);
        free(first.hashes); /* a million of them are 8 MB, which what follows can use */
        first.hashes = NULL;
    }
    if (rc == 0) {
        add_figures(d);
        rc = dataset_rewind(d, err);
    }
    EVP_MD_CTX_free(first.sha256);
    EVP_MD_CTX_free(first.sha1);
    free(first.hashes);
    return rc;
}

/* ---- opening and asking -------------------------------------------------------------------- */

struct dataset *dataset_open(const char *path, const struct dataset_options *o, struct err *err)
{
    struct dataset *d = mem_zero(1, sizeof *d);
    d->id_member = mem_strdup(o != NULL && o->id_member != NULL ? o->id_member : "Persistent ID");
    d->path = mem_strdup(path);
    d->summary.path = d->path;
    d->catalog = catalog_new();
    d->records = records_open(path, DATASET_LINE_MAX, err);
    if (d->records == NULL || read_first(d, err) < 0) {
        dataset_close(d);
        return NULL;
    }
    return d;
}

void dataset_close(struct dataset *d)
{
    if (d == NULL) {
        return;
    }
    for (size_t i = 0; i < d->rock_count; i++) {
        free(d->rock_ids[i]);
    }
    free(d->rock_ids);
    free(d->rocks);
    catalog_free(d->catalog);
    records_close(d->records);
    free(d->id_member);
    free(d->path);
    free(d->id);
    free(d);
}

const struct dataset_summary *dataset_summary(const struct dataset *d)
{
    return &d->summary;
}

struct expect *dataset_expect(const struct dataset *d, enum fold_rule rule, bool stripped)
{
    return expect_new(d->catalog, rule, stripped);
}

struct fold_table *dataset_fold_table(const struct dataset *d, enum fold_rule rule)
{
    struct fold_table *t = fold_table_new(rule);
    catalog_chars(d->catalog, t);
    return t;
}

const struct dataset_rock *dataset_rocks(const struct dataset *d, size_t *count)
{
    *count = d->rock_count;
    return d->rocks;
}

/* ---- reading again ------------------------------------------------------------------------- */

int dataset_rewind(struct dataset *d, struct err *err)
{
    d->seen = 0;
    d->held = false;
    return records_rewind(d->records, err);
}

void dataset_read_on(struct dataset *d, bool on)
{
    records_read_on(d->records, on);
}

/* Goes on to the next document that is imported: d->doc, d->raw_id and d->id. */
static int advance(struct dataset *d, struct err *err)
{
    struct fields f;
    struct json_span record;
    int rc;
    if (d->held) {
        d->held = false;
        return 1;
    }
    while ((rc = records_next(d->records, &record, err)) > 0) {
        if (judge(d, record, &f) != IMPORT) {
            continue;
        }
        d->seen++;
        d->doc = record;
        d->raw_id = f.id;
        free(d->id);
        d->id = json_decode(f.id, NULL);
        return 1;
    }
    if (rc == 0 && d->seen != d->summary.docs) {
        return err_set(err, ERR_USAGE, "%s: the file was changed while it was in use",
                       d->summary.path);
    }
    return rc;
}

int dataset_next(struct dataset *d, struct json_span *doc, const char **id, struct err *err)
{
    int rc = advance(d, err);
    *doc = d->doc;
    *id = d->id;
    return rc;
}

static const char body_start[] = "{\"docs\":[", body_end[] = "]}", id_start[] = "{\"_id\":";

/* The id's own text is copied too, escapes and all. The object is not empty: it holds the id. */
static void splice(struct buf *body, struct json_span doc, struct json_span raw_id)
{
    buf_adds(body, id_start);
    buf_add(body, raw_id.at, raw_id.len);
    buf_addc(body, ',');
    buf_add(body, doc.at + 1, doc.len - 1);
}

int dataset_batch(struct dataset *d, size_t max_docs, size_t max_bytes, struct dataset_batch *out,
                  struct err *err)
{
    struct buf ids = BUF_INIT(BUF_TEXT_MAX);
    size_t id_cap = 0, at_cap = 0;
    int rc = 0;
    memset(out, 0, sizeof *out);
    /* the one document that may pass max_bytes is bounded by the length of a line */
    buf_init(&out->body,
             max_bytes < BUF_TEXT_MAX ? max_bytes + 2 * DATASET_LINE_MAX + 64 : BUF_TEXT_MAX);
    buf_adds(&out->body, body_start);
    max_docs = max_docs > 0 ? max_docs : 1;
    while (out->count < max_docs && (rc = advance(d, err)) > 0) {
        size_t need = d->doc.len + d->raw_id.len + sizeof id_start + sizeof body_end;
        if (out->count > 0 && (max_bytes < need || out->body.len > max_bytes - need)) {
            d->held = true;
            break;
        }
        if (out->count > 0) {
            buf_addc(&out->body, ',');
        }
        out->at = mem_grow(out->at, out->count, &at_cap, sizeof *out->at);
        out->at[out->count++] = out->body.len;
        splice(&out->body, d->doc, d->raw_id);
        buf_add(&ids, d->id, strlen(d->id) + 1);
    }
    if (rc < 0 || out->count == 0) {
        buf_free(&ids);
        dataset_batch_free(out);
        return rc < 0 ? -1 : 0;
    }
    out->at = mem_grow(out->at, out->count, &at_cap, sizeof *out->at);
    out->at[out->count] = out->body.len;
    buf_adds(&out->body, body_end);
    out->id_text = buf_take(&ids, NULL);
    char *id = out->id_text;
    for (size_t i = 0; i < out->count; i++) {
        out->ids = mem_grow(out->ids, i, &id_cap, sizeof *out->ids);
        out->ids[i] = id;
        id += strlen(id) + 1;
    }
    return 1;
}

void dataset_batch_free(struct dataset_batch *b)
{
    buf_free(&b->body);
    free(b->ids);
    free(b->at);
    free(b->id_text);
    memset(b, 0, sizeof *b);
}

int dataset_batch_part(const struct dataset_batch *b, size_t from, size_t to, struct buf *out)
{
    /* a comma stands before every document but the first */
    size_t end = to == b->count ? b->at[to] : b->at[to] - 1;
    return buf_adds(out, body_start) < 0 ||
                   buf_add(out, b->body.data + b->at[from], end - b->at[from]) < 0 ||
                   buf_adds(out, body_end) < 0
               ? -1
               : 0;
}
