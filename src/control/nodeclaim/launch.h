// Launch of a NodeClaim (LIF-30 to LIF-36).
#pragma once

#include "control/nodeclaim/claim_pass.h"

void claim_launch(struct claim_pass *pass); // LIF-30 to 36
void record_launch_result(struct claim_record *record, const struct machine_result *result,
                          int64_t now_ns);
