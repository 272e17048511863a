#include "base/stop.h"

#include <errno.h>
#include <stdatomic.h>
#include <stdint.h>
#include <sys/eventfd.h>
#include <unistd.h>

static atomic_int first_signal;
static atomic_int fd = -1;

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

void stop_reset(void)
{
    uint64_t n;
    ssize_t got = read(atomic_load(&fd), &n, sizeof n);
    (void)got;
    atomic_store(&first_signal, 0);
}
