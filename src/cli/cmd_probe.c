#include "cli/cmd.h"

#include <stdlib.h>

#include "base/file.h"
#include "base/mem.h"
#include "bench/connect.h"
#include "cli/server_args.h"
#include "couch/probe.h"

struct probe_args {
    int format;
    char *output;
    bool create;
};

#define AT(member) offsetof(struct probe_args, member)

static const char *const format_names[] = {"text", "json", NULL};

static const struct opt probe_options_table[] = {
    {"create", 0, OPT_FLAG, AT(create), NULL, 0, 0, NULL, NULL,
     "Make a database of our own for what cannot be told without one, and delete it. Else nothing "
     "is "
     "written to the server.",
     0},
    {"format", 'f', OPT_CHOICE, AT(format), "text", 0, 0, format_names, "NAME",
     "Form of the document.", 0},
    {"output", 'o', OPT_TEXT, AT(output), NULL, 0, 0, NULL, "FILE",
     "Where it goes. Default: standard output.", 0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

static size_t tables(struct option_table *out)
{
    out[0] = (struct option_table){"The server", server_options, NULL};
    out[1] = (struct option_table){"The document", probe_options_table, NULL};
    return 2;
}

static int probe(const struct server_args *server, const struct probe_args *args, const char *url,
                 struct err *err)
{
    struct server_spec spec;
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    struct probe_options o = {.may_create = args->create};
    if (server_args_resolve(server, url, false, &spec, err) < 0) {
        return -1;
    }
    struct couch *c = connect_open(&spec, 1, 0, false, err);
    int rc = c != NULL ? 0 : -1;
    if (rc == 0 && args->format == 0) {
        rc = couch_probe_text(c, &o, &out, err);
    } else if (rc == 0) {
        cJSON *json = couch_probe_json(c, &o, err);
        rc = json != NULL ? 0 : -1;
        if (json != NULL) {
            char *text = json_print(json, true);
            buf_adds(&out, text);
            buf_addc(&out, '\n');
            free(text);
            cJSON_Delete(json);
        }
    }
    if (rc == 0) {
        rc = file_save(args->output != NULL ? args->output : "-", buf_text(&out), out.len, err);
    }
    connect_close(c);
    server_spec_free(&spec);
    buf_free(&out);
    return rc;
}

static int run(int argc, char **argv)
{
    struct server_args server = {0};
    struct probe_args args = {0};
    struct option_table t[COMMAND_TABLES_MAX];
    struct option_list list = {0};
    struct err err = ERR_INIT;
    size_t n = tables(t);
    int done, code;
    t[0].into = &server;
    t[1].into = &args;
    code = command_parse(&cmd_probe, t, n, argc, argv, &list, &done);
    if (!done) {
        if (list.operands_n != 1) {
            err_set(&err, ERR_USAGE,
                    "give one server's URL: tunecouch probe http://127.0.0.1:5984");
            code = command_fail(&err);
        } else if (probe(&server, &args, list.operands[0], &err) < 0) {
            code = command_fail(&err);
        }
    }
    option_list_free(&list);
    option_release(server_options, &server);
    option_release(probe_options_table, &args);
    return code;
}

const struct command cmd_probe = {
    .name = "probe",
    .operands = "URL",
    .summary = "Say what a server is, what it can do and why not, and how far away it is.",
    .examples = "  tunecouch probe http://127.0.0.1:5984 --user admin --password-file ~/.couch\n",
    .tables = tables,
    .run = run,
};
