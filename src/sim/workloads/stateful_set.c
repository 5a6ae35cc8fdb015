#include "sim/workloads/stateful_set.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "sim/workloads/pod_batches.h"
#include "sim/workloads/revisions.h"
#include "sim/workloads/workload_pods.h"
#include "sim/world/world_write.h"

#define LABEL_REVISION "controller-revision-hash"

struct numbered_pods {
    struct world_object **items; // by ordinal minus the first; NULL: absent
    int64_t first, count;
    world_objects surplus; // beyond the desired ordinals, the highest first
};

static struct numbered_pods number_pods(struct world *world, const struct world_object *set);
static bool grow(struct workloads *workloads, struct world_object *set,
                 const struct numbered_pods *pods, const char *revision, bool parallel);
static bool shrink(struct workloads *workloads, const struct world_object *set,
                   const struct numbered_pods *pods, bool parallel);
static void update(struct workloads *workloads, const struct world_object *set,
                   const struct numbered_pods *pods, const char *revision);
static void write_status(struct workloads *workloads, struct world_object *set,
                         const char *revision);

void stateful_set_sync(void *context, const char *key)
{
    struct workloads *workloads = context;
    struct world_object *set = world_find_key(workloads->world, KIND_STATEFUL_SET, key);
    if (set == NULL)
        return;
    char revision[12];
    workload_template_hash(store_path(set->json, "spec.template"), NULL, revision);
    if (!world_is_deleting(set)) {
        revisions_keep(workloads, set, revision);
        bool parallel = text_equal(world_text(set->json, "spec.podManagementPolicy"), "Parallel");
        struct numbered_pods pods = number_pods(workloads->world, set);
        if (grow(workloads, set, &pods, revision, parallel) &&
            shrink(workloads, set, &pods, parallel))
            update(workloads, set, &pods, revision);
        free(pods.items);
        vector_free(&pods.surplus);
    }
    write_status(workloads, set, revision);
}

static int64_t ordinal_of(const struct world_object *set, const struct world_object *pod)
{
    size_t length = strlen(set->name);
    int64_t ordinal;
    if (strncmp(pod->name, set->name, length) != 0 || pod->name[length] != '-' ||
        !text_parse_int64(pod->name + length + 1, &ordinal))
        return -1;
    return ordinal;
}

static int compare_names_down(const void *a, const void *b)
{
    const char *first = (*(struct world_object *const *)a)->name;
    const char *second = (*(struct world_object *const *)b)->name;
    return -strverscmp(first, second);
}

static struct numbered_pods number_pods(struct world *world, const struct world_object *set)
{
    struct numbered_pods pods = {.first = world_int(set->json, "spec.ordinals.start", 0),
                                 .count = world_int(set->json, "spec.replicas", 1)};
    pods.items = memory_allocate_array((size_t)pods.count, sizeof *pods.items);
    world_objects all = world_controlled(world, set->uid, KIND_POD);
    vector_for_each (pod, &all) {
        int64_t position = ordinal_of(set, *pod) - pods.first;
        if (position >= 0 && position < pods.count)
            pods.items[position] = *pod;
        else
            vector_push(&pods.surplus, *pod);
    }
    vector_free(&all);
    if (pods.surplus.count > 1)
        qsort(pods.surplus.items, pods.surplus.count, sizeof *pods.surplus.items,
              compare_names_down);
    return pods;
}

// --- pods and their claims -----------------------------------------------------------------------

static void create_claim(struct world *world, const struct world_object *set,
                         const json_t *claim_template, const char *name)
{
    json_t *claim = json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind",
                              "PersistentVolumeClaim", "metadata", "name", name);
    static const char *const parts[] = {"labels", "annotations"};
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        const json_t *part = json_object_get(json_object_get(claim_template, "metadata"), parts[i]);
        if (part != NULL)
            json_object_set_new(json_object_get(claim, "metadata"), parts[i], json_deep_copy(part));
    }
    const json_t *labels = store_path(set->json, "spec.selector.matchLabels");
    if (labels != NULL)
        json_object_update_missing(workload_metadata(claim, "labels"), (json_t *)labels);
    const json_t *spec = json_object_get(claim_template, "spec");
    json_object_set_new(claim, "spec", spec == NULL ? json_object() : json_deep_copy(spec));
    world_add(world, KIND_PERSISTENT_VOLUME_CLAIM, set->namespace, claim, NULL);
}

// A volume with the claim template's name is the claim's, whatever the pod template defines.
static void use_claim(json_t *pod, const char *volume_name, const char *claim_name)
{
    json_t *spec = json_object_get(pod, "spec"), *volume;
    json_t *volumes = json_object_get(spec, "volumes");
    if (volumes == NULL) {
        volumes = json_array();
        json_object_set_new(spec, "volumes", volumes);
    }
    size_t index;
    json_array_foreach (volumes, index, volume) {
        if (text_equal(world_text(volume, "name"), volume_name)) {
            json_array_remove(volumes, index);
            break;
        }
    }
    json_array_append_new(volumes, json_pack("{s:s, s:{s:s}}", "name", volume_name,
                                             "persistentVolumeClaim", "claimName", claim_name));
}

