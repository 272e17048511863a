#include "base/option.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void *at(const struct opt *o, void *into)
{
    return (char *)into + o->offset;
}

static const void *at_const(const struct opt *o, const void *from)
{
    return (const char *)from + o->offset;
}

const struct opt *option_find(const struct opt *table, const char *name)
{
    for (; table->name != NULL; table++) {
        if (strcmp(table->name, name) == 0) {
            return table;
        }
    }
    return NULL;
}

/* ---- values -------------------------------------------------------------------------------- */

static int choice_index(const struct opt *o, const char *text, struct err *err)
{
    struct buf known = BUF_INIT(900);
    for (int i = 0; o->choices[i] != NULL; i++) {
        if (strcmp(o->choices[i], text) == 0) {
            buf_free(&known);
            return i;
        }
        buf_addf(&known, "%s%s", i ? ", " : "", o->choices[i]);
    }
    const char *near = text_nearest(text, o->choices);
    if (near != NULL) {
        err_set(err, ERR_USAGE, "\"%s\" is not known; did you mean \"%s\"? (%s)", text, near,
                buf_text(&known));
    } else {
        err_set(err, ERR_USAGE, "\"%s\" is not one of %s", text, buf_text(&known));
    }
    buf_free(&known);
    return -1;
}

static int set_bits(const struct opt *o, const char *text, uint32_t *bits, struct err *err)
{
    size_t n;
    char **words = option_split(text, &n);
    int rc = 0;
    uint32_t all = 0;
    for (int i = 0; o->choices[i] != NULL; i++) {
        all |= 1u << i;
    }
    *bits = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        if (strcmp(words[i], "all") == 0) {
            *bits |= all;
        } else {
            int bit = choice_index(o, words[i], err);
            if (bit < 0) {
                rc = -1;
            } else {
                *bits |= 1u << bit;
            }
        }
    }
    if (rc == 0 && *bits == 0) {
        rc = err_set(err, ERR_USAGE, "the list is empty");
    }
    free(words);
    return rc;
}

static int yes_no(const char *text, bool *value, struct err *err)
{
    static const char *const yes[] = {"yes", "true", "1", "on"}, *const no[] = {"no", "false", "0",
                                                                                "off"};
    for (size_t i = 0; i < 4; i++) {
        if (strcmp(text, yes[i]) == 0 || strcmp(text, no[i]) == 0) {
            *value = strcmp(text, yes[i]) == 0;
            return 0;
        }
    }
    return err_set(err, ERR_USAGE, "\"%s\" is neither yes nor no", text);
}

/* The bound as its option would be typed, so that the message can be acted on. */
static void bound_text(const struct opt *o, double bound, char *out, size_t size)
{
    char digits[40];
    if (o->type == OPT_DURATION) {
        text_seconds(out, size, bound / 1e9);
    } else if (o->type == OPT_NUMBER || o->type == OPT_PERCENT) {
        snprintf(out, size, o->type == OPT_PERCENT ? "%g%%" : "%g", bound);
    } else {
        snprintf(out, size, "%s", text_grouped(digits, sizeof digits, (uint64_t)bound));
    }
}

static int check_range(const struct opt *o, double value, const char *text, struct err *err)
{
    char low[48], high[48];
    bound_text(o, o->min, low, sizeof low);
    bound_text(o, o->max, high, sizeof high);
    if (value < o->min && o->max > 0) {
        return err_set(err, ERR_USAGE, "%s is out of range: %s to %s", text, low, high);
    }
    if (value < o->min) {
        return err_set(err, ERR_USAGE, "%s is too small: at least %s", text, low);
    }
    if (o->max > 0 && value > o->max) {
        return err_set(err, ERR_USAGE, "%s is out of range: %s to %s", text, low, high);
    }
    return 0;
}

