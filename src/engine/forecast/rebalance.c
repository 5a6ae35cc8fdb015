#include "engine/forecast/rebalance.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/map.h"
#include "base/text.h"
#include "engine/cost/fresh_snapshot.h"
#include "engine/disruption/eligibility.h"
#include "engine/engine.h"
#include "engine/forecast/forecast.h"
#include "engine/forecast/forecast_machine.h"
#include "engine/forecast/forecast_result.h"
#include "engine/problem/state_node.h"
#include "model/reading/pod.h"
#include "model/reading/requirement_match.h"
#include "model/reading/state_node_rules.h"
#include "model/snapshot/snapshot_lookup.h"
#include "model/snapshot/snapshot_overlay.h"

struct rebalancing {
    struct arena *arena;
    const struct snapshot *snapshot;
    struct candidate_table table;
    const struct plan *plan;
    struct map *free; // names of Nodes and NodeClaims of candidates -> the candidate
    struct map *kept; // the same, of those that the plan can use
    struct map *born, *gone;
    struct string_list endings; // Nodes that go anyway: the plan has their pods elsewhere
    struct map *targets;        // "namespace/name" of a pod -> name of its node
    const char **nodes;         // by claim of the plan: the name of its node
    bool *is_new;               // by claim: the node is a new one
};

// --- the plan ------------------------------------------------------------------------------------

static void find_free(struct rebalancing *rebalancing)
{
    const struct candidate_options options = {.reason = DISRUPTION_UNDERUTILIZED};
    rebalancing->table = candidates_build(rebalancing->arena, rebalancing->snapshot, &options);
    list_for_each (candidate, &rebalancing->table.candidates) {
        map_set(rebalancing->free, candidate->node->meta.name, candidate);
        map_set(rebalancing->free, candidate->claim->meta.name, candidate);
    }
}

static struct plan *plan_anew(struct rebalancing *rebalancing, struct snapshot *freed,
                              struct error *error)
{
    const struct plan_options options = {0};
    if (!freed->settings.compatibility_upstream)
        freed->settings.packing_policy = PACKING_LOWEST_PRICE;
    struct plan *plan = engine_plan(freed, &options, error);
    rebalancing->plan = plan;
    return plan;
}

// --- nodes that the plan can use -----------------------------------------------------------------

static bool has_type(const struct plan_claim *claim, const char *name)
{
    list_for_each (type, &claim->types)
        if (text_equal(type->instance_type->name, name))
            return true;
    return false;
}

// The label of node classes ("karpenter.k8s.aws/ec2nodeclass"): nodes of older controllers lack it,
// and their NodeClaims name the class.
static bool is_of_class(const struct node_claim *claim,
                        const struct selector_requirement *requirement)
{
    const struct node_class_reference *reference = claim->spec.node_class_ref;
    size_t length = reference != NULL ? strlen(text_or_empty(reference->group)) : 0;
    return length > 0 && strncmp(requirement->key, reference->group, length) == 0 &&
           requirement->key[length] == '/' &&
           strcasecmp(requirement->key + length + 1, text_or_empty(reference->kind)) == 0 &&
           requirement_allows(requirement, reference->name);
}

// It would be launched like this, at no more than the plan's price.
static bool serves(const struct disruption_candidate *candidate, const struct plan_claim *claim)
{
    const struct string_map *labels = &candidate->node->meta.labels;
    if (candidate->price > claim->price || candidate_is_drifted(candidate) ||
        !text_equal(string_map_get(labels, LABEL_NODE_POOL), claim->node_pool->meta.name) ||
        !has_type(claim, string_map_get(labels, LABEL_INSTANCE_TYPE)))
        return false;
    list_for_each (requirement, &claim->requirements)
        if (!requirement_allows(requirement, string_map_get(labels, requirement->key)) &&
            !is_of_class(candidate->claim, requirement))
            return false;
    return true;
}

