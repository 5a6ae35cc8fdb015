#include "control/nodepool/registration_health.h"

#include <stdlib.h>

#include "control/nodepool/pool_controller.h"
#include "model/schema/condition_types.h"
#include "reconcile/conditions.h"
#include "reconcile/operations.h"

struct pool_health { // by NodePool UID
    struct outcome_ring ring;
    char *uid;
    char *failure_reason, *failure_message; // of the newest failure
    bool recovered; // a success made the ring healthy (LIF-221); the condition may lag
};

struct registration_health {
    struct control *control;
    struct reconcile_queue *queue;
    struct map *pools; // pool_health by NodePool name
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

// --- the ring ------------------------------------------------------------------------------------
void outcome_ring_add(struct outcome_ring *ring, bool failed)
{
    ring->failed[ring->next] = failed;
    ring->next = (ring->next + 1) % REGISTRATION_OUTCOMES;
    if (ring->count < REGISTRATION_OUTCOMES)
        ring->count++;
}

enum registration_state outcome_ring_state(const struct outcome_ring *ring)
{
    uint32_t failures = 0;
    for (uint32_t i = 0; i < ring->count; i++)
        failures += ring->failed[i];
    if (ring->count == 0)
        return REGISTRATION_UNKNOWN;
    return failures >= 2 ? REGISTRATION_UNHEALTHY : REGISTRATION_HEALTHY;
}

// --- the controller ------------------------------------------------------------------------------
static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct registration_health *health = context;
    (void)change;
    reconcile_queue_add(health->queue, (new_object != NULL ? new_object : old_object)->meta.name);
}

static void on_class(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct registration_health *health = context;
    (void)change;
    pool_controller_add_users(health->control, health->queue,
                              (new_object != NULL ? new_object : old_object)->meta.name);
}

struct registration_health *registration_health_create(struct control *control)
{
    struct registration_health *health = memory_allocate(sizeof *health);
    health->control = control;
    health->pools = map_create();
    health->queue = manager_queue(
        &control->manager,
        &(struct reconcile_queue_options){.name = "nodepool.registrationhealth",
                                          .kind = "NodePool",
                                          .concurrency = manager_scale(&control->manager, 10, 1000),
                                          .reconcile = reconcile,
                                          .context = health});
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, health);
    mirror_on_change(control->manager.mirror, control->node_class_kind, on_class, health);
    return health;
}

static void pool_health_destroy(void *value)
{
    struct pool_health *pool = value;
    free(pool->uid);
    free(pool->failure_reason);
    free(pool->failure_message);
    free(pool);
}

void registration_health_destroy(struct registration_health *health)
{
    if (health == NULL)
        return;
    map_destroy(health->pools, pool_health_destroy);
    free(health);
}

// LIF-224: an empty ring takes its initial state from the condition.
static void ring_from_condition(struct outcome_ring *ring, const struct node_pool *pool)
{
    const struct condition *condition =
        condition_find(&pool->status.conditions, CONDITION_NODE_REGISTRATION_HEALTHY);
    if (condition == NULL)
        return;
    if (text_equal(condition->status, "True"))
        outcome_ring_add(ring, false);
    if (text_equal(condition->status, "False")) {
        outcome_ring_add(ring, true);
        outcome_ring_add(ring, true);
    }
}

static struct pool_health *health_of(struct registration_health *health,
                                     const struct node_pool *pool)
{
    struct pool_health *entry = map_get(health->pools, pool->meta.name);
    if (entry != NULL && text_equal(entry->uid, pool->meta.uid))
        return entry;
    if (entry != NULL)
        pool_health_destroy(map_remove(health->pools, pool->meta.name));
    entry = memory_allocate(sizeof *entry);
    entry->uid = memory_copy_string(pool->meta.uid);
    ring_from_condition(&entry->ring, pool);
    map_set(health->pools, pool->meta.name, entry);
    return entry;
}

// LIF-223: the NodePool that still owns the NodeClaim, or NULL.
static const struct node_pool *owner_of(const struct registration_health *health,
                                        const struct node_claim *claim)
{
    const struct node_pool *pool = pool_of_claim(health->control, claim);
    list_for_each (owner, &claim->meta.owner_references)
        if (pool != NULL && text_equal(owner->kind, "NodePool") &&
            text_equal(owner->uid, pool->meta.uid))
            return pool;
    return NULL;
}

