// Which domains a spread has to reckon with (SCH-512).
#pragma once

#include "engine/topology/topology_choice.h"

// SCH-512: whether a domain that pools offer counts for a spread: some pod of the pass could be
// launched there, on a node that the spread looks at.
bool topology_domain_counts(struct pass *pass, uint32_t group, uint32_t value);
