#include "engine/topology/topology_base.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pods/classes.h"
#include "engine/pods/domain_universe.h"
#include "engine/pods/topology_groups.h"

// Nodes that a filter cannot tell apart, unless it reads the hostname.
struct node_kind {
    uint32_t set, taints, usable;
};
struct topology_base {
    struct memo hostnames;   // hostname -> node
    bool hostnames_shared;   // several nodes share one
    uint32_t *start, *bound; // by identity: start of the indexes of its running pods
    uint32_t identities;
    VECTOR(struct node_kind) kinds;
    struct identity_groups *inverse; // by identity
    VECTOR(struct group_base *) groups;
    // Running pods that own an inverse group, sorted by group.
    struct owner {
        uint32_t group, bound;
    } * owners;
    uint32_t owners_count;
};

// --- indexes of the problem ----------------------------------------------------------------------

static void index_identities(const struct problem *problem, struct topology_base *base)
{
    base->identities = problem->interned.identities.count;
    base->start = memory_allocate_array(base->identities + 2, sizeof *base->start);
    base->bound = memory_allocate_array(problem->pods.bound_count + 1, sizeof *base->bound);
    for (uint32_t i = 0; i < problem->pods.bound_count; i++)
        base->start[problem->pods.bound[i].identity + 2]++;
    for (uint32_t i = 2; i < base->identities + 2; i++)
        base->start[i] += base->start[i - 1];
    for (uint32_t i = 0; i < problem->pods.bound_count; i++)
        base->bound[base->start[problem->pods.bound[i].identity + 1]++] = i;
    assert(base->start[base->identities] == problem->pods.bound_count);
}

static bool is_usable(const struct problem *problem, uint32_t index)
{
    return !problem->nodes.items[index].marked_for_deletion &&
           (problem->nodes.items[index].node != NULL || problem->strategy->counts_planned_nodes);
}

static void index_places(const struct problem *problem, struct topology_base *base)
{
    struct memo known = {0};
    for (uint32_t i = 0; i < problem->nodes.count; i++) {
        const struct schedulable_node *node = &problem->schedulable_nodes[i];
        base->hostnames_shared =
            base->hostnames_shared || memo_get(&base->hostnames, node->hostname, 0) != MEMO_NONE;
        memo_set(&base->hostnames, node->hostname, 0, i);
        if (!is_usable(problem, i))
            continue;
        uint32_t kind = memo_get(&known, node->set, node->real_taints);
        if (kind == MEMO_NONE) {
            kind = base->kinds.count;
            memo_set(&known, node->set, node->real_taints, kind);
            vector_push(&base->kinds, (struct node_kind){node->set, node->real_taints, 0});
        }
        base->kinds.items[kind].usable++;
    }
    memo_free(&known);
}

static int compare_owners(const void *a, const void *b)
{
    const struct owner *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->bound > y->bound) - (x->bound < y->bound);
}

static void add_inverse(struct identity_groups *list, uint32_t group)
{
    if (list->count == list->capacity) {
        list->capacity = 2 * list->capacity + 4;
        list->items = memory_resize(list->items, list->capacity * sizeof *list->items);
    }
    list->items[list->count++] = group;
}

static void index_inverse(const struct problem *problem, struct topology_base *base)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < problem->pods.bound_inverse_count; i++)
        count += problem->pods.bound[problem->pods.bound_inverse[i]].inverse_count;
    base->owners = memory_allocate_array(count + 1, sizeof *base->owners);
    for (uint32_t i = 0; i < problem->pods.bound_inverse_count; i++) {
        const struct bound_pod *bound = &problem->pods.bound[problem->pods.bound_inverse[i]];
        for (uint32_t g = 0; g < bound->inverse_count; g++)
            base->owners[base->owners_count++] =
                (struct owner){bound->inverse[g], problem->pods.bound_inverse[i]};
    }
    assert(base->owners_count == count);
    qsort(base->owners, count, sizeof *base->owners, compare_owners);
    base->inverse = memory_allocate_array(base->identities + 1, sizeof *base->inverse);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t group = base->owners[i].group;
        assert(group < problem->topology.groups.count);
        if (i > 0 && base->owners[i - 1].group == group)
            continue;
        bitset_for_each (identity, problem->topology.groups.items[group]->selects)
            add_inverse(&base->inverse[identity], group);
    }
}

static struct topology_base *base_of(struct problem *problem)
{
    if (problem->topology.base == NULL) {
        problem->topology.base = memory_allocate(sizeof *problem->topology.base);
        index_identities(problem, problem->topology.base);
        index_places(problem, problem->topology.base);
        index_inverse(problem, problem->topology.base);
    }
    return problem->topology.base;
}

static void free_counts(struct domain_counts *counts)
{
    vector_free(&counts->items);
    memo_free(&counts->index);
}

