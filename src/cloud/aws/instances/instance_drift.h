// Why a NodeClaim has drifted from its NodeClass (AWN-480 to 483, AWI-455), of known facts.
#pragma once

#include "cloud/aws/instances/instance_facts.h"
#include "cloud/aws/types/placement_group.h"

struct drift_inputs { // borrowed
    const struct node_claim *claim;
    const struct ec2_node_class *node_class;
    const struct instance_type *type;       // of the claim's label; NULL: unknown
    const struct aws_instance_facts *facts; // NULL: not known
    bool facts_are_fresh;                   // described since the reservation was doubted
    enum placement_group_state group_state;
    const struct placement_group *group;
    bool upstream;
};
struct drift_verdict {
    const char *reason; // static text; NULL: none
    // The facts are missing, or the reservation needs a fresh look: ask again when they are there.
    bool needs_facts, doubts_reservation;
};
struct drift_verdict instance_drift(const struct drift_inputs *inputs);
