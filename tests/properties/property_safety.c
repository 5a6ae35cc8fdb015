// SCH-543 completeness, SCH-544 safety.
#include "properties/properties.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "model/reading/catalog.h"
#include "properties/search.h"

// --- SCH-543 -------------------------------------------------------------------------------------

static uint32_t collect_placed(const struct plan *plan, const struct pod **pods, uint32_t capacity)
{
    uint32_t count = 0;
    list_for_each (placement, &plan->placements)
        list_for_each (pod, &placement->pods)
            if (count < capacity)
                pods[count++] = *pod;
    list_for_each (claim, &plan->claims)
        list_for_each (pod, &claim->pods)
            if (count < capacity)
                pods[count++] = *pod;
    return count;
}

bool what_can_be_placed_is_placed(const json_t *world, uint64_t seed, struct text *why)
{
    (void)seed;
    OUTCOME outcome = world_plan(world);
    // Without any NodePool nothing is placed at all (SCH-41).
    if (outcome.plan == NULL || outcome.plan->pods_placed > 8 ||
        outcome.snapshot->objects[KIND_NODE_POOL].count == 0)
        return true;
    const struct pod *pods[10];
    uint32_t count = collect_placed(outcome.plan, pods, 9);
    list_for_each (entry, &outcome.plan->unschedulable) {
        if (entry->ignored || entry->deferred)
            continue;
        CLUSTER *cluster = cluster_create(outcome.snapshot, true);
        pods[count] = entry->pod;
        struct text found = {0};
        if (search_placement(cluster, pods, count + 1, &found) == SEARCH_FOUND)
            text_format(why, "%s is unschedulable (%s) though all fit:\n%s", entry->pod->meta.name,
                        entry->message, found.data);
        text_free(&found);
        if (why->length > 0)
            return false;
    }
    return true;
}

// --- SCH-544: checks without the scheduler -------------------------------------------------------

static void check_accounts(const struct outcome *outcome, struct text *why)
{
    const struct plan *plan = outcome->plan;
    for (uint32_t i = 0; i < outcome->snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)outcome->snapshot->objects[KIND_POD].items[i];
        if (pod->spec.node_name != NULL)
            continue;
        uint32_t seen = 0;
        list_for_each (placement, &plan->placements)
            list_for_each (item, &placement->pods)
                seen += *item == pod;
        list_for_each (claim, &plan->claims)
            list_for_each (item, &claim->pods)
                seen += *item == pod;
        list_for_each (entry, &plan->unschedulable)
            seen += entry->pod == pod;
        if (seen != 1)
            text_format(why, "%s appears %u times\n", pod->meta.name, seen);
    }
}

// The requirement list that a choice must satisfy, besides the type: the claim's.
static bool choice_suits(const struct machine_choice *choice, const struct plan_claim *claim)
{
    return choice_is_launchable(choice) && choice_satisfies(choice, &claim->requirements);
}

static struct machine_choice choice_of(const struct plan_claim *claim,
                                       const struct instance_type *type,
                                       const struct offering *offering)
{
    return (struct machine_choice){claim->node_pool, type, offering, &claim->labels};
}

// Every possible machine of the claim takes all its pods, as far as no other node matters.
static void check_type(struct cluster *cluster, const struct plan_claim *claim, uint32_t index,
                       const struct plan_type *type, struct text *why)
{
    int64_t cheapest = INT64_MAX;
    list_for_each (offering, &type->instance_type->offerings) {
        struct machine_choice choice = choice_of(claim, type->instance_type, offering);
        if (!choice_suits(&choice, claim))
            continue;
        if (offering->price < cheapest)
            cheapest = offering->price;
        uint32_t site = cluster_add(cluster, &choice);
        list_for_each (pod, &claim->pods) {
            const char *refusal = cluster_refusal_alone(cluster, *pod, site);
            if (refusal != NULL)
                text_format(why, "claim %u as %s in %s %s: %s is refused: %s\n", index,
                            type->instance_type->name,
                            requirement_single_value(&offering->requirements, LABEL_ZONE),
                            requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE),
                            (*pod)->meta.name, refusal);
            cluster_bind(cluster, *pod, site);
        }
        cluster_remove_last(cluster);
    }
    if (cheapest != type->price)
        text_format(why, "claim %u: %s costs %.6f, the plan says %.6f\n", index,
                    type->instance_type->name, price_to_double(cheapest),
                    price_to_double(type->price));
}

static uint32_t distinct_values(const struct plan_claim *claim, const char *key)
{
    const char *values[64];
    uint32_t count = 0;
    list_for_each (type, &claim->types) {
        const char *value = strcmp(key, LABEL_INSTANCE_TYPE) == 0
                                ? type->instance_type->name
                                : requirement_single_value(&type->instance_type->requirements, key);
        uint32_t at = 0;
        while (at < count && value != NULL && strcmp(values[at], value) != 0)
            at++;
        if (value != NULL && at == count && count < ARRAY_LENGTH(values))
            values[count++] = value;
    }
    return count;
}

