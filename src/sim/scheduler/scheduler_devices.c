#include "sim/scheduler/scheduler_devices.h"

#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/reading/pod.h"
#include "sim/scheduler/scheduler_device_search.h"
#include "sim/scheduler/scheduler_node_affinity.h"

static void note_taken(struct filter_state *state)
{
    struct map *claims = state->cluster->resource_claims;
    state->devices.taken = map_create();
    for (struct map_entry *e = map_first(claims); e != NULL; e = map_next(e)) {
        const struct resource_claim *claim = map_value(e);
        if (claim->status.allocation == NULL)
            continue;
        list_for_each (result, &claim->status.allocation->devices.results) {
            char key[600];
            device_key(result->driver, result->pool, result->device, key);
            if (!result->admin_access)
                map_set(state->devices.taken, key, state);
        }
    }
}

// The name of the claim; NULL: the pod needs none, or it is not made yet (*waits).
static const char *claim_name(const struct pod *pod, const struct pod_resource_claim *reference,
                              bool *waits)
{
    *waits = false;
    if (reference->resource_claim_name != NULL)
        return reference->resource_claim_name;
    const struct pod_resource_claim_status *status = pod_claim_status(pod, reference->name);
    *waits = status == NULL;
    return status != NULL ? status->resource_claim_name : NULL;
}

static bool add_claim(struct filter_state *state, const char *name)
{
    const struct resource_claim *claim =
        filter_object(state->cluster->resource_claims, state->pod->meta.namespace, name);
    const char *flaw = claim == NULL                         ? "not found"
                       : claim->meta.deletion_timestamp != 0 ? "is being deleted"
                                                             : NULL;
    if (flaw != NULL) {
        state->refusal = arena_format(state->arena, "resourceclaim \"%s\" %s", name, flaw);
        return false;
    }
    struct device_claim *to = &state->devices.claims[state->devices.count++];
    *to = (struct device_claim){.claim = claim, .allocated = claim->status.allocation != NULL};
    list_for_each (consumer, &claim->status.reserved_for) {
        bool own = text_equal(consumer->uid, state->pod->meta.uid);
        to->reserved = to->reserved || own;
        to->others += !own;
    }
    state->devices.open = state->devices.open || !to->allocated;
    return true;
}

void devices_prepare(struct filter_state *state)
{
    const struct pod_spec *spec = &state->pod->spec;
    if (spec->resource_claims.count == 0)
        return;
    state->devices.claims = arena_allocate_array(state->arena, spec->resource_claims.count,
                                                 sizeof *state->devices.claims);
    list_for_each (reference, &spec->resource_claims) {
        bool waits;
        const char *name = claim_name(state->pod, reference, &waits);
        if (waits) {
            state->refusal =
                arena_format(state->arena, "waiting for the resource claim of \"%s\" to be made",
                             reference->name);
            return;
        }
        if (name != NULL && !add_claim(state, name))
            return;
    }
    if (state->devices.open)
        note_taken(state);
}

void devices_release(struct filter_state *state)
{
    if (state->devices.taken != NULL)
        map_destroy(state->devices.taken, NULL);
}

static bool reaches_allocation(const struct filter_state *state, const struct node *node)
{
    for (uint32_t i = 0; i < state->devices.count; i++) {
        const struct device_claim *claim = &state->devices.claims[i];
        const struct claim_allocation *allocation = claim->claim->status.allocation;
        if (claim->allocated && allocation->node_selector != NULL &&
            !filter_node_terms_match(&allocation->node_selector->node_selector_terms, node))
            return false;
    }
    return true;
}

bool devices_filter(const struct filter_state *state, const struct filter_node *node,
                    struct filter_tally *tally)
{
    struct device_allocation allocation;
    if (state->devices.count == 0)
        return true;
    if (!reaches_allocation(state, node->node))
        return tally_add(tally, FILTER_DEVICES_ELSEWHERE);
    return !state->devices.open || devices_search(state, node->node, &allocation) ||
           tally_add(tally, FILTER_DEVICES);
}

// --- writes --------------------------------------------------------------------------------------

static json_t *result_of(const struct taken_device *taken)
{
    json_t *result = json_pack("{s:s, s:s, s:s, s:s}", "request", taken->request, "driver",
                               taken->slice->spec.driver, "pool", taken->slice->spec.pool.name,
                               "device", taken->device->name);
    if (taken->admin)
        json_object_set_new(result, "adminAccess", json_true());
    return result;
}

// Devices of the node bind the claim to it.
static json_t *allocation_of(const struct device_allocation *allocation, uint32_t claim,
                             const struct node *node)
{
    json_t *results = json_array();
    bool local = false;
    for (uint32_t i = 0; i < allocation->count; i++) {
        const struct taken_device *taken = &allocation->items[i];
        if (taken->claim != claim)
            continue;
        json_array_append_new(results, result_of(taken));
        local = local || !taken->slice->spec.all_nodes;
    }
    json_t *value = json_pack("{s:{s:o}}", "devices", "results", results);
    if (local)
        json_object_set_new(value, "nodeSelector",
                            json_pack("{s:[{s:[{s:s, s:s, s:[s]}]}]}", "nodeSelectorTerms",
                                      "matchFields", "key", "metadata.name", "operator", "In",
                                      "values", node->meta.name));
    return value;
}

static json_t *consumers_of(const struct resource_claim *claim, const struct pod *with)
{
    json_t *list = json_array();
    list_for_each (consumer, &claim->status.reserved_for)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "resource", consumer->resource,
                                              "name", consumer->name, "uid", consumer->uid));
    if (with != NULL)
        json_array_append_new(list, json_pack("{s:s, s:s, s:s}", "resource", "pods", "name",
                                              with->meta.name, "uid", with->meta.uid));
    return list;
}

static void add_write(json_t *writes, const struct resource_claim *claim, json_t *changes)
{
    json_array_append_new(writes, json_pack("{s:s, s:s, s:o}", "namespace", claim->meta.namespace,
                                            "name", claim->meta.name, "status", changes));
}

json_t *filter_claim_statuses(struct filter_state *state, uint32_t index)
{
    const struct node *node = state->cluster->slots.items[index]->node;
    struct device_allocation allocation = {.count = 0};
    if (state->devices.count == 0)
        return NULL;
    if (state->devices.open && !devices_search(state, node, &allocation))
        return NULL;
    json_t *writes = json_array();
    for (uint32_t i = 0; i < state->devices.count; i++) {
        const struct device_claim *claim = &state->devices.claims[i];
        json_t *changes = json_object();
        if (!claim->allocated)
            json_object_set_new(changes, "allocation", allocation_of(&allocation, i, node));
        json_object_set_new(changes, "reservedFor",
                            consumers_of(claim->claim, claim->reserved ? NULL : state->pod));
        add_write(writes, claim->claim, changes);
    }
    return writes;
}

json_t *filter_claim_releases(const struct filter_state *state)
{
    json_t *writes = NULL;
    for (uint32_t i = 0; i < state->devices.count; i++) {
        const struct device_claim *claim = &state->devices.claims[i];
        if (!claim->allocated || claim->others > 0)
            continue;
        if (writes == NULL)
            writes = json_array();
        add_write(writes, claim->claim, json_pack("{s:n, s:[]}", "allocation", "reservedFor"));
    }
    return writes;
}
