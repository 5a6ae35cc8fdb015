#include "control/controller.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "cloud/port/provider_record.h"
#include "control/buffers/capacity_buffers.h"
#include "control/command/commands.h"
#include "control/command/interruptions.h"
#include "control/command/target_report.h"
#include "control/disruption/disruption.h"
#include "control/launch/launch_backoff.h"
#include "control/learning/cpu_use.h"
#include "control/node/daemon_mismatch.h"
#include "control/node/discovered_capacity.h"
#include "control/node/eviction_queue.h"
#include "control/node/node_metrics.h"
#include "control/node/node_repair.h"
#include "control/node/termination.h"
#include "control/nodeclaim/claim_phases.h"
#include "control/nodeclaim/condition_events.h"
#include "control/nodeclaim/condition_metrics.h"
#include "control/nodeclaim/consistency.h"
#include "control/nodeclaim/disruption_conditions.h"
#include "control/nodeclaim/expiration.h"
#include "control/nodeclaim/garbage_collection.h"
#include "control/nodeclaim/hydration.h"
#include "control/nodeclaim/lifecycle.h"
#include "control/nodepool/pool_annotations.h"
#include "control/nodepool/pool_controller.h"
#include "control/nodepool/pool_cost.h"
#include "control/nodepool/pool_counter.h"
#include "control/nodepool/pool_hash.h"
#include "control/nodepool/pool_readiness.h"
#include "control/nodepool/registration_health.h"
#include "control/nomination/nominator.h"
#include "control/provisioning/provisioner.h"
#include "control/provisioning/wave_report.h"
#include "control/provisioning/workload_bursts.h"
#include "control/runtime/control.h"
#include "control/runtime/legacy_metrics.h"
#include "control/state/cluster.h"
#include "control/state/cluster_sync.h"
#include "control/state/crd_check.h"
#include "control/state/pod_events.h"
#include "control/state/pod_metrics.h"
#include "control/state/protection_events.h"
#include "control/state/unreadable_objects.h"
#include "control/static/static_capacity.h"
#include "control/static/static_deprovisioning.h"
#include "control/static/static_provisioning.h"
#include "engine/pods/backlog_chunk.h"
#include "model/tables/kinds.h"
#include "reconcile/operations.h"
#include "reconcile/queue_work_metrics.h"

#define STOP_MAX_NS   (30 * SECOND)
#define SYNC_LATE_NS  (30 * SECOND) // LIF-311
#define SYNC_AGAIN_NS (10 * SECOND)
#define START_POLL_NS (10 * MILLISECOND)
#define STOP_POLL_NS  (20 * MILLISECOND)

struct controller {
    struct control control;
    struct commands *commands;
    struct registration_health *registration_health;
    struct protection_events *protection_events;
    struct launch_backoff *launch_backoff;
    struct target_report *target_report;
    struct wave_report *wave_report;
    struct interruptions *interruptions;
    struct eviction_queue *eviction_queue;
    struct termination *termination;
    struct nominator *nominator; // NULL: pods are not nominated
    struct lifecycle *lifecycle;
    struct pod_events *pod_events;
    struct static_capacity *static_capacity;
    struct capacity_buffers *buffers; // NULL: no gate
    struct pod_metrics *pod_metrics;  // NULL: switched off
    struct workload_bursts *bursts;   // NULL: as upstream, decisions ignore workloads
    struct provisioner *provisioner;
    struct disruption_controller *disruption;
    struct expiration *expiration;
    struct garbage_collection *garbage_collection;
    struct consistency *consistency;
    struct node_repair *node_repair;
    struct hydration *hydration;
    struct pool_controller *pool_hash, *pool_readiness, *pool_counter;
    struct static_provisioning *static_provisioning;
    struct static_deprovisioning *static_deprovisioning;
    void *node_class_reconcilers; // the provider's
    struct disruption_conditions *disruption_conditions;
    struct node_metrics *node_metrics;
    struct condition_metrics *condition_metrics;
    struct claim_phases *claim_phases;
    struct pool_cost *pool_cost;
    struct crd_check *crd_check; // NULL: CRDs are not compared
    struct cpu_use *cpu_use;
    char *record_namespace; // NULL: no record is published
    struct provider_publisher *publisher;
    struct timer *start_timer, *stop_timer;
    int64_t started_ns, late_reported_ns; // monotonic
    int64_t stop_deadline_ns;
    void (*stopped)(void *context);
    void *stopped_context;
};

