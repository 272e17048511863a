#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/lock.h"
#include "tests/testing.h"

static char folder[40];

/* A folder of its own for each test, also where all run in one process. */
static void make_folder(void)
{
    strcpy(folder, "/tmp/tunecouch-lock-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static const char *place(const char *name)
{
    static char path[100];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

START_TEST(one_at_a_time)
{
    struct err err = ERR_INIT;
    char pid[40];
    make_folder();
    struct lock *l = lock_take(place("lock"), &err);
    ck_assert_msg(l != NULL, "%s", err.text);
    ck_assert_ptr_null(lock_take(place("lock"), &err));
    ck_assert_int_eq(err.kind, ERR_LOCKED);
    ck_assert_int_eq(err_exit_code(err.kind), 75);
    snprintf(pid, sizeof pid, "(process %ld)", (long)getpid());
    ck_assert_msg(strstr(err.text, pid) != NULL, "%s", err.text);
    struct lock *another = lock_take(place("another"), &err); /* is another matter */
    ck_assert_ptr_nonnull(another);
    lock_release(another);
    lock_release(l);
    l = lock_take(place("lock"), &err);
    ck_assert_ptr_nonnull(l);
    lock_release(l);
    lock_release(NULL);
}
END_TEST

/* However the process ends, the lock is free. */
START_TEST(killed)
{
    struct err err = ERR_INIT;
    int ready[2], status;
    char byte;
    make_folder();
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        bool held = lock_take(place("lock"), NULL) != NULL;
        (void)!write(ready[1], held ? "y" : "n", 1);
        pause();
        _exit(0);
    }
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    ck_assert_int_eq(byte, 'y');
    ck_assert_ptr_null(lock_take(place("lock"), &err));
    kill(child, SIGKILL);
    waitpid(child, &status, 0);
    struct lock *l = lock_take(place("lock"), &err);
    ck_assert_ptr_nonnull(l);
    lock_release(l);
}
END_TEST

START_TEST(no_lock)
{
    struct err err = ERR_INIT;
    make_folder();
    ck_assert_ptr_null(lock_take(place("none/lock"), &err));
    ck_assert_int_eq(err.kind, ERR_IO);
    ck_assert_int_eq(symlink("/etc/hosts", place("link")), 0);
    ck_assert_ptr_null(lock_take(place("link"), &err)); /* nobody else's file is opened */
    ck_assert_int_eq(err.kind, ERR_IO);
    ck_assert_int_eq(mkfifo(place("fifo"), 0600), 0);
    ck_assert_ptr_null(lock_take(place("fifo"), &err));
    ck_assert_int_eq(err.kind, ERR_IO);
}
END_TEST

START_TEST(default_place)
{
    setenv("XDG_RUNTIME_DIR", "/run/me", 1);
    char *path = lock_default_path();
    ck_assert_str_eq(path, "/run/me/tunecouch.lock");
    free(path);
    unsetenv("XDG_RUNTIME_DIR");
    path = lock_default_path();
    ck_assert_msg(strncmp(path, "/tmp/tunecouch-", 15) == 0, "%s", path);
    free(path);
}
END_TEST

TEST_MAIN("lock", one_at_a_time, killed, no_lock, default_place)
