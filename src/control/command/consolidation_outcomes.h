// What came of consolidations (DIS-749): when one has been over for 10 min, what was planned is
// compared with what happened.
//
// - The pods that took the place of those that left: are they on the nodes that were planned? A
//   workload whose pods went elsewhere twice within a day is planned from then on by where kube-
// scheduler   puts it (struct scheduled_workload), for a day after the last time.
// - The saving: what the old nodes cost, less the replacements that are there, less new nodes that
//   the pods needed after all; the latter count as lost (savings.h).
// - Replacements that stayed empty, and replacements that saved nothing, count in the move ledger
//   as a move back (DIS-748): the next one like it is the last for a day.
//
// Kept in memory: a successor learns anew. None of this under COMPATIBILITY=upstream.
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

// A command is about to be carried out: its pods are watched from now on. Nothing but consolidation
// is. Then it has ended well, or it came to nothing.
void consolidation_outcomes_begin(struct consolidation_outcomes *outcomes,
                                  const struct disruption_command *command);
void consolidation_outcomes_end(struct consolidation_outcomes *outcomes,
                                const struct disruption_command *command);
void consolidation_outcomes_drop(struct consolidation_outcomes *outcomes,
                                 const struct disruption_command *command);
// Judges those whose time has come. Cheap; to be called now and then.
void consolidation_outcomes_review(struct consolidation_outcomes *outcomes);
// The workloads that are to be planned by where they are put, by UID; in `arena`.
struct scheduled_list consolidation_outcomes_scheduled(struct consolidation_outcomes *outcomes,
                                                       struct arena *arena);