void controller_watch(struct mirror *mirror, const struct settings *settings,
                      enum kind_id node_class_kind)
{
    static const enum kind_id required[] = {
        KIND_NODE,
        KIND_POD,
        KIND_NODE_POOL,
        KIND_NODE_CLAIM,
        KIND_NAMESPACE,
        KIND_DAEMON_SET,
        KIND_POD_DISRUPTION_BUDGET,
        KIND_PERSISTENT_VOLUME_CLAIM,
        KIND_PERSISTENT_VOLUME,
        KIND_STORAGE_CLASS,
        KIND_CSI_NODE,
        KIND_VOLUME_ATTACHMENT,
    };
    for (size_t i = 0; i < ARRAY_LENGTH(required); i++)
        mirror_watch(mirror, required[i], NULL, NULL, false);
    mirror_watch(mirror, node_class_kind, NULL, NULL, true);
    if (settings->gate_node_overlay)
        mirror_watch(mirror, KIND_NODE_OVERLAY, NULL, NULL, true);
    // A server without these kinds, or that forbids them, has no devices to plan.
    static const enum kind_id devices[] = {KIND_RESOURCE_CLAIM, KIND_RESOURCE_CLAIM_TEMPLATE,
                                           KIND_DEVICE_CLASS, KIND_RESOURCE_SLICE};
    for (size_t i = 0; i < ARRAY_LENGTH(devices) && !settings->ignore_dra_requests; i++)
        mirror_watch(mirror, devices[i], NULL, NULL, true);
    if (settings->gate_capacity_buffer)
        capacity_buffers_watch(mirror);
    if (control_strategy_of(settings)->anticipates_pods)
        workload_bursts_watch(mirror);
}

static void node_class_label(enum kind_id kind, char *out, size_t size)
{
    const struct kind *facts = kind_get(kind);
    cloud_node_class_label(facts->group, facts->name, out, size);
}

// Controllers that others use: created first, since each controller receives those that it uses.
static void create_shared(struct controller *controller)
{
    struct control *control = &controller->control;
    control->cluster = cluster_create(control); // first: the others read it in their handlers
    controller->commands = commands_create();
    controller->registration_health = registration_health_create(control);
    controller->protection_events = protection_events_create(control);
    controller->eviction_queue =
        eviction_queue_create(control, controller->commands, controller->protection_events);
    controller->launch_backoff = launch_backoff_create(control);
    controller->target_report = target_report_create(control, controller->commands);
    controller->wave_report = wave_report_create(control);
    controller->interruptions = interruptions_create(control);
    if (control->strategy->nominates_pods && control->manager.settings->pod_nomination)
        controller->nominator =
            nominator_create(control, controller->commands, controller->eviction_queue);
    controller->termination =
        termination_create(control, controller->eviction_queue, controller->interruptions);
    controller->pod_events = pod_events_create(control);
    controller->pod_metrics = pod_metrics_create(control);
    controller->static_capacity = static_capacity_create(control, controller->commands);
    controller->buffers = capacity_buffers_create(control);
    if (control->strategy->anticipates_pods)
        controller->bursts = workload_bursts_create(control);
}

static void create_provisioner(struct controller *controller,
                               const struct snapshot_sources *sources)
{
    struct provisioner_parts parts = {.sources = *sources,
                                      .nominator = controller->nominator,
                                      .pod_metrics = controller->pod_metrics,
                                      .target_report = controller->target_report,
                                      .wave_report = controller->wave_report};
    controller->provisioner = provisioner_create(&controller->control, &parts);
}

static void create_lifecycle(struct controller *controller)
{
    struct lifecycle_parts parts = {.launch_backoff = controller->launch_backoff,
                                    .registration_health = controller->registration_health,
                                    .nominator = controller->nominator,
                                    .termination = controller->termination};
    controller->lifecycle = lifecycle_create(&controller->control, &parts);
}

static void create_disruption(struct controller *controller, const struct snapshot_sources *sources)
{
    struct disruption_parts parts = {.control = &controller->control,
                                     .sources = *sources,
                                     .commands = controller->commands,
                                     .evictions = controller->eviction_queue,
                                     .interruptions = controller->interruptions,
                                     .pod_events = controller->pod_events,
                                     .protection_events = controller->protection_events,
                                     .static_capacity = controller->static_capacity,
                                     .target_report = controller->target_report,
                                     .wave_report = controller->wave_report};
    controller->disruption = disruption_create(&parts);
}

