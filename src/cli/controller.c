// adze controller: runs in or against a cluster until it is stopped.
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/log.h"
#include "base/loop_real.h"
#include "base/memory.h"
#include "base/metrics.h"
#include "base/metrics_text.h"
#include "base/random.h"
#include "base/text.h"
#include "base/url.h"
#include "cli/input/provider_options.h"
#include "cli/input/settings_options.h"
#include "cli/preflight.h"
#include "cloud/providers.h"
#include "control/controller.h"
#include "kube/leader.h"
#include "kube/transport/http_transport.h"
#include "kube/transport/kube_config_load.h"
#include "kube/transport/metered_transport.h"
#include "model/reading/settings_read.h"
#include "web/health.h"
#include "web/process_metrics.h"
#include "web/profiling.h"
#include "web/web.h"

struct process {
    struct settings settings;
    struct kube_choice cluster;
    const struct cloud_provider *provider;
    struct loop *loop;
    struct kube_config *config;
    struct kube_client *client,
        *lease_client; // the lease's is not subject to KUBE_CLIENT_QPS (LIF-330)
    struct mirror *mirror;
    struct event_recorder *recorder;
    struct metrics *metrics;
    struct process_metrics *own_metrics;
    struct cloud *cloud;
    struct controller *controller;
    struct leader *leader;
    struct web_server *metrics_server, *health_server;
    struct health *health;
    struct profiling *profiling; // NULL: switched off
    bool stopping;
    int status; // exit code
};

// --- logging, connections ------------------------------------------------------------------------

static struct kube_client *connect(struct process *process, double qps, double burst,
                                   struct error *error)
{
    struct http_transport_options http = {.user_agent = "karpenter/" ADZE_VERSION};
    struct kube_client_options options = {.qps = qps, .burst = burst};
    struct kube_transport *transport =
        http_transport_create(process->loop, process->config, &http, error);
    if (transport == NULL)
        return NULL;
    return kube_client_create(process->loop,
                              metered_transport_create(process->loop, transport, process->metrics),
                              &options);
}

static bool open_connections(struct process *process, struct error *error)
{
    const struct settings *settings = &process->settings;
    process->config = kube_config_load(&process->cluster, error);
    if (process->config == NULL)
        return false;
    process->client = connect(process, (double)settings->kube_client_qps,
                              (double)settings->kube_client_burst, error);
    process->lease_client = process->client != NULL ? connect(process, 0, 0, error) : NULL;
    return process->lease_client != NULL;
}

// --- metrics and probes (LIF-333, LIF-334) -------------------------------------------------------

static void serve_metrics(void *context, const struct web_request *request,
                          struct web_response *response)
{
    const struct process *process = context;
    (void)request;
    response->content_type = "text/plain; version=0.0.4; charset=utf-8";
    metrics_write(process->metrics, &response->body);
}

static bool caches_are_synced(void *context, struct error *error)
{
    const struct process *process = context;
    return mirror_synced(process->mirror) ||
           error_set(error, ERROR_UNAVAILABLE, "the caches are still being filled");
}

static bool kinds_are_known(void *context, struct error *error)
{
    const struct process *process = context;
    return (mirror_kind_synced(process->mirror, KIND_NODE_POOL) &&
            mirror_kind_synced(process->mirror, KIND_NODE_CLAIM)) ||
           error_set(
               error, ERROR_UNAVAILABLE,
               "NodePool and NodeClaim are not known to the API (`adze crds` prints the CRDs)");
}

// Answers to scrapes are large, probes are many; each has connections of its own.
static const struct web_limits metrics_limits = {.connections_max = 32,
                                                 .request_ns = 10 * SECOND,
                                                 .next_request_ns = 2 * MINUTE,
                                                 .answer_ns = 30 * SECOND};
static const struct web_limits probe_limits = {.connections_max = 128,
                                               .request_ns = 10 * SECOND,
                                               .next_request_ns = 30 * SECOND,
                                               .answer_ns = 10 * SECOND};

static bool open_servers(struct process *process, struct error *error)
{
    process->metrics_server = web_server_create(
        process->loop, NULL, (int)process->settings.metrics_port, &metrics_limits, error);
    if (process->metrics_server == NULL)
        return false;
    web_server_route(process->metrics_server, "/metrics", serve_metrics, process);
    if (process->settings.enable_profiling) {
        process->profiling = profiling_create(error);
        if (process->profiling == NULL)
            return false;
        profiling_serve(process->profiling, process->metrics_server);
    }
    process->health_server = web_server_create(
        process->loop, NULL, (int)process->settings.health_probe_port, &probe_limits, error);
    if (process->health_server == NULL)
        return false;
    process->health = health_create();
    health_add(process->health, HEALTH_LIVE, "healthz", NULL, NULL);
    health_add(process->health, HEALTH_READY, "readyz", NULL, NULL);
    health_add(process->health, HEALTH_READY, "manager", caches_are_synced, process);
    health_add(process->health, HEALTH_READY, "crd", kinds_are_known, process);
    health_serve(process->health, process->health_server);
    return true;
}

