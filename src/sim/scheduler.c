#include "sim/scheduler.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "sim/scheduler_queue.h"

#define COMPONENT "default-scheduler"

static void run_cycle(void *context);
static void schedule(struct scheduler *scheduler, struct scheduled_pod *entry);
static void take_backed_off(void *context, const char *key);
static void check_binding(void *context, const char *key);
static void look_at_bindings(struct scheduler *scheduler);

struct scheduler *scheduler_create(struct world *world)
{
    struct scheduler *scheduler = memory_allocate(sizeof *scheduler);
    const struct world_options *options = &world->options;
    scheduler->world = world;
    scheduler->cluster = filter_cluster_create();
    scheduler->entries = map_create();
    scheduler->bindings_under_way = map_create();
    scheduler->cycle = timer_create_on(world->loop, run_cycle, scheduler);
    scheduler->later = work_queue_create(world->loop, 0, take_backed_off, scheduler);
    scheduler->hints = work_queue_create(world->loop, options->controller_delay_ns,
                                         scheduler_use_hints, scheduler);
    scheduler->bindings =
        work_queue_create(world->loop, options->controller_delay_ns, check_binding, scheduler);
    return scheduler;
}

static void destroy_entry(void *value)
{
    struct scheduled_pod *entry = value;
    free(entry->key);
    free(entry->node);
    free(entry);
}

void scheduler_destroy(struct scheduler *scheduler)
{
    timer_destroy(scheduler->cycle);
    work_queue_destroy(scheduler->later);
    work_queue_destroy(scheduler->hints);
    work_queue_destroy(scheduler->bindings);
    map_destroy(scheduler->bindings_under_way, NULL);
    map_destroy(scheduler->entries, destroy_entry);
    vector_free(&scheduler->active);
    vector_free(&scheduler->changed_nodes);
    json_decref(scheduler->leaving);
    json_decref(scheduler->failure.pod);
    free(scheduler->failure.message);
    filter_cluster_destroy(scheduler->cluster);
    free(scheduler);
}

uint32_t scheduler_unschedulable_count(const struct scheduler *scheduler)
{
    uint32_t count = 0;
    for (struct map_entry *e = map_first(scheduler->entries); e != NULL; e = map_next(e))
        count += ((struct scheduled_pod *)map_value(e))->state == POD_UNSCHEDULABLE;
    return count;
}

uint32_t scheduler_queue_count(const struct scheduler *scheduler)
{
    return scheduler->active.count;
}

// --- changes -------------------------------------------------------------------------------------

static void pod_enters(struct scheduler *scheduler, struct world_object *object,
                       const json_t *before);
static void pod_leaves_for_good(struct scheduler *scheduler, struct world_object *object);
static bool node_matters(const json_t *before, const json_t *after);

// Pods without a node decide nothing for others, unless they are expected on one.
static void note_change(struct scheduler *scheduler, const struct world_object *object)
{
    if (!world_is(object, KIND_POD) || object->on_node != NULL ||
        filter_nomination(object->pod) != NULL)
        scheduler->version++;
}

// The pod is expected on that node no longer: others may go there. Its own attempts are not brought
// forward by its nomination.
static void nomination_ends(struct scheduler *scheduler, const char *node_name)
{
    scheduler_hint_node(scheduler, filter_node_find(scheduler->cluster, node_name));
    scheduler_hint_others(scheduler);
}

void scheduler_leave(struct scheduler *scheduler, struct world_object *object)
{
    if (object->typed == NULL)
        return;
    note_change(scheduler, object);
    if (!object->gone) {
        json_decref(scheduler->leaving);
        scheduler->leaving = json_incref(object->json);
        return;
    }
    filter_cluster_remove(scheduler->cluster, object->typed);
    if (world_is(object, KIND_POD))
        pod_leaves_for_good(scheduler, object);
    else if (!world_is(object, KIND_NODE))
        scheduler_hint_others(scheduler);
    if (world_is(object, KIND_NODE) || world_is(object, KIND_PERSISTENT_VOLUME_CLAIM))
        look_at_bindings(scheduler);
}

