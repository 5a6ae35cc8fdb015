#include "model/reading/claim_drift.h"

#include <string.h>

#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/reading/requirement_match.h"
#include "model/schema/ec2_node_class.h"
#include "model/tables/well_known.h"

// Hashes of two versions say nothing about each other.
static bool hashes_differ(const struct object *claim, const struct object *source, const char *key,
                          const char *version_key)
{
    const char *hash = object_annotation(claim, key);
    const char *source_hash = object_annotation(source, key);
    const char *version = object_annotation(claim, version_key);
    const char *source_version = object_annotation(source, version_key);
    return hash != NULL && source_hash != NULL && version != NULL && source_version != NULL &&
           strcmp(version, source_version) == 0 && strcmp(hash, source_hash) != 0;
}

bool claim_template_drifted(const struct node_claim *claim, const struct node_pool *pool)
{
    return hashes_differ((const struct object *)claim, (const struct object *)pool,
                         ANNOTATION_NODE_POOL_HASH, ANNOTATION_NODE_POOL_HASH_VERSION);
}

bool claim_node_class_drifted(const struct node_claim *claim, const struct object *node_class)
{
    return hashes_differ((const struct object *)claim, node_class, ANNOTATION_EC2_HASH,
                         ANNOTATION_EC2_HASH_VERSION);
}

const struct selector_requirement *claim_requirement_drifted(const struct node_claim *claim,
                                                             const requirement_list *requirements)
{
    list_for_each (requirement, requirements) {
        const char *label =
            string_map_get(&claim->meta.labels, label_alias_target(requirement->key));
        if (!requirement_allows(requirement, label))
            return requirement;
    }
    return NULL;
}

bool claim_drifted_from_pool(const struct node_claim *claim, const struct node_pool *pool,
                             enum condition_reason *reason)
{
    bool template = claim_template_drifted(claim, pool);
    *reason = template ? CONDITION_REASON_NODE_POOL_DRIFTED : CONDITION_REASON_REQUIREMENTS_DRIFTED;
    return template ||
           claim_requirement_drifted(claim, &pool->spec.template.spec.requirements) != NULL;
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
