#include "engine/pods/preferences.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#define SPREAD_WEIGHT 100 // of a ScheduleAnyway constraint, which has no weight: the maximum

bool spread_is_wish(const struct topology_spread_constraint *constraint)
{
    return text_equal(constraint->when_unsatisfiable, "ScheduleAnyway");
}

bool pod_stands_soft_taints(const struct pod_spec *spec)
{
    list_for_each (toleration, &spec->tolerations)
        if (text_equal(toleration->operator, "Exists") &&
            text_equal(toleration->effect, "PreferNoSchedule") &&
            (toleration->key == NULL || toleration->key[0] == '\0') &&
            (toleration->value == NULL || toleration->value[0] == '\0'))
            return true;
    return false;
}

// --- by weight (SCH-509) -------------------------------------------------------------------------

// Heaviest first. Among equal weights, kinds in the reverse of upstream's order of relaxation.
static int compare_preferences(const void *a, const void *b)
{
    const struct preference *x = a, *y = b;
    bool left = x->kind == PREFERENCE_TAINTS, right = y->kind == PREFERENCE_TAINTS;
    if (left != right)
        return left ? -1 : 1;
    if (x->weight != y->weight)
        return x->weight > y->weight ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

static uint32_t preferences_room(const struct pod_class *class)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    uint32_t room = 1 + class->spreads.count;
    if (affinity != NULL && affinity->node_affinity != NULL)
        room += affinity->node_affinity->preferred.count;
    if (affinity != NULL && affinity->pod_affinity != NULL)
        room += affinity->pod_affinity->preferred.count;
    if (affinity != NULL && affinity->pod_anti_affinity != NULL)
        room += affinity->pod_anti_affinity->preferred.count;
    return room;
}

static uint32_t list_pod_terms(const struct pod_affinity *affinity, enum preference_kind kind,
                               struct preference *items, uint32_t count)
{
    for (uint32_t i = 0; affinity != NULL && i < affinity->preferred.count; i++)
        items[count++] = (struct preference){kind, i, affinity->preferred.items[i].weight};
    return count;
}

static uint32_t list_preferences(const struct pod_class *class, struct preference *items,
                                 uint32_t count)
{
    const struct affinity none = {0}, *affinity = class->sample->spec.affinity;
    if (affinity == NULL)
        affinity = &none;
    for (uint32_t i = 0; i < class->spreads.count; i++)
        if (spread_is_wish(&class->spreads.items[i]))
            items[count++] = (struct preference){PREFERENCE_SPREAD, i, SPREAD_WEIGHT};
    const struct node_affinity *node = affinity->node_affinity;
    for (uint32_t i = 0; node != NULL && i < node->preferred.count; i++)
        items[count++] =
            (struct preference){PREFERENCE_NODE_AFFINITY, i, node->preferred.items[i].weight};
    count = list_pod_terms(affinity->pod_anti_affinity, PREFERENCE_ANTI_AFFINITY, items, count);
    return list_pod_terms(affinity->pod_affinity, PREFERENCE_AFFINITY, items, count);
}

void class_find_preferences(struct problem *problem, struct pod_class *class)
{
    struct preference *items =
        arena_allocate_array(problem->arena, preferences_room(class), sizeof *items);
    uint32_t count = 0;
    if (!pod_stands_soft_taints(&class->sample->spec))
        items[count++] = (struct preference){PREFERENCE_TAINTS, 0, 0};
    if (!problem->settings->preference_policy_ignore) // SCH-166
        count = list_preferences(class, items, count);
    assert(count <= preferences_room(class));
    qsort(items, count, sizeof *items, compare_preferences);
    class->by_weight = true;
    class->preferences = items;
    class->preferences_count = count < PREFERENCES_MAX ? count : PREFERENCES_MAX;
}

// --- remaining preferences -----------------------------------------------------------------------

uint32_t class_spreads(const struct pod_class *class,
                       const struct topology_spread_constraint **constraints)
{
    uint32_t count = class->spreads.count;
    for (uint32_t i = 0; i < count; i++)
        constraints[i] = &class->spreads.items[i];
    for (uint32_t dropped = 0; dropped < class->relaxation.spreads_dropped; dropped++)
        for (uint32_t i = 0; i < count; i++)
            if (spread_is_wish(constraints[i])) {
                constraints[i] = constraints[--count];
                break;
            }
    if (!class->by_weight)
        return count;
    for (uint32_t i = 0; i < class->preferences_count; i++)
        if (class->preferences[i].kind == PREFERENCE_SPREAD && class->relaxation.given_up >> i & 1)
            constraints[class->preferences[i].index] = NULL;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++)
        if (constraints[i] != NULL)
            constraints[kept++] = constraints[i];
    return kept;
}

// Sorts the positions of `count` weights: heaviest first, ties in list order (SCH-161).
static void order_by_weight(const int64_t *weights, uint32_t count, uint32_t *order)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && weights[order[at - 1]] < weights[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

uint32_t class_preferred_affinity(const struct pod_class *class, bool anti,
                                  const struct pod_affinity_term **terms)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    const struct pod_affinity *pods = affinity == NULL ? NULL
                                      : anti           ? affinity->pod_anti_affinity
                                                       : affinity->pod_affinity;
    if (pods == NULL || pods->preferred.count == 0)
        return 0;
    uint32_t count = pods->preferred.count, kept = 0;
    if (class->by_weight) {
        enum preference_kind kind = anti ? PREFERENCE_ANTI_AFFINITY : PREFERENCE_AFFINITY;
        for (uint32_t i = 0; i < class->preferences_count; i++)
            if (class->preferences[i].kind == kind && !(class->relaxation.given_up >> i & 1))
                terms[kept++] =
                    &pods->preferred.items[class->preferences[i].index].pod_affinity_term;
        return kept;
    }
    int64_t *weights = memory_allocate_array(count, sizeof *weights);
    uint32_t *order = memory_allocate_array(count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        weights[i] = pods->preferred.items[i].weight;
    order_by_weight(weights, count, order);
    uint32_t dropped =
        anti ? class->relaxation.anti_affinity_dropped : class->relaxation.affinity_dropped;
    assert(dropped <= count);
    for (uint32_t i = dropped; i < count; i++)
        terms[kept++] = &pods->preferred.items[order[i]].pod_affinity_term;
    free(weights);
    free(order);
    return kept;
}

uint32_t class_preferred_nodes(const struct pod_class *class,
                               const struct node_selector_term **terms)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    if (affinity == NULL || affinity->node_affinity == NULL)
        return 0;
    uint32_t count = affinity->node_affinity->preferred.count, kept = 0;
    if (class->by_weight) {
        for (uint32_t i = 0; i < class->preferences_count; i++)
            if (class->preferences[i].kind == PREFERENCE_NODE_AFFINITY &&
                !(class->relaxation.given_up >> i & 1))
                terms[kept++] =
                    &affinity->node_affinity->preferred.items[class->preferences[i].index]
                         .preference;
        return kept;
    }
    uint32_t dropped = class->relaxation.node_affinity_dropped;
    if (dropped >= count)
        return 0;
    int64_t *weights = memory_allocate_array(count, sizeof *weights);
    uint32_t *order = memory_allocate_array(count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        weights[i] = affinity->node_affinity->preferred.items[i].weight;
    order_by_weight(weights, count, order);
    terms[0] = &affinity->node_affinity->preferred.items[order[dropped]].preference;
    free(weights);
    free(order);
    return 1;
}
