#include "sim/workloads/deployment.h"

#include <stdlib.h>
#include <string.h>

#include "sim/workloads/workload_pods.h"
#include "sim/workloads/workloads_internal.h"
#include "sim/world/world_write.h"

#define LABEL_HASH          "pod-template-hash"
#define ANNOTATION_REVISION "deployment.kubernetes.io/revision"
#define ANNOTATION_DESIRED  "deployment.kubernetes.io/desired-replicas"
#define ANNOTATION_MAXIMUM  "deployment.kubernetes.io/max-replicas"
#define COMPONENT           "deployment-controller"

struct rollout {
    struct workloads *workloads;
    struct world *world;
    struct world_object *deployment;
    world_objects sets; // oldest first, without the current one
    struct world_object *current;
    int64_t replicas, max_surge, max_unavailable;
    bool recreate, paused;
};

static void read_deployment(struct rollout *rollout);
static void find_sets(struct rollout *rollout);
static bool has_been_scaled(const struct rollout *rollout);
static void scale_in_proportion(struct rollout *rollout);
static bool ensure_current(struct rollout *rollout);
static void roll(struct rollout *rollout);
static void recreate(struct rollout *rollout);
static void drop_history(struct rollout *rollout);
static void write_status(struct rollout *rollout);

void deployment_sync(void *context, const char *key)
{
    struct workloads *workloads = context;
    struct rollout rollout = {.workloads = workloads, .world = workloads->world};
    rollout.deployment = world_find_key(workloads->world, KIND_DEPLOYMENT, key);
    if (rollout.deployment == NULL)
        return;
    read_deployment(&rollout);
    find_sets(&rollout);
    if (!world_is_deleting(rollout.deployment)) {
        if (rollout.paused || has_been_scaled(&rollout))
            scale_in_proportion(&rollout);
        else if (rollout.recreate)
            recreate(&rollout);
        else if (ensure_current(&rollout))
            roll(&rollout);
        drop_history(&rollout);
    }
    write_status(&rollout);
    vector_free(&rollout.sets);
}

static void read_deployment(struct rollout *rollout)
{
    const json_t *json = rollout->deployment->json;
    const char *strategy = world_text(json, "spec.strategy.type");
    const json_t *rolling = store_path(json, "spec.strategy.rollingUpdate");
    rollout->replicas = world_int(json, "spec.replicas", 1);
    rollout->paused = json_is_true(store_path(json, "spec.paused"));
    rollout->recreate = text_equal(strategy, "Recreate");
    if (rollout->recreate) {
        rollout->max_unavailable = rollout->replicas;
        return;
    }
    rollout->max_surge =
        workload_share(json_object_get(rolling, "maxSurge"), "25%", rollout->replicas, true);
    rollout->max_unavailable =
        workload_share(json_object_get(rolling, "maxUnavailable"), "25%", rollout->replicas, false);
    if (rollout->max_surge == 0 && rollout->max_unavailable == 0)
        rollout->max_unavailable = 1;
    if (rollout->max_unavailable > rollout->replicas)
        rollout->max_unavailable = rollout->replicas;
}

// The current set has the same template.
static void find_sets(struct rollout *rollout)
{
    char hash[12];
    workload_template_hash(store_path(rollout->deployment->json, "spec.template"), NULL, hash);
    world_objects sets =
        world_controlled(rollout->world, rollout->deployment->uid, KIND_REPLICA_SET);
    rollout->sets = (world_objects){0};
    vector_for_each (set, &sets) {
        if (rollout->current == NULL && text_equal(world_label(*set, LABEL_HASH), hash))
            rollout->current = *set;
        else
            vector_push(&rollout->sets, *set);
    }
    vector_free(&sets);
}

// --- ReplicaSets ---------------------------------------------------------------------------------

static int64_t wanted_of(const struct world_object *set)
{
    return set == NULL ? 0 : world_int(set->json, "spec.replicas", 1);
}

static int64_t available_of(const struct world_object *set)
{
    return set == NULL ? 0 : world_int(set->json, "status.availableReplicas", 0);
}

static int64_t sum_of(const struct rollout *rollout,
                      int64_t (*amount)(const struct world_object *set))
{
    int64_t sum = amount(rollout->current);
    vector_for_each (set, &rollout->sets)
        sum += amount(*set);
    return sum;
}

static int64_t annotated(const struct world_object *set, const char *key)
{
    const char *text = world_annotation(set, key);
    int64_t value;
    return text != NULL && text_parse_int64(text, &value) ? value : -1;
}

