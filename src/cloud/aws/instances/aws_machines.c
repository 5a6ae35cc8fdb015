#include "cloud/aws/instances/aws_machines.h"

#include <assert.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/metrics.h"
#include "base/text.h"
#include "cloud/aws/instances/aws_labels.h"
#include "cloud/aws/instances/machine_drift.h"
#include "cloud/aws/instances/machine_list.h"
#include "cloud/aws/instances/machine_types.h"
#include "model/schema/pack.h"
#include "model/tables/kinds.h"

struct operation { // a get or a delete under way
    struct aws_machines *machines;
    struct operation *next, *previous;
    char *provider_id;
    const char *id; // in provider_id
    struct timer *timer;
    struct error error; // to be answered by the timer
    machine_callback done;
    void *context;
};

// --- operations ----------------------------------------------------------------------------------

static struct operation *operation_create(struct aws_machines *machines, const char *provider_id,
                                          void *context)
{
    struct operation *operation = memory_allocate(sizeof *operation);
    operation->machines = machines;
    operation->provider_id = memory_copy_string(text_or_empty(provider_id));
    operation->context = context;
    operation->next = machines->operations;
    if (machines->operations != NULL)
        machines->operations->previous = operation;
    machines->operations = operation;
    return operation;
}

static void operation_free(struct operation *operation)
{
    if (operation->previous != NULL)
        operation->previous->next = operation->next;
    else
        operation->machines->operations = operation->next;
    if (operation->next != NULL)
        operation->next->previous = operation->previous;
    timer_destroy(operation->timer);
    free(operation->provider_id);
    free(operation);
}

static void answer(struct operation *operation, const struct error *error,
                   const struct machine *machine)
{
    struct machine_result result = {.error = *error, .machine = machine};
    machine_callback done = operation->done;
    void *context = operation->context;
    operation_free(operation);
    done(context, &result);
}

static void answer_facts(struct operation *operation, const struct aws_instance_facts *facts)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    struct aws_machines *machines = operation->machines;
    struct error problem, none = {0};
    struct machine machine;
    bool is_resolved = machine_of_facts(machines, arena, facts, &machine, &problem);
    if (!is_resolved && machines->environment.settings->compatibility_upstream) {
        answer(operation, &problem, NULL);
        return;
    }
    if (!is_resolved) // AWI-900
        log_error("reading an instance without its capacity", "s:instance-id", facts->id, "s:error",
                  problem.message);
    answer(operation, &none, &machine);
}

static void answer_error_later(void *context)
{
    struct operation *operation = context;
    struct error error = operation->error;
    answer(operation, &error, NULL);
}

static void later(struct operation *operation, loop_function function)
{
    operation->timer = timer_create_on(operation->machines->environment.loop, function, operation);
    timer_start(operation->timer, 0);
}

static bool find_id(struct operation *operation)
{
    operation->id = instance_id_of(operation->provider_id);
    if (operation->id != NULL)
        return true;
    error_set(&operation->error, ERROR_INVALID, "provider id %s does not match known format",
              operation->provider_id);
    later(operation, answer_error_later);
    return false;
}

// --- get (AWI-406, 416) --------------------------------------------------------------------------

static void remember(struct aws_machines *machines, const char *id, const struct error *error,
                     const struct aws_instance_facts *facts)
{
    if (error->kind == ERROR_NONE)
        instance_cache_put(machines->cache, facts, loop_monotonic_ns(machines->environment.loop));
    else if (error->kind == ERROR_NOT_FOUND)
        instance_cache_remove(machines->cache, id);
}

static void get_described(void *context, const struct error *error,
                          const struct aws_instance_facts *facts)
{
    struct operation *operation = context;
    remember(operation->machines, operation->id, error, facts);
    if (error->kind == ERROR_NONE)
        answer_facts(operation, facts);
    else
        answer(operation, error, NULL);
}

static void get_cached(void *context)
{
    struct operation *operation = context;
    const struct cached_instance *cached =
        instance_cache_get(operation->machines->cache, operation->id);
    if (cached != NULL)
        answer_facts(operation, &cached->facts);
    else // dropped in between
        instance_calls_describe(operation->machines->calls, operation->id, get_described,
                                operation);
}

void aws_machines_get(struct aws_machines *machines, const char *provider_id,
                      machine_callback callback, void *context)
{
    struct operation *operation = operation_create(machines, provider_id, context);
    operation->done = callback;
    if (!find_id(operation))
        return;
    if (instance_cache_get(machines->cache, operation->id) != NULL)
        later(operation, get_cached);
    else
        instance_calls_describe(machines->calls, operation->id, get_described, operation);
}

// --- delete (AWI-420) ----------------------------------------------------------------------------

// The reservation of a claim whose instance is gone has room again.
static void give_back_reservation(struct aws_machines *machines, const char *provider_id)
{
    struct mirror_iterator iterator = {0};
    const struct object *object;
    while ((object = mirror_next(machines->environment.mirror, KIND_NODE_CLAIM, &iterator)) !=
           NULL) {
        const struct node_claim *claim = (const struct node_claim *)object;
        const char *id = object_label(object, LABEL_RESERVATION_ID);
        if (id == NULL || !text_equal(claim->status.provider_id, provider_id))
            continue;
        reservation_counts_terminated(machines->environment.reservations, id);
        return;
    }
}

static void count_failure(struct aws_machines *machines, const char *id)
{
    const struct cached_instance *cached = instance_cache_get(machines->cache, id);
    if (machines->failures != NULL)
        metric_add(machines->failures, 1, cached != NULL ? cached->facts.zone : "",
                   cached != NULL ? cached->facts.zone_id : "");
}

