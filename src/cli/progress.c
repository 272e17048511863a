#include "cli/progress.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <uv.h>

#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bench/result.h"
#include "bench/spec.h"

#define REDRAW_NS 100000000u /* at most ten times a second */

struct progress {
    struct observer observer;
    char run[160], phase[80];
    uint64_t phase_ns, drawn_ns;
    unsigned position, total;
    uint64_t started_ns;
    bool shown;
};

static void take_away(void *arg)
{
    struct progress *p = arg;
    if (p->shown) {
        fputs("\r\033[K", stderr);
        p->shown = false;
    }
}

static void draw(struct progress *p, const char *detail)
{
    struct winsize size;
    char line[400], safe[400];
    size_t width =
        ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 20 ? size.ws_col : 80;
    char of[16] = ""; /* a search does not know how many */
    if (p->total > 0) {
        snprintf(of, sizeof of, "/%u", p->total);
    }
    snprintf(line, sizeof line, "[%u%s] %s  %s  %s", p->position, of, p->run, p->phase, detail);
    text_visible(safe, sizeof safe < width ? sizeof safe : width, line);
    fprintf(stderr, "\r\033[K%s", safe);
    fflush(stderr);
    p->shown = true;
    p->drawn_ns = uv_hrtime();
}

static void run_started(void *arg, const struct spec *spec, unsigned run, unsigned runs,
                        unsigned position, unsigned total)
{
    struct progress *p = arg;
    snprintf(p->run, sizeof p->run, "%.100s run %u of %u", spec->name, run, runs);
    p->phase[0] = '\0';
    p->position = position;
    p->total = total;
    draw(p, "");
}

static void phase_started(void *arg, const char *name, const char *via)
{
    struct progress *p = arg;
    (void)via;
    snprintf(p->phase, sizeof p->phase, "%s", name);
    p->phase_ns = uv_hrtime();
    draw(p, "");
}

static void on_progress(void *arg, uint64_t done, uint64_t total, uint64_t errors)
{
    struct progress *p = arg;
    uint64_t now = uv_hrtime();
    if (now - p->drawn_ns < REDRAW_NS) {
        return;
    }
    char a[40], b[40], rate[40], left[40] = "", bad[60] = "";
    double seconds = (double)(now - p->phase_ns) / 1e9;
    double per_s = seconds > 0 ? (double)done / seconds : 0;
    if (total > done && per_s > 0) {
        char t[32];
        snprintf(left, sizeof left, ", %s left",
                 text_seconds(t, sizeof t, (double)(total - done) / per_s));
    }
    if (errors > 0) {
        snprintf(bad, sizeof bad, ", %s errors", text_grouped(a, sizeof a, errors));
    }
    char detail[300];
    snprintf(detail, sizeof detail, "%s of %s, %s/s%s%s", text_grouped(a, sizeof a, done),
             total ? text_grouped(b, sizeof b, total) : "?", text_figure(rate, sizeof rate, per_s),
             left, bad);
    draw(p, detail);
}

static void waiting(void *arg, const char *what)
{
    char detail[200];
    snprintf(detail, sizeof detail, "waiting: %.150s", what);
    draw(arg, detail);
}

struct progress *progress_new(void)
{
    if (!isatty(STDERR_FILENO) || log_get_level() < LOG_INFO) {
        return NULL;
    }
    struct progress *p = mem_zero(1, sizeof *p);
    p->observer = (struct observer){.arg = p,
                                    .run_started = run_started,
                                    .phase_started = phase_started,
                                    .progress = on_progress,
                                    .waiting = waiting};
    p->started_ns = uv_hrtime();
    log_set_hook(take_away, p);
    return p;
}

void progress_free(struct progress *p)
{
    if (p != NULL) {
        take_away(p);
        log_set_hook(NULL, NULL);
        free(p);
    }
}

const struct observer *progress_observer(struct progress *p)
{
    return p != NULL ? &p->observer : NULL;
}
