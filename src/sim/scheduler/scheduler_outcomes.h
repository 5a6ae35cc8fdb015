// Outcomes of an attempt: a binding, at once or after the pod's volumes are bound, or a refusal.
#pragma once

#include "sim/scheduler/scheduler_queue.h"

// Assigns the pod to the node; claims: those that get their volumes only now.
void scheduler_assign(struct scheduler *scheduler, struct scheduled_pod *entry,
                      const char *node_name, const claim_keys *claims);
// The caller frees keys and vector.
claim_keys scheduler_delayed_claims(const struct filter_state *state);
void scheduler_fail(struct scheduler *scheduler, struct scheduled_pod *entry, const char *reason,
                    const char *message); // entry->reasons are set
void scheduler_hold_gated(struct scheduler *scheduler, struct scheduled_pod *entry,
                          struct world_object *pod);
void scheduler_check_binding(void *scheduler, const char *key);
void scheduler_look_at_bindings(struct scheduler *scheduler);
