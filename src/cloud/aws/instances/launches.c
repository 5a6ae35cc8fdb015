#include "cloud/aws/instances/launches.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "cloud/aws/instances/aws_labels.h"
#include "cloud/aws/instances/fleets.h"
#include "cloud/aws/instances/machine_answer.h"
#include "cloud/aws/nodeclass/launch_failure.h"
#include "model/reading/catalog.h"

#define FLEET_IDLE  (35 * MILLISECOND)
#define FLEET_MAX   SECOND
#define FLEET_ITEMS 1000

#define SPOT_POOLS_MIN 5 // AWI-932

static void begin(struct launch *launch);

// --- records and launches ------------------------------------------------------------------------

static void record_free(void *value)
{
    struct claim_record *record = value;
    arena_destroy(record->arena);
    free(record->uid);
    free(record);
}

static struct claim_record *record_of(struct launches *launches, const struct node_claim *claim)
{
    const char *uid = text_is_empty(claim->meta.uid) ? claim->meta.name : claim->meta.uid;
    struct claim_record *record = map_ensure(launches->records, uid, sizeof *record);
    if (record->uid == NULL)
        record->uid = memory_copy_string(uid);
    return record;
}

static struct launch *launch_create(struct launches *launches, struct claim_record *record)
{
    struct launch *launch = memory_allocate(sizeof *launch);
    launch->launches = launches;
    launch->record = record;
    launch->next = launches->first;
    if (launches->first != NULL)
        launches->first->previous = launch;
    launches->first = launch;
    return launch;
}

static void launch_free(struct launch *launch)
{
    if (launch->previous != NULL)
        launch->previous->next = launch->next;
    else
        launch->launches->first = launch->next;
    if (launch->next != NULL)
        launch->next->previous = launch->previous;
    vector_for_each (name, &launch->templates)
        free(*name);
    vector_free(&launch->templates);
    vector_free(&launch->waiters);
    json_decref(launch->request);
    timer_destroy(launch->timer);
    if (launch->plan.arena != NULL)
        launch_plan_free(&launch->plan);
    free(launch);
}

static void forget(struct launches *launches, struct claim_record *record)
{
    map_remove(launches->records, record->uid);
    record_free(record);
}

// --- answers -------------------------------------------------------------------------------------

// Answers may ask again at once, so the list of waiters is taken first.
static void answer_waiters(struct launch *launch, const struct machine_result *result)
{
    VECTOR(struct waiter)
    waiters = {launch->waiters.items, launch->waiters.count, launch->waiters.capacity};
    launch->waiters.items = NULL;
    launch->waiters.count = launch->waiters.capacity = 0;
    vector_for_each (waiter, &waiters)
        waiter->callback(waiter->context, result);
    vector_free(&waiters);
}

static void launch_end(struct launch *launch, const struct machine_result *result)
{
    struct launches *launches = launch->launches;
    struct claim_record *record = launch->record;
    if (record->launch == launch)
        record->launch = NULL;
    answer_waiters(launch, result);
    launch_free(launch);
    if (record->is_gone && record->launch == NULL)
        forget(launches, record);
}

static void leave(struct launch *launch)
{
    struct launches *launches = launch->launches;
    struct claim_record *record = launch->record;
    assert(launch->is_suspended);
    record->launch = NULL;
    fleet_leave(launch);
    launch_free(launch);
    if (record->is_gone)
        forget(launches, record);
}

// Once more from the templates on: another request needs another token.
static void launch_again(struct launch *launch)
{
    launch->record->attempts++;
    json_decref(launch->request);
    launch->request = NULL;
    begin(launch);
}

// AWI-930.
static bool fall_back(struct launch *launch, const struct launch_error *error)
{
    if (launch->has_fallen_back || error->error.kind != ERROR_INSUFFICIENT_CAPACITY ||
        launch->request == NULL || !launch_plan_fall_back(&launch->plan))
        return false;
    launch->has_fallen_back = true;
    log_info("no spot capacity, falling back to on-demand", "o:NodeClaim",
             launch->plan.claim->meta.name, "s:error", error->error.message);
    launch_again(launch);
    return true;
}

