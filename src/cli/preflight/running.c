#include "cli/preflight/running.h"

#include <assert.h>
#include <string.h>

#include "base/duration.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "model/reading/settings_read.h"
#include "model/reading/settings_table.h"
#include "model/tables/rules_json.h"

#define LEASE_NAME "karpenter-leader-election"

struct running {
    const json_t *deployment, *container;
    const char *name, *namespace;
    bool ends; // it is scaled to 0, and its process still holds the lease
};
struct holder { // of the lease; all NULL: nobody
    const char *identity, *namespace;
};

static const json_t *metadata_of(const json_t *object)
{
    return json_object_get(object, "metadata");
}

static const json_t *containers_of(const json_t *deployment)
{
    const json_t *template = json_object_get(json_object_get(deployment, "spec"), "template");
    return json_object_get(json_object_get(template, "spec"), "containers");
}

static int64_t replicas_of(const json_t *deployment)
{
    const json_t *replicas = json_object_get(json_object_get(deployment, "spec"), "replicas");
    return json_is_integer(replicas) ? json_integer_value(replicas) : 1;
}

// The container whose image has the word in its last part; NULL: none.
static const json_t *container_of(const json_t *deployment, const char *word)
{
    size_t index;
    json_t *container;
    json_array_foreach ((json_t *)containers_of(deployment), index, container) {
        const char *image = text_or_empty(json_text(container, "image"));
        if (strstr(image, word) != NULL)
            return container;
    }
    return NULL;
}

// --- settings ------------------------------------------------------------------------------------
// MIG-64: settings of older versions.
static const char *const gone[][2] = {
    {"ASSUME_ROLE_ARN", "use the pod's own identity"},
    {"ASSUME_ROLE_DURATION", "use the pod's own identity"},
    {"AWS_DEFAULT_INSTANCE_PROFILE", "write spec.instanceProfile in every EC2NodeClass"},
    {"AWS_ENABLE_POD_ENI", "not needed"},
    {"AWS_ENABLE_ENI_LIMITED_POD_DENSITY", "if it was false, write spec.kubelet.maxPods: 110"},
    {"AWS_NODE_NAME_CONVENTION", "names follow the node"},
    {"AWS_TAGS", "write spec.tags in every EC2NodeClass"},
    {"DISABLE_WEBHOOK", "there are no webhooks"},
    {"WEBHOOK_PORT", "there are no webhooks"},
    {"WEBHOOK_METRICS_PORT", "there are no webhooks"},
    {"LOGGING_CONFIG", "use LOG_LEVEL, LOG_OUTPUT_PATHS and LOG_ERROR_OUTPUT_PATHS"},
    {"LEADER_ELECT", "false is DISABLE_LEADER_ELECTION=true"}};
// Not about Karpenter itself.
static const char *const ambient[] = {"SYSTEM_NAMESPACE",
                                      "MEMORY_LIMIT",
                                      "CPU_REQUEST",
                                      "GOMAXPROCS",
                                      "GOMEMLIMIT",
                                      "AWS_",
                                      "POD_",
                                      "HOST_IP",
                                      "OTEL_",
                                      "KUBERNETES_",
                                      "HTTP_PROXY",
                                      "HTTPS_PROXY",
                                      "NO_PROXY"};

static bool is_setting(const char *name)
{
    uint32_t count;
    const struct setting *table = settings_table(&count);
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(table[i].environment, name) == 0)
            return true;
    return false;
}

static const char *reason_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(gone); i++)
        if (strcmp(gone[i][0], name) == 0)
            return gone[i][1];
    for (size_t i = 0; i < ARRAY_LENGTH(ambient); i++)
        if (strncmp(ambient[i], name, strlen(ambient[i])) == 0)
            return NULL;
    return "adze has no setting of this name";
}

static void take_setting(struct preflight_report *report, struct settings *settings,
                         const char *name, const char *value)
{
    struct error error = {0};
    const char *reason = reason_of(name);
    if (is_setting(name) && settings_set(settings, name, value, &error)) {
        vector_push(&report->settings, arena_format(report->arena, "%s=%s", name, value));
        return;
    }
    if (is_setting(name))
        reason = arena_copy_string(report->arena, error.message);
    if (reason != NULL)
        vector_push(&report->no_equal,
                    arena_format(report->arena, "%s=%s: %s", name, value, reason));
}

