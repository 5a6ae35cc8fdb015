#include "engine/pods/preferences.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/pods/pod_class.h"

#define SPREAD_WEIGHT 100 // of a ScheduleAnyway constraint, which has none: the heaviest there is

static bool is_schedule_anyway(const struct topology_spread_constraint *constraint)
{
    return text_equal(constraint->when_unsatisfiable, "ScheduleAnyway");
}

static bool has_prefer_no_schedule_toleration(const struct pod_spec *spec)
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

// Heaviest first; of equal weight, the kinds in the reverse of the order in which upstream gives
// them up.
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

static uint32_t list_wishes(const struct pod_class *class, struct preference *items, uint32_t count)
{
    const struct affinity none = {0}, *affinity = class->sample->spec.affinity;
    if (affinity == NULL)
        affinity = &none;
    for (uint32_t i = 0; i < class->spreads.count; i++)
        if (is_schedule_anyway(&class->spreads.items[i]))
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
    if (!has_prefer_no_schedule_toleration(&class->sample->spec))
        items[count++] = (struct preference){PREFERENCE_TAINTS, 0, 0};
    if (!problem->settings->preference_policy_ignore) // SCH-166
        count = list_wishes(class, items, count);
    assert(count <= preferences_room(class));
    qsort(items, count, sizeof *items, compare_preferences);
    class->by_weight = true;
    class->preferences = items;
    class->preferences_count = count < PREFERENCES_MAX ? count : PREFERENCES_MAX;
}

// Made of the unrelaxed class at once, whatever it gives up: not preference by preference.
static uint32_t derive_without(struct problem *problem, uint32_t original, uint64_t given_up)
{
    assert(given_up != 0);
    const struct pod_class *class = class_at(problem, original);
    struct relaxation next = class->relaxation;
    next.given_up = given_up;
    for (uint32_t i = 0; i < class->preferences_count; i++)
        if ((given_up >> i & 1) && class->preferences[i].kind == PREFERENCE_TAINTS)
            next.tolerates_prefer_no_schedule = true;
    return class_derive(problem, original, &next);
}

uint32_t class_without(struct problem *problem, uint32_t original, uint64_t given_up)
{
    struct pod_class *class = class_at(problem, original);
    assert(class->original == original);
    assert(class->by_weight);
    if (given_up == 0)
        return original;
    vector_for_each (known, &class->without)
        if (known->given_up == given_up)
            return known->class;
    uint32_t id = derive_without(problem, original, given_up);
    vector_push(&class->without, (struct class_without){given_up, id});
    return id;
}

static bool lightest_left(const struct problem *problem, const struct pod_class *class,
                          uint32_t *lightest)
{
    for (uint32_t i = class->preferences_count; i-- > 0;)
        if (!(class->relaxation.given_up >> i & 1) && class_can_give_up(problem, class, i)) {
            *lightest = i;
            return true;
        }
    return false;
}

static const char *text_of(const struct pod_class *class, uint32_t i)
{
    switch (class->preferences[i].kind) {
    case PREFERENCE_SPREAD:
        return "removing: spec.topologySpreadConstraints";
    case PREFERENCE_NODE_AFFINITY:
        return "removing: spec.affinity.nodeAffinity."
               "preferredDuringSchedulingIgnoredDuringExecution";
    case PREFERENCE_ANTI_AFFINITY:
        return "removing: spec.affinity.podAntiAffinity."
               "preferredDuringSchedulingIgnoredDuringExecution";
    case PREFERENCE_AFFINITY:
        return "removing: spec.affinity.podAffinity."
               "preferredDuringSchedulingIgnoredDuringExecution";
    case PREFERENCE_TAINTS:
        break;
    }
    return "adding: toleration for PreferNoSchedule taints";
}

// --- step by step (SCH-160) ----------------------------------------------------------------------

