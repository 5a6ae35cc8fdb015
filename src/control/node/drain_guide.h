// Leads the pods of large consolidations to their planned nodes (DIS-749,
// engine/placement/drain_guidance.h): all nodes but one carry the taint
// adze.dev/filled-later:PreferNoSchedule, so that kube-scheduler prefers that one wherever a pod
// fits there. The taint keeps no pod away. Nodes that have it without need lose it, also what an
// earlier process has left.
#pragma once

#include "control/runtime/control.h"

struct drain_guide;
// `moved` is called when a change that drain_guide_point() has asked for may be complete.
struct drain_guide *drain_guide_create(struct control *control, void (*moved)(void *context),
                                       void *context);
void drain_guide_destroy(struct drain_guide *guide); // NULL is fine
// Has all nodes but this one carry the taint; NULL: all. True once they do, or after a while.
bool drain_guide_point(struct drain_guide *guide, const char *node);
// No node is to have the taint any longer.
void drain_guide_end(struct drain_guide *guide);
