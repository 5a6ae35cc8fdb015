// SCH-540 permutation, SCH-541 irrelevance, SCH-542 price.
#include "model/snapshot/plan_encode.h"
#include "properties/properties.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"

// Appends the first lines in which two texts differ.
static void tell_difference(struct text *why, const char *one, const char *other)
{
    uint32_t line = 1;
    while (*one != '\0' && *one == *other) {
        line += *one == '\n';
        one++;
        other++;
    }
    text_format(why, "plans differ from line %u on:\n- %.200s\n+ %.200s\n", line, one, other);
}

// Whether two worlds have the same plan; bad input on either side counts as equal.
static bool same_plan(const json_t *one, const json_t *other, struct text *why)
{
    OUTCOME a = world_plan(one);
    OUTCOME b = world_plan(other);
    if (a.plan == NULL || b.plan == NULL)
        return true;
    char *first = plan_text(a.plan), *second = plan_text(b.plan);
    bool same = strcmp(first, second) == 0;
    if (!same)
        tell_difference(why, first, second);
    free(first);
    free(second);
    return same;
}

// --- SCH-540 -------------------------------------------------------------------------------------

// Arrays without a meaningful order.
static bool is_set(const char *key)
{
    static const char *const sets[] = {
        "instanceTypes", "offerings",        "requirements",   "values",
        "taints",        "startupTaints",    "tolerations",    "topologySpreadConstraints",
        "drivers",       "matchExpressions", "matchLabelKeys", "namespaces",
        "volumes",       "conditions",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(sets); i++)
        if (strcmp(key, sets[i]) == 0)
            return true;
    return false;
}

static json_t *shuffled(struct random *random, const json_t *value, const char *key);

static json_t *shuffled_array(struct random *random, const json_t *array, const char *key)
{
    json_t *result = json_array();
    size_t index;
    json_t *item;
    json_array_foreach (array, index, item) {
        size_t at = is_set(key) ? random_below(random, index + 1) : index;
        json_array_insert_new(result, at, shuffled(random, item, ""));
    }
    return result;
}

static json_t *shuffled_object(struct random *random, const json_t *object)
{
    const char *keys[64];
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)(uintptr_t)object, key, value) {
        size_t at = random_below(random, count + 1);
        memmove(keys + at + 1, keys + at, (count - at) * sizeof keys[0]);
        keys[at] = key;
        count++;
    }
    json_t *result = json_object();
    for (size_t i = 0; i < count; i++)
        json_object_set_new(result, keys[i],
                            shuffled(random, json_object_get(object, keys[i]), keys[i]));
    return result;
}

static json_t *shuffled(struct random *random, const json_t *value, const char *key)
{
    return json_is_array(value)    ? shuffled_array(random, value, key)
           : json_is_object(value) ? shuffled_object(random, value)
                                   : json_deep_copy(value);
}

bool order_does_not_matter(const json_t *world, uint64_t seed, struct text *why)
{
    struct random random;
    random_seed(&random, seed);
    for (int turn = 0; turn < 2; turn++) {
        CLEANUP_JSON json_t *other = shuffled_array(&random, world, "values");
        if (!same_plan(world, other, why))
            return false;
    }
    return true;
}

// --- SCH-541 -------------------------------------------------------------------------------------

// A pool without its own catalog uses the common one, so the useless types join that.
static void add_useless_types(json_t *world)
{
    CLEANUP_JSON json_t *useless = json_array();
    world_add_yaml(
        useless,
        // Too small for any pod; nothing available; in a zone without anything else.
        "[{name: dwarf, requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}], "
        "capacity: {cpu: 1m, memory: 1Mi, pods: '1'}, offerings: [{price: 0.0001, available: true, "
        "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-a]}, {key: "
        "karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}]}, {name: sold-out, "
        "requirements: [{key: kubernetes.io/arch, operator: In, values: [amd64]}], capacity: {cpu: "
        "'64', memory: 512Gi, pods: '200'}, offerings: [{price: 0.0001, available: false, "
        "requirements: [{key: topology.kubernetes.io/zone, operator: In, values: [zone-moon]}, "
        "{key: karpenter.sh/capacity-type, operator: In, values: [on-demand]}]}]}]");
    size_t index, at;
    json_t *document, *type;
    json_array_foreach (world, index, document)
        if (strcmp(document_kind(document), "InstanceTypeCatalog") == 0)
            json_array_foreach (json_array_get(useless, 0), at, type)
                json_array_append(
                    json_object_get(json_object_get(document, "spec"), "instanceTypes"), type);
}

static void add_useless_pool(json_t *world)
{
    world_add_yaml(world, "{apiVersion: karpenter.sh/v1, kind: NodePool, metadata: {name: zzz, "
                          "uid: zzz}, spec: {weight: 90, template: {spec: {nodeClassRef: {group: "
                          "karpenter.test, kind: TestNodeClass, name: default}, requirements: "
                          "[{key: kubernetes.io/arch, operator: In, values: [sparc]}]}}}}");
}

