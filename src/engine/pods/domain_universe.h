// Domains of a label key that pools could give (SCH-285, SCH-286).
#pragma once

#include "engine/problem/problem.h"

// SCH-285: what pools could give the key.
const struct domain_universe *domain_universe(struct problem *problem, uint32_t key);
