#include "base/hist.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Bucket numbers: 0 to 255 are the values themselves; then 128 for each power of two from 2^8 to
 * 2^41; then one for everything from 2^42 on. 4,609 buckets of 8 bytes: 36 KiB a histogram. */
enum {
    SUB_BITS = 7,
    SUB = 1 << SUB_BITS,
    LINEAR_BITS = SUB_BITS + 1, /* below 2^8 a bucket of 1/128 would be narrower than 1 ns */
    LINEAR = 1 << LINEAR_BITS,
    TOP_BITS = 42,
    LAST = LINEAR + (TOP_BITS - LINEAR_BITS) * SUB,
    BUCKETS = LAST + 1,
};

/* 292 years: what values and sums are cut to, so that a double holds any of them (rounded). */
#define MOST ((uint64_t)1 << 63)

struct hist {
    uint64_t count, min, max;
    uint64_t sum; /* ns; stays at MOST rather than wrap */
    uint64_t bucket[BUCKETS];
};

static size_t index_of(uint64_t ns)
{
    if (ns < LINEAR) {
        return (size_t)ns;
    }
    if (ns >> TOP_BITS != 0) {
        return LAST;
    }
    int exponent = 63 - __builtin_clzll(ns);
    return (size_t)(LINEAR + (exponent - LINEAR_BITS) * SUB) +
           (size_t)((ns >> (exponent - SUB_BITS)) - SUB);
}

static uint64_t lower_of(size_t i)
{
    if (i < LINEAR) {
        return i;
    }
    size_t exponent = LINEAR_BITS + (i - LINEAR) / SUB; /* LAST comes out as 2^42 */
    return (SUB + (uint64_t)(i - LINEAR) % SUB) << (exponent - SUB_BITS);
}

/* The value that stands for a bucket: its middle, no farther than half a width (1/256 of the lower
 * bound) from anything in it; the open last one is stood for by the largest value seen. */
static uint64_t value_of(const struct hist *h, size_t i)
{
    if (i == LAST) {
        return h->max;
    }
    uint64_t low = lower_of(i), v = low + (lower_of(i + 1) - 1 - low) / 2;
    return v < h->min ? h->min : v > h->max ? h->max : v;
}

static uint64_t add_capped(uint64_t a, uint64_t b)
{
    return a > MOST - b ? MOST : a + b; /* neither is above MOST */
}

struct hist *hist_new(void)
{
    return mem_zero(1, sizeof(struct hist));
}

void hist_free(struct hist *h)
{
    free(h);
}

void hist_clear(struct hist *h)
{
    memset(h, 0, sizeof *h);
}

void hist_add(struct hist *h, uint64_t ns)
{
    ns = ns < MOST ? ns : MOST;
    if (h->count == 0 || ns < h->min) {
        h->min = ns;
    }
    if (ns > h->max) {
        h->max = ns;
    }
    h->count++;
    h->sum = add_capped(h->sum, ns);
    h->bucket[index_of(ns)]++;
}

void hist_merge(struct hist *into, const struct hist *from)
{
    if (from->count == 0) {
        return;
    }
    if (into->count == 0 || from->min < into->min) {
        into->min = from->min;
    }
    if (from->max > into->max) {
        into->max = from->max;
    }
    into->count += from->count;
    into->sum = add_capped(into->sum, from->sum);
    for (size_t i = 0; i < BUCKETS; i++) {
        into->bucket[i] += from->bucket[i];
    }
}

uint64_t hist_count(const struct hist *h)
{
    return h->count;
}

uint64_t hist_min(const struct hist *h)
{
    return h->min;
}

uint64_t hist_max(const struct hist *h)
{
    return h->max;
}

double hist_mean(const struct hist *h)
{
    return h->count == 0 ? 0 : (double)h->sum / (double)h->count;
}

/* The rank, from 1, of the value at a percentile: nearest rank. The factor keeps 99.9 % of 1,000,
 * which in binary is a hair above 999, from being the 1,000th. */
static uint64_t rank_of(const struct hist *h, double percent)
{
    double rank = ceil(percent / 100 * (double)h->count * (1 - 1e-12));
    if (!(rank >= 1)) {
        return 1;
    }
    return rank >= (double)h->count ? h->count : (uint64_t)rank;
}

uint64_t hist_percentile(const struct hist *h, double percent)
{
    if (h->count == 0) {
        return 0;
    }
    uint64_t rank = rank_of(h, percent), seen = 0;
    if (rank == h->count) {
        return h->max;
    }
    for (size_t i = 0; i < BUCKETS; i++) {
        seen += h->bucket[i];
        if (seen >= rank) {
            return value_of(h, i);
        }
    }
    return h->max;
}

bool hist_supports(const struct hist *h, double percent)
{
    return h->count > 0 && h->count - rank_of(h, percent) >= 10;
}

/* ---- JSON ------------------------------------------------------------------------------------ */

cJSON *hist_to_json(const struct hist *h)
{
    cJSON *o = json_object();
    json_add_str(o, "unit", "ns");
    json_add_u64(o, "count", h->count);
    json_add_u64(o, "min", h->min);
    json_add_u64(o, "max", h->max);
    json_add_u64(o, "sum", h->sum);
    cJSON *buckets = json_add(o, "buckets", json_array());
    for (size_t i = 0; i < BUCKETS; i++) {
        if (h->bucket[i] != 0) {
            cJSON *pair = json_array();
            json_append(pair, cJSON_CreateNumber((double)lower_of(i)));
            json_append(pair, cJSON_CreateNumber((double)h->bucket[i]));
            json_append(buckets, pair);
        }
    }
    return o;
}

