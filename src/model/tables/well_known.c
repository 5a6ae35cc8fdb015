#include "model/tables/well_known.h"

#include <string.h>

#include "base/vector.h"
#include "model/schema/karpenter.h"

#define AWS(name) "karpenter.k8s.aws/" name

const char *const well_known_core[] = {
    LABEL_CAPACITY_TYPE, LABEL_NODE_POOL, LABEL_ARCH, LABEL_OS, LABEL_INSTANCE_TYPE,
    LABEL_WINDOWS_BUILD, LABEL_REGION,    LABEL_ZONE, NULL,
};

static const char *const well_known_aws[] = {
    AWS("capacity-reservation-id"),
    AWS("capacity-reservation-interruptible"),
    AWS("capacity-reservation-type"),
    AWS("instance-accelerator-count"),
    AWS("instance-accelerator-manufacturer"),
    AWS("instance-accelerator-name"),
    AWS("instance-capability-flex"),
    AWS("instance-category"),
    AWS("instance-cpu"),
    AWS("instance-cpu-manufacturer"),
    AWS("instance-cpu-sustained-clock-speed-mhz"),
    AWS("instance-ebs-bandwidth"),
    AWS("instance-encryption-in-transit-supported"),
    AWS("instance-family"),
    AWS("instance-generation"),
    AWS("instance-gpu-count"),
    AWS("instance-gpu-manufacturer"),
    AWS("instance-gpu-memory"),
    AWS("instance-gpu-name"),
    AWS("instance-hypervisor"),
    AWS("instance-local-nvme"),
    AWS("instance-memory"),
    AWS("instance-network-bandwidth"),
    AWS("instance-size"),
    AWS("instance-tenancy"),
    AWS("nitro-sandbox"),
    AWS("placement-group-id"),
    AWS("placement-group-partition"),
    "topology.k8s.aws/zone-id",
    NULL,
};

static const char *const well_known_kwok[] = {
    "karpenter.kwok.sh/instance-cpu",
    "karpenter.kwok.sh/instance-family",
    "karpenter.kwok.sh/instance-memory",
    "karpenter.kwok.sh/instance-size",
    NULL,
};

const char *const restricted_domains_core[] = {"karpenter.sh", NULL};
static const char *const restricted_domains_aws[] = {"karpenter.k8s.aws", NULL};
static const char *const restricted_domains_kwok[] = {"karpenter.kwok.sh", NULL};

#define OVERLAY_KEYS                                                                            \
    AWS("ec2nodeclass"), AWS("instance-accelerator-count"),                                     \
        AWS("instance-accelerator-manufacturer"), AWS("instance-accelerator-name"),             \
        AWS("instance-capability-flex"), AWS("instance-category"), AWS("instance-cpu"),         \
        AWS("instance-cpu-manufacturer"), AWS("instance-cpu-sustained-clock-speed-mhz"),        \
        AWS("instance-ebs-bandwidth"), AWS("instance-encryption-in-transit-supported"),         \
        AWS("instance-family"), AWS("instance-generation"), AWS("instance-gpu-count"),          \
        AWS("instance-gpu-manufacturer"), AWS("instance-gpu-memory"), AWS("instance-gpu-name"), \
        AWS("instance-hypervisor"), AWS("instance-local-nvme"), AWS("instance-memory"),         \
        AWS("instance-network-bandwidth"), AWS("instance-size")

const char *const aws_admitted_keys[] = {
    AWS("capacity-reservation-id"),
    AWS("capacity-reservation-interruptible"),
    AWS("capacity-reservation-type"),
    OVERLAY_KEYS,
    AWS("instance-tenancy"),
    AWS("nitro-sandbox"),
    AWS("placement-group-id"),
    AWS("placement-group-partition"),
    NULL,
};
const char *const aws_admitted_overlay_keys[] = {OVERLAY_KEYS, AWS("nitro-sandbox"), NULL};

const char *const well_known_resources_core[] = {"cpu", "ephemeral-storage", "memory", "pods",
                                                 NULL};
