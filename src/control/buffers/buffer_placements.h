// Where the placeholder pods of CapacityBuffers are (LIF-244, LIF-245): what the last whole pass
// decided, by placeholder, and how each buffer fared in it. A cache: after a restart nobody knows
// until the next pass.
//
// A placeholder whose NodeClaim is not launched yet keeps that place; nobody knows yet what else
// would fit there. From then on each pass places it anew, as no pod ever claims its room.
#pragma once

#include "control/runtime/control.h"
#include "model/snapshot/plan.h"
#include "model/snapshot/snapshot.h"

struct buffer_ledger;
struct buffer_ledger *buffer_ledger_create(struct control *control);
void buffer_ledger_destroy(struct buffer_ledger *ledger);

// Of one buffer in the last pass.
struct buffer_outcome {
    uint32_t placeholders, on_new, failed;
};

// A whole pass was planned for that snapshot. Answers whether some placeholder moved.
bool buffer_ledger_note_plan(struct buffer_ledger *ledger, const struct snapshot *snapshot,
                             const struct plan *plan);
// The NodeClaim that a placeholder was planned for is, or may be, there.
void buffer_ledger_note_claim(struct buffer_ledger *ledger, const struct pod *placeholder,
                              const char *claim);
// The buffer has only that many placeholders now. Answers whether some went.
bool buffer_ledger_trim(struct buffer_ledger *ledger, const char *buffer_uid, int64_t size);
// NULL: the last pass had none of the buffer's.
const struct buffer_outcome *buffer_ledger_outcome(const struct buffer_ledger *ledger,
                                                   const char *namespace, const char *name);
bool buffer_ledger_knows(const struct buffer_ledger *ledger); // there was a whole pass

// Adds what a placeholder still to come to its unlaunched NodeClaim is for the next decision: a
// bound pod; `template` is the snapshot's.
void buffer_ledger_add_bound(struct buffer_ledger *ledger, struct snapshot *snapshot,
                             const struct capacity_buffer *buffer,
                             const struct pod_template *template, int64_t size);
// snapshot->buffer_nodes.
void buffer_ledger_name_nodes(struct buffer_ledger *ledger, struct snapshot *snapshot);
// Whether placeholders were put on the node.
bool buffer_ledger_holds(const struct buffer_ledger *ledger, const struct node *node);
