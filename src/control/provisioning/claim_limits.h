#pragma once

#include "control/state/node_claim_template.h"

struct commands;
struct disruption_command;

// One entry a claim of the plan, in its order; in `arena`. For each pool with limits: what is in
// use, plus the largest machine that each NodeClaim on its way may become, plus the largest of each
// new one never exceeds them. Every claim first gets its cheapest type, in order; what is left
// widens them.
struct claim_types *claims_within_limits(struct control *control, struct arena *arena,
                                         const struct plan *plan);
// What is left of each of the NodePool's limits, in their order; in `arena`. `command` (NULL: none)
// is about to create its replacements: of its nodes, and of those of other commands, only the
// larger of node and replacement counts.
int64_t *pool_limits_left(struct control *control, struct arena *arena,
                          const struct node_pool *pool, const struct commands *commands,
                          const struct disruption_command *command);
