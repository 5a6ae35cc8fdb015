// Outcomes of consolidations (DIS-749): 10 min after the end of a command its plan is compared with
// the result.
//
// - Successors of the evicted pods: are they on the planned nodes? A workload whose pods went
//   elsewhere twice within a day is planned by the nodes that kube-scheduler chose (struct
//   scheduled_workload), until a day after the last time.
// - The saving: the price of the old nodes, less the replacements that exist, less new nodes that
//   the pods needed in addition; the latter count as lost (savings.h).
// - Replacements that stayed empty or saved nothing count in the history as a move back (DIS-748):
//   the next similar move is the last for a day.
//
// Kept in memory: a successor learns anew. There are no outcomes under COMPATIBILITY=upstream.
#pragma once

#include "control/command/disruption_command.h"
#include "engine/problem/disruption_inputs.h"

struct consolidation_outcomes;
struct consolidation_history;
struct savings;
struct consolidation_outcomes *consolidation_outcomes_create(struct control *control,
                                                             struct consolidation_history *history,
                                                             struct savings *savings);
void consolidation_outcomes_destroy(struct consolidation_outcomes *outcomes); // NULL is fine

// A command is about to be executed: its pods are observed from now on, if it is a consolidation.
// Then it succeeds or fails.
void consolidation_outcomes_begin(struct consolidation_outcomes *outcomes,
                                  const struct disruption_command *command);
void consolidation_outcomes_end(struct consolidation_outcomes *outcomes,
                                const struct disruption_command *command);
void consolidation_outcomes_drop(struct consolidation_outcomes *outcomes,
                                 const struct disruption_command *command);
// Compares the commands that are due. Cheap; called periodically.
void consolidation_outcomes_review(struct consolidation_outcomes *outcomes);
// The workloads that are planned by kube-scheduler's choices, by UID; in `arena`.
struct scheduled_list consolidation_outcomes_scheduled(struct consolidation_outcomes *outcomes,
                                                       struct arena *arena);
// Pods that were led to their places (engine/placement/drain_guidance.h) went elsewhere lately: for
// an hour none are.
bool consolidation_outcomes_unguided(const struct consolidation_outcomes *outcomes);
