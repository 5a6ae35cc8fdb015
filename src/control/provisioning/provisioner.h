// The controller provisioner (SCH-10 to SCH-19, SCH-376 to SCH-398): it batches pending pods, runs
// the engine, creates the NodeClaims and reports the decisions.
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
// WAKE_PROVISIONER, SCH-11: triggers a pass. A UID triggers once a batch. WAKE_PROVISIONING_INPUTS:
// an input of decisions has changed that no handler of the mirror sees.
struct provisioner *provisioner_create(struct control *control,
                                       const struct provisioner_parts *parts);
// The result of a plan under way on a worker thread is dropped.
void provisioner_destroy(struct provisioner *provisioner);
