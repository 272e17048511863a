/* The stand-in for Sync Gateway as a program: prints its two URLs, one a line, and serves until its
 * standard input ends or it is signalled. In the end it prints what DATABASE still holds.
 *
 *     fake_sync_gateway [DATABASE [USER PASSWORD]] [--memory-store] */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "tests/fake_sync_gateway.h"

int main(int argc, char **argv)
{
    struct fake_sync_config config = {.database = "library"};
    struct err err = ERR_INIT;
    const char *words[3] = {NULL, NULL, NULL};
    int n = 0;
    for (int i = 1; i < argc; i++) {
        if (strcmp(argv[i], "--memory-store") == 0) {
            config.memory_store = true;
        } else if (n < 3) {
            words[n++] = argv[i];
        }
    }
    config.database = words[0] != NULL ? words[0] : config.database;
    config.user = words[2] != NULL ? words[1] : NULL;
    config.password = words[2];
    struct fake_sync *f = fake_sync_start(&config, &err);
    if (f == NULL) {
        fprintf(stderr, "fake_sync_gateway: %s\n", err.text);
        return 1;
    }
    printf("%s\n%s\n", fake_sync_public(f), fake_sync_admin(f));
    fflush(stdout);
    char byte;
    while (read(STDIN_FILENO, &byte, 1) > 0) {
    }
    printf("left: %ld documents, %ld design documents\n", fake_sync_docs(f, config.database),
           fake_sync_ddocs(f, config.database));
    fake_sync_stop(f);
    return 0;
}
