#include "cloud/aws/cluster_discovery.h"

#include <assert.h>
#include <openssl/evp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/log.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/cluster_fact_forms.h"

#define RETRY_MIN         SECOND
#define RETRY_MAX         (30 * SECOND)
#define KUBE_DNS_PATH     "/api/v1/namespaces/kube-system/services/kube-dns"
#define VERSION_MIN       26 // minors of Kubernetes 1 (AWN-504)
#define VERSION_MAX       36
#define FACT_LENGTH_MAX   2048
#define CLUSTER_NAME_MAX  100
#define VERSION_TEXT_SIZE 24
#define COMPLAINT_EVERY   (24 * HOUR) // about the same version

struct cluster_discovery {
    struct cluster_discovery_options options;
    struct cluster_facts facts;
    // Texts of the facts, owned.
    char *endpoint, *ca_bundle, *cidr, *kube_dns, *account;
    char version[VERSION_TEXT_SIZE], complained[VERSION_TEXT_SIZE];
    int64_t complained_at; // monotonic
    struct timer *retry;
    int64_t retry_delay;
    uint32_t step;
    struct aws_call *call; // of the present step
    struct {
        void (*done)(void *context);
        void *context;
    } begun;
    struct version_wait { // refreshes under way
        struct version_wait *next;
        struct cluster_discovery *discovery;
        struct aws_call *call;
        cluster_version_done done;
        void *context;
    } * versions;
    struct cidr_wait { // look-ups of the CIDR under way
        struct cidr_wait *next;
        struct cluster_discovery *discovery;
        struct aws_call *call;
        void (*done)(void *context, const struct aws_result *result);
        void *context;
    } * cidrs;
};

// A step starts one call and ends with step_end(), or returns true: nothing is to be asked.
typedef bool (*step_function)(struct cluster_discovery *discovery);
static bool ask_permission(struct cluster_discovery *discovery);
static bool ask_cluster(struct cluster_discovery *discovery);
static bool ask_version(struct cluster_discovery *discovery);
static bool ask_dns(struct cluster_discovery *discovery);
static const struct step {
    const char *doing;
    step_function start;
} steps[] = {
    {"checking the permission to call EC2", ask_permission},
    {"describing the EKS cluster", ask_cluster},
    {"reading the version of the API server", ask_version},
    {"reading Service kube-system/kube-dns", ask_dns},
};

// --- settings ------------------------------------------------------------------------------------

static bool is_set(const char *text)
{
    return text != NULL && *text != '\0';
}

static bool check_settings(const struct settings *settings, struct error *error)
{
    if (!is_set(settings->cluster_name))
        return error_set(error, ERROR_INVALID,
                         "CLUSTER_NAME (--cluster-name) is missing: the AWS "
                         "provider needs the name of the cluster");
    if (strlen(settings->cluster_name) > CLUSTER_NAME_MAX)
        return error_set(error, ERROR_INVALID, "CLUSTER_NAME is longer than %d characters",
                         CLUSTER_NAME_MAX);
    if (is_set(settings->cluster_endpoint) && !fact_is_url(settings->cluster_endpoint))
        return error_set(error, ERROR_INVALID,
                         "CLUSTER_ENDPOINT \"%s\" is not a URL such as https://host",
                         settings->cluster_endpoint);
    if (is_set(settings->service_cidr) && !fact_is_cidr(settings->service_cidr))
        return error_set(error, ERROR_INVALID,
                         "SERVICE_CIDR %.60s is no range of addresses such as 10.100.0.0/16",
                         settings->service_cidr);
    return true;
}

// AWN-506: base64 of the CA data of the API connection.
static char *bundle_of(const char *pem)
{
    size_t length = pem != NULL ? strlen(pem) : 0;
    if (length == 0 || length > (1 << 20))
        return NULL;
    char *out = memory_allocate(4 * ((length + 2) / 3) + 1);
    EVP_EncodeBlock((unsigned char *)out, (const unsigned char *)pem, (int)length);
    return out;
}

static void begin_step(void *context);

