#include "cli/autoscaler/launch_template.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "cli/autoscaler/instance_requirements.h"
#include "cli/autoscaler/user_data_lift.h"
#include "cli/convert/base64.h"
#include "cli/convert/class_parts.h"
#include "cli/convert/tree.h"

// --- finding -------------------------------------------------------------------------------------
static bool is_of_template(const json_t *version, const json_t *specification)
{
    const char *id = tree_text_at(specification, "LaunchTemplateId");
    const char *name = tree_text_at(specification, "LaunchTemplateName");
    if (id == NULL)
        id = tree_text_at(specification, "id"); // as EKS writes it
    if (name == NULL)
        name = tree_text_at(specification, "name");
    return (id != NULL && text_equal(id, tree_text_at(version, "LaunchTemplateId"))) ||
           (id == NULL && name != NULL &&
            text_equal(name, tree_text_at(version, "LaunchTemplateName")));
}

const json_t *launch_template_find(const json_t *versions, const json_t *specification)
{
    const char *wanted = tree_text_at(specification, "Version");
    const json_t *best = NULL;
    json_t *version;
    size_t index;
    int64_t number;
    if (wanted == NULL)
        wanted = tree_text_at(specification, "version");
    json_array_foreach ((json_t *)versions, index, version) {
        int64_t own = json_integer_value(json_object_get(version, "VersionNumber"));
        if (!is_of_template(version, specification))
            continue;
        bool is_default = json_is_true(json_object_get(version, "DefaultVersion"));
        bool fits =
            wanted == NULL || strcmp(wanted, "$Default") == 0 ? is_default
            : strcmp(wanted, "$Latest") == 0
                ? best == NULL || own > json_integer_value(json_object_get(best, "VersionNumber"))
                : text_parse_int64(wanted, &number) && number == own;
        if (fits)
            best = version;
    }
    return tree_at(best, "LaunchTemplateData");
}

void launch_template_missing(struct group *group, const json_t *specification)
{
    const char *id = tree_text_at(specification, "LaunchTemplateId");
    const char *name = tree_text_at(specification, "LaunchTemplateName");
    json_t *spec = group_class_spec(group);
    class_set_family(group->source, group->class, spec, "AL2023", NULL);
    note_add(group->class, NOTE_TODO, "M-launch-template", "spec",
             "the launch template is not in the input; add the output of: aws ec2 "
             "describe-launch-template-versions --%s %s",
             id != NULL ? "launch-template-id" : "launch-template-name",
             id != NULL ? id : text_or_empty(name));
}

// --- network -------------------------------------------------------------------------------------
static void add_ids(json_t *terms, const json_t *ids, const char *field)
{
    json_t *sorted = texts_sorted(json_copy((json_t *)ids)), *id;
    size_t index;
    json_array_foreach (sorted, index, id)
        json_array_append_new(terms, json_pack("{s:O}", field, id));
    json_decref(sorted);
}

static void convert_network(struct group *group, const json_t *data, json_t *spec)
{
    json_t *terms = json_array();
    const json_t *interfaces = json_object_get(data, "NetworkInterfaces");
    const json_t *first = json_array_get(interfaces, 0);
    if (json_array_size(json_object_get(data, "SecurityGroupIds")) > 0)
        add_ids(terms, json_object_get(data, "SecurityGroupIds"), "id");
    if (json_array_size(json_object_get(first, "Groups")) > 0)
        add_ids(terms, json_object_get(first, "Groups"), "id");
    const json_t *names = json_object_get(data, "SecurityGroups");
    size_t index;
    json_t *name;
    json_array_foreach ((json_t *)names, index, name) // ids in launch configurations
        json_array_append_new(
            terms,
            json_pack("{s:O}", text_starts_with(json_string_value(name), "sg-") ? "id" : "name",
                      name));
    if (json_array_size(terms) > 0)
        json_object_set(spec, "securityGroupSelectorTerms", terms);
    json_decref(terms);
    const json_t *public = json_object_get(first, "AssociatePublicIpAddress");
    if (public == NULL)
    public = json_object_get(data, "AssociatePublicIpAddress");
    if (json_is_boolean(public))
        json_object_set_new(spec, "associatePublicIPAddress", json_boolean(json_is_true(public)));
    if (json_array_size(interfaces) > 1)
        note_add(group->class, NOTE_LOST, "M-interfaces", "spec",
                 "%zu network interfaces: types with EFA get theirs by themselves",
                 json_array_size(interfaces));
}

