#include "engine/forecast/claim_conditions.h"

#include <string.h>

#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/schema/pack.h"
#include "model/snapshot/snapshot.h"

static void edit_condition(condition_list *conditions, const struct condition_edit *edit,
                           int64_t time)
{
    uint32_t at = 0;
    while (at < conditions->count &&
           !text_equal(conditions->items[at].type, condition_name(edit->type)))
        at++;
    bool found = at < conditions->count;
    if (!edit->present && found)
        memmove(&conditions->items[at], &conditions->items[at + 1],
                (--conditions->count - at) * sizeof *conditions->items);
    if (!edit->present || (found && text_equal(conditions->items[at].status, "True") &&
                           text_equal(conditions->items[at].reason, edit->reason)))
        return;
    int64_t since = found && text_equal(conditions->items[at].status, "True")
                        ? conditions->items[at].last_transition_time
                        : time;
    conditions->count += !found;
    conditions->items[at] = (struct condition){.type = condition_name(edit->type),
                                               .status = "True",
                                               .reason = edit->reason,
                                               .message = edit->reason,
                                               .last_transition_time = since};
}

static void replace(struct snapshot *snapshot, uint32_t index, const struct node_claim *changed)
{
    const struct object **slot = &snapshot->objects[KIND_NODE_CLAIM].items[index];
    const struct object *copy = object_copy((const struct object *)changed);
    snapshot_keep(snapshot, *slot); // texts of a forecast may point into it
    object_release(*slot);
    *slot = copy;
}

void claim_conditions_edit(struct snapshot *snapshot, uint32_t index,
                           const struct condition_edit *edits, uint32_t count)
{
    struct node_claim claim =
        *(const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[index];
    condition_list conditions = {0};
    conditions.items =
        memory_allocate_array(claim.status.conditions.count + count + 1, sizeof *conditions.items);
    list_for_each (condition, &claim.status.conditions)
        conditions.items[conditions.count++] = *condition;
    for (uint32_t i = 0; i < count; i++)
        edit_condition(&conditions, &edits[i], snapshot->time);
    claim.status.conditions = conditions;
    replace(snapshot, index, &claim);
    cleanup_free(&conditions.items);
}

void claim_conditions_rest(struct snapshot *snapshot, uint32_t index, const struct node_pool *pool)
{
    const struct duration *after = &pool->spec.disruption.consolidate_after;
    const struct condition_edit edit = {CONDITION_CONSOLIDATABLE, true, "Consolidatable"};
    claim_conditions_edit(snapshot, index, &edit, 1);
    struct node_claim claim =
        *(const struct node_claim *)snapshot->objects[KIND_NODE_CLAIM].items[index];
    claim.status.last_pod_event_time = ns_subtract(snapshot->time, after->nanoseconds);
    replace(snapshot, index, &claim);
}
