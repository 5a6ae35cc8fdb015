#include "control/node/volume_wait.h"

#include <stdio.h>

#include "control/node/drain.h"

#define NAMES_MAX 5

// The PersistentVolume behind one volume of a pod, or NULL.
static const char *volume_of(const struct control *control, const struct pod *pod,
                             const struct volume *volume)
{
    char claim_name[600];
    if (volume->persistent_volume_claim != NULL)
        snprintf(claim_name, sizeof claim_name, "%s", volume->persistent_volume_claim->claim_name);
    else if (volume->ephemeral != NULL)
        snprintf(claim_name, sizeof claim_name, "%s-%s", pod->meta.name, volume->name);
    else
        return NULL;
    const struct object *claim = mirror_get(control->manager.mirror, KIND_PERSISTENT_VOLUME_CLAIM,
                                            pod->meta.namespace, claim_name);
    return claim != NULL ? ((const struct persistent_volume_claim *)claim)->spec.volume_name : NULL;
}

static bool belongs_to_staying_pod(const struct control *control, const struct pod_list *pods,
                                   const char *volume_name, int64_t now)
{
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (pod_is_drainable(pod, now))
            continue;
        list_for_each (volume, &pod->spec.volumes)
            if (text_equal(volume_of(control, pod, volume), volume_name))
                return true;
    }
    return false;
}

uint32_t volume_attachments_awaited(const struct control *control, const struct node *node,
                                    int64_t now, struct text *names)
{
    const struct pod_list *pods = cluster_pods(control->cluster, node->meta.name);
    struct mirror_iterator iterator = {0};
    uint32_t count = 0;
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_VOLUME_ATTACHMENT, &iterator)) !=
         NULL;) {
        const struct volume_attachment *attachment = (const struct volume_attachment *)object;
        const char *volume = attachment->spec.source.persistent_volume_name;
        if (volume == NULL || !text_equal(attachment->spec.node_name, node->meta.name) ||
            belongs_to_staying_pod(control, pods, volume, now))
            continue;
        if (count++ < NAMES_MAX)
            text_join(names, ", ", attachment->meta.name);
    }
    return count;
}
