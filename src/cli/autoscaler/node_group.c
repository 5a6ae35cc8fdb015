#include "cli/autoscaler/node_group.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "cli/autoscaler/instance_requirements.h"
#include "cli/autoscaler/launch_template.h"
#include "cli/autoscaler/user_data_lift.h"
#include "cli/convert/class_parts.h"
#include "cli/convert/tree.h"

#define CAPACITY_TYPE "karpenter.sh/capacity-type"
#define INSTANCE_TYPE "node.kubernetes.io/instance-type"

// --- images --------------------------------------------------------------------------------------
static const char *family_of(const char *type)
{
    static const char *const families[][2] = {
        {"AL2023", "AL2023"},          {"AL2_", "AL2"},           {"BOTTLEROCKET", "Bottlerocket"},
        {"_2019_", "Windows2019"},     {"_2022_", "Windows2022"}, {"_2025_", "Windows2025"},
        {"AmazonLinux2023", "AL2023"}, {"AmazonLinux2", "AL2"},   {"Bottlerocket", "Bottlerocket"},
        {"Windows", "Windows2022"},    {"Ubuntu", "Ubuntu"},      {"CUSTOM", NULL}};
    for (size_t i = 0; type != NULL && i < ARRAY_LENGTH(families); i++)
        if (strstr(type, families[i][0]) != NULL)
            return families[i][1];
    return NULL;
}

// "1.30.0-20240625" -> "v20240625"; Bottlerocket "1.20.3-5d9ac849" -> "v1.20.3".
static const char *version_of(const struct group *group, const char *family, const char *release)
{
    const char *dash = release != NULL ? strchr(release, '-') : NULL;
    if (dash == NULL || !text_equal(group->class->conversion->options.ami, "pinned"))
        return NULL;
    return strcmp(family, "Bottlerocket") == 0
               ? product_text(group->class, "v%.*s", (int)(dash - release), release)
               : product_text(group->class, "v%s", dash + 1);
}

static void convert_image(struct group *group, const json_t *description)
{
    const char *type = tree_text_at(description, "amiType");
    const char *family = family_of(type);
    if (family == NULL)
        family = "AL2023";
    bool windows = text_starts_with(family, "Windows");
    class_set_family(group->source, group->class, group_class_spec(group), family,
                     version_of(group, family, tree_text_at(description, "releaseVersion")));
    if (type == NULL)
        return;
    group_require_one(group, "kubernetes.io/arch", strstr(type, "ARM") != NULL ? "arm64" : "amd64");
    group_require_one(group, "kubernetes.io/os", windows ? "windows" : "linux");
    if (strstr(type, "FULL") != NULL)
        note_add(group->class, NOTE_CHANGED, "M-windows", "spec.amiSelectorTerms",
                 "the alias names Core images, the group had Full ones");
}

static void convert_disk(struct group *group, const json_t *size, const char *volume_type)
{
    static const char *const devices[][2] = {
        {"windows", "/dev/sda1"}, {"bottlerocket", "/dev/xvdb"}, {"", "/dev/xvda"}};
    if (!json_is_integer(size))
        return;
    const json_t *term =
        json_array_get(json_object_get(group_class_spec(group), "amiSelectorTerms"), 0);
    const char *alias = text_or_empty(tree_text_at(term, "alias")), *device = NULL;
    for (size_t i = 0; device == NULL && i < ARRAY_LENGTH(devices); i++)
        if (text_starts_with(alias, devices[i][0]))
            device = devices[i][1];
    const char *text =
        product_text(group->class, "%" PRId64 "Gi", (int64_t)json_integer_value(size));
    json_object_set_new(group_class_spec(group), "blockDeviceMappings",
                        json_pack("[{s:s, s:{s:b, s:s, s:s}}]", "deviceName", device, "ebs",
                                  "encrypted", 1, "volumeSize", text, "volumeType",
                                  volume_type != NULL ? volume_type : "gp3"));
}

