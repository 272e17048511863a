#include "base/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

struct lock {
    int fd;
};

char *lock_default_path(void)
{
    const char *dir = getenv("XDG_RUNTIME_DIR");
    return dir != NULL && *dir == '/' ? mem_printf("%s/tunecouch.lock", dir)
                                      : mem_printf("/tmp/tunecouch-%u.lock", (unsigned)getuid());
}

/* The process in the file, for the message alone: what holds is the lock. 0: not known. */
static long holder(int fd)
{
    char text[32] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    return n > 0 ? strtol(text, NULL, 10) : 0;
}

static void note_holder(int fd)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) < 0 || pwrite(fd, text, (size_t)n, 0) < 0) {
        return; /* a full disk does not make the lock less of one */
    }
}

struct lock *lock_take(const char *path, struct err *err)
{
    /* no link of somebody else's in /tmp is followed, and no FIFO waited for */
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
    struct stat st;
    if (fd < 0) {
        err_set(err, ERR_IO, "%s: cannot open the lock: %s", path, strerror(errno));
        return NULL;
    }
    if (fstat(fd, &st) < 0 || !S_ISREG(st.st_mode)) {
        err_set(err, ERR_IO, "%s: not a regular file: cannot be the lock", path);
        close(fd);
        return NULL;
    }
    if (flock(fd, LOCK_EX | LOCK_NB) < 0) {
        if (errno == EWOULDBLOCK) {
            long pid = holder(fd);
            char who[60] = "another run";
            if (pid > 0) {
                snprintf(who, sizeof who, "another run (process %ld)", pid);
            }
            err_set(err, ERR_LOCKED, "%s holds the lock %s", who, path);
        } else {
            err_set(err, ERR_IO, "%s: cannot lock: %s", path, strerror(errno));
        }
        close(fd);
        return NULL;
    }
    note_holder(fd);
    struct lock *l = mem_alloc(sizeof *l);
    l->fd = fd;
    return l;
}

void lock_release(struct lock *l)
{
    if (l != NULL) {
        close(l->fd); /* the file stays: to remove it would let two runs lock two files */
        free(l);
    }
}
