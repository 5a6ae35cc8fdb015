#include "engine/packing/pack_lowest_price.h"

#include <assert.h>

#include "engine/packing/column_generation.h"
#include "engine/packing/pack_outcome.h"
#include "engine/packing/packing.h"
#include "engine/packing/packing_create.h"
#include "engine/packing/packing_fill.h"
#include "engine/packing/packing_improve.h"
#include "engine/packing/packing_replay.h"
#include "engine/pass/pass_state.h"
#include "engine/placement/pass.h"

// A step takes some nanoseconds. Budgets: a fixed part for any packing, and a part for each pod.
#define PROGRAM_STEPS       UINT64_C(4000000)
#define PROGRAM_STEPS_A_POD 30
#define FILL_STEPS          UINT64_C(20000000)
#define FILL_STEPS_A_POD    3000
#define IMPROVE_STEPS       UINT64_C(2500000)
#define IMPROVE_STEPS_A_POD 50
#define DIVED_STEPS         UINT64_C(600000) // of improvement after a dive

static bool repack(struct packing *packing)
{
    uint64_t pods = packing->greedy->input.queue_count;
    packing->steps_max = PROGRAM_STEPS + pods * PROGRAM_STEPS_A_POD;
    column_generation(packing);
    packing->steps_max = packing->steps + FILL_STEPS + pods * FILL_STEPS_A_POD;
    if (!packing_fill(packing))
        return false;
    packing->steps_max = packing->steps + (packing->dived ? DIVED_STEPS : IMPROVE_STEPS) +
                         pods * IMPROVE_STEPS_A_POD;
    packing_improve(packing);
    return true;
}

// A pass that is better than the greedy one, or NULL; *counted: the margin affected prices.
static struct pass *find_better(struct pass *greedy, double margin, bool *counted)
{
    assert(greedy->claims.count > 0);
    struct pass *pass = pass_create(greedy->problem, &greedy->input);
    struct packing *packing = packing_create(greedy, pass, margin);
    bool packed = repack(packing);
    if (packed)
        packing_replay(packing, pass);
    struct pack_outcome was = pack_outcome_of(greedy), is = pack_outcome_of(pass);
    assert(is.placed <= greedy->input.queue_count);
    // The bound covers the pods that the greedy pass leaves to new nodes; a pass with fewer such
    // pods may cost less.
    greedy->lower_bound = packing->lower_bound;
    pass->lower_bound = greedy->lower_bound <= is.sum ? greedy->lower_bound : 0;
    *counted = packing->margin_counted;
    packing_destroy(packing);
    if (packed && pack_outcome_is_better(&is, &was))
        return pass;
    pass_destroy(pass);
    return NULL;
}

struct pass *pack_cheaper(struct pass *greedy)
{
    if (greedy->claims.count == 0)
        return greedy;
    double margin = greedy->problem->settings->flexibility_margin;
    bool counted;
    struct pass *better = find_better(greedy, margin, &counted);
    if (better == NULL && counted)
        better = find_better(greedy, 0, &counted);
    if (better == NULL)
        return greedy;
    pass_destroy(greedy);
    return better;
}
