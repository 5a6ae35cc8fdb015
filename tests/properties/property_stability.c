// SCH-545: an executed plan leaves nothing to plan.
#include "properties/properties.h"

#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "model/reading/catalog.h"
#include "model/schema/encode.h"

static json_t *resources_of(const struct resource_map *map)
{
    json_t *object = json_object();
    list_for_each (quantity, map) {
        char text[QUANTITY_TEXT_MAX];
        quantity_format(quantity->name, quantity->value, text);
        json_object_set_new(object, quantity->name, json_string(text));
    }
    return object;
}

static void set_labels(json_t *labels, const requirement_list *requirements)
{
    list_for_each (requirement, requirements)
        if (requirement->values.count == 1 && strcmp(requirement->operator, "In") == 0 &&
            json_object_get(labels, requirement->key) == NULL)
            json_object_set_new(labels, requirement->key,
                                json_string(requirement->values.items[0]));
}

static bool suits(const struct plan_claim *claim, const struct offering *offering)
{
    list_for_each (requirement, &claim->requirements) {
        const char *value = requirement_single_value(&offering->requirements, requirement->key);
        if (value == NULL)
            continue;
        bool named = string_list_has(&requirement->values, value);
        if ((strcmp(requirement->operator, "In") == 0 && !named) ||
            (strcmp(requirement->operator, "NotIn") == 0 && named))
            return false;
    }
    return true;
}

struct machine { // of a launched claim
    const struct instance_type *type;
    const struct offering *offering; // NULL: none
};

// Outcome 0: the offering of the price; others: any one that the claim allows.
static struct machine machine_of(const struct plan_claim *claim, uint32_t outcome)
{
    struct machine machine = {0};
    uint32_t suiting = 0, wanted = 0;
    for (int round = 0; round < 2; round++) { // counts, then takes
        uint32_t at = 0;
        list_for_each (type, &claim->types)
            list_for_each (offering, &type->instance_type->offerings) {
                bool cheapest = type == claim->types.items && offering->price == type->price;
                if (!offering->available || (outcome == 0 && !cheapest) || !suits(claim, offering))
                    continue;
                if (round == 1 && at == wanted)
                    machine = (struct machine){type->instance_type, offering};
                at++;
            }
        suiting = at;
        wanted = suiting > 0 ? outcome % suiting : 0;
    }
    return machine;
}

// Node and NodeClaim of a planned claim, after the machine has joined.
static bool join(json_t *world, const struct plan_claim *claim, uint32_t index, uint32_t outcome)
{
    struct machine machine = machine_of(claim, outcome);
    const struct offering *offering = machine.offering;
    const struct instance_type *type = machine.type;
    if (offering == NULL)
        return false;
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct resource_map allocatable = instance_type_allocatable(arena, type, offering);
    char name[40], provider_id[40], claim_name[40];
    snprintf(name, sizeof name, "joined-%03u", index);
    snprintf(provider_id, sizeof provider_id, "test:joined-%03u", index);
    snprintf(claim_name, sizeof claim_name, "claim-joined-%03u", index);
    json_t *labels = json_object();
    set_labels(labels, &offering->requirements);
    set_labels(labels, &type->requirements);
    list_for_each (pair, &claim->labels)
        if (json_object_get(labels, pair->key) == NULL)
            json_object_set_new(labels, pair->key, json_string(pair->value));
    set_labels(labels, &claim->requirements);
    json_object_set_new(labels, LABEL_INSTANCE_TYPE, json_string(type->name));
    json_object_set_new(labels, LABEL_NODE_POOL, json_string(claim->node_pool->meta.name));
    json_t *node_labels = json_copy(labels);
    json_object_set_new(node_labels, LABEL_HOSTNAME, json_string(name));
    json_object_set_new(node_labels, LABEL_REGISTERED, json_string("true"));
    json_object_set_new(node_labels, LABEL_INITIALIZED, json_string("true"));
    json_t *pool = object_encode((const struct object *)claim->node_pool);
    json_t *taints = json_object_get(
        json_object_get(json_object_get(json_object_get(pool, "spec"), "template"), "spec"),
        "taints");
    json_array_append_new(
        world, json_pack("{s:s, s:s, s:{s:s, s:o}, s:{s:s, s:O*}, s:{s:o, s:o}}", "apiVersion",
                         "v1", "kind", "Node", "metadata", "name", name, "labels", node_labels,
                         "spec", "providerID", provider_id, "taints", taints, "status", "capacity",
                         resources_of(&type->capacity), "allocatable", resources_of(&allocatable)));
    json_array_append_new(
        world, json_pack("{s:s, s:s, s:{s:s, s:o}, s:{s:{s:s, s:s, s:s}, s:[]}, s:{s:s, s:o, s:o}}",
                         "apiVersion", "karpenter.sh/v1", "kind", "NodeClaim", "metadata", "name",
                         claim_name, "labels", labels, "spec", "nodeClassRef", "group",
                         "karpenter.test", "kind", "TestNodeClass", "name", "default",
                         "requirements", "status", "providerID", provider_id, "capacity",
                         resources_of(&type->capacity), "allocatable", resources_of(&allocatable)));
    json_decref(pool);
    return true;
}

