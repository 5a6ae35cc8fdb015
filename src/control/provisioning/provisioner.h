// The controller provisioner (SCH-10 to SCH-19, SCH-376 to SCH-398): batches what waits for a node,
// has the engine plan it, creates the NodeClaims, tells what was decided.
#pragma once

#include "control/provisioning/snapshot_builder.h"
#include "control/runtime/control.h"

struct nominator;
struct pod_metrics;
struct provisioner;
struct target_report;
struct wave_report;
struct provisioner_parts { // borrowed, from the rooms below
    struct snapshot_sources sources;
    struct nominator *nominator;     // NULL: pods are not nominated
    struct pod_metrics *pod_metrics; // NULL: switched off
    struct target_report *target_report;
    struct wave_report *wave_report;
};
// WAKE_PROVISIONER, SCH-11: something wants a pass. A UID triggers once a batch.
// WAKE_PROVISIONING_INPUTS: something that decisions depend on has changed, and no handler of the
// mirror could tell.
struct provisioner *provisioner_create(struct control *control,
                                       const struct provisioner_parts *parts);
// A plan under way on a worker thread is dropped when it is done.
void provisioner_destroy(struct provisioner *provisioner);
