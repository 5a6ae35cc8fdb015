#include "engine/disruption/upstream_drift.h"

#include <assert.h>

#include "engine/disruption/disruption_candidates.h"
#include "engine/disruption/drift.h"
#include "engine/disruption/remove_nodes.h"

void upstream_drift_decide(struct disruption *disruption)
{
    struct candidate_table table = disruption_candidates(disruption, DISRUPTION_DRIFTED, true);
    candidate_list list = drift_candidates(disruption, &table);
    for (uint32_t i = 0; i < list.count; i++) {
        if (list.items[i]->pool->remaining == 0)
            continue;
        struct removal_simulation removal = removal_simulate(disruption, &list.items[i], 1, false);
        bool possible = removal_is_possible(&removal), failed = removal.no_pool;
        if (possible)
            remove_command(disruption, DISRUPTION_DRIFTED, &removal, &list.items[i], 1);
        else
            remove_refuse(disruption, list.items[i], &removal);
        removal_free(&removal);
        for (uint32_t j = i + 1; failed && j < list.count; j++)
            if (list.items[j]->pool->remaining > 0)
                disruption_note_blocked(disruption, list.items[j], "DIS-227",
                                        "Creating scheduler, no nodepools found");
        if (possible || failed) // DIS-227
            return;
    }
}
