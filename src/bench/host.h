/* host: facts about this machine, for the result. */
#ifndef BENCH_HOST_H
#define BENCH_HOST_H

#include "base/json.h"

/* {"host","kernel","cpu","cores","memory_bytes","load_1m","tunecouch","libcurl","libuv",…}. The
 * caller frees. What cannot be read is left out. */
cJSON *host_facts(void);

/* CPU seconds (user and system) this process has used. */
double host_cpu_seconds(void);

/* Peak resident memory of this process, bytes. */
double host_peak_memory(void);

#endif
