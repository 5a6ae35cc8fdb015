#include "control/static/static_deprovisioning.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"
#include "control/static/static_capacity.h"
#include "engine/disruption/static_order.h"
#include "reconcile/operations.h"

#define PERIOD_NS  MINUTE
#define UNKNOWN_NS SECOND

struct static_deprovisioning {
    struct control *control;
    struct static_capacity *capacity;
    struct reconcile_queue *queue;
    struct map *asked; // names of NodeClaims with a delete call that the mirror does not show yet
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct static_deprovisioning *deprovisioning = context;
    if (change == MIRROR_DELETED)
        reconcile_queue_forget(deprovisioning->queue, old_object->meta.name);
    else if (((const struct node_pool *)new_object)->spec.replicas.present &&
             (old_object == NULL || old_object->meta.generation != new_object->meta.generation))
        reconcile_queue_add(deprovisioning->queue, new_object->meta.name);
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct static_deprovisioning *deprovisioning = context;
    const struct object *claim = new_object != NULL ? new_object : old_object;
    const char *pool = object_label(claim, LABEL_NODE_POOL);
    if (new_object == NULL || object_is_deleting(new_object))
        map_remove(deprovisioning->asked, claim->meta.name);
    if (change == MIRROR_ADDED && pool != NULL &&
        static_pool(deprovisioning->control, pool) != NULL)
        reconcile_queue_add(deprovisioning->queue, pool);
}

struct static_deprovisioning *static_deprovisioning_create(struct control *control,
                                                           struct static_capacity *capacity)
{
    if (!control->manager.settings->gate_static_capacity)
        return NULL;
    struct static_deprovisioning *deprovisioning = memory_allocate(sizeof *deprovisioning);
    deprovisioning->control = control;
    deprovisioning->capacity = capacity;
    deprovisioning->asked = map_create();
    deprovisioning->queue = manager_queue(
        &control->manager, &(struct reconcile_queue_options){.name = "static.deprovisioning",
                                                             .kind = "NodePool",
                                                             .concurrency = 10,
                                                             .reconcile = reconcile,
                                                             .context = deprovisioning});
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, deprovisioning);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, deprovisioning);
    return deprovisioning;
}

void static_deprovisioning_destroy(struct static_deprovisioning *deprovisioning)
{
    if (deprovisioning == NULL)
        return;
    map_destroy(deprovisioning->asked, NULL);
    free(deprovisioning);
}

// --- the pass ------------------------------------------------------------------------------------
static struct static_candidate rate(const struct control *control, const struct node_claim *claim)
{
    const struct state_node *state = cluster_state(control->cluster, claim->status.provider_id);
    const struct node *node = state != NULL ? state_main_node(state) : NULL;
    const struct pod_list *pods =
        cluster_pods(control->cluster, node != NULL ? node->meta.name : NULL);
    return state == NULL ? static_candidate_unlaunched(claim)
                         : static_candidate_of(claim, pods->items, pods->count,
                                               manager_now(&control->manager));
}

static struct reconcile_result delete_first(struct static_deprovisioning *deprovisioning,
                                            struct work_item *item,
                                            const struct static_candidate *candidates,
                                            int64_t count)
{
    struct operation_about about = {
        .manager = &deprovisioning->control->manager, .item = item, .doing = "deleting node claim"};
    for (int64_t i = 0; i < count; i++) {
        map_set(deprovisioning->asked, candidates[i].claim->meta.name, deprovisioning);
        start_delete(&about, (const struct object *)candidates[i].claim, -1);
    }
    return reconcile_running();
}

static struct reconcile_result deprovision(struct static_deprovisioning *deprovisioning,
                                           struct work_item *item, const struct node_pool *pool,
                                           int64_t active)
{
    struct control *control = deprovisioning->control;
    VECTOR(struct static_candidate) candidates = {0};
    struct mirror_iterator iterator = {0};
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_NODE_CLAIM, &iterator)) != NULL;) {
        const struct node_claim *claim = (const struct node_claim *)object;
        if (!text_equal(object_label(object, LABEL_NODE_POOL), pool->meta.name) ||
            static_standing_of(deprovisioning->capacity, claim) != STATIC_ACTIVE)
            continue;
        struct static_candidate candidate = rate(control, claim);
        if (map_get(deprovisioning->asked, claim->meta.name) != NULL)
            candidate.rank = STATIC_ASKED;
        vector_push(&candidates, candidate);
    }
    static_candidates_sort(candidates.items, candidates.count);
    int64_t excess = active - pool->spec.replicas.value;
    log_info("deprovisioning nodeclaims to satisfy replica count", "s:controller",
             "static.deprovisioning", "o:NodePool", pool->meta.name, "i:current", active,
             "i:desired", (int64_t)pool->spec.replicas.value, "i:deprovision-count", excess);
    struct reconcile_result result = delete_first(deprovisioning, item, candidates.items, excess);
    vector_free(&candidates);
    return result;
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct static_deprovisioning *deprovisioning = context;
    const struct node_pool *pool = static_pool(deprovisioning->control, work_item_key(item));
    (void)error;
    if (pool == NULL)
        return reconcile_done();
    if (!static_capacity_is_known(deprovisioning->capacity))
        return reconcile_after(UNKNOWN_NS);
    int64_t active = static_counts_of(deprovisioning->capacity, pool->meta.name).active;
    if (active <= pool->spec.replicas.value)
        return reconcile_after(PERIOD_NS);
    return deprovision(deprovisioning, item, pool, active);
}
