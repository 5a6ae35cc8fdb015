#include "engine/topology/topology_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 8 // length of a chain of dependencies

struct dependency { // required affinity
    uint32_t group, class;
};
struct sorter {
    struct pass *pass;
    struct arena *arena;
    uint32_t *rank;  // by class: first queue index, or that of the first pod that depends on it
    uint32_t *level; // by class: 1 above the class that it depends on
    uint32_t *next;  // by class: the next class of the same identity, + 1
    uint32_t *first; // by identity: class + 1
    uint32_t *owner; // by class: the last visited group that the class owns, + 1
    VECTOR(struct dependency) dependencies; // by group
};

static int compare_dependencies(const void *a, const void *b)
{
    const struct dependency *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

#define QUICK_MAX 256 // length of a queue for which a quick check may rule out reordering

static bool owns(const struct pod_class *class, uint32_t group)
{
    for (uint32_t g = 0; g < class->groups_count; g++)
        if (class->groups[g] == group)
            return true;
    return false;
}

// True if a pod of a short queue depends on one that does not depend on the same pods.
static bool any_pod_depends(const struct pass *pass)
{
    const struct problem *problem = pass->problem;
    for (uint32_t i = 0; i < pass->input.queue_count; i++) {
        const struct pod_class *class = class_at(problem, pass_pod(pass, i)->class);
        for (uint32_t g = 0; g < class->groups_count; g++) {
            const struct group_definition *group = problem->topology.groups.items[class->groups[g]];
            if (group->kind != GROUP_AFFINITY || !group->hard)
                continue;
            for (uint32_t j = 0; j < pass->input.queue_count; j++) {
                const struct pod_class *other = class_at(problem, pass_pod(pass, j)->class);
                if (bitset_has(group->selects, other->identity) && !owns(other, class->groups[g]))
                    return true;
            }
        }
    }
    return false;
}

static void find_dependencies(struct sorter *sorter)
{
    struct problem *problem = sorter->pass->problem;
    for (uint32_t i = 0; i < sorter->pass->input.queue_count; i++) {
        uint32_t id = pass_pod(sorter->pass, i)->class;
        const struct pod_class *class = class_at(problem, id);
        if (sorter->rank[id] != NONE || class->refusal != NULL)
            continue;
        sorter->rank[id] = i;
        sorter->next[id] = sorter->first[class->identity];
        sorter->first[class->identity] = id + 1;
        for (uint32_t g = 0; g < class->groups_count; g++) {
            const struct group_definition *group = problem->topology.groups.items[class->groups[g]];
            if (group->kind == GROUP_AFFINITY && group->hard)
                vector_push(&sorter->dependencies, (struct dependency){class->groups[g], id});
        }
    }
    if (sorter->dependencies.count > 1)
        qsort(sorter->dependencies.items, sorter->dependencies.count,
              sizeof *sorter->dependencies.items, compare_dependencies);
}

// Processes one group: its owners are the affinities from `from` to before `end`.
static bool follow_group(struct sorter *sorter, uint32_t from, uint32_t end)
{
    assert(from < end);
    assert(end <= sorter->dependencies.count);
    uint32_t id = sorter->dependencies.items[from].group, rank = NONE, level = 0;
    bool changed = false, any = false;
    for (uint32_t i = from; i < end; i++) {
        uint32_t class = sorter->dependencies.items[i].class;
        sorter->owner[class] = id + 1;
        rank = sorter->rank[class] < rank ? sorter->rank[class] : rank;
    }
    assert(rank != NONE);
    bitset_for_each (identity, sorter->pass->problem->topology.groups.items[id]->selects)
        for (uint32_t at = sorter->first[identity]; at != 0; at = sorter->next[at - 1]) {
            if (sorter->owner[at - 1] == id + 1)
                continue; // depends on its own kind: no order among those
            any = true;
            level = sorter->level[at - 1] > level ? sorter->level[at - 1] : level;
            changed = changed || sorter->rank[at - 1] > rank;
            if (sorter->rank[at - 1] > rank)
                sorter->rank[at - 1] = rank;
        }
    for (uint32_t i = from; i < end && any && level < LEVELS_MAX; i++) {
        uint32_t *own = &sorter->level[sorter->dependencies.items[i].class];
        changed = changed || *own <= level;
        *own = *own <= level ? level + 1 : *own;
    }
    return changed;
}

static bool follow_dependencies(struct sorter *sorter)
{
    bool changed = false;
    for (uint32_t from = 0, end; from < sorter->dependencies.count; from = end) {
        for (end = from + 1; end < sorter->dependencies.count; end++)
            if (sorter->dependencies.items[end].group != sorter->dependencies.items[from].group)
                break;
        changed = follow_group(sorter, from, end) || changed;
    }
    return changed;
}

static int compare_pods(const void *a, const void *b, void *context)
{
    const struct sorter *sorter = context;
    uint32_t i = *(const uint32_t *)a, j = *(const uint32_t *)b;
    uint32_t x = pass_pod(sorter->pass, i)->class, y = pass_pod(sorter->pass, j)->class;
    // A class that no pod depends on keeps the positions of its pods.
    uint32_t left = sorter->rank[x] < i ? sorter->rank[x] : i;
    uint32_t right = sorter->rank[y] < j ? sorter->rank[y] : j;
    if (left != right)
        return left < right ? -1 : 1;
    if (sorter->level[x] != sorter->level[y])
        return sorter->level[x] < sorter->level[y] ? -1 : 1;
    return (i > j) - (i < j);
}

static uint32_t *filled(struct sorter *sorter, uint32_t count, uint8_t byte)
{
    uint32_t *items = arena_allocate_array(sorter->arena, count + 1, sizeof *items);
    memset(items, byte, (count + 1) * sizeof *items);
    return items;
}

// Keeps ranks of classes that moved forward only; other pods keep their own positions.
static void drop_own_ranks(struct sorter *sorter)
{
    for (uint32_t i = 0; i < sorter->pass->input.queue_count; i++) {
        uint32_t class = pass_pod(sorter->pass, i)->class;
        if (sorter->rank[class] == i)
            sorter->rank[class] = NONE;
    }
}

void topology_order(struct pass *pass, uint32_t *order)
{
    for (uint32_t i = 0; i < pass->input.queue_count; i++)
        order[i] = i;
    if (!pass->problem->strategy->orders_by_rules ||
        pass->input.retry.queue_order == QUEUE_AS_GIVEN ||
        (pass->input.queue_count <= QUICK_MAX && !any_pod_depends(pass)))
        return;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct sorter sorter = {.pass = pass, .arena = scratch};
    uint32_t classes = pass->problem->interned.classes.count;
    sorter.rank = filled(&sorter, classes, 0xff);
    sorter.level = filled(&sorter, classes, 0);
    sorter.next = filled(&sorter, classes, 0);
    sorter.owner = filled(&sorter, classes, 0);
    sorter.first = filled(&sorter, pass->problem->interned.identities.count, 0);
    find_dependencies(&sorter);
    bool changed = false;
    for (uint32_t round = 0; round < LEVELS_MAX && follow_dependencies(&sorter); round++)
        changed = true;
    drop_own_ranks(&sorter);
    if (changed)
        qsort_r(order, pass->input.queue_count, sizeof *order, compare_pods, &sorter);
    vector_free(&sorter.dependencies);
}
