/* progress: an observer that draws one line on a terminal. */
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include "bench/observer.h"

struct progress;

/* NULL when standard error is no terminal: nothing is drawn then. */
struct progress *progress_new(void);
void progress_free(struct progress *p); /* takes the line away; NULL is fine */
const struct observer *progress_observer(struct progress *p); /* NULL for NULL */

#endif