static int set_value(const struct opt *o, void *into, const char *text, struct err *err)
{
    uint64_t u = 0;
    double d = 0;
    int rc, index;
    switch (o->type) {
    case OPT_FLAG:
        return yes_no(text, at(o, into), err);
    case OPT_COUNT:
    case OPT_SIZE:
    case OPT_DURATION:
        rc = o->type == OPT_COUNT  ? text_parse_u64(text, &u, err)
             : o->type == OPT_SIZE ? text_parse_size(text, &u, err)
                                   : text_parse_duration(text, &u, err);
        if (rc < 0 || check_range(o, (double)u, text, err) < 0) {
            return -1;
        }
        memcpy(at(o, into), &u, sizeof u);
        return 0;
    case OPT_NUMBER:
    case OPT_PERCENT:
        rc = o->type == OPT_PERCENT ? text_parse_percent(text, &d, err)
                                    : text_parse_double(text, &d, err);
        if (rc < 0 || check_range(o, d, text, err) < 0) {
            return -1;
        }
        memcpy(at(o, into), &d, sizeof d);
        return 0;
    case OPT_TEXT: {
        char **p = at(o, into);
        if (*text == '\0') {
            return err_set(err, ERR_USAGE, "the value is empty");
        }
        free(*p);
        *p = mem_strdup(text);
        return 0;
    }
    case OPT_CHOICE:
        index = choice_index(o, text, err);
        if (index < 0) {
            return -1;
        }
        memcpy(at(o, into), &index, sizeof index);
        return 0;
    case OPT_SET:
        return set_bits(o, text, at(o, into), err);
    }
    return -1;
}

int option_set(const struct opt *o, void *into, const char *text, struct err *err)
{
    return set_value(o, into, text, err) < 0 ? err_prefix(err, "--%s", o->name) : 0;
}

static void show_duration(struct buf *out, uint64_t ns)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"h", 3600000000000u}, {"m", 60000000000u}, {"s", 1000000000u},
                 {"ms", 1000000u},      {"us", 1000u},       {"ns", 1u}};
    size_t i = 0;
    while (i < 5 && (ns < units[i].ns || ns % units[i].ns != 0)) {
        i++;
    }
    buf_addf(out, "%llu%s", (unsigned long long)(ns / units[i].ns), units[i].unit);
}

static void show_size(struct buf *out, uint64_t bytes)
{
    static const struct {
        const char *unit;
        uint64_t bytes;
    } units[] = {{"GiB", 1u << 30}, {"GB", 1000000000u}, {"MiB", 1u << 20},
                 {"MB", 1000000u},  {"KiB", 1u << 10},   {"kB", 1000u}};
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (bytes != 0 && bytes % units[i].bytes == 0) {
            buf_addf(out, "%llu%s", (unsigned long long)(bytes / units[i].bytes), units[i].unit);
            return;
        }
    }
    buf_addf(out, "%llu", (unsigned long long)bytes);
}

char *option_show(const struct opt *o, const void *from)
{
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    const void *p = at_const(o, from);
    uint64_t u;
    switch (o->type) {
    case OPT_FLAG:
        buf_adds(&out, *(const bool *)p ? "yes" : "no");
        break;
    case OPT_COUNT:
    case OPT_SIZE:
    case OPT_DURATION:
        memcpy(&u, p, sizeof u);
        if (o->type == OPT_COUNT) {
            buf_addf(&out, "%llu", (unsigned long long)u);
        } else if (o->type == OPT_SIZE) {
            show_size(&out, u);
        } else {
            show_duration(&out, u);
        }
        break;
    case OPT_NUMBER:
    case OPT_PERCENT:
        buf_addf(&out, o->type == OPT_PERCENT ? "%.15g%%" : "%.15g", *(const double *)p);
        break;
    case OPT_TEXT: {
        const char *s = *(char *const *)p;
        buf_adds(&out, s ? s : "");
        break;
    }
    case OPT_CHOICE:
        buf_adds(&out, o->choices[*(const int *)p]);
        break;
    case OPT_SET:
        for (int i = 0; o->choices[i] != NULL; i++) {
            if (*(const uint32_t *)p >> i & 1u) {
                buf_addf(&out, "%s%s", out.len ? "," : "", o->choices[i]);
            }
        }
        break;
    }
    return buf_take(&out, NULL);
}

void option_defaults(const struct opt *table, void *into)
{
    for (; table->name != NULL; table++) {
        struct err err = ERR_INIT;
        if (table->otherwise != NULL && option_set(table, into, table->otherwise, &err) < 0) {
            fprintf(stderr, "tunecouch: the default of %s\n", err.text); /* a fault in the table */
            abort();
        }
    }
}

