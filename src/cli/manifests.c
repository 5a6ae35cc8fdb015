// adze manifests: the objects that run the controller in a cluster, without Helm.
#include <stdio.h>
#include <string.h>

#include "base/text.h"
#include "cli/input/options.h"
#include "cli/input/provider_options.h"
#include "cli/input/settings_options.h"
#include "cli/manifest_monitoring.h"
#include "cli/manifest_pod.h"
#include "cli/manifest_roles.h"
#include "cli/output/document.h"
#include "cloud/providers.h"
#include "model/reading/settings_read.h"

#define REPLICAS_MAX 100

struct request {
    struct settings settings;
    struct manifest_options options;
    const char *replicas, *format, *monitoring; // NULL: none
    bool roles_only;
};

// --- objects -------------------------------------------------------------------------------------

static json_t *service_account(const struct manifest_options *options)
{
    json_t *account =
        manifest_object(options, "v1", "ServiceAccount", options->name, options->namespace);
    if (options->role_arn != NULL)
        json_object_set_new(json_object_get(account, "metadata"), "annotations",
                            json_pack("{s:s}", "eks.amazonaws.com/role-arn", options->role_arn));
    json_object_set_new(account, "automountServiceAccountToken", json_false());
    return account;
}

static json_t *service(const struct manifest_options *options)
{
    json_t *object = manifest_object(options, "v1", "Service", options->name, options->namespace);
    json_object_set_new(
        object, "spec",
        json_pack("{s:s, s:[{s:s, s:I, s:s, s:s}], s:o}", "type", "ClusterIP", "ports", "name",
                  "http-metrics", "port", (json_int_t)options->settings->metrics_port, "targetPort",
                  "http-metrics", "protocol", "TCP", "selector", manifest_labels(options)));
    return object;
}

static json_t *disruption_budget(const struct manifest_options *options)
{
    json_t *object = manifest_object(options, "policy/v1", "PodDisruptionBudget", options->name,
                                     options->namespace);
    json_object_set_new(object, "spec",
                        json_pack("{s:i, s:{s:o}}", "maxUnavailable", 1, "selector", "matchLabels",
                                  manifest_labels(options)));
    return object;
}

static json_t *objects_of(const struct request *request)
{
    const struct manifest_options *options = &request->options;
    json_t *objects = json_array();
    json_array_append_new(objects, service_account(options));
    manifest_roles_add(options, objects);
    if (request->roles_only)
        return objects;
    if (options->replicas > 1)
        json_array_append_new(objects, disruption_budget(options));
    if (options->settings->metrics_port != 0)
        json_array_append_new(objects, service(options));
    json_array_append_new(objects, manifest_deployment(options));
    if (request->monitoring != NULL)
        manifest_monitoring_add(options, strcmp(request->monitoring, "operator") == 0, objects);
    return objects;
}

// --- the command line ----------------------------------------------------------------------------

static bool is_image(const char *text)
{
    return *text != '\0' && strlen(text) < 1024 &&
           strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789.-_/:@") ==
               strlen(text);
}

static int check(struct request *request)
{
    struct manifest_options *options = &request->options;
    int status = 0;
    if (provider_to_run(&command_manifests, options->provider, &status) == NULL)
        return status;
    if (!text_is_dns_label(options->name, NULL))
        return command_usage_error(&command_manifests, "--name %s is no name of an object",
                                   options->name);
    if (!text_is_dns_label(options->namespace, NULL))
        return command_usage_error(&command_manifests, "--namespace %s is no name of a namespace",
                                   options->namespace);
    if (!is_image(options->image))
        return command_usage_error(&command_manifests, "--image %s is no name of an image",
                                   options->image);
    if (!text_parse_int64(request->replicas, &options->replicas) || options->replicas < 0 ||
        options->replicas > REPLICAS_MAX)
        return command_usage_error(&command_manifests, "--replicas takes 0 to %d, not %s",
                                   REPLICAS_MAX, request->replicas);
    static const char *const formats[] = {"yaml", "name", "json", JSONPATH_FORMAT, NULL};
    const struct file_options output = {.format = request->format};
    if (!file_options_check(&command_manifests, &output, formats, &status))
        return status;
    static const char *const monitoring[] = {"operator", "plain", NULL};
    if (request->monitoring != NULL && !option_is_one_of(&command_manifests, "--monitoring",
                                                         request->monitoring, monitoring, &status))
        return status;
    if (request->monitoring != NULL && options->settings->metrics_port == 0)
        return command_usage_error(&command_manifests,
                                   "--monitoring: with METRICS_PORT=0 there are no metrics");
    if (strcmp(options->provider, "aws") == 0 && !request->roles_only &&
        text_is_empty(request->settings.cluster_name))
        return command_usage_error(&command_manifests,
                                   "--cluster-name is missing: the provider aws needs it");
    return -1;
}

static int run(int argc, char **argv)
{
    struct request request = {.replicas = "2",
                              .format = "yaml",
                              .options = {.name = "adze",
                                          .namespace = "kube-system",
                                          .provider = "aws",
                                          .image = "adze:" ADZE_VERSION}};
    struct manifest_options *options = &request.options;
    const struct extra_option extras[] = {
        {"name", &options->name, NULL},
        {"namespace", &options->namespace, NULL},
        {"n", &options->namespace, NULL},
        {"provider", &options->provider, NULL},
        {"image", &options->image, NULL},
        {"role-arn", &options->role_arn, NULL},
        {"replicas", &request.replicas, NULL},
        {"roles", NULL, &request.roles_only},
        {"monitoring", &request.monitoring, NULL},
        {"output", &request.format, NULL},
        {"o", &request.format, NULL},
        {0},
    };
    settings_defaults(&request.settings);
    options->settings = &request.settings;
    int status =
        settings_from_command_line(&command_manifests, &request.settings, argc, argv, extras);
    if (status < 0)
        status = check(&request);
    if (status < 0)
        status = document_print_objects(&command_manifests, request.format, objects_of(&request));
    settings_free(&request.settings);
    return status;
}

const struct command command_manifests = {
    .name = "manifests",
    .arguments = "[--provider NAME] [--cluster-name NAME] [--image IMAGE] [SETTINGS] [-o FORMAT]",
    .summary = "print the objects that run the controller in a cluster",
    .help =
        "The chart's objects without Helm: ServiceAccount, roles, PodDisruptionBudget, Service, "
        "Deployment. Settings, by flags or\nenvironment variables as for `adze controller`, "
        "become variables of the container, and decide what it may do.\nVariables of a "
        "ConfigMap adze-settings in its namespace count as well. `adze crds` prints the "
        "CRDs.\n\n"
        "      --provider NAME    aws (default) or kwok\n"
        "  -n, --namespace NAME   default: kube-system\n"
        "      --name NAME        of the objects; default: adze\n"
        "      --image IMAGE      default: adze:VERSION\n"
        "      --replicas N       default: 2\n"
        "      --role-arn ARN     the controller's role, by IAM roles for service accounts\n"
        "      --roles            the ServiceAccount and its roles alone\n"
        "      --monitoring KIND  operator or plain; dashboards for Grafana as ConfigMaps, and "
        "alerts:\n"
        "                         a ServiceMonitor and a PrometheusRule of Prometheus' operator, "
        "or\n"
        "                         a rule file in a ConfigMap\n"
        "  -o, --output FORMAT    yaml (default), name, json or jsonpath=TEMPLATE\n"
        "\n"
        "  adze manifests --cluster-name prod --interruption-queue prod --image "
        "example.com/adze:0.1.0 | kubectl apply -f -\n",
    .run = run,
};
