// The patches of disruption commands on Nodes and NodeClaims (DIS-12, DIS-13, DIS-301, DIS-729,
// DIS-730), all with optimistic locking. The callers own the bodies.
#pragma once

#include "control/runtime/control.h"
#include "model/reading/disruption_reason.h"

// Taint, mark and label; `mark` is the annotation's value.
json_t *taint_patch(const struct node *node, const char *mark);
// The Node without adze's taint and mark; NULL: it has none.
json_t *untaint_patch(const struct node *node);
// The NodeClaim with the condition DisruptionReason; without it (NULL: it has none).
json_t *reason_patch(struct control *control, const struct node_claim *claim,
                     enum disruption_reason reason);
json_t *unreason_patch(struct control *control, const struct node_claim *claim);
