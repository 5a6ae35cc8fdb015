// Domains of a label key that NodePools can provide (SCH-285, SCH-286).
#pragma once

#include "engine/problem/problem.h"

// SCH-285: the values of the key that NodePools can provide.
const struct domain_universe *domain_universe(struct problem *problem, uint32_t key);
