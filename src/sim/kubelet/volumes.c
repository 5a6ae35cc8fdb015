#include "sim/kubelet/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "model/schema/karpenter.h"
#include "sim/kubelet/pod_volumes.h"
#include "sim/kubelet/volume_attachments.h"
#include "sim/scheduler/scheduler_filters.h"
#include "sim/scheduler/scheduler_node_affinity.h"
#include "sim/workloads/workload_pods.h"
#include "sim/workloads/workloads.h"
#include "sim/world/world_write.h"

#define NO_PROVISIONER "kubernetes.io/no-provisioner"

struct volumes {
    struct world *world;
    struct work_queue *claims;     // by key: to be bound
    struct work_queue *persistent; // by volume name: phase, reclaiming
    struct volume_attachments *attachments;
};

static void sync_claim(void *context, const char *key);
static void sync_volume(void *context, const char *name);

struct volumes *volumes_create(struct world *world)
{
    struct volumes *volumes = memory_allocate(sizeof *volumes);
    const struct world_options *options = &world->options;
    volumes->world = world;
    volumes->claims =
        work_queue_create(world->loop, options->volume_provision_ns, sync_claim, volumes);
    volumes->persistent =
        work_queue_create(world->loop, options->controller_delay_ns, sync_volume, volumes);
    volumes->attachments = volume_attachments_create(world);
    return volumes;
}

void volumes_destroy(struct volumes *volumes)
{
    work_queue_destroy(volumes->claims);
    work_queue_destroy(volumes->persistent);
    volume_attachments_destroy(volumes->attachments);
    free(volumes);
}

bool volumes_attached(const struct volumes *volumes, const struct world_object *pod)
{
    return volume_attachments_complete(volumes->attachments, pod);
}

// --- changes -------------------------------------------------------------------------------------

void volumes_leave(void *part, struct world_object *object)
{
    struct volumes *volumes = part;
    if (!object->gone)
        return;
    if (world_is(object, KIND_POD) && object->on_node != NULL && pod_uses_claims(object)) {
        volume_attachments_queue(volumes->attachments, object);
    } else if (world_is(object, KIND_PERSISTENT_VOLUME_CLAIM) && object->claim != NULL &&
               object->claim->spec.volume_name != NULL) {
        work_queue_add(volumes->persistent, object->claim->spec.volume_name);
    } else if (world_is(object, KIND_VOLUME_ATTACHMENT)) {
        volume_attachments_remove(volumes->attachments, object->name);
    }
}

void volumes_enter(void *part, struct world_object *object)
{
    struct volumes *volumes = part;
    const struct world *world = volumes->world;
    if (world_is(object, KIND_POD) && pod_uses_claims(object)) {
        volume_attachments_queue_pod(volumes->attachments, object->key);
    } else if (world_is(object, KIND_PERSISTENT_VOLUME_CLAIM)) {
        if (!text_equal(world_text(object->json, "status.phase"), "Bound"))
            work_queue_add(volumes->claims, object->key);
    } else if (world_is(object, KIND_PERSISTENT_VOLUME)) {
        work_queue_add(volumes->persistent, object->name);
        world_for_each(claim, world, KIND_PERSISTENT_VOLUME_CLAIM)
        {
            if (!text_equal(world_text(claim->json, "status.phase"), "Bound"))
                work_queue_add(volumes->claims, claim->key);
        }
    } else if (world_is(object, KIND_STORAGE_CLASS)) {
        world_for_each(claim, world, KIND_PERSISTENT_VOLUME_CLAIM)
        {
            if (!text_equal(world_text(claim->json, "status.phase"), "Bound"))
                work_queue_add(volumes->claims, claim->key);
        }
    } else if (world_is(object, KIND_VOLUME_ATTACHMENT)) {
        volume_attachments_add(volumes->attachments, object->name);
    }
}

// --- claims --------------------------------------------------------------------------------------

static struct world_object *find_volume(struct volumes *volumes, const struct world_object *claim,
                                        const struct node *node);
static void bind(struct volumes *volumes, struct world_object *claim, struct world_object *volume);
static void provision(struct volumes *volumes, const struct world_object *claim,
                      const struct storage_class *class, const struct node *node);

static void set_phase(struct volumes *volumes, struct world_object *object, const char *phase)
{
    json_t *status = world_copy_status(object);
    json_object_set_new(status, "phase", json_string(phase));
    world_set_status(volumes->world, object, status);
}

