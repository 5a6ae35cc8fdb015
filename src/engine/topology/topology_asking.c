#include "engine/topology/topology_asking.h"

#include <assert.h>

static void count_asking(struct pass *pass)
{
    assert(!pass->asked.pods_known);
    struct problem *problem = pass->problem;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct shape *shape = shape_of(problem, class_at(problem, pass_pod(pass, i)->class));
        assert(shape->set < problem->sets->sets_count);
        const struct requirement_set *set = &problem->sets->sets[shape->set];
        for (uint32_t r = 0; r < set->count; r++) {
            const struct requirement *asked = requirement_get(problem->sets, set->requirements[r]);
            if (asked->complement || asked->count != 1)
                continue;
            uint32_t known = memo_get(&pass->asked.pods, asked->key, asked->values[0]);
            memo_set(&pass->asked.pods, asked->key, asked->values[0],
                     known == MEMO_NONE ? 1 : known + 1);
        }
    }
    pass->asked.pods_known = true;
}

uint32_t topology_asking(struct pass *pass, uint32_t key, uint32_t value)
{
    if (!pass->asked.pods_known)
        count_asking(pass);
    uint32_t count = memo_get(&pass->asked.pods, key, value);
    return count == MEMO_NONE ? 0 : count;
}
