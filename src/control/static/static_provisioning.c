#include "control/static/static_provisioning.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/launch/claim_creation.h"
#include "control/launch/launch_attempts.h"
#include "control/launch/launch_backoff.h"
#include "control/launch/launch_backoff_catalog.h"
#include "control/runtime/control.h"
#include "control/state/claim_name.h"
#include "control/state/cluster.h"
#include "control/state/node_claim_template.h"
#include "control/static/static_capacity.h"
#include "engine/templates/static_claim.h"
#include "model/schema/condition_types.h"
#include "reconcile/operations.h"

#define PERIOD_NS        MINUTE
#define UNSYNCED_NS      SECOND
#define LIMITED_NS       (30 * SECOND)
#define FAILED_FIRST_NS  SECOND
#define FAILED_MAX_NS    (3 * MINUTE)
#define ROUND_CLAIMS_MAX 100 // created at the same time

struct static_creation { // one create call
    struct claim_creation creation;
    struct static_provisioning *provisioning;
    char *name; // NULL: passed on to another call
};

struct pool_record {
    char *pool;
    struct static_creation *round; // the calls under way, or the last ones
    uint32_t round_count;
    VECTOR(char *) unanswered; // names of NodeClaims that may have been created
    uint32_t failures;         // consecutive launches that failed
    int64_t not_before_ns;     // monotonic
};

struct static_provisioning {
    struct control *control;
    struct static_capacity *capacity;
    struct launch_backoff *launch_backoff;
    struct reconcile_queue *queue;
    struct map *records; // struct pool_record by pool
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

static struct pool_record *record_of(struct static_provisioning *provisioning, const char *pool)
{
    struct pool_record *record =
        map_ensure(provisioning->records, pool, sizeof(struct pool_record));
    if (record->pool == NULL)
        record->pool = memory_copy_string(pool);
    return record;
}

static void round_clear(struct pool_record *record)
{
    for (uint32_t i = 0; i < record->round_count; i++)
        free(record->round[i].name);
    free(record->round);
    record->round = NULL;
    record->round_count = 0;
}

static void record_destroy(void *value)
{
    struct pool_record *record = value;
    round_clear(record);
    for (uint32_t i = 0; i < record->unanswered.count; i++)
        free(record->unanswered.items[i]);
    vector_free(&record->unanswered);
    free(record->pool);
    free(record);
}

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct static_provisioning *provisioning = context;
    const struct node_pool *before = (const struct node_pool *)old_object;
    const struct node_pool *pool = (const struct node_pool *)new_object;
    if (change == MIRROR_DELETED) {
        reconcile_queue_forget(provisioning->queue, old_object->meta.name);
        return;
    }
    bool becomes_ready =
        before == NULL || (!condition_is_true(&before->status.conditions, CONDITION_READY) &&
                           condition_is_true(&pool->status.conditions, CONDITION_READY));
    if (pool->spec.replicas.present &&
        (becomes_ready || before->meta.generation != pool->meta.generation))
        reconcile_queue_add(provisioning->queue, pool->meta.name);
}

// The first of several simultaneous failures counts.
static void note_failure(struct static_provisioning *provisioning, const char *pool)
{
    struct pool_record *record = record_of(provisioning, pool);
    int64_t now_ns = loop_monotonic_ns(provisioning->control->manager.loop);
    if (now_ns < record->not_before_ns || !provisioning->control->strategy->backs_off_launches)
        return;
    int64_t delay_ns = FAILED_FIRST_NS;
    for (uint32_t i = 0; i < record->failures && delay_ns < FAILED_MAX_NS; i++)
        delay_ns = ns_multiply(delay_ns, 2);
    record->failures++;
    record->not_before_ns = ns_add(now_ns, delay_ns < FAILED_MAX_NS ? delay_ns : FAILED_MAX_NS);
}

