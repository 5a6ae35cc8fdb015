#include "engine/topology/topology_order.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define LEVELS_MAX 8 // of pods that look for pods that look for pods

struct wish { // required affinity
    uint32_t group, class;
};
struct sorter {
    struct pass *pass;
    struct arena *arena;
    uint32_t *rank;  // by class: first queue index, or that of the first pod that looks for it
    uint32_t *level; // by class: 1 above what it looks for
    uint32_t *next;  // by class: another one of the same identity, + 1
    uint32_t *first; // by identity: class + 1
    uint32_t *owner; // by class: the last group that was looked at and is its own, + 1
    VECTOR(struct wish) wishes; // by group
};

static int compare_wishes(const void *a, const void *b)
{
    const struct wish *x = a, *y = b;
    if (x->group != y->group)
        return x->group < y->group ? -1 : 1;
    return (x->class > y->class) - (x->class < y->class);
}

#define QUICK_MAX 256 // pods of a queue for which it is quickly seen that nobody is lifted

static bool owns(const struct pod_class *class, uint32_t group)
{
    for (uint32_t g = 0; g < class->groups_count; g++)
        if (class->groups[g] == group)
            return true;
    return false;
}

// Whether some pod of a short queue looks for another one that does not look for the same.
static bool anybody_follows(const struct pass *pass)
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

static void find_wishes(struct sorter *sorter)
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
                vector_push(&sorter->wishes, (struct wish){class->groups[g], id});
        }
    }
    if (sorter->wishes.count > 1)
        qsort(sorter->wishes.items, sorter->wishes.count, sizeof *sorter->wishes.items,
              compare_wishes);
}

// One group: its owners are the wishes from `from` up to `end`.
static bool follow_group(struct sorter *sorter, uint32_t from, uint32_t end)
{
    assert(from < end);
    assert(end <= sorter->wishes.count);
    uint32_t id = sorter->wishes.items[from].group, rank = NONE, level = 0;
    bool changed = false, any = false;
    for (uint32_t i = from; i < end; i++) {
        uint32_t class = sorter->wishes.items[i].class;
        sorter->owner[class] = id + 1;
        rank = sorter->rank[class] < rank ? sorter->rank[class] : rank;
    }
    assert(rank != NONE);
    bitset_for_each (identity, sorter->pass->problem->topology.groups.items[id]->selects)
        for (uint32_t at = sorter->first[identity]; at != 0; at = sorter->next[at - 1]) {
            if (sorter->owner[at - 1] == id + 1)
                continue; // looks for its own kind: no order among those
            any = true;
            level = sorter->level[at - 1] > level ? sorter->level[at - 1] : level;
            changed = changed || sorter->rank[at - 1] > rank;
            if (sorter->rank[at - 1] > rank)
                sorter->rank[at - 1] = rank;
        }
    for (uint32_t i = from; i < end && any && level < LEVELS_MAX; i++) {
        uint32_t *own = &sorter->level[sorter->wishes.items[i].class];
        changed = changed || *own <= level;
        *own = *own <= level ? level + 1 : *own;
    }
    return changed;
}

static bool follow_wishes(struct sorter *sorter)
{
    bool changed = false;
    for (uint32_t from = 0, end; from < sorter->wishes.count; from = end) {
        for (end = from + 1; end < sorter->wishes.count; end++)
            if (sorter->wishes.items[end].group != sorter->wishes.items[from].group)
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
    // A class that nobody lifts stays where its pods are.
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

// Lifted ranks only: pods of the other classes keep their own places.
static void forget_own_ranks(struct sorter *sorter)
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
        (pass->input.queue_count <= QUICK_MAX && !anybody_follows(pass)))
        return;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct sorter sorter = {.pass = pass, .arena = scratch};
    uint32_t classes = pass->problem->interned.classes.count;
    sorter.rank = filled(&sorter, classes, 0xff);
    sorter.level = filled(&sorter, classes, 0);
    sorter.next = filled(&sorter, classes, 0);
    sorter.owner = filled(&sorter, classes, 0);
    sorter.first = filled(&sorter, pass->problem->interned.identities.count, 0);
    find_wishes(&sorter);
    bool changed = false;
    for (uint32_t round = 0; round < LEVELS_MAX && follow_wishes(&sorter); round++)
        changed = true;
    forget_own_ranks(&sorter);
    if (changed)
        qsort_r(order, pass->input.queue_count, sizeof *order, compare_pods, &sorter);
    vector_free(&sorter.wishes);
}
