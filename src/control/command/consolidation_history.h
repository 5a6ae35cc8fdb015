// What consolidation has done lately, so that it does not go round in circles (DIS-748, DIS-752):
//
// - A replacement that undoes one of the last 24 h for the same workloads is allowed once; then
//   both directions are frozen for 24 h, told by an event and counted.
// - Emptiness that took away what was launched again within 15 min, twice within an hour, makes the
//   NodePool's nodes wait for at least 15 min before they count as empty, until an hour has passed
//   without.
// - What moves were to save, and what they saved, goes to savings.h when they end.
//
// Replacements carry what they came for as an annotation, from which a successor learns it. None of
// this under COMPATIBILITY=upstream.
#pragma once

#include "control/command/disruption_command.h"
#include "engine/problem/disruption_inputs.h"

#define ANNOTATION_REPLACES "adze.dev/replaces"

struct consolidation_history;
struct savings;
struct consolidation_history *consolidation_history_create(struct control *control,
                                                           struct savings *savings);
void consolidation_history_destroy(struct consolidation_history *ledger); // NULL is fine

// A consolidation with replacements begins; they are annotated. Before they are created.
void consolidation_history_begin(struct consolidation_history *ledger,
                                 struct disruption_command *command);
// It has ended well.
void consolidation_history_end(struct consolidation_history *ledger,
                               const struct disruption_command *command);
// Its replacements came for nothing (DIS-749): the next move like it undoes what undid this one.
void consolidation_history_undone(struct consolidation_history *ledger, const char *id);
// A node was taken away as empty.
void consolidation_history_emptied(struct consolidation_history *ledger, const char *pool,
                                   const char *instance_type);
// Replacements that are frozen now; in `arena`.
const struct guarded_move *consolidation_history_frozen(struct consolidation_history *ledger,
                                                        struct arena *arena, uint32_t *count);
// How long a NodePool's nodes must have been quiet at least; 0: as its consolidateAfter says.
int64_t consolidation_history_quiet_ns(const struct consolidation_history *ledger,
                                       const char *pool);
// Once, when the mirror is complete.
void consolidation_history_recover(struct consolidation_history *ledger);
