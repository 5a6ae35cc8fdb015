#include "control/disruption/disruption_taints.h"

#include "control/command/disruption_command.h"
#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"

static bool balancers_excluded(const struct node *node)
{
    return text_equal(string_map_get(&node->meta.labels, LABEL_EXCLUDE_BALANCERS), "karpenter");
}

// The label of LIF-105 comes along: it is due anyway as soon as the command is confirmed.
json_t *taint_patch(const struct node *node, const char *mark)
{
    static const struct taint disrupted = {.key = TAINT_DISRUPTED, .effect = "NoSchedule"};
    json_t *body = json_locked((const struct object *)node);
    json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_DISRUPTION_COMMAND,
                        json_string(mark));
    if (string_map_get(&node->meta.labels, LABEL_EXCLUDE_BALANCERS) == NULL)
        json_object_set_new(json_metadata(body, "labels"), LABEL_EXCLUDE_BALANCERS,
                            json_string("karpenter"));
    if (find_taint(&node->spec.taints, TAINT_DISRUPTED, "NoSchedule") == NULL) // DIS-301
        json_set_taints(body, json_taints(&node->spec.taints, NULL, &disrupted));
    return body;
}

// adze's taint has no value; another's with a value was there before and stays (DIS-730).
static const struct taint *our_taint(const struct node *node)
{
    const struct taint *taint = find_taint(&node->spec.taints, TAINT_DISRUPTED, "NoSchedule");
    return taint != NULL && (taint->value == NULL || *taint->value == '\0') ? taint : NULL;
}

json_t *untaint_patch(const struct node *node)
{
    bool marked =
        object_annotation((const struct object *)node, ANNOTATION_DISRUPTION_COMMAND) != NULL;
    const struct taint *taint = our_taint(node);
    if (!marked) // a taint that is not ours stays (DIS-730)
        return NULL;
    json_t *body = json_locked((const struct object *)node);
    json_object_set_new(json_metadata(body, "annotations"), ANNOTATION_DISRUPTION_COMMAND,
                        json_null());
    if (balancers_excluded(node))
        json_object_set_new(json_metadata(body, "labels"), LABEL_EXCLUDE_BALANCERS, json_null());
    if (taint != NULL)
        json_set_taints(body, json_taints(&node->spec.taints, taint, NULL));
    return body;
}

json_t *unreason_patch(struct control *control, const struct node_claim *claim)
{
    if (condition_find(&claim->status.conditions, CONDITION_DISRUPTION_REASON) == NULL)
        return NULL;
    struct arena *arena CLEANUP_ARENA = arena_create(2048);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)claim, &claim->status.conditions,
                    manager_now(&control->manager));
    conditions_clear(&conditions, CONDITION_DISRUPTION_REASON);
    json_t *body = json_locked((const struct object *)claim);
    json_object_set_new(body, "status",
                        json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
    conditions_free(&conditions);
    return body;
}

json_t *reason_patch(struct control *control, const struct node_claim *claim,
                     enum disruption_reason reason)
{
    struct arena *arena CLEANUP_ARENA = arena_create(2048);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)claim, &claim->status.conditions,
                    manager_now(&control->manager));
    const char *name = disruption_reason_name(reason);
    conditions_set_named(&conditions, CONDITION_DISRUPTION_REASON, "True", name, name);
    json_t *body = json_locked((const struct object *)claim);
    json_object_set_new(body, "status",
                        json_pack("{s:o}", "conditions", conditions_encode(&conditions)));
    conditions_free(&conditions);
    return body;
}
