#include "sim/simulation.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "base/nanoseconds.h"
#include "base/random.h"
#include "base/text.h"
#include "kube/leader.h"
#include "kube/transport/metered_transport.h"
#include "model/manifest/input.h"
#include "model/reading/settings_read.h"
#include "sim/simulation_machines.h"
#include "sim/store/resources.h"
#include "sim/store/store_furnish.h"
#include "sim/store/store_patch.h"
#include "sim/store/store_remove.h"

#define PROCESS_EXIT (100 * MILLISECOND)

struct process { // one life of the controller
    struct metrics *metrics;
    struct kube_transport *transport; // the client's
    struct kube_client *client;
    struct mirror *mirror;
    struct event_recorder *recorder;
    struct cloud *cloud;
    struct controller *controller;
    struct kube_client *lease_client; // NULL: leads without a lease
    struct leader *leader;
    struct timer *exit; // the lease is lost
    bool cloud_is_ready, leads_when_ready;
};

struct simulation {
    struct simulation_options options;
    struct settings settings;
    struct store *store;
    struct api_server *api;
    struct world *world;
    struct simulation_machines *machines;
    struct random random;
    struct process process;
    uint32_t lives;
};

void simulation_options_defaults(struct simulation_options *options)
{
    *options = (struct simulation_options){
        .seed = 1,
        .boot_delay_min = 2 * SECOND,
        .boot_delay_max = 4 * SECOND,
        .ready_delay = SECOND,
        .stop_delay_min = SECOND,
        .stop_delay_max = 3 * SECOND,
        .cloud_latency_min = 50 * MILLISECOND,
        .cloud_latency_max = 300 * MILLISECOND,
        .api_latency_min = MILLISECOND,
        .api_latency_max = 10 * MILLISECOND,
    };
    world_options_defaults(&options->world);
}

// --- life and death ------------------------------------------------------------------------------

struct simulation *simulation_create(const struct simulation_options *options)
{
    struct simulation *simulation = memory_allocate(sizeof *simulation);
    simulation->options = *options;
    random_seed(&simulation->random, options->seed);
    if (options->settings != NULL)
        settings_copy(&simulation->settings, options->settings);
    else
        settings_defaults(&simulation->settings);
    simulation->store = store_create(options->loop, random_next(&simulation->random));
    if (options->furnished)
        store_furnish(simulation->store);
    simulation->api = api_server_create(options->loop, simulation->store);
    struct world_options world = options->world;
    world.seed = random_next(&simulation->random);
    simulation->world = world_create(options->loop, simulation->store, &world);
    simulation->machines =
        simulation_machines_create(&simulation->options, &simulation->random, options->aws_error);
    if (simulation->machines == NULL) {
        simulation_destroy(simulation);
        return NULL;
    }
    simulation_machines_join(simulation->machines, simulation->world);
    return simulation;
}

void simulation_destroy(struct simulation *simulation)
{
    if (simulation == NULL)
        return;
    simulation_kill_controller(simulation);
    simulation_machines_destroy(simulation->machines);
    world_destroy(simulation->world);
    api_server_destroy(simulation->api);
    store_destroy(simulation->store);
    settings_free(&simulation->settings);
    free(simulation);
}

static struct kube_transport *connect(struct simulation *simulation)
{
    const struct simulation_options *options = &simulation->options;
    struct sim_transport_options transport = {
        .seed = random_next(&simulation->random),
        .latency_min_ns = options->api_latency_min,
        .latency_max_ns = options->api_latency_max,
        .watch_latency_min_ns = options->api_latency_min,
        .watch_latency_max_ns = options->api_latency_max,
        .faults = options->api_faults,
        .fault = options->api_fault,
        .lose_answer = options->api_lose_answer,
        .fault_context = options->fault_context,
    };
    return sim_transport_create(options->loop, simulation->api, &transport);
}

static int64_t monotonic_ns(void *loop)
{
    return loop_monotonic_ns(loop);
}

static void stand_for_election(struct simulation *simulation);

void simulation_start_controller(struct simulation *simulation)
{
    simulation_start_standby(simulation);
    if (simulation->options.leader_election)
        stand_for_election(simulation);
    else
        simulation_lead(simulation);
}

static void lease_won(void *context)
{
    simulation_lead(context);
}

static void lease_lost(void *context)
{
    struct simulation *simulation = context;
    // Its end takes a while; its writes stop independently of that.
    timer_start(simulation->process.exit, PROCESS_EXIT);
}

static void process_exits(void *context)
{
    simulation_kill_controller(context);
}

static bool still_leads(void *context)
{
    const struct simulation *simulation = context;
    return leader_is_leading(simulation->process.leader);
}