void option_release(const struct opt *table, void *into)
{
    for (; table->name != NULL; table++) {
        if (table->type == OPT_TEXT) {
            char **p = at(table, into);
            free(*p);
            *p = NULL;
        }
    }
}

char **option_split(const char *text, size_t *n)
{
    size_t count = 1, len = strlen(text);
    for (const char *p = text; *p != '\0'; p++) {
        count += *p == ',';
    }
    char **words = mem_alloc(count * sizeof *words + len + 1);
    char *copy = (char *)(words + count);
    memcpy(copy, text, len + 1);
    for (size_t i = 0; i < count; i++) {
        char *comma = strchr(copy, ',');
        if (comma != NULL) {
            *comma = '\0';
        }
        copy += strspn(copy, " \t");
        words[i] = copy;
        for (char *end = copy + strlen(copy); end > copy && (end[-1] == ' ' || end[-1] == '\t');) {
            *--end = '\0';
        }
        copy = comma != NULL ? comma + 1 : copy;
    }
    *n = count;
    return words;
}

/* ---- lists of given values ----------------------------------------------------------------- */

/* Tries the value (each element of an axis) on a scratch place of the widest type. */
static int check_value(const struct opt *o, const char *text, struct err *err)
{
    struct opt probe = *o;
    union {
        bool b;
        uint64_t u;
        double d;
        char *s;
        int i;
        uint32_t bits;
    } scratch;
    probe.offset = 0;
    size_t n = 1;
    char **words = o->flags & OPT_AXIS ? option_split(text, &n) : NULL;
    int rc = 0;
    for (size_t i = 0; i < n && rc == 0; i++) {
        memset(&scratch, 0, sizeof scratch);
        rc = set_value(&probe, &scratch, words ? words[i] : text, err);
        if (o->type == OPT_TEXT) {
            free(scratch.s);
        }
    }
    free(words);
    return rc;
}

static int give(struct option_list *list, const struct opt *o, size_t table, const char *text,
                const char *where, struct err *err)
{
    if (check_value(o, text, err) < 0) {
        return err_prefix(err, "%s", where);
    }
    list->given = mem_grow(list->given, list->n, &list->cap, sizeof *list->given);
    list->given[list->n++] = (struct option_given){o, table, mem_strdup(text), mem_strdup(where)};
    return 0;
}

void option_copy(struct option_list *list, const struct option_given *g)
{
    list->given = mem_grow(list->given, list->n, &list->cap, sizeof *list->given);
    list->given[list->n++] =
        (struct option_given){g->option, g->table, mem_strdup(g->text), mem_strdup(g->where)};
}

static int unknown(const struct option_table *tables, size_t n, const char *name,
                   const char *dashes, struct err *err)
{
    size_t total = 0;
    for (size_t t = 0; t < n; t++) {
        for (const struct opt *o = tables[t].options; o->name != NULL; o++) {
            total++;
        }
    }
    const char **names = mem_zero(total + 1, sizeof *names);
    total = 0;
    for (size_t t = 0; t < n; t++) {
        for (const struct opt *o = tables[t].options; o->name != NULL; o++) {
            names[total++] = o->name;
        }
    }
    const char *near = text_nearest(name, names);
    if (near != NULL) {
        err_set(err, ERR_USAGE, "%s%s: no such option; did you mean %s%s?", dashes, name, dashes,
                near);
    } else {
        err_set(err, ERR_USAGE, "%s%s: no such option (see --help)", dashes, name);
    }
    free(names);
    return -1;
}

int option_give(struct option_list *list, const struct option_table *tables, size_t n,
                const char *name, const char *text, const char *where, struct err *err)
{
    for (size_t t = 0; t < n; t++) {
        const struct opt *o = option_find(tables[t].options, name);
        if (o != NULL) {
            char *place = mem_printf("%s: %s", where, name);
            int rc = give(list, o, t, text, place, err);
            free(place);
            return rc;
        }
    }
    unknown(tables, n, name, "", err);
    return err_prefix(err, "%s", where);
}

/* getopt_long's table, and for each of its rows where it came from. */
struct known {
    struct option *longs;
    const struct opt **options;
    size_t *tables;
    char letters[2 * 256 + 2];
    size_t n;
};

