/* setting: which workload ran on which server, network, data and client: once for what all specs
 * have in common, below each spec's title for the rest. */
#include "report/parts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"

static void what_item(const struct column *c, struct buf *out)
{
    char server[512];
    column_server(c, server, sizeof server);
    const char *url = json_str(c->server, "url", "");
    buf_addf(out, "%s on %s%s%s", c->spec->workload, server, url[0] != '\0' ? " at " : "", url);
}

static void label_item(const struct column *c, struct buf *out)
{
    buf_adds(out, c->result->label != NULL ? c->result->label : "");
}

/* Whether every part of the label ("concurrency=1, batch=50") is in the spec's name, in whatever
 * order. */
static bool label_says(const struct column *c)
{
    char *label = mem_strdup(c->label), *at = NULL;
    bool all = label[0] != '\0';
    for (char *part = strtok_r(label, ",", &at); part != NULL; part = strtok_r(NULL, ",", &at)) {
        all = all && strstr(c->spec->name, part + strspn(part, " ")) != NULL;
    }
    free(label);
    return all;
}

/* Said by the column's title already where that is made of the settings. */
static void spec_item(const struct column *c, struct buf *out)
{
    if (strcmp(c->spec->name, c->spec->workload) != 0 && !label_says(c)) {
        buf_adds(out, c->spec->name);
    }
}

static void partial_item(const struct column *c, struct buf *out)
{
    buf_adds(out, c->result->partial ? "the measurement was interrupted before its end" : "");
}

static void data_item(const struct column *c, struct buf *out)
{
    char text[40];
    const cJSON *data = json_get(c->spec->work, "data");
    const char *name = json_str(data, "name", "");
    double docs = json_num(data, "docs", -1), bytes = json_num(data, "bytes", -1);
    if (name[0] == '\0') {
        return;
    }
    buf_adds(out, name);
    if (docs >= 0 && docs <= 0x1p53) {
        buf_addf(out, ", %s docs", text_grouped(text, sizeof text, (uint64_t)docs));
    }
    if (bytes >= 0) {
        buf_addf(out, ", %s", text_bytes(text, sizeof text, bytes, false));
    }
}

static void work_item(const struct column *c, struct buf *out)
{
    buf_adds(out, json_str(c->spec->work, "summary", ""));
}

static void network_item(const struct column *c, struct buf *out)
{
    char text[40];
    /* a path is to a server: measured to each, unless the network was measured by itself */
    double trip = json_num(c->network, "round_trip_s", json_num(c->server, "round_trip_s", -1));
    double request =
        json_num(c->network, "small_request_s", json_num(c->server, "small_request_s", -1));
    if (c->network == NULL) {
        return;
    }
    buf_adds(out, json_str(c->network, "name", "unnamed"));
    if (trip >= 0) {
        buf_addf(out, ", round trip %s", text_seconds(text, sizeof text, trip));
    }
    if (request >= 0) {
        buf_addf(out, ", a small request %s", text_seconds(text, sizeof text, request));
    }
}

static void client_item(const struct column *c, struct buf *out)
{
    double cores = json_num(c->client, "cores", 0), load = json_num(c->client, "load_1m", -1);
    const char *cpu = json_str(c->client, "cpu", "");
    if (c->client == NULL) {
        return;
    }
    buf_addf(out, "%s%s%s", json_str(c->client, "host", "unnamed"), cpu[0] != '\0' ? ", " : "",
             cpu);
    if (cores > 0) {
        buf_addf(out, ", %.0f core%s", cores, cores > 1 ? "s" : "");
    }
    if (load >= 0) {
        buf_addf(out, ", load %.2f at the start", load);
    }
}

static void runs_item(const struct column *c, struct buf *out)
{
    buf_addf(out, "%zu", c->runs);
    if (c->warmups > 0) {
        buf_addf(out, ", %zu warm-up %s left out", c->warmups, c->warmups == 1 ? "run" : "runs");
    }
    if (c->partial) {
        buf_adds(out, " (PARTIAL: the last was cut short)");
    }
    for (size_t i = 0; i < c->spec->runs_n; i++) {
        const struct run_result *run = &c->spec->runs[i];
        if (run->error != NULL) {
            buf_addf(out, "; %srun %d ended early: %s", run->warmup ? "warm-up " : "", run->number,
                     run->error);
        }
    }
}

/* An empty text is left out. */
static const struct {
    const char *name; /* "": a line of its own */
    void (*text)(const struct column *c, struct buf *out);
} items[] = {
    {"", what_item},           {"label", label_item},   {"spec", spec_item},
    {"PARTIAL", partial_item}, {"data", data_item},     {"work", work_item},
    {"network", network_item}, {"client", client_item}, {"runs", runs_item},
};
enum { ITEMS = sizeof items / sizeof items[0] };

static bool common(const struct view *v, size_t item)
{
    struct buf first = BUF_INIT(BUF_TEXT_MAX), other = BUF_INIT(BUF_TEXT_MAX);
    bool same = true;
    items[item].text(&v->columns[0], &first);
    for (size_t i = 1; i < v->n && same; i++) {
        buf_clear(&other);
        items[item].text(&v->columns[i], &other);
        same = strcmp(buf_text(&first), buf_text(&other)) == 0;
    }
    buf_free(&first);
    buf_free(&other);
    return same;
}

static void print_item(struct page *page, const struct column *c, size_t item)
{
    struct buf text = BUF_INIT(BUF_TEXT_MAX);
    items[item].text(c, &text);
    if (text.len > 0 && items[item].name[0] == '\0') {
        page_line(page, "%s", text.data);
    } else if (text.len > 0) {
        page_item(page, items[item].name, "%s", text.data);
    }
    buf_free(&text);
}

unsigned setting_common(struct page *page, const struct view *v)
{
    unsigned shared = 0;
    for (unsigned i = 0; v->n > 0 && i < ITEMS; i++) {
        if (common(v, i)) {
            shared |= 1u << i;
            print_item(page, &v->columns[0], i);
        }
    }
    return shared;
}

void setting_column(struct page *page, const struct view *v, const struct column *c,
                    unsigned shared, bool title)
{
    struct buf all = BUF_INIT(BUF_TEXT_MAX);
    for (unsigned i = 0; i < ITEMS; i++) {
        if ((shared & 1u << i) == 0) {
            items[i].text(c, &all);
        }
    }
    if (v->n > 1 && (title || all.len > 0)) {
        page_title(page, "%s", c->label);
    }
    for (unsigned i = 0; i < ITEMS; i++) {
        if ((shared & 1u << i) == 0) {
            print_item(page, c, i);
        }
    }
    buf_free(&all);
}