void topology_base_free(struct problem *problem)
{
    struct topology_base *base = problem->topology.base;
    if (base == NULL)
        return;
    vector_for_each (group, &base->groups)
        if (*group != NULL) {
            free_counts(&(*group)->pods);
            free_counts(&(*group)->nodes);
            free((*group)->open);
            free(*group);
        }
    vector_free(&base->groups);
    vector_free(&base->kinds);
    memo_free(&base->hostnames);
    for (uint32_t i = 0; i < base->identities; i++)
        free(base->inverse[i].items);
    free(base->inverse);
    free(base->owners);
    free(base->start);
    free(base->bound);
    free(base);
    problem->topology.base = NULL;
}

const struct identity_groups *topology_base_inverse(struct problem *problem, uint32_t identity)
{
    static const struct identity_groups none;
    const struct topology_base *base = base_of(problem);
    return identity < base->identities ? &base->inverse[identity] : &none;
}

uint32_t topology_base_node_at(struct problem *problem, uint32_t hostname)
{
    const struct topology_base *base = base_of(problem);
    return base->hostnames_shared ? NONE : memo_get(&base->hostnames, hostname, 0);
}

// --- domains -------------------------------------------------------------------------------------

// The domain of a Node, or SYMBOL_NONE.
static uint32_t node_domain(const struct problem *problem, const struct node_object *node,
                            const struct group_definition *definition)
{
    if (definition->key == problem->keys.hostname)
        return node->has_hostname || definition->kind != GROUP_INVERSE ? node->hostname_value
                                                                       : SYMBOL_NONE;
    const struct requirement *label = set_get(problem->sets, node->set, definition->key);
    return label != NULL && !label->complement && label->count == 1 ? label->values[0]
                                                                    : SYMBOL_NONE;
}

// Terminating pods count for anti-affinity until they are gone, and for affinity among pods of one
// kind (SCH-515).
static bool counts_terminating(const struct problem *problem,
                               const struct group_definition *definition)
{
    return problem->strategy->filters_as_scheduler &&
           (definition->kind == GROUP_ANTI_AFFINITY ||
            (definition->kind == GROUP_AFFINITY && definition->mutual));
}

static bool owns(const struct bound_pod *bound, uint32_t group)
{
    for (uint32_t i = 0; i < bound->inverse_count; i++)
        if (bound->inverse[i] == group)
            return true;
    return false;
}

uint32_t topology_base_domain_of_pod(struct problem *problem, uint32_t group, uint32_t index)
{
    assert(index < problem->pods.bound_count);
    assert(problem->topology.base->groups.items[group] != NULL);
    const struct group_definition *definition = problem->topology.groups.items[group];
    const struct bound_pod *bound = &problem->pods.bound[index];
    const struct node_object *node = &problem->node_objects.items[bound->node];
    if (definition->kind == GROUP_INVERSE)
        return owns(bound, group) ? node_domain(problem, node, definition) : SYMBOL_NONE;
    if ((!bound->counted && !problem->topology.base->groups.items[group]->terminating) ||
        !bitset_has(definition->selects, bound->identity))
        return SYMBOL_NONE;
    uint32_t value = node_domain(problem, node, definition);
    return value != SYMBOL_NONE && group_filter_passes(problem, definition, node->set,
                                                       node->hostname_value, node->taints, false)
               ? value
               : SYMBOL_NONE;
}

static uint32_t domain_of_set(const struct problem *problem, uint32_t set, uint32_t key)
{
    const struct requirement *label = set_get(problem->sets, set, key);
    return label != NULL && !label->complement && label->count == 1 ? label->values[0]
                                                                    : SYMBOL_NONE;
}

uint32_t topology_base_domain_of_node(struct problem *problem, uint32_t group, uint32_t index)
{
    assert(index < problem->nodes.count);
    const struct group_definition *definition = problem->topology.groups.items[group];
    const struct schedulable_node *node = &problem->schedulable_nodes[index];
    uint32_t value = domain_of_set(problem, node->set, definition->key);
    return is_usable(problem, index) && value != SYMBOL_NONE &&
                   group_filter_passes(problem, definition, node->set, node->hostname,
                                       node->real_taints, false)
               ? value
               : SYMBOL_NONE;
}

// --- counting ------------------------------------------------------------------------------------

static void add(struct domain_counts *counts, uint32_t value, uint32_t number)
{
    assert(number > 0);
    uint32_t position = memo_get(&counts->index, value, 0);
    if (position == MEMO_NONE) {
        position = counts->items.count;
        vector_push(&counts->items, (struct domain){value, 0});
        memo_set(&counts->index, value, 0, position);
    }
    assert(position < counts->items.count);
    counts->items.items[position].count += number;
}

