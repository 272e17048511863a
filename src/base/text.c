#include "base/text.h"

#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>

#include "base/mem.h"

bool text_starts(const char *s, const char *prefix)
{
    return strncmp(s, prefix, strlen(prefix)) == 0;
}

/* A plain decimal: digits, at most one point. Returns the end, or NULL. */
static const char *decimal(const char *s, double *value)
{
    const char *p = s;
    size_t digits = 0;
    for (; isdigit((unsigned char)*p); p++) {
        digits++;
    }
    if (*p == '.') {
        for (p++; isdigit((unsigned char)*p); p++) {
            digits++;
        }
    }
    if (digits == 0 || digits > 30) {
        return NULL;
    }
    char copy[40];
    memcpy(copy, s, (size_t)(p - s));
    copy[p - s] = '\0';
    *value = strtod(copy, NULL);
    return p;
}

struct unit {
    const char *name; /* compared without case */
    double factor;
};

static const struct unit *unit_find(const struct unit *units, const char *name)
{
    for (; units->name != NULL; units++) {
        if (strcasecmp(units->name, name) == 0) {
            return units;
        }
    }
    return NULL;
}

static int with_unit(const char *s, const struct unit *units, const char *what, uint64_t *out,
                     struct err *err)
{
    double value;
    const char *end = decimal(s, &value);
    if (end == NULL) {
        return err_set(err, ERR_USAGE, "\"%s\" is not a %s", s, what);
    }
    while (*end == ' ') {
        end++;
    }
    const struct unit *u = unit_find(units, end);
    if (u == NULL) {
        char names[160] = "";
        for (const struct unit *k = units; k->name != NULL; k++) {
            if (k->name[0] != '\0' && strlen(names) + strlen(k->name) + 3 < sizeof names) {
                strcat(names, names[0] ? ", " : "");
                strcat(names, k->name);
            }
        }
        return err_set(err, ERR_USAGE, "\"%s\" is not a %s: the unit \"%s\" is not one of %s", s,
                       what, end, names);
    }
    value *= u->factor;
    if (value >= 18e18) {
        return err_set(err, ERR_USAGE, "\"%s\" is too large", s);
    }
    /* a fraction is of the unit ("1.5k"); what is below one of the base unit means nothing */
    double whole = floor(value + 0.5);
    if (fabs(value - whole) > 1e-6 * fmax(1.0, value)) {
        return err_set(err, ERR_USAGE, "\"%s\" is not a whole number of the smallest unit", s);
    }
    *out = (uint64_t)whole;
    return 0;
}

int text_parse_size(const char *s, uint64_t *bytes, struct err *err)
{
    static const struct unit units[] = {
        {"", 1},           {"B", 1},           {"k", 1e3},           {"kB", 1e3},
        {"m", 1e6},        {"MB", 1e6},        {"g", 1e9},           {"GB", 1e9},
        {"t", 1e12},       {"TB", 1e12},       {"Ki", 1024.0},       {"KiB", 1024.0},
        {"Mi", 1048576.0}, {"MiB", 1048576.0}, {"Gi", 1073741824.0}, {"GiB", 1073741824.0},
        {NULL, 0},
    };
    return with_unit(s, units, "size", bytes, err);
}

int text_parse_duration(const char *s, uint64_t *ns, struct err *err)
{
    static const struct unit units[] = {
        {"", 1e9},   {"ns", 1},     {"us", 1e3},   {"ms", 1e6},    {"s", 1e9},
        {"m", 60e9}, {"min", 60e9}, {"h", 3600e9}, {"d", 86400e9}, {NULL, 0},
    };
    return with_unit(s, units, "duration", ns, err);
}

int text_parse_rate(const char *s, uint64_t *bits_per_s, struct err *err)
{
    static const struct unit units[] = {
        {"bit", 1},  {"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9},       {"B", 8},
        {"kB", 8e3}, {"MB", 8e6},   {"GB", 8e9},   {"KiB", 8 * 1024.0}, {"MiB", 8 * 1048576.0},
        {NULL, 0},
    };
    return with_unit(s, units, "rate", bits_per_s, err);
}

int text_parse_u64(const char *s, uint64_t *value, struct err *err)
{
    uint64_t v = 0;
    if (*s == '\0') {
        return err_set(err, ERR_USAGE, "\"\" is not a whole number");
    }
    for (const char *p = s; *p != '\0'; p++) {
        if (!isdigit((unsigned char)*p)) {
            return err_set(err, ERR_USAGE, "\"%s\" is not a whole number", s);
        }
        if (__builtin_mul_overflow(v, 10u, &v) ||
            __builtin_add_overflow(v, (uint64_t)(*p - '0'), &v)) {
            return err_set(err, ERR_USAGE, "\"%s\" is too large", s);
        }
    }
    *value = v;
    return 0;
}

int text_parse_double(const char *s, double *value, struct err *err)
{
    const char *end = decimal(s, value);
    if (end == NULL || *end != '\0') {
        return err_set(err, ERR_USAGE, "\"%s\" is not a number", s);
    }
    return 0;
}

int text_parse_percent(const char *s, double *value, struct err *err)
{
    const char *end = decimal(s, value);
    if (end != NULL) {
        end += strspn(end, " ");
        end += *end == '%';
    }
    if (end == NULL || *end != '\0') {
        return err_set(err, ERR_USAGE, "\"%s\" is not a percentage", s);
    }
    return 0;
}

char *text_grouped(char *out, size_t size, uint64_t n)
{
    char digits[24], grouped[32];
    int len = snprintf(digits, sizeof digits, "%" PRIu64, n);
    char *p = grouped;
    for (int i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            *p++ = ',';
        }
        *p++ = digits[i];
    }
    *p = '\0';
    snprintf(out, size, "%s", grouped);
    return out;
}