static void launch_fail(struct launch *launch, const struct launch_error *error)
{
    struct machine_result result = {.error = error->error, .reason = error->reason};
    assert(result.error.kind != ERROR_NONE);
    launch_plan_settle(&launch->plan, NULL);
    if (fall_back(launch, error))
        return;
    launch->record->attempts++;
    launch_end(launch, &result);
}

static void launch_suspend(struct launch *launch, const struct launch_error *error)
{
    struct machine_result result = {.error = error->error, .reason = error->reason};
    launch_plan_settle(&launch->plan, NULL);
    launch->is_suspended = true;
    answer_waiters(launch, &result);
    // Nobody will ask for a deleted claim again; its instance, if there is one, is an orphan.
    if (launch->record->is_gone && launch->is_suspended)
        leave(launch);
}

static void learn_success(struct launch *launch, const struct fleet_instance *instance,
                          int64_t asked_at)
{
    const struct launch_plan *plan = &launch->plan;
    const struct aws_machines_environment *environment = plan->environment;
    const char *zone = instance->override.zone, *type = instance->override.instance_type;
    if (text_equal(plan->capacity_type, CAPACITY_TYPE_RESERVED)) {
        const struct offering *offering = fleet_reserved_offering(&plan->candidates, type, zone);
        const char *id = offering != NULL ? requirement_single_value(&offering->requirements,
                                                                     LABEL_RESERVATION_ID)
                                          : NULL;
        if (id != NULL)
            reservation_counts_launched(environment->reservations, id, asked_at);
        return;
    }
    struct unavailable_pool pool = {
        .instance_type = type,
        .zone = zone,
        .capacity_type = plan->capacity_type,
        .group_id = plan->group != NULL ? plan->group->id : NULL,
        .partition = plan->group != NULL ? plan->partition : NULL,
    };
    unavailable_succeeded(environment->unavailable, &pool);
}

static void launch_succeed(struct launch *launch, const struct fleet_instance *instance,
                           int64_t asked_at)
{
    struct claim_record *record = launch->record;
    assert(record->arena == NULL);
    launch->launches->made++;
    launch_plan_settle(&launch->plan, instance->override.subnet_id);
    learn_success(launch, instance, asked_at);
    record->arena = arena_create(4096);
    launch_plan_answer(&launch->plan, record->arena, instance, &record->machine);
    // The record may go with the launch: the answer is a copy.
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct machine machine;
    machine_copy(arena, &record->machine, &machine);
    launch_end(launch, &(struct machine_result){.machine = &machine});
}

static void answer_later(void *context)
{
    struct launch *launch = context;
    if (launch->record->arena != NULL && launch->error.error.kind == ERROR_NONE) {
        CLEANUP_ARENA struct arena *arena = arena_create(4096);
        struct machine machine;
        machine_copy(arena, &launch->record->machine, &machine);
        launch_end(launch, &(struct machine_result){.machine = &machine});
    } else {
        struct launch_error error = launch->error;
        launch_fail(launch, &error);
    }
}

static void later(struct launch *launch)
{
    if (launch->timer == NULL)
        launch->timer = timer_create_on(launch->launches->environment.loop, answer_later, launch);
    timer_start(launch->timer, 0);
}

// --- templates and request (AWI-291 to 293) ------------------------------------------------------

static bool is_upstream(const struct launch *launch)
{
    return launch->plan.environment->settings->compatibility_upstream;
}

static void templates_failed(struct launch *launch, const struct launch_templates_result *result)
{
    struct launch_error error = {0};
    const char *text = result->aws_text != NULL ? result->aws_text : "";
    struct launch_failure failure = launch_failure_of(text);
    // AWI-933: no AMI for any of the types. Other types, or other pools, may do.
    if (result->error.kind == ERROR_INSUFFICIENT_CAPACITY && !is_upstream(launch))
        error_set(&error.error, ERROR_INSUFFICIENT_CAPACITY, "creating instance, %s",
                  result->error.message);
    else if (result->aws_text != NULL)
        launch_refuse(&error, failure.reason, "Error getting launch template configs: %s (%s)",
                      failure.message, text);
    else
        launch_refuse(&error, "LaunchFailed", "Error getting launch template configs: %s",
                      result->error.message);
    launch_fail(launch, &error);
}

