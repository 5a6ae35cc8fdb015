#include "sim/kubelet/volumes.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "model/schema/karpenter.h"
#include "sim/scheduler/scheduler_filters.h"
#include "sim/scheduler/scheduler_node_affinity.h"
#include "sim/workloads/workloads.h"
#include "sim/world/world_write.h"

#define DRIVER_EBS     "ebs.csi.aws.com"
#define NO_PROVISIONER "kubernetes.io/no-provisioner"

struct volumes {
    struct world *world;
    struct work_queue *claims;      // by key: to be bound
    struct work_queue *persistent;  // by volume name: phase, reclaiming
    struct work_queue *pods;        // by pod key: ephemeral claims, attachments
    struct work_queue *attachments; // by attachment name: attached, or to be detached
    struct map *waiting;            // attachment name -> monotonic time of the wish, as intptr_t
};

static void sync_claim(void *context, const char *key);
static void sync_volume(void *context, const char *name);
static void sync_pod(void *context, const char *key);
static void sync_attachment(void *context, const char *name);

struct volumes *volumes_create(struct world *world)
{
    struct volumes *volumes = memory_allocate(sizeof *volumes);
    const struct world_options *options = &world->options;
    volumes->world = world;
    volumes->claims =
        work_queue_create(world->loop, options->volume_provision_ns, sync_claim, volumes);
    volumes->persistent =
        work_queue_create(world->loop, options->controller_delay_ns, sync_volume, volumes);
    volumes->pods = work_queue_create(world->loop, options->controller_delay_ns, sync_pod, volumes);
    volumes->attachments =
        work_queue_create(world->loop, options->controller_delay_ns, sync_attachment, volumes);
    volumes->waiting = map_create();
    return volumes;
}

void volumes_destroy(struct volumes *volumes)
{
    work_queue_destroy(volumes->claims);
    work_queue_destroy(volumes->persistent);
    work_queue_destroy(volumes->pods);
    work_queue_destroy(volumes->attachments);
    map_destroy(volumes->waiting, NULL);
    free(volumes);
}

// --- which volume a pod means --------------------------------------------------------------------

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

