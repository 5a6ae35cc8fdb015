// What was last said about why nodes stay (DIS-771): events DisruptionBlocked and Unconsolidatable
// on a Node and its NodeClaim are told when their cause is another than the one that was told last,
// and not again while it is the same. A cause that comes and goes is told every two minutes at
// most.
//
// Who looks at nodes tells what it finds, look by look; each of them has its own last word about a
// node, since what blocks one method need not block another. Held in memory: a successor tells once
// more.
#pragma once

#include "control/runtime/control.h"

struct node_causes;
struct node_causes *node_causes_create(struct control *control);
void node_causes_destroy(struct node_causes *causes); // NULL is fine

enum node_looker { LOOKER_EMPTINESS, LOOKER_SWEEP };
// `reason`: of the event. One of `node` and `claim` may be NULL.
void node_causes_tell(struct node_causes *causes, enum node_looker looker, const char *reason,
                      const struct node *node, const struct node_claim *claim, const char *message);
// The look has ended. One at all nodes: what was not told of this time holds no longer.
void node_causes_end(struct node_causes *causes, enum node_looker looker, bool was_at_all);
