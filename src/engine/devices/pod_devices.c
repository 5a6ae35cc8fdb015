#include "engine/devices/pod_devices.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "engine/devices/device_requests.h"
#include "engine/devices/extended_resources.h"
#include "engine/problem/asked_keys.h"
#include "engine/problem/node_terms.h"
#include "model/reading/pod.h"

#define POD_CLAIMS_MAX 256

static const void *find(const struct map *map, const char *namespace, const char *name)
{
    char key[600];
    snprintf(key, sizeof key, "%s/%s", namespace, name);
    return map_get(map, key);
}

// The name of the claim; NULL: it has none.
static const char *claim_name(const struct pod *pod, const struct pod_resource_claim *reference)
{
    if (reference->resource_claim_name != NULL)
        return reference->resource_claim_name;
    const struct pod_resource_claim_status *status = pod_claim_status(pod, reference->name);
    return status != NULL ? status->resource_claim_name : NULL;
}

const struct resource_claim *resource_claim_of(const struct problem *problem, const struct pod *pod,
                                               const struct pod_resource_claim *reference)
{
    const char *name = claim_name(pod, reference);
    return name != NULL ? find(problem->devices->claims, pod->meta.namespace, name) : NULL;
}

// --- what a claim asks of the pod's node ---------------------------------------------------------

// An allocation names its nodes by one term; several would be alternatives, of which the first is
// taken.
static uint32_t allocation_set(struct problem *problem, const struct resource_claim *claim)
{
    const struct node_selector *selector = claim->status.allocation->node_selector;
    uint32_t set = SET_EMPTY;
    if (selector == NULL || selector->node_selector_terms.count == 0)
        return set;
    const struct node_selector_term *term = &selector->node_selector_terms.items[0];
    list_for_each (expression, &term->match_expressions)
        problem_ask_key(problem, vocabulary_key(problem->vocabulary, expression->key));
    if (term->match_fields.count > 0)
        problem_ask_key(problem, vocabulary_key(problem->vocabulary, KEY_NODE_NAME));
    return node_term_set(problem, term, &set) ? set : SET_EMPTY;
}

static bool is_generated(const struct resource_claim *claim)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)claim);
    return owner != NULL && strcmp(owner->kind, "Pod") == 0;
}

static uint32_t shared_claim_of(struct problem *problem, const struct resource_claim *claim)
{
    struct problem_devices *devices = problem->devices;
    char name[600];
    object_namespaced_name((const struct object *)claim, name);
    uintptr_t id = (uintptr_t)map_get(devices->shared_ids, name);
    if (id != 0)
        return (uint32_t)id - 1;
    struct shared_claim shared = {.claim = claim,
                                  .devices = claim_devices_of(problem, name, &claim->spec),
                                  .allocated = claim->status.allocation != NULL,
                                  .set = SET_EMPTY};
    if (shared.allocated)
        shared.set = allocation_set(problem, claim);
    vector_push(&devices->shared, shared);
    map_set(devices->shared_ids, name, (void *)(uintptr_t)devices->shared.count);
    return devices->shared.count - 1;
}

static void add_own(struct pod_devices *devices, const struct claim_devices *claim)
{
    devices->own.items[devices->own.count++] = claim;
    if (devices->error == NULL)
        devices->error = claim->error;
}

static void add_claim(struct problem *problem, const struct pod *pod,
                      const struct resource_claim *claim, bool planned_anew,
                      struct pod_devices *devices)
{
    bool allocated = claim->status.allocation != NULL;
    if (!is_generated(claim)) {
        uint32_t shared = shared_claim_of(problem, claim);
        devices->shared.items[devices->shared.count++] = shared;
        if (devices->error == NULL)
            devices->error = problem->devices->shared.items[shared].devices->error;
    } else if (allocated && !planned_anew) {
        devices->set = set_meet(problem->sets, devices->set, allocation_set(problem, claim));
    } else {
        add_own(devices, claim_devices_of(problem, text_or_empty(pod->meta.name), &claim->spec));
    }
}

static void add_template(struct problem *problem, const struct pod *pod, const char *name,
                         struct pod_devices *devices)
{
    const struct resource_claim_template *template =
        find(problem->devices->templates, pod->meta.namespace, name);
    if (template != NULL)
        add_own(devices, claim_devices_of(problem, name, &template->spec.spec));
    else if (devices->error == NULL)
        devices->error = arena_format(problem->arena, "resourceclaimtemplate \"%s/%s\" not found",
                                      pod->meta.namespace, name);
}

static void add_reference(struct problem *problem, const struct pod *pod,
                          const struct pod_resource_claim *reference, bool planned_anew,
                          struct pod_devices *devices)
{
    const char *name = claim_name(pod, reference);
    const struct resource_claim *claim = resource_claim_of(problem, pod, reference);
    if (claim != NULL) {
        add_claim(problem, pod, claim, planned_anew, devices);
    } else if (name != NULL) {
        if (devices->error == NULL)
            devices->error = arena_format(problem->arena, "resourceclaim \"%s/%s\" not found",
                                          pod->meta.namespace, name);
    } else if (pod_claim_status(pod, reference->name) == NULL &&
               reference->resource_claim_template_name != NULL &&
               problem->strategy->plans_claim_templates) {
        add_template(problem, pod, reference->resource_claim_template_name, devices);
    }
}

// --- equal pods ----------------------------------------------------------------------------------

static struct pod_devices *interned(struct problem *problem, const struct pod_devices *found)
{
    struct text key = {0};
    text_format(&key, "%x/%s/", found->set, text_or_empty(found->error));
    list_for_each (claim, &found->own)
        text_format(&key, "%x,", (*claim)->id);
    list_for_each (shared, &found->shared)
        text_format(&key, "/%x", *shared);
    struct pod_devices *devices = map_get(problem->devices->pod_ids, key.data);
    if (devices == NULL) {
        devices = arena_allocate(problem->arena, sizeof *devices);
        *devices = *found;
        vector_push(&problem->devices->pods, devices);
        map_set(problem->devices->pod_ids, key.data, devices);
    }
    text_free(&key);
    return devices;
}

const struct pod_devices *devices_of_pod(struct problem *problem, const struct pod *pod,
                                         bool planned_anew)
{
    uint32_t count = pod->spec.resource_claims.count;
    if (!devices_known(problem) || (count == 0 && !asks_extended_resources(problem, pod)))
        return NULL;
    struct pod_devices devices = {.set = SET_EMPTY};
    if (count > POD_CLAIMS_MAX) {
        devices.error = "pod has too many resource claims";
        return interned(problem, &devices);
    }
    devices.own.items = arena_allocate_array(problem->arena, (size_t)count + EXTENDED_CLAIMS_MAX,
                                             sizeof *devices.own.items);
    devices.shared.items =
        arena_allocate_array(problem->arena, (size_t)count + 1, sizeof *devices.shared.items);
    list_for_each (reference, &pod->spec.resource_claims)
        add_reference(problem, pod, reference, planned_anew, &devices);
    assert(devices.own.count + devices.shared.count <= count);
    extended_resources_claim(problem, pod, &devices);
    return interned(problem, &devices);
}