// --- disks ---------------------------------------------------------------------------------------
static void convert_volume(struct group *group, const json_t *mapping, json_t *list)
{
    static const char *const same[][2] = {{"VolumeType", "volumeType"},
                                          {"Iops", "iops"},
                                          {"Throughput", "throughput"},
                                          {"Encrypted", "encrypted"},
                                          {"KmsKeyId", "kmsKeyID"},
                                          {"SnapshotId", "snapshotID"},
                                          {"DeleteOnTermination", "deleteOnTermination"},
                                          {"VolumeInitializationRate", "volumeInitializationRate"}};
    const json_t *from = json_object_get(mapping, "Ebs");
    if (json_object_get(mapping, "NoDevice") != NULL ||
        json_object_get(mapping, "VirtualName") != NULL)
        note_add(group->class, NOTE_LOST, "M-device", "spec.blockDeviceMappings",
                 "NoDevice and VirtualName have no equal");
    if (!json_is_object(from))
        return;
    json_t *ebs = json_object();
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++) {
        json_t *value = json_object_get(from, same[i][0]);
        if (value != NULL && !json_is_null(value))
            json_object_set(ebs, same[i][1], value);
    }
    const json_t *size = json_object_get(from, "VolumeSize");
    if (json_is_integer(size))
        json_object_set_new(ebs, "volumeSize",
                            json_string(product_text(group->class, "%" PRId64 "Gi",
                                                     (int64_t)json_integer_value(size))));
    json_array_append_new(list, json_pack("{s:s, s:o}", "deviceName",
                                          text_or_empty(tree_text_at(mapping, "DeviceName")), "ebs",
                                          ebs));
}

static void convert_volumes(struct group *group, const json_t *data, json_t *spec)
{
    json_t *list = json_array(), *mapping;
    size_t index;
    json_array_foreach (json_object_get(data, "BlockDeviceMappings"), index, mapping)
        convert_volume(group, mapping, list);
    if (json_array_size(list) > 0)
        json_object_set(spec, "blockDeviceMappings", list);
    json_decref(list);
}

// --- metadata, image, user data ------------------------------------------------------------------
static void convert_metadata_options(struct group *group, const json_t *data, json_t *spec)
{
    static const char *const names[][2] = {{"HttpEndpoint", "httpEndpoint"},
                                           {"HttpTokens", "httpTokens"},
                                           {"HttpPutResponseHopLimit", "httpPutResponseHopLimit"},
                                           {"HttpProtocolIpv6", "httpProtocolIPv6"}};
    const json_t *from = json_object_get(data, "MetadataOptions");
    json_t *options = json_object();
    for (size_t i = 0; i < ARRAY_LENGTH(names); i++)
        if (json_object_get(from, names[i][0]) != NULL)
            json_object_set(options, names[i][1], json_object_get(from, names[i][0]));
    if (text_equal(tree_text_at(from, "InstanceMetadataTags"), "enabled"))
        note_add(group->class, NOTE_LOST, "M-metadata-tags", "spec.metadataOptions",
                 "InstanceMetadataTags has no equal");
    class_set_metadata_options(spec, options, 1, "optional");
    json_decref(options);
}

static void convert_image(struct group *group, const json_t *data, json_t *spec,
                          const struct flags *flags)
{
    const char *image = tree_text_at(data, "ImageId"), *family = NULL;
    const char *encoded = tree_text_at(data, "UserData");
    struct text text = {0};
    if (encoded != NULL && base64_decode(encoded, &text))
        user_data_lift(group, text.data, flags, &family);
    else if (!text_is_empty(encoded))
        user_data_lift(group, encoded, flags, &family);
    text_free(&text);
    if (image != NULL && text_starts_with(image, "resolve:ssm:"))
        json_object_set_new(spec, "amiSelectorTerms",
                            json_pack("[{s:s}]", "ssmParameter", image + strlen("resolve:ssm:")));
    else if (image != NULL)
        json_object_set_new(spec, "amiSelectorTerms", json_pack("[{s:s}]", "id", image));
    if (family == NULL)
        family = image != NULL ? "Custom" : "AL2023";
    if (image == NULL && strcmp(family, "Custom") == 0)
        family = "AL2023"; // a managed group's own image, with user data of the account's
    class_set_family(group->source, group->class, spec, family, NULL);
    if (strcmp(family, "Windows2022") == 0)
        note_add(group->class, NOTE_TODO, "M-windows", "spec.amiFamily",
                 "check the version of Windows");
}