static void no_offerings(struct launch *launch)
{
    static const char text[] =
        "no capacity offerings are currently available given the constraints";
    struct launch_error error = {0};
    if (is_upstream(launch))
        launch_refuse(&error, "LaunchFailed", "Error getting launch template configs: %s", text);
    else // AWI-933
        error_set(&error.error, ERROR_INSUFFICIENT_CAPACITY, "creating instance, %s", text);
    launch_fail(launch, &error);
}

// AWI-932: every launch of spot, not only the fall-back.
static void note_flexibility(const struct launch *launch)
{
    const struct launches *launches = launch->launches;
    const struct aws_machines_environment *environment = &launches->environment;
    const struct launch_plan *plan = &launch->plan;
    if (!text_equal(plan->capacity_type, CAPACITY_TYPE_SPOT))
        return;
    uint32_t pools = fleet_request_pools(launch->request);
    const char *pool = object_label((const struct object *)plan->claim, LABEL_NODE_POOL);
    if (launches->spot_pools != NULL)
        metric_observe(launches->spot_pools, pools, pool);
    if (pools >= SPOT_POOLS_MIN || is_upstream(launch))
        return;
    log_info("spot capacity may come from few pools only", "o:NodeClaim", plan->claim->meta.name,
             "o:NodePool", pool, "i:pools", (int64_t)pools);
    if (environment->few_spot_pools != NULL)
        environment->few_spot_pools(environment->context, plan->claim, pools);
}

static void templates_done(void *context, const struct launch_templates_result *result)
{
    struct launch *launch = context;
    struct launch_plan *plan = &launch->plan;
    char key[65];
    if (result->error.kind != ERROR_NONE) {
        templates_failed(launch, result);
        return;
    }
    for (uint32_t i = 0; i < result->count; i++)
        vector_push(&launch->templates, memory_copy_string(result->items[i].name));
    launch->request =
        fleet_request_build(&(struct fleet_inputs){.node_class = plan->node_class,
                                                   .claim = plan->claim,
                                                   .capacity_type = plan->capacity_type,
                                                   .templates = result->items,
                                                   .templates_count = result->count,
                                                   .subnets = plan->subnets,
                                                   .subnets_count = plan->subnets_count,
                                                   .tags = plan->tags,
                                                   .upstream = is_upstream(launch)});
    if (launch->request == NULL) {
        no_offerings(launch);
        return;
    }
    note_flexibility(launch);
    fleet_request_key(launch->request, key);
    batcher_add(launch->launches->batcher, key, launch);
}

static void begin(struct launch *launch)
{
    struct launch_plan *plan = &launch->plan;
    if (!launch_plan_choose_subnets(plan, &launch->error)) {
        later(launch);
        return;
    }
    launch_templates_ensure(plan->environment->templates,
                            &(struct launch_template_request){.node_class = plan->node_class,
                                                              .claim = plan->claim,
                                                              .types = plan->candidates.items,
                                                              .types_count = plan->candidates.count,
                                                              .capacity_type = plan->capacity_type,
                                                              .tenancy = plan->tenancy,
                                                              .tags = plan->tags,
                                                              .group = plan->group},
                            templates_done, launch);
}

static void launch_retry(struct launch *launch, const struct launch_error *error)
{
    vector_for_each (name, &launch->templates) {
        launch_templates_forget(launch->plan.environment->templates, *name);
        free(*name);
    }
    launch->templates.count = 0;
    if (launch->retried) {
        launch_fail(launch, error);
        return;
    }
    launch->retried = true;
    launch_plan_settle(&launch->plan, NULL);
    launch_again(launch);
}