static void check_claim(struct cluster *cluster, const struct plan_claim *claim, uint32_t index,
                        struct text *why)
{
    if (claim->types.count == 0 || claim->pods.count == 0)
        text_format(why, "claim %u has no types or no pods\n", index);
    for (uint32_t i = 0; i < claim->types.count; i++) {
        const struct plan_type *types = claim->types.items;
        check_type(cluster, claim, index, &types[i], why);
        if (i > 0 && (types[i].price < types[i - 1].price ||
                      (types[i].price == types[i - 1].price &&
                       strcmp(types[i].instance_type->name, types[i - 1].instance_type->name) < 0)))
            text_format(why, "claim %u: types are not in order of price and name\n", index);
    }
    if (!cluster->snapshot->settings.min_values_best_effort)
        list_for_each (requirement, &claim->node_pool->spec.template.spec.requirements)
            if (requirement->min_values.present && strcmp(requirement->key, LABEL_ZONE) != 0 &&
                distinct_values(claim, requirement->key) < requirement->min_values.value)
                text_format(why, "claim %u: too few values of %s\n", index, requirement->key);
}

// Limits hold after each claim of the plan, launched in this order as the cheapest type.
static void check_limits(struct cluster *cluster, const struct plan *plan, struct text *why)
{
    uint32_t existing = cluster->sites_count, index = 0;
    list_for_each (claim, &plan->claims) {
        const struct instance_type *type = claim->types.items[0].instance_type;
        struct machine_choice choice = choice_of(claim, type, &type->offerings.items[0]);
        cluster_add(cluster, &choice);
        list_for_each (limit, &claim->node_pool->spec.limits)
            if (pool_use(cluster, claim->node_pool, limit->name) > limit->value)
                text_format(why, "claim %u exceeds the limit of %s on %s\n", index,
                            claim->node_pool->meta.name, limit->name);
        index++;
    }
    while (cluster->sites_count > existing)
        cluster_remove_last(cluster);
}

// Claims that can only become reserved machines of one reservation are no more than it has.
static void check_reservations(const struct plan *plan, struct text *why)
{
    static const char key[] = "karpenter.k8s.aws/capacity-reservation-id";
    list_for_each (claim, &plan->claims) {
        list_for_each (type, &claim->types)
            list_for_each (offering, &type->instance_type->offerings) {
                const char *id = requirement_single_value(&offering->requirements, key);
                if (id == NULL || !offering->reservation_capacity.present)
                    continue;
                int64_t holders = 0;
                list_for_each (other, &plan->claims)
                    list_for_each (requirement, &other->requirements)
                        holders += strcmp(requirement->key, key) == 0 &&
                                   requirement->values.count == 1 &&
                                   strcmp(requirement->values.items[0], id) == 0;
                if (holders > offering->reservation_capacity.value)
                    text_format(why, "reservation %s is taken %d times\n", id, (int)holders);
            }
    }
}

// --- SCH-544: the replay -------------------------------------------------------------------------

#define ITEMS_MAX 512

struct replay {
    struct cluster *cluster;
    struct {
        const struct pod *pod;
        uint32_t site;
    } items[ITEMS_MAX];
    uint32_t count;
    uint32_t steps;
};

static void shuffle_items(struct replay *replay, struct random *random)
{
    for (uint32_t i = replay->count; i > 1; i--) {
        uint32_t j = (uint32_t)random_below(random, i);
        __typeof__(replay->items[0]) swap = replay->items[i - 1];
        replay->items[i - 1] = replay->items[j];
        replay->items[j] = swap;
    }
}

// Binds all possible pods, repeatedly; the unbound stay in front. Returns how many are left of
// `left`.
static uint32_t sweep(struct replay *replay, uint32_t left, bool one_at_a_time)
{
    bool progress = true;
    while (progress && left > 0) {
        progress = false;
        for (uint32_t i = 0; i < left; i++) {
            if (replay->items[i].site >= replay->cluster->sites_count ||
                cluster_refusal(replay->cluster, replay->items[i].pod, replay->items[i].site) !=
                    NULL)
                continue;
            cluster_bind(replay->cluster, replay->items[i].pod, replay->items[i].site);
            __typeof__(replay->items[0]) done = replay->items[i];
            memmove(&replay->items[i], &replay->items[i + 1],
                    (left - i - 1) * sizeof replay->items[0]);
            replay->items[--left] = done;
            progress = true;
            if (one_at_a_time)
                break;
            i--;
        }
    }
    return left;
}

// If `staged`, the scheduler binds pods that fit the existing Nodes before others have joined.
static uint32_t attempt_order(struct replay *replay, bool staged, bool one_at_a_time)
{
    uint32_t left = replay->count, all = replay->cluster->sites_count;
    if (staged) {
        replay->cluster->sites_count = replay->cluster->snapshot->objects[KIND_NODE].count;
        left = sweep(replay, left, one_at_a_time);
        replay->cluster->sites_count = all;
    }
    return sweep(replay, left, one_at_a_time);
}

