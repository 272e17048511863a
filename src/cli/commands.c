#include "cli/command.h"

#include "cli/cmd.h"

const struct command *const commands[] = {
    &cmd_run, &cmd_report, &cmd_compare, &cmd_history, &cmd_probe, &cmd_generate, NULL,
};
