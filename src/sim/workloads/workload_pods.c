#include "sim/workloads/workload_pods.h"

#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "sim/world/world_write.h"

json_t *workload_pod(const struct world_object *owner, const char *name, const char *generate_name)
{
    json_t *pod =
        json_pack("{s:s, s:s, s:{s:s}}", "apiVersion", "v1", "kind", "Pod", "metadata",
                  name != NULL ? "name" : "generateName", name != NULL ? name : generate_name);
    json_t *metadata = json_object_get(pod, "metadata");
    static const char *const parts[] = {"labels", "annotations", "finalizers"};
    for (size_t i = 0; i < ARRAY_LENGTH(parts); i++) {
        const json_t *part =
            json_object_get(store_path(owner->json, "spec.template.metadata"), parts[i]);
        if (part != NULL)
            json_object_set_new(metadata, parts[i], json_deep_copy(part));
    }
    const json_t *spec = store_path(owner->json, "spec.template.spec");
    json_object_set_new(pod, "spec", spec == NULL ? json_object() : json_deep_copy(spec));
    world_add_owner(pod, owner);
    return pod;
}

static void tell(struct world *world, const struct world_object *owner, const char *pod,
                 bool is_new)
{
    static const struct {
        enum kind_id kind;
        const char *component;
    } components[] = {{KIND_REPLICA_SET, "replicaset-controller"},
                      {KIND_STATEFUL_SET, "statefulset-controller"},
                      {KIND_DAEMON_SET, "daemonset-controller"},
                      {KIND_JOB, "job-controller"}};
    if (!world->options.comforts)
        return;
    struct text message = {0};
    if (world_is(owner, KIND_STATEFUL_SET))
        text_format(&message, "%s Pod %s in StatefulSet %s successful",
                    is_new ? "create" : "delete", pod, owner->name);
    else
        text_format(&message, "%s pod: %s", is_new ? "Created" : "Deleted", pod);
    for (size_t i = 0; i < ARRAY_LENGTH(components); i++)
        if (world_is(owner, components[i].kind))
            world_event(world, owner, "Normal", is_new ? "SuccessfulCreate" : "SuccessfulDelete",
                        components[i].component, message.data);
    text_free(&message);
}

bool workload_add_pod(struct world *world, const struct world_object *owner, json_t *pod)
{
    char name[WORLD_NAME_MAX];
    if (!world_add_named(world, KIND_POD, owner->namespace, pod, name, NULL))
        return false;
    tell(world, owner, name, true);
    return true;
}

void workload_remove_pod(struct world *world, const struct world_object *owner,
                         struct world_object *pod)
{
    char name[WORLD_NAME_MAX];
    snprintf(name, sizeof name, "%s", pod->name);
    if (world_remove(world, pod, -1, NULL))
        tell(world, owner, name, false);
}

json_t *workload_metadata(json_t *value, const char *part)
{
    json_t *metadata = json_object_get(value, "metadata");
    json_t *map = json_object_get(metadata, part);
    if (map == NULL) {
        map = json_object();
        json_object_set_new(metadata, part, map);
    }
    return map;
}

void workload_template_hash(const json_t *pod_template, const char *ignored, char out[12])
{
    static const char alphabet[] = "bcdfghjklmnpqrstvwxz2456789";
    json_t *copy = pod_template == NULL ? json_object() : json_deep_copy(pod_template);
    if (ignored != NULL)
        json_object_del(store_path(copy, "metadata.labels"), ignored);
    CLEANUP_FREE char *text = json_dumps(copy, JSON_COMPACT | JSON_SORT_KEYS);
    json_decref(copy);
    uint64_t hash = hash_fnv1a(text, strlen(text));
    for (int i = 0; i < 10; i++, hash /= sizeof alphabet - 1)
        out[i] = alphabet[hash % (sizeof alphabet - 1)];
    out[10] = '\0';
}

int64_t workload_share(const json_t *value, const char *otherwise, int64_t total, bool round_up)
{
    if (json_is_integer(value))
        return json_integer_value(value);
    const char *text = json_is_string(value) ? json_string_value(value) : otherwise;
    int64_t percent = 0;
    char number[24];
    snprintf(number, sizeof number, "%.*s", (int)strcspn(text, "%"), text);
    if (!text_parse_int64(number, &percent) || percent < 0)
        return 0;
    return (total * percent + (round_up ? 99 : 0)) / 100;
}

// --- ranking for deletion ------------------------------------------------------------------------

struct deletion_rank {
    struct world_object *pod;
    bool assigned, ready, by_magnitude;
    int phase; // Pending < Unknown < Running
    int64_t cost, neighbours, ready_since, restarts, created, now_ns;
};

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int magnitude(int64_t since, int64_t now_ns)
{
    int64_t age_ns = ns_subtract(now_ns, since);
    return age_ns <= 0 ? -1 : 63 - __builtin_clzll((uint64_t)age_ns);
}

