// One pass of the provisioner: its snapshot, its plan, and what came of it.
#pragma once

#include "control/provisioning/snapshot_builder.h"
#include "control/state/node_claim_template.h"
#include "engine/engine.h"
#include "engine/pods/backlog_chunk.h"

struct preference_warnings;
struct target_report;
struct provisioning_pass_parts { // borrowed
    struct snapshot_sources sources;
    struct preference_warnings *preference_warnings;
    struct target_report *target_report;
};
struct provisioning_pass {
    struct control *control;
    struct provisioning_pass_parts parts;
    struct snapshot *snapshot;
    struct plan *plan;  // NULL until planned, or if planning failed
    struct error error; // of planning
    int64_t started_ns, planned_ns;
    struct arena *arena;
    struct creation_round *round;         // NULL before the first
    uint32_t next;                        // claim of the plan, to be created in the next round
    uint32_t created, refused, held_back; // of its claims; the last for a trial (launch_backoff.h)
    bool with_reasons;                    // of pods without place: launches wait
    struct text errors;                   // NodePools whose instance types could not be read
    bool early;        // more pods of the same wave are coming (batcher.h, partial_launch.h)
    bool rest;         // of an early pass: some pods were left for the next one
    bool with_buffers; // placeholder pods were planned too: neither early nor with pods left out
    LIST(struct plan_zone)
    zones;             // of all pods planned, also where an early pass leaves some (SCH-398)
    uint32_t left_out; // pending pods that the pass does not plan (backlog_chunk.h)
    bool was_told;     // the decision is told again: it was made once (SCH-526)
};

// NodeClaims that are created at the same time. So that a large plan needs not much more memory
// than a small one: a NodeClaim's body names up to 600 types.
#define ROUND_CLAIMS_MAX 100
struct creation_round {
    struct arena *arena;
    uint32_t first, count;         // claims of the plan
    struct claim_types *types;     // of each
    char *names[ROUND_CLAIMS_MAX]; // of the NodeClaims, chosen by us; NULL: not to be created
};

struct provisioning_pass *provisioning_pass_create(const struct provisioning_pass_parts *parts,
                                                   const struct backlog_chunk_options *portion);
void provisioning_pass_destroy(struct provisioning_pass *pass); // NULL is fine
// The pure part, for a worker thread. An early pass plans only what should not wait.
void provisioning_pass_plan(struct provisioning_pass *pass);
// Chooses types and names of the NodeClaims to create in the next round; answers how many. 0: the
// pass is done. The limits are looked at anew each time, for all claims that are still to be
// created, in order: whatever else was launched meanwhile, they are kept (SCH-519).
uint32_t provisioning_pass_prepare(struct provisioning_pass *pass);
// Logs, events, nominations and metrics of the decision (SCH-390 to SCH-397).
void provisioning_pass_tell(struct provisioning_pass *pass);
// One NodeClaim was created: pods spoken for, Nominated events (SCH-380).
void provisioning_pass_created(struct provisioning_pass *pass, uint32_t index,
                               const struct node_claim *claim);
// The answer to a create call was lost: its pods count as spoken for if the NodeClaim shows up.
void provisioning_pass_uncertain(struct provisioning_pass *pass, uint32_t index);
