// When the provisioner has something to decide (SCH-11 to SCH-15): pods that wait, nodes that go,
// NodeClaims that went too early and NodePools that became ready open a batch or keep it open, as
// does whoever wakes the provisioner. During a pass they open the next batch when it is over.
#pragma once

#include "control/provisioning/acknowledged_pods.h"
#include "control/runtime/control.h"

struct provisioning_triggers;
struct workload_bursts;
struct provisioning_triggers_options { // borrowed
    struct control *control;
    struct acknowledged_pods *pods; // told of those that come and go
    struct workload_bursts *bursts; // NULL: as upstream
    struct reconcile_queue *queue;  // of the provisioner
    const char *key;                // added to it when the batch may be closed
};
struct provisioning_triggers *provisioning_triggers_create(
    const struct provisioning_triggers_options *options);
void provisioning_triggers_destroy(struct provisioning_triggers *triggers);

// A UID triggers once a batch.
void provisioning_triggers_fire(struct provisioning_triggers *triggers, const char *uid);
// The provisioner itself has found work, and will look at once when the batch is due.
void provisioning_triggers_open(struct provisioning_triggers *triggers, int64_t now_ns);
// Pods that no pass has seen are in the open batch, or for the next one.
void provisioning_triggers_expect_fresh(struct provisioning_triggers *triggers);

bool provisioning_triggers_is_open(const struct provisioning_triggers *triggers);
// Monotonic: when the open batch is due unless something new comes.
int64_t provisioning_triggers_due(const struct provisioning_triggers *triggers);
// Closes the batch; true if it was early: the wave goes on (batcher.h).
bool provisioning_triggers_close(struct provisioning_triggers *triggers, int64_t now_ns);

// A pass begins.
void provisioning_triggers_hold(struct provisioning_triggers *triggers);
// During a pass: another follows it at once, for the rest of the backlog.
void provisioning_triggers_follow(struct provisioning_triggers *triggers);
// The pass is over.
void provisioning_triggers_release(struct provisioning_triggers *triggers, int64_t now_ns);

bool pool_is_ready(const struct object *pool); // NULL is not