static void annotate(const struct rollout *rollout, json_t *set)
{
    char text[24];
    json_t *annotations = workload_metadata(set, "annotations");
    snprintf(text, sizeof text, "%lld", (long long)rollout->replicas);
    json_object_set_new(annotations, ANNOTATION_DESIRED, json_string(text));
    snprintf(text, sizeof text, "%lld", (long long)(rollout->replicas + rollout->max_surge));
    json_object_set_new(annotations, ANNOTATION_MAXIMUM, json_string(text));
}

static void tell_scaled(const struct rollout *rollout, const char *set, int64_t before,
                        int64_t wanted)
{
    struct text message = {0};
    text_format(&message, "Scaled %s replica set %s from %lld to %lld",
                before < wanted ? "up" : "down", set, (long long)before, (long long)wanted);
    world_event(rollout->world, rollout->deployment, "Normal", "ScalingReplicaSet", COMPONENT,
                message.data);
    text_free(&message);
}

static void scale_set(struct rollout *rollout, struct world_object *set, int64_t wanted)
{
    int64_t before = wanted_of(set);
    json_t *value = world_copy(set);
    json_object_set_new(json_object_get(value, "spec"), "replicas", json_integer(wanted));
    annotate(rollout, value);
    if (json_equal(value, set->json)) {
        json_decref(value);
        return;
    }
    char name[300];
    snprintf(name, sizeof name, "%s", set->name);
    world_replace(rollout->world, set, value);
    if (before == wanted)
        return;
    tell_scaled(rollout, name, before, wanted);
}

static int64_t last_revision(const struct rollout *rollout)
{
    int64_t last = 0;
    vector_for_each (set, &rollout->sets) {
        int64_t revision = annotated(*set, ANNOTATION_REVISION);
        last = revision > last ? revision : last;
    }
    return last;
}

// The current set's revision is the latest; a set that becomes current again moves up.
static void set_revision(struct rollout *rollout)
{
    struct world_object *set = rollout->current;
    int64_t last = last_revision(rollout), own = annotated(set, ANNOTATION_REVISION);
    char text[24];
    if (own <= last) {
        snprintf(text, sizeof text, "%lld", (long long)(last + 1));
        json_t *value = world_copy(set);
        json_object_set_new(workload_metadata(value, "annotations"), ANNOTATION_REVISION,
                            json_string(text));
        world_replace(rollout->world, set, value);
    }
    const char *revision = world_annotation(set, ANNOTATION_REVISION);
    if (revision == NULL ||
        text_equal(world_annotation(rollout->deployment, ANNOTATION_REVISION), revision))
        return;
    json_t *value = world_copy(rollout->deployment);
    json_object_set_new(workload_metadata(value, "annotations"), ANNOTATION_REVISION,
                        json_string(revision));
    world_replace(rollout->world, rollout->deployment, value);
}

static void create_current(struct rollout *rollout, int64_t replicas)
{
    struct world_object *deployment = rollout->deployment;
    char hash[12], name[300], revision[24];
    const json_t *pod_template = store_path(deployment->json, "spec.template");
    workload_template_hash(pod_template, NULL, hash);
    snprintf(name, sizeof name, "%s-%s", deployment->name, hash);
    snprintf(revision, sizeof revision, "%lld", (long long)(last_revision(rollout) + 1));
    json_t *selector = json_deep_copy(store_path(deployment->json, "spec.selector"));
    if (json_object_get(selector, "matchLabels") == NULL)
        json_object_set_new(selector, "matchLabels", json_object());
    json_object_set_new(json_object_get(selector, "matchLabels"), LABEL_HASH, json_string(hash));
    json_t *copy = json_deep_copy(pod_template);
    if (json_object_get(copy, "metadata") == NULL)
        json_object_set_new(copy, "metadata", json_object());
    json_t *labels = workload_metadata(copy, "labels");
    json_object_set_new(labels, LABEL_HASH, json_string(hash));
    json_t *set =
        json_pack("{s:s, s:s, s:{s:s, s:O, s:{s:s}}, s:{s:I, s:o, s:o}}", "apiVersion", "apps/v1",
                  "kind", "ReplicaSet", "metadata", "name", name, "labels", labels, "annotations",
                  ANNOTATION_REVISION, revision, "spec", "replicas", (json_int_t)replicas,
                  "selector", selector, "template", copy);
    const json_t *min_ready = store_path(deployment->json, "spec.minReadySeconds");
    if (min_ready != NULL)
        json_object_set(json_object_get(set, "spec"), "minReadySeconds", (json_t *)min_ready);
    annotate(rollout, set);
    world_add_owner(set, deployment);
    if (!world_add(rollout->world, KIND_REPLICA_SET, deployment->namespace, set, NULL))
        work_queue_add_after(rollout->workloads->deployments, deployment->key, 5 * SECOND);
    else if (rollout->world->options.comforts && replicas > 0)
        tell_scaled(rollout, name, 0, replicas);
    rollout->current = world_find(rollout->world, KIND_REPLICA_SET, deployment->namespace, name);
}

