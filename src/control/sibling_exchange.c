#include "control/sibling_exchange.h"

#include <stdlib.h>

#include "base/vector.h"
#include "control/cluster.h"
#include "control/spread_order.h"

#define STEPS_MAX 200000 // pairs that are looked at, for all

struct guest { // a pod on a node
    const struct pod *pod;
    const char *workload; // UID
    const char *key;      // of its spread; NULL: none
    bool may_move;        // nothing else binds it to the node
    struct resource_map requests;
};

struct host { // a node that opens
    const struct node_claim *claim;
    const char *pool;
    const struct string_map *labels;
    VECTOR(struct guest) guests;
    struct resource_map room; // left
};

struct exchange {
    struct control *control;
    struct arena *arena;
    struct host *hosts;
    uint32_t count;
    uint32_t steps;
};

// --- reading -------------------------------------------------------------------------------------
static bool may_move(const struct pod *pod)
{
    list_for_each (spread, &pod->spec.topology_spread_constraints)
        if (text_equal(spread->topology_key, LABEL_HOSTNAME))
            return false;
    list_for_each (volume, &pod->spec.volumes)
        if (volume->persistent_volume_claim != NULL || volume->ephemeral != NULL)
            return false;
    return pod->spec.affinity == NULL && pod->spec.node_selector.count == 0;
}

static struct guest guest_of(struct arena *arena, const struct pod *pod)
{
    const char *workload = pod_controller_uid(pod);
    return (struct guest){.pod = pod,
                          .workload = workload != NULL ? workload : "",
                          .key = spread_order_key(pod),
                          .may_move = may_move(pod),
                          .requests = pod_requests(arena, pod)};
}

// What the NodeClaim's requests leave: they have the pods of DaemonSets, too. False if pods were planned
// for it later, which they do not have.
static bool find_room(struct arena *arena, struct host *host)
{
    const struct resource_map *requests = &host->claim->spec.resources.requests;
    const struct resource_map *allocatable = &host->claim->status.allocatable;
    host->room.items = arena_allocate_array(arena, allocatable->count + 1, sizeof *host->room.items);
    list_for_each (entry, allocatable) {
        int64_t planned = 0, requested = resource_map_get(requests, entry->name);
        vector_for_each (guest, &host->guests)
            planned += resource_map_get(&guest->requests, entry->name);
        if (planned > requested || requested > entry->value)
            return false;
        host->room.items[host->room.count] = *entry;
        host->room.items[host->room.count++].value -= requested;
    }
    return host->room.count > 0;
}

static bool read_host(struct exchange *exchange, const struct node_claim *claim, struct host *host)
{
    const struct node *node = cluster_main_node(exchange->control->cluster, claim);
    *host = (struct host){.claim = claim,
                          .pool = label_or_empty((const struct object *)claim, LABEL_NODE_POOL),
                          .labels = node != NULL ? &node->meta.labels : &claim->meta.labels};
    const struct pod *pod;
    for (uint32_t i = 0;
         (pod = cluster_planned_on(exchange->control->cluster, claim, i)) != NULL; i++) {
        struct guest guest = guest_of(exchange->arena, pod);
        vector_push(&host->guests, guest);
    }
    return find_room(exchange->arena, host);
}

// --- who may go where ----------------------------------------------------------------------------
static uint32_t siblings_on(const struct host *host, const struct guest *guest)
{
    uint32_t count = 0;
    vector_for_each (other, &host->guests)
        count += other != guest && text_equal(other->workload, guest->workload);
    return count;
}

// The guest would find few enough of its workload there, and in the same domain.
static bool is_welcome(const struct guest *guest, const struct host *from, const struct host *to)
{
    if (!guest->may_move)
        return false;
    return guest->key == NULL ||
           (siblings_on(to, guest) < SIBLINGS_MAX &&
            text_equal(string_map_get(from->labels, guest->key),
                       string_map_get(to->labels, guest->key)));
}

// `in` may be NULL.
static bool has_room(const struct host *host, const struct guest *out, const struct guest *in)
{
    list_for_each (entry, &host->room) {
        int64_t gone = out != NULL ? resource_map_get(&out->requests, entry->name) : 0;
        int64_t come = in != NULL ? resource_map_get(&in->requests, entry->name) : 0;
        if (entry->value + gone < come)
            return false;
    }
    return true;
}

static void change_room(struct host *host, const struct guest *out, const struct guest *in)
{
    list_for_each (entry, &host->room) {
        entry->value += out != NULL ? resource_map_get(&out->requests, entry->name) : 0;
        entry->value -= in != NULL ? resource_map_get(&in->requests, entry->name) : 0;
    }
}

static void plan(const struct exchange *exchange, const struct guest *guest, const struct host *host)
{
    cluster_plan_pod(exchange->control->cluster, guest->pod, host->claim->meta.name);
}

static bool swap(struct exchange *exchange, struct host *from, struct guest *guest,
                 struct host *to)
{
    vector_for_each (other, &to->guests) {
        exchange->steps++;
        if (!is_welcome(other, to, from) || text_equal(other->workload, guest->workload) ||
            !has_room(from, guest, other) || !has_room(to, other, guest))
            continue;
        change_room(from, guest, other);
        change_room(to, other, guest);
        plan(exchange, guest, to);
        plan(exchange, other, from);
        struct guest kept = *other;
        *other = *guest;
        *guest = kept;
        return true;
    }
    return false;
}

static void find_place(struct exchange *exchange, struct host *from, struct guest *guest)
{
    for (uint32_t i = 0; i < exchange->count && exchange->steps < STEPS_MAX; i++) {
        exchange->steps++;
        struct host *to = &exchange->hosts[i];
        if (to != from && text_equal(to->pool, from->pool) && is_welcome(guest, from, to) &&
            swap(exchange, from, guest, to))
            return;
    }
}

void sibling_exchange(struct control *control, const struct node_claim *const *claims,
                      uint32_t count)
{
    struct exchange exchange = {.control = control, .arena = arena_create(64 * 1024)};
    exchange.hosts = arena_allocate_array(exchange.arena, count + 1, sizeof *exchange.hosts);
    for (uint32_t i = 0; i < count; i++) {
        struct host *host = &exchange.hosts[exchange.count];
        if (read_host(&exchange, claims[i], host))
            exchange.count++;
        else
            vector_free(&host->guests);
    }
    for (uint32_t i = 0; i < exchange.count; i++) {
        struct host *host = &exchange.hosts[i];
        for (uint32_t j = 0; j < host->guests.count; j++) {
            struct guest *guest = &host->guests.items[j];
            if (guest->key != NULL && guest->may_move && siblings_on(host, guest) >= SIBLINGS_MAX)
                find_place(&exchange, host, guest);
        }
    }
    for (uint32_t i = 0; i < exchange.count; i++)
        vector_free(&exchange.hosts[i].guests);
    arena_destroy(exchange.arena);
}
