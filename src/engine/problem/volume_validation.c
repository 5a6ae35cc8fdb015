#include "engine/problem/volume_validation.h"

#include <string.h>

#include "base/text.h"
#include "engine/problem/volume_claims.h"

static const char *refuse_bound(struct problem *problem,
                                const struct persistent_volume_claim *claim)
{
    const char *class =
        claim->spec.storage_class_name != NULL ? claim->spec.storage_class_name : "";
    const struct persistent_volume *volume =
        map_get(problem->volumes.items, claim->spec.volume_name);
    const char *what = NULL;
    if (volume == NULL)
        what = arena_format(problem->arena,
                            "failed to validate pvc, persistentvolumes \"%s\" not found",
                            claim->spec.volume_name);
    else if (volume->meta.deletion_timestamp != 0)
        what = "failed to validate pvc, persistentvolume is being deleted";
    if (what != NULL)
        return arena_format(
            problem->arena,
            "%s (PersistentVolume=%s, PersistentVolumeClaim=%s/%s, StorageClass=%s)", what,
            claim->spec.volume_name, claim->meta.namespace, claim->meta.name, class);
    static const char bound[] = "pv.kubernetes.io/bind-completed";
    if (string_map_get(&claim->meta.annotations, bound) == NULL)
        return arena_format(problem->arena,
                            "pvc is considered unbound because it does not contain annotation "
                            "(PersistentVolume=%s, PersistentVolumeClaim=%s/%s, annotation=%s)",
                            claim->spec.volume_name, claim->meta.namespace, claim->meta.name,
                            bound);
    return NULL;
}

static const char *refuse_unbound(struct problem *problem,
                                  const struct persistent_volume_claim *claim)
{
    const char *class_name = claim->spec.storage_class_name, *what = NULL;
    if (text_is_empty(class_name)) {
        class_name = "";
        what = "unbound pvc must define a storage class";
    } else {
        const struct storage_class *class = map_get(problem->volumes.storage_classes, class_name);
        if (class == NULL)
            what = arena_format(problem->arena,
                                "failed to validate pvc, failed to get storage class, "
                                "storageclasses.storage.k8s.io \"%s\" not found",
                                class_name);
        else if (text_equal(class->volume_binding_mode, "Immediate"))
            what = "failed to validate pvc, pvc with immediate volume binding mode must be bound";
    }
    if (what == NULL)
        return NULL;
    return arena_format(problem->arena, "%s (PersistentVolumeClaim=%s/%s, StorageClass=%s)", what,
                        claim->meta.namespace, claim->meta.name, class_name);
}

static const char *refuse_claim(struct problem *problem, const struct pod *pod, const char *name)
{
    const struct persistent_volume_claim *claim =
        volume_claim_find(problem, pod->meta.namespace, name);
    if (claim == NULL)
        return arena_format(problem->arena,
                            "discovering persistent volume claim, getting persistent volume claim, "
                            "persistentvolumeclaims \"%s\" not found (PersistentVolumeClaim=%s/%s)",
                            name, pod->meta.namespace, name);
    if (claim->meta.deletion_timestamp != 0)
        return arena_format(problem->arena,
                            "persistentvolumeclaim is being deleted (PersistentVolumeClaim=%s/%s)",
                            claim->meta.namespace, name);
    if (text_equal(claim->status.phase, "Lost"))
        return arena_format(problem->arena,
                            "persistentvolumeclaim bound to non-existent persistentvolume "
                            "(PersistentVolume=%s, PersistentVolumeClaim=%s/%s)",
                            claim->spec.volume_name != NULL ? claim->spec.volume_name : "",
                            claim->meta.namespace, name);
    return !text_is_empty(claim->spec.volume_name) ? refuse_bound(problem, claim)
                                                   : refuse_unbound(problem, claim);
}

const char *volumes_validate(struct problem *problem, const struct pod *pod)
{
    list_for_each (volume, &pod->spec.volumes) {
        const char *name = volume_claim_name(problem->arena, pod, volume);
        const char *why = name != NULL ? refuse_claim(problem, pod, name) : NULL;
        if (why != NULL)
            return why;
    }
    return NULL;
}