// How far the current set may grow now.
static int64_t allowed_growth(const struct rollout *rollout)
{
    int64_t room = rollout->replicas + rollout->max_surge - sum_of(rollout, wanted_of);
    int64_t missing = rollout->replicas - wanted_of(rollout->current);
    int64_t growth = room < missing ? room : missing;
    return growth > 0 ? growth : 0;
}

// False: it was only just created, or cannot be.
static bool ensure_current(struct rollout *rollout)
{
    if (rollout->current != NULL) {
        set_revision(rollout);
        return true;
    }
    create_current(rollout, rollout->recreate ? rollout->replicas : allowed_growth(rollout));
    if (rollout->current != NULL)
        set_revision(rollout);
    return false;
}

// --- rolling update ------------------------------------------------------------------------------

static void cleanup_unhealthy(struct rollout *rollout, int64_t allowed);

static void roll(struct rollout *rollout)
{
    struct world_object *current = rollout->current;
    int64_t wanted = wanted_of(current);
    if (wanted > rollout->replicas) {
        scale_set(rollout, current, rollout->replicas);
        return;
    }
    int64_t growth = allowed_growth(rollout);
    if (growth > 0) {
        scale_set(rollout, current, wanted + growth);
        return;
    }
    int64_t minimum = rollout->replicas - rollout->max_unavailable;
    int64_t current_unavailable = wanted - available_of(current);
    int64_t allowed = sum_of(rollout, wanted_of) - minimum - current_unavailable;
    if (allowed <= 0)
        return;
    cleanup_unhealthy(rollout, allowed);
    int64_t surplus = sum_of(rollout, available_of) - minimum;
    for (uint32_t i = 0; i < rollout->sets.count && surplus > 0; i++) {
        int64_t have = wanted_of(rollout->sets.items[i]);
        int64_t less = have < surplus ? have : surplus;
        if (less > 0)
            scale_set(rollout, rollout->sets.items[i], have - less);
        surplus -= less;
    }
}

// Unavailable old pods go first; they cost nothing.
static void cleanup_unhealthy(struct rollout *rollout, int64_t allowed)
{
    int64_t total = 0;
    vector_for_each (set, &rollout->sets) {
        int64_t have = wanted_of(*set), unhealthy = have - available_of(*set);
        int64_t less = unhealthy < allowed - total ? unhealthy : allowed - total;
        if (have == 0 || less <= 0)
            continue;
        scale_set(rollout, *set, have - less);
        total += less;
    }
}

// --- recreate ------------------------------------------------------------------------------------

static bool old_pods_left(const struct rollout *rollout)
{
    bool left = false;
    vector_for_each (set, &rollout->sets) {
        world_objects pods = world_controlled(rollout->world, (*set)->uid, KIND_POD);
        vector_for_each (pod, &pods)
            left |= !world_pod_ended(*pod);
        vector_free(&pods);
    }
    return left;
}

static void recreate(struct rollout *rollout)
{
    bool scaled = false;
    vector_for_each (set, &rollout->sets) {
        scaled |= wanted_of(*set) > 0;
        if (wanted_of(*set) > 0)
            scale_set(rollout, *set, 0);
    }
    if (scaled || old_pods_left(rollout))
        return; // their end queues the Deployment again
    if (ensure_current(rollout))
        scale_set(rollout, rollout->current, rollout->replicas);
}

// --- scaling -------------------------------------------------------------------------------------

static bool has_been_scaled(const struct rollout *rollout)
{
    for (uint32_t i = 0; i <= rollout->sets.count; i++) {
        const struct world_object *set =
            i < rollout->sets.count ? rollout->sets.items[i] : rollout->current;
        if (set == NULL || wanted_of(set) == 0)
            continue;
        int64_t desired = annotated(set, ANNOTATION_DESIRED);
        if (desired >= 0 && desired != rollout->replicas)
            return true;
    }
    return false;
}

static int compare_sizes(const void *a, const void *b)
{
    const struct world_object *first = *(struct world_object *const *)a;
    const struct world_object *second = *(struct world_object *const *)b;
    int64_t difference = wanted_of(second) - wanted_of(first);
    if (difference != 0)
        return difference < 0 ? -1 : 1;
    return first->serial > second->serial ? -1 : first->serial < second->serial;
}