struct cluster_discovery *cluster_discovery_create(const struct cluster_discovery_options *options,
                                                   struct error *error)
{
    const struct settings *settings = options->settings;
    assert(options->client != NULL);
    assert(options->kube != NULL);
    if (!check_settings(settings, error))
        return NULL;
    struct cluster_discovery *discovery = memory_allocate(sizeof *discovery);
    discovery->options = *options;
    if (!is_set(settings->cluster_ca_bundle))
        discovery->ca_bundle = bundle_of(options->api_ca);
    discovery->facts = (struct cluster_facts){
        .name = settings->cluster_name,
        .region = aws_client_region(options->client),
        .partition = aws_client_partition(options->client),
        .endpoint = settings->cluster_endpoint,
        .cidr = is_set(settings->service_cidr) ? settings->service_cidr : NULL, // AWN-707
        .ca_bundle = is_set(settings->cluster_ca_bundle) ? settings->cluster_ca_bundle
                     : discovery->ca_bundle != NULL      ? discovery->ca_bundle
                                                         : "",
    };
    discovery->retry = timer_create_on(options->loop, begin_step, discovery);
    discovery->retry_delay = RETRY_MIN;
    return discovery;
}

void cluster_discovery_destroy(struct cluster_discovery *discovery)
{
    if (discovery == NULL)
        return;
    kube_cancel(discovery->options.kube, discovery);
    if (discovery->call != NULL)
        aws_call_cancel(discovery->call);
    for (struct version_wait *wait; (wait = discovery->versions) != NULL;) {
        discovery->versions = wait->next;
        kube_cancel(discovery->options.kube, wait);
        if (wait->call != NULL)
            aws_call_cancel(wait->call);
        free(wait);
    }
    for (struct cidr_wait *wait; (wait = discovery->cidrs) != NULL;) {
        discovery->cidrs = wait->next;
        aws_call_cancel(wait->call);
        free(wait);
    }
    timer_destroy(discovery->retry);
    free(discovery->endpoint);
    free(discovery->ca_bundle);
    free(discovery->cidr);
    free(discovery->kube_dns);
    free(discovery->account);
    free(discovery);
}

struct cluster_facts *cluster_discovery_facts(struct cluster_discovery *discovery)
{
    return &discovery->facts;
}

// --- the steps (AWN-500) -------------------------------------------------------------------------

void cluster_discovery_begin(struct cluster_discovery *discovery, void (*done)(void *context),
                             void *context)
{
    assert(discovery->begun.done == NULL);
    discovery->begun.done = done;
    discovery->begun.context = context;
    timer_start(discovery->retry, 0);
}

static void begin_step(void *context)
{
    struct cluster_discovery *discovery = context;
    while (discovery->step < ARRAY_LENGTH(steps)) {
        if (!steps[discovery->step].start(discovery))
            return;
        discovery->step++;
    }
    discovery->begun.done(discovery->begun.context);
}

static void step_end(struct cluster_discovery *discovery, const struct error *error)
{
    discovery->call = NULL;
    if (error == NULL) {
        discovery->step++;
        discovery->retry_delay = RETRY_MIN;
        timer_start(discovery->retry, 0);
        return;
    }
    log_error("the AWS provider cannot start yet", "s:doing", steps[discovery->step].doing,
              "s:error", error->message, "d:retry-after", discovery->retry_delay);
    timer_start(discovery->retry, discovery->retry_delay);
    discovery->retry_delay = ns_multiply(2, discovery->retry_delay);
    if (discovery->retry_delay > RETRY_MAX)
        discovery->retry_delay = RETRY_MAX;
}

static void permission_answered(void *context, const struct aws_result *result)
{
    struct error error;
    if (result->fault == AWS_FAULT_DRY_RUN_PASSED) {
        step_end(context, NULL);
        return;
    }
    if (result->error.kind != ERROR_NONE)
        error = result->error;
    else
        error_set(&error, ERROR_INTERNAL,
                  "ec2:DescribeInstanceTypes: a dry run was answered as if it were none");
    step_end(context, &error);
}

static bool ask_permission(struct cluster_discovery *discovery)
{
    struct aws_request request = {.action = EC2_DESCRIBE_INSTANCE_TYPES,
                                  .parameters = json_pack("{s:b}", "DryRun", 1),
                                  .done = permission_answered,
                                  .context = discovery};
    discovery->call = aws_client_start(discovery->options.client, &request);
    return false;
}

// Replaces an owned text by the reply's; an absent or oversized one changes nothing.
static void take(char **text, const json_t *value)
{
    const char *taken = json_string_value(value);
    if (taken == NULL || strlen(taken) > FACT_LENGTH_MAX || text_equal(taken, *text))
        return;
    free(*text);
    *text = memory_copy_string(taken);
}

static void take_version(struct cluster_discovery *discovery, const char *major, const char *minor)
{
    size_t digits = minor != NULL ? strspn(minor, "0123456789") : 0; // "31+" on managed clusters
    if (major == NULL || digits == 0 || strlen(major) > 3 || digits > 3)
        return;
    snprintf(discovery->version, sizeof discovery->version, "%s.%.*s", major, (int)digits, minor);
    discovery->facts.version = discovery->version;
}

