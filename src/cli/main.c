/* The program: commands, signals, exit codes. */
#include "config.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/stop.h"
#include "base/text.h"
#include "cli/command.h"

/* Once: stop sending, keep what was measured, clean up. Twice: leave at once. */
static void on_signal(int number)
{
    if (stop_wanted()) {
        stop_last_words();
        _exit(128 + number);
    }
    stop_raise(number);
}

static int watch_signals(void)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    struct sigaction sa;
    memset(&sa, 0, sizeof sa);
    sa.sa_handler = on_signal;
    sigemptyset(&sa.sa_mask);
    if (stop_init() < 0) {
        return -1;
    }
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        struct sigaction old;
        /* what was ignored stays so (nohup) */
        if (sigaction(numbers[i], NULL, &old) == 0 && old.sa_handler != SIG_IGN) {
            sigaction(numbers[i], &sa, NULL);
        }
    }
    return 0;
}

static void usage(FILE *to)
{
    fputs("Usage: tunecouch COMMAND [OPTION…] [ARGUMENT…]\n\n"
          "A benchmark client for CouchDB-style servers over HTTP.\n\nCommands:\n",
          to);
    for (size_t i = 0; commands[i] != NULL; i++) {
        fprintf(to, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
    }
    fputs(
        "\n  tunecouch COMMAND --help   its options\n"
        "  tunecouch --version\n\n"
        "Exit codes: 0 all well; 1 a step failed or a count was wrong; 2 usage, job or data file;\n"
        "3 server unreachable or credentials refused; 5 --rate not reached (--strict); 75 another "
        "run "
        "holds the lock; 129, 130, 143 interrupted.\n",
        to);
}

static int unknown(const char *word)
{
    const char *names[32];
    size_t n = 0;
    for (; n < 31 && commands[n] != NULL; n++) {
        names[n] = commands[n]->name;
    }
    names[n] = NULL;
    const char *near = text_nearest(word, names);
    if (strstr(word, "://") != NULL) {
        log_error("%s: what is to be done there? Try: tunecouch run %s", word, word);
    } else if (near != NULL) {
        log_error("%s: no such command; did you mean %s?", word, near);
    } else {
        log_error("%s: no such command (see tunecouch --help)", word);
    }
    return err_exit_code(ERR_USAGE);
}

int main(int argc, char **argv)
{
    if (watch_signals() < 0) {
        log_error("cannot watch for signals");
        return 1;
    }
    if (argc < 2) {
        usage(stderr);
        return err_exit_code(ERR_USAGE);
    }
    const char *word = argv[1];
    int code = 0;
    if (strcmp(word, "--version") == 0 || strcmp(word, "version") == 0) {
        puts(PACKAGE_STRING);
    } else if (strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0 ||
               (strcmp(word, "help") == 0 && argc == 2)) {
        usage(stdout);
    } else if (strcmp(word, "help") == 0) {
        const struct command *c = command_find(argv[2]);
        if (c == NULL) {
            return unknown(argv[2]);
        }
        struct buf help = BUF_INIT(BUF_TEXT_MAX);
        command_help(c, &help);
        fputs(buf_text(&help), stdout);
        buf_free(&help);
    } else {
        const struct command *c = command_find(word);
        code = c != NULL ? c->run(argc - 1, argv + 1) : unknown(word);
    }
    if (fflush(stdout) != 0 || ferror(stdout)) {
        log_error("cannot write to standard output");
        code = code != 0 ? code : 1;
    }
    return code;
}
