// Simulated removals: passes without some of the nodes (SCH-57, DIS-230 to DIS-238). The same
// decision, over other nodes and pods.
#pragma once

#include "engine/pass/pass_state.h"

// Running pods by node; made once for a problem with movable pods. Lives in `arena`.
struct simulator {
    struct problem *problem;
    uint32_t *movable_start, *movable; // by node: start of its indexes of problem->pods.movable
    uint32_t *bound_start, *bound;     // the same for problem->pods.bound, movable ones only
    struct scheduler_view *view;       // NULL until needed
    struct pass_shared shared;
};
struct simulator *simulator_create(struct problem *problem, struct arena *arena);

struct simulation {
    const uint32_t *gone; // indexes of removed nodes
    uint32_t gone_count;
    struct bitset quiet;                    // see struct pass_input
    const struct scheduled_list *scheduled; // engine/problem/disruption_inputs.h; may be NULL
    bool as_scheduled;    // pods of removed nodes go where kube-scheduler would put them
    bool guided;          // as_scheduled, and they are led there (drain_guidance.h)
    bool fits_or_stops;   // ends when a pod of a removed node needs a new one
    uint32_t mixture;     // the order in which pods evicted together come back, and the draw among
                          // nodes that kube-scheduler holds equal; 0: as they leave, and the first
    struct bitset closed; // nodes that take no pods and keep their own; no bits: none
};
#define MIXTURES 6

// Runs a pass over the pending pods, the pods of nodes marked for deletion, and the reschedulable
// pods of the removed nodes. Reservations fall back (SCH-258). The queue lives in `arena`; destroy
// the pass before it.
struct pass *simulate(struct simulator *simulator, struct arena *arena,
                      const struct simulation *simulation);
