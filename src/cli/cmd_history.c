#include "cli/cmd.h"

#include <dirent.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/file.h"
#include "base/log.h"
#include "base/mem.h"
#include "bench/result.h"
#include "report/history.h"
#include "report/report.h"

struct history_args {
    int format;
    char *output;
    double false_alarms; /* percent */
    uint64_t seed;
};

#define AT(member) offsetof(struct history_args, member)

enum { FORMAT_BY_ENDING, FORMAT_TEXT, FORMAT_MD, FORMAT_HTML };
static const char *const format_names[] = {"auto", "text", "md", "html", NULL};

static const struct opt history_options[] = {
    {"format", 'f', OPT_CHOICE, AT(format), "auto", 0, 0, format_names, "NAME",
     "Form of the document; auto: by the ending of --output, else text. Drawings are in html.", 0},
    {"output", 'o', OPT_TEXT, AT(output), NULL, 0, 0, NULL, "FILE",
     "Where it goes, written whole or not at all. Default: standard output.", 0},
    {"false-alarms", 0, OPT_NUMBER, AT(false_alarms), "5", 0.001, 50, NULL, "PERCENT",
     "The chance that a change is found anywhere although there is none.", 0},
    {"seed", 0, OPT_COUNT, AT(seed), "1", 0, 0, NULL, "N",
     "Of the permutations: the same one gives the same answer.", 0},
    {NULL, 0, OPT_FLAG, 0, NULL, 0, 0, NULL, NULL, NULL, 0},
};

#define TOLD_MAX 5 /* files that cannot be read are named one by one up to here */

static size_t tables(struct option_table *out)
{
    out[0] = (struct option_table){"The document", history_options, NULL};
    return 1;
}

static bool ends_with(const char *s, const char *end)
{
    size_t n = strlen(s), m = strlen(end);
    return n >= m && strcmp(s + n - m, end) == 0;
}

static int is_result(const struct dirent *entry)
{
    return entry->d_name[0] != '.' && ends_with(entry->d_name, ".json");
}

/* One after the other, so that a year of them need not fit into memory. What cannot be read is told
 * and left out: one broken file must not cost the view of all others. */
static int add_folder(struct history *h, const char *folder, struct err *err)
{
    struct dirent **names = NULL;
    size_t bad = 0;
    int n = scandir(folder, &names, is_result, alphasort);
    if (n < 0) {
        return err_set(err, ERR_USAGE, "%s: %s", folder, strerror(errno));
    }
    for (int i = 0; i < n; i++) {
        struct err trouble = ERR_INIT;
        char *path = mem_printf("%s/%s", folder, names[i]->d_name);
        struct result *r = result_load(path, &trouble);
        if (r != NULL) {
            history_add(h, r);
        } else if (++bad <= TOLD_MAX) {
            log_warn("left out: %s", trouble.text);
        }
        result_free(r);
        free(path);
        free(names[i]);
    }
    if (bad > TOLD_MAX) {
        log_warn("%s: %zu more files left out", folder, bad - TOLD_MAX);
    }
    free(names);
    return 0;
}

static enum page_kind kind_of(const struct history_args *args)
{
    const char *name = args->output != NULL ? args->output : "";
    int format = args->format != FORMAT_BY_ENDING ? args->format
                 : ends_with(name, ".html")       ? FORMAT_HTML
                 : ends_with(name, ".md")         ? FORMAT_MD
                                                  : FORMAT_TEXT;
    return format == FORMAT_HTML ? PAGE_HTML : format == FORMAT_MD ? PAGE_MARKDOWN : PAGE_TEXT;
}

static int make(const struct history_args *args, const struct option_list *list, struct err *err)
{
    struct history *h = history_new();
    struct buf out = BUF_INIT(BUF_TEXT_MAX);
    int rc = list->operands_n > 0
                 ? 0
                 : err_set(err, ERR_USAGE, "which directory? Give one that holds saved results");
    if (rc == 0 && args->output != NULL) {
        rc = file_can_save(args->output, err);
    }
    for (size_t i = 0; rc == 0 && i < list->operands_n; i++) {
        rc = add_folder(h, list->operands[i], err);
    }
    if (rc == 0 && h->results == 0) {
        rc = err_set(err, ERR_USAGE, "%s: no saved result (*.json) in there", list->operands[0]);
    }
    if (rc == 0) {
        history_judge(h, args->false_alarms / 100, args->seed);
        history_page(h, kind_of(args), REPORT_WIDTH, &out);
        rc = file_save(args->output != NULL ? args->output : "-", buf_text(&out), out.len, err);
    }
    buf_free(&out);
    history_free(h);
    return rc;
}

static int run(int argc, char **argv)
{
    struct history_args args = {0};
    struct option_table t[COMMAND_TABLES_MAX];
    struct option_list list = {0};
    struct err err = ERR_INIT;
    size_t n = tables(t);
    int done, code;
    t[0].into = &args;
    code = command_parse(&cmd_history, t, n, argc, argv, &list, &done);
    if (!done && make(&args, &list, &err) < 0) {
        code = command_fail(&err);
    }
    option_list_free(&list);
    option_release(history_options, &args);
    return code;
}

const struct command cmd_history = {
    .name = "history",
    .operands = "DIR…",
    .summary = "Show the saved results of a directory over time, and when a step changed.",
    .examples = "  tunecouch history /var/lib/tunecouch\n"
                "  tunecouch history /var/lib/tunecouch -o history.html\n",
    .tables = tables,
    .run = run,
};
