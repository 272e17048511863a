/* Writes a generated library to standard output, for tests that look at it with other tools.
 * Arguments: the scale, and if wanted the seed. */
#include <stdio.h>
#include <stdlib.h>

#include "bench/generate.h"

static int put(void *arg, const void *bytes, size_t n)
{
    (void)arg;
    return fwrite(bytes, 1, n, stdout) != n;
}

int main(int argc, char **argv)
{
    struct err err = ERR_INIT;
    struct generate_options o = {0, 0, argc > 2 ? strtoull(argv[2], NULL, 10) : GENERATE_SEED};
    if (argc < 2 || generate_parse_scale(argv[1], &o, &err) < 0 ||
        generate_library(&o, put, NULL, NULL, &err) < 0 || fflush(stdout) != 0) {
        fprintf(stderr, "make_library: %s\n", err.text);
        return 2;
    }
    return 0;
}
