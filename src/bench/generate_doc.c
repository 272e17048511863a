#include "bench/generate_doc.h"

#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/rng.h"
#include "base/text.h"
#include "bench/generate.h"
#include "bench/generate_names.h"

/* Starting points of the generators; artists and albums have 65,536 tries each between two. */
enum purpose {
    FOR_FLAVOUR = 101,
    FOR_ARTIST,
    FOR_ALBUM,
    FOR_ALBUM_FACTS,
    FOR_TRACK,
    FOR_FILE_ORDER,
    FOR_ID,
    FOR_KEYS,
};

/* Members in the order they mostly have in the ten sample lines. */
enum key {
    TRACK_TYPE,
    COMPILATION,
    SKIP_DATE,
    SAMPLE_RATE,
    DISC_NUMBER,
    KIND,
    COMMENTS,
    CLEAN,
    FILE_TYPE,
    PLAY_DATE_UTC,
    TRACK_COUNT,
    DATE_ADDED,
    NAME,
    PURCHASED,
    TRACK_NUMBER,
    SIZE,
    COMPOSER,
    LOCATION,
    YEAR,
    ALBUM_ARTIST,
    ARTIST,
    SKIP_COUNT,
    BIT_RATE,
    LIBRARY_FOLDER_COUNT,
    DISC_COUNT,
    PLAY_COUNT,
    ARTWORK_COUNT,
    GROUPING,
    PLAY_DATE,
    RATING,
    TRACK_ID,
    TOTAL_TIME,
    ALBUM_RATING_COMPUTED,
    GENRE,
    DATE_MODIFIED,
    ALBUM,
    ALBUM_RATING,
    FILE_FOLDER_COUNT,
    PERSISTENT_ID,
    KEYS
};

static const char *const key_names[KEYS] = {
    [TRACK_TYPE] = "Track Type",
    [COMPILATION] = "Compilation",
    [SKIP_DATE] = "Skip Date",
    [SAMPLE_RATE] = "Sample Rate",
    [DISC_NUMBER] = "Disc Number",
    [KIND] = "Kind",
    [COMMENTS] = "Comments",
    [CLEAN] = "Clean",
    [FILE_TYPE] = "File Type",
    [PLAY_DATE_UTC] = "Play Date UTC",
    [TRACK_COUNT] = "Track Count",
    [DATE_ADDED] = "Date Added",
    [NAME] = "Name",
    [PURCHASED] = "Purchased",
    [TRACK_NUMBER] = "Track Number",
    [SIZE] = "Size",
    [COMPOSER] = "Composer",
    [LOCATION] = "Location",
    [YEAR] = "Year",
    [ALBUM_ARTIST] = "Album Artist",
    [ARTIST] = "Artist",
    [SKIP_COUNT] = "Skip Count",
    [BIT_RATE] = "Bit Rate",
    [LIBRARY_FOLDER_COUNT] = "Library Folder Count",
    [DISC_COUNT] = "Disc Count",
    [PLAY_COUNT] = "Play Count",
    [ARTWORK_COUNT] = "Artwork Count",
    [GROUPING] = "Grouping",
    [PLAY_DATE] = "Play Date",
    [RATING] = "Rating",
    [TRACK_ID] = "Track ID",
    [TOTAL_TIME] = "Total Time",
    [ALBUM_RATING_COMPUTED] = "Album Rating Computed",
    [GENRE] = "Genre",
    [DATE_MODIFIED] = "Date Modified",
    [ALBUM] = "Album",
    [ALBUM_RATING] = "Album Rating",
    [FILE_FOLDER_COUNT] = "File Folder Count",
    [PERSISTENT_ID] = "Persistent ID",
};

struct doc_writer {
    const struct plan *plan;
    uint64_t order_seed, id_seed;
    struct buf artist, album, title, scratch;
    struct buf values; /* JSON text of the members of the document being made */
    struct {
        size_t at, len; /* in values; len 0: not in this document */
    } members[KEYS];
};

/* ---- names --------------------------------------------------------------------------------- */

static uint32_t below(struct rng *r, uint32_t n)
{
    return (uint32_t)rng_below(r, n);
}

static bool chance(struct rng *r, uint32_t of_thousand)
{
    return below(r, 1000) < of_thousand;
}

static void seeded(struct rng *r, const struct plan *p, enum purpose purpose, uint64_t index)
{
    rng_seed(r, library_plan_mix(p->seed, purpose, index));
}

