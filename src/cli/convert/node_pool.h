// v1beta1 NodePool and NodeClaim to v1 (MIG section 4).
#pragma once

#include "cli/convert/conversion.h"

void node_pool_convert(struct source *source);
void node_claim_convert(struct source *source);