void scheduler_enter(struct scheduler *scheduler, struct world_object *object)
{
    json_t *before = scheduler->leaving;
    scheduler->leaving = NULL;
    if (object->typed != NULL)
        note_change(scheduler, object);
    if (object->typed != NULL && world_is(object, KIND_POD)) {
        pod_enters(scheduler, object, before);
        if (before == NULL || !json_equal(store_path(before, "metadata.labels"),
                                          store_path(object->json, "metadata.labels")))
            scheduler_hint_others(scheduler);
    } else if (object->typed != NULL) {
        filter_cluster_put(scheduler->cluster, object->typed);
        if (world_is(object, KIND_NODE)) {
            if (before == NULL || node_matters(before, object->json))
                scheduler_hint_node(scheduler, filter_node_find(scheduler->cluster, object->name));
        } else if (!world_is(object, KIND_POD_DISRUPTION_BUDGET)) {
            scheduler_hint_others(scheduler);
        }
        if (world_is(object, KIND_PERSISTENT_VOLUME_CLAIM))
            look_at_bindings(scheduler);
    }
    json_decref(before);
}

static bool node_matters(const json_t *before, const json_t *after)
{
    static const char *const paths[] = {"metadata.labels", "spec.taints", "spec.unschedulable",
                                        "status.allocatable"};
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        const json_t *old = store_path(before, paths[i]), *new = store_path(after, paths[i]);
        if (old != new && !json_equal(old, new))
            return true;
    }
    return false;
}

static bool is_ours(const struct world_object *object)
{
    const struct pod *pod = object->pod;
    const char *name = pod->spec.scheduler_name;
    return (pod->spec.node_name == NULL || pod->spec.node_name[0] == '\0') &&
           pod->meta.deletion_timestamp == 0 && !pod_is_terminal(pod) &&
           (name == NULL || strcmp(name, COMPONENT) == 0);
}

static void pod_enters(struct scheduler *scheduler, struct world_object *object,
                       const json_t *before)
{
    struct scheduled_pod *entry = map_get(scheduler->entries, object->key);
    bool ours = is_ours(object);
    if (ours && entry != NULL && entry->state == POD_BINDING) {
        filter_cluster_assume(scheduler->cluster, object->pod, entry->node);
        scheduler->version++;
        return;
    }
    filter_cluster_put(scheduler->cluster, object->typed);
    const char *expected = world_text(before, "status.nominatedNodeName");
    if (ours && expected != NULL && expected[0] != '\0' &&
        !text_equal(expected, filter_nomination(object->pod)))
        nomination_ends(scheduler, expected);
    if (!ours) {
        if (entry != NULL)
            scheduler_forget(scheduler, entry);
        if (object->on_node != NULL && pod_is_terminal(object->pod)) {
            scheduler_hint_node(scheduler,
                                filter_node_find(scheduler->cluster, object->pod->spec.node_name));
            scheduler_hint_others(scheduler);
        }
        return;
    }
    if (entry == NULL) {
        entry = memory_allocate(sizeof *entry);
        *entry = (struct scheduled_pod){.key = memory_copy_string(object->key),
                                        .object = object,
                                        .serial = object->serial,
                                        .position = UINT32_MAX,
                                        .priority = object->pod->spec.priority.value,
                                        .created = object->pod->meta.creation_timestamp};
        map_set(scheduler->entries, entry->key, entry);
        scheduler_activate(scheduler, entry);
    } else if (before == NULL || !json_equal(json_object_get(before, "spec"),
                                             json_object_get(object->json, "spec"))) {
        scheduler_activate(scheduler, entry);
    }
}

