// A counter of the changes that a provisioning decision depends on (SCH-526). Node heartbeats,
// progress of containers and other mere status reports do not count.
#pragma once

#include "control/runtime/control.h"

struct decision_inputs;
struct decision_inputs *decision_inputs_create(struct control *control);
void decision_inputs_destroy(struct decision_inputs *inputs); // NULL is fine
uint64_t decision_inputs_version(const struct decision_inputs *inputs);
// A change that the mirror does not show, such as a new plan for a pod.
void decision_inputs_touch(struct decision_inputs *inputs);
// The change is not a heartbeat or a mere status report.
bool node_change_matters(const struct node *before, const struct node *after);
// --- inside, for tests ---------------------------------------------------------------------------
bool pod_change_matters(const struct pod *before, const struct pod *after);
bool claim_change_matters(const struct node_claim *before, const struct node_claim *after);
