// Objects of a snapshot by name.
#pragma once

#include <stdbool.h>

#include "base/map.h"
#include "model/snapshot/snapshot.h"

// "NAME", or "NAMESPACE/NAME" if `namespaced`; the objects are borrowed. The caller destroys the
// map.
struct map *object_index(const struct snapshot *snapshot, enum kind_id kind, bool namespaced);