// --- the controller and its lease ----------------------------------------------------------------

// The namespace of the lease, and of the provider's record.
static const char *own_namespace(const struct process *process)
{
    const char *namespace = process->settings.leader_election_namespace;
    return namespace != NULL && *namespace != '\0' ? namespace : process->config->namespace;
}

// That of what the provider keeps. A kubeconfig's namespace is the user's, not the controller's.
static const char *keeping_namespace(const struct process *process)
{
    const char *namespace = process->settings.leader_election_namespace;
    bool in_pod = process->config->token_file != NULL;
    return text_is_empty(namespace) && !in_pod ? NULL : own_namespace(process);
}

static bool open_controller(struct process *process, struct error *error)
{
    const struct cloud_provider *provider = process->provider;
    process->mirror = mirror_create(process->loop, process->client);
    process->recorder = event_recorder_create(process->loop, process->client, "karpenter");
    controller_watch(process->mirror, &process->settings, provider->node_class);
    struct provider_environment environment = {
        .loop = process->loop,
        .client = process->client,
        .mirror = process->mirror,
        .settings = &process->settings,
        .metrics = process->metrics,
        .api_ca = process->config->ca_data,
        .namespace = keeping_namespace(process),
        .seed = random_entropy(),
    };
    process->cloud = provider->create(&environment, error);
    if (process->cloud == NULL)
        return false;
    struct controller_options options = {
        .loop = process->loop,
        .client = process->client,
        .mirror = process->mirror,
        .cloud = process->cloud,
        .settings = &process->settings,
        .recorder = process->recorder,
        .metrics = process->metrics,
        .seed = random_entropy(),
        .watches_are_set = true,
        .compares_crds = true,
        .learns_cpu_use = true,
        .record_namespace = own_namespace(process),
    };
    process->controller = controller_create(&options);
    return true;
}

static void show_leading(struct process *process, bool leading)
{
    process_metrics_lead(process->own_metrics, process->settings.leader_election_name, leading);
}

static void lead(void *context)
{
    struct process *process = context;
    show_leading(process, true);
    log_info("became the leader", "s:lease", process->settings.leader_election_name);
    controller_start(process->controller);
}

static bool still_leads(void *context)
{
    const struct process *process = context;
    return process->leader != NULL && leader_is_leading(process->leader);
}

static void lease_lost(void *context)
{
    struct process *process = context;
    show_leading(process, false);
    if (process->stopping)
        return;
    log_error("leader election lost");
    process->status = 1;
    loop_stop(process->loop);
}

static void lease_slow_path(void *context)
{
    struct process *process = context;
    process_metrics_slow_path(process->own_metrics, process->settings.leader_election_name, 1);
}

static void begin(void *context)
{
    struct process *process = context;
    const struct settings *settings = &process->settings;
    if (settings->disable_leader_election) {
        controller_start(process->controller);
        return;
    }
    char host[256] = "", uuid[37], identity[300];
    struct random random;
    gethostname(host, sizeof host - 1);
    random_seed(&random, random_entropy());
    random_uuid(&random, uuid);
    snprintf(identity, sizeof identity, "%s_%s", host, uuid);
    struct leader_options options = {
        .namespace = own_namespace(process),
        .name = settings->leader_election_name,
        .identity = identity,
        .lease_duration_ns = 15 * SECOND,
        .renew_deadline_ns = 10 * SECOND,
        .retry_period_ns = 2 * SECOND,
        .started = lead,
        .lost = lease_lost,
        .slow_path = lease_slow_path,
        .context = process,
    };
    show_leading(process, false);
    process_metrics_slow_path(process->own_metrics, settings->leader_election_name, 0);
    process->leader = leader_create(process->loop, process->lease_client, &options);
    kube_client_gate_writes(process->client, still_leads, process);
}

// --- the end (LIF-474) ---------------------------------------------------------------------------

static void all_done(void *context)
{
    struct process *process = context;
    loop_stop(process->loop);
}

static void controller_stopped(void *context)
{
    struct process *process = context;
    if (process->leader != NULL)
        leader_release(process->leader, all_done, process);
    else
        loop_stop(process->loop);
}

