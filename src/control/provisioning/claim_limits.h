#pragma once

#include "control/state/node_claim_template.h"

struct commands;
struct disruption_command;

// One entry a claim of the plan, in its order; in `arena`. For each pool with limits the total of
// present use, the largest machine of each launching NodeClaim and the largest of each new one
// stays within them. Every claim first gets its cheapest type, in order; the remaining room adds
// types.
struct claim_types *claims_within_limits(struct control *control, struct arena *arena,
                                         const struct plan *plan);
// The room of each of the NodePool's limits, in their order; in `arena`. `command` (NULL: none) is
// about to create its replacements: of a command's node and its replacement only the larger counts.
int64_t *pool_limits_left(struct control *control, struct arena *arena,
                          const struct node_pool *pool, const struct commands *commands,
                          const struct disruption_command *command);
