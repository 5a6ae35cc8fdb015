// Domains that count for a spread (SCH-512).
#pragma once

#include "engine/topology/topology_choice.h"

// SCH-512: true if a domain that NodePools can provide counts for a spread: some pod of the pass
// can be launched there, on a node that passes the spread's filter.
bool topology_domain_counts(struct pass *pass, uint32_t group, uint32_t value);
