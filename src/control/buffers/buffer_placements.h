// Places of the placeholder pods of CapacityBuffers (LIF-244, LIF-245): the last whole pass's
// placement of each, and its outcome for each buffer. A cache: after a restart it is empty until
// the next pass.
//
// A placeholder whose NodeClaim is not launched yet keeps that place, since the machine's remaining
// room is unknown. After the launch each pass places it anew, as no pod ever claims its room.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct buffer_placements;
struct buffer_placements *buffer_placements_create(struct control *control);
void buffer_placements_destroy(struct buffer_placements *ledger);

// The outcome of one buffer in the last pass.
struct buffer_outcome {
    uint32_t placeholders, on_new, failed;
};

// A whole pass was planned for that snapshot. True if a placeholder moved.
bool buffer_placements_note_plan(struct buffer_placements *ledger, const struct snapshot *snapshot,
                                 const struct plan *plan);
// The NodeClaim that a placeholder was planned for exists, or may exist.
void buffer_placements_note_claim(struct buffer_placements *ledger, const struct pod *placeholder,
                                  const char *claim);
// The buffer has only `size` placeholders now. True if some were removed.
bool buffer_placements_trim(struct buffer_placements *ledger, const char *buffer_uid, int64_t size);
// NULL: the last pass had no placeholder of the buffer.
const struct buffer_outcome *buffer_placements_outcome(const struct buffer_placements *ledger,
                                                       const char *namespace, const char *name);
bool buffer_placements_knows(const struct buffer_placements *ledger); // there was a whole pass

// Adds a placeholder of an unlaunched NodeClaim to the next decision as a bound pod; `template` is
// the snapshot's.
void buffer_placements_add_bound(struct buffer_placements *ledger, struct snapshot *snapshot,
                                 const struct capacity_buffer *buffer,
                                 const struct pod_template *template, int64_t size);
// snapshot->buffer_nodes.
void buffer_placements_name_nodes(struct buffer_placements *ledger, struct snapshot *snapshot);
// Whether the node has placeholders.
bool buffer_placements_holds(const struct buffer_placements *ledger, const struct node *node);
