// Why nodes are no candidates (DIS-32), with the blocker's name and numbers.
#pragma once

#include "engine/disruption/blocked_causes.h"

// Never without a rule; the text, in the plan's arena, only if wanted.
struct verdict_word cause_of_refusal(const struct causes *causes,
                                     const struct disruption_refusal *refusal);
struct verdict_word cause_of_unlaunched(const struct causes *causes,
                                        const struct node_claim *claim);
// What the pods of a candidate have against graceful disruption (DIS-34).
struct verdict_word cause_of_pods(const struct causes *causes, const struct state_node *state,
                                  enum candidate_check check, const char *message);