// --- the door ------------------------------------------------------------------------------------

static void join(struct launch *launch, machine_callback callback, void *context)
{
    vector_push(&launch->waiters, (struct waiter){callback, context});
    if (!launch->is_suspended)
        return;
    launch->is_suspended = false;
    fleet_resume(launch->fleet);
}

void launches_start(struct launches *launches, const struct node_claim *claim,
                    machine_callback callback, void *context)
{
    struct claim_record *record = record_of(launches, claim);
    if (record->launch != NULL) {
        join(record->launch, callback, context);
        return;
    }
    struct launch *launch = launch_create(launches, record);
    record->launch = launch;
    vector_push(&launch->waiters, (struct waiter){callback, context});
    if (record->arena != NULL)
        later(launch);
    else if (launch_plan_make(&launch->plan, &launches->environment, claim, &launch->error))
        begin(launch);
    else
        later(launch);
}

uint64_t launches_made(const struct launches *launches)
{
    return launches->made;
}

// A deleted claim is not launched again: what is known of it goes.
static void claim_changed(void *context, enum mirror_change change, const struct object *old_object,
                          const struct object *new_object)
{
    struct launches *launches = context;
    (void)new_object;
    if (change != MIRROR_DELETED || old_object->meta.uid == NULL)
        return;
    struct claim_record *record = map_get(launches->records, old_object->meta.uid);
    if (record == NULL)
        return;
    record->is_gone = true;
    if (record->launch == NULL)
        forget(launches, record);
    else if (record->launch->is_suspended)
        leave(record->launch);
}

static void drop(void *context, void *item)
{
    (void)context;
    (void)item; // the list of launches owns it
}

static void register_metrics(struct launches *launches)
{
    static const double buckets[] = {1, 2, 4, 9, 19, 49, 99, 199};
    struct metrics *metrics = launches->environment.metrics;
    launches->failures = metrics_register(
        metrics,
        &(struct metric_options){.name = "karpenter_cloudprovider_instance_launch_failures_total",
                                 .help = "Errors in the answers of fleets, by pool and reason.",
                                 .type = METRIC_COUNTER,
                                 .labels = {"zone", "zone_id", "capacity_type", "reason"}});
    launches->spot_pools = metrics_register(
        metrics, &(struct metric_options){.name = "adze_spot_launch_pools",
                                          .help = "Pools (instance type, zone) that a launch of "
                                                  "spot may come from.",
                                          .type = METRIC_HISTOGRAM,
                                          .labels = {"nodepool"},
                                          .buckets = buckets,
                                          .buckets_count = ARRAY_LENGTH(buckets)});
}

struct launches *launches_create(const struct aws_machines_environment *environment)
{
    struct launches *launches = memory_allocate(sizeof *launches);
    static const struct launch_endings endings = {launch_succeed, launch_fail, launch_suspend,
                                                  launch_retry};
    launches->environment = *environment;
    launches->endings = &endings;
    launches->records = map_create();
    launches->advices = map_create();
    launches->batcher = batcher_create(&(struct batcher_options){.loop = environment->loop,
                                                                 .name = "create_fleet",
                                                                 .idle_ns = FLEET_IDLE,
                                                                 .max_ns = FLEET_MAX,
                                                                 .items_max = FLEET_ITEMS,
                                                                 .metrics = environment->metrics,
                                                                 .run = fleets_run,
                                                                 .drop = drop,
                                                                 .context = launches});
    if (environment->metrics != NULL)
        register_metrics(launches);
    mirror_on_change(environment->mirror, KIND_NODE_CLAIM, claim_changed, launches);
    return launches;
}

void launches_destroy(struct launches *launches)
{
    if (launches == NULL)
        return;
    fleets_destroy(launches);
    batcher_destroy(launches->batcher);
    while (launches->first != NULL)
        launch_free(launches->first);
    map_destroy(launches->records, record_free);
    map_destroy(launches->advices, free);
    free(launches);
}
