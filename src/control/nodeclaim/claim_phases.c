#include "control/nodeclaim/claim_phases.h"

#include <stdlib.h>

#include "base/metrics_text.h"
#include "base/nanoseconds.h"
#include "model/schema/condition_types.h"
#include "model/schema/object.h"

struct claim_phases {
    struct control *control;
    struct metric *count, *oldest_seconds;
};

// A NodeClaim is in the last phase whose beginning it has seen.
static const struct {
    const char *name;
    enum condition_type begins_with;
} later_phases[] = {
    {"initialized", CONDITION_INITIALIZED},
    {"initializing", CONDITION_REGISTERED},
    {"registering", CONDITION_LAUNCHED},
};

static const char *phase_of(const struct node_claim *claim, int64_t *since)
{
    if (claim->meta.deletion_timestamp != 0) {
        *since = claim->meta.deletion_timestamp;
        return "terminating";
    }
    for (size_t i = 0; i < ARRAY_LENGTH(later_phases); i++) {
        const struct condition *condition =
            condition_find(&claim->status.conditions, later_phases[i].begins_with);
        if (condition == NULL || !text_equal(condition->status, "True"))
            continue;
        *since = condition->last_transition_time;
        return later_phases[i].name;
    }
    *since = claim->meta.creation_timestamp;
    return "launching";
}

static void refresh(void *context)
{
    const struct claim_phases *phases = context;
    int64_t now = manager_now(&phases->control->manager);
    struct mirror_iterator iterator = {0};
    metric_remove_all(phases->count);
    metric_remove_all(phases->oldest_seconds);
    if (!phases->control->manager.started)
        return;
    for (const struct object *object; (object = mirror_next(phases->control->manager.mirror,
                                                            KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const struct node_claim *claim = (const struct node_claim *)object;
        if (!managed_claim(phases->control, claim))
            continue;
        int64_t since;
        const char *pool = label_or_empty(object, LABEL_NODE_POOL);
        const char *phase = phase_of(claim, &since);
        double age = seconds_between(since, now);
        metric_add(phases->count, 1, pool, phase);
        if (age >= metric_read(phases->oldest_seconds, pool, phase))
            metric_set(phases->oldest_seconds, age, pool, phase);
    }
}

struct claim_phases *claim_phases_create(struct control *control)
{
    if (control->manager.settings->disable_cluster_state_observability) // LIF-357
        return NULL;
    struct claim_phases *phases = memory_allocate(sizeof *phases);
    phases->control = control;
    static const struct metric_options count = {.name = "adze_nodeclaims",
                                                .help = "NodeClaims by phase.",
                                                .type = METRIC_GAUGE,
                                                .labels = {"nodepool", "phase"}};
    static const struct metric_options oldest = {
        .name = "adze_nodeclaims_oldest_seconds",
        .help = "The longest time that a NodeClaim has been in a phase.",
        .type = METRIC_GAUGE,
        .labels = {"nodepool", "phase"}};
    phases->count = metrics_register(control->manager.registry, &count);
    phases->oldest_seconds = metrics_register(control->manager.registry, &oldest);
    metrics_before_write(control->manager.registry, refresh, phases);
    return phases;
}

void claim_phases_destroy(struct claim_phases *phases)
{
    if (phases == NULL)
        return;
    metrics_before_write(phases->control->manager.registry, NULL, phases);
    free(phases);
}
