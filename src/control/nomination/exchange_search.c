#include "control/nomination/exchange_search.h"

#include <stdlib.h>

#define ROUNDS_MAX      3 // an exchange may make room for another
#define SET_MAX         3
#define ABLE_MAX        32
#define TRADE_STEPS_MAX 2000 // looks at two nodes

static bool is_spread(const struct exchange_pod *pod)
{
    return pod->key != UINT32_MAX;
}

// Other pods of its workload that are on the node.
static uint32_t siblings_on(const struct exchange_node *node, const struct exchange_pod *pod)
{
    uint32_t count = 0;
    vector_for_each (other, &node->pods)
        count += other != pod && other->workload == pod->workload;
    return count;
}

static bool has_sibling(const struct exchange_node *node, const struct exchange_pod *pod)
{
    return siblings_on(node, pod) > 0;
}

uint32_t exchange_siblings(const struct exchange *exchange)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < exchange->node_count; i++)
        vector_for_each (pod, &exchange->nodes[i].pods)
            count += is_spread(pod) && has_sibling(&exchange->nodes[i], pod);
    return count;
}

// The pod may go there, and has at most `most` siblings there.
static bool is_welcome(const struct exchange_pod *pod, const struct exchange_node *from,
                       const struct exchange_node *to, uint32_t most)
{
    return pod->may_move && from->pool == to->pool && (pod->unwanted & to->rules) == 0 &&
           (!is_spread(pod) ||
            (from->domains[pod->key] == to->domains[pod->key] && siblings_on(to, pod) <= most));
}

static void move(const struct exchange *exchange, struct exchange_node *from, uint32_t index,
                 struct exchange_node *to)
{
    struct exchange_pod pod = from->pods.items[index];
    for (uint32_t i = 0; i < exchange->resource_count; i++) {
        from->room[i] += pod.requests[i];
        to->room[i] -= pod.requests[i];
    }
    pod.has_moved = true;
    from->pods.items[index] = from->pods.items[--from->pods.count];
    vector_push(&to->pods, pod);
}

static bool is_over(const struct exchange *exchange)
{
    return exchange->steps >= exchange->steps_max;
}

// --- sets of two nodes ---------------------------------------------------------------------------
struct set { // pods that leave a node together
    struct exchange_node *node;
    uint32_t able[ABLE_MAX], able_count; // positions of the pods that may go to the other node
    uint32_t wanted, chosen[SET_MAX], count;
};

struct trade {
    struct exchange *exchange;
    struct set sets[2];
    uint32_t steps_max;
};

static const struct exchange_pod *chosen_pod(const struct set *set, uint32_t index)
{
    return &set->node->pods.items[set->chosen[index]];
}

static int64_t sum_of(const struct set *set, uint32_t resource)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < set->count; i++)
        sum += chosen_pod(set, i)->requests[resource];
    return sum;
}

// How many more pairs of siblings share a node afterwards.
static int64_t more_pairs(const struct set *set, const struct exchange_node *to)
{
    int64_t more = 0;
    for (uint32_t i = 0; i < set->count; i++) {
        const struct exchange_pod *pod = chosen_pod(set, i);
        if (is_spread(pod))
            more += (int64_t)siblings_on(to, pod) - siblings_on(set->node, pod);
    }
    return more;
}

static bool fits(const struct trade *trade)
{
    const struct set *one = &trade->sets[0], *other = &trade->sets[1];
    trade->exchange->steps++;
    if (more_pairs(one, other->node) + more_pairs(other, one->node) >= 0)
        return false;
    for (uint32_t i = 0; i < trade->exchange->resource_count; i++) {
        int64_t more =
            sum_of(one, i) - sum_of(other, i); // the net request that the other node gains
        if (other->node->room[i] < more || one->node->room[i] < -more)
            return false;
    }
    return true;
}

static bool gets_on(const struct set *set, const struct exchange_pod *pod)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (is_spread(pod) && chosen_pod(set, i)->workload == pod->workload)
            return false;
    return true;
}

