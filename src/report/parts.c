#include "report/parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/text.h"
#include "report/table.h"

const char *step_state_word(const struct step *s)
{
    return s->failed > 0    ? "failed"
           : s->partial > 0 ? "stopped"
           : s->skipped > 0 ? "skipped"
                            : "ok";
}

struct time_unit time_unit_for(double seconds)
{
    static const struct time_unit units[] = {{"s", 1}, {"ms", 1e3}, {"us", 1e6}, {"ns", 1e9}};
    size_t u = 0;
    while (seconds > 0 && u < 3 && seconds * units[u].factor < 1) {
        u++;
    }
    return units[u];
}

char *time_in(char *out, size_t size, double seconds, struct time_unit unit, double like)
{
    double a = fabs(like * unit.factor);
    int places = a >= 99.95 ? 0 : a >= 9.995 ? 1 : a >= 0.9995 ? 2 : 3;
    snprintf(out, size, "%.*f", places, seconds * unit.factor);
    return out;
}

char *errors_text(char *out, size_t size, const struct step *s)
{
    const struct {
        uint64_t n;
        const char *one, *many;
    } classes[] = {
        {s->requests.conflict + s->docs.conflict, "conflict", "conflicts"},
        {s->requests.http_error + s->docs.http_error, "refusal", "refusals"},
        {s->requests.transport_error + s->docs.transport_error, "broken off", "broken off"},
        {s->requests.timeout + s->docs.timeout, "timeout", "timeouts"},
        {s->requests.unknown + s->docs.unknown, "unknown outcome", "unknown outcomes"},
        {s->requests.retried + s->docs.retried, "retry", "retries"},
    };
    size_t used = 0;
    out[0] = '\0';
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        char number[32];
        if (classes[i].n > 0 && used < size) {
            int n = snprintf(out + used, size - used, "%s%s %s", used > 0 ? ", " : "",
                             text_grouped(number, sizeof number, classes[i].n),
                             classes[i].n == 1 ? classes[i].one : classes[i].many);
            used += n > 0 ? (size_t)n : 0;
        }
    }
    return out;
}

/* ---- what was measured --------------------------------------------------------------------- */

static void data_line(struct buf *out, const struct column *c, size_t width)
{
    const cJSON *data = json_get(c->spec->work, "data");
    const char *name = json_str(data, "name", "");
    double docs = json_num(data, "docs", -1), bytes = json_num(data, "bytes", -1);
    char count[40] = "", size[40] = "";
    if (docs >= 0 && docs <= 0x1p53) {
        text_grouped(count, sizeof count, (uint64_t)docs);
    }
    if (bytes >= 0) {
        text_bytes(size, sizeof size, bytes, false);
    }
    if (name[0] != '\0') {
        put_wrapped(out, width, 9, "data:    %s%s%s%s%s%s", name, count[0] != '\0' ? ", " : "",
                    count, count[0] != '\0' ? " docs" : "", size[0] != '\0' ? ", " : "", size);
    }
}

static void network_line(struct buf *out, const struct column *c, size_t width)
{
    const char *name = json_str(c->network, "name", "");
    double trip = json_num(c->network, "round_trip_s", -1);
    double request = json_num(c->network, "small_request_s", -1);
    char t[40], r[40];
    if (name[0] == '\0' && trip < 0) {
        return;
    }
    put_wrapped(out, width, 9, "network: %s%s%s%s%s", name[0] != '\0' ? name : "unnamed",
                trip >= 0 ? ", round trip " : "", trip >= 0 ? text_seconds(t, sizeof t, trip) : "",
                request >= 0 ? ", a small request " : "",
                request >= 0 ? text_seconds(r, sizeof r, request) : "");
}

static void client_line(struct buf *out, const struct column *c, size_t width)
{
    if (c->client == NULL) {
        return;
    }
    static const char *const words[] = {"host", "cpu"};
    struct buf b = BUF_INIT(BUF_TEXT_MAX);
    for (size_t i = 0; i < sizeof words / sizeof words[0]; i++) {
        const char *value = json_str(c->client, words[i], "");
        buf_addf(&b, "%s%s", b.len > 0 && value[0] != '\0' ? ", " : "", value);
    }
    double cores = json_num(c->client, "cores", 0), load = json_num(c->client, "load_1m", -1);
    if (cores > 0) {
        buf_addf(&b, ", %.0f core%s", cores, cores > 1 ? "s" : "");
    }
    if (load >= 0) {
        buf_addf(&b, ", load %.2f at the start", load);
    }
    put_wrapped(out, width, 9, "client:  %s", buf_text(&b));
    buf_free(&b);
}

static void runs_line(struct buf *out, const struct column *c, size_t width)
{
    char warm[64] = "";
    if (c->warmups > 0) {
        snprintf(warm, sizeof warm, ", %zu warm-up %s left out", c->warmups,
                 c->warmups == 1 ? "run" : "runs");
    }
    put_wrapped(out, width, 9, "runs:    %zu%s%s", c->runs, warm,
                c->partial ? " (PARTIAL: the last was cut short)" : "");
    for (size_t i = 0; i < c->spec->runs_n; i++) {
        const struct run_result *run = &c->spec->runs[i];
        if (run->error != NULL) {
            put_wrapped(out, width, 9, "         %srun %d ended early: %s",
                        run->warmup ? "warm-up " : "", run->number, run->error);
        }
    }
}

