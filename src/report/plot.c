#include "report/plot.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/text.h"

extern char **environ;

void plot_quote(struct buf *script, const char *text)
{
    size_t room = 4 * strlen(text) + 8;
    char *seen = text_visible(mem_alloc(room), room, text);
    buf_addc(script, '\'');
    for (const char *p = seen; *p != '\0'; p++) {
        /* Neither the quote, which gnuplot does not take doubled everywhere, nor the backquote,
         * which runs commands in its other strings, is left: the typographic apostrophe stands for
         * both. */
        if (*p == '\'' || *p == '`') {
            buf_adds(script, "\xe2\x80\x99");
        } else {
            buf_addc(script, *p);
        }
    }
    buf_addc(script, '\'');
    free(seen);
}

/* An unnamed file that is closed when another program starts; -1 with errno. */
static int unnamed_file(void)
{
    char path[] = "/tmp/tunecouch-plot-XXXXXX";
    int fd = mkostemp(path, O_CLOEXEC);
    if (fd >= 0) {
        unlink(path);
    }
    return fd;
}

static int write_all(int fd, const char *p, size_t n)
{
    while (n > 0) {
        ssize_t w = write(fd, p, n);
        if (w < 0 && errno != EINTR) {
            return -1;
        }
        if (w > 0) {
            p += w;
            n -= (size_t)w;
        }
    }
    return lseek(fd, 0, SEEK_SET) == 0 ? 0 : -1;
}

/* Reads until the end, the limit of `svg`, or the deadline. 0, or -1 with the reason. */
static int read_drawing(int fd, struct buf *svg, struct err *err)
{
    struct timespec start, now;
    clock_gettime(CLOCK_MONOTONIC, &start);
    for (;;) {
        char chunk[65536];
        clock_gettime(CLOCK_MONOTONIC, &now);
        long left = PLOT_SECONDS * 1000L - (now.tv_sec - start.tv_sec) * 1000L;
        struct pollfd p = {fd, POLLIN, 0};
        int ready = left > 0 ? poll(&p, 1, (int)left) : 0;
        if (ready == 0) {
            return err_set(err, ERR_IO, "gnuplot took more than %d s", PLOT_SECONDS);
        }
        ssize_t n = ready < 0 ? -1 : read(fd, chunk, sizeof chunk);
        if (n == 0) {
            return 0;
        }
        if (n < 0 && errno != EINTR) {
            return err_set(err, ERR_IO, "gnuplot's drawing cannot be read: %s", strerror(errno));
        }
        if (n > 0 && buf_add(svg, chunk, (size_t)n) < 0) {
            return err_set(err, ERR_IO, "gnuplot's drawing is too large");
        }
    }
}

/* The first line of what it complained about that holds words. */
static void complaint(int fd, char *out, size_t size)
{
    char text[2000] = "";
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    text[n > 0 ? n : 0] = '\0';
    char *save = NULL;
    out[0] = '\0';
    for (char *l = strtok_r(text, "\n", &save); l != NULL; l = strtok_r(NULL, "\n", &save)) {
        if (strspn(l, " \t^") != strlen(l)) {
            text_visible(out, size, l);
            if (strstr(l, "line ") != NULL) {
                return; /* "line 3: undefined variable: x" */
            }
        }
    }
}

static int start(int in, int out, int complaints, pid_t *pid, struct err *err)
{
    static const char *const argv[] = {"gnuplot", "-", NULL};
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_adddup2(&actions, in, STDIN_FILENO);
    posix_spawn_file_actions_adddup2(&actions, out, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, complaints, STDERR_FILENO);
    int rc = posix_spawnp(pid, argv[0], &actions, NULL, (char *const *)(uintptr_t)argv, environ);
    posix_spawn_file_actions_destroy(&actions);
    if (rc == ENOENT) {
        return err_set(err, ERR_IO, PLOT_NOT_INSTALLED);
    }
    return rc == 0 ? 0 : err_set(err, ERR_IO, "cannot start gnuplot: %s", strerror(rc));
}

int plot_run(const char *script, size_t len, struct buf *svg, struct err *err)
{
    int in = unnamed_file(), complaints = unnamed_file(), out[2] = {-1, -1}, rc = -1, status = 0;
    size_t before = svg->len;
    pid_t pid = -1;
    if (in < 0 || complaints < 0 || pipe2(out, O_CLOEXEC) < 0 || write_all(in, script, len) < 0) {
        err_set(err, ERR_IO, "cannot prepare a plot: %s", strerror(errno));
        goto cleanup;
    }
    if (start(in, out[1], complaints, &pid, err) < 0) {
        goto cleanup;
    }
    close(out[1]);
    out[1] = -1;
    rc = read_drawing(out[0], svg, err);
    if (rc < 0) {
        kill(pid, SIGKILL);
    }
    while (waitpid(pid, &status, 0) < 0 && errno == EINTR) {
    }
    if (rc == 0 && WIFEXITED(status) && WEXITSTATUS(status) == 127) {
        /* where the C library cannot tell at once that there is no such program */
        rc = err_set(err, ERR_IO, PLOT_NOT_INSTALLED);
    } else if (rc == 0 && (!WIFEXITED(status) || WEXITSTATUS(status) != 0)) {
        char words[300];
        complaint(complaints, words, sizeof words);
        rc = err_set(err, ERR_IO, "gnuplot failed%s%s", words[0] != '\0' ? ": " : "", words);
    } else if (rc == 0 && strstr(buf_text(svg) + before, "</svg>") == NULL) {
        rc = err_set(err, ERR_IO, "gnuplot drew nothing");
    }
cleanup:
    if (rc < 0 && svg->data != NULL) {
        svg->len = before;
        svg->data[before] = '\0';
    }
    for (int i = 0; i < 2; i++) {
        if (out[i] >= 0) {
            close(out[i]);
        }
    }
    if (in >= 0) {
        close(in);
    }
    if (complaints >= 0) {
        close(complaints);
    }
    return rc;
}
