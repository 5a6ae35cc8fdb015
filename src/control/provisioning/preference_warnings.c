#include "control/provisioning/preference_warnings.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "engine/pods/placeholders.h"

#define AGAIN_NS  (24 * HOUR)
#define NAMED_MAX 10

enum fact { ANTI_AFFINITY, SPREAD, FACTS };

struct told {             // of one pod
    int64_t at_ns[FACTS]; // monotonic; 0: never
};

struct preference_warnings {
    struct control *control;
    struct map *told; // by UID
};

struct telling { // of one fact in one pass
    struct text names;
    uint32_t count;
};

struct preference_warnings *preference_warnings_create(struct control *control)
{
    struct preference_warnings *warnings = memory_allocate(sizeof *warnings);
    warnings->control = control;
    warnings->told = map_create();
    mirror_on_change(control->manager.mirror, KIND_POD, forget_object, warnings->told);
    return warnings;
}

void preference_warnings_destroy(struct preference_warnings *warnings)
{
    if (warnings == NULL)
        return;
    map_destroy(warnings->told, free);
    free(warnings);
}

static bool has_fact(const struct pod *pod, enum fact fact)
{
    const struct affinity *affinity = pod->spec.affinity;
    if (fact == ANTI_AFFINITY)
        return affinity != NULL && affinity->pod_anti_affinity != NULL &&
               affinity->pod_anti_affinity->preferred.count > 0;
    list_for_each (constraint, &pod->spec.topology_spread_constraints)
        if (text_equal(constraint->when_unsatisfiable, "ScheduleAnyway"))
            return true;
    return false;
}

static bool is_due(struct preference_warnings *warnings, const struct pod *pod, enum fact fact)
{
    int64_t now_ns = loop_monotonic_ns(warnings->control->manager.loop);
    if (pod->meta.uid == NULL)
        return true;
    struct told *told = map_ensure(warnings->told, pod->meta.uid, sizeof *told);
    if (told->at_ns[fact] != 0 && ns_subtract(now_ns, told->at_ns[fact]) < AGAIN_NS)
        return false;
    told->at_ns[fact] = now_ns;
    return true;
}

static void gather(struct preference_warnings *warnings, const struct pod *pod,
                   struct telling telling[FACTS])
{
    if (pod->spec.node_name != NULL || pod_is_placeholder(pod))
        return;
    for (int fact = 0; fact < FACTS; fact++) {
        if (!has_fact(pod, fact) || !is_due(warnings, pod, fact) ||
            telling[fact].count++ >= NAMED_MAX)
            continue;
        text_join(&telling[fact].names, ", ", pod->meta.namespace);
        text_format(&telling[fact].names, "/%s", pod->meta.name);
    }
}

void preference_warnings_publish(struct preference_warnings *warnings, const struct plan *plan)
{
    static const char *const messages[FACTS] = {
        "pod(s) have a preferred Anti-Affinity which can prevent consolidation",
        "pod(s) have a preferred TopologySpreadConstraint which can prevent consolidation"};
    struct telling telling[FACTS] = {0};
    if (warnings->control->manager.settings->preference_policy_ignore)
        return;
    list_for_each (claim, &plan->claims)
        list_for_each (pod, &claim->pods)
            gather(warnings, *pod, telling);
    list_for_each (placement, &plan->placements)
        list_for_each (pod, &placement->pods)
            gather(warnings, *pod, telling);
    list_for_each (entry, &plan->unschedulable)
        if (!entry->ignored)
            gather(warnings, entry->pod, telling);
    for (int fact = 0; fact < FACTS; fact++) {
        if (telling[fact].count > NAMED_MAX)
            text_format(&telling[fact].names, " and %u other(s)", telling[fact].count - NAMED_MAX);
        if (telling[fact].count > 0)
            log_info(messages[fact], "s:controller", "provisioner", "s:pods",
                     telling[fact].names.data);
        text_free(&telling[fact].names);
    }
}
