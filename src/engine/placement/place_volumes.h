// ReadWriteOncePod volume claims during placement (SCH-515).
#pragma once

#include "engine/pass/pass_state.h"
#include "engine/topology/topology.h"

void volumes_start(struct pass *pass);
bool volumes_free(struct pass *pass, const struct shape *shape); // false with an error
void volumes_take(struct pass *pass, const struct shape *shape);
