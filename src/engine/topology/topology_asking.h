// How many pods of the queue ask for values of a label.
#pragma once

#include "engine/pass/pass_state.h"

// How many pods of the queue ask for this value of the label, and no other.
uint32_t topology_asking(struct pass *pass, uint32_t key, uint32_t value);
