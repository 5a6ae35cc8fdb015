#include "control/node/drain_order.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/command/commands.h"
#include "control/node/drain_leading.h"
#include "control/node/drain_turns.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/nominations.h"
#include "engine/problem/eviction_order.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

#define WINDOW_KEPT   48                  // those for the replacements of one command
#define WINDOW_ALL    64                  // successors that are waited for at a time, of all queues
#define SUCCESSOR_NS  (3 * SECOND)        // the longest wait for a successor
#define HOLD_POLL_NS  (50 * MILLISECOND)  // while nodes open
#define GATHER_NS     (400 * MILLISECOND) // without a further pod the command is complete
#define GATHER_MAX_NS (2 * SECOND)
#define LATE_NS       (30 * SECOND) // the longest that an eviction without an answer delays others

struct drain_order {
    struct control *control;
    const struct commands *commands;
    struct timer *timer;
    struct map *turns;                   // pod UID -> struct drain_turn
    VECTOR(struct drain_queue *) queues; // by command
    VECTOR(struct outstanding {
        struct drain_queue *queue;
        uint64_t command; // as of its turn
        char *owner;      // controller's UID
        char *lead;       // as of its turn
        int64_t until_ns; // monotonic
    })
    outstanding;               // successors of evicted pods
    int64_t first_ns, last_ns; // monotonic: start of the present gathering, and its last pod
    bool is_open;              // the gathering is over
    struct drain_leading *leading;
    bool are_led; // some of the pods
    void (*admitted)(void *context, const char *pod_uid);
    void *context;
};

static void run(void *context);

static void schedule_run(struct drain_order *order, int64_t delay_ns)
{
    timer_start(order->timer, delay_ns > 0 ? delay_ns : 0);
}

// --- queues --------------------------------------------------------------------------------------
static struct drain_queue *join_queue(struct drain_order *order, uint64_t command)
{
    uint32_t at = 0;
    while (at < order->queues.count && order->queues.items[at]->command < command)
        at++;
    if (at == order->queues.count || order->queues.items[at]->command != command) {
        struct drain_queue *queue = memory_allocate(sizeof *queue);
        *queue = (struct drain_queue){.command = command};
        vector_push(&order->queues, queue);
        memmove(order->queues.items + at + 1, order->queues.items + at,
                (order->queues.count - 1 - at) * sizeof *order->queues.items);
        order->queues.items[at] = queue;
    }
    struct drain_queue *queue = order->queues.items[at];
    queue->members++;
    if (queue->most < queue->members)
        queue->most = queue->members;
    return queue;
}

static void leave_queue(struct drain_order *order, struct drain_queue *queue)
{
    if (--queue->members > 0)
        return;
    uint32_t at = 0;
    while (order->queues.items[at] != queue)
        at++;
    memmove(order->queues.items + at, order->queues.items + at + 1,
            (--order->queues.count - at) * sizeof *order->queues.items);
    vector_free(&queue->waiting);
    free(queue);
}

static void drop_outstanding(struct drain_order *order, uint32_t index)
{
    leave_queue(order, order->outstanding.items[index].queue);
    free(order->outstanding.items[index].owner);
    free(order->outstanding.items[index].lead);
    order->outstanding.items[index] = order->outstanding.items[--order->outstanding.count];
}

// The pod waits for a node that stays closed until the other pods for it are evicted.
static bool is_seated(const struct drain_order *order, const struct pod *pod)
{
    const struct node_claim *claim = cluster_planned_claim(order->control->cluster, pod);
    return claim != NULL &&
           nominations_keep(cluster_nominations(order->control->cluster), claim->meta.name);
}

// kube-scheduler has found no room for the pod: no need to wait for it any longer.
static bool is_refused(const struct pod *pod)
{
    const struct condition *scheduled =
        condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED);
    return scheduled != NULL && text_equal(scheduled->status, "False") &&
           text_equal(scheduled->reason, "Unschedulable");
}

