#include "control/state/pod_siblings.h"

#include "base/text.h"
#include "control/state/pod_volumes.h"
#include "model/reading/pod.h"
#include "model/schema/resources.h"

bool pod_is_tied(const struct control *control, const struct pod *pod)
{
    list_for_each (volume, &pod->spec.volumes)
        if (pod_volume_name(control, pod, volume) != NULL)
            return true;
    return pod_spec_has_resource_claims(&pod->spec);
}

static bool same_label(const struct pod *one, const struct pod *other, const char *key)
{
    return text_equal(label_or_empty((const struct object *)one, key),
                      label_or_empty((const struct object *)other, key));
}

// Its pods of one revision are made from one template.
static bool has_template(const struct owner_reference *owner)
{
    static const char *const kinds[] = {"ReplicaSet", "ReplicationController", "StatefulSet",
                                        "Job"};
    for (size_t i = 0; i < ARRAY_LENGTH(kinds); i++)
        if (text_equal(owner->kind, kinds[i]))
            return true;
    return false;
}

bool pods_are_siblings(const struct pod *one, const struct pod *other)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)one);
    if (owner == NULL || owner->uid == NULL || !has_template(owner) ||
        !text_equal(owner->uid, pod_controller_uid(other)) ||
        !same_label(one, other, "controller-revision-hash"))
        return false;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct resource_map mine = pod_requests(arena, one), its = pod_requests(arena, other);
    return resource_map_covers(&mine, &its) && resource_map_covers(&its, &mine);
}

const struct topology_spread_constraint *pod_wide_spread(const struct pod *pod)
{
    list_for_each (spread, &pod->spec.topology_spread_constraints)
        if (text_equal(spread->when_unsatisfiable, "DoNotSchedule") &&
            !text_equal(spread->topology_key, LABEL_HOSTNAME))
            return spread;
    return NULL;
}

const char *pod_spread_key(const struct pod *pod)
{
    const struct topology_spread_constraint *spread = pod_wide_spread(pod);
    return spread != NULL ? spread->topology_key : NULL;
}
