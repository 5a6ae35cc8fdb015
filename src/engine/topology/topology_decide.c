#include "engine/topology/topology_decide.h"

#include <assert.h>
#include <stdlib.h>

#include "engine/pods/domain_universe.h"
#include "engine/pods/topology_groups.h"
#include "engine/topology/topology_key.h"

// --- unplaced pods -------------------------------------------------------------------------------

static void wait_for(struct pass *pass, uint32_t pod, int step)
{
    const struct pod_class *class = class_at(pass->problem, pass_pod(pass, pod)->class);
    if (class->refusal != NULL)
        return;
    for (uint32_t g = 0; g < class->groups_count; g++)
        pass->work->groups.items[class->groups[g]]->owners_waiting += (uint32_t)step;
    const struct group_list *repelling = &pass->work->repelling[class->identity];
    for (uint32_t g = 0; g < repelling->count; g++)
        pass->work->groups.items[repelling->items[g]]->selected_waiting += (uint32_t)step;
}

void topology_start_waiting(struct pass *pass)
{
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        wait_for(pass, i, 1);
}

void topology_stop_waiting(struct pass *pass, uint32_t pod)
{
    assert(pod < pass->input.queue_count);
    wait_for(pass, pod, -1);
}

// The number of other unplaced pods that depend on what a pod of the class adds to the group.
static uint32_t others_waiting(struct pass *pass, const struct pod_class *class,
                               const struct group_state *group)
{
    if (group->definition->kind == GROUP_INVERSE)
        return group->selected_waiting - (group->selected_waiting > 0 &&
                                          group_selects(pass->problem, group->id, class->identity));
    bool own = false;
    for (uint32_t g = 0; g < class->groups_count && !own; g++)
        own = class->groups[g] == group->id;
    return group->owners_waiting - (own && group->owners_waiting > 0);
}

// --- open keys -----------------------------------------------------------------------------------

static uint32_t filter_keys_count(const struct problem *problem,
                                  const struct group_definition *group)
{
    uint32_t count = 0;
    for (uint32_t t = 0; group->honor_affinity && t < group->terms_count; t++)
        count += problem->sets->sets[group->terms[t].set].count;
    return count;
}

uint32_t topology_prepare_counting(struct pass *pass, const struct pod_class *class,
                                   struct class_state *state)
{
    struct problem *problem = pass->problem;
    uint32_t keys = 0;
    if (!pass->problem->strategy->decides_domains)
        return 0;
    const struct group_list *selecting = &pass->work->selecting[class->identity];
    for (uint32_t i = 0; i < selecting->count + class->inverse_count; i++) {
        uint32_t id =
            i < selecting->count ? selecting->items[i] : class->inverse[i - selecting->count];
        const struct group_definition *group = problem->topology.groups.items[id];
        uint32_t of_group =
            (group->key != problem->keys.hostname) + filter_keys_count(problem, group);
        if (!group->hard || of_group == 0)
            continue;
        group_list_add(&state->counting, id);
        keys += of_group;
    }
    return keys;
}

// True if nodes of the claim may get different values of the label.
static bool is_open(const struct problem *problem, const struct candidate *candidate, uint32_t key)
{
    const struct requirement *requirement = set_get(problem->sets, candidate->set, key);
    if (requirement == NULL || requirement->complement)
        return vocabulary_is_well_known(problem->vocabulary, key);
    return requirement->count > 1;
}

static bool is_within(const struct problem *problem, const struct requirement *inner,
                      const struct requirement *outer)
{
    if (inner == NULL || inner->complement)
        return false;
    for (uint32_t i = 0; i < inner->count; i++)
        if (!requirement_has(problem->vocabulary, outer, inner->values[i]))
            return false;
    return true;
}

// True if every possible node of the claim satisfies the term.
static bool term_is_certain(const struct problem *problem, const struct candidate *candidate,
                            const struct node_term *term)
{
    const struct requirement_set *set = &problem->sets->sets[term->set];
    for (uint32_t i = 0; i < set->count; i++) {
        const struct requirement *outer = requirement_get(problem->sets, set->requirements[i]);
        if (!is_within(problem, set_get(problem->sets, candidate->set, outer->key), outer))
            return false;
    }
    return true;
}

static void decide(struct topology_choice *choice, const struct problem *problem,
                   const struct candidate *candidate, uint32_t key)
{
    if (!topology_decides(choice, key) && is_open(problem, candidate, key))
        choice->decided[choice->decided_count++] = key;
}

// Decides the keys of the spread's filter, so that it is certain whether the spread counts nodes of
// the claim.
static void decide_filter(struct topology_choice *choice, const struct problem *problem,
                          const struct candidate *candidate, const struct group_definition *group)
{
    for (uint32_t t = 0; t < group->terms_count; t++)
        if (term_is_certain(problem, candidate, &group->terms[t]))
            return;
    for (uint32_t t = 0; t < group->terms_count; t++) {
        const struct requirement_set *set = &problem->sets->sets[group->terms[t].set];
        for (uint32_t i = 0; i < set->count; i++)
            decide(choice, problem, candidate,
                   requirement_get(problem->sets, set->requirements[i])->key);
    }
}

void topology_find_undecided(struct pass *pass, const struct pod_class *class,
                             const struct class_state *state, const struct candidate *candidate,
                             struct topology_choice *choice)
{
    struct problem *problem = pass->problem;
    choice->decided_count = 0;
    for (uint32_t i = 0; i < state->counting.count && candidate->is_claim; i++) {
        const struct group_state *group = pass->work->groups.items[state->counting.items[i]];
        const struct group_definition *definition = group->definition;
        // Placed pods must not depend on how the claim is launched (SCH-516).
        bool placed = definition->kind == GROUP_SPREAD && group->has_owners;
        if (others_waiting(pass, class, group) == 0 && !placed)
            continue;
        if (definition->kind == GROUP_SPREAD && definition->honor_affinity)
            decide_filter(choice, problem, candidate, definition);
        if (definition->key != problem->keys.hostname)
            decide(choice, problem, candidate, definition->key);
    }
}

// --- deciding ------------------------------------------------------------------------------------

// The possible values of the claim, unordered; the caller frees them.
static uint32_t values_of(struct pass *pass, const struct candidate *candidate, uint32_t key,
                          uint32_t **values)
{
    struct problem *problem = pass->problem;
    const struct requirement *requirement = set_get(problem->sets, candidate->set, key);
    const struct domain_universe *universe = domain_universe(problem, key);
    bool named = requirement != NULL && !requirement->complement;
    uint32_t count = named ? requirement->count : universe->count, kept = 0;
    const uint32_t *from = named ? requirement->values : universe->values;
    *values = memory_allocate_array(count + 1, sizeof **values);
    for (uint32_t i = 0; i < count; i++)
        if (requirement == NULL || requirement_has(problem->vocabulary, requirement, from[i]))
            (*values)[kept++] = from[i];
    return kept;
}

void topology_decide_rest(struct pass *pass, const struct class_state *state,
                          const struct candidate *candidate)
{
    const struct topology_choice *choice = state->choice;
    uint32_t settled = choice->keys_count;
    for (uint32_t i = 0; i < choice->decided_count; i++) {
        uint32_t key = choice->decided[i], *values;
        bool done = false;
        for (uint32_t k = 0; k < settled && !done; k++)
            done = choice->keys[k].key == key;
        if (done)
            continue;
        uint32_t count = values_of(pass, candidate, key, &values);
        if (count > 0)
            topology_add_alternatives(pass, state, candidate, key, values, count);
        free(values);
    }
}