static void take_cluster(struct cluster_discovery *discovery, const json_t *reply)
{
    const json_t *cluster = json_object_get(reply, "cluster");
    const json_t *network = json_object_get(cluster, "kubernetesNetworkConfig");
    const json_t *cidr = json_object_get(network, "serviceIpv4Cidr");
    const char *arn = json_string_value(json_object_get(cluster, "arn"));
    if (!json_is_string(cidr))
        cidr = json_object_get(network, "serviceIpv6Cidr");
    if (json_is_string(cidr) && fact_is_cidr(json_string_value(cidr)) &&
        text_is_empty(discovery->options.settings->service_cidr)) {
        take(&discovery->cidr, cidr);
        discovery->facts.cidr = discovery->cidr;
    }
    if (!is_set(discovery->options.settings->cluster_endpoint) &&
        fact_is_plain_url(json_string_value(json_object_get(cluster, "endpoint")))) {
        take(&discovery->endpoint, json_object_get(cluster, "endpoint"));
        discovery->facts.endpoint = discovery->endpoint;
    }
    if (discovery->options.settings->eks_control_plane) {
        const char *version = json_string_value(json_object_get(cluster, "version"));
        const char *dot = version != NULL ? strchr(version, '.') : NULL;
        char major[4] = "";
        if (dot != NULL && dot - version < 4) {
            memcpy(major, version, (size_t)(dot - version));
            take_version(discovery, major, dot + 1);
        }
    }
    // arn:aws:eks:REGION:ACCOUNT:cluster/NAME
    for (int colons = 0; arn != NULL && colons < 4; colons++)
        arn = (arn = strchr(arn, ':')) != NULL ? arn + 1 : NULL;
    if (arn != NULL && strspn(arn, "0123456789") == 12 && arn[12] == ':') {
        free(discovery->account);
        discovery->account = memory_copy_string(arn);
        discovery->account[12] = '\0';
        discovery->facts.account = discovery->account;
    }
}

static struct aws_call *describe_cluster(struct cluster_discovery *discovery, aws_done done,
                                         void *context)
{
    struct aws_request request = {
        .action = EKS_DESCRIBE_CLUSTER,
        .parameters = json_pack("{s:s}", "name", discovery->options.settings->cluster_name),
        .done = done,
        .context = context};
    return aws_client_start(discovery->options.client, &request);
}

static void cluster_answered(void *context, const struct aws_result *result)
{
    struct cluster_discovery *discovery = context;
    struct error error = result->error;
    if (error.kind == ERROR_NONE) {
        take_cluster(discovery, result->reply);
        if (!is_set(discovery->facts.endpoint))
            error_set(&error, ERROR_INTERNAL,
                      "eks:DescribeCluster told no endpoint of cluster %s; set CLUSTER_ENDPOINT",
                      discovery->facts.name);
        else if (discovery->options.settings->eks_control_plane && discovery->version[0] == '\0')
            error_set(&error, ERROR_INTERNAL, "eks:DescribeCluster told no version of cluster %s",
                      discovery->facts.name);
    }
    step_end(discovery, error.kind == ERROR_NONE ? NULL : &error);
}

static bool ask_cluster(struct cluster_discovery *discovery)
{
    const struct settings *settings = discovery->options.settings;
    if (is_set(settings->cluster_endpoint) && !settings->eks_control_plane &&
        !settings->enable_zonal_shift)
        return true;
    discovery->call = describe_cluster(discovery, cluster_answered, discovery);
    return false;
}

static bool take_api_version(struct cluster_discovery *discovery, const struct kube_result *result,
                             struct error *error)
{
    if (result->error.kind != ERROR_NONE) {
        *error = result->error;
        return false;
    }
    take_version(discovery, json_string_value(json_object_get(result->body, "major")),
                 json_string_value(json_object_get(result->body, "minor")));
    return discovery->version[0] != '\0' ||
           error_set(error, ERROR_INTERNAL, "/version of the API server tells no version");
}

static void version_answered(void *context, const struct kube_result *result)
{
    struct error error = {0};
    bool taken = take_api_version(context, result, &error);
    step_end(context, taken ? NULL : &error);
}

static bool ask_version(struct cluster_discovery *discovery)
{
    if (discovery->options.settings->eks_control_plane)
        return true;
    kube_get_path(discovery->options.kube, "/version", version_answered, discovery);
    return false;
}

