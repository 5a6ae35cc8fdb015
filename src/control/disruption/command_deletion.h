// The step of a disruption command that deletes its NodeClaims (DIS-726, DIS-791).
#pragma once

#include "control/disruption/command_step.h"

struct reconcile_result step_delete(struct step *step);
