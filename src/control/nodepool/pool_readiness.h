// The controllers nodepool.readiness and nodepool.validation (LIF-202, LIF-203): conditions
// NodeClassReady and ValidationSucceeded, from which Ready follows, and BudgetsQuestionable,
// written together.
#pragma once

#include "control/runtime/control.h"

struct pool_controller *pool_readiness_create(struct control *control); // LIF-202, LIF-203
