#include "control/static/static_deprovisioning.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "control/state/state_node.h"
#include "control/static/static_capacity.h"
#include "engine/disruption/candidates.h"
#include "model/reading/pod.h"
#include "model/reading/pod_eviction.h"
#include "reconcile/operations.h"

#define PERIOD_NS MINUTE

struct static_deprovisioning {
    struct control *control;
    struct static_capacity *capacity;
    struct reconcile_queue *queue;
    struct map *asked; // names of NodeClaims whose deletion was asked for, until it is seen
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

// --- the order of merit --------------------------------------------------------------------------
static double clamp(double value, double least, double most)
{
    return value < least ? least : value > most ? most : value;
}

static double lifetime_left(const struct node_claim *claim, int64_t now) // LIF-234
{
    const struct duration *expiry = &claim->spec.expire_after;
    if (expiry->text == NULL || expiry->nanoseconds == DURATION_NEVER)
        return 1;
    if (expiry->nanoseconds <= 0)
        return 0;
    double age = (double)ns_subtract(now, claim->meta.creation_timestamp);
    return clamp(((double)expiry->nanoseconds - age) / (double)expiry->nanoseconds, 0, 1);
}

struct static_candidate static_candidate_of(const struct node_claim *claim,
                                            const struct pod_list *pods, int64_t now)
{
    struct static_candidate candidate = {.claim = claim, .rank = STATIC_UNLAUNCHED};
    if (pods == NULL)
        return candidate;
    bool empty = true, protected = false;
    double cost = 0;
    for (uint32_t i = 0; i < pods->count; i++) {
        const struct pod *pod = pods->items[i];
        if (pod_is_terminal(pod))
            continue;
        protected = protected || pod_is_protected(pod, now);
        empty = empty && (pod_owned_by_daemon_set(pod) || pod_owned_by_node(pod));
        cost += pod_eviction_cost(pod);
    }
    candidate.rank = protected ? STATIC_PROTECTED : empty ? STATIC_EMPTY : STATIC_USED;
    candidate.cost = candidate.rank == STATIC_EMPTY ? 0 : cost * lifetime_left(claim, now);
    return candidate;
}

int static_candidates_compare(const void *left, const void *right)
{
    const struct static_candidate *a = left, *b = right;
    if (a->rank != b->rank)
        return a->rank < b->rank ? -1 : 1;
    if (a->cost != b->cost)
        return a->cost < b->cost ? -1 : 1;
    int64_t x = a->claim->meta.creation_timestamp, y = b->claim->meta.creation_timestamp;
    if (x != y)
        return x > y ? -1 : 1;
    return strcmp(a->claim->meta.name, b->claim->meta.name);
}

// --- the pass ------------------------------------------------------------------------------------
static struct static_candidate rate(const struct control *control, const struct node_claim *claim)
{
    const struct state_node *state = cluster_state(control->cluster, claim->status.provider_id);
    const struct node *node = state != NULL ? state_main_node(state) : NULL;
    const struct pod_list *pods =
        cluster_pods(control->cluster, node != NULL ? node->meta.name : NULL);
    return static_candidate_of(claim, state != NULL ? pods : NULL, manager_now(&control->manager));
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
    qsort(candidates.items, candidates.count, sizeof *candidates.items, static_candidates_compare);
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
    int64_t active = static_counts_of(deprovisioning->capacity, pool->meta.name).active;
    if (active <= pool->spec.replicas.value)
        return reconcile_after(PERIOD_NS);
    return deprovision(deprovisioning, item, pool, active);
}
