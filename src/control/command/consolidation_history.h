// The recent moves of consolidation, which keep it from undoing its own work (DIS-748, DIS-752):
//
// - A replacement that undoes one of the last 24 h for the same workloads is allowed once; then
//   both directions are frozen for 24 h, with an event and a metric.
// - If emptiness removed nodes that were launched again within 15 min, twice within an hour, the
//   NodePool's nodes wait for at least 15 min before they count as empty, until an hour has passed
//   without.
// - Predicted and realised savings of moves go to savings.h when they end.
//
// An annotation of the replacements holds their move, so that a successor knows it. There is no
// history under COMPATIBILITY=upstream.
#pragma once

#include "control/command/disruption_command.h"
#include "engine/problem/disruption_inputs.h"

#define ANNOTATION_REPLACES "adze.dev/replaces"

struct consolidation_history;
struct savings;
struct consolidation_history *consolidation_history_create(struct control *control,
                                                           struct savings *savings);
void consolidation_history_destroy(struct consolidation_history *ledger); // NULL is fine

// A consolidation with replacements begins: called before their creation, it annotates them.
void consolidation_history_begin(struct consolidation_history *ledger,
                                 struct disruption_command *command);
// It has succeeded.
void consolidation_history_end(struct consolidation_history *ledger,
                               const struct disruption_command *command);
// Its replacements were useless (DIS-749): the next similar move undoes the move that undid this
// one.
void consolidation_history_undone(struct consolidation_history *ledger, const char *id);
// Emptiness removed a node.
void consolidation_history_emptied(struct consolidation_history *ledger, const char *pool,
                                   const char *instance_type);
// The replacements that are frozen now; in `arena`.
const struct guarded_move *consolidation_history_frozen(struct consolidation_history *ledger,
                                                        struct arena *arena, uint32_t *count);
// The shortest time that a NodePool's nodes stay empty; 0: its consolidateAfter alone.
int64_t consolidation_history_quiet_ns(const struct consolidation_history *ledger,
                                       const char *pool);
// Once, when the mirror is complete.
void consolidation_history_recover(struct consolidation_history *ledger);