// The pod may be gone before the answer to its eviction has come.
static void note_gone(struct drain_order *order, const struct pod *pod)
{
    const struct drain_turn *turn =
        pod->meta.uid != NULL ? map_get(order->turns, pod->meta.uid) : NULL;
    if (turn != NULL && turn->is_due && !turn->is_rejected)
        drain_order_evicted(order, pod);
    else
        drain_order_forget(order, pod->meta.uid);
}

// A new pod of a workload with an evicted pod is its successor. It has come when it is bound or
// refused; one for a replacement, when it waits for the kept node.
static void on_pod(void *context, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    struct drain_order *order = context;
    const struct pod *before = (const struct pod *)old_object;
    const struct pod *pod = (const struct pod *)new_object;
    (void)change;
    if (new_object == NULL) {
        note_gone(order, before);
        return;
    }
    bool had_come = before != NULL && (pod_is_bound(before) || is_refused(before));
    bool has_come = pod_is_bound(pod) || is_refused(pod);
    const char *workload = pod_controller_uid(pod);
    if (workload == NULL || had_come || (!has_come && (before != NULL || !is_seated(order, pod))))
        return;
    for (uint32_t i = 0; i < order->outstanding.count; i++) {
        const struct outstanding *awaited = &order->outstanding.items[i];
        if (strcmp(awaited->owner, workload) == 0 && (has_come || awaited->queue->command != 0)) {
            if (awaited->lead != NULL)
                drain_leading_landed(order->leading, awaited->lead, pod);
            drop_outstanding(order, i);
            schedule_run(order, 0);
            return;
        }
    }
}

struct drain_order *drain_order_create(struct control *control, const struct commands *commands,
                                       void (*admitted)(void *context, const char *pod_uid),
                                       void *context)
{
    struct drain_order *order = memory_allocate(sizeof *order);
    order->control = control;
    order->commands = commands;
    order->turns = map_create();
    order->admitted = admitted;
    order->context = context;
    order->timer = timer_create_on(control->manager.loop, run, order);
    order->leading = drain_leading_create(control, run, order);
    mirror_on_change(control->manager.mirror, KIND_POD, on_pod, order);
    return order;
}

// --- turns ---------------------------------------------------------------------------------------
static void turn_destroy(struct drain_order *order, struct drain_turn *turn)
{
    map_remove(order->turns, turn->uid);
    if (!turn->is_due)
        drain_turn_dequeue(turn);
    leave_queue(order, turn->queue);
    free(turn->lead);
    free(turn->uid);
    free(turn);
}

static struct drain_turn *turn_of(struct drain_order *order, const struct pod *pod)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct resource_map requests = pod_requests(scratch, pod);
    const struct disruption_command *command =
        commands_of_node(order->commands, pod->spec.node_name);
    const struct command_move *move = command != NULL ? command_move_of(command, pod) : NULL;
    bool is_replaced = move != NULL && move->replacement != NO_REPLACEMENT;
    struct drain_turn *turn = memory_allocate(sizeof *turn);
    *turn = (struct drain_turn){
        .uid = memory_copy_string(pod->meta.uid),
        .command = command != NULL ? command->number : 0,
        .group = is_replaced ? move->replacement + 1 : 0,
        .number = move != NULL ? move->turn : 0,
        .cpu = resource_map_get(&requests, "cpu"),
        .memory = resource_map_get(&requests, "memory"),
        .lead = move != NULL && move->is_led ? memory_copy_string(move->node) : NULL};
    turn->queue = join_queue(order, turn->group > 0 ? turn->command : 0);
    return turn;
}

static void add_turn(struct drain_order *order, const struct pod *pod)
{
    int64_t now_ns = loop_monotonic_ns(order->control->manager.loop);
    struct drain_turn *turn = turn_of(order, pod);
    if (map_count(order->turns) == 0) {
        order->first_ns = now_ns;
        order->is_open = false;
    }
    order->last_ns = now_ns;
    map_set(order->turns, turn->uid, turn);
    drain_turn_enqueue(turn);
}

