#include "sim/scheduler/scheduler_cycle.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "sim/scheduler/scheduler_devices.h"
#include "sim/scheduler/scheduler_events.h"
#include "sim/scheduler/scheduler_nominations.h"
#include "sim/scheduler/scheduler_nominees.h"
#include "sim/scheduler/scheduler_outcomes.h"
#include "sim/scheduler/scheduler_queue.h"
#include "sim/scheduler/scheduler_scores.h"
#include "sim/scheduler/scheduler_workload.h"
#include "sim/world/world_write.h"

static void schedule(struct scheduler *scheduler, struct scheduled_pod *entry);

// One cycle after the other: a failed attempt occupies the scheduler until its outcome is written.
void scheduler_run_cycle(void *context)
{
    struct scheduler *scheduler = context;
    const struct world_options *options = &scheduler->world->options;
    struct scheduled_pod *entry = scheduler_pop(scheduler);
    if (entry == NULL)
        return;
    scheduler->cycles++;
    scheduler->has_rejected = false;
    schedule(scheduler, entry);
    timer_start(scheduler->cycle, scheduler->has_rejected ? options->scheduler_rejection_ns
                                                          : options->scheduler_pod_ns);
}

// --- the search ----------------------------------------------------------------------------------

// The number of feasible nodes after which kube-scheduler begins to score.
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

// The pod's nominated node, if it is feasible: then no other is examined.
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

// Feasible nodes, until there are enough; the next search begins where this one ends.
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

// A random one of the best nodes, by the seed.
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

// --- pods of one ReplicaSet fail alike -----------------------------------------------------------

#define FAILURES_MAX 256

struct failure { // of a pod of a ReplicaSet
    uint64_t version;
    json_t *pod;
    char *message;
    uint32_t reasons;
};

static void destroy_failure(void *value)
{
    struct failure *failure = value;
    json_decref(failure->pod);
    free(failure->message);
    free(failure);
}

void scheduler_forget_failures(struct scheduler *scheduler)
{
    map_destroy(scheduler->failures, destroy_failure);
    scheduler->failures = NULL;
}

// The failure of a pod of the same ReplicaSet, while nothing that matters has changed since; NULL:
// none.
static const struct failure *failure_of_kin(const struct scheduler *scheduler,
                                            const struct world_object *object)
{
    static const char *const paths[] = {"metadata.namespace", "metadata.labels", "spec"};
    const char *kin = scheduler_kin(object->pod);
    if (kin == NULL || filter_nomination(object->pod) != NULL || scheduler->failures == NULL)
        return NULL;
    const struct failure *failure = map_get(scheduler->failures, kin);
    if (failure == NULL || failure->version != scheduler->version)
        return NULL;
    for (size_t i = 0; i < ARRAY_LENGTH(paths); i++) {
        json_t *before = store_path(failure->pod, paths[i]);
        json_t *now = store_path(object->json, paths[i]);
        if (before != now && !json_equal(before, now))
            return NULL;
    }
    return failure;
}

static void note_failure(struct scheduler *scheduler, const struct world_object *object,
                         const char *message, uint32_t reasons)
{
    const char *kin = scheduler_kin(object->pod);
    if (kin == NULL || filter_nomination(object->pod) != NULL)
        return;
    if (scheduler->failures != NULL && map_count(scheduler->failures) >= FAILURES_MAX)
        scheduler_forget_failures(scheduler);
    if (scheduler->failures == NULL)
        scheduler->failures = map_create();
    struct failure *failure = map_ensure(scheduler->failures, kin, sizeof *failure);
    json_decref(failure->pod);
    free(failure->message);
    *failure = (struct failure){scheduler->version, json_incref(object->json),
                                memory_copy_string(message), reasons};
}

// --- claims of devices ---------------------------------------------------------------------------

// Steals `writes`; a claim that is gone is left alone.
static void write_claims(struct scheduler *scheduler, json_t *writes)
{
    size_t index;
    json_t *entry, *value;
    const char *field;
    json_array_foreach (writes, index, entry) {
        struct world_object *claim =
            world_find(scheduler->world, KIND_RESOURCE_CLAIM, world_text(entry, "namespace"),
                       world_text(entry, "name"));
        if (claim == NULL)
            continue;
        json_t *status = world_copy_status(claim);
        json_object_foreach (json_object_get(entry, "status"), field, value) {
            if (json_is_null(value))
                json_object_del(status, field);
            else
                json_object_set(status, field, value);
        }
        world_set_status(scheduler->world, claim, status);
    }
    json_decref(writes);
}

// --- the attempt ---------------------------------------------------------------------------------

static void reject(struct scheduler *scheduler, struct scheduled_pod *entry,
                   const struct world_object *object, struct filter_state *state,
                   const struct filter_tally *tally);

static void schedule(struct scheduler *scheduler, struct scheduled_pod *entry)
{
    struct world_object *object = world_find_key(scheduler->world, KIND_POD, entry->key);
    assert(object != NULL && object->pod != NULL);
    if (object->pod->spec.scheduling_gates.count > 0) {
        scheduler_hold_gated(scheduler, entry, object);
        return;
    }
    entry->attempts++;
    const struct failure *known = failure_of_kin(scheduler, object);
    if (known != NULL) {
        entry->reasons = known->reasons;
        scheduler_fail(scheduler, entry, "Unschedulable", known->message);
        return;
    }
    struct filter_state *state = filter_prepare(scheduler->cluster, object->pod);
    struct filter_tally tally = {0};
    uint32_t node =
        filter_refusal(state) != NULL ? FILTER_NODE_NONE : choose(scheduler, state, object, &tally);
    if (node == FILTER_NODE_NONE) {
        reject(scheduler, entry, object, state, &tally);
    } else {
        char name[300];
        snprintf(name, sizeof name, "%s", filter_node_at(scheduler->cluster, node)->meta.name);
        claim_keys claims = scheduler_delayed_claims(state);
        json_t *writes = filter_claim_statuses(state, node);
        filter_release(state);
        write_claims(scheduler, writes);
        scheduler_assign(scheduler, entry, name, &claims);
        vector_for_each (key, &claims)
            free(*key);
        vector_free(&claims);
    }
    filter_tally_free(&tally);
}

static void reject(struct scheduler *scheduler, struct scheduled_pod *entry,
                   const struct world_object *object, struct filter_state *state,
                   const struct filter_tally *tally)
{
    struct text message = {0};
    filter_tally_describe(state, tally, &message);
    entry->reasons = filter_tally_reasons(state, tally);
    json_t *releases = filter_claim_releases(state);
    filter_release(state);
    write_claims(scheduler, releases);
    note_failure(scheduler, object, message.data, entry->reasons);
    scheduler_fail(scheduler, entry, "Unschedulable", message.data);
    text_free(&message);
}
