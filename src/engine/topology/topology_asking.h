// Counts pods of the queue that require values of a label.
#pragma once

#include "engine/pass/pass_state.h"

// The number of pods of the queue that require exactly this value of the label.
uint32_t topology_asking(struct pass *pass, uint32_t key, uint32_t value);
