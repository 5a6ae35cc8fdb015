// adze node-watcher: on a node of AWS, tells the controller what EC2 announces about the instance.
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/loop_real.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cli/input/settings_options.h"
#include "cloud/aws/client/aws_http_curl.h"
#include "cloud/aws/watcher/node_watcher.h"
#include "kube/transport/http_transport.h"
#include "kube/transport/kube_config_load.h"
#include "model/reading/settings_read.h"

#define INTERVAL_NS   (5 * SECOND) // as EC2 advises
#define NODE_NAME_MAX 253

struct watch {
    struct settings settings;
    const char *node_name;
    struct kube_choice cluster;
    struct loop *loop;
    struct kube_config *config;
    struct kube_client *kube;
    struct aws_http *http;
    struct node_watcher *watcher;
};

static void told_to_stop(void *context)
{
    struct watch *watch = context;
    loop_stop(watch->loop);
}

static bool open_cluster(struct watch *watch, struct error *error)
{
    struct http_transport_options http = {.user_agent = "adze-node-watcher/" ADZE_VERSION};
    struct kube_client_options unlimited = {0};
    watch->config = kube_config_load(&watch->cluster, error);
    struct kube_transport *transport =
        watch->config != NULL ? http_transport_create(watch->loop, watch->config, &http, error)
                              : NULL;
    if (transport != NULL)
        watch->kube = kube_client_create(watch->loop, transport, &unlimited);
    return watch->kube != NULL;
}

static bool open_watcher(struct watch *watch, struct error *error)
{
    watch->http = aws_http_curl_create(watch->loop, NULL, error);
    if (watch->http == NULL)
        return false;
    watch->watcher =
        node_watcher_create(&(struct node_watcher_options){.loop = watch->loop,
                                                           .http = watch->http,
                                                           .kube = watch->kube,
                                                           .node_name = watch->node_name,
                                                           .interval_ns = INTERVAL_NS},
                            error);
    return watch->watcher != NULL;
}

static void close_watch(struct watch *watch)
{
    node_watcher_destroy(watch->watcher);
    if (watch->http != NULL)
        watch->http->operations->destroy(watch->http);
    if (watch->kube != NULL)
        kube_client_destroy(watch->kube);
    kube_config_free(watch->config);
    if (watch->loop != NULL)
        loop_destroy(watch->loop);
    settings_free(&watch->settings);
}

static int watch_instance(struct watch *watch)
{
    struct error error = {0};
    memory_stay_small();
    watch->loop = loop_create();
    if (!settings_open_log(&watch->settings, &error) || !open_cluster(watch, &error) ||
        !open_watcher(watch, &error))
        return command_failed(&command_node_watcher, &error);
    loop_on_signal(watch->loop, SIGTERM, told_to_stop, watch);
    loop_on_signal(watch->loop, SIGINT, told_to_stop, watch);
    log_info("watching the announcements of EC2", "o:Node", watch->node_name);
    loop_run(watch->loop);
    return EXIT_SUCCESS;
}

// It becomes part of a path.
static bool is_node_name(const char *name)
{
    size_t length = strlen(name);
    return length > 0 && length <= NODE_NAME_MAX &&
           strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789-.") == length && name[0] != '.' &&
           name[0] != '-';
}

static int run(int argc, char **argv)
{
    struct watch watch = {.node_name = getenv("NODE_NAME")};
    const struct extra_option extras[] = {
        {"node-name", &watch.node_name, NULL},
        {"kubeconfig", &watch.cluster.kubeconfig, NULL},
        {"context", &watch.cluster.context, NULL},
        {0},
    };
    settings_defaults(&watch.settings);
    int status =
        settings_from_command_line(&command_node_watcher, &watch.settings, argc, argv, extras);
    if (status < 0 && text_is_empty(watch.node_name))
        status = command_usage_error(&command_node_watcher, "--node-name is missing");
    if (status < 0 && !is_node_name(watch.node_name))
        status = command_usage_error(&command_node_watcher, "--node-name is no name of a Node");
    if (status < 0)
        status = watch_instance(&watch);
    close_watch(&watch);
    return status;
}

const struct command command_node_watcher = {
    .name = "node-watcher",
    .arguments = "--node-name NAME [--kubeconfig FILE] [--context NAME] [LOG SETTINGS]",
    .summary = "on a node of AWS: tell the controller of interruptions",
    .help = "Runs as a DaemonSet (examples/node-watcher.yaml). Asks the instance metadata service "
            "every 5 s for spot\ninterruptions, rebalance recommendations and maintenance, and "
            "annotates the Node; the controller handles that\nlike a message of the interruption "
            "queue.\n\n"
            "  --node-name NAME     default: the environment variable NODE_NAME\n"
            "  --kubeconfig FILE    default: $KUBECONFIG, the service account, ~/.kube/config\n"
            "  --context NAME       of the kubeconfig; default: the current one\n"
            "--log-level, --log-format and --log-output-paths are those of the controller.\n\n"
            "Exit codes: 0 told to stop, 1 it cannot begin, 2 bad usage.\n",
    .run = run,
};