static void sync_claim(void *context, const char *key)
{
    struct volumes *volumes = context;
    struct world *world = volumes->world;
    struct world_object *claim = world_find_key(world, KIND_PERSISTENT_VOLUME_CLAIM, key);
    if (claim == NULL || claim->claim == NULL || world_is_deleting(claim) ||
        text_equal(claim->claim->status.phase, "Bound"))
        return;
    if (claim->claim->status.phase == NULL)
        set_phase(volumes, claim, "Pending");
    const char *wanted = claim->claim->spec.volume_name;
    if (wanted != NULL && wanted[0] != '\0') {
        struct world_object *volume = world_find(world, KIND_PERSISTENT_VOLUME, NULL, wanted);
        if (volume != NULL)
            bind(volumes, claim, volume);
        return;
    }
    const char *class_name = claim->claim->spec.storage_class_name;
    const struct world_object *class =
        class_name == NULL ? NULL : world_find(world, KIND_STORAGE_CLASS, NULL, class_name);
    const struct storage_class *typed = class == NULL ? NULL : class->storage_class;
    const char *node_name = world_annotation(claim, ANNOTATION_SELECTED_NODE);
    const struct world_object *node =
        node_name == NULL ? NULL : world_find(world, KIND_NODE, NULL, node_name);
    bool waits = typed != NULL && text_equal(typed->volume_binding_mode, "WaitForFirstConsumer");
    if (waits && (node == NULL || node->node == NULL))
        return;
    struct world_object *volume = find_volume(volumes, claim, node == NULL ? NULL : node->node);
    if (volume != NULL)
        bind(volumes, claim, volume);
    else if (typed != NULL && typed->provisioner != NULL &&
             strcmp(typed->provisioner, NO_PROVISIONER) != 0)
        provision(volumes, claim, typed, node == NULL ? NULL : node->node);
}

static struct world_object *find_volume(struct volumes *volumes, const struct world_object *claim,
                                        const struct node *node)
{
    world_for_each(volume, volumes->world, KIND_PERSISTENT_VOLUME)
    {
        const struct persistent_volume *typed = volume->volume;
        if (typed == NULL || world_is_deleting(volume))
            continue;
        bool reserved = typed->spec.claim_ref != NULL;
        bool ours = reserved && text_equal(typed->spec.claim_ref->name, claim->name) &&
                    text_equal(typed->spec.claim_ref->namespace, claim->namespace) &&
                    (typed->spec.claim_ref->uid == NULL ||
                     text_equal(typed->spec.claim_ref->uid, claim->uid));
        if (ours)
            return volume;
        const char *own_class = typed->spec.storage_class_name;
        const char *class_name = claim->claim->spec.storage_class_name;
        if (reserved ||
            !text_equal(own_class == NULL ? "" : own_class, class_name == NULL ? "" : class_name))
            continue;
        bool modes = true;
        list_for_each (mode, &claim->claim->spec.access_modes)
            modes &= string_list_has(&typed->spec.access_modes, *mode);
        bool reachable = node == NULL || typed->spec.node_affinity == NULL ||
                         typed->spec.node_affinity->required == NULL ||
                         filter_node_terms_match(
                             &typed->spec.node_affinity->required->node_selector_terms, node);
        if (modes && reachable)
            return volume;
    }
    return NULL;
}

static json_t *claim_reference(const struct world_object *claim)
{
    return json_pack("{s:s, s:s, s:s, s:s, s:s}", "apiVersion", "v1", "kind",
                     "PersistentVolumeClaim", "namespace", claim->namespace, "name", claim->name,
                     "uid", claim->uid);
}

static void bind(struct volumes *volumes, struct world_object *claim, struct world_object *volume)
{
    struct world *world = volumes->world;
    const struct persistent_volume *typed = volume->volume;
    if (typed != NULL && typed->spec.claim_ref != NULL && typed->spec.claim_ref->uid != NULL &&
        !text_equal(typed->spec.claim_ref->uid, claim->uid))
        return; // another claim's
    char name[300];
    snprintf(name, sizeof name, "%s", volume->name);
    json_t *value = world_copy(volume);
    json_object_set_new(json_object_get(value, "spec"), "claimRef", claim_reference(claim));
    world_replace(world, volume, value);

    value = world_copy(claim);
    json_object_set_new(json_object_get(value, "spec"), "volumeName", json_string(name));
    json_t *annotations = workload_metadata(value, "annotations");
    json_object_set_new(annotations, "pv.kubernetes.io/bind-completed", json_string("yes"));
    world_replace(world, claim, value);

    json_t *status = world_copy_status(claim);
    json_object_set_new(status, "phase", json_string("Bound"));
    static const char *const copied[] = {"accessModes", "capacity"};
    for (size_t i = 0; i < ARRAY_LENGTH(copied); i++) {
        volume = world_find(world, KIND_PERSISTENT_VOLUME, NULL, name);
        json_t *part =
            volume == NULL ? NULL : json_object_get(store_path(volume->json, "spec"), copied[i]);
        if (part != NULL)
            json_object_set_new(status, copied[i], json_deep_copy(part));
    }
    world_set_status(world, claim, status);
}