static enum flavour flavour_of(const struct plan *p, uint32_t artist)
{
    struct rng r;
    seeded(&r, p, FOR_FLAVOUR, artist);
    return artist == PLAN_NONE ? ENGLISH
                               : names_suitable(names_flavour(&r), p->artists[artist].needs);
}

void doc_artist(const struct plan *p, uint32_t artist, struct buf *out)
{
    struct rng r;
    seeded(&r, p, FOR_ARTIST, (uint64_t)artist << 16 | p->artists[artist].tries);
    names_artist(&r, flavour_of(p, artist), p->artists[artist].the, out);
    names_lengthen(&r, p->artists[artist].tries, out);
}

void doc_album(const struct plan *p, uint32_t album, struct buf *out)
{
    const struct plan_album *a = &p->albums[album];
    struct rng r;
    seeded(&r, p, FOR_ALBUM, (uint64_t)album << 16 | a->tries);
    if (a->kind == PLAN_COMPILATION) {
        names_compilation(&r, out);
    } else if (a->kind == PLAN_ALBUM && chance(&r, 70)) {
        doc_artist(p, a->artist, out); /* named like the artist */
    } else {
        names_album(&r, flavour_of(p, a->artist), out);
    }
    names_lengthen(&r, a->tries, out);
}

/* ---- values -------------------------------------------------------------------------------- */