static void pod_leaves_for_good(struct scheduler *scheduler, struct world_object *object)
{
    struct scheduled_pod *entry = map_get(scheduler->entries, object->key);
    if (entry != NULL)
        scheduler_forget(scheduler, entry);
    if (object->on_node == NULL && filter_nomination(object->pod) != NULL)
        nomination_ends(scheduler, filter_nomination(object->pod));
    if (object->on_node == NULL || pod_is_terminal(object->pod))
        return;
    scheduler_hint_node(scheduler,
                        filter_node_find(scheduler->cluster, object->pod->spec.node_name));
    scheduler_hint_others(scheduler);
}

// --- cycles --------------------------------------------------------------------------------------

static void take_backed_off(void *context, const char *key)
{
    struct scheduler *scheduler = context;
    struct scheduled_pod *entry = map_get(scheduler->entries, key);
    if (entry != NULL && (entry->state == POD_BACKED_OFF || entry->state == POD_UNSCHEDULABLE))
        scheduler_activate(scheduler, entry);
}

static void run_cycle(void *context)
{
    struct scheduler *scheduler = context;
    struct scheduled_pod *entry = scheduler_pop(scheduler);
    scheduler->cycles++;
    if (entry != NULL)
        schedule(scheduler, entry);
    if (scheduler->active.count > 0)
        timer_start(scheduler->cycle, scheduler->world->options.scheduler_pod_ns);
}

static void fail(struct scheduler *scheduler, struct scheduled_pod *entry, const char *reason,
                 const char *message);
static bool keeps_nomination(const struct scheduler *scheduler, const struct world_object *pod,
                             const char *reason);

static bool set_condition(struct scheduler *scheduler, struct world_object *pod, const char *status,
                          const char *reason, const char *message)
{
    json_t *value = world_copy_status(pod);
    world_condition(scheduler->world, value, "PodScheduled", status, reason, message);
    if (!keeps_nomination(scheduler, pod, reason))
        json_object_del(value, "nominatedNodeName");
    return world_set_status(scheduler->world, pod, value);
}

// An attempt in vain ends a nomination, whoever made it: so it is when preemption has nothing to offer.
// Only a pod that never preempts keeps it, as long as there are nodes at all.
static bool keeps_nomination(const struct scheduler *scheduler, const struct world_object *pod,
                             const char *reason)
{
    return text_equal(reason, "SchedulingGated") ||
           (scheduler->world->options.nominations && text_equal(reason, "Unschedulable") &&
            text_equal(pod->pod->spec.preemption_policy, "Never") &&
            filter_nodes_count(scheduler->cluster) > 0);
}

// As the API server's binding: the node and the condition in one write.
static void bind(struct scheduler *scheduler, struct scheduled_pod *entry, const char *node_name)
{
    struct world *world = scheduler->world;
    char key[WORLD_KEY_MAX];
    snprintf(key, sizeof key, "%s", entry->key);
    struct world_object *pod = world_find_key(world, KIND_POD, key);
    json_t *value = world_copy(pod), *status = world_copy_status(pod);
    json_object_set_new(json_object_get(value, "spec"), "nodeName", json_string(node_name));
    world_condition(world, status, "PodScheduled", "True", NULL, NULL);
    json_object_del(status, "nominatedNodeName");
    json_object_set_new(value, "status", status);
    struct error error;
    if (!world_replace_as(world, pod, "binding", value, &error)) {
        fail(scheduler, entry, "SchedulerError", error.message);
        return;
    }
    pod = world_find_key(world, KIND_POD, key);
    if (pod == NULL)
        return;
    struct text message = {0};
    text_format(&message, "Successfully assigned %s to %s", key, node_name);
    world_event(world, pod, "Normal", "Scheduled", COMPONENT, message.data);
    text_free(&message);
}

static void fail(struct scheduler *scheduler, struct scheduled_pod *entry, const char *reason,
                 const char *message)
{
    struct world *world = scheduler->world;
    char key[WORLD_KEY_MAX];
    snprintf(key, sizeof key, "%s", entry->key);
    scheduler_give_up(scheduler, entry);
    struct world_object *pod = world_find_key(world, KIND_POD, key);
    if (pod == NULL)
        return;
    world_event(world, pod, "Warning", "FailedScheduling", COMPONENT, message);
    set_condition(scheduler, pod, "False", reason, message);
}