// Every order, within the limit of steps.
static bool search_order(struct replay *replay, uint32_t left)
{
    if (left == 0)
        return true;
    for (uint32_t i = 0; i < left && replay->steps < 4000; i++) {
        replay->steps++;
        __typeof__(replay->items[0]) item = replay->items[i];
        if (cluster_refusal(replay->cluster, item.pod, item.site) != NULL)
            continue;
        cluster_bind(replay->cluster, item.pod, item.site);
        replay->items[i] = replay->items[left - 1];
        replay->items[left - 1] = item;
        if (search_order(replay, left - 1))
            return true;
        replay->items[left - 1] = replay->items[i];
        replay->items[i] = item;
        cluster_unbind_last(replay->cluster, item.site);
    }
    return false;
}

static void unbind_all(struct replay *replay, const uint32_t *pods_before)
{
    for (uint32_t i = 0; i < replay->cluster->sites_count; i++)
        replay->cluster->sites[i].pods_count = pods_before[i];
}

static void find_order(struct replay *replay, uint64_t seed, const char *scenario, struct text *why)
{
    struct random random;
    random_seed(&random, seed);
    uint32_t before[ITEMS_MAX], left = 0;
    for (uint32_t i = 0; i < replay->cluster->sites_count; i++)
        before[i] = replay->cluster->sites[i].pods_count;
    for (uint32_t attempt = 0; attempt < 8; attempt++) {
        left = attempt_order(replay, attempt / 2 % 2 == 1, attempt % 2 == 1);
        if (left == 0)
            return;
        if (attempt < 7) {
            unbind_all(replay, before);
            shuffle_items(replay, &random);
        }
    }
    struct text stuck = {0};
    for (uint32_t i = 0; i < left; i++)
        text_format(&stuck, "%s: %s is refused by %s: %s\n", scenario,
                    replay->items[i].pod->meta.name,
                    replay->cluster->sites[replay->items[i].site].name,
                    cluster_refusal(replay->cluster, replay->items[i].pod, replay->items[i].site));
    unbind_all(replay, before);
    if (!search_order(replay, replay->count))
        text_add(why, stuck.data);
    text_free(&stuck);
}

enum scenario { CHEAPEST, LAST, RANDOM, SCENARIOS };

// One possible machine of the claim.
static bool pick_choice(const struct plan_claim *claim, enum scenario scenario,
                        struct random *random, struct machine_choice *picked)
{
    uint64_t seen = 0;
    int64_t best = INT64_MAX;
    list_for_each (type, &claim->types)
        list_for_each (offering, &type->instance_type->offerings) {
            struct machine_choice choice = choice_of(claim, type->instance_type, offering);
            if (!choice_suits(&choice, claim))
                continue;
            seen++;
            if (scenario == LAST || (scenario == RANDOM && random_below(random, seen) == 0) ||
                (scenario == CHEAPEST && offering->price < best)) {
                *picked = choice;
                best = offering->price;
            }
        }
    return seen > 0;
}

static void replay_scenario(const struct outcome *outcome, enum scenario scenario, uint64_t seed,
                            struct text *why)
{
    static const char *const names[] = {"cheapest machines", "last machines", "random machines"};
    CLUSTER *cluster = cluster_create(outcome->snapshot, false);
    struct replay *replay = memory_allocate(sizeof *replay);
    struct random random;
    random_seed(&random, seed);
    replay->cluster = cluster;
    list_for_each (placement, &outcome->plan->placements)
        list_for_each (pod, &placement->pods) {
            uint32_t site = cluster_find(cluster, placement->name);
            if (site == UINT32_MAX)
                text_format(why, "no node %s\n", placement->name);
            else if (replay->count < ITEMS_MAX)
                replay->items[replay->count++] = (__typeof__(replay->items[0])){*pod, site};
        }
    list_for_each (claim, &outcome->plan->claims) {
        struct machine_choice choice;
        if (!pick_choice(claim, scenario, &random, &choice))
            continue;
        uint32_t site = cluster_add(cluster, &choice);
        list_for_each (pod, &claim->pods)
            if (replay->count < ITEMS_MAX)
                replay->items[replay->count++] = (__typeof__(replay->items[0])){*pod, site};
    }
    find_order(replay, seed, names[scenario], why);
    free(replay);
}

bool the_scheduler_accepts_all(const json_t *world, uint64_t seed, struct text *why)
{
    OUTCOME outcome = world_plan(world);
    if (outcome.plan == NULL)
        return true;
    CLUSTER *cluster = cluster_create(outcome.snapshot, false);
    check_accounts(&outcome, why);
    uint32_t index = 0;
    list_for_each (claim, &outcome.plan->claims)
        check_claim(cluster, claim, index++, why);
    if (why->length == 0) {
        check_limits(cluster, outcome.plan, why);
        check_reservations(outcome.plan, why);
        for (enum scenario scenario = CHEAPEST; scenario < SCENARIOS; scenario++)
            replay_scenario(&outcome, scenario, seed, why);
    }
    return why->length == 0;
}
