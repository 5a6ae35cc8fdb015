// Condition metrics (LIF-355, LIF-356) of NodeClaims, NodePools, Nodes, node classes and
// CapacityBuffers. What holds now is computed when the registry is written; transitions are counted
// as the mirror tells them.
//
// Each kind has its own families; the deprecated ones stand for all kinds but Nodes and name the
// kind in a label.
#pragma once

#include "control/runtime/control.h"

struct condition_metrics *condition_metrics_create(struct control *control); // LIF-355; or NULL
void condition_metrics_destroy(struct condition_metrics *metrics);