static void stand_for_election(struct simulation *simulation)
{
    struct process *process = &simulation->process;
    struct loop *loop = simulation->options.loop;
    char identity[32];
    snprintf(identity, sizeof identity, "simulation_%u", simulation->lives);
    struct kube_client_options unlimited = {0};
    struct leader_options options = {.namespace = "kube-system",
                                     .name = "leader-election",
                                     .identity = identity,
                                     .lease_duration_ns = 15 * SECOND,
                                     .renew_deadline_ns = 10 * SECOND,
                                     .retry_period_ns = 2 * SECOND,
                                     .started = lease_won,
                                     .lost = lease_lost,
                                     .context = simulation};
    process->exit = timer_create_on(loop, process_exits, simulation);
    process->lease_client = kube_client_create(loop, connect(simulation), &unlimited);
    process->leader = leader_create(loop, process->lease_client, &options);
    kube_client_gate_writes(process->client, still_leads, simulation);
}

void simulation_lead(struct simulation *simulation)
{
    struct process *process = &simulation->process;
    process->leads_when_ready = !process->cloud_is_ready;
    if (!process->cloud_is_ready)
        return;
    controller_start(process->controller);
}

static void cloud_ready(void *context)
{
    struct simulation *simulation = context;
    simulation->process.cloud_is_ready = true;
    if (simulation->process.leads_when_ready)
        simulation_lead(simulation);
}

void simulation_start_standby(struct simulation *simulation)
{
    struct process *process = &simulation->process;
    struct loop *loop = simulation->options.loop;
    struct kube_client_options client = {0};
    uint64_t seed = random_next(&simulation->random);
    simulation_kill_controller(simulation);
    simulation->lives++;
    process->metrics = metrics_create(monotonic_ns, loop);
    process->transport = connect(simulation);
    process->client = kube_client_create(
        loop, metered_transport_create(loop, process->transport, process->metrics), &client);
    process->mirror = mirror_create(loop, process->client);
    process->recorder = event_recorder_create(loop, process->client, "karpenter");
    struct provider_environment environment = {
        .loop = loop,
        .client = process->client,
        .mirror = process->mirror,
        .settings = &simulation->settings,
        .metrics = process->metrics,
        .namespace = simulation->options.record_namespace,
        .seed = seed,
    };
    if (simulation->options.aws != NULL) // its provider follows kinds that it must find watched
        controller_watch(process->mirror, &simulation->settings,
                         simulation_machines_node_class(simulation->machines));
    process->cloud = simulation_machines_connect(simulation->machines, &environment);
    struct controller_options controller = {
        .loop = loop,
        .client = process->client,
        .mirror = process->mirror,
        .cloud = process->cloud,
        .settings = &simulation->settings,
        .recorder = process->recorder,
        .metrics = process->metrics,
        .seed = random_next(&simulation->random),
        .watches_are_set = simulation->options.aws != NULL,
        .compares_crds = simulation->options.compares_crds,
        .learns_cpu_use = simulation->options.learns_cpu_use,
        .record_namespace = simulation->options.record_namespace,
        .pass_pods_max = simulation->options.pass_pods_max,
    };
    process->controller = controller_create(&controller);
    cloud_prepare(process->cloud, cloud_ready, simulation);
}

void simulation_kill_controller(struct simulation *simulation)
{
    struct process *process = &simulation->process;
    if (process->controller == NULL)
        return;
    timer_destroy(process->exit);
    controller_destroy(process->controller);
    leader_destroy(process->leader);
    kube_client_destroy(process->lease_client);
    process->cloud->operations->destroy(process->cloud);
    event_recorder_destroy(process->recorder);
    mirror_destroy(process->mirror);
    kube_client_destroy(process->client);
    metrics_destroy(process->metrics);
    *process = (struct process){0};
}

void simulation_set_api_faults(struct simulation *simulation, const struct sim_faults *faults)
{
    simulation->options.api_faults = *faults;
    if (simulation->process.transport != NULL)
        sim_transport_set_faults(simulation->process.transport, faults);
}

void simulation_cut_api(struct simulation *simulation, bool cut)
{
    if (simulation->process.transport != NULL)
        sim_transport_cut(simulation->process.transport, cut);
}

struct store *simulation_store(struct simulation *simulation)
{
    return simulation->store;
}

struct api_server *simulation_api(struct simulation *simulation)
{
    return simulation->api;
}

struct world *simulation_world(struct simulation *simulation)
{
    return simulation->world;
}

struct sim_instances *simulation_park(struct simulation *simulation)
{
    return simulation_machines_park(simulation->machines);
}

struct aws_account *simulation_account(struct simulation *simulation)
{
    return simulation_machines_account(simulation->machines);
}

struct controller *simulation_controller(struct simulation *simulation)
{
    return simulation->process.controller;
}

struct metrics *simulation_metrics(struct simulation *simulation)
{
    return simulation->process.metrics;
}

bool simulation_machine_at(struct simulation *simulation, uint32_t index,
                           struct simulation_machine *machine)
{
    return simulation_machines_at(simulation->machines, index, machine);
}

int64_t simulation_price(struct simulation *simulation)
{
    struct simulation_machine machine;
    int64_t sum = 0;
    for (uint32_t i = 0; simulation_machine_at(simulation, i, &machine); i++)
        sum += machine.price;
    return sum;
}

// --- a user's hand -------------------------------------------------------------------------------