// The younger first. Pods with ages of the same power of two rank at random, so that it does not
// always hit one generation.
static int compare_ages(const struct deletion_rank *a, const struct deletion_rank *b,
                        int64_t since_a, int64_t since_b)
{
    if (since_a == since_b || !a->by_magnitude)
        return compare_numbers(since_b, since_a);
    int order = compare_numbers(magnitude(since_a, a->now_ns), magnitude(since_b, a->now_ns));
    return order != 0 ? order : strcmp(a->pod->uid, b->pod->uid);
}

static int compare_ranks(const void *first, const void *second)
{
    const struct deletion_rank *a = first, *b = second;
    int orders[] = {
        compare_numbers(a->assigned, b->assigned),
        compare_numbers(a->phase, b->phase),
        compare_numbers(a->ready, b->ready),
        compare_numbers(a->cost, b->cost),
        compare_numbers(b->neighbours, a->neighbours),
        a->ready && b->ready ? compare_ages(a, b, a->ready_since, b->ready_since) : 0,
        compare_numbers(b->restarts, a->restarts),
        compare_ages(a, b, a->created, b->created),
        compare_numbers((int64_t)b->pod->serial, (int64_t)a->pod->serial),
    };
    for (size_t i = 0; i < ARRAY_LENGTH(orders); i++)
        if (orders[i] != 0)
            return orders[i];
    return 0;
}

// Of the container with the most restarts.
static int64_t most_restarts(const struct world_object *pod)
{
    int64_t most = 0;
    size_t index;
    json_t *status;
    json_array_foreach (store_path(pod->json, "status.containerStatuses"), index, status) {
        int64_t restarts = world_int(status, "restartCount", 0);
        most = restarts > most ? restarts : most;
    }
    return most;
}

static struct deletion_rank rank_of(const struct world *world, struct world_object *pod)
{
    const char *phase = world_text(pod->json, "status.phase");
    const char *cost = world_annotation(pod, "controller.kubernetes.io/pod-deletion-cost");
    struct deletion_rank rank = {
        .pod = pod,
        .assigned = pod->on_node != NULL,
        .ready = world_pod_ready(pod),
        .phase = text_equal(phase, "Running")   ? 2
                 : text_equal(phase, "Unknown") ? 1
                                                : 0,
        .ready_since = world_pod_ready_since(pod),
        .restarts = most_restarts(pod),
        .created = pod->created,
        .now_ns = loop_now_ns(world->loop),
    };
    if (cost != NULL && !text_parse_int64(cost, &rank.cost))
        rank.cost = 0;
    return rank;
}

static void count_per_node(const struct world *world, const struct world_object *set,
                           struct map *per_node)
{
    world_objects pods = world_controlled(world, set->uid, KIND_POD);
    vector_for_each (pod, &pods) {
        const char *node = world_text((*pod)->json, "spec.nodeName");
        if (node != NULL && world_pod_active(*pod))
            map_set(per_node, node, (void *)((uintptr_t)map_get(per_node, node) + 1));
    }
    vector_free(&pods);
}

// Active pods of all ReplicaSets of the set's Deployment, by node. The caller destroys the map.
static struct map *related_per_node(const struct world *world, const struct world_object *set)
{
    struct map *per_node = map_create();
    const char *owner = world_controller_uid(set);
    if (owner == NULL) {
        count_per_node(world, set, per_node);
        return per_node;
    }
    world_objects sets = world_controlled(world, owner, KIND_REPLICA_SET);
    vector_for_each (related, &sets)
        count_per_node(world, *related, per_node);
    vector_free(&sets);
    return per_node;
}

static void count_neighbours(const struct world *world, const struct world_object *set,
                             struct deletion_rank *ranks, uint32_t count)
{
    struct map *per_node = related_per_node(world, set);
    for (uint32_t i = 0; i < count; i++) {
        const char *node = world_text(ranks[i].pod->json, "spec.nodeName");
        ranks[i].by_magnitude = true;
        if (node != NULL)
            ranks[i].neighbours = (int64_t)(uintptr_t)map_get(per_node, node);
    }
    map_destroy(per_node, NULL);
}

void workload_sort_for_deletion(const struct world *world, const struct world_object *set,
                                world_objects *pods)
{
    if (pods->count < 2)
        return;
    CLEANUP_FREE struct deletion_rank *ranks = memory_allocate_array(pods->count, sizeof *ranks);
    for (uint32_t i = 0; i < pods->count; i++)
        ranks[i] = rank_of(world, pods->items[i]);
    if (set != NULL)
        count_neighbours(world, set, ranks, pods->count);
    qsort(ranks, pods->count, sizeof *ranks, compare_ranks);
    for (uint32_t i = 0; i < pods->count; i++)
        pods->items[i] = ranks[i].pod;
}
