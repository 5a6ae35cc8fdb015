#include "model/snapshot/plan_encode.h"

#include <assert.h>

#include "base/quantity.h"
#include "model/schema/encode.h"
#include "model/schema/tables.h"
#include "model/snapshot/plan_explanation.h"

static json_t *encode_placement(const struct plan_placement *placement);
static json_t *encode_unscheduled(const struct plan *plan);
static json_t *encode_totals(const struct plan *plan);

json_t *plan_encode(const struct plan *plan)
{
    assert(plan->arena != NULL);
    json_t *claims = json_array(), *nodes = json_array();
    list_for_each (claim, &plan->claims)
        json_array_append_new(claims, plan_claim_encode(claim));
    list_for_each (placement, &plan->placements)
        json_array_append_new(nodes, encode_placement(placement));
    json_t *json = json_object();
    json_object_set_new(json, "apiVersion", json_string("adze/v1"));
    json_object_set_new(json, "kind", json_string("Plan"));
    json_object_set_new(json, "newNodeClaims", claims);
    json_object_set_new(json, "existingNodes", nodes);
    json_object_set_new(json, "unschedulable", encode_unscheduled(plan));
    if (plan->has_disruptions) {
        json_t *disruptions = json_array();
        list_for_each (disruption, &plan->disruptions)
            json_array_append_new(disruptions, plan_disruption_encode(disruption));
        json_object_set_new(json, "disruptions", disruptions);
    }
    if (plan->verdicts.items != NULL) {
        json_t *stay = json_array();
        list_for_each (verdict, &plan->verdicts)
            json_array_append_new(stay, plan_verdict_encode(verdict));
        json_object_set_new(json, "nodes", stay);
    }
    if (plan->warnings.count > 0) {
        json_t *warnings = json_array();
        list_for_each (warning, &plan->warnings)
            json_array_append_new(warnings, json_string(*warning));
        json_object_set_new(json, "warnings", warnings);
    }
    json_object_set_new(json, "totals", encode_totals(plan));
    return json;
}

static json_t *encode_price(int64_t nanousd)
{
    return json_real(price_to_double(nanousd));
}

// "namespace/name".
static json_t *plan_pod_name(const struct pod *pod)
{
    const char *namespace = pod->meta.namespace == NULL ? "default" : pod->meta.namespace;
    return json_sprintf("%s/%s", namespace, pod->meta.name == NULL ? "" : pod->meta.name);
}

static json_t *encode_pod_names(const struct pod *const *pods, uint32_t count)
{
    json_t *json = json_array();
    for (uint32_t i = 0; i < count; i++)
        json_array_append_new(json, plan_pod_name(pods[i]));
    return json;
}

static json_t *encode_requirements(const requirement_list *requirements)
{
    json_t *json = json_array();
    list_for_each (requirement, requirements) {
        json_t *entry = struct_encode(&type_selector_requirement, requirement);
        if (requirement->min_values.present)
            json_object_set_new(entry, "minValues", json_integer(requirement->min_values.value));
        json_array_append_new(json, entry);
    }
    return json;
}

// The effective price and what makes it, where it is not the list price.
static void encode_costs(json_t *json, const char *name, const struct plan_costs *costs)
{
    if (plan_costs_sum(costs) == costs->list)
        return;
    struct plan_cost_part parts[PLAN_COST_PARTS];
    plan_costs_parts(costs, parts);
    json_t *told = json_object();
    for (size_t i = 0; i < PLAN_COST_PARTS; i++)
        if (parts[i].price != 0)
            json_object_set_new(told, parts[i].name, encode_price(parts[i].price));
    json_object_set_new(json, name, encode_price(plan_costs_sum(costs)));
    json_object_set_new(json, "costs", told);
}

json_t *plan_claim_encode(const struct plan_claim *claim)
{
    assert(claim->node_pool != NULL);
    assert(claim->types.count == 0 ||
           claim->price <= claim->types.items[claim->types.count - 1].price);
    json_t *types = json_array();
    list_for_each (type, &claim->types)
        json_array_append_new(types, json_string(type->instance_type->name));
    json_t *json = json_object();
    json_object_set_new(json, "nodePool", json_string(claim->node_pool->meta.name));
    json_object_set_new(json, "instanceTypes", types);
    json_object_set_new(json, "requirements", encode_requirements(&claim->requirements));
    json_object_set_new(json, "requests", resource_map_encode(&claim->requests));
    json_object_set_new(json, "pods", encode_pod_names(claim->pods.items, claim->pods.count));
    json_object_set_new(json, "price", encode_price(claim->price));
    encode_costs(json, "effectivePrice", &claim->costs);
    if (claim->min_values_relaxed) // SCH-531
        json_object_set_new(json, "minValuesRelaxed", json_true());
    if (claim->price_estimated)
        json_object_set_new(json, "priceEstimated", json_true());
    if (claim->price_overlaid)
        json_object_set_new(json, "priceOverlaid", json_true());
    if (claim->capacity_overlaid)
        json_object_set_new(json, "capacityOverlaid", json_true());
    if (claim->types_over_limits > 0)
        json_object_set_new(json, "typesOverLimits", json_integer(claim->types_over_limits));
    return json;
}