// --- labels, taints, tags ------------------------------------------------------------------------
static void convert_labels(struct group *group, const json_t *description)
{
    const char *key;
    json_t *value;
    struct arena *arena = group->pool->conversion->arena;
    json_object_foreach (json_object_get(description, "labels"), key, value)
        group_label(group, key, text_or_empty(tree_scalar(value, arena)));
    json_object_foreach (json_object_get(description, "tags"), key, value)
        group_tag(group, key, text_or_empty(tree_scalar(value, arena)));
}

static const char *effect_of(const char *effect)
{
    static const char *const effects[][2] = {{"NO_SCHEDULE", "NoSchedule"},
                                             {"NO_EXECUTE", "NoExecute"},
                                             {"PREFER_NO_SCHEDULE", "PreferNoSchedule"}};
    for (size_t i = 0; effect != NULL && i < ARRAY_LENGTH(effects); i++)
        if (strcmp(effects[i][0], effect) == 0)
            return effects[i][1];
    return effect != NULL ? effect : "NoSchedule";
}

static void convert_taints(struct group *group, const json_t *taints, const struct flags *flags)
{
    size_t index;
    json_t *taint, *value;
    const char *key;
    json_array_foreach ((json_t *)taints, index, taint)
        group_taint(group, text_or_empty(tree_text_at(taint, "key")), tree_text_at(taint, "value"),
                    effect_of(tree_text_at(taint, "effect")), flags);
    if (json_is_object(taints)) // eksctl's older form: key: value:Effect
        json_object_foreach ((json_t *)taints, key, value)
            group_taint_text(group, key, text_or_empty(json_string_value(value)), flags);
}

static void require_types(struct group *group, const json_t *types)
{
    if (json_array_size(types) > 0)
        group_require(group, INSTANCE_TYPE, "In", json_copy((json_t *)types));
}

// --- EKS -----------------------------------------------------------------------------------------
static void convert_update(struct group *group, const json_t *update)
{
    const json_t *count = json_object_get(update, "maxUnavailable");
    const json_t *percent = json_object_get(update, "maxUnavailablePercentage");
    const char *nodes = NULL;
    if (json_is_integer(percent))
        nodes = product_text(group->pool, "%" PRId64 "%%", (int64_t)json_integer_value(percent));
    else if (json_is_integer(count))
        nodes = product_text(group->pool, "%" PRId64, (int64_t)json_integer_value(count));
    if (nodes != NULL)
        json_object_set_new(tree_make(group->pool->object, "spec.disruption"), "budgets",
                            json_pack("[{s:s, s:[s]}]", "nodes", nodes, "reasons", "Drifted"));
}

static void convert_purchase(struct group *group, const char *type)
{
    static const char *const types[][2] = {
        {"SPOT", "spot"}, {"CAPACITY_BLOCK", "reserved"}, {"ON_DEMAND", "on-demand"}};
    for (size_t i = 0; i < ARRAY_LENGTH(types); i++)
        if (type == NULL ? i == 2 : strcmp(types[i][0], type) == 0)
            group_require_one(group, CAPACITY_TYPE, types[i][1]);
}

static void convert_subnets(struct group *group, const json_t *subnets)
{
    json_t *ids = texts_sorted(json_copy((json_t *)subnets)), *terms = json_array(), *id;
    size_t index;
    json_array_foreach (ids, index, id)
        json_array_append_new(terms, json_pack("{s:O}", "id", id));
    if (json_array_size(terms) > 0)
        json_object_set(group_class_spec(group), "subnetSelectorTerms", terms);
    json_decref(terms);
    json_decref(ids);
}