static struct world_object *volume_of(const struct world *world, const struct world_object *pod,
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

static const char *driver_of(const struct world_object *volume)
{
    const struct persistent_volume *typed = volume->volume;
    if (typed == NULL)
        return NULL;
    return typed->spec.csi != NULL                       ? typed->spec.csi->driver
           : typed->spec.aws_elastic_block_store != NULL ? DRIVER_EBS
                                                         : NULL;
}

static void attachment_name(const char *volume, const char *node, char out[48])
{
    snprintf(out, 48, "csi-%016llx%016llx",
             (unsigned long long)hash_mix(hash_string(volume), hash_string(node)),
             (unsigned long long)hash_mix(hash_string(node), hash_string(volume)));
}

static bool uses_claims(const struct world_object *pod)
{
    if (pod->pod == NULL)
        return false;
    list_for_each (volume, &pod->pod->spec.volumes) {
        if (volume->persistent_volume_claim != NULL || volume->ephemeral != NULL)
            return true;
    }
    return false;
}

bool volumes_attached(const struct volumes *volumes, const struct world_object *pod)
{
    if (pod->pod == NULL)
        return true;
    const char *node = world_text(pod->json, "spec.nodeName");
    list_for_each (volume, &pod->pod->spec.volumes) {
        if (volume->persistent_volume_claim == NULL && volume->ephemeral == NULL)
            continue;
        const struct world_object *persistent = volume_of(volumes->world, pod, volume);
        if (persistent == NULL)
            return false;
        if (driver_of(persistent) == NULL)
            continue;
        char name[48];
        attachment_name(persistent->name, node, name);
        const struct world_object *attachment =
            world_find(volumes->world, KIND_VOLUME_ATTACHMENT, NULL, name);
        if (attachment == NULL || !json_is_true(store_path(attachment->json, "status.attached")))
            return false;
    }
    return true;
}

// --- changes -------------------------------------------------------------------------------------

static void queue_attachments(struct volumes *volumes, const struct world_object *pod)
{
    const char *node = world_text(pod->json, "spec.nodeName");
    list_for_each (volume, &pod->pod->spec.volumes) {
        const struct world_object *persistent = volume_of(volumes->world, pod, volume);
        if (persistent == NULL)
            continue;
        char name[48];
        attachment_name(persistent->name, node, name);
        work_queue_add(volumes->attachments, name);
    }
}

void volumes_leave(void *part, struct world_object *object)
{
    struct volumes *volumes = part;
    if (!object->gone)
        return;
    const struct world *world = volumes->world;
    if (world_is(object, KIND_POD) && object->on_node != NULL && uses_claims(object)) {
        queue_attachments(volumes, object);
    } else if (world_is(object, KIND_PERSISTENT_VOLUME_CLAIM) && object->claim != NULL &&
               object->claim->spec.volume_name != NULL) {
        work_queue_add(volumes->persistent, object->claim->spec.volume_name);
    } else if (world_is(object, KIND_VOLUME_ATTACHMENT)) {
        map_remove(volumes->waiting, object->name);
        world_for_each(pod, world, KIND_POD) // one may wait for the volume to be free
        {
            if (pod->on_node != NULL && !world_pod_ended(pod) && uses_claims(pod))
                work_queue_add(volumes->pods, pod->key);
        }
    }
}

void volumes_enter(void *part, struct world_object *object)
{
    struct volumes *volumes = part;
    const struct world *world = volumes->world;
    if (world_is(object, KIND_POD) && uses_claims(object)) {
        work_queue_add(volumes->pods, object->key);
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
        work_queue_add(volumes->attachments, object->name);
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

// The zone where the volume is made: the node's, else the class's first, else anywhere.
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

// --- pods ----------------------------------------------------------------------------------------

static void create_ephemeral_claims(struct volumes *volumes, struct world_object *pod)
{
    size_t index;
    json_t *volume;
    json_array_foreach (store_path(pod->json, "spec.volumes"), index, volume) {
        const json_t *claim_template = store_path(volume, "ephemeral.volumeClaimTemplate");
        char name[WORLD_KEY_MAX];
        if (claim_template == NULL)
            continue;
        snprintf(name, sizeof name, "%s-%s", pod->name, world_text(volume, "name"));
        if (world_find(volumes->world, KIND_PERSISTENT_VOLUME_CLAIM, pod->namespace, name) != NULL)
            continue;
        const json_t *spec = json_object_get(claim_template, "spec");
        json_t *claim = json_pack("{s:s, s:s, s:{s:s}, s:o}", "apiVersion", "v1", "kind",
                                  "PersistentVolumeClaim", "metadata", "name", name, "spec",
                                  spec == NULL ? json_object() : json_deep_copy(spec));
        world_add_owner(claim, pod);
        world_add(volumes->world, KIND_PERSISTENT_VOLUME_CLAIM, pod->namespace, claim, NULL);
    }
}

// A volume that is not for many nodes is attached to one at a time.
static bool free_to_attach(const struct volumes *volumes, const struct world_object *volume,
                           const char *node)
{
    if (string_list_has(&volume->volume->spec.access_modes, "ReadWriteMany") ||
        string_list_has(&volume->volume->spec.access_modes, "ReadOnlyMany"))
        return true;
    world_for_each(attachment, volumes->world, KIND_VOLUME_ATTACHMENT)
    {
        if (text_equal(world_text(attachment->json, "spec.source.persistentVolumeName"),
                       volume->name) &&
            !text_equal(world_text(attachment->json, "spec.nodeName"), node))
            return false;
    }
    return true;
}

static void attach(struct volumes *volumes, struct world_object *pod)
{
    const char *node = world_text(pod->json, "spec.nodeName");
    list_for_each (volume, &pod->pod->spec.volumes) {
        const struct world_object *persistent = volume_of(volumes->world, pod, volume);
        const char *driver = persistent == NULL ? NULL : driver_of(persistent);
        char name[48];
        if (persistent == NULL) // its binding is to come
            work_queue_add_after(volumes->pods, pod->key, SECOND);
        if (driver == NULL)
            continue;
        attachment_name(persistent->name, node, name);
        if (world_find(volumes->world, KIND_VOLUME_ATTACHMENT, NULL, name) != NULL ||
            !free_to_attach(volumes, persistent, node))
            continue;
        json_t *value =
            json_pack("{s:s, s:s, s:{s:s}, s:{s:s, s:s, s:{s:s}}, s:{s:b}}", "apiVersion",
                      "storage.k8s.io/v1", "kind", "VolumeAttachment", "metadata", "name", name,
                      "spec", "attacher", driver, "nodeName", node, "source",
                      "persistentVolumeName", persistent->name, "status", "attached", 0);
        world_add(volumes->world, KIND_VOLUME_ATTACHMENT, NULL, value, NULL);
    }
}

static void sync_pod(void *context, const char *key)
{
    struct volumes *volumes = context;
    struct world_object *pod = world_find_key(volumes->world, KIND_POD, key);
    if (pod == NULL || pod->pod == NULL)
        return;
    if (world_pod_ended(pod) && pod->on_node != NULL) {
        queue_attachments(volumes, pod); // its volumes are free
        return;
    }
    if (world_is_deleting(pod))
        return;
    create_ephemeral_claims(volumes, pod);
    if (pod->on_node != NULL)
        attach(volumes, pod);
}

// --- attachments ---------------------------------------------------------------------------------

static bool in_use(const struct volumes *volumes, const struct world_object *attachment)
{
    const char *node = world_text(attachment->json, "spec.nodeName");
    const char *wanted = world_text(attachment->json, "spec.source.persistentVolumeName");
    const struct world_node_pods *pods = world_pods_on(volumes->world, node == NULL ? "" : node);
    for (const struct world_object *pod = pods->first; pod != NULL; pod = pod->node_next) {
        if (pod->pod == NULL || world_pod_ended(pod))
            continue;
        list_for_each (volume, &pod->pod->spec.volumes) {
            const struct world_object *used = volume_of(volumes->world, pod, volume);
            if (used != NULL && text_equal(used->name, wanted))
                return true;
        }
    }
    return false;
}

// Attaching and detaching take their time, counted from the first look that found the wish.
static bool has_waited(struct volumes *volumes, const char *name, int64_t duration_ns)
{
    int64_t now_ns = loop_monotonic_ns(volumes->world->loop);
    int64_t since = (intptr_t)map_get(volumes->waiting, name);
    if (since == 0) {
        since = ns_add(now_ns, 1);
        map_set(volumes->waiting, name, (void *)(intptr_t)since);
    }
    int64_t left_ns = ns_subtract(ns_add(ns_subtract(since, 1), duration_ns), now_ns);
    if (left_ns > 0)
        work_queue_add_after(volumes->attachments, name, left_ns);
    else
        map_remove(volumes->waiting, name);
    return left_ns <= 0;
}

static void sync_attachment(void *context, const char *name)
{
    struct volumes *volumes = context;
    struct world *world = volumes->world;
    struct world_object *attachment = world_find(world, KIND_VOLUME_ATTACHMENT, NULL, name);
    if (attachment == NULL)
        return;
    bool attached = json_is_true(store_path(attachment->json, "status.attached"));
    bool used = in_use(volumes, attachment);
    if (used && attached) {
        map_remove(volumes->waiting, name);
    } else if (used) {
        if (!has_waited(volumes, name, world->options.volume_attach_ns))
            return;
        json_t *status = world_copy_status(attachment);
        json_object_set_new(status, "attached", json_true());
        world_set_status(world, attachment, status);
    } else if (has_waited(volumes, name, world->options.volume_detach_ns)) { // attached or not yet
        world_remove(world, attachment, -1, NULL);
    }
}
