// Passes that ask what would happen if some nodes were gone (SCH-57, DIS-230 to DIS-238): the same
// decision, over other nodes and pods.
#pragma once

#include "engine/pass/pass_state.h"

// Which pods run on which node; made once for a problem with its movable pods. Lives in `arena`.
struct simulator {
    struct problem *problem;
    uint32_t *movable_start, *movable; // by node: where its indexes in problem->pods.movable begin
    uint32_t *bound_start, *bound;     // the same of problem->pods.bound, movable ones only
    struct pass_shared shared;
};
struct simulator *simulator_create(struct problem *problem, struct arena *arena);

struct simulation {
    const uint32_t *gone; // indexes of nodes that take no part
    uint32_t gone_count;
    struct bitset quiet;                    // see struct pass_input
    const struct scheduled_list *scheduled; // engine/problem/disruption_inputs.h; may be NULL
    bool as_scheduled;    // pods of nodes that are gone go where kube-scheduler puts them
    uint32_t mixture;     // how those of them that leave together come back; 0: as they leave
    struct bitset closed; // nodes that take no pods and keep their own; bits 0: none
};
#define MIXTURES 3

// A finished pass over the pending pods, the pods of nodes that are going anyway, and the
// reschedulable pods of the nodes that are gone. Reservations fall back (SCH-258). The queue lives
// in `arena`; the caller destroys the pass before it.
struct pass *simulate(struct simulator *simulator, struct arena *arena,
                      const struct simulation *simulation);
