// A funnel: the instance types of a NodePool that each check leaves for a class of pods (SCH-520
// part 2).
#pragma once

#include "engine/pass/pass_state.h"

struct funnel { // lives in the arena that funnel_run() was given
    const struct node_template *template;
    uint32_t class, set; // the requirements of the template and the pod without alternatives
    uint32_t *sets;      // the same with each possible node affinity term (SCH-508)
    uint32_t sets_count; // 0: the labels of pool and pod conflict
    bool unknown_label;  // their conflict is a label that the pool does not have
    struct bitset rows[STAGE_COUNT];   // left after each stage
    struct bitset compatible, offered; // of the table's rows: with any of the sets
    struct bitset limited, ported, attachable, bare,
        fitting; // of the template's rows: within limits, without a host port conflict, with room
                 // for the volumes, large enough without and with their DaemonSets
    enum plan_stage_kind emptied; // the first stage that leaves none, or STAGE_COUNT
    enum reason_code code;        // of that stage
};

// Runs a new claim of the template through all checks. Places nothing.
void funnel_run(struct pass *pass, const struct node_template *template, uint32_t class,
                struct arena *arena, struct funnel *funnel);
// The number of types among the rows.
uint32_t funnel_types(const struct funnel *funnel, struct bitset rows);

static inline const struct shape *funnel_shape(const struct pass *pass, const struct funnel *funnel)
{
    return shape_of(pass->problem, class_at(pass->problem, funnel->class));
}
