#include "sim/kubelet/volume_attachments.h"

#include <stdlib.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "sim/kubelet/pod_volumes.h"
#include "sim/world/world_write.h"

struct volume_attachments {
    struct world *world;
    struct work_queue *pods;  // by pod key: ephemeral claims, attachments
    struct work_queue *queue; // by attachment name: attaching or detaching
    struct map *waiting;      // attachment name -> monotonic time of the need, as intptr_t
};

static void sync_pod(void *context, const char *key);
static void sync_attachment(void *context, const char *name);

struct volume_attachments *volume_attachments_create(struct world *world)
{
    struct volume_attachments *attachments = memory_allocate(sizeof *attachments);
    int64_t delay_ns = world->options.controller_delay_ns;
    attachments->world = world;
    attachments->pods = work_queue_create(world->loop, delay_ns, sync_pod, attachments);
    attachments->queue = work_queue_create(world->loop, delay_ns, sync_attachment, attachments);
    attachments->waiting = map_create();
    return attachments;
}

void volume_attachments_destroy(struct volume_attachments *attachments)
{
    work_queue_destroy(attachments->pods);
    work_queue_destroy(attachments->queue);
    map_destroy(attachments->waiting, NULL);
    free(attachments);
}

void volume_attachments_queue_pod(struct volume_attachments *attachments, const char *key)
{
    work_queue_add(attachments->pods, key);
}

void volume_attachments_add(struct volume_attachments *attachments, const char *name)
{
    work_queue_add(attachments->queue, name);
}

void volume_attachments_remove(struct volume_attachments *attachments, const char *name)
{
    map_remove(attachments->waiting, name);
    world_for_each(pod, attachments->world, KIND_POD) // a pod may wait for the volume to be free
    {
        if (pod->on_node != NULL && !world_pod_ended(pod) && pod_uses_claims(pod))
            work_queue_add(attachments->pods, pod->key);
    }
}

static void attachment_name(const char *volume, const char *node, char out[48])
{
    snprintf(out, 48, "csi-%016llx%016llx",
             (unsigned long long)hash_mix(hash_string(volume), hash_string(node)),
             (unsigned long long)hash_mix(hash_string(node), hash_string(volume)));
}

bool volume_attachments_complete(const struct volume_attachments *attachments,
                                 const struct world_object *pod)
{
    if (pod->pod == NULL)
        return true;
    const char *node = world_text(pod->json, "spec.nodeName");
    list_for_each (volume, &pod->pod->spec.volumes) {
        if (volume->persistent_volume_claim == NULL && volume->ephemeral == NULL)
            continue;
        const struct world_object *persistent = pod_volume_find(attachments->world, pod, volume);
        if (persistent == NULL)
            return false;
        if (volume_driver(persistent) == NULL)
            continue;
        char name[48];
        attachment_name(persistent->name, node, name);
        const struct world_object *attachment =
            world_find(attachments->world, KIND_VOLUME_ATTACHMENT, NULL, name);
        if (attachment == NULL || !json_is_true(store_path(attachment->json, "status.attached")))
            return false;
    }
    return true;
}

void volume_attachments_queue(struct volume_attachments *attachments,
                              const struct world_object *pod)
{
    const char *node = world_text(pod->json, "spec.nodeName");
    list_for_each (volume, &pod->pod->spec.volumes) {
        const struct world_object *persistent = pod_volume_find(attachments->world, pod, volume);
        if (persistent == NULL)
            continue;
        char name[48];
        attachment_name(persistent->name, node, name);
        work_queue_add(attachments->queue, name);
    }
}

// A volume without multi-node access is attached to one node at a time.
static bool free_to_attach(const struct volume_attachments *attachments,
                           const struct world_object *volume, const char *node)
{
    if (string_list_has(&volume->volume->spec.access_modes, "ReadWriteMany") ||
        string_list_has(&volume->volume->spec.access_modes, "ReadOnlyMany"))
        return true;
    world_for_each(attachment, attachments->world, KIND_VOLUME_ATTACHMENT)
    {
        if (text_equal(world_text(attachment->json, "spec.source.persistentVolumeName"),
                       volume->name) &&
            !text_equal(world_text(attachment->json, "spec.nodeName"), node))
            return false;
    }
    return true;
}