/* three significant figures, never an exponent */
static void significant(char *out, size_t size, double v)
{
    double a = fabs(v);
    int places = a >= 99.95 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : 3;
    if (a > 0 && a < 0.0995) {
        places = (int)ceil(-log10(a)) + 2;
        if (places > 12) {
            places = 12;
        }
    }
    snprintf(out, size, "%.*f", places, v);
}

char *text_figure(char *out, size_t size, double value)
{
    if (value >= 999.5 && value < 1e18) {
        return text_grouped(out, size, (uint64_t)(value + 0.5));
    }
    significant(out, size, value);
    return out;
}

char *text_bytes(char *out, size_t size, double bytes, bool binary)
{
    static const char *const si[] = {"B", "kB", "MB", "GB", "TB"};
    static const char *const iec[] = {"B", "KiB", "MiB", "GiB", "TiB"};
    double base = binary ? 1024 : 1000;
    int i = 0;
    while (i < 4 && bytes >= base * 0.9995) {
        bytes /= base;
        i++;
    }
    char number[32];
    if (i == 0) {
        snprintf(number, sizeof number, "%.0f", bytes);
    } else {
        significant(number, sizeof number, bytes);
    }
    snprintf(out, size, "%s %s", number, binary ? iec[i] : si[i]);
    return out;
}

char *text_seconds(char *out, size_t size, double seconds)
{
    static const struct {
        const char *name;
        double factor;
    } units[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
    size_t i = 0;
    while (i < 3 && seconds * units[i].factor < 1) {
        i++;
    }
    if (seconds == 0) {
        i = 0;
    }
    char number[32];
    significant(number, sizeof number, seconds * units[i].factor);
    snprintf(out, size, "%s %s", number, units[i].name);
    return out;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
}

#define WORD_MAX 64 /* longer words are not compared */

/* Edit distance in which a swap of two neighbours is one edit (optimal string alignment): the
 * commonest slip of the fingers. Both words are at most WORD_MAX long. */
static size_t distance(const char *a, const char *b)
{
    size_t rows[3][WORD_MAX + 1], m = strlen(a), n = strlen(b);
    for (size_t j = 0; j <= n; j++) {
        rows[0][j] = j;
    }
    for (size_t i = 1; i <= m; i++) {
        size_t *row = rows[i % 3], *above = rows[(i - 1) % 3], *above2 = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= n; j++) {
            size_t d = above[j - 1] + (a[i - 1] != b[j - 1]);
            d = least(d, least(above[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                d = least(d, above2[j - 2] + 1);
            }
            row[j] = d;
        }
    }
    return rows[m % 3][n];
}

const char *text_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    size_t best_distance = SIZE_MAX;
    for (; *names != NULL; names++) {
        size_t longer = strlen(word) > strlen(*names) ? strlen(word) : strlen(*names);
        if (longer > WORD_MAX) {
            continue;
        }
        size_t limit = longer / 3 > 0 ? longer / 3 : 1;
        size_t d = distance(word, *names);
        if (d <= limit && d < best_distance) {
            best = *names;
            best_distance = d;
        }
    }
    return best;
}

size_t text_utf8_length(const unsigned char *s, size_t n)
{
    if (n == 0) {
        return 0;
    }
    if (s[0] < 0x80) {
        return 1;
    }
    size_t len = s[0] >= 0xf0 ? 4 : s[0] >= 0xe0 ? 3 : 2;
    if (s[0] < 0xc2 || s[0] > 0xf4 || len > n) {
        return 0;
    }
    for (size_t i = 1; i < len; i++) {
        if ((s[i] & 0xc0) != 0x80) {
            return 0;
        }
    }
    if ((s[0] == 0xe0 && s[1] < 0xa0) || (s[0] == 0xed && s[1] > 0x9f) ||
        (s[0] == 0xf0 && s[1] < 0x90) || (s[0] == 0xf4 && s[1] > 0x8f)) {
        return 0;
    }
    return len;
}

char *text_visible(char *out, size_t size, const char *s)
{
    size_t n = strlen(s), used = 0;
    const unsigned char *p = (const unsigned char *)s;
    while (n > 0) {
        size_t len = text_utf8_length(p, n);
        bool control =
            len == 0 || *p < 0x20 || *p == 0x7f || (len == 2 && p[0] == 0xc2 && p[1] < 0xa0);
        size_t step = len == 0 ? 1 : len;
        char piece[20];
        if (control) {
            size_t at = 0;
            for (size_t i = 0; i < step; i++) {
                at += (size_t)snprintf(piece + at, sizeof piece - at, "\\x%02x", p[i]);
            }
        } else {
            memcpy(piece, p, step);
            piece[step] = '\0';
        }
        size_t add = strlen(piece);
        if (used + add + 4 > size) { /* room for "..." and its NUL */
            if (size >= 4) {
                memcpy(out + used, "...", 4);
            } else if (size > 0) {
                out[0] = '\0';
            }
            return out;
        }
        memcpy(out + used, piece, add);
        used += add;
        p += step;
        n -= step;
    }
    if (size > 0) {
        out[used] = '\0';
    }
    return out;
}

char *text_utc(char *out, size_t size, int64_t unix_ns)
{
    time_t s = (time_t)(unix_ns / 1000000000);
    struct tm tm;
    gmtime_r(&s, &tm);
    snprintf(out, size, "%04d-%02d-%02dT%02d:%02d:%02d.%03dZ", (tm.tm_year + 1900) % 10000,
             tm.tm_mon + 1, tm.tm_mday, tm.tm_hour, tm.tm_min, tm.tm_sec,
             (int)(unix_ns / 1000000 % 1000));
    return out;
}
