#include "cli/explain/explain_drift.h"

#include <stdio.h>

#include "base/text.h"
#include "cli/output/columns.h"
#include "engine/forecast/drift_fields.h"
#include "model/reading/claim_drift.h"
#include "model/schema/condition_types.h"
#include "model/snapshot/snapshot_lookup.h"

struct drift { // of one NodeClaim
    const struct node_pool *pool;
    const char *reason; // NULL: none
    const char *message;
    bool marked; // has the condition; else a controller would set it
    field_change_list fields;
};

static const struct node_claim *find_claim(const struct snapshot *snapshot, const char *name)
{
    const char *provider = NULL;
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE].count; i++) {
        const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[i];
        if (text_equal(node->meta.name, name))
            provider = node->spec.provider_id;
    }
    for (uint32_t i = 0; i < snapshot->objects[KIND_NODE_CLAIM].count; i++) {
        const struct node_claim *claim =
            (const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[i];
        if (text_equal(claim->meta.name, name) ||
            (provider != NULL && text_equal(claim->status.provider_id, provider)))
            return claim;
    }
    return NULL;
}

static struct drift drift_of(struct arena *arena, const struct snapshot *snapshot, const char *node)
{
    struct drift drift = {.reason = NULL};
    const struct node_claim *claim = find_claim(snapshot, node);
    if (claim == NULL)
        return drift;
    const struct condition *condition =
        condition_find(&claim->status.conditions, CONDITION_DRIFTED);
    enum condition_reason reason;
    drift.pool = claim_pool(snapshot, claim);
    drift.marked = condition != NULL && text_equal(condition->status, "True");
    bool differs = drift.pool != NULL && claim_drifted_from_pool(claim, drift.pool, &reason);
    if (drift.marked) {
        drift.reason = text_is_empty(condition->reason) ? "Drifted" : condition->reason;
        drift.message = condition->message;
    } else if (differs) {
        drift.reason = condition_reason_name(reason);
    }
    if (differs)
        drift.fields = drift_fields_of_pool(arena, claim, drift.pool, NULL);
    return drift;
}

void explain_drift_print(const struct snapshot *snapshot, const char *node)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct drift drift = drift_of(arena, snapshot, node);
    if (drift.reason == NULL)
        return;
    bool has_message = !text_is_empty(drift.message) && !text_equal(drift.message, drift.reason);
    print_paragraph(2, "%s: %s%s%s%s",
                    drift.marked ? "it has drifted"
                                 : "it differs from what is wanted, and would be found drifted",
                    drift.reason, has_message ? ", " : "", has_message ? drift.message : "",
                    drift.fields.count == 0 ? "; by which field is not known here"
                                            : "; on the node, and wanted now:");
    list_for_each (field, &drift.fields)
        print_paragraph(4, "%s: %s -> %s", field->path,
                        field->from != NULL ? field->from : "(none)",
                        field->to != NULL ? field->to : "(none)");
}

void explain_drift_encode(json_t *json, const struct snapshot *snapshot, const char *node)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct drift drift = drift_of(arena, snapshot, node);
    if (drift.reason == NULL)
        return;
    json_t *fields = json_array();
    list_for_each (field, &drift.fields)
        json_array_append_new(fields, json_pack("{s:s, s:s*, s:s*}", "path", field->path, "from",
                                                field->from, "to", field->to));
    json_object_set_new(json, "drift",
                        json_pack("{s:s, s:b, s:o}", "reason", drift.reason, "marked", drift.marked,
                                  "fields", fields));
}
