// Why nodes are no candidates (DIS-32), with the blocking object and its numbers.
#pragma once

#include "engine/disruption/blocked_finder.h"

// Always has a rule. The text is in the plan's arena, and only made on request.
struct blocked_reason blocked_reason_of_refusal(const struct blocked_finder *finder,
                                                const struct disruption_refusal *refusal);
struct blocked_reason blocked_reason_of_unlaunched(const struct blocked_finder *finder,
                                                   const struct node_claim *claim);
// Why the pods of a candidate block graceful disruption (DIS-34).
struct blocked_reason blocked_reason_of_pods(const struct blocked_finder *finder,
                                             const struct state_node *state,
                                             enum candidate_check check, const char *message);
