#include "engine/cost/node_shares.h"

#include <assert.h>
#include <string.h>

#include "model/reading/pod.h"
#include "model/schema/resources.h"

struct scarcity {
    const char *resource; // NULL: the pods request nothing
    int64_t asked, whole; // by all pods; of the node
};

// Of equal ones the first by name.
static struct scarcity scarcest(struct arena *arena, const struct resource_map *allocatable,
                                const struct resource_map *requests, uint32_t count)
{
    struct resource_map sum = {0};
    struct scarcity best = {0};
    for (uint32_t i = 0; i < count; i++)
        sum = resource_map_sum(arena, &sum, &requests[i]);
    for (uint32_t i = 0; i < sum.count; i++) {
        struct scarcity other = {.resource = sum.items[i].name,
                                 .asked = sum.items[i].value,
                                 .whole = resource_map_get(allocatable, sum.items[i].name)};
        if (other.whole <= 0 || strcmp(other.resource, "pods") == 0)
            continue;
        if ((__int128)other.asked * best.whole > (__int128)best.asked * other.whole ||
            (best.resource == NULL && other.asked > 0))
            best = other;
    }
    return best;
}

// Without negative amounts, which an unchecked manifest may have.
static struct resource_map requests_of(struct arena *arena, const struct pod *pod)
{
    struct resource_map requests = pod_requests(arena, pod);
    for (uint32_t i = 0; i < requests.count; i++)
        if (requests.items[i].value < 0)
            requests.items[i].value = 0;
    return requests;
}

// By all pods; a resource_map would end at the largest quantity.
static __int128 asked_of(const struct resource_map *requests, uint32_t count, const char *resource)
{
    __int128 asked = 0;
    for (uint32_t i = 0; i < count; i++)
        asked += resource_map_get(&requests[i], resource);
    return asked;
}

struct node_shares node_shares_find(struct arena *arena, const struct resource_map *allocatable,
                                    const struct pod *const *pods, uint32_t count, int64_t price)
{
    struct resource_map *requests =
        arena_allocate_array(arena, (size_t)count + 1, sizeof *requests);
    int64_t *shares = arena_allocate_array(arena, (size_t)count + 1, sizeof *shares);
    for (uint32_t i = 0; i < count; i++)
        requests[i] = requests_of(arena, pods[i]);
    struct scarcity scarcity = scarcest(arena, allocatable, requests, count);
    // More may be requested than the node has: then the pods share all of it.
    __int128 whole = scarcity.whole;
    if (scarcity.resource != NULL && asked_of(requests, count, scarcity.resource) > whole)
        whole = asked_of(requests, count, scarcity.resource);
    struct node_shares result = {.of_pods = shares, .idle = price};
    for (uint32_t i = 0; i < count && scarcity.resource != NULL; i++) {
        shares[i] =
            (int64_t)((__int128)price * resource_map_get(&requests[i], scarcity.resource) / whole);
        result.idle -= shares[i];
    }
    assert(result.idle >= 0);
    return result;
}
