// Names of objects of the live cluster, for completion: within a short time or not at all.
#pragma once

#include "base/memory.h"
#include "base/vector.h"
#include "kube/transport/kube_choice.h"
#include "model/schema/object.h"

typedef VECTOR(const char *) name_list;

// Adds the names of the kind's objects, pods as NAMESPACE/NAME, in the arena. Nothing is added if
// the cluster does not answer in time.
void live_names_list(struct arena *arena, enum kind_id kind, const struct kube_choice *cluster,
                     name_list *names);
