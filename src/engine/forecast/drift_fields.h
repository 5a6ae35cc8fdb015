// The fields by which a NodeClaim has drifted: what its node was made with, and what is wanted now.
// For people; drift itself is found by hashes and requirements (model/reading/claim_drift.h).
#pragma once

#include "model/snapshot/snapshot_overlay.h"

// By the template or the requirements of the NodePool. `edit`: the NodePool's, if the NodeClaim
// drifts by nothing else (it knows removed labels, too); else NULL.
field_change_list drift_fields_of_pool(struct arena *arena, const struct node_claim *claim,
                                       const struct node_pool *pool,
                                       const struct object_change *edit);
// By its EC2NodeClass; empty without an edit.
field_change_list drift_fields_of_class(struct arena *arena, const struct object_change *edit);
