#include "engine/pods/relaxation.h"

#include <assert.h>

#include "engine/pods/pod_class.h"
#include "engine/pods/preferences.h"

// --- by weight (SCH-509) -------------------------------------------------------------------------

// Derives straight from the unrelaxed class, whatever the number of dropped preferences.
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
        count += spread_is_wish(&class->spreads.items[i]);
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
        !pod_stands_soft_taints(spec)) {
        next->tolerates_prefer_no_schedule = true;
        return "adding: toleration for PreferNoSchedule taints";
    }
    return NULL;
}

// --- combined ------------------------------------------------------------------------------------

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
