// Man pages, in the macros of man(7), from the table of commands.
#pragma once

#include "base/text.h"
#include "cli/input/command.h"

// adze(1), with all commands.
void man_page_overview(struct text *page, const struct command *const *commands);
// adze-COMMAND(1).
void man_page(struct text *page, const struct command *command);
