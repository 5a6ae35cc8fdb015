#include "control/drain_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/cluster.h"
#include "control/disruption_queue.h"
#include "control/nominator.h"
#include "engine/eviction_order.h"

#define WINDOW       EVICTED_TOGETHER    // successors that are waited for at a time
#define SUCCESSOR_NS (3 * SECOND)        // the longest that one is waited for
#define GATHER_NS    (400 * MILLISECOND) // without a further pod: all nodes of a command have asked
#define GATHER_MAX_NS (2 * SECOND)
#define LATE_NS      (30 * SECOND) // nobody waits longer for others that are refused

struct turn { // of a pod that waits to be evicted
    char *uid;
    uint32_t group; // command_turn()
    int64_t cpu, memory;
    int64_t since_ns; // monotonic
    bool is_due;      // admitted; it has been told
};

struct drain_order {
    struct control *control;
    struct timer *timer;
    struct map *turns; // pod UID -> struct turn
    VECTOR(struct outstanding {
        char *owner;      // controller's UID
        int64_t until_ns; // monotonic
    }) outstanding;       // successors of evicted pods
    int64_t first_ns, last_ns; // monotonic: when the present gathering began, and its last pod came
    bool is_open;              // it is over
    void (*admitted)(void *context, const char *pod_uid);
    void *context;
};

static void look(void *context);

static void turn_destroy(void *value)
{
    struct turn *turn = value;
    free(turn->uid);
    free(turn);
}

static void look_after(struct drain_order *order, int64_t delay_ns)
{
    timer_start(order->timer, delay_ns > 0 ? delay_ns : 0);
}

static void drop_outstanding(struct drain_order *order, uint32_t index)
{
    free(order->outstanding.items[index].owner);
    order->outstanding.items[index] =
        order->outstanding.items[--order->outstanding.count];
}

// The pod waits for a node that is kept closed until the other pods for it were evicted.
static bool is_seated(const struct drain_order *order, const struct pod *pod)
{
    const struct node_claim *claim = cluster_planned_claim(order->control->cluster, pod);
    return claim != NULL && nominator_keeps(order->control->nominator, claim->meta.name);
}

// A new pod of a workload from which one was evicted is bound, or as good as: that is its successor.
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct drain_order *order = context;
    const struct pod *before = (const struct pod *)old_object;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    if (new_object == NULL) {
        drain_order_forget(order, old_object->meta.uid);
        return;
    }
    bool was_bound = before != NULL && pod_is_bound(before);
    bool has_come = pod_is_bound(pod) ? !was_bound : before == NULL && is_seated(order, pod);
    const char *workload = pod_controller_uid(pod);
    if (workload == NULL || !has_come)
        return;
    for (uint32_t i = 0; i < order->outstanding.count; i++)
        if (strcmp(order->outstanding.items[i].owner, workload) == 0) {
            drop_outstanding(order, i);
            look_after(order, 0);
            return;
        }
}

struct drain_order *drain_order_create(struct control *control,
                                       void (*admitted)(void *context, const char *pod_uid),
                                       void *context)
{
    if (control->settings->compatibility_upstream)
        return NULL;
    struct drain_order *order = memory_allocate(sizeof *order);
    order->control = control;
    order->turns = map_create();
    order->admitted = admitted;
    order->context = context;
    order->timer = timer_create_on(control->loop, look, order);
    mirror_on_change(control->mirror, KIND_POD, on_pod, order);
    return order;
}

void drain_order_destroy(struct drain_order *order)
{
    if (order == NULL)
        return;
    timer_destroy(order->timer);
    while (order->outstanding.count > 0)
        drop_outstanding(order, 0);
    vector_free(&order->outstanding);
    map_destroy(order->turns, turn_destroy);
    free(order);
}

// --- turns ---------------------------------------------------------------------------------------
static struct turn *add_turn(struct drain_order *order, const struct pod *pod)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct resource_map requests = pod_requests(scratch, pod);
    int64_t now_ns = loop_monotonic_ns(order->control->loop);
    const struct disruption_command *command =
        disruption_queue_of_node(order->control->disruption_queue, pod->spec.node_name);
    struct turn *turn = memory_allocate(sizeof *turn);
    *turn = (struct turn){.uid = memory_copy_string(pod->meta.uid),
                          .group = command != NULL ? command_turn(command, pod) : 0,
                          .cpu = resource_map_get(&requests, "cpu"),
                          .memory = resource_map_get(&requests, "memory"),
                          .since_ns = now_ns};
    if (map_count(order->turns) == 0) {
        order->first_ns = now_ns;
        order->is_open = false;
    }
    order->last_ns = now_ns;
    map_set(order->turns, turn->uid, turn);
    return turn;
}