static bool create_pod(struct workloads *workloads, const struct world_object *set, int64_t ordinal,
                       const char *revision)
{
    struct world *world = workloads->world;
    char name[320], number[24];
    snprintf(number, sizeof number, "%lld", (long long)ordinal);
    snprintf(name, sizeof name, "%s-%s", set->name, number);
    json_t *pod = workload_pod(set, name, NULL), *labels = workload_metadata(pod, "labels");
    json_object_set_new(labels, "statefulset.kubernetes.io/pod-name", json_string(name));
    json_object_set_new(labels, "apps.kubernetes.io/pod-index", json_string(number));
    json_object_set_new(labels, LABEL_REVISION, json_string(revision));
    json_object_set_new(json_object_get(pod, "spec"), "hostname", json_string(name));
    size_t index;
    json_t *claim_template;
    json_array_foreach (store_path(set->json, "spec.volumeClaimTemplates"), index, claim_template) {
        const char *volume_name = world_text(claim_template, "metadata.name");
        if (volume_name == NULL)
            continue;
        char claim_name[640];
        snprintf(claim_name, sizeof claim_name, "%s-%s", volume_name, name);
        if (world_find(world, KIND_PERSISTENT_VOLUME_CLAIM, set->namespace, claim_name) == NULL)
            create_claim(world, set, claim_template, claim_name);
        use_claim(pod, volume_name, claim_name);
    }
    return workload_add_pod(world, set, pod);
}

// --- the next step -------------------------------------------------------------------------------

static bool settled(struct workloads *workloads, const struct world_object *set,
                    const struct world_object *pod)
{
    int64_t min_ready_ns = ns_multiply(world_int(set->json, "spec.minReadySeconds", 0), SECOND);
    int64_t wait_ns = INT64_MAX;
    bool available = !world_is_deleting(pod) &&
                     world_pod_available(workloads->world, pod, min_ready_ns, &wait_ns);
    if (wait_ns != INT64_MAX)
        work_queue_add_after(workloads->stateful_sets, set->key, wait_ns);
    return available;
}

static int64_t count_allowed(struct workloads *workloads, const struct world_object *set,
                             const struct numbered_pods *pods)
{
    int64_t missing = 0;
    for (int64_t i = 0; i < pods->count; i++)
        missing += pods->items[i] == NULL;
    return missing == 0 ? 0
                        : pod_batch_create(workloads, workloads->stateful_rate,
                                           workloads->stateful_sets, set, missing);
}

// In order: one pod after the other, each after those before it are ready. True: all exist and are
// ready (or the order does not matter).
static bool grow(struct workloads *workloads, struct world_object *set,
                 const struct numbered_pods *pods, const char *revision, bool parallel)
{
    int64_t allowed = parallel ? count_allowed(workloads, set, pods) : 1;
    for (int64_t i = 0; i < pods->count; i++) {
        struct world_object *pod = pods->items[i];
        if (pod == NULL && allowed == 0)
            continue;
        if (pod != NULL && world_pod_ended(pod)) {
            workload_remove_pod(workloads->world, set, pod); // and created anew
            if (!parallel)
                return false;
        } else if (pod == NULL) {
            allowed--;
            if (!create_pod(workloads, set, pods->first + i, revision))
                work_queue_add_after(workloads->stateful_sets, set->key, 5 * SECOND);
            if (!parallel)
                return false;
        } else if (!parallel && !settled(workloads, set, pod)) {
            return false;
        }
    }
    return true;
}

// From the highest ordinal down; in order one at a time.
static bool shrink(struct workloads *workloads, const struct world_object *set,
                   const struct numbered_pods *pods, bool parallel)
{
    vector_for_each (pod, &pods->surplus) {
        if (!world_is_deleting(*pod))
            workload_remove_pod(workloads->world, set, *pod);
        if (!parallel)
            return false;
    }
    return true;
}

// Rolling update: the highest outdated ordinal goes once all above it are ready; never below the
// partition.
static void update(struct workloads *workloads, const struct world_object *set,
                   const struct numbered_pods *pods, const char *revision)
{
    if (text_equal(world_text(set->json, "spec.updateStrategy.type"), "OnDelete"))
        return;
    int64_t partition = world_int(set->json, "spec.updateStrategy.rollingUpdate.partition", 0);
    for (int64_t i = pods->count - 1; i >= 0 && pods->first + i >= partition; i--) {
        struct world_object *pod = pods->items[i];
        if (pod == NULL || world_pod_ended(pod))
            return;
        if (!text_equal(world_label(pod, LABEL_REVISION), revision)) {
            if (!world_is_deleting(pod))
                workload_remove_pod(workloads->world, set, pod);
            return;
        }
        if (!settled(workloads, set, pod))
            return;
    }
}

static void write_status(struct workloads *workloads, struct world_object *set,
                         const char *revision)
{
    world_objects pods = world_controlled(workloads->world, set->uid, KIND_POD);
    int64_t present = 0, ready = 0, available = 0, updated = 0;
    vector_for_each (pod, &pods) {
        present += !world_pod_ended(*pod);
        ready += world_pod_ready(*pod);
        available += settled(workloads, set, *pod);
        updated += text_equal(world_label(*pod, LABEL_REVISION), revision);
    }
    vector_free(&pods);
    json_t *status = world_copy_status(set);
    json_object_set_new(status, "replicas", json_integer(present));
    json_object_set_new(status, "readyReplicas", json_integer(ready));
    json_object_set_new(status, "availableReplicas", json_integer(available));
    json_object_set_new(status, "currentReplicas", json_integer(updated));
    json_object_set_new(status, "updatedReplicas", json_integer(updated));
    json_object_set_new(status, "updateRevision", json_string(revision));
    json_object_set_new(status, "observedGeneration", json_integer(world_generation(set)));
    world_set_status(workloads->world, set, status);
}
