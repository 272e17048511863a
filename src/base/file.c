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

struct file_writer {
    char *path;
    char *temporary; /* NULL: written in place (standard output, a device) */
    int fd;
};

static void writer_free(struct file_writer *w)
{
    if (w->fd >= 0 && w->fd != STDOUT_FILENO) {
        close(w->fd);
    }
    free(w->temporary);
    free(w->path);
    free(w);
}

struct file_writer *file_begin(const char *path, struct err *err)
{
    struct file_writer *w = mem_zero(1, sizeof *w);
    w->path = mem_strdup(path);
    if (strcmp(path, "-") == 0) {
        w->fd = STDOUT_FILENO;
    } else if (special(path)) {
        w->fd = open(path, O_WRONLY | O_CLOEXEC);
    } else {
        w->temporary = mem_printf("%s.XXXXXX", path);
        w->fd = mkostemp(w->temporary, O_CLOEXEC);
    }
    if (w->fd < 0) {
        err_set(err, ERR_IO, "%s: cannot write there: %s", path, strerror(errno));
        writer_free(w);
        return NULL;
    }
    return w;
}

int file_write(struct file_writer *w, const void *bytes, size_t len, struct err *err)
{
    return write_all(w->fd, bytes, len) < 0
               ? err_set(err, ERR_IO, "%s: cannot write: %s", w->path, strerror(errno))
               : 0;
}

/* The permissions that the file would have had if it had been created in the ordinary way. */
static int ordinary_mode(int fd)
{
    mode_t mask = umask(0);
    umask(mask);
    return fchmod(fd, 0666 & ~mask);
}

/* The name itself must survive a crash too; a folder that cannot be synced is no failure. */
static void sync_folder(const char *path)
{
    char *folder = folder_of(path);
    int fd = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd >= 0) {
        (void)fsync(fd);
        close(fd);
    }
    free(folder);
}

int file_commit(struct file_writer *w, struct err *err)
{
    int rc = 0;
    if (w->temporary != NULL) {
        if (ordinary_mode(w->fd) < 0 || fsync(w->fd) < 0) {
            rc = err_set(err, ERR_IO, "%s: cannot write: %s", w->path, strerror(errno));
        } else if (rename(w->temporary, w->path) < 0) {
            rc = err_set(err, ERR_IO, "%s: cannot rename into place: %s", w->path, strerror(errno));
        } else {
            sync_folder(w->path);
        }
        if (rc < 0) {
            unlink(w->temporary);
        }
    }
    writer_free(w);
    return rc;
}

void file_abort(struct file_writer *w)
{
    if (w->temporary != NULL) {
        unlink(w->temporary);
    }
    writer_free(w);
}

int file_save(const char *path, const void *bytes, size_t len, struct err *err)
{
    struct file_writer *w = file_begin(path, err);
    if (w == NULL) {
        return -1;
    }
    if (file_write(w, bytes, len, err) < 0) {
        file_abort(w);
        return -1;
    }
    return file_commit(w, err);
}

int file_can_save(const char *path, struct err *err)
{
    if (strcmp(path, "-") == 0) {
        return 0;
    }
    char *folder = folder_of(path);
    int rc = 0;
    if (access(special(path) ? path : folder, special(path) ? W_OK : W_OK | X_OK) < 0) {
        rc = err_set(err, ERR_IO, "%s: cannot write there: %s", path, strerror(errno));
    }
    free(folder);
    return rc;
}
