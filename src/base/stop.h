/* stop: the request to end early, from a signal handler to the loops. A level only rises. */
#ifndef BASE_STOP_H
#define BASE_STOP_H

#include <stdbool.h>

/* Makes the descriptor that wakes loops. Call once, before any signal can come. 0 or -1. */
int stop_init(void);

/* Async-signal-safe. Remembers the first signal number. */
void stop_raise(int signal_number);

bool stop_wanted(void);

/* The first signal raised, 0 for none. */
int stop_signal(void);

/* Readable once a stop was raised (and stays so): for uv_poll. -1 before stop_init. */
int stop_fd(void);

/* What is left behind if the process ends at once, for the second signal's last words: a copy is
 * kept (cut at 300 bytes); NULL: nothing. */
void stop_leaving(const char *what);

/* Async-signal-safe: writes to stderr what is left behind, if anything is. */
void stop_last_words(void);

/* For tests. */
void stop_reset(void);

#endif