static const struct store_resource *resource_of(struct simulation *simulation,
                                                const char *api_version, const char *kind,
                                                struct error *error)
{
    const struct store_resource *resource =
        store_resource_of_kind(simulation->store, api_version, kind);
    if (resource == NULL)
        error_set(error, ERROR_INVALID, "the embedded cluster has no kind %s %s", api_version,
                  kind);
    return resource;
}

bool simulation_apply_object(struct simulation *simulation, json_t *object, struct error *error)
{
    const char *api_version = json_string_value(json_object_get(object, "apiVersion"));
    const char *kind = json_string_value(json_object_get(object, "kind"));
    if (api_version == NULL || kind == NULL)
        return error_set(error, ERROR_INVALID, "a document without apiVersion and kind");
    const struct store_resource *resource = resource_of(simulation, api_version, kind, error);
    if (resource == NULL)
        return false;
    const char *namespace = store_namespace(object);
    if (resource->namespaced && *namespace == '\0')
    namespace = "default";
    const char *name = store_name(object);
    bool done =
        store_get(simulation->store, resource, namespace, name) != NULL
            ? store_patch(simulation->store, &(struct store_target){resource, namespace, name},
                          "merge", object, error) != NULL
            : store_add(simulation->store, resource, namespace, object, error) != NULL;
    return done || error_prefix(error, "%s/%s", kind, name);
}

bool simulation_apply(struct simulation *simulation, const char *manifest, struct error *error)
{
    struct documents documents = {0};
    bool done =
        documents_read_text(&documents, manifest, strlen(manifest), "manifest", false, error);
    for (uint32_t i = 0; done && i < documents.count; i++)
        if (documents.items[i].value != NULL)
            done = simulation_apply_object(simulation, documents.items[i].value, error);
    documents_free(&documents);
    return done;
}

bool simulation_scale(struct simulation *simulation, const char *deployment, int64_t replicas,
                      struct error *error)
{
    const struct store_resource *resource = resource_of(simulation, "apps/v1", "Deployment", error);
    json_t *patch = json_pack("{s:{s:I}}", "spec", "replicas", (json_int_t)replicas);
    bool done =
        resource != NULL &&
        store_patch(simulation->store, &(struct store_target){resource, "default", deployment},
                    "merge", patch, error) != NULL;
    json_decref(patch);
    return done;
}

bool simulation_delete(struct simulation *simulation, const char *api_version, const char *kind,
                       const char *namespace, const char *name, struct error *error)
{
    struct store_delete_options options = {.grace_period_seconds = -1};
    const struct store_resource *resource = resource_of(simulation, api_version, kind, error);
    return resource != NULL &&
           store_remove(simulation->store, resource, namespace, name, &options, error) != NULL;
}

// --- looking -------------------------------------------------------------------------------------

uint32_t simulation_count(struct simulation *simulation, const char *api_version, const char *kind)
{
    const struct store_resource *resource =
        store_resource_of_kind(simulation->store, api_version, kind);
    return resource != NULL ? store_count(simulation->store, resource) : 0;
}

uint32_t simulation_pods_running(struct simulation *simulation)
{
    return world_counts(simulation->world).pods_running;
}

struct survey {         // of NodeClaims or Nodes
    struct map *claims; // by UID
    bool unsettled;
};

static bool survey_claim(void *context, json_t *claim)
{
    struct survey *survey = context;
    if (survey->claims != NULL)
        map_set(survey->claims, store_uid(claim), claim);
    if (!store_condition_is_true(claim, CONDITION_INITIALIZED) ||
        store_path(claim, "metadata.deletionTimestamp") != NULL)
        survey->unsettled = true;
    return true;
}

static bool survey_node(void *context, json_t *node)
{
    struct survey *survey = context;
    if (store_path(node, "metadata.deletionTimestamp") != NULL ||
        !store_condition_is_true(node, CONDITION_READY))
        survey->unsettled = true;
    return true;
}

static void each_claim(struct simulation *simulation, struct survey *survey)
{
    const struct store_resource *claims =
        store_resource_of_kind(simulation->store, "karpenter.sh/v1", "NodeClaim");
    store_each(simulation->store, claims, NULL, survey_claim, survey);
}

bool simulation_is_settled(struct simulation *simulation)
{
    struct survey survey = {0};
    struct world_counts counts = world_counts(simulation->world);
    if (counts.pods_unassigned > 0 || counts.pods_starting > 0 || counts.pods_terminating > 0)
        return false;
    each_claim(simulation, &survey);
    store_each(simulation->store, store_resource_of_kind(simulation->store, "v1", "Node"), NULL,
               survey_node, &survey);
    return !survey.unsettled && simulation_machines_count(simulation->machines) ==
                                    simulation_count(simulation, "karpenter.sh/v1", "NodeClaim");
}

bool simulation_check(struct simulation *simulation, struct error *error)
{
    struct survey survey = {.claims = map_create()};
    each_claim(simulation, &survey);
    bool fine = simulation_machines_check(simulation->machines, survey.claims, error);
    map_destroy(survey.claims, NULL);
    return fine;
}
