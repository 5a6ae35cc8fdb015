#include "engine/disruption_methods.h"

#include <assert.h>
#include <string.h>

#include "engine/consolidation/multi_node_search.h"
#include "engine/consolidation/single_node_search.h"
#include "engine/consolidation/upstream_multi_node.h"
#include "engine/consolidation/upstream_single_node.h"
#include "engine/disruption/blocked_reasons.h"
#include "engine/disruption/disruption.h"
#include "engine/disruption/drift.h"
#include "engine/disruption/emptiness.h"
#include "engine/disruption/expiry.h"
#include "engine/disruption/static_drift.h"
#include "engine/disruption/upstream_drift.h"

// Each method under upstream's strategy and under adze's own; NULL: the strategy has no such
// method.
static const struct {
    void (*upstream)(struct disruption *);
    void (*adze)(struct disruption *);
} methods[METHODS_COUNT] = {
    [METHOD_EMPTINESS] = {emptiness_decide, emptiness_decide},
    [METHOD_STATIC_DRIFT] = {static_drift_decide, static_drift_decide},
    [METHOD_DRIFT] = {upstream_drift_decide, drift_decide},
    [METHOD_EXPIRY] = {NULL, expiry_decide},
    [METHOD_MULTI] = {upstream_multi_node_decide, multi_node_search_decide},
    [METHOD_SINGLE] = {upstream_single_node_decide, single_node_search_decide},
};

void disruption_method_decide(struct disruption *disruption, enum disruption_method method)
{
    assert(method > METHOD_ANY && method < METHODS_COUNT);
    void (*decide)(struct disruption *) =
        disruption->strategy->moves_many_at_once ? methods[method].adze : methods[method].upstream;
    disruption->method = method;
    if (decide != NULL)
        decide(disruption);
}

static void ask_methods(struct disruption *disruption, uint32_t asked)
{
    for (enum disruption_method m = METHOD_EMPTINESS; m < METHODS_COUNT; m++)
        if ((asked & METHOD_BIT(m)) != 0 && disruption->plan->disruptions.count == 0)
            disruption_method_decide(disruption, m);
}

// Adds the notes of the disruption methods to the plan's.
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
        if (note->level != NOTE_EVENT || event_row(note->event)->type != EVENT_NORMAL)
            continue; // the plan has the notes of compilation already
        notes[count] = *note;
        notes[count++].message = arena_copy_string(plan->arena, note->message);
    }
    plan->notes.items = notes;
    plan->notes.count = count;
}

void disruption_plan(struct problem *problem, const struct plan_options *options, struct plan *plan)
{
    assert(!plan->has_disruptions);
    assert((options->methods & ~METHODS_ALL) == 0);
    uint32_t asked = options->methods != 0 ? options->methods : METHODS_ALL;
    CLEANUP_ARENA struct arena *arena = arena_create(65536);
    struct disruption disruption;
    disruption_begin_with(&disruption, problem, options->inputs, plan, arena);
    disruption.explains = options->verdicts;
    plan->has_disruptions = true;
    ask_methods(&disruption, asked);
    blocked_reasons_finish(&disruption, asked);
    take_notes(&disruption);
    disruption_end(&disruption);
}
