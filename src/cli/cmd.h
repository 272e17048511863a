/* cmd: the commands, one file each. */
#ifndef CLI_CMD_H
#define CLI_CMD_H

#include "cli/command.h"

extern const struct command cmd_run, cmd_report, cmd_compare, cmd_history, cmd_probe, cmd_generate;

#endif