static void bind(json_t *world, const struct pod *pod, const char *node)
{
    size_t index;
    json_t *document;
    json_array_foreach (world, index, document) {
        const char *namespace =
            json_string_value(json_object_get(json_object_get(document, "metadata"), "namespace"));
        if (strcmp(document_kind(document), "Pod") != 0 ||
            strcmp(document_name(document), pod->meta.name) != 0 ||
            strcmp(namespace != NULL ? namespace : "default", pod->meta.namespace) != 0)
            continue;
        json_object_set_new(json_object_get(document, "spec"), "nodeName", json_string(node));
        json_object_set_new(document, "status", json_pack("{s:s}", "phase", "Running"));
    }
}

// The world after all planned machines have joined and, if requested, pods are bound to their
// planned nodes. Pods on NodeClaims in flight stay pending: there is no Node yet. NULL: unknown.
// `outcome`: selects the machines.
static json_t *carried_out(const json_t *world, const struct plan *plan, bool bound,
                           uint32_t outcome)
{
    json_t *after = json_deep_copy(world);
    uint32_t index = 0;
    list_for_each (claim, &plan->claims) {
        char name[40];
        snprintf(name, sizeof name, "joined-%03u", index);
        if (!join(after, claim, index++, outcome)) {
            json_decref(after);
            return NULL;
        }
        if (bound)
            list_for_each (pod, &claim->pods)
                bind(after, *pod, name);
    }
    if (bound)
        list_for_each (placement, &plan->placements)
            if (placement->node != NULL)
                list_for_each (pod, &placement->pods)
                    bind(after, *pod, placement->name);
    return after;
}

static bool is_unplaced(const struct plan *plan, const struct pod *pod)
{
    list_for_each (entry, &plan->unschedulable)
        if (strcmp(entry->pod->meta.name, pod->meta.name) == 0 &&
            strcmp(entry->pod->meta.namespace, pod->meta.namespace) == 0)
            return true;
    return false;
}

static void tell_new(const struct plan *before, const struct plan *after, struct text *why)
{
    list_for_each (claim, &after->claims) {
        text_format(why, "a new %s for", claim->types.items[0].instance_type->name);
        list_for_each (pod, &claim->pods)
            text_format(why, " %s%s", (*pod)->meta.name,
                        is_unplaced(before, *pod) ? " (unschedulable before)" : "");
        text_add(why, "\n");
    }
}

// Whether the plan is empty once all is bound. `before`: the first plan.
static bool is_settled(const json_t *world, const struct plan *before, uint32_t outcome,
                       struct text *why)
{
    CLEANUP_JSON json_t *after = carried_out(world, before, true, outcome);
    if (after == NULL)
        return true;
    OUTCOME second = world_plan(after);
    if (second.plan == NULL) {
        text_format(why, "no second plan: %s\n", second.error.message);
        return false;
    }
    tell_new(before, second.plan, why);
    if (second.plan->unschedulable.count >= before->unschedulable.count)
        return why->length == 0; // among equal pods another one may be left
    list_for_each (placement, &second.plan->placements)
        list_for_each (pod, &placement->pods)
            if (is_unplaced(before, *pod))
                text_format(why, "%s fits on %s now\n", (*pod)->meta.name, placement->name);
    return why->length == 0;
}

#define OUTCOMES 8

// Room that only the launched machine has may be used: another allowed machine would not have had
// it, so the plan could not promise that place.
bool nothing_is_left_when_all_are_bound(const json_t *world, uint64_t seed, struct text *why)
{
    (void)seed;
    OUTCOME first = world_plan(world);
    if (first.plan == NULL || is_settled(world, first.plan, 0, why))
        return true;
    bool settled = false;
    struct text other = {0};
    for (uint32_t outcome = 1; outcome <= OUTCOMES && !settled; outcome++) {
        text_clear(&other);
        settled = is_settled(world, first.plan, outcome, &other);
    }
    text_free(&other);
    if (settled)
        text_clear(why);
    return settled;
}

bool joined_nodes_suffice(const json_t *world, uint64_t seed, struct text *why)
{
    (void)seed;
    OUTCOME first = world_plan(world);
    if (first.plan == NULL)
        return true;
    CLEANUP_JSON json_t *after = carried_out(world, first.plan, false, 0);
    if (after == NULL)
        return true;
    OUTCOME second = world_plan(after);
    if (second.plan == NULL) {
        text_format(why, "no second plan: %s\n", second.error.message);
        return false;
    }
    tell_new(first.plan, second.plan, why);
    list_for_each (entry, &second.plan->unschedulable)
        if (!is_unplaced(first.plan, entry->pod))
            text_format(why, "%s is unschedulable now: %s\n", entry->pod->meta.name,
                        entry->message);
    return why->length == 0;
}
