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

struct blocked_events;
struct blocked_events *blocked_events_create(struct control *control);
void blocked_events_destroy(struct blocked_events *causes); // NULL is fine

enum node_looker { LOOKER_EMPTINESS, LOOKER_SWEEP };
// `event`: EVENT_DISRUPTION_BLOCKED or EVENT_UNCONSOLIDATABLE. One of `node` and `claim` may be
// NULL.
void blocked_events_tell(struct blocked_events *causes, enum node_looker looker,
                         enum event_reason event, const struct node *node,
                         const struct node_claim *claim, const char *message);
// The look has ended. One at all nodes: what was not told of this time holds no longer.
void blocked_events_end(struct blocked_events *causes, enum node_looker looker, bool was_at_all);
