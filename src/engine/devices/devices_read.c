#include "engine/devices/devices_read.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/devices/device_pools.h"
#include "engine/devices/extended_resources.h"
#include "engine/devices/pod_devices.h"
#include "engine/problem/object_index.h"

static bool some_pod_claims(const struct problem *problem)
{
    const struct snapshot *snapshot = problem->snapshot;
    for (uint32_t i = 0; i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        if (pod->spec.resource_claims.count > 0 || asks_extended_resources(problem, pod))
            return true;
    }
    return false;
}

static int compare_sets(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? -1 : x > y;
}

// The distinct node selectors of shared devices, each a way to constrain a new node.
static void list_network_terms(struct problem *problem)
{
    struct problem_devices *devices = problem->devices;
    uint32_t total = 0, count = 0;
    for (uint32_t d = 0; devices->network != NULL && d < devices->network->count; d++)
        total += devices->network->items[d].terms.count;
    uint32_t *terms = arena_allocate_array(problem->arena, total + 1, sizeof *terms);
    for (uint32_t d = 0; devices->network != NULL && d < devices->network->count; d++)
        list_for_each (term, &devices->network->items[d].terms)
            terms[count++] = *term;
    qsort(terms, count, sizeof *terms, compare_sets);
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || terms[i] != terms[i - 1])
            terms[devices->network_terms_count++] = terms[i];
    devices->network_terms = terms;
}

void devices_read(struct problem *problem)
{
    assert(problem->devices == NULL);
    if (problem->settings->ignore_dra_requests)
        return;
    struct problem_devices *devices = arena_allocate(problem->arena, sizeof *devices);
    problem->devices = devices;
    devices->classes = object_index(problem->snapshot, KIND_DEVICE_CLASS, false);
    devices->claims = object_index(problem->snapshot, KIND_RESOURCE_CLAIM, true);
    devices->templates = object_index(problem->snapshot, KIND_RESOURCE_CLAIM_TEMPLATE, true);
    devices->claim_ids = map_create();
    devices->pod_ids = map_create();
    devices->choice_ids = map_create();
    devices->shared_ids = map_create();
    devices->type_sets = map_create();
    extended_resources_read(problem);
    if (!some_pod_claims(problem)) {
        devices_free(problem);
        problem->devices = NULL;
        return;
    }
    devices->nodes =
        arena_allocate_array(problem->arena, problem->nodes.count + 1, sizeof *devices->nodes);
    devices->in_use =
        arena_allocate_array(problem->arena, problem->nodes.count + 1, sizeof *devices->in_use);
    device_pools_read(problem);
    list_network_terms(problem);
    // What bound pods claim gets its dimensions before they are counted.
    list_for_each (running, &problem->nodes.running)
        (void)devices_of_pod(problem, running->pod, true);
}

void devices_free(struct problem *problem)
{
    struct problem_devices *devices = problem->devices;
    if (devices == NULL)
        return;
    map_destroy(devices->classes, NULL);
    map_destroy(devices->extended, NULL);
    map_destroy(devices->claims, NULL);
    map_destroy(devices->templates, NULL);
    map_destroy(devices->claim_ids, NULL);
    map_destroy(devices->pod_ids, NULL);
    map_destroy(devices->choice_ids, NULL);
    map_destroy(devices->shared_ids, NULL);
    map_destroy(devices->type_sets, NULL);
    vector_for_each (set, &devices->sets)
        vector_free(&(*set)->matches);
    vector_free(&devices->choices);
    vector_free(&devices->specifications);
    vector_free(&devices->pods);
    vector_free(&devices->shared);
    vector_free(&devices->sets);
    vector_free(&devices->held);
}
