// One turn of emptiness (DIS-140 to DIS-146, DIS-262): new commands for empty nodes, one each
// (DIS-732), and the validation of those that are due. Cheap enough for the loop.
#pragma once

#include "control/disruption/disruption_parts.h"

// `may_start`: new commands may begin now.
struct emptiness_outcome {
    bool waits;          // for what ends by the clock, or for what nothing tells of
    bool put_off;        // something was found that may not start yet
    int64_t next_change; // snapshot_next_change(), if it waits
};
// Whether a turn might find an empty node that the last one has not looked at in vain: one that may
// be consolidated, is in no command and has no pod that needs another place. Much cheaper than a
// turn.
bool emptiness_is_possible(const struct disruption_parts *parts);
struct emptiness_outcome emptiness_turn(const struct disruption_parts *parts, bool may_start);
// A pending pod that may run on a node of a waiting command calls the command off (DIS-725).
void emptiness_call_off_wanted(const struct disruption_parts *parts);
