#include "control/state/node_claim_template.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/text.h"
#include "model/reading/catalog.h"
#include "model/reading/requirement_match.h"
#include "model/schema/encode.h"

#define NAMED_TYPES_MAX 5

// --- requirements --------------------------------------------------------------------------------
static void add_values(json_t *requirements, const char *key, const char **values, uint32_t count,
                       const struct selector_requirement *original)
{
    if (count == 0)
        return;
    qsort(values, count, sizeof *values, text_compare);
    json_t *list = json_array();
    for (uint32_t i = 0; i < count; i++)
        if (i == 0 || strcmp(values[i], values[i - 1]) != 0)
            json_array_append_new(list, json_string(values[i]));
    json_t *entry = json_pack("{s:s, s:s, s:o}", "key", key, "operator", "In", "values", list);
    if (original != NULL && original->min_values.present)
        json_object_set_new(entry, "minValues", json_integer(original->min_values.value));
    json_array_append_new(requirements, entry);
}

static const struct selector_requirement *find_requirement(const requirement_list *requirements,
                                                           const char *key)
{
    list_for_each (requirement, requirements)
        if (strcmp(requirement->key, key) == 0)
            return requirement;
    return NULL;
}

// SCH-377: the instance types and the capacity types of their offerings.
static void add_types(json_t *requirements, const struct plan_claim *claim,
                      const struct claim_types *types)
{
    VECTOR(const char *) names = {0}, capacity_types = {0};
    list_for_each (type, &types->types) {
        vector_push(&names, (*type)->name);
        list_for_each (offering, &(*type)->offerings) {
            const char *capacity_type =
                requirement_single_value(&offering->requirements, LABEL_CAPACITY_TYPE);
            if (capacity_type != NULL && offering_compatible(offering, &claim->requirements))
                vector_push(&capacity_types, capacity_type);
        }
    }
    add_values(requirements, LABEL_INSTANCE_TYPE, names.items, names.count,
               find_requirement(&claim->requirements, LABEL_INSTANCE_TYPE));
    add_values(requirements, LABEL_CAPACITY_TYPE, capacity_types.items, capacity_types.count,
               find_requirement(&claim->requirements, LABEL_CAPACITY_TYPE));
    vector_free(&names);
    vector_free(&capacity_types);
}

static bool is_replaced(const struct selector_requirement *requirement)
{
    static const char *const keys[] = {LABEL_INSTANCE_TYPE, LABEL_CAPACITY_TYPE, LABEL_HOSTNAME,
                                       LABEL_REGISTERED, LABEL_INITIALIZED};
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (strcmp(requirement->key, keys[i]) == 0)
            return true;
    return false;
}

static json_t *requirements_body(const struct plan_claim *claim, const struct claim_types *types)
{
    json_t *requirements = json_requirements(&claim->requirements);
    if (types == NULL)
        return requirements;
    for (uint32_t i = claim->requirements.count; i-- > 0;)
        if (is_replaced(&claim->requirements.items[i]))
            json_array_remove(requirements, i);
    add_types(requirements, claim, types);
    return requirements;
}

// --- the object ----------------------------------------------------------------------------------
static void set_default(json_t *map, const char *key, const char *value)
{
    if (value != NULL && json_object_get(map, key) == NULL)
        json_object_set_new(map, key, json_string(value));
}

static json_t *metadata_body(struct control *control, const struct plan_claim *claim,
                             const char *name)
{
    const struct node_pool *pool = claim->node_pool;
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    json_t *labels = string_map_encode(&claim->labels);
    json_t *annotations = string_map_encode(&claim->annotations);
    set_default(labels, LABEL_NODE_POOL, pool->meta.name);
    if (reference != NULL)
        set_default(labels, control->node_class_label, reference->name);
    static const char *const hashes[] = {ANNOTATION_NODE_POOL_HASH,
                                         ANNOTATION_NODE_POOL_HASH_VERSION};
    for (size_t i = 0; i < ARRAY_LENGTH(hashes); i++)
        set_default(annotations, hashes[i], string_map_get(&pool->meta.annotations, hashes[i]));
    if (claim->min_values_relaxed)
        set_default(annotations, ANNOTATION_MIN_VALUES_RELAXED, "true");
    json_t *owner =
        json_pack("{s:s, s:s, s:s, s:s, s:b}", "apiVersion", "karpenter.sh/v1", "kind", "NodePool",
                  "name", pool->meta.name, "uid", pool->meta.uid != NULL ? pool->meta.uid : "",
                  "blockOwnerDeletion", 1);
    // The finalizer is set at creation: no launch without it, and one write less (LIF-23).
    return json_pack("{s:s, s:o, s:o, s:[o], s:[s]}", "name", name, "labels", labels, "annotations",
                     annotations, "ownerReferences", owner, "finalizers", FINALIZER_TERMINATION);
}

static json_t *spec_body(const struct plan_claim *claim, const struct claim_types *types)
{
    const struct node_claim_spec *template = &claim->node_pool->spec.template.spec;
    const struct node_class_reference *reference = template->node_class_ref;
    json_t *spec = json_object();
    if (reference != NULL)
        json_object_set_new(spec, "nodeClassRef",
                            json_pack("{s:s, s:s, s:s}", "group", reference->group, "kind",
                                      reference->kind, "name", reference->name));
    json_object_set_new(spec, "requirements", requirements_body(claim, types));
    if (template->taints.count > 0)
        json_object_set_new(spec, "taints", json_taints(&template->taints, NULL, NULL));
    if (template->startup_taints.count > 0)
        json_object_set_new(spec, "startupTaints",
                            json_taints(&template->startup_taints, NULL, NULL));
    if (template->expire_after.text != NULL)
        json_object_set_new(spec, "expireAfter", json_string(template->expire_after.text));
    if (template->termination_grace_period.text != NULL) {
        char text[DURATION_TEXT_MAX]; // written anew, as upstream does; expireAfter stays
        duration_format(template->termination_grace_period.nanoseconds, text);
        json_object_set_new(spec, "terminationGracePeriod", json_string(text));
    }
    if (types != NULL)
        json_object_set_new(spec, "resources",
                            json_pack("{s:o}", "requests", resource_map_encode(&claim->requests)));
    return spec;
}

json_t *node_claim_body(struct control *control, const struct plan_claim *claim,
                        const struct claim_types *types, const char *name)
{
    return json_pack("{s:s, s:s, s:o, s:o}", "apiVersion", "karpenter.sh/v1", "kind", "NodeClaim",
                     "metadata", metadata_body(control, claim, name), "spec",
                     spec_body(claim, types));
}

void describe_types(const struct claim_types *types, struct text *out)
{
    VECTOR(const char *) names = {0};
    list_for_each (type, &types->types)
        vector_push(&names, (*type)->name);
    if (names.count > 0)
        qsort(names.items, names.count, sizeof *names.items, text_compare);
    for (uint32_t i = 0; i < names.count && i < NAMED_TYPES_MAX; i++)
        text_join(out, ", ", names.items[i]);
    if (names.count > NAMED_TYPES_MAX)
        text_format(out, " and %u other(s)", names.count - NAMED_TYPES_MAX);
    vector_free(&names);
}
