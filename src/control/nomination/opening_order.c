#include "control/nomination/opening_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/vector.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "model/reading/pod.h"
#include "model/schema/resources.h"

struct queued_pod {
    const struct pod *pod;
    const struct node_claim *claim;
    int64_t turn;
    struct resource_map requests; // of the head only
};

struct turn { // of a node
    const struct node_claim *claim;
    uint32_t fitting; // pods of the head that could go there although they are planned elsewhere
    int64_t first_pod;
};

struct opening_order {
    struct cluster *cluster;
    struct arena *arena;
    VECTOR(struct queued_pod) queue;
    int64_t head_end; // the turn of the head's last pod
};

static void add_pods(struct opening_order *order, const struct node_claim *claim)
{
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(order->cluster, claim, i)) != NULL; i++) {
        struct queued_pod queued = {pod, claim, cluster_pod_turn(order->cluster, pod)};
        vector_push(&order->queue, queued);
    }
}

static int by_turn(const void *a, const void *b)
{
    const struct queued_pod *x = a, *y = b;
    return x->turn < y->turn ? -1 : x->turn > y->turn;
}

static void find_head(struct opening_order *order)
{
    if (order->queue.count > 1)
        qsort(order->queue.items, order->queue.count, sizeof *order->queue.items, by_turn);
    if (order->queue.count > OPENING_HEAD_PODS)
        order->queue.count = OPENING_HEAD_PODS;
    if (order->queue.count > 0)
        order->head_end = order->queue.items[order->queue.count - 1].turn;
    vector_for_each (queued, &order->queue)
        queued->requests = pod_requests(order->arena, queued->pod);
}

static void take(struct opening_order *order, struct resource_map *room, const struct pod *pod)
{
    struct resource_map requests = pod_requests(order->arena, pod);
    resource_map_take(room, &requests);
}

// What the planned pods and those of DaemonSets leave.
static struct resource_map room_of(struct opening_order *order, const struct node_claim *claim)
{
    struct resource_map none = {0};
    struct resource_map room = resource_map_sum(order->arena, &claim->status.allocatable, &none);
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(order->cluster, claim, i)) != NULL; i++)
        take(order, &room, pod);
    const struct pod_list *bound = cluster_pods(order->cluster, claim->status.node_name);
    for (uint32_t i = 0; i < bound->count; i++)
        if (!pod_is_terminal(bound->items[i]))
            take(order, &room, bound->items[i]);
    return room;
}

static struct turn turn_of(struct opening_order *order, const struct node_claim *claim)
{
    struct turn turn = {.claim = claim, .first_pod = INT64_MAX};
    struct resource_map room = room_of(order, claim);
    vector_for_each (queued, &order->queue)
        turn.fitting += queued->claim != claim && resource_map_covers(&room, &queued->requests);
    const struct pod *pod;
    for (uint32_t i = 0; (pod = cluster_planned_on(order->cluster, claim, i)) != NULL; i++) {
        int64_t number = cluster_pod_turn(order->cluster, pod);
        if (number > order->head_end && number < turn.first_pod)
            turn.first_pod = number;
    }
    return turn;
}

static int compare(const void *a, const void *b)
{
    const struct turn *x = a, *y = b;
    if (x->fitting != y->fitting)
        return x->fitting < y->fitting ? -1 : 1;
    if (x->first_pod != y->first_pod)
        return x->first_pod < y->first_pod ? -1 : 1;
    return strcmp(x->claim->meta.name, y->claim->meta.name);
}

void opening_order(const struct control *control, const struct node_claim **claims, uint32_t count)
{
    struct opening_order order = {.cluster = control->cluster, .arena = arena_create(64 * 1024)};
    struct turn *turns = memory_allocate_array(count + 1, sizeof *turns);
    for (uint32_t i = 0; i < count; i++)
        add_pods(&order, claims[i]);
    find_head(&order);
    for (uint32_t i = 0; i < count; i++)
        turns[i] = turn_of(&order, claims[i]);
    qsort(turns, count, sizeof *turns, compare);
    for (uint32_t i = 0; i < count; i++)
        claims[i] = turns[i].claim;
    free(turns);
    vector_free(&order.queue);
    arena_destroy(order.arena);
}
