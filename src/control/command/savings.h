// Savings of consolidation, by NodePool and day (DIS-778), of commands that removed nodes as empty
// or underutilized: the predicted saving an hour, and the realised one by the price of the new
// machines, negative if they are dearer. Dollars an hour, summed over the commands that ended on a
// day (UTC). The metrics are today, yesterday, and counters since the start of the process.
//
// A command with nodes of several NodePools counts for each by its share of the nodes.
#pragma once

#include "control/command/disruption_command.h"

struct savings;
struct savings *savings_create(struct control *control);
void savings_destroy(struct savings *savings); // NULL is fine

// The command has succeeded. `launched`: price of its replacements, nano-USD an hour. A command of
// a predecessor is left out: the price of its nodes is unknown.
void savings_note(struct savings *savings, const struct disruption_command *command,
                  int64_t launched);
// The pods of a command of the NodePool needed new nodes after all (DIS-749): `lost` nano-USD an
// hour of its saving was spent again.
void savings_lose(struct savings *savings, const char *pool, int64_t lost);