bool the_useless_does_not_matter(const json_t *world, uint64_t seed, struct text *why)
{
    CLEANUP_JSON json_t *other = json_deep_copy(world);
    if (seed % 2 == 0)
        add_useless_types(other);
    else
        add_useless_pool(other);
    OUTCOME a = world_plan(world);
    OUTCOME b = world_plan(other);
    if (a.plan == NULL || b.plan == NULL)
        return true;
    // The explanation may change: reasons and messages of unplaced pods.
    CLEANUP_JSON json_t *one = plan_encode(a.plan);
    CLEANUP_JSON json_t *two = plan_encode(b.plan);
    json_t *plans[] = {one, two};
    for (int i = 0; i < 2; i++) {
        size_t index;
        json_t *entry;
        json_array_foreach (json_object_get(plans[i], "unschedulable"), index, entry) {
            json_object_del(entry, "message");
            json_object_del(entry, "reasons");
        }
        json_object_del(plans[i], "notes");
        json_object_del(plans[i], "warnings");
    }
    char *first = json_dumps(one, JSON_INDENT(1)), *second = json_dumps(two, JSON_INDENT(1));
    bool same = strcmp(first, second) == 0;
    if (!same)
        tell_difference(why, first, second);
    free(first);
    free(second);
    return same;
}

// --- SCH-542 -------------------------------------------------------------------------------------

bool lowest_price_is_not_above_greedy(const json_t *world, uint64_t seed, struct text *why)
{
    (void)seed;
    CLEANUP_JSON json_t *cheap_world = world_with_setting(world, "PACKING_POLICY", "LowestPrice");
    CLEANUP_JSON json_t *greedy_world = world_with_setting(world, "PACKING_POLICY", "Greedy");
    OUTCOME cheap = world_plan(cheap_world);
    OUTCOME greedy = world_plan(greedy_world);
    if (cheap.plan == NULL || greedy.plan == NULL)
        return true;
    if (cheap.plan->pods_placed < greedy.plan->pods_placed)
        text_format(why, "LowestPrice places %u pods, Greedy %u\n", cheap.plan->pods_placed,
                    greedy.plan->pods_placed);
    else if (cheap.plan->pods_placed == greedy.plan->pods_placed &&
             cheap.plan->counted > greedy.plan->counted)
        text_format(why, "LowestPrice counts %.6f, Greedy %.6f\n",
                    price_to_double(cheap.plan->counted), price_to_double(greedy.plan->counted));
    return why->length == 0;
}

static json_t *with_half_prices(const json_t *world)
{
    json_t *copy = json_deep_copy(world);
    size_t index, at, which;
    json_t *document, *type, *offering;
    json_array_foreach (copy, index, document)
        json_array_foreach (json_object_get(json_object_get(document, "spec"), "instanceTypes"), at,
                            type)
            json_array_foreach (json_object_get(type, "offerings"), which, offering)
                json_object_set_new(
                    offering, "price",
                    json_real(json_number_value(json_object_get(offering, "price")) / 2));
    return copy;
}

bool half_prices_halve_the_total(const json_t *world, uint64_t seed, struct text *why)
{
    (void)seed;
    CLEANUP_JSON json_t *full_world = world_with_setting(world, "NODE_COST", "0.02");
    CLEANUP_JSON json_t *half_prices = with_half_prices(world);
    CLEANUP_JSON json_t *half_world = world_with_setting(half_prices, "NODE_COST", "0.01");
    OUTCOME full = world_plan(full_world);
    OUTCOME half = world_plan(half_world);
    if (full.plan == NULL || half.plan == NULL || full.plan->price == 2 * half.plan->price)
        return true;
    text_format(why, "total %.6f, with all prices halved %.6f\n", price_to_double(full.plan->price),
                price_to_double(half.plan->price));
    return false;
}

static bool is_pending_pod(const json_t *document)
{
    return strcmp(document_kind(document), "Pod") == 0 &&
           json_object_get(json_object_get(document, "spec"), "nodeName") == NULL;
}

bool fewer_pods_cost_no_more(const json_t *world, uint64_t seed, struct text *why)
{
    size_t pending[512], count = 0, index;
    json_t *document;
    json_array_foreach (world, index, document)
        if (is_pending_pod(document) && count < ARRAY_LENGTH(pending))
            pending[count++] = index;
    OUTCOME before = world_plan(world);
    if (before.plan == NULL || before.plan->unschedulable.count > 0 || count == 0)
        return true;
    CLEANUP_JSON json_t *smaller = json_copy((json_t *)(uintptr_t)world);
    size_t removed = pending[seed % count];
    const char *name = document_name(json_array_get(world, removed));
    json_array_remove(smaller, removed);
    OUTCOME after = world_plan(smaller);
    if (after.plan == NULL)
        return true;
    if (after.plan->unschedulable.count == 0 &&
        after.plan->counted <= before.plan->counted + before.plan->counted / 100)
        return true;
    text_format(why, "without %s: it counts %.6f instead of %.6f, %u pods unschedulable\n", name,
                price_to_double(after.plan->counted), price_to_double(before.plan->counted),
                (unsigned)after.plan->unschedulable.count);
    return false;
}
