/* lock: one run at a time. An advisory lock (flock) on a file: the kernel lets go of it however the
 * process ends, so that a lock is never left behind; the file itself stays. */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include "base/err.h"

struct lock;

/* Where the user's lock is unless said otherwise: tunecouch.lock in XDG_RUNTIME_DIR, else
 * tunecouch-UID.lock in /tmp. The caller frees. */
char *lock_default_path(void);

/* Takes the lock without waiting. NULL: ERR_LOCKED naming who holds it, or ERR_IO. */
struct lock *lock_take(const char *path, struct err *err);
void lock_release(struct lock *l); /* NULL is fine */

#endif