static void told_to_stop(void *context)
{
    struct process *process = context;
    if (process->stopping) { // a second signal
        process->status = 1;
        loop_stop(process->loop);
        return;
    }
    process->stopping = true;
    log_info("shutting down");
    controller_stop(process->controller, controller_stopped, process);
}

#define PLAN_WAIT_NS (SECOND / 5)

// A plan in progress cannot be cancelled. Its result is no longer needed: the API has all
// decisions, so the process exits without waiting for it.
static void leave_plan_behind(const struct process *process)
{
    if (loop_settle(process->loop, PLAN_WAIT_NS))
        return;
    log_info("ending while a plan is being made");
    fflush(NULL);
    _exit(process->status);
}

static void close_process(struct process *process)
{
    if (process->controller != NULL)
        controller_destroy(process->controller);
    leader_destroy(process->leader);
    process->leader = NULL;
    if (process->cloud != NULL)
        process->cloud->operations->destroy(process->cloud);
    if (process->recorder != NULL)
        event_recorder_destroy(process->recorder);
    if (process->mirror != NULL)
        mirror_destroy(process->mirror);
    web_server_destroy(process->health_server);
    web_server_destroy(process->metrics_server);
    health_destroy(process->health);
    profiling_destroy(process->profiling);
    if (process->lease_client != NULL)
        kube_client_destroy(process->lease_client);
    if (process->client != NULL)
        kube_client_destroy(process->client);
    process_metrics_destroy(process->own_metrics);
    metrics_destroy(process->metrics);
    kube_config_free(process->config);
    loop_destroy(process->loop);
    settings_free(&process->settings);
}

static int64_t monotonic_ns(void *loop)
{
    return loop_monotonic_ns(loop);
}

static int run_process(struct process *process)
{
    struct error error = {0};
    if (!settings_open_log(&process->settings, &error) || !open_connections(process, &error) ||
        !open_servers(process, &error) || !open_controller(process, &error)) {
        return command_failed(&command_controller, &error);
    }
    struct text server = {0};
    url_show(&server, process->config->server);
    log_info("discovered karpenter version", "s:version", ADZE_VERSION, "s:provider",
             process->provider->name, "s:server", server.data);
    text_free(&server);
    const char *scheduler_config = process->settings.scheduler_config;
    if (scheduler_config != NULL && scheduler_config[0] != '\0') // LIF-382
        log_info("default topology spread constraints are configured", "s:scheduler-config",
                 scheduler_config);
    loop_on_signal(process->loop, SIGTERM, told_to_stop, process);
    loop_on_signal(process->loop, SIGINT, told_to_stop, process);
    cloud_prepare(process->cloud, begin, process);
    loop_run(process->loop);
    return process->status;
}

static int run(int argc, char **argv)
{
    struct process process = {0};
    const char *provider = provider_of_clusters()->name;
    bool preflight = false;
    const struct extra_option extras[] = {
        {"kubeconfig", &process.cluster.kubeconfig, NULL},
        {"context", &process.cluster.context, NULL},
        {"provider", &provider, NULL},
        {"preflight", NULL, &preflight},
        {0},
    };
    settings_defaults(&process.settings);
    int status =
        settings_from_command_line(&command_controller, &process.settings, argc, argv, extras);
    if (status < 0)
        process.provider = provider_to_run(&command_controller, provider, &status);
    if (status < 0 && preflight)
        status = preflight_for_controller(&process.cluster, &process.settings);
    if (status >= 0) {
        settings_free(&process.settings);
        return status;
    }
    memory_stay_small();
    process.loop = loop_create();
    process.metrics = metrics_create(monotonic_ns, process.loop);
    process.own_metrics = process_metrics_create(process.metrics);
    status = run_process(&process);
    leave_plan_behind(&process);
    close_process(&process);
    return status;
}

static char *more_help(void)
{
    struct text text = {0};
    CLEANUP_FREE char *provider_help = providers_running_help();
    CLEANUP_FREE char *setting_help = settings_help();
    text_format(&text, "%s\nSettings:\n%s", provider_help, setting_help);
    return text_take(&text);
}

const struct command command_controller = {
    .name = "controller",
    .arguments = "[--provider NAME] [--kubeconfig FILE] [--context NAME] [SETTINGS]",
    .summary = "run in or against a cluster",
    .help = "  --provider NAME      whose machines: one of the providers below\n"
            "  --kubeconfig FILE    default: $KUBECONFIG, the service account, ~/.kube/config\n"
            "  --context NAME       default: the current one\n"
            "  --preflight          print the checks of `adze preflight` with the controller's own "
            "rights\n"
            "                       and settings, and end: 0 fine, 1 a check failed, 2 it cannot "
            "tell\n",
    .more_help = more_help,
    .run = run,
};