// As many feasible nodes as kube-scheduler looks for before it begins to score.
static uint32_t feasible_enough(uint32_t nodes)
{
    enum { NODES_MIN = 100, PERCENT_MIN = 5 };
    if (nodes < NODES_MIN)
        return nodes;
    int64_t percent = 50 - (int64_t)nodes / 125;
    uint32_t wanted = (uint32_t)(nodes * (percent < PERCENT_MIN ? PERCENT_MIN : percent) / 100);
    return wanted < NODES_MIN ? NODES_MIN : wanted;
}

static bool passes(const struct scheduler *scheduler, struct filter_state *state, uint32_t node,
                   struct filter_tally *tally)
{
    return scheduler->world->options.nominations ? filter_node_with_nominees(state, node, tally)
                                                 : filter_node(state, node, tally);
}

// The node that the pod is expected on, if it passes: no other is looked at then.
static uint32_t expected_node(const struct scheduler *scheduler, struct filter_state *state,
                              const struct pod *pod)
{
    const char *name = filter_nomination(pod);
    if (name == NULL || !scheduler->world->options.nominations)
        return FILTER_NODE_NONE;
    uint32_t node = filter_node_find(scheduler->cluster, name);
    return node != FILTER_NODE_NONE && passes(scheduler, state, node, NULL) ? node
                                                                            : FILTER_NODE_NONE;
}

typedef VECTOR(uint32_t) node_numbers;

// Those that pass, until there are enough; the next search begins where this one ends.
static node_numbers find_nodes(struct scheduler *scheduler, struct filter_state *state,
                               struct filter_tally *tally)
{
    uint32_t limit = filter_nodes_limit(scheduler->cluster);
    uint32_t wanted = feasible_enough(filter_nodes_count(scheduler->cluster));
    node_numbers fitting = {0};
    uint32_t examined = 0;
    for (; examined < limit && fitting.count < wanted; examined++) {
        uint32_t node = (scheduler->next_node + examined) % limit;
        if (filter_node_at(scheduler->cluster, node) != NULL &&
            passes(scheduler, state, node, tally))
            vector_push(&fitting, node);
    }
    if (limit > 0)
        scheduler->next_node = (scheduler->next_node + examined) % limit;
    return fitting;
}

// Of the best nodes any; the seed says which.
static uint32_t best_of(const struct scheduler *scheduler, struct filter_state *state,
                        const struct world_object *pod, const node_numbers *nodes)
{
    struct arena *arena = arena_create(512);
    int64_t *scores = arena_allocate_array(arena, nodes->count, sizeof *scores);
    filter_score(state, scheduler_workload(scheduler->world, pod, arena), nodes->items, scores,
                 nodes->count);
    uint64_t lot = hash_mix(scheduler->world->options.seed, scheduler->cycles), highest = 0;
    uint32_t best = 0;
    for (uint32_t i = 0; i < nodes->count; i++) {
        if (scores[i] < scores[best])
            continue;
        const char *name = filter_node_at(scheduler->cluster, nodes->items[i])->meta.name;
        uint64_t drawn = hash_mix(lot, hash_string(name));
        if (i == 0 || scores[i] > scores[best] || drawn > highest) {
            best = i;
            highest = drawn;
        }
    }
    arena_destroy(arena);
    return nodes->items[best];
}

static uint32_t choose(struct scheduler *scheduler, struct filter_state *state,
                       const struct world_object *pod, struct filter_tally *tally)
{
    uint32_t expected = expected_node(scheduler, state, pod->pod);
    if (expected != FILTER_NODE_NONE)
        return expected;
    node_numbers nodes = find_nodes(scheduler, state, tally);
    uint32_t best = nodes.count == 0   ? FILTER_NODE_NONE
                    : nodes.count == 1 ? nodes.items[0]
                                       : best_of(scheduler, state, pod, &nodes);
    vector_free(&nodes);
    return best;
}

