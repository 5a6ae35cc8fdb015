// The controller nodeclaim.disruption (DIS-70 to DIS-88): the conditions Drifted and Consolidatable
// of NodeClaims.
#pragma once

#include "control/runtime/control.h"

struct disruption_conditions *disruption_conditions_create(struct control *control); // DIS-70 ff.
void disruption_conditions_destroy(struct disruption_conditions *conditions);
