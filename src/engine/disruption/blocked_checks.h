// Why nodes are no candidates (DIS-32), with the blocker's name and numbers.
#pragma once

#include "engine/disruption/blocked_finder.h"

// Never without a rule; the text, in the plan's arena, only if wanted.
struct blocked_reason blocked_reason_of_refusal(const struct blocked_finder *finder,
                                                const struct disruption_refusal *refusal);
struct blocked_reason blocked_reason_of_unlaunched(const struct blocked_finder *finder,
                                                   const struct node_claim *claim);
// Why the pods of a candidate block graceful disruption (DIS-34).
struct blocked_reason blocked_reason_of_pods(const struct blocked_finder *finder,
                                             const struct state_node *state,
                                             enum candidate_check check, const char *message);