static void note_success(struct static_provisioning *provisioning, const char *pool)
{
    struct pool_record *record = map_get(provisioning->records, pool);
    if (record == NULL || record->failures == 0)
        return;
    record->failures = 0;
    record->not_before_ns = 0;
    reconcile_queue_add(provisioning->queue, pool);
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct static_provisioning *provisioning = context;
    const struct object *claim = new_object != NULL ? new_object : old_object;
    const char *pool = object_label(claim, LABEL_NODE_POOL);
    (void)change;
    if (pool == NULL || static_pool(provisioning->control, pool) == NULL)
        return;
    bool was_deleting = old_object != NULL && object_is_deleting(old_object);
    bool begins_to_end = !was_deleting && (new_object == NULL || object_is_deleting(new_object));
    if (begins_to_end && !node_claim_is_launched((const struct node_claim *)claim))
        note_failure(provisioning, pool);
    if (old_object != NULL && new_object != NULL &&
        !node_claim_is_launched((const struct node_claim *)old_object) &&
        node_claim_is_launched((const struct node_claim *)new_object))
        note_success(provisioning, pool);
    if (begins_to_end || new_object == NULL)
        reconcile_queue_add(provisioning->queue, pool);
}

struct static_provisioning *static_provisioning_create(struct control *control,
                                                       struct static_capacity *capacity,
                                                       struct launch_backoff *launch_backoff)
{
    if (!control->manager.settings->gate_static_capacity)
        return NULL;
    struct static_provisioning *provisioning = memory_allocate(sizeof *provisioning);
    provisioning->control = control;
    provisioning->capacity = capacity;
    provisioning->launch_backoff = launch_backoff;
    provisioning->records = map_create();
    provisioning->queue = manager_queue(
        &control->manager, &(struct reconcile_queue_options){.name = "static.provisioning",
                                                             .kind = "NodePool",
                                                             .concurrency = 10,
                                                             .reconcile = reconcile,
                                                             .context = provisioning});
    mirror_on_change(control->manager.mirror, KIND_NODE_POOL, on_pool, provisioning);
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, provisioning);
    return provisioning;
}

void static_provisioning_destroy(struct static_provisioning *provisioning)
{
    if (provisioning == NULL)
        return;
    map_destroy(provisioning->records, record_destroy);
    free(provisioning);
}

// --- creating ------------------------------------------------------------------------------------
// The name stays reserved as long as a NodeClaim of that name may exist without being in the
// mirror.
static enum operation_outcome note_created(void *context, const char *pool,
                                           enum claim_answer answer,
                                           const struct kube_result *result)
{
    struct static_creation *call = context;
    struct static_provisioning *provisioning = call->provisioning;
    (void)result;
    if (answer == CLAIM_EXISTS || answer == CLAIM_UNANSWERED) {
        vector_push(&record_of(provisioning, pool)->unanswered, call->name);
        call->name = NULL;
        return answer == CLAIM_EXISTS ? OPERATION_RETRY : OPERATION_PASS;
    }
    static_release(provisioning->capacity, pool, call->name);
    return answer == CLAIM_CREATED ? OPERATION_NOTED : OPERATION_PASS;
}

static struct claim_creation creation_of(const struct static_provisioning *provisioning,
                                         const struct pool_record *record, const char *name)
{
    return (struct claim_creation){.control = provisioning->control,
                                   .controller = "static.provisioning",
                                   .reason = "provisioned",
                                   .pool = record->pool,
                                   .name = name,
                                   .answered = note_created};
}

// The name of an unanswered create call, else a new one. Owned by the caller.
static char *choose_name(struct static_provisioning *provisioning, const struct node_pool *pool)
{
    struct pool_record *record = record_of(provisioning, pool->meta.name);
    if (record->unanswered.count > 0)
        return record->unanswered.items[--record->unanswered.count];
    char name[CLAIM_NAME_MAX];
    choose_claim_name(provisioning->control, pool->meta.name, name);
    return memory_copy_string(name);
}

