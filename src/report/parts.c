#include "report/parts.h"

#include <math.h>
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

/* Decimals for three significant figures. */
static int places_of(double x)
{
    return x >= 99.95 ? 0 : x >= 9.995 ? 1 : x >= 0.9995 ? 2 : 3;
}

char *time_in(char *out, size_t size, double seconds, struct time_unit unit, double like)
{
    double a = fabs(like * unit.factor);
    snprintf(out, size, "%.*f", places_of(a), seconds * unit.factor);
    return out;
}

char *time_beside(char *out, size_t size, double seconds, double like)
{
    char figure[64];
    bool far = seconds * time_unit_for(like).factor >= 9999.5;
    struct time_unit unit = time_unit_for(far ? seconds : like);
    snprintf(out, size, "%s %s",
             time_in(figure, sizeof figure, seconds, unit, far ? seconds : like), unit.name);
    return out;
}

/* A failed request of one object is one failure, not that of a request and of a document; one of a
 * batch is that of each document. */
static uint64_t failures(uint64_t requests, uint64_t docs)
{
    return docs > requests ? docs : requests;
}

uint64_t step_failures(const struct step *s)
{
    return failures(s->requests.conflict, s->docs.conflict) +
           failures(s->requests.http_error, s->docs.http_error) +
           failures(s->requests.transport_error, s->docs.transport_error) +
           failures(s->requests.timeout, s->docs.timeout) +
           failures(s->requests.unknown, s->docs.unknown);
}

char *errors_text(char *out, size_t size, const struct step *s)
{
    const struct {
        uint64_t n;
        const char *one, *many;
    } classes[] = {
        {failures(s->requests.conflict, s->docs.conflict), "conflict", "conflicts"},
        {failures(s->requests.http_error, s->docs.http_error), "refusal", "refusals"},
        {failures(s->requests.transport_error, s->docs.transport_error), "broken off",
         "broken off"},
        {failures(s->requests.timeout, s->docs.timeout), "timeout", "timeouts"},
        {failures(s->requests.unknown, s->docs.unknown), "unknown outcome", "unknown outcomes"},
        {failures(s->requests.retried, s->docs.retried), "retry", "retries"},
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

char *ratio_text(char *out, size_t size, double ratio)
{
    if (ratio < 0.1) {
        snprintf(out, size, "%.3g x", ratio);
    } else {
        snprintf(out, size, "%.*f x", places_of(ratio), ratio);
    }
    return out;
}

void ratio_cells(struct table *t, const struct stats_comparison *c)
{
    char text[40];
    table_cell(t, "%s", ratio_text(text, sizeof text, c->ratio));
    if (c->has_interval) {
        int places = places_of(c->low);
        table_cell(t, "%.*f…%.*f", places, c->low, places, c->high);
    } else {
        table_cell(t, "%s", "");
    }
    if (c->p_holm < 0.0005) {
        table_cell(t, "%s", "<0.001");
    } else {
        table_cell(t, "%.3f", c->p_holm);
    }
}

/* What its items are is the rate of TuneMark's steps; bytes are the point of the other workloads.
 */
bool bytes_matter(const struct column *c)
{
    return strcmp(c->spec->workload, "tunemark") != 0;
}

char *rate_text(char *out, size_t size, const struct step *s)
{
    char number[40];
    out[0] = '\0';
    if (s->n > 0 && s->items > 0 && s->s.median > 0) {
        snprintf(out, size, "%s %ss/s",
                 text_figure(number, sizeof number, (double)s->items / s->s.median), s->unit);
    }
    return out;
}

char *throughput_text(char *out, size_t size, const struct step *s)
{
    char si[40], iec[40];
    out[0] = '\0';
    if (s->n > 0 && s->payload_bytes > 0 && s->s.median > 0) {
        double rate = (double)s->payload_bytes / s->s.median;
        snprintf(out, size, "%s/s (%s/s)", text_bytes(si, sizeof si, rate, false),
                 text_bytes(iec, sizeof iec, rate, true));
    }
    return out;
}
