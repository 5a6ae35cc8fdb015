#include "control/node/volume_wait.h"

#include "control/node/drain.h"
#include "control/state/pod_volumes.h"

#define NAMES_MAX 5

static bool belongs_to_staying_pod(const struct control *control, const struct pod_list *pods,
                                   const char *volume_name, int64_t now)
{
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (pod_is_drainable(pod, now))
            continue;
        list_for_each (volume, &pod->spec.volumes)
            if (text_equal(pod_volume_name(control, pod, volume), volume_name))
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
