// Condition metrics (LIF-355, LIF-356) of NodeClaims, NodePools, Nodes, node classes and
// CapacityBuffers. Current conditions are computed at the scrape; transitions are counted with the
// mirror's changes.
//
// Each kind has its own families; the deprecated ones cover all kinds but Nodes and have the kind
// as a label.
#pragma once

#include "control/runtime/control.h"

struct condition_metrics *condition_metrics_create(struct control *control); // LIF-355; or NULL
void condition_metrics_destroy(struct condition_metrics *metrics);
