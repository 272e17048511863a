#include "base/stop.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/eventfd.h>
#include <unistd.h>

static atomic_int first_signal;
static atomic_int fd = -1;
static char leaving[4096];
static atomic_size_t leaving_len; /* set after the text: a handler sees a whole one or none */

int stop_init(void)
{
    if (atomic_load(&fd) < 0) {
        atomic_store(&fd, eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK));
    }
    return atomic_load(&fd) < 0 ? -1 : 0;
}

void stop_raise(int signal_number)
{
    int saved = errno, none = 0;
    uint64_t one = 1;
    atomic_compare_exchange_strong(&first_signal, &none, signal_number);
    ssize_t n = write(atomic_load(&fd), &one, sizeof one);
    (void)n; /* full means that it is already readable */
    errno = saved;
}

bool stop_wanted(void)
{
    return atomic_load(&first_signal) != 0;
}

int stop_signal(void)
{
    return atomic_load(&first_signal);
}

int stop_fd(void)
{
    return atomic_load(&fd);
}

void stop_leaving(const char *what)
{
    atomic_store(&leaving_len, 0);
    if (what != NULL) {
        snprintf(leaving, sizeof leaving, "tunecouch: leaving at once; left behind: %.4000s\n",
                 what);
        atomic_store(&leaving_len, strlen(leaving));
    }
}

void stop_last_words(void)
{
    ssize_t n = write(STDERR_FILENO, leaving, atomic_load(&leaving_len));
    (void)n;
}

void stop_reset(void)
{
    uint64_t n;
    ssize_t got = read(atomic_load(&fd), &n, sizeof n);
    (void)got;
    atomic_store(&first_signal, 0);
}