static uint32_t pods_there(const struct plan_claim *claim, const struct map *homes,
                           const char *node)
{
    uint32_t count = 0;
    char name[600];
    list_for_each (pod, &claim->pods) {
        object_namespaced_name((const struct object *)*pod, name);
        count += text_equal(map_get(homes, name), node);
    }
    return count;
}

static struct disruption_candidate *best_for(struct rebalancing *rebalancing,
                                             const struct plan_claim *claim,
                                             const struct map *homes)
{
    struct disruption_candidate *best = NULL;
    uint32_t most = 0;
    list_for_each (candidate, &rebalancing->table.candidates) {
        if (map_get(rebalancing->kept, candidate->node->meta.name) != NULL ||
            !serves(candidate, claim))
            continue;
        uint32_t there = pods_there(claim, homes, candidate->node->meta.name);
        if (best == NULL || there > most) {
            best = candidate;
            most = there;
        }
    }
    return best;
}

static void add_change(struct rebalancing *rebalancing, struct map *changes, const char *name,
                       uint32_t round, const char *why)
{
    struct forecast_node *node = arena_allocate(rebalancing->arena, sizeof *node);
    *node = (struct forecast_node){.name = name,
                                   .fate = changes == rebalancing->born ? NODE_COMES : NODE_GOES,
                                   .round = round,
                                   .why = why};
    map_set(changes, name, node);
}

static void choose_nodes(struct rebalancing *rebalancing, const struct map *homes)
{
    uint32_t named = 0;
    rebalancing->nodes = arena_allocate_array(
        rebalancing->arena, rebalancing->plan->claims.count + 1, sizeof *rebalancing->nodes);
    rebalancing->is_new = arena_allocate_array(
        rebalancing->arena, rebalancing->plan->claims.count + 1, sizeof *rebalancing->is_new);
    for (uint32_t i = 0; i < rebalancing->plan->claims.count; i++) {
        const struct plan_claim *claim = &rebalancing->plan->claims.items[i];
        struct disruption_candidate *candidate = best_for(rebalancing, claim, homes);
        rebalancing->is_new[i] = candidate == NULL;
        if (candidate != NULL) {
            map_set(rebalancing->kept, candidate->node->meta.name, candidate);
            rebalancing->nodes[i] = candidate->node->meta.name;
            continue;
        }
        rebalancing->nodes[i] =
            arena_format(rebalancing->arena, "%s-new-%u", claim->node_pool->meta.name, ++named);
        add_change(rebalancing, rebalancing->born, rebalancing->nodes[i], 1, "cheaper");
    }
    for (uint32_t i = 0; i < rebalancing->endings.count; i++)
        add_change(rebalancing, rebalancing->gone, rebalancing->endings.items[i], 1, "deleted");
    list_for_each (candidate, &rebalancing->table.candidates)
        if (map_get(rebalancing->kept, candidate->node->meta.name) == NULL)
            add_change(rebalancing, rebalancing->gone, candidate->node->meta.name, 2,
                       candidate_is_drifted(candidate) ? "drifted" : "not needed");
}

// --- pods ----------------------------------------------------------------------------------------

// The places of a ReplicaSet's pods: any of them may have any.
struct seat {
    const struct pod *pod;
    const char *home, *target; // home NULL: pending
    bool taken;
};
typedef LIST(struct seat) seat_list;

static void set_target(struct rebalancing *rebalancing, const struct pod *pod, const char *target)
{
    char name[600];
    object_namespaced_name((const struct object *)pod, name);
    map_set(rebalancing->targets, name, (char *)(uintptr_t)target);
}

static void seat_pod(struct rebalancing *rebalancing, struct map *sets, const struct map *homes,
                     const struct pod *pod, const char *target)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    char name[600];
    object_namespaced_name((const struct object *)pod, name);
    if (owner == NULL || owner->uid == NULL || !text_equal(owner->kind, "ReplicaSet")) {
        set_target(rebalancing, pod, target);
        return;
    }
    seat_list *seats = map_get(sets, owner->uid);
    if (seats == NULL) {
        seats = arena_allocate(rebalancing->arena, sizeof *seats);
        map_set(sets, owner->uid, seats);
    }
    if ((seats->count & (seats->count + 1)) == 0) { // full: 2^n - 1
        struct seat *larger =
            arena_allocate_array(rebalancing->arena, 2 * seats->count + 1, sizeof *larger);
        if (seats->count > 0)
            memcpy(larger, seats->items, seats->count * sizeof *larger);
        seats->items = larger;
    }
    seats->items[seats->count++] = (struct seat){pod, map_get(homes, name), target, false};
}