void registration_health_succeeded(struct registration_health *health,
                                   const struct node_claim *claim)
{
    const struct node_pool *pool = owner_of(health, claim);
    if (pool == NULL)
        return;
    struct pool_health *entry = health_of(health, pool);
    outcome_ring_add(&entry->ring, false);
    entry->recovered = entry->recovered || outcome_ring_state(&entry->ring) == REGISTRATION_HEALTHY;
    reconcile_queue_add(health->queue, pool->meta.name);
}

void registration_health_failed(struct registration_health *health, const struct node_claim *claim)
{
    const struct node_pool *pool = owner_of(health, claim);
    if (pool == NULL)
        return;
    struct pool_health *entry = health_of(health, pool);
    outcome_ring_add(&entry->ring, true);
    if (outcome_ring_state(&entry->ring) == REGISTRATION_UNHEALTHY)
        entry->recovered = false;
    free(entry->failure_reason);
    free(entry->failure_message);
    const struct condition *launched =
        condition_find(&claim->status.conditions, CONDITION_LAUNCHED);
    bool by_launch = launched != NULL && !text_equal(launched->status, "True");
    entry->failure_reason = memory_copy_string(
        by_launch ? launched->reason : condition_reason_name(CONDITION_REASON_REGISTRATION_FAILED));
    entry->failure_message =
        memory_copy_string(by_launch ? launched->message : "Failed to register node");
    reconcile_queue_add(health->queue, pool->meta.name);
}

// LIF-221, LIF-222, LIF-224.
static void settle(struct pool_health *entry, const struct node_pool *pool,
                   const struct object *node_class, struct conditions *conditions)
{
    const struct condition *condition =
        conditions_get(conditions, CONDITION_NODE_REGISTRATION_HEALTHY);
    if (condition == NULL ||
        node_class->meta.generation != pool->status.node_class_observed_generation ||
        condition->observed_generation != pool->meta.generation) {
        conditions_set(conditions, CONDITION_NODE_REGISTRATION_HEALTHY, "Unknown",
                       CONDITION_REASON_AWAITING_RECONCILIATION,
                       "object is awaiting reconciliation");
        entry->ring = (struct outcome_ring){0};
        entry->recovered = false;
        return;
    }
    // A first failure leaves the ring healthy, but is no proof of health.
    enum registration_state state = outcome_ring_state(&entry->ring);
    if (state == REGISTRATION_HEALTHY && entry->recovered)
        conditions_set_true(conditions, CONDITION_NODE_REGISTRATION_HEALTHY);
    else if (state == REGISTRATION_UNHEALTHY && !text_equal(condition->status, "False"))
        conditions_set_named(conditions, CONDITION_NODE_REGISTRATION_HEALTHY, "False",
                             entry->failure_reason != NULL
                                 ? entry->failure_reason
                                 : condition_reason_name(CONDITION_REASON_REGISTRATION_FAILED),
                             entry->failure_message != NULL ? entry->failure_message
                                                            : "Failed to register node");
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct registration_health *health = context;
    struct control *control = health->control;
    (void)error;
    const struct node_pool *pool = find_pool(control, work_item_key(item));
    if (pool == NULL) {
        struct pool_health *entry = map_remove(health->pools, work_item_key(item));
        if (entry != NULL)
            pool_health_destroy(entry);
        return reconcile_done();
    }
    const struct node_class_reference *reference = pool->spec.template.spec.node_class_ref;
    if (!managed_pool(control, pool) || reference->name == NULL)
        return reconcile_done();
    const struct object *node_class =
        mirror_get(control->manager.mirror, control->node_class_kind, NULL, reference->name);
    if (node_class == NULL)
        return reconcile_done();
    struct arena *arena CLEANUP_ARENA = arena_create(2048);
    struct conditions conditions;
    conditions_read(&conditions, arena, (const struct object *)pool, &pool->status.conditions,
                    manager_now(&control->manager));
    settle(health_of(health, pool), pool, node_class, &conditions);
    struct reconcile_result result = reconcile_done();
    if (conditions.changed ||
        pool->status.node_class_observed_generation != node_class->meta.generation) {
        json_t *body = json_locked((const struct object *)pool);
        json_object_set_new(body, "status",
                            json_pack("{s:o, s:I}", "conditions", conditions_encode(&conditions),
                                      "nodeClassObservedGeneration",
                                      (json_int_t)node_class->meta.generation));
        result =
            start_patch_status(&(struct operation_about){.manager = &control->manager,
                                                         .item = item,
                                                         .doing = "updating registration health"},
                               (const struct object *)pool, body);
    }
    conditions_free(&conditions);
    return result;
}
