// One pass of the provisioner: its snapshot, its plan, and what came of it.
#pragma once

#include "control/control.h"
#include "control/node_claim_template.h"
#include "engine/engine.h"

struct provisioning_pass {
    struct control *control;
    struct snapshot *snapshot;
    struct plan *plan;  // NULL until planned, or if planning failed
    struct error error; // of planning
    int64_t started_ns, planned_ns;
    struct arena *arena;
    struct claim_types *types; // by claim of the plan
    char **names;              // of the NodeClaims, chosen by us; NULL: not to be created
    uint32_t created, refused;
    struct text errors; // NodePools whose instance types could not be read
    bool early;         // more pods of the same wave are coming (batcher.h, early_pass.h)
    bool rest;          // of an early pass: some pods were left for the next one
};

struct provisioning_pass *provisioning_pass_create(struct control *control);
void provisioning_pass_destroy(struct provisioning_pass *pass); // NULL is fine
// The pure part, for a worker thread. An early pass plans only what should not wait.
void provisioning_pass_plan(struct provisioning_pass *pass);
// Chooses types and names of the NodeClaims to create; answers how many.
uint32_t provisioning_pass_prepare(struct provisioning_pass *pass);
// Logs, events, nominations and metrics of the decision (SCH-390 to SCH-397).
void provisioning_pass_tell(struct provisioning_pass *pass);
// One NodeClaim was created: log, metric, pods spoken for, Nominated events (SCH-380).
void provisioning_pass_created(struct provisioning_pass *pass, uint32_t index,
                               const struct node_claim *claim);
// The answer to a create call was lost: its pods count as spoken for if the NodeClaim shows up.
void provisioning_pass_uncertain(struct provisioning_pass *pass, uint32_t index);
