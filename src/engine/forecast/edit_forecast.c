#include "engine/forecast/edit_forecast.h"

#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "base/vector.h"
#include "engine/forecast/claim_conditions.h"
#include "engine/forecast/drift_fields.h"
#include "model/reading/catalog.h"
#include "model/reading/claim_drift.h"
#include "model/schema/condition_types.h"
#include "model/schema/pack.h"
#include "model/snapshot/snapshot_lookup.h"
#include "model/tables/kinds.h"

struct marking {
    struct arena *arena;
    const struct snapshot *before;
    struct snapshot *after;
    const struct object_change_list *changes;
    VECTOR(struct drift_mark) drifted, settled;
};

// --- the reason ----------------------------------------------------------------------------------

// The catalog of the NodePool: the one that names it, else the common one.
static const struct instance_type_catalog *catalog_of(const struct snapshot *snapshot,
                                                      const struct node_pool *pool)
{
    const struct instance_type_catalog *common = NULL;
    for (uint32_t i = 0; i < snapshot->objects[KIND_INSTANCE_TYPE_CATALOG].count; i++) {
        const struct instance_type_catalog *catalog =
            (const struct instance_type_catalog *)snapshot->objects[KIND_INSTANCE_TYPE_CATALOG]
                .items[i];
        if (string_list_has(&catalog->spec.node_pools, pool->meta.name))
            return catalog;
        if (catalog->spec.node_pools.count == 0 && common == NULL)
            common = catalog;
    }
    return common;
}

// DIS-76, as far as the edit is to blame: a type that the catalog has never had may be one of
// another region or version.
static bool type_has_gone(const struct marking *marking, const struct node_claim *claim,
                          const struct node_pool *pool)
{
    const struct instance_type_catalog *before = catalog_of(marking->before, pool);
    const struct instance_type_catalog *after = catalog_of(marking->after, pool);
    return before != NULL && after != NULL && before != after &&
           catalog_has_machine(before, claim, NULL) && !catalog_has_machine(after, claim, NULL);
}

static const struct object *node_class_of(const struct snapshot *snapshot,
                                          const struct node_pool *pool)
{
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    for (int id = 0; reference != NULL && id < KIND_COUNT; id++) {
        const struct kind *kind = kind_get((enum kind_id)id);
        if (!text_equal(kind->name, reference->kind) || !text_equal(kind->group, reference->group))
            continue;
        for (uint32_t i = 0; i < snapshot->objects[id].count; i++)
            if (text_equal(snapshot->objects[id].items[i]->meta.name, reference->name))
                return snapshot->objects[id].items[i];
    }
    return NULL;
}

// Drift that its provider has found stays; that of the objects is found anew.
static bool is_of_provider(const char *reason)
{
    return reason != NULL && strcmp(reason, "NodeClassDrift") != 0 &&
           strcmp(reason, condition_reason_name(CONDITION_REASON_NODE_POOL_DRIFTED)) != 0 &&
           strcmp(reason, condition_reason_name(CONDITION_REASON_REQUIREMENTS_DRIFTED)) != 0;
}

static const char *drift_reason(const struct marking *marking, const struct node_claim *claim,
                                const struct node_pool *pool, const struct condition *present)
{
    enum condition_reason reason;
    if (claim_drifted_from_pool(claim, pool, &reason))
        return condition_reason_name(reason);
    if (type_has_gone(marking, claim, pool))
        return condition_reason_name(CONDITION_REASON_INSTANCE_TYPE_NOT_FOUND);
    const struct object *node_class = node_class_of(marking->after, pool);
    if (node_class != NULL && claim_node_class_drifted(claim, node_class))
        return "NodeClassDrift";
    return present != NULL && is_of_provider(present->reason) ? present->reason : NULL;
}

// --- marks ---------------------------------------------------------------------------------------

