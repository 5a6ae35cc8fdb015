// Which pods exchange places (sibling_exchange.h): a search over pods on nodes that takes apart
// pods of one workload that share a node. It reads and changes what it is given, and nothing else.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

#define EXCHANGE_KEYS_MAX 4 // topology keys; UINT32_MAX as a pod's key: it is not spread

struct exchange_pod {
    const void *object; // the caller's
    uint32_t workload;
    uint32_t key;      // it stays in its domain of that key
    bool may_move;     // nothing binds it to the node
    bool has_moved;    // out: it is on another node than before
    uint64_t unwanted; // by rules of pods that stay; it goes where none of them is among `rules`
    const int64_t *requests; // one for each resource
};

struct exchange_node {
    uint32_t pool; // exchanges stay within one
    uint64_t rules;
    uint32_t domains[EXCHANGE_KEYS_MAX];
    int64_t *room; // left on each resource
    VECTOR(struct exchange_pod) pods;
};

struct exchange {
    struct exchange_node *nodes;
    uint32_t node_count, resource_count;
    uint32_t steps, steps_max; // looks; the search ends with the last one
};

// Each node has room for its pods afterwards, too, and each domain as many pods of a workload with
// a key as before.
void exchange_search(struct exchange *exchange);
// Pods with a key that share their node with another of their workload.
uint32_t exchange_siblings(const struct exchange *exchange);