// --- what has no equal ---------------------------------------------------------------------------
static void lose_fields(struct group *group, const json_t *data)
{
    static const char *const lost[][2] = {
        {"KeyName", "use Session Manager or user data"},
        {"CreditSpecification", "burstable types have their default mode"},
        {"HibernationOptions", ""},
        {"LicenseSpecifications", ""},
        {"PrivateDnsNameOptions", ""},
        {"MaintenanceOptions", ""},
        {"KernelId", ""},
        {"RamDiskId", ""},
        {"DisableApiTermination", "annotate nodes with karpenter.sh/do-not-disrupt"},
        {"DisableApiStop", ""},
        {"InstanceInitiatedShutdownBehavior", ""},
        {"ElasticGpuSpecifications", ""},
        {"ElasticInferenceAccelerators", ""}};
    for (size_t i = 0; i < ARRAY_LENGTH(lost); i++) {
        const json_t *value = json_object_get(data, lost[i][0]);
        const char *text = json_string_value(value);
        if (value == NULL || json_is_false(value) || (text != NULL && text[0] == '\0'))
            continue;
        const char *code = product_text(group->class, "M-%s", lost[i][0]);
        note_add(group->class, NOTE_LOST, code, "spec", "%s%s%s has no equal%s%s%s", lost[i][0],
                 text != NULL ? " " : "", text_or_empty(text), lost[i][1][0] != '\0' ? " (" : "",
                 lost[i][1], lost[i][1][0] != '\0' ? ")" : "");
    }
    if (tree_at(data, "EnclaveOptions.Enabled") != NULL &&
        json_is_true(tree_at(data, "EnclaveOptions.Enabled")))
        note_add(group->class, NOTE_INFO, "M-enclaves", "spec",
                 "pods request eks.amazonaws.com/nitro-sandbox");
}

static void convert_placement(struct group *group, const json_t *data, json_t *spec)
{
    const char *tenancy = tree_text_at(data, "Placement.Tenancy");
    const char *name = tree_text_at(data, "Placement.GroupName");
    if (text_equal(tenancy, "dedicated"))
        group_require_one(group, "karpenter.k8s.aws/instance-tenancy", "dedicated");
    else if (text_equal(tenancy, "host"))
        note_add(group->pool, NOTE_LOST, "M-tenancy", "spec", "dedicated hosts have no equal");
    if (!text_is_empty(name))
        json_object_set_new(spec, "placementGroupSelector", json_pack("{s:s}", "name", name));
    if (tree_at(data, "CpuOptions.CoreCount") != NULL)
        note_add(group->class, NOTE_LOST, "M-cpu-options", "spec",
                 "CoreCount and ThreadsPerCore have no equal");
}

static void convert_tags(struct group *group, const json_t *data)
{
    size_t index, inner;
    json_t *specification, *tag;
    json_array_foreach (json_object_get(data, "TagSpecifications"), index, specification) {
        const char *type = tree_text_at(specification, "ResourceType");
        if (!text_equal(type, "instance") && !text_equal(type, "volume"))
            continue;
        json_array_foreach (json_object_get(specification, "Tags"), inner, tag)
            group_tag(group, text_or_empty(tree_text_at(tag, "Key")),
                      text_or_empty(tree_text_at(tag, "Value")));
    }
}

void launch_template_convert(struct group *group, const json_t *data, const struct flags *flags)
{
    assert(data != NULL);
    json_t *spec = group_class_spec(group);
    const json_t *profile = json_object_get(data, "IamInstanceProfile");
    const char *arn = tree_text_at(profile, "Arn"), *name = tree_text_at(profile, "Name");
    if (json_is_string(profile)) // launch configurations
        name = json_string_value(profile);
    if (arn != NULL || name != NULL)
        json_object_set_new(spec, "instanceProfile",
                            json_string(arn_name(arn != NULL ? arn : name)));
    convert_image(group, data, spec, flags);
    convert_network(group, data, spec);
    convert_volumes(group, data, spec);
    convert_metadata_options(group, data, spec);
    convert_placement(group, data, spec);
    convert_tags(group, data);
    if (json_is_true(tree_at(data, "Monitoring.Enabled")) ||
        json_is_true(tree_at(data, "InstanceMonitoring.Enabled")))
        json_object_set_new(spec, "detailedMonitoring", json_true());
    lose_fields(group, data);
}