static const char *const well_known_resources_aws[] = {
    "aws.amazon.com/neuron", "aws.amazon.com/neuroncore", "habana.ai/gaudi",
    "vpc.amazonaws.com/efa", "vpc.amazonaws.com/pod-eni", NULL,
};

static const char *const capacity_types[] = {CAPACITY_TYPE_ON_DEMAND, CAPACITY_TYPE_RESERVED,
                                             CAPACITY_TYPE_SPOT, NULL};
static const char *const tenancies[] = {"dedicated", "default", NULL};
const struct known_values known_values_aws[] = {{AWS("instance-tenancy"), tenancies}, {0}};

const struct provider_labels provider_labels_aws = {
    .group = "karpenter.k8s.aws",
    .well_known = well_known_aws,
    .restricted = restricted_domains_aws,
    .resources = well_known_resources_aws,
    .known_values = known_values_aws,
    .in_core_crds = true,
    .restricts_pods = true,
};
const struct provider_labels provider_labels_kwok = {
    .group = "karpenter.kwok.sh",
    .well_known = well_known_kwok,
    .restricted = restricted_domains_kwok,
};
const struct provider_labels *const provider_labels_all[] = {&provider_labels_aws,
                                                             &provider_labels_kwok, NULL};

static const char *const aliases[][2] = {
    {"beta.kubernetes.io/arch", LABEL_ARCH},
    {"beta.kubernetes.io/instance-type", LABEL_INSTANCE_TYPE},
    {"beta.kubernetes.io/os", LABEL_OS},
    {"failure-domain.beta.kubernetes.io/region", LABEL_REGION},
    {"failure-domain.beta.kubernetes.io/zone", LABEL_ZONE},
    {"topology.ebs.csi.aws.com/zone", LABEL_ZONE}, // AWI-82; the driver's key, so for AWS only
};

// MIG-60, for keys in a manifest's labels, requirements or annotations.
static const char *const successors[][2] = {
    {"karpenter.k8s.aws/instance-pods", ""},
    {"karpenter.k8s.aws/instance.cpu", AWS("instance-cpu")},
    {"karpenter.k8s.aws/instance.family", AWS("instance-family")},
    {"karpenter.k8s.aws/instance.gpu.count", AWS("instance-gpu-count")},
    {"karpenter.k8s.aws/instance.gpu.manufacturer", AWS("instance-gpu-manufacturer")},
    {"karpenter.k8s.aws/instance.gpu.memory", AWS("instance-gpu-memory")},
    {"karpenter.k8s.aws/instance.gpu.name", AWS("instance-gpu-name")},
    {"karpenter.k8s.aws/instance.memory", AWS("instance-memory")},
    {"karpenter.k8s.aws/instance.size", AWS("instance-size")},
    {"karpenter.k8s.aws/nodetemplate-hash", ""},
    {"karpenter.sh/do-not-consolidate", ANNOTATION_DO_NOT_DISRUPT},
    {"karpenter.sh/do-not-evict", ANNOTATION_DO_NOT_DISRUPT},
    {"karpenter.sh/emptiness-timestamp", ""},
    {"karpenter.sh/linked", ""},
    {"karpenter.sh/managed-by", ""},
    {"karpenter.sh/provisioner-hash", ""},
    {"karpenter.sh/provisioner-name", LABEL_NODE_POOL},
    {"node.k8s.aws/capacity-type", LABEL_CAPACITY_TYPE},
};

static bool in_domain(const char *key, const char *const *domains);
static void add_list(struct text *text, const char *const *core, const char *const *extra);

bool text_list_has(const char *const *list, const char *text)
{
    for (; list != NULL && *list != NULL; list++)
        if (strcmp(*list, text) == 0)
            return true;
    return false;
}

// Asked of every label of every pod and node: the first character settles it for most.
const char *label_alias_target(const char *key)
{
    for (size_t i = 0; i < ARRAY_LENGTH(aliases); i++)
        if (aliases[i][0][0] == key[0] && strcmp(aliases[i][0], key) == 0)
            return aliases[i][1];
    return key;
}