// Handlers are registered in the order in which the controllers act on a change.
static void create_deciding(struct controller *controller)
{
    struct control *control = &controller->control;
    struct snapshot_sources sources = {.control = control,
                                       .commands = controller->commands,
                                       .launch_backoff = controller->launch_backoff,
                                       .buffers = controller->buffers,
                                       .bursts = controller->bursts,
                                       .cpu_use = controller->cpu_use};
    create_provisioner(controller, &sources);
    nominator_observe(controller->nominator);
    launch_backoff_observe(controller->launch_backoff);
    create_lifecycle(controller);
    termination_observe(controller->termination);
    create_disruption(controller, &sources);
    controller->expiration = expiration_create(control);
    controller->garbage_collection = garbage_collection_create(control, controller->interruptions);
    controller->consistency = consistency_create(control);
    pod_events_observe(controller->pod_events);
    controller->node_repair = node_repair_create(control);
    controller->hydration = hydration_create(control);
}

static void create_pools(struct controller *controller)
{
    struct control *control = &controller->control;
    pool_annotations_watch(control);
    unreadable_objects_watch(control);
    controller->pool_hash = pool_hash_create(control);
    controller->pool_readiness = pool_readiness_create(control);
    controller->pool_counter = pool_counter_create(control);
    controller->static_provisioning = static_provisioning_create(
        control, controller->static_capacity, controller->launch_backoff);
    controller->static_deprovisioning =
        static_deprovisioning_create(control, controller->static_capacity);
    capacity_buffers_observe(controller->buffers);
    if (control->cloud->provider->reconcilers_create != NULL)
        controller->node_class_reconcilers =
            control->cloud->provider->reconcilers_create(&control->manager, control->cloud);
    controller->disruption_conditions = disruption_conditions_create(control);
}

static void create_reporters(struct controller *controller)
{
    struct control *control = &controller->control;
    controller->node_metrics = node_metrics_create(control);
    controller->condition_metrics = condition_metrics_create(control);
    controller->claim_phases = claim_phases_create(control);
    condition_events_watch(control);
    daemon_mismatch_watch(control);
    if (control->strategy->learns_capacity)
        discovered_capacity_watch(control);
    controller->pool_cost = pool_cost_create(control);
}

static void poll_start(void *context);
static void poll_stop(void *context);

struct controller *controller_create(const struct controller_options *options)
{
    struct controller *controller = memory_allocate(sizeof *controller);
    struct control *control = &controller->control;
    const struct cloud_provider *provider = options->cloud->provider;
    *control = (struct control){
        .strategy = control_strategy_of(options->settings),
        .cloud = options->cloud,
        .node_class_kind = provider->node_class,
        .pass_pods_max = options->pass_pods_max != 0
                             ? options->pass_pods_max
                             : backlog_chunk_pods_max(options->settings->memory_limit_bytes)};
    node_class_label(control->node_class_kind, control->node_class_label,
                     sizeof control->node_class_label);
    control_metrics_register(&control->metrics, options->metrics);
    metrics_hide(options->metrics, options->settings->disabled_metrics);
    metrics_serve_detailed(options->metrics, options->settings->metrics_full);
    if (options->settings->legacy_metrics)
        legacy_metrics_serve(options->metrics);
    manager_init(&control->manager, &(struct manager_options){.loop = options->loop,
                                                              .client = options->client,
                                                              .mirror = options->mirror,
                                                              .settings = options->settings,
                                                              .recorder = options->recorder,
                                                              .metrics = options->metrics,
                                                              .seed = options->seed});
    control->manager.operations = operations_create(&control->manager);
    create_shared(controller);
    controller->cpu_use = cpu_use_create(control, options->learns_cpu_use);
    create_deciding(controller);
    create_pools(controller);
    create_reporters(controller);
    if (options->compares_crds && control->strategy->compares_crds)
        controller->crd_check = crd_check_create(control);
    queue_work_metrics_collect(&control->manager, true);
    controller->record_namespace = memory_copy_string(options->record_namespace);
    controller->start_timer = timer_create_on(control->manager.loop, poll_start, controller);
    controller->stop_timer = timer_create_on(control->manager.loop, poll_stop, controller);
    if (!options->watches_are_set)
        controller_watch(control->manager.mirror, control->manager.settings,
                         control->node_class_kind);
    return controller;
}

static void publish_record(struct controller *controller)
{
    struct manager *manager = &controller->control.manager;
    struct provider_publisher_options options = {
        .loop = manager->loop,
        .client = manager->client,
        .namespace = controller->record_namespace,
        .cloud = controller->control.cloud,
        .settings = manager->settings,
        .restored = cpu_use_learns(controller->cpu_use) ? cpu_use_restore : NULL,
        .context = controller->cpu_use};
    if (controller->record_namespace != NULL)
        controller->publisher = provider_publisher_create(&options);
}

