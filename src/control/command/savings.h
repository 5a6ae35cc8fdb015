// What consolidation saves, by NodePool and day (DIS-778): of each command that removed nodes as
// empty or underutilized what it was to save an hour, as it was predicted, and what it saved by the
// machines that came of it; less than nothing if they are dearer. Dollars an hour, summed over the
// commands that ended on a day (UTC); today and yesterday are served, and counters since the
// process began.
//
// A command of nodes of several NodePools counts for each by its share of the nodes.
#pragma once

#include "control/command/disruption_command.h"

struct savings;
struct savings *savings_create(struct control *control);
void savings_destroy(struct savings *savings); // NULL is fine

// The command has ended well. `launched`: price of its replacements, nano-USD an hour. One that a
// predecessor began is left out: what its nodes cost is not known any more.
void savings_note(struct savings *savings, const struct disruption_command *command,
                  int64_t launched);
// Of what a command of the NodePool had saved, `lost` nano-USD an hour was spent again on nodes
// that its pods needed after all (DIS-749).
void savings_lose(struct savings *savings, const char *pool, int64_t lost);
