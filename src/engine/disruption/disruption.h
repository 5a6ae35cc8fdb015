// The next disruption (FMT-13; DIS-445): nodes to remove and their replacements. Pure, like the
// rest of the engine.
//
// A method selects candidates for its reason and adds its commands to the plan. Methods after the
// first that adds one do not run. The caller waits, validates earlier decisions, taints nodes and
// runs the queue.
#pragma once

#include "engine/disruption/candidates.h"
#include "engine/disruption/strategy.h"
#include "engine/placement/simulation.h"
#include "engine/problem/disruption_inputs.h"

// The simulation without any removal: what happens to the pods anyway (DIS-710).
struct removal_baseline {
    bool *placed; // by problem->pods.queued
    // By problem->pods.queued: the node of a placeholder, DIS-753; else NULL.
    const struct state_node **placeholder_nodes;
    uint32_t claims;
};

struct queued_pod;
struct workload_table; // engine/disruption/workload_table.h

struct blocked_reason {         // for one node
    const char *rule, *message; // rule NULL: none recorded
    bool of_drift;              // by drift or expiry: methods that remove nodes at any price
};
// The shared context of the methods. Lives for one decision.
struct disruption {
    const struct snapshot *snapshot;
    const struct disruption_inputs *inputs; // never NULL
    struct arena *arena;
    struct plan *plan; // of the pending pods; commands are added to it
    uint32_t commands_capacity, scores_capacity;
    const struct disruption_strategy *strategy;
    struct problem *problem;
    bool problem_lent; // the caller owns the problem
    struct simulator *simulator;
    // Of all methods but emptiness; budgets are those of the last method.
    struct candidate_table table;
    struct bitset quiet; // DIS-238
    struct bitset going; // nodes that go anyway: marked for deletion or in a running command
    const struct removal_baseline *baseline; // if strategy->minds_unschedulable_anyway
    int64_t *evictions_asked;         // engine/disruption/evictions.h; NULL: not computed yet
    struct workload_table *workloads; // NULL: not computed yet
    bool target_known;                // engine/consolidation/repack_target.h
    int64_t least_saving_percent;     // set with target_known
    int64_t repack_saved;             // by accepted moves of multi-node consolidation
    int64_t *lives; // of nodes, by index of table.pools (payback.h); 0: not computed yet
    enum disruption_method method;          // the current method, or the last one
    struct blocked_reason *blocked_reasons; // by node: recorded by the methods
    bool explains;                          // blocked reasons need texts
};

// --- for the methods -----------------------------------------------------------------------------
typedef LIST(struct disruption_candidate *) candidate_list;

// False, with *error, if the snapshot cannot be compiled; call disruption_end() in either case. The
// decision lives in `arena`, additions to the plan in the plan's arena.
bool disruption_begin(struct disruption *disruption, const struct snapshot *snapshot,
                      const struct disruption_inputs *inputs, struct plan *plan,
                      struct arena *arena, struct error *error) MUST_USE;
// The same with the caller's problem, which has its movable pods and no error and outlives the
// decision.
void disruption_begin_with(struct disruption *disruption, struct problem *problem,
                           const struct disruption_inputs *inputs, struct plan *plan,
                           struct arena *arena);
void disruption_end(struct disruption *disruption);

// An empty list with room for all candidates of the table.
candidate_list candidate_list_create(struct disruption *disruption,
                                     const struct candidate_table *table);
// A command that removes the candidates; the caller adds its replacements.
struct plan_disruption *disruption_command(struct disruption *disruption,
                                           enum disruption_reason reason,
                                           enum consolidation_type consolidation,
                                           struct disruption_candidate *const *candidates,
                                           uint32_t count);
// Adds an event about a candidate to the plan's notes.
void disruption_note(struct disruption *disruption, enum event_reason event,
                     const struct disruption_candidate *candidate, const char *message);
// Records why a method does not disrupt a node (DIS-770): the rule's identifier and its numbers. A
// later reason replaces an earlier one; a drift method's reason wins over others, and a command
// over any reason. The text matters only if requested (`explains`). See blocked_reasons.h.
void disruption_note_blocked(struct disruption *disruption,
                             const struct disruption_candidate *candidate, const char *rule,
                             const char *message);
// DIS-714, DIS-716: true if the method pauses after a recent failure; records that as the blocked
// reason.
bool disruption_is_paused(struct disruption *disruption,
                          const struct disruption_candidate *candidate, bool drift);
// The pod's node. By DIS-753 a placeholder's is its place after the decision for the pending pods.
// NULL: none.
const struct state_node *disruption_node_of(const struct disruption *disruption,
                                            const struct queued_pod *queued);
// The node goes anyway: it is in a running command or marked for deletion.
bool disruption_is_going(const struct disruption *disruption, const struct state_node *state);
int64_t candidates_price(struct disruption_candidate *const *candidates, uint32_t count); // DIS-164
// The same plus the node costs (node_cost.h).
int64_t candidates_cost(const struct disruption *disruption,
                        struct disruption_candidate *const *candidates, uint32_t count);
