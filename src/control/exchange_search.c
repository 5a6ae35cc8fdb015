#include "control/exchange_search.h"

#include <stdlib.h>

#define ROUNDS_MAX      3 // an exchange may make room for another
#define SET_MAX         3
#define ABLE_MAX        32
#define TRADE_STEPS_MAX 2000 // looks at two hosts

static bool is_spread(const struct exchange_guest *guest)
{
    return guest->key != UINT32_MAX;
}

static bool has_sibling(const struct exchange_host *host, const struct exchange_guest *guest)
{
    vector_for_each (other, &host->guests)
        if (other != guest && other->workload == guest->workload)
            return true;
    return false;
}

uint32_t exchange_siblings(const struct exchange *exchange)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < exchange->host_count; i++)
        vector_for_each (guest, &exchange->hosts[i].guests)
            count += is_spread(guest) && has_sibling(&exchange->hosts[i], guest);
    return count;
}

// It may go there, and finds none of its workload.
static bool is_welcome(const struct exchange_guest *guest, const struct exchange_host *from,
                       const struct exchange_host *to)
{
    return guest->may_move && from->pool == to->pool &&
           (!is_spread(guest) || (from->domains[guest->key] == to->domains[guest->key] &&
                                  !has_sibling(to, guest)));
}

static void move(const struct exchange *exchange, struct exchange_host *from, uint32_t index,
                 struct exchange_host *to)
{
    struct exchange_guest guest = from->guests.items[index];
    for (uint32_t i = 0; i < exchange->axis_count; i++) {
        from->room[i] += guest.requests[i];
        to->room[i] -= guest.requests[i];
    }
    guest.has_moved = true;
    from->guests.items[index] = from->guests.items[--from->guests.count];
    vector_push(&to->guests, guest);
}

static bool is_over(const struct exchange *exchange)
{
    return exchange->steps >= exchange->steps_max;
}

// --- sets of two hosts ---------------------------------------------------------------------------
struct set { // of guests that leave a host together
    struct exchange_host *host;
    uint32_t able[ABLE_MAX], able_count; // positions of those that may go to the other host
    uint32_t wanted, chosen[SET_MAX], count;
};

struct trade {
    struct exchange *exchange;
    struct set sets[2];
    uint32_t steps_max;
};

static const struct exchange_guest *chosen_guest(const struct set *set, uint32_t index)
{
    return &set->host->guests.items[set->chosen[index]];
}

static int64_t sum_of(const struct set *set, uint32_t axis)
{
    int64_t sum = 0;
    for (uint32_t i = 0; i < set->count; i++)
        sum += chosen_guest(set, i)->requests[axis];
    return sum;
}

static bool fits(const struct trade *trade)
{
    const struct set *one = &trade->sets[0], *other = &trade->sets[1];
    trade->exchange->steps++;
    for (uint32_t i = 0; i < trade->exchange->axis_count; i++) {
        int64_t more = sum_of(one, i) - sum_of(other, i); // comes to the other host
        if (other->host->room[i] < more || one->host->room[i] < -more)
            return false;
    }
    return true;
}

static bool gets_on(const struct set *set, const struct exchange_guest *guest)
{
    for (uint32_t i = 0; i < set->count; i++)
        if (is_spread(guest) && chosen_guest(set, i)->workload == guest->workload)
            return false;
    return true;
}

// Fills the first set, then the second, until both fit.
static bool choose(struct trade *trade, unsigned side, uint32_t start)
{
    struct set *set = &trade->sets[side];
    if (set->count == set->wanted)
        return side == 0 ? choose(trade, 1, 0) : fits(trade);
    for (uint32_t i = start; i < set->able_count && trade->exchange->steps < trade->steps_max; i++) {
        if (!gets_on(set, &set->host->guests.items[set->able[i]]))
            continue;
        set->chosen[set->count++] = set->able[i];
        if (choose(trade, side, i + 1))
            return true;
        set->count--;
    }
    return false;
}

static void find_able(struct set *set, const struct exchange_host *to, uint32_t without)
{
    for (uint32_t i = 0; i < set->host->guests.count && set->able_count < ABLE_MAX; i++)
        if (i != without && is_welcome(&set->host->guests.items[i], set->host, to))
            set->able[set->able_count++] = i;
}

static int highest_first(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return x < y ? 1 : x > y ? -1 : 0;
}

// The last guest takes the position of one that leaves, so those behind leave first.
static void leave(const struct exchange *exchange, struct set *set, struct exchange_host *to)
{
    qsort(set->chosen, set->count, sizeof *set->chosen, highest_first);
    for (uint32_t i = 0; i < set->count; i++)
        move(exchange, set->host, set->chosen[i], to);
}

struct sizes {
    uint32_t leave, come;
};

// The guest and perhaps some beside it against some of the other host.
static bool trade(struct exchange *exchange, struct exchange_host *from, uint32_t index,
                  struct exchange_host *to, const struct sizes *sizes)
{
    uint32_t left = exchange->steps_max - exchange->steps;
    struct trade trade = {
        .exchange = exchange,
        .sets = {{.host = from, .wanted = sizes->leave, .chosen = {index}, .count = 1},
                 {.host = to, .wanted = sizes->come}},
        .steps_max = exchange->steps + (left < TRADE_STEPS_MAX ? left : TRADE_STEPS_MAX)};
    if (sizes->leave > 1)
        find_able(&trade.sets[0], to, index);
    if (sizes->come > 0)
        find_able(&trade.sets[1], from, UINT32_MAX);
    if (!choose(&trade, 0, 0))
        return false;
    leave(exchange, &trade.sets[1], from); // they come behind those that are to leave
    leave(exchange, &trade.sets[0], to);
    return true;
}

static bool find_place(struct exchange *exchange, const struct sizes *sizes,
                       struct exchange_host *from, uint32_t index)
{
    for (uint32_t i = 0; i < exchange->host_count && !is_over(exchange); i++) {
        struct exchange_host *to = &exchange->hosts[i];
        if (to != from && is_welcome(&from->guests.items[index], from, to) &&
            trade(exchange, from, index, to, sizes))
            return true;
    }
    return false;
}

static bool search_once(struct exchange *exchange, const struct sizes *sizes)
{
    bool found = false;
    for (uint32_t i = 0; i < exchange->host_count; i++) {
        struct exchange_host *host = &exchange->hosts[i];
        for (uint32_t j = 0; j < host->guests.count && !is_over(exchange); j++) {
            const struct exchange_guest *guest = &host->guests.items[j];
            if (is_spread(guest) && guest->may_move && has_sibling(host, guest))
                found |= find_place(exchange, sizes, host, j);
        }
    }
    return found;
}

// Small sets first: there are thousands of large ones.
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
