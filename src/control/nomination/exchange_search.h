// A search for exchanges of places (sibling_exchange.h): it separates pods of one workload that
// share a node. It reads and changes only its arguments.
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

#define EXCHANGE_KEYS_MAX 4 // topology keys; UINT32_MAX as a pod's key: it is not spread

struct exchange_pod {
    const void *object; // the caller's
    uint32_t workload;
    uint32_t key;   // the pod stays in its domain of this key
    bool may_move;  // no rule binds it to the node
    bool has_moved; // out: it is on another node than before
    uint64_t
        unwanted; // rules of other pods that reject it; its node must have none of them in `rules`
    const int64_t *requests; // one for each resource
};

struct exchange_node {
    uint32_t pool; // exchanges stay within one pool
    uint64_t rules;
    uint32_t domains[EXCHANGE_KEYS_MAX];
    int64_t *room; // left on each resource
    VECTOR(struct exchange_pod) pods;
};

struct exchange {
    struct exchange_node *nodes;
    uint32_t node_count, resource_count;
    uint32_t steps, steps_max; // exchanges examined; the limit ends the search
};

// Afterwards every node still has room for its pods, and every domain has as many pods of a
// workload with a key as before.
void exchange_search(struct exchange *exchange);
// Number of pods with a key that share their node with another pod of their workload.
uint32_t exchange_siblings(const struct exchange *exchange);