void setting_lines(struct buf *out, const struct view *v, const struct column *c, size_t width)
{
    char server[512];
    column_server(c, server, sizeof server);
    const char *url = json_str(c->server, "url", "");
    if (v->n > 1) {
        put_line(out, "== %s ==", c->label);
    }
    put_wrapped(out, width, 9, "%s on %s%s%s", c->spec->workload, server,
                url[0] != '\0' ? " at " : "", url);
    if (c->result->label != NULL) {
        put_wrapped(out, width, 9, "label:   %s", c->result->label);
    }
    if (strcmp(c->spec->name, c->spec->workload) != 0) {
        put_wrapped(out, width, 9, "spec:    %s", c->spec->name);
    }
    if (c->result->partial) {
        put_line(out, "PARTIAL: the measurement was interrupted before its end");
    }
    data_line(out, c, width);
    network_line(out, c, width);
    client_line(out, c, width);
    runs_line(out, c, width);
}

/* ---- below the tables ---------------------------------------------------------------------- */

/* A sentence and the steps it is about. Steps of which the same is said share a line. */
struct remark {
    char *text;
    struct buf about;
};

struct remarks {
    struct remark *all;
    size_t n, cap;
};

/* Takes `text`. `about` may hold a figure of the step's own: "Import 2 of 10". */
static void remark(struct remarks *r, char *text, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void remark(struct remarks *r, char *text, const char *fmt, ...)
{
    char about[400];
    size_t i = 0;
    va_list ap;
    va_start(ap, fmt);
    vsnprintf(about, sizeof about, fmt, ap);
    va_end(ap);
    while (i < r->n && strcmp(r->all[i].text, text) != 0) {
        i++;
    }
    if (i < r->n) {
        free(text);
    } else {
        r->all = mem_grow(r->all, r->n, &r->cap, sizeof *r->all);
        r->all[r->n++] = (struct remark){text, BUF_INIT(BUF_TEXT_MAX)};
    }
    struct buf *names = &r->all[i].about;
    if (strstr(buf_text(names), about) == NULL) {
        buf_addf(names, "%s%s", names->len > 0 ? "; " : "", about);
    }
}

static void step_remarks(struct remarks *r, const struct view *v, const struct column *c,
                         const struct step *s)
{
    char name[400], words[200];
    snprintf(name, sizeof name, "%s%s%s", v->n > 1 ? c->label : "", v->n > 1 ? ": " : "", s->title);
    if (s->n < s->runs) {
        remark(r,
               mem_printf("%s in %zu of %zu runs%s%s", step_state_word(s), s->runs - s->n, s->runs,
                          s->reason[0] != '\0' ? ": " : "", s->reason),
               "%s", name);
    }
    if (errors_text(words, sizeof words, s)[0] != '\0') {
        remark(r, mem_printf("%s, over all runs", words), "%s", name);
    }
    for (size_t i = 0; i < s->notes_n; i++) {
        remark(r, mem_strdup(s->notes[i]), "%s", s->title);
    }
    if (s->busy > 0.2) {
        remark(r, mem_strdup("the share of the time in which the client itself was at work"),
               "%s %.0f %%", name, s->busy * 100);
    }
    if (s->s.outliers > 0 && s->n >= STATS_CI_MIN) {
        remark(r,
               mem_strdup("runs that are outliers by " STATS_OUTLIER_RULE
                          "; in the figures all the same"),
               "%s %zu of %zu", name, s->s.outliers, s->n);
    }
    struct stats_trend trend;
    stats_trend(s->seconds, s->n, &trend);
    if (trend.verdict == TREND_GROWS || trend.verdict == TREND_FALLS) {
        remark(
            r,
            mem_printf("drifts over the runs: %s", trend_words(words, sizeof words, &trend, "run")),
            "%s", name);
    }
}

void note_lines(struct buf *out, const struct view *v, size_t width)
{
    size_t few = SIZE_MAX;
    struct remarks r = {NULL, 0, 0};
    for (size_t i = 0; i < v->n; i++) {
        for (size_t k = 0; k < v->columns[i].steps_n; k++) {
            const struct step *s = &v->columns[i].steps[k];
            step_remarks(&r, v, &v->columns[i], s);
            few = s->n > 0 && s->n < few ? s->n : few;
        }
    }
    if (r.n > 0 || few < STATS_CI_MIN) {
        buf_addc(out, '\n');
    }
    for (size_t i = 0; i < r.n; i++) {
        put_wrapped(out, width, 2, "- %s: %s", buf_text(&r.all[i].about), r.all[i].text);
        buf_free(&r.all[i].about);
        free(r.all[i].text);
    }
    if (few < STATS_CI_MIN) {
        put_wrapped(out, width, 2,
                    "- with fewer than %d runs there is no 95 %% interval of the median (least "
                    "here: %zu)",
                    STATS_CI_MIN, few);
    }
    free(r.all);
}