static void delete_ended(struct operation *operation, const struct error *error)
{
    if (error->kind == ERROR_NOT_FOUND)
        give_back_reservation(operation->machines, operation->provider_id);
    answer(operation, error, NULL);
}

static void delete_terminated(void *context, const struct error *error)
{
    struct operation *operation = context;
    if (error->kind != ERROR_NONE)
        count_failure(operation->machines, operation->id);
    else
        operation->machines->deletions++;
    delete_ended(operation, error);
}

static bool refuse_shifted(const struct aws_machines *machines, const char *id,
                           const struct aws_instance_facts *facts, struct error *error)
{
    if (!instance_is_shifted(machines, facts))
        return false;
    error_set(error, ERROR_UNAVAILABLE,
              "instance %s is in zonally shifted availability zone %s (%s), skipping termination",
              id, facts->zone, facts->zone_id);
    return true;
}

static void delete_described(void *context, const struct error *error,
                             const struct aws_instance_facts *facts)
{
    struct operation *operation = context;
    struct aws_machines *machines = operation->machines;
    struct error refused = {0};
    remember(machines, operation->id, error, facts);
    if (error->kind != ERROR_NONE)
        delete_ended(operation, error);
    else if (refuse_shifted(machines, operation->id, facts, &refused) || instance_is_ending(facts))
        answer(operation, &refused, NULL);
    else
        instance_calls_terminate(machines->calls, operation->id, delete_terminated, operation);
}

void aws_machines_delete(struct aws_machines *machines, const char *provider_id,
                         machine_callback callback, void *context)
{
    struct operation *operation = operation_create(machines, provider_id, context);
    operation->done = callback;
    if (!find_id(operation))
        return;
    const struct cached_instance *cached = instance_cache_get(machines->cache, operation->id);
    if (cached != NULL &&
        refuse_shifted(machines, operation->id, &cached->facts, &operation->error))
        later(operation, answer_error_later);
    else
        instance_calls_describe(machines->calls, operation->id, delete_described, operation);
}

// --- launches, lists, drift, types ---------------------------------------------------------------

void aws_machines_launch(struct aws_machines *machines, const struct node_claim *claim,
                         machine_callback callback, void *context)
{
    launches_start(machines->launches, claim, callback, context);
}

void aws_machines_list(struct aws_machines *machines, machine_list_callback callback, void *context)
{
    machine_list_ask(machines, &(struct list_waiter){callback, context});
}

const char *aws_machines_drift_reason(struct aws_machines *machines, const struct node_claim *claim)
{
    return machine_drift_reason(machines, claim);
}

const struct instance_type_catalog *aws_machines_instance_types(struct aws_machines *machines,
                                                                const struct node_pool *pool,
                                                                struct error *error)
{
    struct error problem = {0};
    const struct instance_type_catalog *catalog = catalog_of_pool(machines, pool, &problem);
    if (catalog == NULL && problem.kind == ERROR_NOT_FOUND)
        return (const struct instance_type_catalog *)object_acquire(
            (const struct object *)machines->no_types);
    if (catalog == NULL)
        *error = problem;
    return catalog;
}

// --- life ----------------------------------------------------------------------------------------

static const struct instance_type_catalog *catalog_without_types(void)
{
    const struct instance_type_catalog empty = {.kind = kind_get(KIND_INSTANCE_TYPE_CATALOG),
                                                .meta = {.name = "none"}};
    return (const struct instance_type_catalog *)object_copy((const struct object *)&empty);
}

static void register_metrics(struct aws_machines *machines)
{
    struct metrics *metrics = machines->environment.metrics;
    machines->failures = metrics_register(
        metrics, &(struct metric_options){.name = "karpenter_cloudprovider_instance_termination_"
                                                  "failures_total",
                                          .help = "Failed terminations of instances, by zone.",
                                          .type = METRIC_COUNTER,
                                          .labels = {"zone", "zone_id"}});
    machines->unresolved = metrics_register(
        metrics,
        &(struct metric_options){.name = "adze_instances_without_type_total",
                                 .help = "Readings of instances whose instance type could not "
                                         "be resolved.",
                                 .type = METRIC_COUNTER,
                                 .labels = {"nodepool", "reason"}});
}

struct aws_machines *aws_machines_create(const struct aws_machines_environment *environment)
{
    assert(environment->client != NULL);
    assert(environment->mirror != NULL);
    struct aws_machines *machines = memory_allocate(sizeof *machines);
    machines->environment = *environment;
    machines->no_types = catalog_without_types();
    machines->cache = instance_cache_create();
    machines->calls = instance_calls_create(&(struct instance_calls_options){
        .loop = environment->loop,
        .client = environment->client,
        .cluster = environment->cluster,
        .reserved_capacity = environment->settings->gate_reserved_capacity,
        .metrics = environment->metrics});
    machines->launches = launches_create(environment);
    if (environment->metrics != NULL)
        register_metrics(machines);
    machine_list_create(machines);
    machine_drift_create(machines);
    return machines;
}

void aws_machines_destroy(struct aws_machines *machines)
{
    if (machines == NULL)
        return;
    launches_destroy(machines->launches);
    instance_calls_destroy(machines->calls);
    while (machines->operations != NULL)
        operation_free(machines->operations);
    machine_list_destroy(machines);
    machine_drift_destroy(machines);
    instance_cache_destroy(machines->cache);
    object_release((const struct object *)machines->no_types);
    free(machines);
}
