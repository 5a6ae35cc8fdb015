// Drift of NodeClaims (AWN-480), with the facts of their instances looked up where they are
// missing.
#pragma once

#include "cloud/aws/instances/machines_state.h"

void machine_drift_create(struct aws_machines *machines);
void machine_drift_destroy(struct aws_machines *machines);
const char *machine_drift_reason(struct aws_machines *machines, const struct node_claim *claim);