static json_t *encode_placement(const struct plan_placement *placement)
{
    json_t *json = json_object();
    json_object_set_new(json, "name", json_string(placement->name));
    json_object_set_new(json, "pods",
                        encode_pod_names(placement->pods.items, placement->pods.count));
    return json;
}

static json_t *encode_reason(const struct plan_reason *reason)
{
    json_t *json = json_object();
    json_object_set_new(json, "code", json_string(reason_code_name(reason->code)));
    if (reason->node_pool != NULL)
        json_object_set_new(json, "nodePool", json_string(reason->node_pool));
    if (reason->detail != NULL)
        json_object_set_new(json, "detail", json_string(reason->detail));
    return json;
}

json_t *plan_unschedulable_encode(const struct plan_unschedulable *entry)
{
    assert(entry->pod != NULL);
    json_t *reasons = json_array();
    list_for_each (reason, &entry->reasons)
        json_array_append_new(reasons, encode_reason(reason));
    json_t *json = json_object();
    json_object_set_new(json, "pod", plan_pod_name(entry->pod));
    json_object_set_new(json, "message", json_string(entry->message == NULL ? "" : entry->message));
    json_object_set_new(json, "reasons", reasons);
    if (entry->deferred)
        json_object_set_new(json, "deferred", json_true());
    if (entry->ignored)
        json_object_set_new(json, "ignored", json_true());
    return json;
}

// Pods that share an explanation refer to the first of them.
static json_t *encode_unscheduled(const struct plan *plan)
{
    json_t *json = json_array();
    list_for_each (entry, &plan->unschedulable) {
        json_t *encoded = plan_unschedulable_encode(entry);
        json_array_append_new(json, encoded);
        if (entry->explanation != NULL && entry->explanation->pod == entry->pod)
            plan_explanation_encode(encoded, entry->explanation);
        else if (entry->explanation != NULL)
            json_object_set_new(encoded, "explainedBy", plan_pod_name(entry->explanation->pod));
    }
    return json;
}

static const char *place_of(const struct plan_move *move)
{
    switch (move->where) {
    case MOVE_TO_NODE:
        return "node";
    case MOVE_TO_REPLACEMENT:
        return "replacement";
    case MOVE_TO_NEW_NODE:
        return "newNodeOfPool";
    case MOVE_NOWHERE:
        return "nowhere";
    }
    return "";
}

static json_t *encode_moves(const struct plan_moves *moves)
{
    json_t *array = json_array();
    list_for_each (move, moves) {
        json_t *json = json_object();
        json_object_set_new(json, "pod", plan_pod_name(move->pod));
        json_object_set_new(json, place_of(move),
                            move->where == MOVE_TO_REPLACEMENT ? json_integer(move->replacement)
                            : move->name != NULL               ? json_string(move->name)
                                                               : json_true());
        json_array_append_new(array, json);
    }
    return array;
}

json_t *plan_disruption_encode(const struct plan_disruption *disruption)
{
    assert(disruption->candidates.count > 0);
    json_t *replacements = json_array();
    list_for_each (claim, &disruption->replacements)
        json_array_append_new(replacements, plan_claim_encode(claim));
    json_t *json = json_object();
    json_object_set_new(json, "method", json_string(disruption_reason_name(disruption->reason)));
    json_object_set_new(json, "consolidation",
                        json_string(consolidation_type_name(disruption->consolidation)));
    json_object_set_new(json, "candidates", string_list_encode(&disruption->candidates));
    json_object_set_new(json, "replacements", replacements);
    json_object_set_new(json, "savings", encode_price(disruption->savings));
    if (disruption->moves.count > 0)
        json_object_set_new(json, "moves", encode_moves(&disruption->moves));
    return json;
}

json_t *plan_verdict_encode(const struct plan_verdict *verdict)
{
    assert(verdict->rule != NULL);
    const struct string_map *labels = NULL;
    if (verdict->node != NULL)
        labels = &verdict->node->meta.labels;
    else if (verdict->claim != NULL)
        labels = &verdict->claim->meta.labels;
    const char *pool = labels != NULL ? string_map_get(labels, LABEL_NODE_POOL) : NULL;
    json_t *json = json_object();
    json_object_set_new(json, "name", json_string(verdict->name));
    if (verdict->claim != NULL)
        json_object_set_new(json, "nodeClaim", json_string(verdict->claim->meta.name));
    if (pool != NULL)
        json_object_set_new(json, "nodePool", json_string(pool));
    json_object_set_new(json, "rule", json_string(verdict->rule));
    json_object_set_new(json, "message", json_string(verdict->message));
    return json;
}

static json_t *encode_totals(const struct plan *plan)
{
    assert(plan->node_cost >= 0);
    assert(plan->lower_bound >= 0);
    json_t *json = json_object();
    json_object_set_new(json, "newNodes", json_integer(plan->claims.count));
    json_object_set_new(json, "pricePerHour", encode_price(plan->price));
    json_object_set_new(json, "pods", json_integer(plan->pods_placed));
    json_object_set_new(json, "unschedulable", json_integer(plan->unschedulable.count));
    if (plan->node_cost > 0)
        json_object_set_new(json, "nodeCostPerHour", encode_price(plan->node_cost));
    if (plan->lower_bound > 0)
        json_object_set_new(json, "lowerBound", encode_price(plan->lower_bound));
    encode_costs(json, "effectivePricePerHour", &plan->costs);
    return json;
}