/* A whole number from 0 to `most`. */
static bool whole(const cJSON *v, double most, uint64_t *out)
{
    if (!cJSON_IsNumber(v) || !(v->valuedouble >= 0) || v->valuedouble > most ||
        floor(v->valuedouble) != v->valuedouble) {
        return false;
    }
    *out = (uint64_t)v->valuedouble;
    return true;
}

static bool read_buckets(struct hist *h, const cJSON *buckets)
{
    uint64_t left = h->count;
    size_t first = BUCKETS, last = 0;
    const cJSON *pair;
    cJSON_ArrayForEach(pair, buckets)
    {
        const cJSON *low = cJSON_IsArray(pair) ? pair->child : NULL;
        uint64_t lower, n;
        if (low == NULL || low->next == NULL || low->next->next != NULL ||
            !whole(low, 0x1p42, &lower) || !whole(low->next, 0x1p53, &n)) {
            return false;
        }
        size_t i = index_of(lower);
        /* each bucket once and in order, so that a long list cannot repeat one */
        if (lower_of(i) != lower || (first < BUCKETS && i <= last) || n == 0 || n > left) {
            return false;
        }
        first = first < BUCKETS ? first : i;
        last = i;
        left -= n;
        h->bucket[i] = n;
    }
    if (left != 0) {
        return false;
    }
    return h->count == 0 ? h->min == 0 && h->max == 0 && h->sum == 0
                         : index_of(h->min) == first && index_of(h->max) == last;
}

struct hist *hist_from_json(const cJSON *json, struct err *err)
{
    struct hist *h = hist_new();
    const cJSON *buckets = json_get(json, "buckets");
    const double limit = (double)MOST;
    if (!cJSON_IsObject(json)) {
        err_set(err, ERR_USAGE, "a histogram must be an object");
        goto fail;
    }
    if (strcmp(json_str(json, "unit", ""), "ns") != 0) {
        err_set(err, ERR_USAGE, "a histogram's unit must be \"ns\"");
        goto fail;
    }
    if (!whole(json_get(json, "count"), 0x1p53, &h->count) ||
        !whole(json_get(json, "min"), limit, &h->min) ||
        !whole(json_get(json, "max"), limit, &h->max) ||
        !whole(json_get(json, "sum"), limit, &h->sum) || h->min > h->max ||
        !cJSON_IsArray(buckets)) {
        err_set(err, ERR_USAGE,
                "a histogram needs count, min, max and sum (whole numbers) and buckets (a list)");
        goto fail;
    }
    /* Doubles above 2^53 are rounded, hence the slack. */
    double n = (double)h->count, sum = (double)h->sum;
    if (sum < (double)h->min * n * (1 - 1e-9) || sum > (double)h->max * n * (1 + 1e-9)) {
        err_set(err, ERR_USAGE, "a histogram's sum cannot be between count times min and max");
        goto fail;
    }
    if (!read_buckets(h, buckets)) {
        err_set(err, ERR_USAGE,
                "a histogram's buckets must be [lower bound, count] pairs in order that add up");
        goto fail;
    }
    return h;
fail:
    hist_free(h);
    return NULL;
}

/* ---- HdrHistogram's text --------------------------------------------------------------------- */

/* As outputPercentileDistribution of HdrHistogram prints, with 5 ticks to each halving of the
 * distance to 100 %: a line when the cumulated share reaches the next tick, one for 100 %, and the
 * three lines of totals that its plotters skip or read. */
void hist_percentile_text(const struct hist *h, struct buf *out)
{
    const double ms = 1e-6;
    buf_adds(out, "       Value     Percentile TotalCount 1/(1-Percentile)\n\n");
    double tick = 0, mean = hist_mean(h), square = 0;
    uint64_t seen = 0;
    for (size_t i = 0; i < BUCKETS; i++) {
        if (h->bucket[i] == 0) {
            continue;
        }
        double value = (double)value_of(h, i);
        seen += h->bucket[i];
        square += (double)h->bucket[i] * (value - mean) * (value - mean);
        double share = 100 * (double)seen / (double)h->count;
        while (tick <= share && tick < 100) {
            buf_addf(out, "%12.3f %2.12f %10" PRIu64 " %14.2f\n", value * ms, tick / 100, seen,
                     1 / (1 - tick / 100));
            double halvings = floor(log2(100 / (100 - tick))) + 1;
            tick += 100 / (5 * exp2(halvings));
            if (seen == h->count) {
                break;
            }
        }
    }
    if (h->count > 0) {
        buf_addf(out, "%12.3f %2.12f %10" PRIu64 "\n", (double)h->max * ms, 1.0, h->count);
    }
    buf_addf(out, "#[Mean    = %12.3f, StdDeviation   = %12.3f]\n", mean * ms,
             h->count > 0 ? sqrt(square / (double)h->count) * ms : 0);
    buf_addf(out, "#[Max     = %12.3f, Total count    = %12" PRIu64 "]\n", (double)h->max * ms,
             h->count);
    buf_addf(out, "#[Buckets = %12d, SubBuckets     = %12d]\n", TOP_BITS - LINEAR_BITS + 1, SUB);
}