void drain_order_destroy(struct drain_order *order)
{
    if (order == NULL)
        return;
    timer_destroy(order->timer);
    while (order->outstanding.count > 0)
        drop_outstanding(order, 0);
    vector_free(&order->outstanding);
    while (map_count(order->turns) > 0)
        turn_destroy(order, map_value(map_first(order->turns)));
    map_destroy(order->turns, NULL);
    vector_free(&order->queues);
    drain_leading_destroy(order->leading);
    free(order);
}

bool drain_order_admits(struct drain_order *order, const struct pod *pod)
{
    if (order == NULL)
        return true;
    struct drain_turn *turn = map_get(order->turns, pod->meta.uid);
    if (turn == NULL) {
        add_turn(order, pod);
        schedule_run(order, GATHER_NS);
        return false;
    }
    if (turn->is_rejected && turn->lead != NULL) { // led once more
        turn->is_due = turn->is_rejected = false;
        drain_turn_enqueue(turn);
        schedule_run(order, 0);
    }
    return turn->is_due;
}

// `turn`: of the evicted pod; NULL: it had none.
static void await_successor(struct drain_order *order, const char *workload,
                            struct drain_turn *turn)
{
    struct outstanding awaited = {
        .queue = join_queue(order, turn != NULL ? turn->queue->command : 0),
        .command = turn != NULL ? turn->command : 0,
        .owner = memory_copy_string(workload),
        .until_ns = ns_add(loop_monotonic_ns(order->control->manager.loop), SUCCESSOR_NS)};
    if (turn != NULL && turn->lead != NULL) {
        awaited.lead = turn->lead;
        turn->lead = NULL;
        drain_leading_evicted(order->leading);
    }
    vector_push(&order->outstanding, awaited);
}

void drain_order_evicted(struct drain_order *order, const struct pod *pod)
{
    if (order == NULL)
        return;
    const char *workload = pod_successor_owner(pod);
    if (workload != NULL)
        await_successor(order, workload, map_get(order->turns, pod->meta.uid));
    drain_order_forget(order, pod->meta.uid);
}

void drain_order_rejected(struct drain_order *order, const char *pod_uid)
{
    struct drain_turn *turn = order != NULL ? map_get(order->turns, pod_uid) : NULL;
    if (turn == NULL || turn->is_rejected)
        return;
    turn->is_rejected = true;
    schedule_run(order, 0);
}

void drain_order_forget(struct drain_order *order, const char *pod_uid)
{
    struct drain_turn *turn =
        order != NULL && pod_uid != NULL ? map_get(order->turns, pod_uid) : NULL;
    if (turn == NULL)
        return;
    turn_destroy(order, turn);
    schedule_run(order, 0);
}

// --- the next pod --------------------------------------------------------------------------------
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

// Admitted pods that are not evicted yet count as well, unless they were rejected, or there has
// been no answer for long.
static bool is_under_way(const struct drain_turn *turn, int64_t now_ns)
{
    return turn->is_due && !turn->is_rejected && ns_subtract(now_ns, turn->since_ns) < LATE_NS;
}

static uint32_t count_under_way(struct drain_order *order, int64_t now_ns)
{
    uint32_t all = (uint32_t)order->outstanding.count;
    vector_for_each (queue, &order->queues)
        (*queue)->under_way = 0;
    vector_for_each (outstanding, &order->outstanding)
        outstanding->queue->under_way++;
    for (struct map_entry *entry = map_first(order->turns); entry != NULL;
         entry = map_next(entry)) {
        struct drain_turn *turn = map_value(entry);
        bool counts = is_under_way(turn, now_ns);
        turn->queue->under_way += counts;
        all += counts;
    }
    return all;
}

bool drain_order_awaits(const struct drain_order *order, uint64_t command)
{
    if (order == NULL)
        return false;
    int64_t now_ns = loop_monotonic_ns(order->control->manager.loop);
    for (uint32_t i = 0; i < order->outstanding.count; i++)
        if (order->outstanding.items[i].command == command &&
            order->outstanding.items[i].until_ns > now_ns)
            return true;
    for (struct map_entry *entry = map_first(order->turns); entry != NULL;
         entry = map_next(entry)) {
        const struct drain_turn *turn = map_value(entry);
        if (turn->command == command && (!turn->is_due || is_under_way(turn, now_ns)))
            return true;
    }
    return false;
}

