#include "engine/disruption/pdb_blocks.h"

#include <assert.h>

#include "base/text.h"
#include "engine/pods/pod_facts.h"
#include "model/reading/selector.h"

const char *pdb_blocks(struct pdb_check *pdbs, const struct pod *pod, const struct pod_facts *facts,
                       enum candidate_check *check)
{
    if (facts->budget == BUDGET_NONE && pdbs->index->unreadable_count == 0)
        return NULL;
    const struct pod_disruption_budget *unreadable =
        pdb_index_unreadable(pdbs->index, pod->meta.namespace);
    *check = CHECK_UNREADABLE_BUDGET;
    if (unreadable != NULL)
        return arena_format(pdbs->arena, "Pdb %s (PodDisruptionBudget=[%s/%s])",
                            unreadable->meta.unreadable != NULL ? "cannot be read"
                                                                : "has an invalid selector",
                            pod->meta.namespace, unreadable->meta.name);
    pod_facts_budgets(facts, pdbs->index, pod, &pdbs->matches);
    if (pdbs->matches.items.count == 0)
        return NULL;
    assert(pdbs->matches.items.items[0] < pdbs->index->count);
    const struct pod_disruption_budget *match = pdbs->index->items[pdbs->matches.items.items[0]];
    *check = CHECK_BUDGET;
    vector_for_each (index, &pdbs->matches.items)
        if (budget_is_unreadable(pdbs->index->items[*index]))
            return arena_format(pdbs->arena,
                                "Selector of a PDB cannot be read, so that it may be of any pod of "
                                "its namespace (PodDisruptionBudget=[%s/%s])",
                                pod->meta.namespace, pdbs->index->items[*index]->meta.name);
    *check = CHECK_SEVERAL_BUDGETS;
    if (pdbs->matches.items.count > 1)
        return arena_format(pdbs->arena,
                            "Eviction does not support multiple PDBs "
                            "(PodDisruptionBudget(s)=[%s/%s %s/%s])",
                            pod->meta.namespace, match->meta.name, pod->meta.namespace,
                            pdbs->index->items[pdbs->matches.items.items[1]]->meta.name);
    if (match->status.disruptions_allowed > 0 ||
        (text_equal(match->spec.unhealthy_pod_eviction_policy, "AlwaysAllow") &&
         (facts->flags & POD_UNREADY) != 0))
        return NULL;
    *check = CHECK_BUDGET;
    return arena_format(pdbs->arena, "Pdb prevents pod evictions (PodDisruptionBudget=[%s/%s])",
                        pod->meta.namespace, match->meta.name);
}
