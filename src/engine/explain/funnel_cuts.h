// The stages of a funnel for people, with the values that cut most (SCH-520 part 2).
#pragma once

#include "engine/explain/explain_funnel.h"

// The stages with the values that cut most, for people.
void funnel_tell(struct pass *pass, const struct funnel *funnel, struct arena *arena,
                 struct plan_pool_funnel *out);