typedef VECTOR(char *) claim_keys;
static claim_keys keys_of_delayed_claims(const struct filter_state *state);
static void reserve(struct scheduler *scheduler, struct scheduled_pod *entry, const char *node_name,
                    const claim_keys *claims);

static bool is_like_the_failed(const struct scheduler *scheduler, const struct world_object *object)
{
    const json_t *failed = scheduler->failure.pod;
    static const char *const paths[] = {"metadata.namespace", "metadata.labels", "spec"};
    if (failed == NULL || scheduler->failure.version != scheduler->version ||
        scheduler_kin(object->pod) == NULL || filter_nomination(object->pod) != NULL)
        return false;
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        json_t *before = store_path(failed, paths[i]), *now = store_path(object->json, paths[i]);
        if (before != now && !json_equal(before, now))
            return false;
    }
    return true;
}

static void note_failure(struct scheduler *scheduler, const struct world_object *object,
                         const char *message)
{
    json_decref(scheduler->failure.pod);
    free(scheduler->failure.message);
    scheduler->failure.version = scheduler->version;
    scheduler->failure.pod =
        filter_nomination(object->pod) == NULL ? json_incref(object->json) : NULL;
    scheduler->failure.message = memory_copy_string(message);
}

static void schedule(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    struct world_object *object = world_find_key(scheduler->world, KIND_POD, entry->key);
    assert(object != NULL && object->pod != NULL);
    if (object->pod->spec.scheduling_gates.count > 0) {
        entry->state = POD_GATED;
        set_condition(scheduler, object, "False", "SchedulingGated",
                      "Scheduling is blocked due to non-empty scheduling gates");
        return;
    }
    if (is_like_the_failed(scheduler, object)) {
        fail(scheduler, entry, "Unschedulable", scheduler->failure.message);
        return;
    }
    struct filter_state *state = filter_prepare(scheduler->cluster, object->pod);
    struct filter_tally tally = {0};
    uint32_t node = FILTER_NODE_NONE;
    if (filter_refusal(state) == NULL)
        node = choose(scheduler, state, object, &tally);
    char node_name[300] = "";
    struct text message = {0};
    claim_keys claims = {0};
    if (node != FILTER_NODE_NONE) {
        snprintf(node_name, sizeof node_name, "%s",
                 filter_node_at(scheduler->cluster, node)->meta.name);
        claims = keys_of_delayed_claims(state);
    } else {
        filter_tally_describe(state, &tally, &message);
    }
    filter_tally_free(&tally);
    filter_release(state);
    if (node == FILTER_NODE_NONE) {
        note_failure(scheduler, object, message.data);
        fail(scheduler, entry, "Unschedulable", message.data);
    } else if (claims.count > 0) {
        reserve(scheduler, entry, node_name, &claims);
    } else {
        bind(scheduler, entry, node_name);
    }
    vector_for_each (key, &claims)
        free(*key);
    vector_free(&claims);
    text_free(&message);
}

// --- volumes that wait for their first consumer --------------------------------------------------

// Copied, since writing the claims changes the cluster that the state looks at.
static claim_keys keys_of_delayed_claims(const struct filter_state *state)
{
    claim_keys keys = {0};
    const struct persistent_volume_claim *const *claims;
    uint32_t count = filter_delayed_claims(state, &claims);
    for (uint32_t i = 0; i < count; i++) {
        char key[WORLD_KEY_MAX];
        world_key(claims[i]->meta.namespace, claims[i]->meta.name, key);
        vector_push(&keys, memory_copy_string(key));
    }
    return keys;
}

