// Manifests held against the API before they are planned: what an API server or the controller
// would refuse, as `adze validate` tells it, is refused here.
#pragma once

#include "base/text.h"
#include "model/snapshot/snapshot_read.h"

struct manifest_check {
    bool strict, force;  // force: nothing is refused, the remarks tell
    struct text remarks; // lines that begin with a line feed
};
void manifest_check_free(struct manifest_check *check); // its contents

// For snapshot_read_examined(); the context is the struct manifest_check. Objects that a cluster
// has admitted (with a uid) are not refused.
bool manifest_examine(void *context, const struct object *object, const json_t *document,
                      struct error *error);