static const struct object_change *change_of(const struct marking *marking,
                                             const struct object *object)
{
    list_for_each (change, marking->changes)
        if (change->kind == CHANGE_EDITED && change->after == object)
            return change;
    return NULL;
}

static void add_fields(const struct marking *marking, struct drift_mark *mark,
                       const struct node_pool *pool)
{
    const struct object *node_class = node_class_of(marking->after, pool);
    const struct object_change *edit = change_of(marking, (const struct object *)pool);
    field_change_list fields = {0};
    if (strcmp(mark->reason, "NodeClassDrift") == 0)
        fields = drift_fields_of_class(marking->arena,
                                       node_class != NULL ? change_of(marking, node_class) : NULL);
    else if (!is_of_provider(mark->reason))
        fields =
            drift_fields_of_pool(marking->arena, mark->claim, pool, mark->before ? NULL : edit);
    mark->fields = fields;
}

static void mark(struct marking *marking, uint32_t index, const struct node_pool *pool)
{
    const struct node_claim *claim =
        (const struct node_claim *)marking->after->objects[KIND_NODE_CLAIM].items[index];
    const struct condition *present = condition_find(&claim->status.conditions, CONDITION_DRIFTED);
    bool launched = condition_is_true(&claim->status.conditions, CONDITION_LAUNCHED);
    const char *reason = launched ? drift_reason(marking, claim, pool, present) : NULL;
    struct drift_mark made = {.reason = reason, .before = present != NULL};
    const struct condition_edit edit = {CONDITION_DRIFTED, reason != NULL, reason};
    claim_conditions_edit(marking->after, index, &edit, 1);
    made.claim = (const struct node_claim *)marking->after->objects[KIND_NODE_CLAIM].items[index];
    made.node = text_is_empty(made.claim->status.node_name) ? made.claim->meta.name
                                                            : made.claim->status.node_name;
    if (reason != NULL) {
        add_fields(marking, &made, pool);
        vector_push(&marking->drifted, made);
    } else if (present != NULL) {
        vector_push(&marking->settled, made);
    }
}