static struct reconcile_result create_claims(struct static_provisioning *provisioning,
                                             struct work_item *item, const struct node_pool *pool,
                                             uint32_t count)
{
    struct control *control = provisioning->control;
    struct arena *arena CLEANUP_ARENA = arena_create(16 * 1024);
    struct error error = {0};
    struct plan_claim claim;
    const struct instance_type_catalog *catalog =
        launch_backoff_catalog(provisioning->launch_backoff, pool, &error);
    static_claim_make(arena, control->manager.settings, catalog, pool, &claim);
    object_release((const struct object *)catalog);
    struct pool_record *record = record_of(provisioning, pool->meta.name);
    uint32_t started = 0;
    round_clear(record);
    record->round = memory_allocate_array(count, sizeof *record->round);
    while (record->round_count < count) {
        struct static_creation *call = &record->round[record->round_count++];
        call->provisioning = provisioning;
        call->name = choose_name(provisioning, pool);
        call->creation = creation_of(provisioning, record, call->name);
        call->creation.context = call;
        json_t *body = node_claim_body(control, &claim, NULL, call->name);
        // A failed launch is retried by one NodeClaim, which finds out for the others: all are
        // alike.
        bool admitted = launch_backoff_admits(provisioning->launch_backoff, body, LAUNCH_WANTED);
        if (!admitted && started > 0) {
            json_decref(body);
            vector_push(&record->unanswered, call->name);
            call->name = NULL;
            break;
        }
        static_reserve(provisioning->capacity, pool->meta.name, call->name);
        claim_creation_start(&call->creation,
                             &(struct operation_about){.manager = &control->manager,
                                                       .item = item,
                                                       .doing = "creating node claim"},
                             body);
        started++;
    }
    return reconcile_running();
}

// --- the pass ------------------------------------------------------------------------------------
// Unanswered create calls are repeated under the same name if still needed and without another
// reservation; those that the mirror has answered are settled.
static void settle_unanswered(struct static_provisioning *provisioning, const char *pool)
{
    struct pool_record *record = record_of(provisioning, pool);
    for (uint32_t i = record->unanswered.count; i-- > 0;) {
        char *name = record->unanswered.items[i];
        static_release(provisioning->capacity, pool, name);
        if (find_claim(provisioning->control, name) == NULL)
            continue;
        struct claim_creation found = creation_of(provisioning, record, name);
        claim_creation_found(&found);
        record->unanswered.items[i] = record->unanswered.items[--record->unanswered.count];
        free(name);
    }
}

static struct reconcile_result provision(struct static_provisioning *provisioning,
                                         struct work_item *item, const struct node_pool *pool)
{
    struct static_counts counts = static_counts_of(provisioning->capacity, pool->meta.name);
    int64_t replicas = pool->spec.replicas.value;
    int64_t want = replicas - counts.active - counts.pending; // LIF-456
    if (want <= 0)
        return reconcile_after(PERIOD_NS);
    int64_t room = static_room(&counts, pool);
    if (room == 0) {
        log_info("nodepool node limit reached", "s:controller", "static.provisioning", "o:NodePool",
                 pool->meta.name);
        return reconcile_after(LIMITED_NS);
    }
    int64_t grant = want < room ? want : room;
    if (grant > ROUND_CLAIMS_MAX)
        grant = ROUND_CLAIMS_MAX;
    log_info("provisioning nodeclaims to satisfy replica count", "s:controller",
             "static.provisioning", "o:NodePool", pool->meta.name, "i:current", counts.active,
             "i:desired", replicas, "i:provision-count", grant);
    return create_claims(provisioning, item, pool, (uint32_t)grant);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct static_provisioning *provisioning = context;
    struct control *control = provisioning->control;
    const char *name = work_item_key(item);
    const struct node_pool *pool = static_pool(control, name);
    (void)error;
    settle_unanswered(provisioning, name);
    if (pool == NULL) {
        record_destroy(map_remove(provisioning->records, name));
        return reconcile_done();
    }
    if (!condition_is_true(&pool->status.conditions, CONDITION_READY))
        return reconcile_done();
    if (!static_capacity_is_known(provisioning->capacity))
        return reconcile_after(UNSYNCED_NS);
    int64_t left_ns = ns_subtract(record_of(provisioning, name)->not_before_ns,
                                  loop_monotonic_ns(control->manager.loop));
    return left_ns > 0 ? reconcile_after(left_ns) : provision(provisioning, item, pool);
}