void node_group_convert(struct group *group, const json_t *description,
                        const struct launch_facts *facts, const struct flags *flags)
{
    json_t *spec = group_class_spec(group);
    const json_t *template = tree_at(description, "launchTemplate");
    const json_t *data = launch_template_find(facts->templates, template);
    const char *role = tree_text_at(description, "nodeRole");
    if (data != NULL) {
        launch_template_convert(group, data, flags);
        if (json_object_get(data, "ImageId") == NULL) // the group's own image
            json_object_del(spec, "amiFamily");
        if (json_is_string(json_object_get(data, "InstanceType")))
            group_require_one(group, INSTANCE_TYPE, tree_text_at(data, "InstanceType"));
    } else if (template != NULL) {
        note_add(group->class, NOTE_TODO, "M-launch-template", "spec",
                 "the launch template is not in the input; add the output of: aws ec2 "
                 "describe-launch-template-versions --launch-template-name %s",
                 text_or_empty(tree_text_at(template, "name")));
    }
    if (data == NULL || json_object_get(data, "ImageId") == NULL)
        convert_image(group, description);
    convert_disk(group, json_object_get(description, "diskSize"), NULL);
    if (role != NULL) {
        json_object_del(spec, "instanceProfile");
        json_object_set_new(spec, "role", json_string(arn_name(role)));
    }
    convert_labels(group, description);
    convert_taints(group, json_object_get(description, "taints"), flags);
    convert_subnets(group, json_object_get(description, "subnets"));
    group_sizes(group, tree_at(description, "scalingConfig.minSize"),
                tree_at(description, "scalingConfig.maxSize"));
    require_types(group, json_object_get(description, "instanceTypes"));
    convert_purchase(group, tree_text_at(description, "capacityType"));
    convert_update(group, json_object_get(description, "updateConfig"));
    if (tree_at(description, "remoteAccess") != NULL)
        note_add(group->class, NOTE_LOST, "M-remote-access", "spec",
                 "remoteAccess has no equal (use Session Manager or user data)");
    class_require_network(group->class, spec);
    class_require_role(group->class, spec, "the nodes' role");
}

// --- eksctl --------------------------------------------------------------------------------------
static void convert_selector(struct group *group, const json_t *selector)
{
    const json_t *cpus = json_object_get(selector, "vCPUs");
    const char *memory = tree_text_at(selector, "memory"),
               *arch = tree_text_at(selector, "cpuArchitecture");
    if (json_is_integer(cpus))
        group_require_one(group, "karpenter.k8s.aws/instance-cpu",
                          product_text(group->pool, "%" PRId64, (int64_t)json_integer_value(cpus)));
    int64_t gibibytes;
    char number[20];
    snprintf(number, sizeof number, "%.*s", (int)strspn(text_or_empty(memory), "0123456789"),
             text_or_empty(memory));
    if (text_parse_int64(number, &gibibytes) && gibibytes < 1000000)
        group_require_one(group, "karpenter.k8s.aws/instance-memory",
                          product_text(group->pool, "%" PRId64, 1024 * gibibytes));
    if (arch != NULL)
        group_require_one(group, "kubernetes.io/arch",
                          strcmp(arch, "x86_64") == 0 ? "amd64" : "arm64");
}

static void convert_eksctl_purchase(struct group *group, const json_t *description)
{
    const json_t *distribution = json_object_get(description, "instancesDistribution");
    const json_t *above = json_object_get(distribution, "onDemandPercentageAboveBaseCapacity");
    const json_t *base = json_object_get(distribution, "onDemandBaseCapacity");
    require_types(group, json_object_get(distribution, "instanceTypes"));
    if (json_is_true(json_object_get(description, "spot"))) {
        group_require_one(group, CAPACITY_TYPE, "spot");
    } else if (!json_is_integer(above) || json_integer_value(above) == 100) {
        group_require_one(group, CAPACITY_TYPE, "on-demand");
    } else if (json_integer_value(above) == 0 && json_integer_value(base) == 0) {
        group_require_one(group, CAPACITY_TYPE, "spot");
    } else {
        group_require(group, CAPACITY_TYPE, "In", json_pack("[s, s]", "on-demand", "spot"));
        note_add(group->pool, NOTE_LOST, "M-ratio", "spec.template.spec.requirements",
                 "the share of on-demand machines has no equal: two pools with a label of their "
                 "own, and a spread constraint over it, come close");
    }
}