const char *label_successor(const char *key)
{
    for (size_t i = 0; i < ARRAY_LENGTH(successors); i++)
        if (strcmp(successors[i][0], key) == 0)
            return successors[i][1];
    const char *target = label_alias_target(key);
    return target == key ? NULL : target;
}

bool label_is_well_known(const char *key, const char *const *well_known_extra)
{
    return text_list_has(well_known_core, key) || text_list_has(well_known_extra, key);
}

bool label_is_restricted(const char *key, const char *const *well_known_extra,
                         const char *const *restricted_extra)
{
    if (label_is_well_known(key, well_known_extra))
        return false;
    return in_domain(key, restricted_domains_core) || in_domain(key, restricted_extra) ||
           strcmp(key, LABEL_HOSTNAME) == 0;
}

// The domain is the text before the first slash: a bare name has none (API-18).
static bool in_domain(const char *key, const char *const *domains)
{
    const char *slash = strchr(key, '/');
    size_t length = slash == NULL ? 0 : (size_t)(slash - key);
    for (; domains != NULL && *domains != NULL; domains++) {
        size_t wanted = strlen(*domains);
        if (length < wanted || strncmp(key + length - wanted, *domains, wanted) != 0)
            continue;
        if (length == wanted || key[length - wanted - 1] == '.')
            return true;
    }
    return false;
}

void label_restricted_text(struct text *text, const char *key, const char *const *well_known_extra,
                           const char *const *restricted_extra)
{
    text_format(text,
                "using label %s is not allowed as it might interfere with the internal "
                "provisioning logic; specify a well known label: [",
                key);
    add_list(text, well_known_core, well_known_extra);
    text_add(text, "], or a custom label that does not use a restricted domain: [");
    add_list(text, restricted_domains_core, restricted_extra);
    text_add_char(text, ']');
}

// Merges the two sorted lists, separated by blanks.
static void add_list(struct text *text, const char *const *core, const char *const *extra)
{
    static const char *const none[] = {NULL};
    extra = extra != NULL ? extra : none;
    const char *separator = "";
    while (*core != NULL || *extra != NULL) {
        bool first = *extra == NULL || (*core != NULL && strcmp(*core, *extra) <= 0);
        text_format(text, "%s%s", separator, first ? *core++ : *extra++);
        separator = " ";
    }
}

const struct provider_labels *provider_labels_of(const char *group, bool core)
{
    const struct provider_labels *in_crds = NULL;
    for (const struct provider_labels *const *at = provider_labels_all; *at != NULL; at++) {
        if ((*at)->in_core_crds && core)
            continue;
        if (text_equal((*at)->group, group))
            return *at;
        if ((*at)->in_core_crds)
            in_crds = *at;
    }
    return in_crds;
}

const char *const *label_known_values(const char *key, const struct provider_labels *labels)
{
    if (strcmp(key, LABEL_CAPACITY_TYPE) == 0)
        return capacity_types;
    const struct known_values *known = labels != NULL ? labels->known_values : NULL;
    for (; known != NULL && known->key != NULL; known++)
        if (strcmp(known->key, key) == 0)
            return known->values;
    return NULL;
}

bool taint_is_ephemeral(const struct taint *taint)
{
    static const char *const known[][2] = {
        {"node.kubernetes.io/not-ready", "NoSchedule"},
        {"node.kubernetes.io/not-ready", "NoExecute"},
        {"node.kubernetes.io/unreachable", "NoSchedule"},
        {"node.cloudprovider.kubernetes.io/uninitialized", "NoSchedule"},
        {TAINT_UNREGISTERED, "NoExecute"},
    };
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (text_equal(taint->key, known[i][0]) && text_equal(taint->effect, known[i][1]))
            return true;
    return taint->key != NULL && text_starts_with(taint->key, "readiness.k8s.io/");
}