static void block(struct drain_order *order, const struct drain_queue *queue, uint64_t command)
{
    vector_for_each (other, &order->queues)
        if (queue->command == 0 && (*other)->command == command)
            (*other)->is_blocked = command != 0;
}

// The decision has found no room on existing nodes for a pod of a replacement after other pods of
// its command were there: these are evicted first.
static void block_queues(struct drain_order *order, int64_t now_ns)
{
    vector_for_each (queue, &order->queues)
        (*queue)->is_blocked = false;
    vector_for_each (outstanding, &order->outstanding)
        block(order, outstanding->queue, outstanding->command);
    for (struct map_entry *entry = map_first(order->turns); entry != NULL;
         entry = map_next(entry)) {
        const struct drain_turn *turn = map_value(entry);
        if (!turn->is_due || is_under_way(turn, now_ns))
            block(order, turn->queue, turn->command);
    }
}

// Those that wait for a replacement take no room from each other.
static uint32_t window_of(const struct drain_order *order, const struct drain_queue *queue)
{
    if (queue->command == 0 && order->are_led)
        return 1;
    return queue->command != 0 ? WINDOW_KEPT : evicted_together(queue->most);
}

// --- leading -------------------------------------------------------------------------------------
static bool are_led(struct drain_order *order)
{
    vector_for_each (outstanding, &order->outstanding)
        if (outstanding->lead != NULL)
            return true;
    for (struct map_entry *entry = map_first(order->turns); entry != NULL; entry = map_next(entry))
        if (((const struct drain_turn *)map_value(entry))->lead != NULL)
            return true;
    return false;
}

static void drop_leads(struct drain_order *order)
{
    for (struct map_entry *entry = map_first(order->turns); entry != NULL;
         entry = map_next(entry)) {
        struct drain_turn *turn = map_value(entry);
        free(turn->lead);
        turn->lead = NULL;
    }
}

static bool leads_next(struct drain_order *order, const struct drain_queue *queue)
{
    struct drain_turn *turn = queue->waiting.items[queue->waiting.count - 1];
    return queue->command != 0 || !order->are_led ||
           drain_leading_next(order->leading, &turn->lead, turn->cpu, turn->memory);
}

static void admit_next(struct drain_order *order, struct drain_queue *queue, int64_t now_ns)
{
    struct drain_turn *turn = queue->waiting.items[--queue->waiting.count];
    turn->is_due = true;
    turn->since_ns = now_ns;
    queue->under_way++;
    order->admitted(order->context, turn->uid);
}

static void run(void *context)
{
    struct drain_order *order = context;
    int64_t now_ns = loop_monotonic_ns(order->control->manager.loop);
    int64_t next_ns = expire_outstanding(order, now_ns);
    int64_t gathered_ns =
        ns_minimum(ns_add(order->last_ns, GATHER_NS), ns_add(order->first_ns, GATHER_MAX_NS));
    if (nominations_are_opening(cluster_nominations(order->control->cluster))) {
        schedule_run(order, HOLD_POLL_NS);
        return;
    }
    if (!order->is_open && now_ns < gathered_ns) {
        schedule_run(order, ns_subtract(gathered_ns, now_ns));
        return;
    }
    order->is_open = true;
    order->are_led = drain_leading_update(order->leading, are_led(order));
    if (!order->are_led)
        drop_leads(order);
    uint32_t all = count_under_way(order, now_ns);
    block_queues(order, now_ns);
    for (uint32_t i = 0; i < order->queues.count; i++) {
        struct drain_queue *queue = order->queues.items[i];
        for (; !queue->is_blocked && queue->waiting.count > 0 &&
               queue->under_way < window_of(order, queue) && all < WINDOW_ALL &&
               leads_next(order, queue);
             all++)
            admit_next(order, queue, now_ns);
    }
    if (next_ns != INT64_MAX)
        schedule_run(order, ns_subtract(next_ns, now_ns));
    else if (map_count(order->turns) > 0)
        schedule_run(order, SUCCESSOR_NS);
}