// The zone of a new volume: the node's, else the class's first, else any.
static const char *zone_for(const struct storage_class *class, const struct node *node)
{
    if (node != NULL)
        return string_map_get(&node->meta.labels, LABEL_ZONE);
    list_for_each (term, &class->allowed_topologies) {
        list_for_each (label, &term->match_label_expressions) {
            if (text_equal(label->key, LABEL_ZONE) && label->values.count > 0)
                return label->values.items[0];
        }
    }
    return NULL;
}

static void provision(struct volumes *volumes, const struct world_object *claim,
                      const struct storage_class *class, const struct node *node)
{
    char name[80], handle[40];
    snprintf(name, sizeof name, "pvc-%s", claim->uid);
    snprintf(handle, sizeof handle, "vol-%016llx", (unsigned long long)hash_string(claim->uid));
    if (world_find(volumes->world, KIND_PERSISTENT_VOLUME, NULL, name) != NULL)
        return;
    bool in_tree = text_equal(class->provisioner, "kubernetes.io/aws-ebs");
    const struct world_object *object =
        world_find(volumes->world, KIND_STORAGE_CLASS, NULL, class->meta.name);
    const char *policy = object == NULL ? NULL : world_text(object->json, "reclaimPolicy");
    json_t *spec = json_pack("{s:s, s:s, s:{s:s, s:s}, s:o}", "storageClassName", class->meta.name,
                             "persistentVolumeReclaimPolicy", policy == NULL ? "Delete" : policy,
                             "csi", "driver", in_tree ? DRIVER_EBS : class->provisioner,
                             "volumeHandle", handle, "claimRef", claim_reference(claim));
    json_t *storage = store_path(claim->json, "spec.resources.requests");
    json_t *modes = store_path(claim->json, "spec.accessModes");
    json_object_set_new(spec, "capacity",
                        storage == NULL ? json_object() : json_deep_copy(storage));
    json_object_set_new(spec, "accessModes", modes == NULL ? json_array() : json_deep_copy(modes));
    const char *zone = zone_for(class, node);
    if (zone != NULL)
        json_object_set_new(spec, "nodeAffinity",
                            json_pack("{s:{s:[{s:[{s:s, s:s, s:[s]}]}]}}", "required",
                                      "nodeSelectorTerms", "matchExpressions", "key", LABEL_ZONE,
                                      "operator", "In", "values", zone));
    json_t *value = json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "v1", "kind",
                              "PersistentVolume", "metadata", "name", name, "spec", spec);
    world_add(volumes->world, KIND_PERSISTENT_VOLUME, NULL, value, NULL); // and is then bound
}

// --- volumes -------------------------------------------------------------------------------------

static void sync_volume(void *context, const char *name)
{
    struct volumes *volumes = context;
    struct world *world = volumes->world;
    struct world_object *volume = world_find(world, KIND_PERSISTENT_VOLUME, NULL, name);
    if (volume == NULL || volume->volume == NULL || world_is_deleting(volume))
        return;
    const char *claim_uid = world_text(volume->json, "spec.claimRef.uid");
    if (claim_uid == NULL) {
        set_phase(volumes, volume, "Available");
        return;
    }
    if (map_get(world->by_uid, claim_uid) != NULL) {
        set_phase(volumes, volume, "Bound");
        return;
    }
    bool retained =
        !text_equal(world_text(volume->json, "spec.persistentVolumeReclaimPolicy"), "Delete");
    set_phase(volumes, volume, "Released");
    if (retained)
        return;
    world_for_each(attachment, world, KIND_VOLUME_ATTACHMENT)
    {
        if (text_equal(world_text(attachment->json, "spec.source.persistentVolumeName"), name)) {
            work_queue_add_after(volumes->persistent, name, world->options.volume_detach_ns);
            return;
        }
    }
    world_remove(world, volume, -1, NULL);
}