void controller_start(struct controller *controller)
{
    struct control *control = &controller->control;
    if (control->manager.started)
        return;
    controller->started_ns = loop_monotonic_ns(control->manager.loop);
    publish_record(controller);
    manager_lead(&control->manager);
    cpu_use_start(controller->cpu_use, controller->publisher);
    poll_start(controller);
}

// LIF-311: no other controller reports why nothing happens.
static void report_late_sync(struct controller *controller)
{
    int64_t now_ns = loop_monotonic_ns(controller->control.manager.loop);
    int64_t waited_ns = ns_subtract(now_ns, controller->started_ns);
    (void)cluster_synced(controller->control.cluster); // for its metrics
    if (waited_ns < SYNC_LATE_NS ||
        (controller->late_reported_ns != 0 &&
         ns_subtract(now_ns, controller->late_reported_ns) < SYNC_AGAIN_NS))
        return;
    controller->late_reported_ns = now_ns;
    log_error("cluster is waiting on sync for extended duration", "s:error",
              "waiting on cluster sync", "d:duration", waited_ns);
}

// Nothing is reconciled before every kind has been listed: without some Nodes or pods a NodeClaim
// would seem to have no Node, or a Node no pods, and its machine would end undrained.
static void poll_start(void *context)
{
    struct controller *controller = context;
    struct control *control = &controller->control;
    if (!mirror_synced(control->manager.mirror)) {
        report_late_sync(controller);
        timer_start(controller->start_timer, START_POLL_NS);
        return;
    }
    manager_start_queues(&control->manager);
}

static void poll_stop(void *context)
{
    struct controller *controller = context;
    struct control *control = &controller->control;
    bool late = loop_monotonic_ns(control->manager.loop) >= controller->stop_deadline_ns;
    if (operations_under_way(control->manager.operations) > 0 && !late)
        timer_start(controller->stop_timer, STOP_POLL_NS);
    else
        controller->stopped(controller->stopped_context);
}

void controller_stop(struct controller *controller, void (*done)(void *context), void *context)
{
    struct control *control = &controller->control;
    timer_stop(controller->start_timer);
    manager_stop(&control->manager);
    controller->stopped = done;
    controller->stopped_context = context;
    controller->stop_deadline_ns = ns_add(loop_monotonic_ns(control->manager.loop), STOP_MAX_NS);
    timer_start(controller->stop_timer, 0);
}

void controller_destroy(struct controller *controller)
{
    if (controller == NULL)
        return;
    struct control *control = &controller->control;
    timer_destroy(controller->start_timer);
    timer_destroy(controller->stop_timer);
    operations_destroy(control->manager.operations);
    queue_work_metrics_collect(&control->manager, false);
    provider_publisher_destroy(controller->publisher);
    free(controller->record_namespace);
    crd_check_destroy(controller->crd_check);
    pool_cost_destroy(controller->pool_cost);
    claim_phases_destroy(controller->claim_phases);
    condition_metrics_destroy(controller->condition_metrics);
    node_metrics_destroy(controller->node_metrics);
    disruption_conditions_destroy(controller->disruption_conditions);
    disruption_destroy(controller->disruption);
    provisioner_destroy(controller->provisioner);
    cpu_use_destroy(controller->cpu_use);
    workload_bursts_destroy(controller->bursts);
    pod_metrics_destroy(controller->pod_metrics);
    capacity_buffers_destroy(controller->buffers);
    if (control->cloud->provider->reconcilers_destroy != NULL)
        control->cloud->provider->reconcilers_destroy(controller->node_class_reconcilers);
    static_deprovisioning_destroy(controller->static_deprovisioning);
    static_provisioning_destroy(controller->static_provisioning);
    static_capacity_destroy(controller->static_capacity);
    pool_controller_destroy(controller->pool_counter);
    pool_controller_destroy(controller->pool_readiness);
    pool_controller_destroy(controller->pool_hash);
    hydration_destroy(controller->hydration);
    node_repair_destroy(controller->node_repair);
    pod_events_destroy(controller->pod_events);
    consistency_destroy(controller->consistency);
    garbage_collection_destroy(controller->garbage_collection);
    expiration_destroy(controller->expiration);
    lifecycle_destroy(controller->lifecycle);
    nominator_destroy(controller->nominator);
    termination_destroy(controller->termination);
    eviction_queue_destroy(controller->eviction_queue);
    interruptions_destroy(controller->interruptions);
    wave_report_destroy(controller->wave_report);
    target_report_destroy(controller->target_report);
    launch_backoff_destroy(controller->launch_backoff);
    protection_events_destroy(controller->protection_events);
    registration_health_destroy(controller->registration_health);
    commands_destroy(controller->commands);
    manager_free(&control->manager);
    cluster_destroy(control->cluster);
    free(controller);
}
