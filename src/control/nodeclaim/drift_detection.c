#include "control/nodeclaim/drift_detection.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "model/reading/claim_drift.h"
#include "model/schema/condition_reasons.h"

#define TYPE_AGE_MIN_NS   HOUR          // DIS-76: younger NodeClaims' types are not looked for
#define TYPE_FOUND_AGE_NS (30 * MINUTE) // how long a found type counts as found

struct drift_detection {
    struct control *control;
    struct map *found; // NodeClaim UID -> int64_t, wall clock of the finding
};

struct drift_detection *drift_detection_create(struct control *control)
{
    struct drift_detection *drift = memory_allocate(sizeof *drift);
    drift->control = control;
    drift->found = map_create();
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, forget_object, drift->found);
    return drift;
}

void drift_detection_destroy(struct drift_detection *drift)
{
    if (drift == NULL)
        return;
    map_destroy(drift->found, free);
    free(drift);
}

// DIS-76: the provider's own catalog counts, without launch back-off.
static bool type_is_gone(struct drift_detection *drift, const struct node_claim *claim,
                         const struct node_pool *pool, bool *gone, struct error *error)
{
    struct control *control = drift->control;
    const struct cloud_operations *cloud = control->cloud->operations;
    int64_t now = manager_now(&control->manager);
    int64_t *found = claim->meta.uid != NULL ? map_get(drift->found, claim->meta.uid) : NULL;
    *gone = false;
    if (ns_subtract(now, claim->meta.creation_timestamp) <= TYPE_AGE_MIN_NS ||
        (found != NULL && ns_subtract(now, *found) < TYPE_FOUND_AGE_NS))
        return true;
    const struct instance_type_catalog *catalog =
        cloud->instance_types(control->cloud, pool, error);
    if (catalog == NULL)
        return false;
    *gone = !catalog_has_machine(
        catalog, claim,
        cloud->well_known_labels != NULL ? cloud->well_known_labels(control->cloud) : NULL);
    object_release((const struct object *)catalog);
    if (*gone || claim->meta.uid == NULL)
        return true;
    found = map_ensure(drift->found, claim->meta.uid, sizeof *found);
    *found = now;
    return true;
}

bool drift_detection_find(struct drift_detection *drift, const struct node_claim *claim,
                          const struct node_pool *pool, const char **reason, struct error *error)
{
    struct control *control = drift->control;
    enum condition_reason from_pool;
    bool gone;
    *reason = NULL;
    if (claim_drifted_from_pool(claim, pool, &from_pool)) {
        *reason = condition_reason_name(from_pool);
        return true;
    }
    if (!type_is_gone(drift, claim, pool, &gone, error))
        return false;
    if (gone)
        *reason = condition_reason_name(CONDITION_REASON_INSTANCE_TYPE_NOT_FOUND);
    else if (control->cloud->operations->drift_reason != NULL)
        *reason = control->cloud->operations->drift_reason(control->cloud, claim);
    return true;
}
