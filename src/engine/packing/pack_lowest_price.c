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

#define STEADY_PODS_MAX 2000 // more are packed once, with all machines

static bool repack(struct packing *packing)
{
    uint64_t pods = packing->greedy->input.queue_count;
    packing->steps_max = PROGRAM_STEPS + pods * PROGRAM_STEPS_A_POD;
    column_generation(packing);
    packing->steps_max = packing->steps + FILL_STEPS + pods * FILL_STEPS_A_POD;
    if (!packing_fill(packing))
        return false;
    packing->steps_max = packing->steps + IMPROVE_STEPS + pods * IMPROVE_STEPS_A_POD;
    packing_improve(packing);
    return true;
}

// A pass that is better than the greedy one, or NULL; *counted: the margin affected prices.
// `steady`: without burstable machines; then it states no bound of its own.
static struct pass *find_better(struct pass *greedy, double margin, bool steady, bool *counted)
{
    assert(greedy->claims.count > 0);
    struct pass *pass = pass_create(greedy->problem, &greedy->input);
    struct packing *packing = packing_create(greedy, pass, margin);
    packing->steady = steady;
    bool packed = repack(packing);
    if (packed)
        packing_replay(packing, pass);
    struct pack_outcome was = pack_outcome_of(greedy), is = pack_outcome_of(pass);
    assert(is.placed <= greedy->input.queue_count);
    // The bound covers the pods that the greedy pass leaves to new nodes; a pass with fewer such
    // pods may cost less.
    if (!steady)
        greedy->lower_bound = packing->lower_bound;
    pass->lower_bound = greedy->lower_bound <= is.sum ? greedy->lower_bound : 0;
    *counted = packing->margin_counted;
    packing_destroy(packing);
    if (packed && pack_outcome_is_better(&is, &was))
        return pass;
    pass_destroy(pass);
    return NULL;
}

static bool has_burstable(const struct problem *problem)
{
    for (uint32_t t = 0; t < problem->templates.count; t++)
        if (problem->templates.items[t]->bursts != NULL)
            return true;
    return false;
}

// Burstable machines are many small ones, on which the search may settle too early. So it is tried
// without them as well; their price counts for what it leaves to them.
static struct pass *compare_steady(struct pass *greedy, double margin, struct pass *better)
{
    bool counted;
    struct pass *steady = find_better(greedy, margin, true, &counted);
    if (steady == NULL || better == NULL)
        return steady != NULL ? steady : better;
    struct pack_outcome with = pack_outcome_of(better), without = pack_outcome_of(steady);
    bool wins = pack_outcome_is_better(&without, &with);
    pass_destroy(wins ? better : steady);
    return wins ? steady : better;
}

struct pass *pack_cheaper(struct pass *greedy)
{
    if (greedy->claims.count == 0)
        return greedy;
    double margin = greedy->problem->settings->flexibility_margin;
    bool counted;
    struct pass *better = find_better(greedy, margin, false, &counted);
    if (greedy->input.queue_count <= STEADY_PODS_MAX && has_burstable(greedy->problem))
        better = compare_steady(greedy, margin, better);
    if (better == NULL && counted)
        better = find_better(greedy, 0, false, &counted);
    if (better == NULL)
        return greedy;
    pass_destroy(greedy);
    return better;
}