static void put(struct doc_writer *w, enum key key, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void put(struct doc_writer *w, enum key key, const char *fmt, ...)
{
    char text[128]; /* numbers, dates and words of ours */
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(text, sizeof text, fmt, ap);
    va_end(ap);
    w->members[key].at = w->values.len;
    w->members[key].len = strlen(text);
    buf_adds(&w->values, text);
}

/* Slashes are escaped, as in the sample lines. */
static void put_text(struct doc_writer *w, enum key key, const char *s)
{
    w->members[key].at = w->values.len;
    buf_addc(&w->values, '"');
    for (; *s != '\0'; s++) {
        if (*s == '"' || *s == '\\' || *s == '/') {
            buf_addc(&w->values, '\\');
        }
        buf_addc(&w->values, *s);
    }
    buf_addc(&w->values, '"');
    w->members[key].len = w->values.len - w->members[key].at;
}

static void put_date(struct doc_writer *w, enum key key, int64_t unix_s)
{
    char date[32];
    text_utc(date, sizeof date, unix_s * 1000000000);
    put_text(w, key, date);
}

/* ---- facts --------------------------------------------------------------------------------- */

/* What the tracks of an album share. */
struct album_facts {
    const char *genre; /* NULL: none */
    bool artwork, track_count, discs, album_artist, composer, sample_rate, remote, purchased;
    bool rated; /* has an album rating */
    uint32_t aac, year, disc, disc_count, rate, rating;
    int64_t added, modified; /* seconds since 1970 */
};

static const char *any(struct rng *r, const char *const *list, uint32_t n)
{
    return list[below(r, n)];
}

static void album_facts(const struct plan *p, uint32_t album, struct album_facts *f)
{
    static const char *const genres[] = {
        "Alternative", "Alternative", "Alternative", "Electronic", "Electronic", "Metal",
        "Post-Punk",   "Jazz",        "Folk",        "Hip-Hop",    "Rap",        "Trance",
        "Ambient",     "Classical",   "Pop",         "World",      "Blues",      "Industrial",
        "Soundtrack",  "R&B",         "Country",     "Reggae",     "New Wave",   "Experimental"};
    static const uint32_t rates[] = {128, 160, 192, 192, 256, 256, 320};
    bool compilation = p->albums[album].kind == PLAN_COMPILATION;
    struct rng r;
    seeded(&r, p, FOR_ALBUM_FACTS, album);
    const char *genre = any(&r, genres, sizeof genres / sizeof genres[0]);
    /* one statement each: the order of draws must not be the compiler's to choose */
    memset(f, 0, sizeof *f);
    f->genre = chance(&r, 800) ? genre : NULL;
    f->artwork = chance(&r, 800);
    f->track_count = chance(&r, 600);
    f->discs = chance(&r, 300);
    f->album_artist = chance(&r, compilation ? 500 : 167);
    f->composer = chance(&r, 300);
    f->sample_rate = chance(&r, 600);
    f->remote = chance(&r, 800);
    f->aac = below(&r, 10); /* 0 to 3: AAC */
    f->rated = chance(&r, 800);
    f->rating = 20 * (3 + below(&r, 3));
    f->purchased = f->aac == 3 && chance(&r, 700);
    f->year = 1962 + below(&r, 52);
    f->year = f->year < 1985 && chance(&r, 500) ? f->year + 24 : f->year;
    f->disc_count = f->discs && chance(&r, 200) ? 2 : 1;
    f->disc = 1 + below(&r, f->disc_count);
    f->rate = f->aac < 4 ? (chance(&r, 800) ? 256 : 128) : rates[below(&r, 7)];
    /* 2004 to 2013, half of it in a few imports of the whole shelf */
    f->added = chance(&r, 500) ? 1218082000 + (int64_t)below(&r, 6000)
                               : 1080000000 + (int64_t)below(&r, 300000000);
    f->modified =
        f->added + (chance(&r, 500) ? (int64_t)below(&r, 100000) : (int64_t)below(&r, 90000000));
}

/* A folder or file name as the original's Location has it: at most 40 bytes, "/" and ":" and a last
 * dot replaced, the rest escaped for a URL. */
static void put_path(struct buf *out, const char *name, const char *suffix)
{
    size_t n = strlen(name);
    if (n > 40) {
        for (n = 40; ((unsigned char)name[n] & 0xc0) == 0x80; n--) {
        }
    }
    for (size_t i = 0; i < n; i++) {
        unsigned char c = (unsigned char)name[i];
        if (strchr("/:\"?*", c) != NULL || (c == '.' && i + 1 == n && suffix[0] == '\0')) {
            buf_addc(out, '_');
        } else if (c <= ' ' || c >= 0x7f || strchr("#%<>[\\]^`{|}", c) != NULL) {
            buf_addf(out, "%%%02X", c);
        } else {
            buf_addc(out, (char)c);
        }
    }
    buf_adds(out, suffix);
}

static void put_location(struct doc_writer *w, const struct plan_track *t, bool aac)
{
    struct buf *path = &w->scratch, file = BUF_INIT(BUF_TEXT_MAX);
    bool compilation = w->plan->albums[t->album].kind == PLAN_COMPILATION;
    buf_clear(path);
    buf_adds(path, "file://localhost/Music/");
    put_path(path,
             compilation              ? "Compilations"
             : t->artist == PLAN_NONE ? "Unknown Artist"
                                      : w->artist.data,
             "");
    buf_addc(path, '/');
    put_path(path, w->album.len == 0 ? "Unknown Album" : w->album.data, "");
    buf_addf(&file, "%02u %s", t->number, w->title.data);
    buf_addc(path, '/');
    put_path(path, file.data, aac ? ".m4a" : ".mp3");
    put_text(w, LOCATION, path->data);
    buf_free(&file);
}

/* Seconds since 1904 in the Pacific time zone, as the original's player kept it; its summer time is
 * taken to be April to October. */
static uint64_t play_date(int64_t unix_s)
{
    char date[32];
    text_utc(date, sizeof date, unix_s * 1000000000);
    int month = (date[5] - '0') * 10 + date[6] - '0';
    return (uint64_t)(unix_s + 2082844800 - INT64_C(3600) * (month >= 4 && month <= 10 ? 7 : 8));
}

static void put_history(struct doc_writer *w, struct rng *r, const struct album_facts *f)
{
    int64_t played = f->added + (int64_t)below(r, 100000000);
    if (chance(r, 600)) {
        uint32_t count = 1 + below(r, 1 + below(r, 1 + below(r, 30)));
        put_date(w, PLAY_DATE_UTC, played);
        put(w, PLAY_DATE, "%llu", (unsigned long long)play_date(played));
        put(w, PLAY_COUNT, "%u", count);
    }
    if (chance(r, 100)) {
        put_date(w, SKIP_DATE, played + (int64_t)below(r, 10000000));
        put(w, SKIP_COUNT, "%u", 1 + below(r, 1 + below(r, 4)));
    }
    if (chance(r, 400)) {
        put(w, RATING, "%u", 20 * (2 + below(r, 4)));
    }
    if (f->rated) {
        put(w, ALBUM_RATING, "%u", f->rating);
        put(w, ALBUM_RATING_COMPUTED, "true");
    }
}

static void put_sound(struct doc_writer *w, struct rng *r, const struct album_facts *f,
                      bool compilation)
{
    bool aac = f->aac < 4;
    /* minutes: mostly 2 to 6, now and then much shorter or longer */
    uint32_t ms = 110000 + below(r, 130000);
    ms += below(r, 130000);
    if (chance(r, 60)) {
        ms = 15000 + below(r, 90000);
    } else if (chance(r, compilation ? 100 : 40)) {
        ms += below(r, 900000);
    }
    uint32_t rate = aac || !chance(r, 350) ? f->rate : 130 + below(r, 130);
    uint64_t size = (uint64_t)ms * rate / 8 * (850 + below(r, 160)) / 1000;
    size += below(r, 90000);
    put_text(w, KIND,
             f->purchased ? "Purchased AAC audio file"
             : aac        ? "AAC audio file"
                          : "MPEG audio file");
    put(w, TOTAL_TIME, "%u", ms);
    put(w, SIZE, "%llu", (unsigned long long)size);
    put(w, BIT_RATE, "%u", rate);
    if (f->sample_rate) {
        put(w, SAMPLE_RATE, "44100");
    }
    if (f->purchased) {
        put(w, PURCHASED, "true");
    }
}

static void put_names(struct doc_writer *w, struct rng *r, const struct plan_track *t)
{
    const struct plan *p = w->plan;
    enum flavour flavour = flavour_of(p, t->artist);
    buf_clear(&w->artist);
    buf_clear(&w->album);
    if (t->artist != PLAN_NONE) {
        doc_artist(p, t->artist, &w->scratch);
        names_spell(w->scratch.data, t->spelling, &w->artist);
        if (t->the) {
            buf_clear(&w->scratch);
            buf_addf(&w->scratch, "The %s", w->artist.data);
            buf_clear(&w->artist);
            buf_adds(&w->artist, w->scratch.data);
        }
        put_text(w, ARTIST, w->artist.data);
    }
    if (!p->albums[t->album].nameless) {
        doc_album(p, t->album, &w->album);
        put_text(w, ALBUM, w->album.data);
    }
    if (t->rock != PLAN_NO_ROCK) {
        names_rock(r, t->rock, &w->title);
    } else if (w->album.len > 0 && chance(r, 70)) {
        buf_clear(&w->title); /* the album is named after it */
        buf_adds(&w->title, w->album.data);
    } else {
        names_title(r, flavour, &w->title);
    }
    put_text(w, NAME, w->title.data);
}

/* A hexadecimal number that no other line has: the mixing is a permutation of 64-bit numbers. */
static void put_id(struct doc_writer *w, uint32_t line)
{
    char id[17], first[17];
    snprintf(id, sizeof id, "%016llX",
             (unsigned long long)library_plan_mix(w->id_seed, FOR_ID, line));
    snprintf(first, sizeof first, "%016llX",
             (unsigned long long)library_plan_mix(w->id_seed, FOR_ID, 0));
    /* the first line has the id that marks the file; should that be another line's, they swap */
    put_text(w, PERSISTENT_ID,
             line == 0                            ? GENERATE_FIRST_ID
             : strcmp(id, GENERATE_FIRST_ID) == 0 ? first
                                                  : id);
}

/* ---- putting together ---------------------------------------------------------------------- */

/* The order of members depends on which there are, as in a hash table. */
static uint32_t order_keys(const struct doc_writer *w, uint8_t *order)
{
    uint64_t set = 0;
    uint32_t n = 0;
    for (uint32_t key = 0; key < KEYS; key++) {
        if (w->members[key].len > 0) {
            set |= UINT64_C(1) << key;
            order[n++] = (uint8_t)key;
        }
    }
    struct rng r;
    rng_seed(&r, library_plan_mix(0, FOR_KEYS, set));
    uint32_t swaps = n <= 17 ? n : 3; /* a small table has quite another order */
    for (uint32_t k = 0; k < swaps; k++) {
        uint32_t a = below(&r, n - 1), b = n <= 17 ? below(&r, n) : a + 1;
        uint8_t key = order[a];
        order[a] = order[b];
        order[b] = key;
    }
    return n;
}

static void put_album_facts(struct doc_writer *w, struct rng *r, const struct plan_track *t,
                            const struct album_facts *f)
{
    bool compilation = w->plan->albums[t->album].kind == PLAN_COMPILATION;
    put(w, TRACK_NUMBER, "%u", t->number);
    if (f->track_count) {
        put(w, TRACK_COUNT, "%u", t->count > 4 ? t->count : 8 + t->album % 9);
    }
    put(w, YEAR, "%u", compilation ? f->year - below(r, 20) : f->year);
    if (f->genre != NULL) {
        put_text(w, GENRE, f->genre);
    }
    if (f->artwork) {
        put(w, ARTWORK_COUNT, "1");
    }
    if (f->discs) {
        put(w, DISC_NUMBER, "%u", f->disc);
        put(w, DISC_COUNT, "%u", f->disc_count);
    }
    if (compilation) {
        put(w, COMPILATION, "true");
    }
    if (f->album_artist && compilation) {
        put_text(w, ALBUM_ARTIST, "Various Artists");
    } else if (f->album_artist && t->artist != PLAN_NONE) {
        put_text(w, ALBUM_ARTIST, w->artist.data);
    }
    if (f->composer) {
        struct rng same; /* mostly one for the album */
        seeded(&same, w->plan, FOR_ALBUM_FACTS, t->album);
        names_person(chance(r, 300) ? r : &same, &w->scratch);
        put_text(w, COMPOSER, w->scratch.data);
    }
    put_date(w, DATE_ADDED, f->added + (int64_t)t->number * (1 + t->album % 9));
    put_date(w, DATE_MODIFIED, f->modified + t->number);
}

void doc_write(struct doc_writer *w, uint32_t line, struct buf *out)
{
    static const char *const groupings[] = {"Borrowed", "Live", "Vinyl", "Mixtape", "Singles"};
    uint32_t number = plan_shuffle(w->order_seed, w->plan->docs, line);
    struct plan_track t;
    struct album_facts f;
    struct rng r;
    plan_track(w->plan, number, &t);
    album_facts(w->plan, t.album, &f);
    seeded(&r, w->plan, FOR_TRACK, number);
    memset(w->members, 0, sizeof w->members);
    buf_clear(&w->values);

    put_names(w, &r, &t);
    put_id(w, line);
    put(w, TRACK_ID, "%u", 5000 + 2 * number);
    put_text(w, TRACK_TYPE, f.remote ? "Remote" : "File");
    put_sound(w, &r, &f, w->plan->albums[t.album].kind == PLAN_COMPILATION);
    put_album_facts(w, &r, &t, &f);
    put_history(w, &r, &f);
    if (!f.remote) {
        put_location(w, &t, f.aac < 4);
        put(w, LIBRARY_FOLDER_COUNT, "1");
        put(w, FILE_FOLDER_COUNT, "4");
        if (chance(&r, 500)) {
            put(w, FILE_TYPE, "%u", f.aac < 4 ? 1295270176u : 1297106739u);
        }
    }
    if (chance(&r, 50)) {
        put_text(w, GROUPING, any(&r, groupings, sizeof groupings / sizeof groupings[0]));
    }
    if (chance(&r, 40)) {
        names_comment(&r, &w->scratch);
        put_text(w, COMMENTS, w->scratch.data);
    }
    if (chance(&r, 60)) {
        put(w, CLEAN, "true");
    }

    uint8_t order[KEYS];
    uint32_t n = order_keys(w, order);
    for (uint32_t k = 0; k < n; k++) {
        buf_addf(out, "%c\"%s\":", k == 0 ? '{' : ',', key_names[order[k]]);
        buf_add(out, w->values.data + w->members[order[k]].at, w->members[order[k]].len);
    }
    buf_addc(out, '}');
}

struct doc_writer *doc_writer_new(const struct plan *p)
{
    struct doc_writer *w = mem_zero(1, sizeof *w);
    struct buf *bufs[] = {&w->artist, &w->album, &w->title, &w->scratch, &w->values};
    for (size_t i = 0; i < sizeof bufs / sizeof bufs[0]; i++) {
        buf_init(bufs[i], BUF_TEXT_MAX);
    }
    w->plan = p;
    w->order_seed = library_plan_mix(p->seed, FOR_FILE_ORDER, 0);
    w->id_seed = library_plan_mix(p->seed, FOR_ID, 0);
    return w;
}

void doc_writer_free(struct doc_writer *w)
{
    buf_free(&w->artist);
    buf_free(&w->album);
    buf_free(&w->title);
    buf_free(&w->scratch);
    buf_free(&w->values);
    free(w);
}
