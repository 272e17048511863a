#include "config.h"

#include "bench/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/file.h"
#include "net/http.h"

/* The value of the first "name : value" line of a /proc file; "" if there is none. */
static void proc_value(const char *path, const char *name, char *out, size_t size)
{
    struct buf text = BUF_INIT(1 << 20);
    out[0] = '\0';
    if (file_read(path, &text, NULL) == 0) {
        const char *line = buf_text(&text);
        size_t n = strlen(name);
        while (*line != '\0' && strncmp(line, name, n) != 0) {
            line += strcspn(line, "\n");
            line += *line == '\n';
        }
        if (*line != '\0') {
            line += n;
            line += strspn(line, " \t:");
            snprintf(out, size, "%.*s", (int)strcspn(line, "\n"), line);
        }
    }
    buf_free(&text);
}

cJSON *host_facts(void)
{
    cJSON *facts = json_object();
    char text[256];
    struct utsname u;
    if (gethostname(text, sizeof text) == 0) {
        text[sizeof text - 1] = '\0';
        json_add_str(facts, "host", text);
    }
    if (uname(&u) == 0) {
        snprintf(text, sizeof text, "%.60s %.100s %.60s", u.sysname, u.release, u.machine);
        json_add_str(facts, "kernel", text);
    }
    proc_value("/proc/cpuinfo", "model name", text, sizeof text);
    if (text[0] != '\0') {
        json_add_str(facts, "cpu", text);
    }
    json_add_num(facts, "cores", (double)sysconf(_SC_NPROCESSORS_ONLN));
    json_add_num(facts, "memory_bytes",
                 (double)sysconf(_SC_PHYS_PAGES) * (double)sysconf(_SC_PAGESIZE));
    double load;
    if (getloadavg(&load, 1) == 1) {
        json_add_num(facts, "load_1m", load);
    }
    json_add_str(facts, "tunecouch", PACKAGE_VERSION);
    json_add_str(facts, "libraries", http_library_version());
    json_add_str(facts, "sanitizers", strcmp(TC_SANITIZERS, "no") ? TC_SANITIZERS : NULL);
    return facts;
}

double host_cpu_seconds(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
           (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

double host_peak_memory(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)u.ru_maxrss * 1024;
}
