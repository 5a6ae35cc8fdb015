// Parts of bodies for the API server: merge patches and the pieces of objects.
#pragma once

#include <jansson.h>

#include "model/schema/core.h"
#include "model/schema/karpenter.h"

json_t *json_taints(const taint_list *taints, const struct taint *without,
                    const struct taint *with);
void json_add_taint(json_t *taints, const struct taint *taint);
// The patch's spec.taints. It takes the reference to them.
void json_set_taints(json_t *patch, json_t *taints);
json_t *json_requirements(const requirement_list *requirements);
json_t *json_instant(int64_t instant);
// {"metadata": {"resourceVersion": ...}}: the start of a merge patch with optimistic lock
// (LIF-444).
json_t *json_locked(const struct object *object);
// The object's finalizers, with adze's own or without it.
json_t *json_finalizers(const struct object *object, bool with_ours);
// The patch's metadata.labels / metadata.annotations, created if absent; borrowed.
json_t *json_metadata(json_t *patch, const char *field);