static void lose_eksctl(struct group *group, const json_t *description)
{
    static const char *const lost[][2] = {
        {"ssh", "use Session Manager or user data"},
        {"preBootstrapCommands", "write them as spec.userData"},
        {"overrideBootstrapCommand", "write what it does as spec.userData"},
        {"launchTemplate", "add the output of aws ec2 describe-launch-template-versions"},
        {"targetGroupARNs", "register pods by a controller"},
        {"classicLoadBalancerNames", "register pods by a controller"},
        {"efaEnabled", "pods request vpc.amazonaws.com/efa"}};
    for (size_t i = 0; i < ARRAY_LENGTH(lost); i++)
        if (tree_at(description, lost[i][0]) != NULL)
            note_add(group->class, NOTE_LOST, product_text(group->class, "M-eksctl-%s", lost[i][0]),
                     "spec", "%s: %s", lost[i][0], lost[i][1]);
}

void eksctl_group_convert(struct group *group, const json_t *description, const json_t *cluster,
                          const struct flags *flags)
{
    json_t *spec = group_class_spec(group);
    const char *name = text_or_empty(tree_text_at(cluster, "metadata.name"));
    const char *family = family_of(tree_text_at(description, "amiFamily"));
    const char *ami = tree_text_at(description, "ami");
    const char *role = tree_text_at(description, "iam.instanceRoleARN");
    if (ami != NULL && text_starts_with(ami, "ami-"))
        json_object_set_new(spec, "amiSelectorTerms", json_pack("[{s:s}]", "id", ami));
    class_set_family(group->source, group->class, spec, family != NULL ? family : "AL2023", NULL);
    convert_disk(group, json_object_get(description, "volumeSize"),
                 tree_text_at(description, "volumeType"));
    if (role != NULL)
        json_object_set_new(spec, "role", json_string(arn_name(role)));
    convert_labels(group, description);
    convert_taints(group, json_object_get(description, "taints"), flags);
    json_object_set_new(spec, "subnetSelectorTerms",
                        json_pack("[{s:{s:s}}]", "tags", "alpha.eksctl.io/cluster-name", name));
    json_object_set_new(spec, "securityGroupSelectorTerms",
                        json_pack("[{s:{s:s}}]", "tags",
                                  product_text(group->class, "kubernetes.io/cluster/%s", name),
                                  "owned"));
    const json_t *zones = json_object_get(description, "availabilityZones");
    if (json_array_size(zones) > 0)
        group_require(group, "topology.kubernetes.io/zone", "In", json_copy((json_t *)zones));
    group_sizes(group, json_object_get(description, "minSize"),
                json_object_get(description, "maxSize"));
    require_types(group, json_object_get(description, "instanceTypes"));
    const char *type = tree_text_at(description, "instanceType");
    if (type != NULL && strcmp(type, "mixed") != 0)
        group_require_one(group, INSTANCE_TYPE, type);
    convert_selector(group, json_object_get(description, "instanceSelector"));
    convert_eksctl_purchase(group, description);
    json_t *kubelet = json_object_get(description, "kubeletExtraConfig");
    if (kubelet != NULL)
        json_object_set_new(spec, "kubelet", json_deep_copy(kubelet));
    const json_t *pods = json_object_get(description, "maxPodsPerNode");
    if (json_is_integer(pods))
        json_object_set(tree_make(spec, "kubelet"), "maxPods", (json_t *)pods);
    lose_eksctl(group, description);
    group->cluster_name = name;
    class_require_role(group->class, spec,
                       "eksctl made a role for each group: aws eks describe-nodegroup --query "
                       "nodegroup.nodeRole tells it");
}
