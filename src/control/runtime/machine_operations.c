#include "control/runtime/machine_operations.h"

#include "base/nanoseconds.h"

struct machine_call {
    struct operation operation;
    struct control *control;
    const char *method;
    int64_t started_ns; // monotonic
    operation_record_machine record;
    operation_record_machines record_list;
    void *context;
};

static const char *cloud_error_name(const struct error *error)
{
    if (error->kind == ERROR_INSUFFICIENT_CAPACITY)
        return "InsufficientCapacityError";
    if (error->kind == ERROR_NOT_FOUND)
        return "NodeClaimNotFoundError";
    return error->kind == ERROR_NODE_CLASS_NOT_READY ? "NodeClassNotReadyError" : "";
}

static void measure(const struct machine_call *call, const struct error *error)
{
    struct control *control = call->control;
    const char *provider = control->cloud->provider->name;
    double seconds =
        (double)ns_subtract(loop_monotonic_ns(control->manager.loop), call->started_ns) / SECOND;
    metric_observe(control->metrics.cloud_seconds, seconds, call->operation.doing, call->method,
                   provider);
    if (error->kind != ERROR_NONE)
        metric_add(control->metrics.cloud_errors, 1, call->operation.doing, call->method, provider,
                   cloud_error_name(error));
}

static void machine_done(void *context, const struct machine_result *result)
{
    struct machine_call *call = context;
    measure(call, &result->error);
    enum operation_outcome outcome =
        call->record(call->context, work_item_key(call->operation.item), result);
    operation_end(&call->operation, outcome, &result->error);
}

static void machines_done(void *context, const struct machine_list_result *result)
{
    struct machine_call *call = context;
    measure(call, &result->error);
    enum operation_outcome outcome =
        call->record_list(call->context, work_item_key(call->operation.item), result);
    operation_end(&call->operation, outcome, &result->error);
}

static struct machine_call *begin(struct control *control, const struct operation_about *about,
                                  const char *method, operation_record_machine record)
{
    struct machine_call *call = operation_begin(about, sizeof *call);
    call->control = control;
    call->method = method;
    call->started_ns = loop_monotonic_ns(control->manager.loop);
    call->record = record;
    call->context = about->context;
    return call;
}

static void machine_refused(void *context)
{
    struct machine_result result = {0};
    error_set(&result.error, ERROR_UNAVAILABLE, "not done, this replica does not lead");
    machine_done(context, &result);
}

// Only the leader changes machines, as with objects (kube_client_gate_writes()).
static bool may_change_machines(struct machine_call *call)
{
    struct control *control = call->control;
    if (kube_client_may_write(control->manager.client))
        return true;
    call->operation.timer = timer_create_on(control->manager.loop, machine_refused, call);
    timer_start(call->operation.timer, 0);
    return false;
}

struct reconcile_result start_machine_create(struct control *control,
                                             const struct operation_about *about,
                                             const struct node_claim *claim,
                                             operation_record_machine record)
{
    struct cloud *cloud = control->cloud;
    struct machine_call *call = begin(control, about, "Create", record);
    if (may_change_machines(call))
        cloud->operations->create(cloud, claim, machine_done, call);
    return reconcile_running();
}

struct reconcile_result start_machine_delete(struct control *control,
                                             const struct operation_about *about,
                                             const char *provider_id,
                                             operation_record_machine record)
{
    struct cloud *cloud = control->cloud;
    struct machine_call *call = begin(control, about, "Delete", record);
    if (may_change_machines(call))
        cloud->operations->delete (cloud, provider_id, machine_done, call);
    return reconcile_running();
}

struct reconcile_result start_machine_get(struct control *control,
                                          const struct operation_about *about,
                                          const char *provider_id, operation_record_machine record)
{
    struct cloud *cloud = control->cloud;
    cloud->operations->get(cloud, provider_id, machine_done, begin(control, about, "Get", record));
    return reconcile_running();
}

struct reconcile_result start_machine_list(struct control *control,
                                           const struct operation_about *about,
                                           operation_record_machines record)
{
    struct cloud *cloud = control->cloud;
    struct machine_call *call = begin(control, about, "List", NULL);
    call->record_list = record;
    cloud->operations->list(cloud, machines_done, call);
    return reconcile_running();
}
