// The next disruption (FMT-13; DIS-445): which nodes go, and what replaces them. Pure, as the rest
// of the engine.
//
// A method looks at the candidates of its reason and adds its commands to the plan; the first that
// adds one is the last that is asked. Waiting, validation of earlier decisions, taints and the
// queue are the caller's.
#pragma once

#include "engine/disruption/candidates.h"
#include "engine/disruption/strategy.h"
#include "engine/placement/simulation.h"
#include "engine/problem/disruption_inputs.h"

// The decision without the candidates: what happens to the pods anyway (DIS-710).
struct removal_baseline {
    bool *placed; // by problem->pods.queued
    const struct state_node *
        *placeholder_nodes; // the same: where a placeholder is, DIS-753; else NULL
    uint32_t claims;
};

struct queued_pod;
struct workload_table; // engine/disruption/workload_table.h

struct blocked_reason {         // about one place
    const char *rule, *message; // rule NULL: nothing was said
    bool of_drift;              // or of expiry: a method that takes nodes at any price
};
// The context that the methods share. Lives as long as one decision.
struct disruption {
    const struct snapshot *snapshot;
    const struct disruption_inputs *inputs; // never NULL
    struct arena *arena;
    struct plan *plan; // of the pending pods; the commands are added to it
    uint32_t commands_capacity, scores_capacity;
    const struct disruption_strategy *strategy;
    struct problem *problem;
    bool problem_lent; // it is the caller's
    struct simulator *simulator;
    struct candidate_table table; // of all methods but emptiness; budgets of the last that asked
    struct bitset quiet;          // DIS-238
    struct bitset going;          // places that go anyway: marked, or of a running command
    const struct removal_baseline *baseline; // if strategy->minds_unschedulable_anyway
    int64_t *evictions_asked;                // engine/disruption/evictions.h; NULL: not counted yet
    struct workload_table *workloads;        // the same
    bool target_known;                       // engine/consolidation/repack_target.h
    int64_t least_saving_percent;            // the same
    int64_t *lives; // of nodes, by index of table.pools (payback.h); 0: not yet asked
    enum disruption_method method;          // whose turn it is, or was the last
    struct blocked_reason *blocked_reasons; // by node: what the methods noted
    bool explains;                          // blocked reasons are wanted with their texts
};

// --- for the methods -----------------------------------------------------------------------------
typedef LIST(struct disruption_candidate *) candidate_list;

// False, with *error, if no problem can be made of the snapshot; disruption_end() is due in any
// case. The decision lives in `arena`, additions to the plan live in the plan's.
bool disruption_begin(struct disruption *disruption, const struct snapshot *snapshot,
                      const struct disruption_inputs *inputs, struct plan *plan,
                      struct arena *arena, struct error *error) MUST_USE;
// The same with the caller's problem, which has its movable pods and no error, and ends after it.
void disruption_begin_with(struct disruption *disruption, struct problem *problem,
                           const struct disruption_inputs *inputs, struct plan *plan,
                           struct arena *arena);
void disruption_end(struct disruption *disruption);

// An empty list with room for all candidates of the table.
candidate_list candidate_list_create(struct disruption *disruption,
                                     const struct candidate_table *table);
// A command that removes the candidates; its replacements are the caller's to add.
struct plan_disruption *disruption_command(struct disruption *disruption,
                                           enum disruption_reason reason,
                                           enum consolidation_type consolidation,
                                           struct disruption_candidate *const *candidates,
                                           uint32_t count);
// An event about a candidate, among the plan's notes.
void disruption_note(struct disruption *disruption, enum event_reason event,
                     const struct disruption_candidate *candidate, const char *message);
// Why a node is not disrupted by what was asked of it (DIS-770): the rule's identifier and its
// numbers. The last word about a node counts, but one of the drift methods more, and a command for
// it most. The text counts only if it is wanted (`explains`). blocked_reasons.h has
// more.
void disruption_note_blocked(struct disruption *disruption,
                             const struct disruption_candidate *candidate, const char *rule,
                             const char *message);
// DIS-714, DIS-716: not now, for it failed lately; that is noted as the blocked reason.
bool disruption_is_paused(struct disruption *disruption,
                          const struct disruption_candidate *candidate, bool drift);
// The node that the pod is on. By DIS-753 a placeholder is where the decision about the pending
// pods leaves it. NULL: on none.
const struct state_node *disruption_node_of(const struct disruption *disruption,
                                            const struct queued_pod *queued);
// The node goes anyway: it is in a running command or marked for deletion.
bool disruption_is_going(const struct disruption *disruption, const struct state_node *state);
int64_t candidates_price(struct disruption_candidate *const *candidates, uint32_t count); // DIS-164
// The same with what the nodes cost beside their machines (node_cost.h).
int64_t candidates_cost(const struct disruption *disruption,
                        struct disruption_candidate *const *candidates, uint32_t count);