static void attach(struct volume_attachments *attachments, struct world_object *pod)
{
    const char *node = world_text(pod->json, "spec.nodeName");
    list_for_each (volume, &pod->pod->spec.volumes) {
        const struct world_object *persistent = pod_volume_find(attachments->world, pod, volume);
        const char *driver = persistent == NULL ? NULL : volume_driver(persistent);
        char name[48];
        if (persistent == NULL) // not bound yet
            work_queue_add_after(attachments->pods, pod->key, SECOND);
        if (driver == NULL)
            continue;
        attachment_name(persistent->name, node, name);
        if (world_find(attachments->world, KIND_VOLUME_ATTACHMENT, NULL, name) != NULL ||
            !free_to_attach(attachments, persistent, node))
            continue;
        json_t *value =
            json_pack("{s:s, s:s, s:{s:s}, s:{s:s, s:s, s:{s:s}}, s:{s:b}}", "apiVersion",
                      "storage.k8s.io/v1", "kind", "VolumeAttachment", "metadata", "name", name,
                      "spec", "attacher", driver, "nodeName", node, "source",
                      "persistentVolumeName", persistent->name, "status", "attached", 0);
        world_add(attachments->world, KIND_VOLUME_ATTACHMENT, NULL, value, NULL);
    }
}

static void sync_pod(void *context, const char *key)
{
    struct volume_attachments *attachments = context;
    struct world_object *pod = world_find_key(attachments->world, KIND_POD, key);
    if (pod == NULL || pod->pod == NULL)
        return;
    if (world_pod_ended(pod) && pod->on_node != NULL) {
        volume_attachments_queue(attachments, pod); // its volumes are free
        return;
    }
    if (world_is_deleting(pod))
        return;
    pod_create_ephemeral_claims(attachments->world, pod);
    if (pod->on_node != NULL)
        attach(attachments, pod);
}

static bool in_use(const struct volume_attachments *attachments,
                   const struct world_object *attachment)
{
    const char *node = world_text(attachment->json, "spec.nodeName");
    const char *wanted = world_text(attachment->json, "spec.source.persistentVolumeName");
    const struct world_node_pods *pods =
        world_pods_on(attachments->world, node == NULL ? "" : node);
    for (const struct world_object *pod = pods->first; pod != NULL; pod = pod->node_next) {
        if (pod->pod == NULL || world_pod_ended(pod))
            continue;
        list_for_each (volume, &pod->pod->spec.volumes) {
            const struct world_object *used = pod_volume_find(attachments->world, pod, volume);
            if (used != NULL && text_equal(used->name, wanted))
                return true;
        }
    }
    return false;
}

// Attaching and detaching take a delay, from the moment the need was first seen.
static bool has_waited(struct volume_attachments *attachments, const char *name,
                       int64_t duration_ns)
{
    int64_t now_ns = loop_monotonic_ns(attachments->world->loop);
    int64_t since = (intptr_t)map_get(attachments->waiting, name);
    if (since == 0) {
        since = ns_add(now_ns, 1);
        map_set(attachments->waiting, name, (void *)(intptr_t)since);
    }
    int64_t left_ns = ns_subtract(ns_add(ns_subtract(since, 1), duration_ns), now_ns);
    if (left_ns > 0)
        work_queue_add_after(attachments->queue, name, left_ns);
    else
        map_remove(attachments->waiting, name);
    return left_ns <= 0;
}

static void sync_attachment(void *context, const char *name)
{
    struct volume_attachments *attachments = context;
    struct world *world = attachments->world;
    struct world_object *attachment = world_find(world, KIND_VOLUME_ATTACHMENT, NULL, name);
    if (attachment == NULL)
        return;
    bool attached = json_is_true(store_path(attachment->json, "status.attached"));
    bool used = in_use(attachments, attachment);
    if (used && attached) {
        map_remove(attachments->waiting, name);
    } else if (used) {
        if (!has_waited(attachments, name, world->options.volume_attach_ns))
            return;
        json_t *status = world_copy_status(attachment);
        json_object_set_new(status, "attached", json_true());
        world_set_status(world, attachment, status);
    } else if (has_waited(attachments, name,
                          world->options.volume_detach_ns)) { // attached or not yet
        world_remove(world, attachment, -1, NULL);
    }
}
