// Who exchanges places with whom (sibling_exchange.h): a search over guests on hosts that takes apart guests
// of one workload that share a host. It reads and changes what it is given, and nothing else.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

#define EXCHANGE_KEYS_MAX 4 // topology keys; UINT32_MAX as a guest's key: it is not spread

struct exchange_guest {
    const void *pod;
    uint32_t workload;
    uint32_t key;            // it stays in its domain of that key
    bool may_move;           // nothing binds it to the host
    bool has_moved;          // out: it is on another host than before
    const int64_t *requests; // one for each axis
};

struct exchange_host {
    uint32_t pool; // exchanges stay within one
    uint32_t domains[EXCHANGE_KEYS_MAX];
    int64_t *room; // left on each axis
    VECTOR(struct exchange_guest) guests;
};

struct exchange {
    struct exchange_host *hosts;
    uint32_t host_count, axis_count;
    uint32_t steps, steps_max; // looks; the search ends with the last one
};

// Each host still has room for what it has afterwards, and no domain more or fewer of a workload with a key.
void exchange_search(struct exchange *exchange);
// Guests with a key that share their host with another of their workload.
uint32_t exchange_siblings(const struct exchange *exchange);
