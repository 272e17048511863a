#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

int file_read(const char *path, struct buf *out, struct err *err)
{
    bool standard = strcmp(path, "-") == 0;
    int fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    int rc = 0;
    if (fd < 0) {
        return err_set(err, ERR_IO, "%s: cannot open: %s", path, strerror(errno));
    }
    for (;;) {
        char chunk[65536];
        ssize_t n = read(fd, chunk, sizeof chunk);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n < 0) {
            rc = err_set(err, ERR_IO, "%s: cannot read: %s", path, strerror(errno));
            break;
        }
        if (n == 0) {
            break;
        }
        if (buf_add(out, chunk, (size_t)n) < 0) {
            rc = err_set(err, ERR_IO, "%s: larger than the %zu bytes allowed", path, out->max);
            break;
        }
    }
    if (!standard) {
        close(fd);
    }
    return rc;
}

static int write_all(int fd, const char *p, size_t len)
{
    while (len > 0) {
        ssize_t n = write(fd, p, len);
        if (n < 0) {
            if (errno == EINTR) {
                continue;
            }
            return -1;
        }
        p += n;
        len -= (size_t)n;
    }
    return 0;
}

static char *folder_of(const char *path)
{
    char *copy = mem_strdup(path);
    char *folder = mem_strdup(dirname(copy));
    free(copy);
    return folder;
}

/* A device or pipe (/dev/null, /dev/stdout, a FIFO) must be written to, never renamed over. */
static bool special(const char *path)
{
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode);
}

static int save_special(const char *path, const void *bytes, size_t len, struct err *err)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    if (fd < 0 || write_all(fd, bytes, len) < 0) {
        err_set(err, ERR_IO, "%s: cannot write: %s", path, strerror(errno));
        if (fd >= 0) {
            close(fd);
        }
        return -1;
    }
    close(fd);
    return 0;
}

int file_save(const char *path, const void *bytes, size_t len, struct err *err)
{
    if (special(path)) {
        return save_special(path, bytes, len, err);
    }
    char *folder = folder_of(path);
    char *temporary = mem_printf("%s.XXXXXX", path);
    int rc = 0;
    int fd = mkostemp(temporary, O_CLOEXEC);
    if (fd < 0) {
        rc = err_set(err, ERR_IO, "%s: cannot write there: %s", path, strerror(errno));
        goto cleanup;
    }
    mode_t mask = umask(0);
    umask(mask);
    if (write_all(fd, bytes, len) < 0 || fchmod(fd, 0666 & ~mask) < 0 || fsync(fd) < 0) {
        rc = err_set(err, ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    }
    if (close(fd) < 0 && rc == 0) {
        rc = err_set(err, ERR_IO, "%s: cannot write: %s", path, strerror(errno));
    }
    if (rc == 0 && rename(temporary, path) < 0) {
        rc = err_set(err, ERR_IO, "%s: cannot rename into place: %s", path, strerror(errno));
    }
    if (rc < 0) {
        unlink(temporary);
        goto cleanup;
    }
    /* the name itself must survive a crash too; a folder that cannot be synced is no failure */
    int dir = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (dir >= 0) {
        (void)fsync(dir);
        close(dir);
    }
cleanup:
    free(temporary);
    free(folder);
    return rc;
}

int file_can_save(const char *path, struct err *err)
{
    char *folder = folder_of(path);
    int rc = 0;
    if (access(special(path) ? path : folder, special(path) ? W_OK : W_OK | X_OK) < 0) {
        rc = err_set(err, ERR_IO, "%s: cannot write there: %s", path, strerror(errno));
    }
    free(folder);
    return rc;
}
