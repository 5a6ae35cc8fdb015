// The modules of disruption that belong to the disruption controller (disruption_parts.h).
#pragma once

#include "control/disruption/disruption_parts.h"

// Called when the borrowed modules are set.
void disruption_assemble(struct disruption_parts *parts);
void disruption_disassemble(struct disruption_parts *parts);