static void select_node(struct world *world, const char *claim_key, const char *node_name)
{
    struct world_object *claim = world_find_key(world, KIND_PERSISTENT_VOLUME_CLAIM, claim_key);
    if (claim == NULL)
        return;
    json_t *value = world_copy(claim);
    json_t *metadata = json_object_get(value, "metadata");
    json_t *annotations = json_object_get(metadata, "annotations");
    if (annotations == NULL) {
        annotations = json_object();
        json_object_set_new(metadata, "annotations", annotations);
    }
    json_object_set_new(annotations, ANNOTATION_SELECTED_NODE, json_string(node_name));
    world_replace(world, claim, value);
}

// Others (who add nodes, say) learn where a pod is about to go whose binding takes a while.
static void announce(struct world *world, struct world_object *pod, const char *node_name)
{
    json_t *status = world_copy_status(pod);
    json_object_set_new(status, "nominatedNodeName", json_string(node_name));
    world_set_status(world, pod, status);
}

static void reserve(struct scheduler *scheduler, struct scheduled_pod *entry, const char *node_name,
                    const claim_keys *claims)
{
    struct world *world = scheduler->world;
    entry->state = POD_BINDING;
    entry->binding_since = loop_monotonic_ns(world->loop);
    free(entry->node);
    entry->node = memory_copy_string(node_name);
    map_set(scheduler->bindings_under_way, entry->key, entry);
    struct world_object *pod = world_find_key(world, KIND_POD, entry->key);
    filter_cluster_assume(scheduler->cluster, pod->pod, node_name);
    scheduler->version++;
    if (world->options.nominations)
        announce(world, pod, node_name);
    vector_for_each (key, claims)
        select_node(world, *key, node_name);
    work_queue_add_after(scheduler->bindings, entry->key, SCHEDULER_BIND_TIMEOUT_NS);
    look_at_bindings(scheduler);
}

static bool claims_bound(struct world *world, const struct world_object *object)
{
    list_for_each (volume, &object->pod->spec.volumes) {
        char name[600];
        if (volume->persistent_volume_claim != NULL)
            snprintf(name, sizeof name, "%s", volume->persistent_volume_claim->claim_name);
        else if (volume->ephemeral != NULL)
            snprintf(name, sizeof name, "%s-%s", object->name, volume->name);
        else
            continue;
        struct world_object *claim =
            world_find(world, KIND_PERSISTENT_VOLUME_CLAIM, object->namespace, name);
        if (claim == NULL || claim->claim == NULL ||
            !text_equal(claim->claim->status.phase, "Bound"))
            return false;
    }
    return true;
}

static void check_binding(void *context, const char *key)
{
    struct scheduler *scheduler = context;
    struct scheduled_pod *entry = map_get(scheduler->entries, key);
    if (entry == NULL || entry->state != POD_BINDING)
        return;
    struct world_object *pod = world_find_key(scheduler->world, KIND_POD, key);
    bool node_gone = filter_node_find(scheduler->cluster, entry->node) == FILTER_NODE_NONE;
    int64_t waited = ns_subtract(loop_monotonic_ns(scheduler->world->loop), entry->binding_since);
    if (!node_gone && claims_bound(scheduler->world, pod)) {
        CLEANUP_FREE char *node = memory_copy_string(entry->node);
        bind(scheduler, entry, node);
    } else if (node_gone || waited >= SCHEDULER_BIND_TIMEOUT_NS) {
        filter_cluster_put(scheduler->cluster, pod->typed);
        scheduler->version++;
        fail(scheduler, entry, "SchedulerError",
             node_gone ? "the node went while volumes were being bound"
                       : "binding volumes: timed out waiting for the condition");
    } else {
        work_queue_add_after(scheduler->bindings, key,
                             ns_subtract(SCHEDULER_BIND_TIMEOUT_NS, waited));
    }
}

static void look_at_bindings(struct scheduler *scheduler)
{
    for (struct map_entry *e = map_first(scheduler->bindings_under_way); e != NULL; e = map_next(e))
        work_queue_add(scheduler->bindings, map_key(e));
}
