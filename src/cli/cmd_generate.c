#include "cli/cmd.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "base/text.h"
#include "bench/generate.h"

struct generate_args {
    char *scale, *output;
    uint64_t seed;
};

#define AT(member) offsetof(struct generate_args, member)

static const struct opt generate_options_table[] = {
    {"scale", 0, OPT_TEXT, AT(scale), "1", 0, 0, NULL, "X",
     "1 is the original's 12,189 tracks; a number (0.01, 82) or a fraction (100/12189).", 0},
    {"seed", 0, OPT_COUNT, AT(seed), "20180409", 0, 0, NULL, "N",
     "The same seed and scale give the same bytes on every machine.", 0},
    {"output", 'o', OPT_TEXT, AT(output), NULL, 0, 0, NULL, "FILE",
     "Where the library goes, written whole or not at all; - is standard output.", 0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

static size_t tables(struct option_table *out)
{
    out[0] = (struct option_table){"The library", generate_options_table, NULL};
    return 1;
}

struct sink {
    struct file_writer *writer;
    struct err *err;
};

static int put(void *arg, const void *bytes, size_t n)
{
    struct sink *s = arg;
    return file_write(s->writer, bytes, n, s->err);
}

static int generate(const struct generate_args *args, struct err *err)
{
    struct generate_options o = {.seed = args->seed};
    struct generate_stats stats = {0, 0};
    if (args->output == NULL) {
        return err_set(err, ERR_USAGE, "where to? Give -o FILE, or -o - for standard output");
    }
    if (generate_parse_scale(args->scale, &o, err) < 0) {
        return err_prefix(err, "--scale");
    }
    struct sink sink = {file_begin(args->output, err), err};
    if (sink.writer == NULL) {
        return -1;
    }
    if (generate_library(&o, put, &sink, &stats, err) < 0) {
        file_abort(sink.writer);
        return -1;
    }
    if (file_commit(sink.writer, err) < 0) {
        return -1;
    }
    char docs[32], bytes[32];
    log_info("%s: %s tracks, %s, seed %llu (invented; of the original's shape)", args->output,
             text_grouped(docs, sizeof docs, stats.docs),
             text_bytes(bytes, sizeof bytes, (double)stats.bytes, false),
             (unsigned long long)args->seed);
    return 0;
}

static int run(int argc, char **argv)
{
    struct generate_args args = {0};
    struct option_table t[COMMAND_TABLES_MAX];
    struct option_list list = {0};
    struct err err = ERR_INIT;
    size_t n = tables(t);
    int done, code;
    t[0].into = &args;
    code = command_parse(&cmd_generate, t, n, argc, argv, &list, &done);
    if (!done) {
        if (list.operands_n > 0) {
            err_set(&err, ERR_USAGE, "\"%s\" is not an option; the file is given with -o",
                    list.operands[0]);
            code = command_fail(&err);
        } else if (generate(&args, &err) < 0) {
            code = command_fail(&err);
        }
    }
    option_list_free(&list);
    option_release(generate_options_table, &args);
    return code;
}

const struct command cmd_generate = {
    .name = "generate",
    .operands = "-o FILE",
    .summary = "Write an invented music library of the shape of TuneMark's.",
    .examples = "  tunecouch generate -o library.json\n"
                "  tunecouch generate --scale 82 -o million.json\n",
    .tables = tables,
    .run = run,
};