static void known_make(struct known *k, const struct option_table *tables, size_t n)
{
    size_t total = 0;
    for (size_t t = 0; t < n; t++) {
        for (const struct opt *o = tables[t].options; o->name != NULL; o++) {
            total++;
        }
    }
    k->longs = mem_zero(total + 1, sizeof *k->longs);
    k->options = mem_zero(total + 1, sizeof *k->options);
    k->tables = mem_zero(total + 1, sizeof *k->tables);
    k->n = 0;
    char *letter = k->letters;
    *letter++ = ':'; /* a missing argument is told apart from an unknown option */
    for (size_t t = 0; t < n; t++) {
        for (const struct opt *o = tables[t].options; o->name != NULL; o++) {
            k->longs[k->n].name = o->name;
            k->longs[k->n].has_arg = o->type == OPT_FLAG ? no_argument : required_argument;
            k->longs[k->n].val = 256 + (int)k->n;
            k->options[k->n] = o;
            k->tables[k->n++] = t;
            if (o->letter != 0) {
                *letter++ = o->letter;
                if (o->type != OPT_FLAG) {
                    *letter++ = ':';
                }
            }
        }
    }
    *letter = '\0';
}

static void known_free(struct known *k)
{
    free(k->longs);
    free(k->options);
    free(k->tables);
}

/* What getopt_long refused, in our words. */
static int refused(int c, int argc, char **argv, const struct option_table *tables, size_t n,
                   struct err *err)
{
    const char *word = optind > 0 && optind <= argc ? argv[optind - 1] : "";
    if (c == ':') {
        return err_set(err, ERR_USAGE, "%s needs a value", word);
    }
    if (text_starts(word, "--")) {
        char *name = mem_strdup(word + 2);
        char *equals = strchr(name, '=');
        if (equals != NULL) {
            *equals = '\0';
            for (size_t t = 0; t < n; t++) {
                if (option_find(tables[t].options, name) != NULL) {
                    err_set(err, ERR_USAGE, "--%s takes no value", name);
                    free(name);
                    return -1;
                }
            }
        }
        unknown(tables, n, name, "--", err);
        free(name);
        return -1;
    }
    return err_set(err, ERR_USAGE, "-%c: no such option (see --help)", optopt);
}

int option_parse(const struct option_table *tables, size_t n, int argc, char **argv,
                 struct option_list *out, struct err *err)
{
    struct known k;
    known_make(&k, tables, n);
    int rc = 0, c;
    optind = 0; /* glibc: start over, whoever used getopt before */
    opterr = 0;
    while (rc == 0 && (c = getopt_long(argc, argv, k.letters, k.longs, NULL)) != -1) {
        size_t row = k.n;
        if (c >= 256) {
            row = (size_t)(c - 256);
        } else if (c != '?' && c != ':') {
            for (row = 0; row < k.n && k.options[row]->letter != c; row++) {
            }
        }
        if (row >= k.n) {
            rc = refused(c, argc, argv, tables, n, err);
        } else {
            char where[80];
            snprintf(where, sizeof where, "--%s", k.options[row]->name);
            rc = give(out, k.options[row], k.tables[row], optarg ? optarg : "yes", where, err);
        }
    }
    for (int i = optind; rc == 0 && i < argc; i++) {
        out->operands =
            mem_grow(out->operands, out->operands_n, &out->operands_cap, sizeof *out->operands);
        out->operands[out->operands_n++] = mem_strdup(argv[i]);
    }
    known_free(&k);
    return rc;
}

int option_apply(const struct option_list *list, const struct option_table *tables, size_t n,
                 struct err *err)
{
    for (size_t i = 0; i < list->n; i++) {
        const struct option_given *g = &list->given[i];
        bool several = (g->option->flags & OPT_AXIS) != 0 && strchr(g->text, ',') != NULL;
        if (g->table < n && tables[g->table].into != NULL && !several &&
            option_set(g->option, tables[g->table].into, g->text, err) < 0) {
            return -1;
        }
    }
    return 0;
}

void option_list_free(struct option_list *list)
{
    for (size_t i = 0; i < list->n; i++) {
        free(list->given[i].text);
        free(list->given[i].where);
    }
    for (size_t i = 0; i < list->operands_n; i++) {
        free(list->operands[i]);
    }
    free(list->given);
    free(list->operands);
    *list = (struct option_list){NULL, 0, 0, NULL, 0, 0};
}
