#include "engine/launch/partial_launch.h"

#include "base/map.h"
#include "model/reading/catalog.h"
#include "model/reading/pod.h"
#include "model/reading/requirement_match.h"

// Limit on the price per unit, relative to the best: nodes launched early are at most this much
// more expensive than nodes of a complete wave.
#define DEARER_MAX 1.03

// --- full claims ---------------------------------------------------------------------------------
// By resource, the smallest request of the claim's pods.
static struct resource_map smallest_pod(struct arena *arena, const struct plan_claim *claim)
{
    struct resource_map least = pod_requests(arena, claim->pods.items[0]);
    for (uint32_t i = 1; i < claim->pods.count; i++) {
        struct resource_map requests = pod_requests(arena, claim->pods.items[i]);
        list_for_each (entry, &least) {
            int64_t value = resource_map_get(&requests, entry->name);
            if (value < entry->value)
                entry->value = value;
        }
    }
    return least;
}

static bool has_room(struct arena *arena, const struct instance_type *type,
                     const struct plan_claim *claim, const struct resource_map *pod)
{
    struct resource_map allocatable = instance_type_allocatable(arena, type, NULL);
    list_for_each (entry, pod)
        if (resource_map_get(&allocatable, entry->name) -
                resource_map_get(&claim->requests, entry->name) <
            entry->value)
            return false;
    return true;
}

static bool claim_is_full(const struct plan_claim *claim)
{
    CLEANUP_ARENA struct arena *arena = arena_create(16 * 1024);
    struct resource_map pod = smallest_pod(arena, claim);
    for (uint32_t i = claim->types.count; i-- > 0;) // the most expensive are the largest
        if (has_room(arena, claim->types.items[i].instance_type, claim, &pod))
            return false;
    return true;
}

// --- well-priced machines ------------------------------------------------------------------------
// The number of average pods of the claim that fit the type.
static double pods_on(struct arena *arena, const struct plan_claim *claim,
                      const struct instance_type *type)
{
    struct resource_map allocatable = instance_type_allocatable(arena, type, NULL);
    double share = (double)INT64_MAX;
    list_for_each (request, &claim->requests) {
        if (request->value <= 0)
            continue;
        double fits =
            (double)resource_map_get(&allocatable, request->name) / (double)request->value;
        if (fits < share)
            share = fits;
    }
    double pods = share * claim->pods.count;
    return pods > 1e9 ? 1e9 : (double)(int64_t)pods;
}

// The best price of one pod on any of the claim's types, each filled with pods like the claim's
// own.
static double best_pod_price(struct arena *arena, const struct plan_claim *claim)
{
    double best = (double)INT64_MAX;
    list_for_each (type, &claim->types) {
        double pods = pods_on(arena, claim, type->instance_type);
        if (pods >= 1 && (double)type->price / pods < best)
            best = (double)type->price / pods;
    }
    return best;
}

static bool claim_is_well_priced(const struct plan_claim *claim)
{
    CLEANUP_ARENA struct arena *arena = arena_create(16 * 1024);
    return (double)claim->price / claim->pods.count <= DEARER_MAX * best_pod_price(arena, claim);
}

static int64_t price_of(const struct plan_claim *claim, const struct instance_type *type)
{
    int64_t price = INT64_MAX;
    list_for_each (offering, &type->offerings)
        if (offering->available && offering->price < price &&
            offering_compatible(offering, &claim->requirements))
            price = offering->price;
    return price;
}

// True if the type resembles the claim's own types. The next plan decides for certain.
static bool is_alike(const struct plan_claim *claim, const struct instance_type *type)
{
    static const char *const keys[] = {LABEL_ARCH, LABEL_OS};
    const struct instance_type *own = claim->types.items[0].instance_type;
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (!text_equal(requirement_single_value(&own->requirements, keys[i]),
                        requirement_single_value(&type->requirements, keys[i])))
            return false;
    return true;
}

// The number of the claim's pods, in order, that fill a well-priced machine; 0: no machine.
static uint32_t claim_pods_well_priced(const struct plan_claim *claim,
                                       const struct snapshot *snapshot)
{
    CLEANUP_ARENA struct arena *arena = arena_create(64 * 1024);
    if (claim->types.count == 0)
        return 0;
    double limit = DEARER_MAX * best_pod_price(arena, claim), most = 0;
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        list_for_each (type, &catalog->spec.instance_types) {
            double pods = pods_on(arena, claim, type);
            if (pods <= most || pods > claim->pods.count || !is_alike(claim, type))
                continue;
            int64_t price = price_of(claim, type);
            if (price != INT64_MAX && (double)price / pods <= limit)
                most = pods;
        }
    }
    return (uint32_t)most;
}

// --- the choice ----------------------------------------------------------------------------------
static bool launches_early(const struct plan_claim *claim)
{
    return claim_is_full(claim) || claim_is_well_priced(claim);
}

// The pods left to the next pass.
static struct map *pods_left(const struct snapshot *snapshot, const struct plan *plan)
{
    struct map *left = map_create();
    list_for_each (claim, &plan->claims) {
        if (launches_early(claim))
            continue;
        for (uint32_t i = claim_pods_well_priced(claim, snapshot); i < claim->pods.count; i++)
            if (claim->pods.items[i]->meta.uid != NULL)
                map_set(left, claim->pods.items[i]->meta.uid, left);
    }
    return left;
}

static struct snapshot *without(struct arena *arena, const struct snapshot *snapshot,
                                const struct map *left)
{
    struct snapshot *copy = arena_allocate(arena, sizeof *copy);
    *copy = *snapshot; // the objects stay the snapshot's
    copy->objects[KIND_POD].items = arena_allocate_array(
        arena, snapshot->objects[KIND_POD].count + 1, sizeof *copy->objects[KIND_POD].items);
    copy->objects[KIND_POD].count = 0;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct object *pod = snapshot->objects[KIND_POD].items[i];
        if (pod->meta.uid == NULL || map_get(left, pod->meta.uid) == NULL)
            copy->objects[KIND_POD].items[copy->objects[KIND_POD].count++] = pod;
    }
    return copy;
}

static bool keep_early_launches(struct plan *plan)
{
    uint32_t kept = 0;
    for (uint32_t i = 0; i < plan->claims.count; i++)
        if (launches_early(&plan->claims.items[i]))
            plan->claims.items[kept++] = plan->claims.items[i];
    bool left_out = kept < plan->claims.count || plan->unschedulable.count > 0;
    plan->claims.count = kept;
    plan->unschedulable.count = 0; // not reported before the wave is complete
    return left_out;
}

struct plan *partial_launch_choose(struct arena *arena, const struct snapshot *snapshot,
                                   struct plan *plan, bool *rest)
{
    struct map *left = pods_left(snapshot, plan);
    *rest = map_count(left) > 0;
    if (*rest) {
        struct error error = {0};
        const struct plan_options options = {0};
        struct plan *smaller = engine_plan(without(arena, snapshot, left), &options, &error);
        if (smaller != NULL) {
            plan_destroy(plan);
            plan = smaller;
        }
    }
    map_destroy(left, NULL);
    if (keep_early_launches(plan))
        *rest = true;
    return plan;
}