// Pods stay where they are as far as the plan wants one of their kind there.
static void settle_set(struct rebalancing *rebalancing, const seat_list *seats)
{
    struct map *open = map_create(); // node -> seats that nobody has, + 1
    bool *stays = arena_allocate_array(rebalancing->arena, seats->count + 1, sizeof *stays);
    list_for_each (seat, seats) {
        uintptr_t count = (uintptr_t)map_get(open, seat->target);
        map_set(open, seat->target, (void *)((count == 0 ? 1 : count) + 1));
    }
    for (uint32_t i = 0; i < seats->count; i++) {
        const char *home = seats->items[i].home;
        uintptr_t count = home != NULL ? (uintptr_t)map_get(open, home) : 0;
        stays[i] = count > 1;
        if (!stays[i])
            continue;
        map_set(open, home, (void *)(count - 1));
        set_target(rebalancing, seats->items[i].pod, home);
    }
    uint32_t next = 0;
    for (uint32_t i = 0; i < seats->count; i++) {
        if (stays[i])
            continue;
        while ((uintptr_t)map_get(open, seats->items[next].target) <= 1)
            next++;
        assert(next < seats->count);
        const char *target = seats->items[next].target;
        map_set(open, target, (void *)((uintptr_t)map_get(open, target) - 1));
        set_target(rebalancing, seats->items[i].pod, target);
    }
    map_destroy(open, NULL);
}

static void place_pods(struct rebalancing *rebalancing, const struct map *homes)
{
    struct map *sets = map_create();
    for (uint32_t i = 0; i < rebalancing->plan->claims.count; i++)
        list_for_each (pod, &rebalancing->plan->claims.items[i].pods)
            seat_pod(rebalancing, sets, homes, *pod, rebalancing->nodes[i]);
    list_for_each (placement, &rebalancing->plan->placements)
        list_for_each (pod, &placement->pods)
            seat_pod(rebalancing, sets, homes, *pod, placement->name);
    for (struct map_entry *at = map_first(sets); at != NULL; at = map_next(at))
        settle_set(rebalancing, map_value(at));
    map_destroy(sets, NULL);
}

// --- the cluster then ----------------------------------------------------------------------------

static void carry_pod(struct rebalancing *rebalancing, struct snapshot *end, const struct pod *pod)
{
    char name[600];
    const char *home = pod->spec.node_name;
    object_namespaced_name((const struct object *)pod, name);
    const char *target = map_get(rebalancing->targets, name);
    bool leaves = !text_is_empty(home) && map_get(rebalancing->gone, home) != NULL;
    if (target != NULL && !text_equal(target, home))
        forecast_pod_add(end, pod, target);
    else if (!leaves)
        snapshot_add(end, (const struct object *)pod);
    else if (pod_needs_place(pod))
        forecast_pod_add(end, pod, NULL);
}

static bool is_gone(const struct rebalancing *rebalancing, const struct object *object)
{
    if (object->kind->id == KIND_NODE)
        return map_get(rebalancing->gone, object->meta.name) != NULL;
    if (object->kind->id != KIND_NODE_CLAIM)
        return false;
    const struct node_claim *claim = (const struct node_claim *)object;
    const char *node = claim_node(rebalancing->snapshot, claim);
    return node_claim_is_ending(claim) ||
           (node != NULL && map_get(rebalancing->gone, node) != NULL);
}