static void take_environment(const json_t *container, struct settings *settings,
                             struct preflight_report *report)
{
    size_t index;
    json_t *entry;
    json_array_foreach (json_object_get(container, "env"), index, entry) {
        const char *name = json_text(entry, "name"), *value = json_text(entry, "value");
        if (name == NULL)
            continue;
        if (value != NULL) {
            if (value[0] != '\0')
                take_setting(report, settings, name, value);
        } else if (is_setting(name)) {
            vector_push(
                &report->settings,
                arena_format(report->arena, "%s (from a Secret, ConfigMap or field)", name));
        }
    }
    if (json_array_size(json_object_get(container, "envFrom")) > 0)
        vector_push(&report->no_equal, "envFrom: look into its ConfigMaps and Secrets yourself");
}

// "--cluster-name=x": flags have the names of the settings in lower case.
static void take_arguments(const json_t *container, struct settings *settings,
                           struct preflight_report *report)
{
    size_t index;
    json_t *argument;
    uint32_t count;
    const struct setting *table = settings_table(&count);
    json_array_foreach (json_object_get(container, "args"), index, argument) {
        const char *text = text_or_empty(json_string_value(argument));
        const char *equals = strchr(text, '=');
        text += strspn(text, "-");
        for (uint32_t i = 0; equals != NULL && i < count; i++)
            if (table[i].flag != NULL && strlen(table[i].flag) == (size_t)(equals - text) &&
                strncmp(table[i].flag, text, (size_t)(equals - text)) == 0)
                take_setting(report, settings, table[i].environment, equals + 1);
    }
}

// --- who runs ------------------------------------------------------------------------------------
static bool is_karpenter(const json_t *deployment)
{
    return container_of(deployment, "karpenter") != NULL &&
           container_of(deployment, "adze") == NULL;
}

// Who holds the lease; one that was given up long ago is nobody's.
static struct holder find_holder(const struct facts *facts, int64_t now)
{
    struct holder holder = {0};
    size_t index;
    json_t *lease;
    json_array_foreach (facts->items[FACT_LEASES], index, lease) {
        const json_t *spec = json_object_get(lease, "spec");
        const char *renewed = json_text(spec, "renewTime");
        int64_t at;
        struct error error;
        if (!json_text_is(metadata_of(lease), "name", LEASE_NAME) ||
            text_is_empty(json_text(spec, "holderIdentity")))
            continue;
        if (now != 0 && renewed != NULL && instant_parse(renewed, &at, &error) &&
            ns_subtract(now, at) > MINUTE)
            continue;
        holder.identity = json_text(spec, "holderIdentity");
        holder.namespace = text_or_empty(json_text(metadata_of(lease), "namespace"));
    }
    return holder;
}

// The name of the holder is that of a pod of the Deployment, with more behind it.
static bool holds(const struct holder *holder, const json_t *deployment)
{
    const char *name = text_or_empty(json_text(metadata_of(deployment), "name"));
    const char *namespace = text_or_empty(json_text(metadata_of(deployment), "namespace"));
    size_t length = strlen(name);
    return holder->identity != NULL && length > 0 && strcmp(namespace, holder->namespace) == 0 &&
           strncmp(holder->identity, name, length) == 0 && holder->identity[length] == '-';
}

static void find_running(const struct facts *facts, const struct holder *holder,
                         struct running *running, uint32_t *count)
{
    size_t index;
    json_t *deployment;
    json_array_foreach (facts->items[FACT_DEPLOYMENTS], index, deployment) {
        bool ends = replicas_of(deployment) == 0;
        if (!is_karpenter(deployment) || (ends && !holds(holder, deployment)))
            continue;
        if ((*count)++ > 0)
            continue;
        *running =
            (struct running){deployment, container_of(deployment, "karpenter"),
                             text_or_empty(json_text(metadata_of(deployment), "name")),
                             text_or_empty(json_text(metadata_of(deployment), "namespace")), ends};
    }
}

