// What the controllers of NodePools and NodeClaims would write after an edit (snapshot_overlay.h):
// NodeClaims that drift, no longer drift, become consolidatable, or go with their NodePool. Pure.
#pragma once

#include "model/snapshot/snapshot_overlay.h"

struct drift_mark {
    const struct node_claim *claim; // of the edited snapshot
    const char *node;               // the Node's name, or the NodeClaim's without one
    const char *reason;             // "NodePoolDrifted"; NULL: it drifts no longer
    bool before;                    // it had drifted before the edit
    field_change_list fields;       // on the node, and wanted now; empty: not known
};
struct edit_forecast {
    LIST(struct drift_mark) drifted; // by node name: those that have drifted, before or by the edit
    LIST(struct drift_mark) settled; // those that drift no longer
    struct string_list fresh;        // NodePools with a node that has not drifted before
    LIST(const char *) remarks;      // what only a controller can tell
};

// Changes the NodeClaims of `after`. Texts live in `arena`.
struct edit_forecast edit_forecast_apply(struct arena *arena, const struct snapshot *before,
                                         struct snapshot *after,
                                         const struct object_change_list *changes);
