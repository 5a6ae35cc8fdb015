// What an edit changes in an object: the fields of spec, labels and annotations that differ, as
// paths with both values. Lists whose items have a key or a name are compared item by item.
#pragma once

#include "model/schema/object.h"

struct field_change {
    const char *path;      // "spec.template.spec.requirements[karpenter.sh/capacity-type]"
    const char *from, *to; // compact JSON, strings without quotes; NULL: absent
};
typedef LIST(struct field_change) field_change_list;

// Sorted by path, in `arena`. What API servers fill in (restartPolicy: Always) is no change where
// one side leaves it out. Annotations of tools and controllers do not count.
field_change_list field_changes_find(struct arena *arena, const struct object *before,
                                     const struct object *after);
// Whether a change is at the path or below it: "spec.template" has
// "spec.template.metadata.labels[team]".
bool field_change_is_below(const struct field_change *change, const char *path);