static void check_others(const struct facts *facts, uint32_t karpenters,
                         struct preflight_report *report)
{
    size_t index;
    json_t *deployment;
    const char *other = NULL;
    json_array_foreach (facts->items[FACT_DEPLOYMENTS], index, deployment)
        if (container_of(deployment, "cluster-autoscaler") != NULL && replicas_of(deployment) > 0)
            other = text_or_empty(json_text(metadata_of(deployment), "name"));
    if (other != NULL)
        report_add(report, "other-autoscaler", VERDICT_WARNING,
                   "keep its groups and the NodePools apart by taints until it is scaled to 0",
                   "Cluster Autoscaler runs (Deployment %s): both would grow for the same pods",
                   other);
    else if (karpenters > 1)
        report_add(report, "other-autoscaler", VERDICT_FAILED, "scale all but one to 0",
                   "%u Deployments run Karpenter", karpenters);
    else
        report_add(report, "other-autoscaler", VERDICT_OK, NULL, "no other autoscaler runs");
}

static void check_lease(const struct facts *facts, const struct running *running,
                        const struct holder *held, struct preflight_report *report)
{
    const char *holder = held->identity, *namespace = held->namespace;
    if (facts->items[FACT_LEASES] == NULL)
        report_add(report, "lease", VERDICT_SKIPPED, NULL, "Leases are %s",
                   facts->is_live ? "not readable" : "not in the input");
    else if (holder == NULL)
        report_add(report, "lease", VERDICT_OK, NULL, "nobody holds " LEASE_NAME);
    else if (running->ends)
        report_add(report, "lease", VERDICT_WARNING, "wait until its pod is gone",
                   "Deployment %s/%s has 0 replicas, and its process %s still holds the lease",
                   running->namespace, running->name, holder);
    else if (running->name != NULL && strcmp(namespace, running->namespace) != 0)
        report_add(report, "lease", VERDICT_FAILED, "install adze in the namespace of the lease",
                   "%s holds the lease in namespace %s, where no Karpenter was found", holder,
                   namespace);
    else
        report_add(report, "lease", VERDICT_WARNING, "install adze in that namespace: it waits",
                   "%s holds the lease in namespace %s: adze waits until it is given up", holder,
                   namespace);
}

// --- the commands --------------------------------------------------------------------------------
static void add_ways(const struct running *running, const struct settings *settings,
                     struct preflight_report *report)
{
    const char *namespace = running->name != NULL ? running->namespace : "kube-system";
    const char *name = running->name;
    struct arena *arena = report->arena;
    const char *cluster = settings->cluster_name[0] != '\0' ? settings->cluster_name : "NAME";
    vector_push(&report->way_in, arena_format(arena,
                                              "helm install adze charts/adze --namespace %s --set "
                                              "settings.clusterName=%s  # waits for the lease",
                                              namespace, cluster));
    if (running->name != NULL)
        vector_push(
            &report->way_in,
            arena_format(arena, "kubectl -n %s scale deployment/%s --replicas=0", namespace, name));
    vector_push(&report->way_in, "kubectl get nodeclaims -o wide  # none may be Drifted");
    if (name == NULL)
        return;
    vector_push(&report->way_back,
                arena_format(arena, "kubectl -n %s scale deployment/adze --replicas=0", namespace));
    vector_push(&report->way_back,
                arena_format(arena, "kubectl -n %s scale deployment/%s --replicas=%d", namespace,
                             name, running->ends ? 1 : (int)replicas_of(running->deployment)));
}

void check_running(const struct facts *facts, struct settings *settings, int64_t now,
                   struct preflight_report *report)
{
    struct running running = {0};
    uint32_t count = 0;
    const struct holder holder = find_holder(facts, now);
    find_running(facts, &holder, &running, &count);
    if (facts->items[FACT_DEPLOYMENTS] == NULL) {
        report_add(report, "settings", VERDICT_SKIPPED, NULL, "Deployments are %s",
                   facts->is_live ? "not readable" : "not in the input");
    } else if (running.name == NULL) {
        report_add(report, "settings", VERDICT_OK, NULL, "no Karpenter runs: nothing to take over");
        check_others(facts, count, report);
    } else {
        take_environment(running.container, settings, report);
        take_arguments(running.container, settings, report);
        report_add(report, "settings", report->no_equal.count > 0 ? VERDICT_WARNING : VERDICT_OK,
                   report->no_equal.count > 0 ? "look at those without an equal, below" : NULL,
                   "Karpenter runs as %s/%s (%s): %u settings carry over, %u have no equal",
                   running.namespace, running.name,
                   text_or_empty(json_text(running.container, "image")), report->settings.count,
                   report->no_equal.count);
        check_others(facts, count, report);
    }
    check_lease(facts, &running, &holder, report);
    add_ways(&running, settings, report);
}