// Chooses the first set, then the second, until both fit.
static bool choose(struct trade *trade, unsigned side, uint32_t start)
{
    struct set *set = &trade->sets[side];
    if (set->count == set->wanted)
        return side == 0 ? choose(trade, 1, 0) : fits(trade);
    for (uint32_t i = start; i < set->able_count && trade->exchange->steps < trade->steps_max;
         i++) {
        if (!gets_on(set, &set->node->pods.items[set->able[i]]))
            continue;
        set->chosen[set->count++] = set->able[i];
        if (choose(trade, side, i + 1))
            return true;
        set->count--;
    }
    return false;
}

static void find_able(struct set *set, const struct exchange_node *to, uint32_t without)
{
    for (uint32_t i = 0; i < set->node->pods.count && set->able_count < ABLE_MAX; i++) {
        const struct exchange_pod *pod = &set->node->pods.items[i];
        if (i != without && is_welcome(pod, set->node, to, siblings_on(set->node, pod) + 1))
            set->able[set->able_count++] = i;
    }
}

static int highest_first(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

// The last pod fills the gap of a leaving pod, so pods leave in reverse order of position.
static void leave(const struct exchange *exchange, struct set *set, struct exchange_node *to)
{
    qsort(set->chosen, set->count, sizeof *set->chosen, highest_first);
    for (uint32_t i = 0; i < set->count; i++)
        move(exchange, set->node, set->chosen[i], to);
}

struct sizes {
    uint32_t leave, come;
};

// Exchanges the pod, and perhaps others of its node, for some pods of the other node.
static bool trade(struct exchange *exchange, struct exchange_node *from, uint32_t index,
                  struct exchange_node *to, const struct sizes *sizes)
{
    uint32_t left = exchange->steps_max - exchange->steps;
    struct trade trade = {
        .exchange = exchange,
        .sets = {{.node = from, .wanted = sizes->leave, .chosen = {index}, .count = 1},
                 {.node = to, .wanted = sizes->come}},
        .steps_max = exchange->steps + (left < TRADE_STEPS_MAX ? left : TRADE_STEPS_MAX)};
    if (sizes->leave > 1)
        find_able(&trade.sets[0], to, index);
    if (sizes->come > 0)
        find_able(&trade.sets[1], from, UINT32_MAX);
    if (!choose(&trade, 0, 0))
        return false;
    leave(exchange, &trade.sets[1], from); // behind the pods that are to leave
    leave(exchange, &trade.sets[0], to);
    return true;
}

static bool find_place(struct exchange *exchange, const struct sizes *sizes,
                       struct exchange_node *from, uint32_t index)
{
    const struct exchange_pod *pod = &from->pods.items[index];
    uint32_t fewer = siblings_on(from, pod) - 1;
    for (uint32_t i = 0; i < exchange->node_count && !is_over(exchange); i++) {
        struct exchange_node *to = &exchange->nodes[i];
        if (to != from && is_welcome(pod, from, to, fewer) &&
            trade(exchange, from, index, to, sizes))
            return true;
    }
    return false;
}

static bool search_once(struct exchange *exchange, const struct sizes *sizes)
{
    bool found = false;
    for (uint32_t i = 0; i < exchange->node_count; i++) {
        struct exchange_node *node = &exchange->nodes[i];
        for (uint32_t j = 0; j < node->pods.count && !is_over(exchange); j++) {
            const struct exchange_pod *pod = &node->pods.items[j];
            if (is_spread(pod) && pod->may_move && has_sibling(node, pod))
                found |= find_place(exchange, sizes, node, j);
        }
    }
    return found;
}

// Small sets first: the large ones number thousands.
void exchange_search(struct exchange *exchange)
{
    static const struct sizes sizes[] = {{1, 0}, {1, 1}, {1, 2}, {2, 1}, {2, 2},
                                         {1, 3}, {3, 1}, {2, 3}, {3, 2}, {3, 3}};
    for (int round = 0; round < ROUNDS_MAX; round++) {
        bool found = false;
        for (size_t i = 0; i < sizeof sizes / sizeof *sizes && !is_over(exchange); i++)
            found |= search_once(exchange, &sizes[i]);
        if (!found)
            return;
    }
}
