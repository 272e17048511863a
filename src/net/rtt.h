/* rtt: the kernel's own measurement of a connection's round trip. */
#ifndef NET_RTT_H
#define NET_RTT_H

#include <stdint.h>

/* tcpi_min_rtt of a connected TCP socket in nanoseconds; 0 if the kernel does not say. */
uint64_t rtt_kernel_min(int fd);

#endif
