// The stages of a funnel for display, with the values that cut most (SCH-520 part 2).
#pragma once

#include "engine/explain/explain_funnel.h"

// Fills the stages for display, with the values that cut most.
void funnel_describe(struct pass *pass, const struct funnel *funnel, struct arena *arena,
                     struct plan_pool_funnel *out);