// AWN-505: an absent Service is tolerated.
static void dns_answered(void *context, const struct kube_result *result)
{
    struct cluster_discovery *discovery = context;
    const char *address =
        json_string_value(json_object_get(json_object_get(result->body, "spec"), "clusterIP"));
    bool absent = result->error.kind == ERROR_NOT_FOUND || result->error.kind == ERROR_FORBIDDEN;
    if (result->error.kind != ERROR_NONE && !absent) {
        step_end(discovery, &result->error);
        return;
    }
    if (absent || !fact_is_address(address))
        log_info("Service kube-system/kube-dns has no address: nodes get no cluster DNS unless "
                 "spec.kubelet.clusterDNS names one");
    else {
        take(&discovery->kube_dns,
             json_object_get(json_object_get(result->body, "spec"), "clusterIP"));
        discovery->facts.kube_dns = discovery->kube_dns;
    }
    step_end(discovery, NULL);
}

static bool ask_dns(struct cluster_discovery *discovery)
{
    kube_get_path(discovery->options.kube, KUBE_DNS_PATH, dns_answered, discovery);
    return false;
}

// --- refreshes -----------------------------------------------------------------------------------

// AWN-504: upstream complains once about each version out of range; AWN-722: again while it lasts.
static bool version_is_supported(struct cluster_discovery *discovery, struct error *error)
{
    const char *dot = strchr(discovery->version, '.');
    long major = strtol(discovery->version, NULL, 10);
    long minor = dot != NULL ? strtol(dot + 1, NULL, 10) : 0;
    if (major == 1 && minor >= VERSION_MIN && minor <= VERSION_MAX)
        return true;
    int64_t now = loop_monotonic_ns(discovery->options.loop);
    bool again = !discovery->options.settings->compatibility_upstream &&
                 now >= ns_add(discovery->complained_at, COMPLAINT_EVERY);
    if (text_equal(discovery->complained, discovery->version) && !again)
        return true;
    discovery->complained_at = now;
    memcpy(discovery->complained, discovery->version, sizeof discovery->complained);
    return error_set(error, ERROR_INVALID, "Kubernetes %s is not supported: 1.%d to 1.%d are",
                     discovery->version, VERSION_MIN, VERSION_MAX);
}

static void version_refreshed(struct version_wait *wait, struct error *error)
{
    struct cluster_discovery *discovery = wait->discovery;
    struct version_wait **at = &discovery->versions;
    while (*at != wait)
        at = &(*at)->next;
    *at = wait->next;
    bool good = error->kind == ERROR_NONE && version_is_supported(discovery, error);
    wait->done(wait->context, good ? NULL : error);
    free(wait);
}

static void version_of_cluster(void *context, const struct aws_result *result)
{
    struct version_wait *wait = context;
    struct error error = result->error;
    if (error.kind == ERROR_NONE)
        take_cluster(wait->discovery, result->reply);
    version_refreshed(wait, &error);
}

static void version_of_api(void *context, const struct kube_result *result)
{
    struct version_wait *wait = context;
    struct error error = {0};
    if (take_api_version(wait->discovery, result, &error))
        error = (struct error){0};
    version_refreshed(wait, &error);
}

void cluster_discovery_refresh_version(struct cluster_discovery *discovery,
                                       cluster_version_done done, void *context)
{
    struct version_wait *wait = memory_allocate(sizeof *wait);
    *wait = (struct version_wait){discovery->versions, discovery, NULL, done, context};
    discovery->versions = wait;
    if (discovery->options.settings->eks_control_plane)
        wait->call = describe_cluster(discovery, version_of_cluster, wait);
    else
        kube_get_path(discovery->options.kube, "/version", version_of_api, wait);
}

static void cidr_answered(void *context, const struct aws_result *result)
{
    struct cidr_wait *wait = context;
    struct cluster_discovery *discovery = wait->discovery;
    struct cidr_wait **at = &discovery->cidrs;
    while (*at != wait)
        at = &(*at)->next;
    *at = wait->next;
    if (result->error.kind == ERROR_NONE)
        take_cluster(discovery, result->reply);
    wait->done(wait->context, result);
    free(wait);
}

void cluster_discovery_need_cidr(void *context,
                                 void (*done)(void *context, const struct aws_result *result),
                                 void *done_context)
{
    struct cluster_discovery *discovery = context;
    struct cidr_wait *wait = memory_allocate(sizeof *wait);
    *wait = (struct cidr_wait){discovery->cidrs, discovery, NULL, done, done_context};
    discovery->cidrs = wait;
    wait->call = describe_cluster(discovery, cidr_answered, wait);
}
