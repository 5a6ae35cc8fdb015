#include "sim/kubelet/pod_volumes.h"

#include <stdio.h>

#include "model/schema/karpenter.h"
#include "sim/world/world_write.h"

static void claim_name_of(const struct world_object *pod, const struct volume *volume,
                          char out[WORLD_KEY_MAX])
{
    out[0] = '\0';
    if (volume->persistent_volume_claim != NULL &&
        volume->persistent_volume_claim->claim_name != NULL)
        snprintf(out, WORLD_KEY_MAX, "%s", volume->persistent_volume_claim->claim_name);
    else if (volume->ephemeral != NULL)
        snprintf(out, WORLD_KEY_MAX, "%s-%s", pod->name, volume->name);
}

struct world_object *pod_volume_find(const struct world *world, const struct world_object *pod,
                                     const struct volume *volume)
{
    char name[WORLD_KEY_MAX];
    claim_name_of(pod, volume, name);
    const struct world_object *claim =
        name[0] == '\0' ? NULL
                        : world_find(world, KIND_PERSISTENT_VOLUME_CLAIM, pod->namespace, name);
    if (claim == NULL || claim->claim == NULL || claim->claim->spec.volume_name == NULL)
        return NULL;
    return world_find(world, KIND_PERSISTENT_VOLUME, NULL, claim->claim->spec.volume_name);
}

const char *volume_driver(const struct world_object *volume)
{
    const struct persistent_volume *typed = volume->volume;
    if (typed == NULL)
        return NULL;
    return typed->spec.csi != NULL                       ? typed->spec.csi->driver
           : typed->spec.aws_elastic_block_store != NULL ? DRIVER_EBS
                                                         : NULL;
}

bool pod_uses_claims(const struct world_object *pod)
{
    if (pod->pod == NULL)
        return false;
    list_for_each (volume, &pod->pod->spec.volumes) {
        if (volume->persistent_volume_claim != NULL || volume->ephemeral != NULL)
            return true;
    }
    return false;
}

void pod_create_ephemeral_claims(struct world *world, struct world_object *pod)
{
    size_t index;
    json_t *volume;
    json_array_foreach (store_path(pod->json, "spec.volumes"), index, volume) {
        const json_t *claim_template = store_path(volume, "ephemeral.volumeClaimTemplate");
        char name[WORLD_KEY_MAX];
        if (claim_template == NULL)
            continue;
        snprintf(name, sizeof name, "%s-%s", pod->name, world_text(volume, "name"));
        if (world_find(world, KIND_PERSISTENT_VOLUME_CLAIM, pod->namespace, name) != NULL)
            continue;
        const json_t *spec = json_object_get(claim_template, "spec");
        json_t *claim = json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "v1", "kind",
                                  "PersistentVolumeClaim", "metadata", "name", name, "spec",
                                  spec == NULL ? json_object() : json_deep_copy(spec));
        world_add_owner(claim, pod);
        world_add(world, KIND_PERSISTENT_VOLUME_CLAIM, pod->namespace, claim, NULL);
    }
}
