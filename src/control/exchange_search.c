#include "control/exchange_search.h"

#include <stddef.h>

#define ROUNDS_MAX 3 // an exchange may make room for another

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

struct flow { // requests that leave a host, and that come; NULL: none
    const struct exchange_guest *out[2], *in[2];
};

static const int64_t *requests_of(const struct exchange *exchange, const struct exchange_guest *guest)
{
    return guest != NULL ? guest->requests : exchange->nothing;
}

static bool fits(struct exchange *exchange, const struct exchange_host *host,
                 const struct flow *flow)
{
    const int64_t *out0 = requests_of(exchange, flow->out[0]), *in0 = requests_of(exchange, flow->in[0]);
    const int64_t *out1 = requests_of(exchange, flow->out[1]), *in1 = requests_of(exchange, flow->in[1]);
    exchange->steps++;
    for (uint32_t i = 0; i < exchange->axis_count; i++)
        if (host->room[i] + out0[i] + out1[i] < in0[i] + in1[i])
            return false;
    return true;
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

// --- exchanges of two hosts ----------------------------------------------------------------------
static bool relocate(struct exchange *exchange, struct exchange_host *from, uint32_t index,
                     struct exchange_host *to)
{
    if (!fits(exchange, to, &(struct flow){.in = {&from->guests.items[index]}}))
        return false;
    move(exchange, from, index, to);
    return true;
}

static bool swap(struct exchange *exchange, struct exchange_host *from, uint32_t index,
                 struct exchange_host *to)
{
    const struct exchange_guest *guest = &from->guests.items[index];
    for (uint32_t i = 0; i < to->guests.count; i++) {
        const struct exchange_guest *other = &to->guests.items[i];
        if (!fits(exchange, from, &(struct flow){{guest}, {other}}) ||
            !fits(exchange, to, &(struct flow){{other}, {guest}}) || !is_welcome(other, to, from))
            continue;
        move(exchange, to, i, from);
        move(exchange, from, index, to);
        return true;
    }
    return false;
}

// Later positions first: a removal puts the last guest in the place of the one that left.
static void move_both(const struct exchange *exchange, struct exchange_host *from, uint32_t first,
                      uint32_t second, struct exchange_host *to)
{
    move(exchange, from, first > second ? first : second, to);
    move(exchange, from, first > second ? second : first, to);
}

static bool get_on(const struct exchange_guest *one, const struct exchange_guest *other)
{
    return one->workload != other->workload || !is_spread(one);
}

// The guest against two.
static bool swap_for_two(struct exchange *exchange, struct exchange_host *from, uint32_t index,
                         struct exchange_host *to)
{
    const struct exchange_guest *guest = &from->guests.items[index];
    for (uint32_t i = 1; i < to->guests.count; i++) {
        const struct exchange_guest *one = &to->guests.items[i];
        if (!is_welcome(one, to, from))
            continue;
        for (uint32_t j = 0; j < i; j++) {
            const struct exchange_guest *two = &to->guests.items[j];
            if (!fits(exchange, from, &(struct flow){{guest}, {one, two}}) ||
                !fits(exchange, to, &(struct flow){{one, two}, {guest}}) ||
                !get_on(one, two) || !is_welcome(two, to, from))
                continue;
            move(exchange, from, index, to);
            move_both(exchange, to, i, j, from);
            return true;
        }
    }
    return false;
}

// The guest and one beside it against one.
static bool swap_two(struct exchange *exchange, struct exchange_host *from, uint32_t index,
                     struct exchange_host *to)
{
    const struct exchange_guest *guest = &from->guests.items[index];
    for (uint32_t i = 0; i < from->guests.count; i++) {
        const struct exchange_guest *beside = &from->guests.items[i];
        if (i == index || !get_on(guest, beside) || !is_welcome(beside, from, to))
            continue;
        for (uint32_t j = 0; j < to->guests.count; j++) {
            const struct exchange_guest *other = &to->guests.items[j];
            if (!fits(exchange, from, &(struct flow){{guest, beside}, {other}}) ||
                !fits(exchange, to, &(struct flow){{other}, {guest, beside}}) ||
                !is_welcome(other, to, from))
                continue;
            move(exchange, to, j, from);
            move_both(exchange, from, index, i, to);
            return true;
        }
    }
    return false;
}

// --- and of three --------------------------------------------------------------------------------
// The guest takes the place of `other`, which takes one on a third host, whose guest comes here.
static bool pass_on(struct exchange *exchange, struct exchange_host *from, uint32_t index,
                    struct exchange_host *to, uint32_t other, struct exchange_host *third)
{
    const struct exchange_guest *guest = &from->guests.items[index];
    const struct exchange_guest *passed = &to->guests.items[other];
    for (uint32_t i = 0; i < third->guests.count; i++) {
        const struct exchange_guest *last = &third->guests.items[i];
        if (!fits(exchange, from, &(struct flow){{guest}, {last}}) ||
            !fits(exchange, third, &(struct flow){{last}, {passed}}) ||
            !is_welcome(last, third, from))
            continue;
        move(exchange, third, i, from);
        move(exchange, to, other, third);
        move(exchange, from, index, to);
        return true;
    }
    return false;
}

static bool rotate(struct exchange *exchange, struct exchange_host *from, uint32_t index,
                   struct exchange_host *to)
{
    for (uint32_t i = 0; i < to->guests.count; i++) {
        const struct exchange_guest *other = &to->guests.items[i];
        if (!other->may_move || !fits(exchange, to, &(struct flow){{other}, {&from->guests.items[index]}}))
            continue;
        for (uint32_t k = 0; k < exchange->host_count && !is_over(exchange); k++) {
            struct exchange_host *third = &exchange->hosts[k];
            if (third != from && third != to && is_welcome(other, to, third) &&
                pass_on(exchange, from, index, to, i, third))
                return true;
        }
    }
    return false;
}

typedef bool attempt(struct exchange *exchange, struct exchange_host *from, uint32_t index,
                     struct exchange_host *to);

static bool find_place(struct exchange *exchange, struct exchange_host *from, uint32_t index)
{
    static attempt *const attempts[] = {relocate, swap, swap_for_two, swap_two, rotate}; // simplest first
    for (size_t i = 0; i < sizeof attempts / sizeof *attempts; i++)
        for (uint32_t k = 0; k < exchange->host_count && !is_over(exchange); k++) {
            struct exchange_host *to = &exchange->hosts[k];
            if (to != from && is_welcome(&from->guests.items[index], from, to) &&
                attempts[i](exchange, from, index, to))
                return true;
        }
    return false;
}

static bool search_once(struct exchange *exchange)
{
    bool found = false;
    for (uint32_t i = 0; i < exchange->host_count; i++) {
        struct exchange_host *host = &exchange->hosts[i];
        for (uint32_t j = 0; j < host->guests.count && !is_over(exchange); j++) {
            const struct exchange_guest *guest = &host->guests.items[j];
            if (is_spread(guest) && guest->may_move && has_sibling(host, guest))
                found |= find_place(exchange, host, j);
        }
    }
    return found;
}

void exchange_search(struct exchange *exchange)
{
    for (int round = 0; round < ROUNDS_MAX && !is_over(exchange) && search_once(exchange);)
        round++;
}