static uint32_t schedule_anyway_left(const struct pod_class *class)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < class->spreads.count; i++)
        count += is_schedule_anyway(&class->spreads.items[i]);
    assert(count >= class->relaxation.spreads_dropped);
    return count - class->relaxation.spreads_dropped;
}

static const char *next_step(const struct problem *problem, const struct pod_class *class,
                             struct relaxation *next)
{
    const struct pod_spec *spec = &class->sample->spec;
    const struct affinity none = {0}, *affinity = spec->affinity != NULL ? spec->affinity : &none;
    *next = class->relaxation;
    if (class_required_terms(class).count > 1) {
        next->required_dropped++;
        return "removing: spec.affinity.nodeAffinity."
               "requiredDuringSchedulingIgnoredDuringExecution[0]";
    }
    if (affinity->pod_affinity != NULL &&
        affinity->pod_affinity->preferred.count > next->affinity_dropped) {
        next->affinity_dropped++;
        return "removing: spec.affinity.podAffinity."
               "preferredDuringSchedulingIgnoredDuringExecution[0]";
    }
    if (affinity->pod_anti_affinity != NULL &&
        affinity->pod_anti_affinity->preferred.count > next->anti_affinity_dropped) {
        next->anti_affinity_dropped++;
        return "removing: spec.affinity.podAntiAffinity."
               "preferredDuringSchedulingIgnoredDuringExecution[0]";
    }
    if (affinity->node_affinity != NULL &&
        affinity->node_affinity->preferred.count > next->node_affinity_dropped) {
        next->node_affinity_dropped++;
        return "removing: spec.affinity.nodeAffinity."
               "preferredDuringSchedulingIgnoredDuringExecution[0]";
    }
    if (schedule_anyway_left(class) > 0) {
        next->spreads_dropped++;
        return "removing: spec.topologySpreadConstraints";
    }
    if (problem->templates.any_prefer_no_schedule && !next->tolerates_prefer_no_schedule &&
        !has_prefer_no_schedule_toleration(spec)) {
        next->tolerates_prefer_no_schedule = true;
        return "adding: toleration for PreferNoSchedule taints";
    }
    return NULL;
}

// --- both ----------------------------------------------------------------------------------------

uint32_t class_relax(struct problem *problem, uint32_t id)
{
    struct pod_class *class = class_at(problem, id);
    if (class->relaxed != NOT_RELAXED)
        return class->relaxed;
    if (class->by_weight) {
        uint32_t lightest;
        uint64_t given_up = class->relaxation.given_up;
        if (!lightest_left(problem, class, &lightest))
            return class->relaxed = NONE;
        uint32_t next = class_without(problem, class->original, given_up | UINT64_C(1) << lightest);
        return class->relaxed = next;
    }
    struct relaxation next;
    if (next_step(problem, class, &next) == NULL)
        return class->relaxed = NONE;
    uint32_t relaxed = class_derive(problem, id, &next);
    assert(relaxed != id);
    return class->relaxed = relaxed;
}

const char *class_relaxation_text(struct problem *problem, uint32_t id)
{
    const struct pod_class *class = class_at(problem, id);
    struct relaxation next;
    uint32_t lightest;
    if (!class->by_weight)
        return next_step(problem, class, &next);
    return lightest_left(problem, class, &lightest) ? text_of(class, lightest) : NULL;
}

// --- what is left --------------------------------------------------------------------------------

uint32_t class_spreads(const struct pod_class *class,
                       const struct topology_spread_constraint **constraints)
{
    uint32_t count = class->spreads.count;
    for (uint32_t i = 0; i < count; i++)
        constraints[i] = &class->spreads.items[i];
    for (uint32_t dropped = 0; dropped < class->relaxation.spreads_dropped; dropped++)
        for (uint32_t i = 0; i < count; i++)
            if (is_schedule_anyway(constraints[i])) {
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

// Positions of `count` weights, heaviest first, ties in list order (SCH-161).
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
