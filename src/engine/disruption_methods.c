#include "engine/disruption_methods.h"

#include <string.h>

#include "engine/consolidation/upstream_multi_node.h"
#include "engine/consolidation/upstream_single_node.h"
#include "engine/disruption/blocked_reasons.h"
#include "engine/disruption/disruption.h"
#include "engine/disruption/drift.h"
#include "engine/disruption/emptiness.h"
#include "engine/disruption/expiry.h"
#include "engine/disruption/static_drift.h"

static void ask_methods(struct disruption *disruption, const char *only)
{
    static const struct {
        const char *name;
        void (*decide)(struct disruption *);
    } methods[] = {{"emptiness", emptiness_decide},
                   {"static-drift", static_drift_decide},
                   {"drift", drift_decide},
                   {"expiry", expiry_decide},
                   {"multi", upstream_multi_node_decide},
                   {"single", upstream_single_node_decide}};
    for (size_t i = 0; i < ARRAY_LENGTH(methods); i++) {
        if ((only != NULL && strcmp(only, methods[i].name) != 0) ||
            (i == METHOD_EMPTINESS && disruption->inputs->without_emptiness) ||
            disruption->plan->disruptions.count > 0)
            continue;
        disruption->asked |= 1U << i;
        methods[i].decide(disruption);
    }
}

// Events of the methods go with those of the plan.
static void take_notes(struct disruption *disruption)
{
    struct plan *plan = disruption->plan;
    const struct problem *problem = disruption->problem;
    uint32_t count = plan->notes.count;
    struct plan_note *notes =
        arena_allocate_array(plan->arena, count + problem->notes.count + 1, sizeof *notes);
    if (count > 0)
        memcpy(notes, plan->notes.items, count * sizeof *notes);
    list_for_each (note, &problem->notes) {
        if (note->level != NOTE_EVENT_NORMAL)
            continue; // compiling the snapshot has been told of already
        notes[count] = *note;
        notes[count++].message = arena_copy_string(plan->arena, note->message);
    }
    plan->notes.items = notes;
    plan->notes.count = count;
}

void disruption_plan(struct problem *problem, const struct plan_options *options, struct plan *plan)
{
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct disruption disruption;
    disruption_begin_with(&disruption, problem, options->inputs, plan, arena);
    disruption.tells = options->verdicts;
    plan->has_disruptions = true;
    ask_methods(&disruption, options->method);
    verdicts_finish(&disruption, options->method);
    take_notes(&disruption);
    disruption_end(&disruption);
}
