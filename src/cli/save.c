#include "cli/save.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "base/file.h"
#include "base/mem.h"

#define SAME_SECOND_MAX 1000 /* results of one second: more is no clock */

int save_dir_check(const char *dir, struct err *err)
{
    struct stat st;
    if (mkdir(dir, 0777) < 0 && errno != EEXIST) {
        return err_set(err, ERR_IO, "%s: cannot make the folder: %s", dir, strerror(errno));
    }
    if (stat(dir, &st) < 0 || !S_ISDIR(st.st_mode)) {
        return err_set(err, ERR_IO, "%s: not a folder", dir);
    }
    char *inside = mem_printf("%s/x", dir);
    int rc = file_can_save(inside, err);
    free(inside);
    return rc;
}

char *save_name(int64_t started_ns, const char *label, unsigned again)
{
    time_t seconds = (time_t)(started_ns / 1000000000);
    struct tm tm;
    char when[40], number[16] = "";
    gmtime_r(&seconds, &tm);
    strftime(when, sizeof when, "%Y-%m-%dT%H%M%SZ", &tm);
    if (again > 0) {
        snprintf(number, sizeof number, "-%u", again + 1);
    }
    /* whatever the label is, the name is one that shells and other systems take */
    char *clean = mem_strdup(label != NULL ? label : "");
    for (char *p = clean; *p != '\0'; p++) {
        if (!isalnum((unsigned char)*p) && strchr("._-", *p) == NULL) {
            *p = '-';
        }
    }
    char *name = mem_printf("%s%s%.100s%s.json", when, *clean != '\0' ? "-" : "", clean, number);
    free(clean);
    return name;
}

int save_into(const struct result *r, const char *dir, char **path, struct err *err)
{
    /* Written whole under a name that no reader of the folder takes for a result, then given its
     * own by link(), which unlike rename() refuses to replace. */
    char *whole = mem_printf("%s/.tunecouch-%ld.tmp", dir, (long)getpid());
    int rc = result_save(r, whole, err);
    *path = NULL;
    for (unsigned again = 0; rc == 0 && *path == NULL; again++) {
        char *name = save_name(r->started_ns, r->label, again);
        *path = mem_printf("%s/%s", dir, name);
        if (link(whole, *path) < 0) {
            if (errno != EEXIST || again >= SAME_SECOND_MAX) {
                rc = err_set(err, ERR_IO, "%s: cannot save there: %s", *path, strerror(errno));
            }
            free(*path);
            *path = NULL;
        }
        free(name);
    }
    unlink(whole);
    free(whole);
    return rc;
}