// DIS-83 to DIS-86: an edit of consolidateAfter counts at once.
static void mark_consolidatable(struct snapshot *snapshot, uint32_t index,
                                const struct node_pool *pool)
{
    const struct node_claim *claim =
        (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[index];
    const struct duration *after = &pool->spec.disruption.consolidate_after;
    const struct condition *initialized =
        condition_find(&claim->status.conditions, CONDITION_INITIALIZED);
    bool enabled = after->text != NULL && after->nanoseconds != DURATION_NEVER &&
                   initialized != NULL && text_equal(initialized->status, "True");
    bool rested = false;
    if (enabled) {
        int64_t since = claim->status.last_pod_event_time != 0 ? claim->status.last_pod_event_time
                                                               : initialized->last_transition_time;
        rested = after->nanoseconds == 0 || ns_add(since, after->nanoseconds) <= snapshot->time;
    }
    const struct condition_edit edit = {CONDITION_CONSOLIDATABLE, rested, "Consolidatable"};
    claim_conditions_edit(snapshot, index, &edit, 1);
}

// The owner is gone: garbage collection deletes the NodeClaim, and its pods need another place.
static void delete_claim(struct snapshot *snapshot, uint32_t index)
{
    const struct object **slot = &snapshot->objects[KIND_NODE_CLAIM].items[index];
    struct node_claim claim = *(const struct node_claim *)*slot;
    if (claim.meta.deletion_timestamp == 0)
        claim.meta.deletion_timestamp = snapshot->time;
    const struct object *copy = object_copy((const struct object *)&claim);
    snapshot_keep(snapshot, *slot);
    object_release(*slot);
    *slot = copy;
}

static bool disruption_changed(const struct object_change *change)
{
    bool changed = false;
    for (uint32_t i = 0; change != NULL && i < change->fields.count; i++)
        changed = changed || field_change_is_below(&change->fields.items[i], "spec.disruption");
    return changed;
}

static int by_node(const void *a, const void *b)
{
    return strcmp(((const struct drift_mark *)a)->node, ((const struct drift_mark *)b)->node);
}

// --- remarks -------------------------------------------------------------------------------------

// Fields whose effect on a machine only the cloud's answers tell.
static void add_remarks(struct marking *marking, struct edit_forecast *forecast)
{
    static const char *const selectors[] = {
        "amiSelectorTerms", "subnetSelectorTerms", "securityGroupSelectorTerms",
        "capacityReservationSelectorTerms", "placementGroupSelector"};
    forecast->remarks.items = arena_allocate_array(marking->arena, marking->changes->count + 1,
                                                   sizeof *forecast->remarks.items);
    list_for_each (change, marking->changes) {
        if (change->kind != CHANGE_EDITED)
            continue;
        const char *first = NULL;
        list_for_each (field, &change->fields)
            for (size_t i = 0; i < ARRAY_LENGTH(selectors) && first == NULL; i++)
                if (strstr(field->path, selectors[i]) != NULL)
                    first = selectors[i];
        if (first != NULL)
            forecast->remarks.items[forecast->remarks.count++] = arena_format(
                marking->arena,
                "%s %s: what %s selects is known to the controller only; nodes whose image, "
                "subnet or security groups it no longer selects drift as well",
                change->after->kind->name, change->after->meta.name, first);
    }
}

static struct string_list fresh_pools(struct marking *marking)
{
    struct string_list fresh = {0};
    fresh.items =
        arena_allocate_array(marking->arena, marking->drifted.count + 1, sizeof *fresh.items);
    for (uint32_t i = 0; i < marking->drifted.count; i++) {
        const struct drift_mark *mark = &marking->drifted.items[i];
        const char *pool = object_label((const struct object *)mark->claim, LABEL_NODE_POOL);
        if (!mark->before && !string_list_has(&fresh, pool))
            fresh.items[fresh.count++] = pool;
    }
    return fresh;
}

struct edit_forecast edit_forecast_apply(struct arena *arena, const struct snapshot *before,
                                         struct snapshot *after,
                                         const struct object_change_list *changes)
{
    struct marking marking = {arena, before, after, changes, {0}, {0}};
    struct edit_forecast forecast = {0};
    for (uint32_t i = 0; i < after->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)after->objects[KIND_NODE_CLAIM].items[i];
        const struct node_pool *pool = claim_pool(after, claim);
        if (object_is_deleting((const struct object *)claim))
            continue;
        if (pool == NULL && claim_pool(before, claim) != NULL) {
            delete_claim(after, i);
        } else if (pool != NULL) {
            if (disruption_changed(change_of(&marking, (const struct object *)pool)))
                mark_consolidatable(after, i, pool);
            mark(&marking, i, pool);
        }
    }
    add_remarks(&marking, &forecast);
    forecast.fresh = fresh_pools(&marking);
    forecast.drifted.count = marking.drifted.count;
    forecast.settled.count = marking.settled.count;
    forecast.drifted.items =
        arena_allocate_array(arena, marking.drifted.count + 1, sizeof *forecast.drifted.items);
    forecast.settled.items =
        arena_allocate_array(arena, marking.settled.count + 1, sizeof *forecast.settled.items);
    for (uint32_t i = 0; i < marking.drifted.count; i++)
        forecast.drifted.items[i] = marking.drifted.items[i];
    for (uint32_t i = 0; i < marking.settled.count; i++)
        forecast.settled.items[i] = marking.settled.items[i];
    qsort(forecast.drifted.items, forecast.drifted.count, sizeof *forecast.drifted.items, by_node);
    qsort(forecast.settled.items, forecast.settled.count, sizeof *forecast.settled.items, by_node);
    vector_free(&marking.drifted);
    vector_free(&marking.settled);
    return forecast;
}
