// Reasons why nodes stay (DIS-771), as events DisruptionBlocked and Unconsolidatable on a Node and
// its NodeClaim. An event is published when its cause changes, and not again while it lasts. A
// cause that comes and goes is published every two minutes at most.
//
// Each kind of evaluation has its own last cause of a node, since the methods have different
// blockers. The causes are in memory: a successor publishes once more.
#pragma once

#include "control/runtime/control.h"

struct blocked_events;
struct blocked_events *blocked_events_create(struct control *control);
void blocked_events_destroy(struct blocked_events *causes); // NULL is fine

enum node_looker { LOOKER_EMPTINESS, LOOKER_SWEEP };
// `event`: EVENT_DISRUPTION_BLOCKED or EVENT_UNCONSOLIDATABLE. One of `node` and `claim` may be
// NULL.
void blocked_events_publish(struct blocked_events *causes, enum node_looker looker,
                            enum event_reason event, const struct node *node,
                            const struct node_claim *claim, const char *message);
// The evaluation has ended. If it covered all nodes, causes that it did not find are over.
void blocked_events_end(struct blocked_events *causes, enum node_looker looker, bool was_complete);