static bool goes_before(const struct turn *a, const struct turn *b)
{
    if (a->group != b->group)
        return a->group < b->group;
    int64_t a_size = eviction_size(a->cpu, a->memory), b_size = eviction_size(b->cpu, b->memory);
    if (a_size != b_size)
        return a_size > b_size;
    if (a->cpu != b->cpu)
        return a->cpu > b->cpu;
    if (a->memory != b->memory)
        return a->memory > b->memory;
    return strcmp(a->uid, b->uid) < 0;
}

bool drain_order_admits(struct drain_order *order, const struct pod *pod)
{
    if (order == NULL)
        return true;
    struct turn *turn = map_get(order->turns, pod->meta.uid);
    if (turn == NULL) {
        add_turn(order, pod);
        look_after(order, GATHER_NS);
        return false;
    }
    return turn->is_due;
}

void drain_order_evicted(struct drain_order *order, const struct pod *pod)
{
    if (order == NULL)
        return;
    drain_order_forget(order, pod->meta.uid);
    const char *workload = pod_controller_uid(pod);
    if (workload == NULL)
        return;
    vector_push(&order->outstanding,
                (struct outstanding){memory_copy_string(workload),
                                     ns_add(loop_monotonic_ns(order->control->loop),
                                            SUCCESSOR_NS)});
}

void drain_order_forget(struct drain_order *order, const char *pod_uid)
{
    struct turn *turn = order != NULL && pod_uid != NULL ? map_remove(order->turns, pod_uid) : NULL;
    if (turn == NULL)
        return;
    turn_destroy(turn);
    look_after(order, 0);
}

// --- who is next ---------------------------------------------------------------------------------
static int64_t expire_outstanding(struct drain_order *order, int64_t now_ns)
{
    int64_t next_ns = INT64_MAX;
    for (uint32_t i = order->outstanding.count; i-- > 0;)
        if (order->outstanding.items[i].until_ns <= now_ns)
            drop_outstanding(order, i);
        else if (order->outstanding.items[i].until_ns < next_ns)
            next_ns = order->outstanding.items[i].until_ns;
    return next_ns;
}

// Pods that were told and are not evicted yet count as well, unless they are refused for long.
static uint32_t count_due(const struct drain_order *order, int64_t now_ns)
{
    uint32_t due = 0;
    for (struct map_entry *entry = map_first(order->turns); entry != NULL; entry = map_next(entry)) {
        const struct turn *turn = map_value(entry);
        if (turn->is_due && ns_subtract(now_ns, turn->since_ns) < LATE_NS)
            due++;
    }
    return due;
}

static struct turn *next_turn(const struct drain_order *order)
{
    struct turn *next = NULL;
    for (struct map_entry *entry = map_first(order->turns); entry != NULL; entry = map_next(entry)) {
        struct turn *turn = map_value(entry);
        if (!turn->is_due && (next == NULL || goes_before(turn, next)))
            next = turn;
    }
    return next;
}

static void look(void *context)
{
    struct drain_order *order = context;
    int64_t now_ns = loop_monotonic_ns(order->control->loop);
    int64_t next_ns = expire_outstanding(order, now_ns);
    int64_t gathered_ns = ns_minimum(ns_add(order->last_ns, GATHER_NS),
                                     ns_add(order->first_ns, GATHER_MAX_NS));
    if (!order->is_open && now_ns < gathered_ns) {
        look_after(order, ns_subtract(gathered_ns, now_ns));
        return;
    }
    order->is_open = true;
    uint32_t busy = (uint32_t)order->outstanding.count + count_due(order, now_ns);
    struct turn *turn;
    while (busy < WINDOW && (turn = next_turn(order)) != NULL) {
        turn->is_due = true;
        turn->since_ns = now_ns;
        busy++;
        order->admitted(order->context, turn->uid);
    }
    if (map_count(order->turns) > 0 && next_ns != INT64_MAX)
        look_after(order, ns_subtract(next_ns, now_ns));
    else if (map_count(order->turns) > 0)
        look_after(order, SUCCESSOR_NS);
}
