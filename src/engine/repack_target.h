// What the nodes that may go would cost if their pods were packed anew, at the best: the target of
// consolidation (DIS-745). A cluster that is near it is left alone but for moves that save much.
#pragma once

#include "engine/disrupt.h"

// Sets disruption->near_target by the candidates of the turn; worked out once.
void repack_target_look(struct disruption *disruption, const candidate_list *wanted);
