// One pass of the provisioner: its snapshot, its plan and its results.
#pragma once

#include "control/provisioning/snapshot_builder.h"
#include "engine/engine.h"
#include "engine/pods/backlog_chunk.h"

struct preference_warnings;
struct shortage_replans;
struct target_report;
struct provisioning_pass_parts { // borrowed
    struct snapshot_sources sources;
    struct preference_warnings *preference_warnings;
    struct shortage_replans *shortages;
    struct target_report *target_report;
};
enum pass_extent {
    PASS_WHOLE,
    PASS_EARLY,      // more pods of the same wave are coming (batcher.h, partial_launch.h)
    PASS_EARLY_PART, // after planning: some pods were left for the next pass
};
struct provisioning_pass {
    struct control *control;
    struct provisioning_pass_parts parts;
    struct snapshot *snapshot;
    uint64_t inputs_version; // of the snapshot (decision_inputs.h)
    struct plan *plan;       // NULL until planned, or if planning failed
    struct error error;      // of planning
    int64_t started_ns, planned_ns;
    struct arena *arena;
    enum pass_extent extent;
    uint32_t left_out;           // pending pods that the pass does not plan (backlog_chunk.h)
    uint32_t created, held_back; // of its claims; the last for a trial (launch_backoff.h)
    bool failed;                 // planning or the creation of some NodeClaim failed
    bool with_reasons;           // of unschedulable pods: launches are delayed
    struct text errors;          // NodePools whose instance types could not be read
    LIST(struct plan_zone)
    zones; // of all pods planned, also where an early pass leaves some (SCH-398)
};

struct provisioning_pass *provisioning_pass_create(const struct provisioning_pass_parts *parts,
                                                   const struct backlog_chunk_options *portion);
void provisioning_pass_destroy(struct provisioning_pass *pass); // NULL is fine
// The pure part, for a worker thread. An early pass plans only the pods that should not wait.
void provisioning_pass_plan(struct provisioning_pass *pass);
// Logs, events, nominations and metrics of the decision (SCH-390 to SCH-397); also for a repeated
// decision.
void provisioning_pass_report(struct provisioning_pass *pass);
// A NodeClaim was created: its pods are planned for it and get Nominated events (SCH-380).
void provisioning_pass_created(struct provisioning_pass *pass, uint32_t index,
                               const struct node_claim *claim);
// A create call had no answer: its pods are planned for the NodeClaim if it appears.
void provisioning_pass_uncertain(const struct provisioning_pass *pass, uint32_t index,
                                 const char *name);
