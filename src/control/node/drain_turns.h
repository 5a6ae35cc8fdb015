// Pods that wait for their eviction, in the order of the drain (drain_order.h).
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vector.h"

// Pods that share room: those for existing nodes, of all commands, and those for the replacements
// of one command, where no other pods go.
struct drain_queue {
    uint64_t command;                    // its number; 0: for existing nodes
    VECTOR(struct drain_turn *) waiting; // not yet admitted; the last one is the next
    uint32_t members;                    // turns and outstanding successors
    uint32_t most;                       // members at one time
    uint32_t under_way;                  // of them, awaited ones; computed by each run
    bool is_blocked; // the command's pods for existing nodes come first; computed by each run
};

struct drain_turn { // of a pod that waits for its eviction
    char *uid;
    struct drain_queue *queue;
    uint64_t command; // its number; 0: none
    uint32_t group;   // 0: for existing nodes, 1: for the command's first replacement, and so on
    uint32_t number;  // in the decision's order
    int64_t cpu, memory;
    int64_t since_ns; // monotonic
    bool is_due;      // admitted; its caller was notified
    bool is_rejected; // by a budget, say: it delays nobody
    char *lead;       // the Node to which its successor is led; NULL: none
};

// Into its queue, and out of it; the last one of the queue is the next to leave.
void drain_turn_enqueue(struct drain_turn *turn);
void drain_turn_dequeue(struct drain_turn *turn);
