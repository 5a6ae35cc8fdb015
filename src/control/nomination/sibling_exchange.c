#include "control/nomination/sibling_exchange.h"

#include "base/symbols.h"
#include "control/nomination/anti_affinities.h"
#include "control/nomination/exchange_search.h"
#include "control/nomination/spread_places.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/pod_siblings.h"
#include "control/state/state_node.h"
#include "model/reading/pod.h"

#define STEPS_MAX 4000000 // looks of the search: some 100 ms

struct reading {
    struct control *control;
    struct arena *arena;
    const struct anti_affinities *anti;
    struct exchange exchange;
    const struct node_claim **claims; // of the nodes
    struct symbols *resources, *keys; // topology keys
    struct symbols *names;            // of pools, workloads and domains
};

static bool may_move(const struct control *control, const struct pod *pod)
{
    list_for_each (spread, &pod->spec.topology_spread_constraints)
        if (text_equal(spread->topology_key, LABEL_HOSTNAME))
            return false;
    return pod->spec.affinity == NULL && pod->spec.node_selector.count == 0 &&
           !pod_is_tied(control, pod) && pod_spec_host_ports(&pod->spec) == 0;
}

static int64_t *amounts_of(const struct reading *reading, const struct resource_map *map)
{
    uint32_t count = symbols_count(reading->resources);
    int64_t *amounts = arena_allocate_array(reading->arena, count + 1, sizeof *amounts);
    for (uint32_t i = 0; i < count; i++)
        amounts[i] = resource_map_get(map, symbols_text(reading->resources, i));
    return amounts;
}

static struct exchange_pod exchange_pod_of(const struct reading *reading, const struct pod *pod)
{
    const char *workload = pod_controller_uid(pod), *key = pod_spread_key(pod);
    struct resource_map requests = pod_requests(reading->arena, pod);
    uint32_t number = key != NULL ? symbols_intern(reading->keys, key) : UINT32_MAX;
    bool is_known = key == NULL || number < EXCHANGE_KEYS_MAX;
    return (struct exchange_pod){
        .object = pod,
        .workload = symbols_intern(reading->names, workload != NULL ? workload : pod->meta.uid),
        .key = is_known ? number : UINT32_MAX,
        .may_move = is_known && may_move(reading->control, pod),
        .unwanted = anti_affinities_against(reading->anti, pod),
        .requests = amounts_of(reading, &requests)};
}

// The room that the NodeClaim's requests leave; these include the pods of DaemonSets. False if pods
// were planned for the NodeClaim later, since its requests lack them.
static bool find_room(const struct reading *reading, const struct node_claim *claim,
                      struct exchange_node *to)
{
    to->room = amounts_of(reading, &claim->status.allocatable);
    const int64_t *requested = amounts_of(reading, &claim->spec.resources.requests);
    for (uint32_t i = 0; i < symbols_count(reading->resources); i++) {
        int64_t planned = 0;
        vector_for_each (pod, &to->pods)
            planned += pod->requests[i];
        if (planned > requested[i] || requested[i] > to->room[i])
            return false;
        to->room[i] -= requested[i];
    }
    return true;
}

static bool read_node(const struct reading *reading, const struct node_claim *claim,
                      struct exchange_node *to)
{
    const char *pool = label_or_empty((const struct object *)claim, LABEL_NODE_POOL);
    *to = (struct exchange_node){.pool = symbols_intern(reading->names, pool),
                                 .rules = anti_affinities_around(reading->anti, claim)};
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(reading->control->cluster, claim, i)) != NULL;
         i++)
        vector_push(&to->pods, exchange_pod_of(reading, pod));
    return find_room(reading, claim, to);
}

static void read_domains(const struct reading *reading, const struct node_claim *claim,
                         struct exchange_node *to)
{
    const struct node *node = cluster_main_node(reading->control->cluster, claim);
    for (uint32_t i = 0; i < symbols_count(reading->keys) && i < EXCHANGE_KEYS_MAX; i++) {
        const char *domain = label_of_node(node, claim, symbols_text(reading->keys, i));
        to->domains[i] = domain != NULL ? symbols_intern(reading->names, domain) : UINT32_MAX;
    }
}

static void read_all(struct reading *reading, const struct node_claim *const *claims,
                     uint32_t count)
{
    struct exchange *exchange = &reading->exchange;
    exchange->nodes = arena_allocate_array(reading->arena, count + 1, sizeof *exchange->nodes);
    reading->claims = arena_allocate_array(reading->arena, count + 1, sizeof *reading->claims);
    for (uint32_t i = 0; i < count; i++)
        list_for_each (entry, &claims[i]->status.allocatable)
            symbols_intern(reading->resources, entry->name);
    for (uint32_t i = 0; i < count; i++) {
        struct exchange_node *to = &exchange->nodes[exchange->node_count];
        reading->claims[exchange->node_count] = claims[i];
        if (read_node(reading, claims[i], to))
            exchange->node_count++;
        else
            vector_free(&to->pods);
    }
    for (uint32_t i = 0; i < exchange->node_count; i++)
        read_domains(reading, reading->claims[i], &exchange->nodes[i]);
    exchange->resource_count = symbols_count(reading->resources);
    exchange->steps_max = STEPS_MAX;
}

static void apply(const struct reading *reading)
{
    for (uint32_t i = 0; i < reading->exchange.node_count; i++)
        vector_for_each (pod, &reading->exchange.nodes[i].pods)
            if (pod->has_moved)
                cluster_move_plan(reading->control->cluster, pod->object,
                                  reading->claims[i]->meta.name);
}

void sibling_exchange(struct control *control, const struct node_claim *const *claims,
                      uint32_t count)
{
    struct anti_affinities *anti = anti_affinities_read(control);
    struct reading reading = {.control = control,
                              .arena = arena_create(64 * 1024),
                              .anti = anti,
                              .resources = symbols_create(),
                              .keys = symbols_create(),
                              .names = symbols_create()};
    read_all(&reading, claims, count);
    uint32_t before = exchange_siblings(&reading.exchange);
    exchange_search(&reading.exchange);
    apply(&reading);
    if (before > 0)
        log_debug("exchanged places of pods of one workload on one node", "s:controller",
                  "pod.nomination", "i:pods", (int64_t)before, "i:left",
                  (int64_t)exchange_siblings(&reading.exchange), "i:steps",
                  (int64_t)reading.exchange.steps);
    for (uint32_t i = 0; i < reading.exchange.node_count; i++)
        vector_free(&reading.exchange.nodes[i].pods);
    symbols_destroy(reading.resources);
    symbols_destroy(reading.keys);
    symbols_destroy(reading.names);
    arena_destroy(reading.arena);
    anti_affinities_destroy(anti);
}
