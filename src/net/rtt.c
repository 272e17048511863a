#include "net/rtt.h"

/* The C library's struct tcp_info ends before tcpi_min_rtt; the kernel's header has it, but cannot
 * be included together with the C library's, which libuv's header includes. Hence a file for it. */
#include <linux/tcp.h>
#include <netinet/in.h>
#include <stddef.h>
#include <sys/socket.h>

uint64_t rtt_kernel_min(int fd)
{
    struct tcp_info info;
    socklen_t len = sizeof info;
    if (getsockopt(fd, IPPROTO_TCP, TCP_INFO, &info, &len) != 0 ||
        len < offsetof(struct tcp_info, tcpi_min_rtt) + sizeof info.tcpi_min_rtt ||
        info.tcpi_min_rtt == UINT32_MAX) {
        return 0;
    }
    return (uint64_t)info.tcpi_min_rtt * 1000;
}