static struct snapshot *end_of(struct rebalancing *rebalancing)
{
    const struct snapshot *snapshot = rebalancing->snapshot;
    struct snapshot *end = snapshot_copy_context(snapshot);
    for (int kind = 0; kind < KIND_COUNT; kind++)
        for (uint32_t i = 0; i < snapshot->objects[kind].count; i++) {
            const struct object *object = snapshot->objects[kind].items[i];
            if (kind == KIND_POD)
                carry_pod(rebalancing, end, (const struct pod *)object);
            else if (!is_gone(rebalancing, object))
                snapshot_add(end, object);
        }
    for (uint32_t i = 0; i < rebalancing->plan->claims.count; i++)
        if (rebalancing->is_new[i])
            forecast_machine_add(end, &rebalancing->plan->claims.items[i], rebalancing->nodes[i]);
    return end;
}

// "namespace/name" of pods that have a node -> its name.
static struct map *homes_of(const struct snapshot *snapshot)
{
    struct map *homes = map_create();
    char name[600];
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        object_namespaced_name((const struct object *)pod, name);
        if (!text_is_empty(pod->spec.node_name))
            map_set(homes, name, (char *)(uintptr_t)pod->spec.node_name);
    }
    return homes;
}

static bool find(struct rebalancing *rebalancing, struct rebalance *rebalance, struct error *error)
{
    struct forecast *forecast = rebalance->packed;
    find_free(rebalancing);
    rebalancing->endings = ending_nodes(rebalancing->arena, rebalancing->snapshot);
    struct snapshot *freed = fresh_snapshot_without(rebalancing->snapshot, rebalancing->free);
    forecast->first = plan_anew(rebalancing, freed, error);
    bool done = forecast->first != NULL;
    if (done) {
        struct map *homes = homes_of(rebalancing->snapshot);
        choose_nodes(rebalancing, homes);
        place_pods(rebalancing, homes);
        forecast->end = end_of(rebalancing);
        forecast->complete = true;
        forecast->unplaced = rebalancing->plan->unschedulable.count;
        rebalance->free = rebalancing->table.candidates.count;
        done = forecast_result_find(forecast, rebalancing->snapshot, rebalancing->born,
                                    rebalancing->gone, error);
        rebalance->held =
            forecast->before.total.nodes - rebalance->free - rebalancing->endings.count;
        map_destroy(homes, NULL);
    }
    snapshot_destroy(freed);
    return done;
}

static bool pack_anew(const struct snapshot *snapshot, struct rebalance *rebalance,
                      struct error *error)
{
    struct arena *arena = arena_create(65536);
    rebalance->packed = arena_allocate(arena, sizeof *rebalance->packed);
    rebalance->packed->arena = arena;
    struct rebalancing rebalancing = {.arena = arena,
                                      .snapshot = snapshot,
                                      .free = map_create(),
                                      .kept = map_create(),
                                      .born = map_create(),
                                      .gone = map_create(),
                                      .targets = map_create()};
    bool done = find(&rebalancing, rebalance, error);
    struct map *const maps[] = {rebalancing.free, rebalancing.kept, rebalancing.born,
                                rebalancing.gone, rebalancing.targets};
    for (size_t i = 0; i < ARRAY_LENGTH(maps); i++)
        map_destroy(maps[i], NULL);
    return done;
}

static bool is_better(const struct forecast *a, const struct forecast *b)
{
    return a->unplaced != b->unplaced ? a->unplaced < b->unplaced
                                      : a->after.total.price < b->after.total.price;
}

bool rebalance_find(const struct snapshot *snapshot, uint32_t rounds_max,
                    struct rebalance *rebalance, struct error *error)
{
    const struct forecast_options options = {.rounds_max = rounds_max};
    *rebalance = (struct rebalance){0};
    if (!pack_anew(snapshot, rebalance, error))
        return false;
    rebalance->by_itself = forecast_create(snapshot, &options, error);
    if (rebalance->by_itself == NULL)
        return false;
    rebalance->goal = is_better(rebalance->by_itself, rebalance->packed) ? rebalance->by_itself
                                                                         : rebalance->packed;
    return true;
}

void rebalance_free(struct rebalance *rebalance)
{
    forecast_destroy(rebalance->packed);
    forecast_destroy(rebalance->by_itself);
}
