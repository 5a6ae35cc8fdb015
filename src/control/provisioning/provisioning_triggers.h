// Triggers of the provisioner (SCH-11 to SCH-15): pending pods, deleted nodes, NodeClaims that end
// early, NodePools that become ready, and wakes open a batch or keep it open. During a pass they
// open the next batch.
#pragma once

#include "control/provisioning/acknowledged_pods.h"
#include "control/runtime/control.h"

struct provisioning_triggers;
struct shortage_replans;
struct workload_bursts;
struct provisioning_triggers_options { // borrowed
    struct control *control;
    struct acknowledged_pods *pods; // hears of their arrival and end
    struct workload_bursts *bursts; // NULL: as upstream
    struct shortage_replans *shortages;
    struct reconcile_queue *queue; // of the provisioner
    const char *key;               // the queue's key when the batch may close
};
struct provisioning_triggers *provisioning_triggers_create(
    const struct provisioning_triggers_options *options);
void provisioning_triggers_destroy(struct provisioning_triggers *triggers);

// A UID triggers once a batch.
void provisioning_triggers_fire(struct provisioning_triggers *triggers, const char *uid);
// The provisioner has found work by itself, and reconciles when the batch is due.
void provisioning_triggers_open(struct provisioning_triggers *triggers, int64_t now_ns);
// The open batch, or the next one, has pods without a decision.
void provisioning_triggers_expect_fresh(struct provisioning_triggers *triggers);

bool provisioning_triggers_is_open(const struct provisioning_triggers *triggers);
// Monotonic: the closing time of the open batch without a further trigger.
int64_t provisioning_triggers_due(const struct provisioning_triggers *triggers);
// Closes the batch; true if it was early: the wave goes on (batcher.h).
bool provisioning_triggers_close(struct provisioning_triggers *triggers, int64_t now_ns);

// A pass begins.
void provisioning_triggers_hold(struct provisioning_triggers *triggers);
// During a pass: another pass follows at once, for the rest of the backlog.
void provisioning_triggers_follow(struct provisioning_triggers *triggers);
// The pass is over.
void provisioning_triggers_release(struct provisioning_triggers *triggers, int64_t now_ns);

bool pool_is_ready(const struct object *pool); // NULL is not