// During a rollout each set keeps its share; the largest takes the rest of the rounding.
static void distribute(struct rollout *rollout, world_objects *active)
{
    int64_t total = 0;
    vector_for_each (set, active)
        total += wanted_of(*set);
    int64_t allowed = rollout->replicas > 0 ? rollout->replicas + rollout->max_surge : 0;
    int64_t left = allowed - total, added = 0;
    qsort(active->items, active->count, sizeof *active->items, compare_sizes);
    CLEANUP_FREE int64_t *sizes = memory_allocate_array(active->count, sizeof *sizes);
    for (uint32_t i = 0; i < active->count; i++) {
        int64_t have = wanted_of(active->items[i]);
        int64_t maximum = annotated(active->items[i], ANNOTATION_MAXIMUM);
        if (maximum <= 0)
            maximum = total;
        int64_t share = (2 * have * allowed + maximum) / (2 * maximum) - have; // rounded
        if (left > 0)
            share = share < 0 ? 0 : share > left - added ? left - added : share;
        else
            share = share > 0 ? 0 : share < left - added ? left - added : share;
        sizes[i] = have + share;
        added += share;
    }
    if (active->count > 0)
        sizes[0] += left - added;
    for (uint32_t i = 0; i < active->count; i++)
        scale_set(rollout, active->items[i], sizes[i] > 0 ? sizes[i] : 0);
}

static void scale_in_proportion(struct rollout *rollout)
{
    world_objects active = {0};
    for (uint32_t i = 0; i < rollout->sets.count; i++)
        if (wanted_of(rollout->sets.items[i]) > 0)
            vector_push(&active, rollout->sets.items[i]);
    if (rollout->current != NULL && wanted_of(rollout->current) > 0)
        vector_push(&active, rollout->current);
    bool settled = rollout->current != NULL &&
                   wanted_of(rollout->current) == available_of(rollout->current) &&
                   active.count > 0 && active.items[active.count - 1] == rollout->current &&
                   annotated(rollout->current, ANNOTATION_DESIRED) == wanted_of(rollout->current);
    if (active.count == 1) {
        scale_set(rollout, active.items[0], rollout->replicas);
    } else if (settled) { // the rollout is over except for old sets being removed
        for (uint32_t i = 0; i + 1 < active.count; i++)
            scale_set(rollout, active.items[i], 0);
        scale_set(rollout, rollout->current, rollout->replicas);
    } else if (active.count > 1 && has_been_scaled(rollout)) {
        distribute(rollout, &active);
    }
    vector_free(&active);
}

// --- history and status --------------------------------------------------------------------------

static void drop_history(struct rollout *rollout)
{
    int64_t limit = world_int(rollout->deployment->json, "spec.revisionHistoryLimit", 10);
    int64_t surplus = (int64_t)rollout->sets.count - limit;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < rollout->sets.count; i++) {
        struct world_object *set = rollout->sets.items[i];
        bool empty = wanted_of(set) == 0 && world_int(set->json, "status.replicas", 0) == 0 &&
                     !world_is_deleting(set);
        if (surplus > 0 && empty) {
            surplus--;
            world_remove(rollout->world, set, -1, NULL);
        } else {
            rollout->sets.items[kept++] = set;
        }
    }
    rollout->sets.count = kept;
}

static int64_t present_of(const struct world_object *set)
{
    return set == NULL ? 0 : world_int(set->json, "status.replicas", 0);
}

static int64_t ready_of(const struct world_object *set)
{
    return set == NULL ? 0 : world_int(set->json, "status.readyReplicas", 0);
}

static void write_status(struct rollout *rollout)
{
    int64_t total = sum_of(rollout, present_of), available = sum_of(rollout, available_of);
    int64_t wanted_total = sum_of(rollout, wanted_of);
    const struct {
        const char *key;
        int64_t value;
    } numbers[] = {
        {"replicas", total},
        {"updatedReplicas", present_of(rollout->current)},
        {"readyReplicas", sum_of(rollout, ready_of)},
        {"availableReplicas", available},
        {"unavailableReplicas", wanted_total > available ? wanted_total - available : 0},
        {"observedGeneration", world_generation(rollout->deployment)},
    };
    json_t *status = world_copy_status(rollout->deployment);
    for (size_t i = 0; i < ARRAY_LENGTH(numbers); i++)
        json_object_set_new(status, numbers[i].key, json_integer(numbers[i].value));
    bool enough = available >= rollout->replicas - rollout->max_unavailable;
    world_condition(rollout->world, status, "Available", enough ? "True" : "False",
                    enough ? "MinimumReplicasAvailable" : "MinimumReplicasUnavailable",
                    enough ? "Deployment has minimum availability."
                           : "Deployment does not have minimum availability.");
    bool complete = present_of(rollout->current) == rollout->replicas &&
                    total == rollout->replicas && available == rollout->replicas;
    world_condition(rollout->world, status, "Progressing", "True",
                    complete ? "NewReplicaSetAvailable" : "ReplicaSetUpdated", NULL);
    world_set_status(rollout->world, rollout->deployment, status);
}
