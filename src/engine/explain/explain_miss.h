// The nearest miss (explain_funnel.h; SCH-520 part 2).
#pragma once

#include "engine/explain/explain_funnel.h"

// The type that fails a single stage by the least. False: none. *shortfall and *dimension: the
// missing amount and resource, for STAGE_RESOURCES.
struct nearest_miss {
    uint32_t row, dimension;
    enum plan_stage_kind stage;
    int64_t shortfall;
};

bool funnel_nearest(struct pass *pass, const struct funnel *funnel, struct nearest_miss *miss);
void funnel_describe_miss(struct pass *pass, const struct funnel *funnel,
                          const struct nearest_miss *miss, struct text *text);
// "300m cpu", "1.2 cpu", "3Gi memory", "2 example.com/gpu".
void explain_add_amount(struct text *text, const struct problem *problem, uint32_t dimension,
                        int64_t amount);
