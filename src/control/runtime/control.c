#include "control/runtime/control.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/duration.h"
#include "base/quantity.h"
#include "engine/disruption/strategy.h"
#include "model/reading/catalog.h"
#include "model/reading/pod.h"
#include "model/reading/selector.h"
#include "model/schema/condition_types.h"

// --- owners of objects --------------------------------------------------------------------------
static bool managed_reference(const struct control *control,
                              const struct node_class_reference *reference)
{
    return reference != NULL && reference->group != NULL && reference->kind != NULL &&
           provider_serves(control->cloud->provider, reference->group, reference->kind);
}

bool managed_claim(const struct control *control, const struct node_claim *claim)
{
    return managed_reference(control, claim->spec.node_class_ref);
}

bool managed_pool(const struct control *control, const struct node_pool *pool)
{
    return managed_reference(control, pool->spec.template.spec.node_class_ref);
}

bool managed_node(const struct control *control, const struct node *node)
{
    return string_map_get(&node->meta.labels, control->node_class_label) != NULL;
}

bool node_is_unreadable(const struct control *control, const struct node_claim *claim)
{
    return claim->status.node_name != NULL &&
           mirror_is_invalid(control->manager.mirror, KIND_NODE, NULL, claim->status.node_name);
}

const struct node_claim *find_claim(const struct control *control, const char *name)
{
    return (const struct node_claim *)mirror_get(control->manager.mirror, KIND_NODE_CLAIM, NULL,
                                                 name);
}

const struct node *find_node(const struct control *control, const char *name)
{
    return (const struct node *)mirror_get(control->manager.mirror, KIND_NODE, NULL, name);
}

const struct node_pool *find_pool(const struct control *control, const char *name)
{
    return (const struct node_pool *)mirror_get(control->manager.mirror, KIND_NODE_POOL, NULL,
                                                name);
}

const struct node_pool *pool_of_claim(const struct control *control, const struct node_claim *claim)
{
    const char *name = string_map_get(&claim->meta.labels, LABEL_NODE_POOL);
    return name != NULL ? find_pool(control, name) : NULL;
}

int64_t claim_price(const struct control *control, const struct node_claim *claim, bool *known)
{
    const struct node_pool *pool = pool_of_claim(control, claim);
    const struct string_map *labels = &claim->meta.labels;
    struct error error = {0};
    const struct instance_type_catalog *catalog =
        pool != NULL ? control->cloud->operations->instance_types(control->cloud, pool, &error)
                     : NULL;
    const struct instance_type *type =
        catalog != NULL
            ? instance_type_catalog_find(catalog, string_map_get(labels, LABEL_INSTANCE_TYPE))
            : NULL;
    const struct offering *offering =
        type != NULL ? instance_type_offering(
                           type, labels,
                           disruption_strategy_of(control->manager.settings)->prices_reservations)
                     : NULL;
    int64_t price = offering != NULL ? offering->price : 0;
    if (known != NULL)
        *known = offering != NULL;
    object_release((const struct object *)catalog);
    return price;
}

const char *label_or_empty(const struct object *object, const char *key)
{
    const char *value = object_label(object, key);
    return value != NULL ? value : "";
}

// --- taints --------------------------------------------------------------------------------------
const struct taint *find_taint(const taint_list *taints, const char *key, const char *effect)
{
    list_for_each (taint, taints)
        if (text_equal(taint->key, key) && text_equal(taint->effect, effect))
            return taint;
    return NULL;
}

bool node_is_closed(const struct node *node)
{
    return find_taint(&node->spec.taints, TAINT_UNREGISTERED, "NoExecute") != NULL ||
           find_taint(&node->spec.taints, TAINT_AWAITING_PODS, "NoSchedule") != NULL;
}

void taint_describe(const struct taint *taint, struct text *out)
{
    text_add(out, taint->key);
    if (taint->value != NULL && *taint->value != '\0')
        text_format(out, "=%s", taint->value);
    text_format(out, ":%s", taint->effect != NULL ? taint->effect : "");
}

// --- pods ----------------------------------------------------------------------------------------
const struct pod_disruption_budget *next_budget_of(const struct control *control,
                                                   const struct pod *pod,
                                                   struct mirror_iterator *iterator)
{
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_POD_DISRUPTION_BUDGET, iterator)) !=
         NULL;) {
        const struct pod_disruption_budget *budget = (const struct pod_disruption_budget *)object;
        if (budget_covers(budget, &pod->meta))
            return budget;
    }
    return NULL;
}

bool pod_needs_node(const struct pod *pod)
{
    if (pod->spec.node_name != NULL && *pod->spec.node_name != '\0')
        return false;
    if (pod->meta.unreadable != NULL) // its requirements are unknown
        return false;
    if (pod->status.nominated_node_name != NULL && *pod->status.nominated_node_name != '\0')
        return false;
    bool unschedulable = false;
    list_for_each (condition, &pod->status.conditions)
        if (text_equal(condition->type, condition_name(CONDITION_POD_SCHEDULED)) &&
            text_equal(condition->reason, "Unschedulable"))
            unschedulable = true;
    return unschedulable && !pod_owned_by_daemon_set(pod) && !pod_owned_by_node(pod);
}

const char *termination_mode(const struct node_claim *claim)
{
    if (claim->spec.termination_grace_period.text == NULL)
        return "graceful";
    return claim->spec.termination_grace_period.nanoseconds <= 0 ? "forceful" : "eventual";
}