static void count_pod(struct problem *problem, uint32_t group, uint32_t bound,
                      struct domain_counts *counts)
{
    uint32_t value = problem->pods.bound[bound].scheduled
                         ? SYMBOL_NONE
                         : topology_base_domain_of_pod(problem, group, bound);
    if (value != SYMBOL_NONE)
        add(counts, value, 1);
}

static void count_pods(struct problem *problem, const struct topology_base *base, uint32_t group,
                       struct domain_counts *counts)
{
    const struct group_definition *definition = problem->topology.groups.items[group];
    if (definition->kind == GROUP_INVERSE) {
        uint32_t low = 0, high = base->owners_count;
        while (low < high) {
            uint32_t middle = (low + high) / 2;
            if (base->owners[middle].group < group)
                low = middle + 1;
            else
                high = middle;
        }
        for (; low < base->owners_count && base->owners[low].group == group; low++)
            count_pod(problem, group, base->owners[low].bound, counts);
        return;
    }
    bitset_for_each (identity, definition->selects)
        for (uint32_t i = identity < base->identities ? base->start[identity] : 0;
             identity < base->identities && i < base->start[identity + 1]; i++)
            count_pod(problem, group, base->bound[i], counts);
}

static bool asks_hostname(const struct group_definition *definition)
{
    for (uint32_t i = 0; definition->honor_affinity && i < definition->terms_count; i++)
        if (definition->terms[i].hostname != REQUIREMENT_NONE)
            return true;
    return false;
}

// SCH-289: Nodes that pass the filter add their label's value.
static void count_nodes(struct problem *problem, const struct topology_base *base, uint32_t group,
                        struct domain_counts *counts)
{
    const struct group_definition *definition = problem->topology.groups.items[group];
    if (asks_hostname(definition)) {
        for (uint32_t i = 0; i < problem->nodes.count; i++) {
            uint32_t value = topology_base_domain_of_node(problem, group, i);
            if (value != SYMBOL_NONE)
                add(counts, value, 1);
        }
        return;
    }
    vector_for_each (kind, &base->kinds) {
        uint32_t value = domain_of_set(problem, kind->set, definition->key);
        if (value != SYMBOL_NONE &&
            group_filter_passes(problem, definition, kind->set, 0, kind->taints, false))
            add(counts, value, kind->usable);
    }
}

// SCH-288: the domains that NodePools can provide; with Honor only those whose taints the owner
// tolerates.
static void find_open(struct problem *problem, const struct group_definition *definition,
                      struct group_base *group)
{
    const struct domain_universe *universe = domain_universe(problem, definition->key);
    assert(problem->templates.count <= universe->words * 64);
    bool all = definition->kind == GROUP_SPREAD && !definition->honor_taints;
    group->open = memory_allocate_array(universe->count, sizeof *group->open);
    for (uint32_t i = 0; i < universe->count; i++) {
        bool open = all;
        for (uint32_t t = 0; t < problem->templates.count && !open; t++)
            open = (universe->templates[(size_t)i * universe->words + t / 64] >> (t % 64) & 1) &&
                   problem_tolerates_hard(problem, definition->tolerations,
                                          problem->templates.items[t]->taints);
        if (open)
            group->open[group->open_count++] = universe->values[i];
    }
}

// SCH-513: advances to the first usable node without a pod that the spread counts.
static void find_empty_node(struct problem *problem, const struct group_definition *definition,
                            struct group_base *group)
{
    for (; group->node_at < problem->nodes.count; group->node_at++) {
        const struct schedulable_node *node = &problem->schedulable_nodes[group->node_at];
        if (problem->nodes.items[group->node_at].marked_for_deletion ||
            !group_filter_passes(problem, definition, node->set, node->hostname, node->taints,
                                 false))
            continue;
        if (domain_counts_get(&group->pods, node->hostname) == 0)
            return;
        group->nodes_before++;
    }
}

const struct group_base *topology_base_of(struct problem *problem, uint32_t id)
{
    assert(id < problem->topology.groups.count);
    struct topology_base *base = base_of(problem);
    while (base->groups.count <= id)
        vector_push(&base->groups, NULL);
    if (base->groups.items[id] != NULL)
        return base->groups.items[id];
    const struct group_definition *definition = problem->topology.groups.items[id];
    struct group_base *group = memory_allocate(sizeof *group);
    base->groups.items[id] = group;
    group->terminating = counts_terminating(problem, definition);
    count_pods(problem, base, id, &group->pods);
    if (definition->kind == GROUP_INVERSE)
        return group;
    if (definition->key != problem->keys.hostname) {
        find_open(problem, definition, group);
        count_nodes(problem, base, id, &group->nodes);
    } else if (definition->kind == GROUP_SPREAD && !base->hostnames_shared) {
        find_empty_node(problem, definition, group);
        assert(group->nodes_before <= group->node_at);
    }
    return group;
}
