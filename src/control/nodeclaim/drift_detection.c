#include "control/nodeclaim/drift_detection.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "model/reading/catalog.h"
#include "model/reading/requirement_match.h"
#include "model/schema/condition_reasons.h"
#include "model/tables/well_known.h"

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

bool claim_template_drifted(const struct node_claim *claim, const struct node_pool *pool)
{
    const struct object *a = (const struct object *)claim, *b = (const struct object *)pool;
    const char *hash = object_annotation(a, ANNOTATION_NODE_POOL_HASH);
    const char *pool_hash = object_annotation(b, ANNOTATION_NODE_POOL_HASH);
    const char *version = object_annotation(a, ANNOTATION_NODE_POOL_HASH_VERSION);
    const char *pool_version = object_annotation(b, ANNOTATION_NODE_POOL_HASH_VERSION);
    return hash != NULL && pool_hash != NULL && version != NULL && pool_version != NULL &&
           strcmp(version, pool_version) == 0 && strcmp(hash, pool_hash) != 0;
}

bool claim_requirements_drifted(const struct node_claim *claim,
                                const requirement_list *requirements)
{
    list_for_each (requirement, requirements) {
        const char *label =
            string_map_get(&claim->meta.labels, label_alias_target(requirement->key));
        if (!requirement_allows(requirement, label))
            return true;
    }
    return false;
}

// --- instance types ------------------------------------------------------------------------------
static bool is_reservation_key(const char *key)
{
    return strstr(key, "/capacity-reservation-") != NULL;
}

static bool requirement_matches(const struct selector_requirement *requirement,
                                const struct node_claim *claim, const char *const *well_known)
{
    const char *label = string_map_get(&claim->meta.labels, requirement->key);
    const char *capacity_type = string_map_get(&claim->meta.labels, LABEL_CAPACITY_TYPE);
    if (text_equal(capacity_type, CAPACITY_TYPE_RESERVED)) {
        if (is_reservation_key(requirement->key))
            return true;
        if (strcmp(requirement->key, LABEL_CAPACITY_TYPE) == 0)
            return requirement_allows(requirement, CAPACITY_TYPE_RESERVED) ||
                   requirement_allows(requirement, CAPACITY_TYPE_ON_DEMAND);
    }
    if (label == NULL)
        return label_is_well_known(requirement->key, well_known) ||
               requirement_allows(requirement, NULL);
    return requirement_allows(requirement, label);
}

bool catalog_has_machine(const struct instance_type_catalog *catalog,
                         const struct node_claim *claim, const char *const *well_known)
{
    const struct instance_type *type = instance_type_catalog_find(
        catalog, string_map_get(&claim->meta.labels, LABEL_INSTANCE_TYPE));
    for (uint32_t i = 0; type != NULL && i < type->offerings.count; i++) {
        bool matches = true;
        list_for_each (requirement, &type->offerings.items[i].requirements)
            matches = matches && requirement_matches(requirement, claim, well_known);
        if (matches)
            return true;
    }
    return false;
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
    bool gone;
    *reason = NULL;
    if (claim_template_drifted(claim, pool)) {
        *reason = condition_reason_name(CONDITION_REASON_NODE_POOL_DRIFTED);
        return true;
    }
    if (claim_requirements_drifted(claim, &pool->spec.template.spec.requirements)) {
        *reason = condition_reason_name(CONDITION_REASON_REQUIREMENTS_DRIFTED);
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
