#include "cli/convert/class_parts.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>
#include <strings.h>

#include "base/pattern.h"
#include "base/quantity.h"
#include "cli/convert/document_text.h"
#include "cli/convert/names.h"
#include "cli/convert/selectors.h"
#include "cli/convert/tree.h"

static const char *const alias_families[] = {"AL2",         "AL2023",      "Bottlerocket",
                                             "Windows2019", "Windows2022", "Windows2025"};

static void set_alias(struct product *product, json_t *spec, const char *family,
                      const char *version)
{
    char alias[64];
    const char *ami = product->conversion->options.ami;
    bool pinned = text_equal(ami, "pinned") && version == NULL;
    snprintf(alias, sizeof alias, "%.20s@%.40s", family,
             version != NULL ? version : (pinned ? "ADZE-TODO-VERSION" : "latest"));
    for (char *at = alias; *at != '@'; at++)
        *at = *at >= 'A' && *at <= 'Z' ? (char)(*at + 32) : *at;
    tree_put(spec, "amiSelectorTerms", json_pack("[{s:s}]", "alias", alias));
    if (pinned)
        note_add(product, NOTE_TODO, "M-alias-version", "spec.amiSelectorTerms",
                 "the version of the image that runs today: aws ssm get-parameters-by-path lists "
                 "them");
    else if (version == NULL)
        note_add(product, NOTE_INFO, "M-alias-latest", "spec.amiSelectorTerms",
                 "nodes drift whenever a new image appears: pin a version for production");
}

static void set_ubuntu(struct source *source, struct product *product, json_t *spec, bool has_terms)
{
    if (!has_terms) {
        source_fail(source,
                    "amiFamily Ubuntu without a selector: v1 finds no Ubuntu images by itself; "
                    "write amiSelectorTerms with owner 099720109477 and a name, and amiFamily AL2");
        return;
    }
    json_object_set_new(spec, "amiFamily", json_string("AL2"));
    if (json_object_get(spec, "blockDeviceMappings") == NULL)
        json_object_set_new(spec, "blockDeviceMappings",
                            json_pack("[{s:s, s:b, s:{s:b, s:s, s:s}}]", "deviceName", "/dev/sda1",
                                      "rootVolume", 1, "ebs", "encrypted", 1, "volumeType", "gp3",
                                      "volumeSize", "20Gi"));
    note_add(product, NOTE_CHANGED, "M-ubuntu", "spec.amiFamily",
             "Ubuntu is no family of its own in v1: AL2's bootstrap script, with Ubuntu's root "
             "device written out");
}

void class_set_family(struct source *source, struct product *product, json_t *spec,
                      const char *family, const char *version)
{
    bool has_terms = json_array_size(json_object_get(spec, "amiSelectorTerms")) > 0;
    if (!has_terms)
        json_object_del(spec, "amiSelectorTerms");
    if (strcasecmp(family, "Ubuntu") == 0) {
        set_ubuntu(source, product, spec, has_terms);
        return;
    }
    for (size_t i = 0; i < ARRAY_LENGTH(alias_families); i++)
        if (strcasecmp(alias_families[i], family) == 0) {
            if (has_terms)
                json_object_set_new(spec, "amiFamily", json_string(alias_families[i]));
            else
                set_alias(product, spec, alias_families[i], version);
            return;
        }
    if (strcasecmp(family, "Custom") != 0)
        source_fail(source,
                    "amiFamily %.60s is not known: AL2, AL2023, Bottlerocket, Windows2019, "
                    "Windows2022, Windows2025 or Custom",
                    family);
    else if (!has_terms)
        source_fail(source,
                    "amiFamily Custom needs amiSelectorTerms: ids, names or tags of images");
    json_object_set_new(spec, "amiFamily", json_string("Custom"));
    note_add(product, NOTE_CHANGED, "M-unregistered-taint", "spec.userData",
             "the user data must register the node with the taint "
             "karpenter.sh/unregistered:NoExecute");
}

void class_require_network(struct product *product, json_t *spec)
{
    if (json_array_size(json_object_get(spec, "subnetSelectorTerms")) == 0) {
        tree_put(spec, "subnetSelectorTerms",
                 json_pack("[{s:{s:s}}]", "tags", "ADZE-TODO-SUBNETS", "*"));
        note_add(product, NOTE_TODO, "M-subnets", "spec.subnetSelectorTerms",
                 "no subnets are given; find them with: aws eks describe-cluster --name CLUSTER "
                 "--query cluster.resourcesVpcConfig.subnetIds");
    }
    if (json_array_size(json_object_get(spec, "securityGroupSelectorTerms")) > 0)
        return;
    tree_put(spec, "securityGroupSelectorTerms",
             json_pack("[{s:{s:s}}]", "tags", "ADZE-TODO-SECURITY-GROUPS", "*"));
    note_add(product, NOTE_TODO, "M-security-groups", "spec.securityGroupSelectorTerms",
             "no security groups are given; find the cluster's with: aws eks describe-cluster "
             "--name CLUSTER --query cluster.resourcesVpcConfig.clusterSecurityGroupId");
}

void class_require_role(struct product *product, json_t *spec, const char *text)
{
    const struct convert_options *options = &product->conversion->options;
    const char *profile = tree_text_at(spec, "instanceProfile"), *role = tree_text_at(spec, "role");
    struct text found = {0};
    bool is_open = role != NULL && text_variable(role, &found) != NULL;
    text_free(&found);
    if (role != NULL && !(is_open && options->role != NULL))
        return;
    if (options->role != NULL) {
        if (profile != NULL)
            note_add(product, NOTE_INFO, "M-role", "spec.role",
                     "--role takes the place of instanceProfile %s", profile);
        json_object_del(spec, "instanceProfile");
        json_object_set_new(spec, "role", json_string(options->role));
    } else if (profile == NULL && options->instance_profile != NULL) {
        json_object_set_new(spec, "instanceProfile", json_string(options->instance_profile));
    } else if (profile == NULL) {
        json_object_set_new(spec, "role", json_string("ADZE-TODO-ROLE"));
        note_add(product, NOTE_TODO, "M-role", "spec.role", "%s", text);
    }
}

void class_set_metadata_options(json_t *spec, const json_t *options, int hop_limit,
                                const char *tokens)
{
    json_t *result =
        json_pack("{s:s, s:s, s:i, s:s}", "httpEndpoint", "enabled", "httpProtocolIPv6", "disabled",
                  "httpPutResponseHopLimit", hop_limit, "httpTokens", tokens);
    json_object_update(result, (json_t *)options);
    json_object_set_new(spec, "metadataOptions", result);
}

const char *arn_name(const char *text)
{
    const char *slash = strrchr(text, '/');
    return text_starts_with(text, "arn:") && slash != NULL ? slash + 1 : text;
}

// --- volumes -------------------------------------------------------------------------------------
const char *volume_size_today(struct product *product, const char *path, const char *size)
{
    static const char accepted[] = "^([1-9][0-9]*)(Gi|G|Ti|T)$";
    struct error error;
    int64_t bytes;
    if (pattern_matches(accepted, size))
        return size;
    if (!quantity_parse("storage", size, &bytes, &error) || bytes <= 0)
        return NULL;
    if (bytes % (INT64_C(1) << 30) == 0)
        return product_text(product, "%" PRId64 "Gi", bytes >> 30);
    if (bytes % 1000000000 == 0)
        return product_text(product, "%" PRId64 "G", bytes / 1000000000);
    const char *rounded = product_text(product, "%" PRId64 "Gi", ((bytes - 1) >> 30) + 1);
    note_add(product, NOTE_CHANGED, "M-volume-size", path, "%s bytes are rounded up to %s%s", size,
             rounded,
             bytes < 65536 ? "; a bare number counts bytes: write Gi if that is meant" : "");
    return rounded;
}

static void convert_volumes(struct source *source, struct product *product, json_t *list)
{
    size_t index;
    json_t *mapping;
    json_array_foreach (list, index, mapping) {
        json_t *ebs = tree_at(mapping, "ebs");
        const char *path =
            product_text(product, "spec.blockDeviceMappings[%zu].ebs.volumeSize", index);
        const char *size =
            tree_scalar(json_object_get(ebs, "volumeSize"), product->conversion->arena);
        if (ebs != NULL && size == NULL && !json_is_string(json_object_get(ebs, "snapshotID")))
            source_fail(source, "%s is missing: a volume has a size or a snapshotID", path);
        if (size == NULL)
            continue;
        const char *today = volume_size_today(product, path, size);
        if (today == NULL)
            source_fail(source, "%s: \"%.60s\" is no size", path, size);
        else
            json_object_set_new(ebs, "volumeSize", json_string(today));
    }
}

// --- fields that keep their names ----------------------------------------------------------------
static bool is_reserved_tag(const char *key)
{
    static const char *const keys[] = {"eks:eks-cluster-name",
                                       "karpenter.sh/nodepool",
                                       "karpenter.sh/nodeclaim",
                                       "karpenter.k8s.aws/ec2nodeclass",
                                       "karpenter.sh/provisioner-name",
                                       "karpenter.sh/managed-by",
                                       ""};
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return text_starts_with(key, "kubernetes.io/cluster/");
}

static json_t *convert_tags(struct product *product, json_t *tags)
{
    json_t *result = json_object(), *value;
    const char *key;
    json_object_foreach (tags, key, value) {
        const char *text = tree_scalar(value, product->conversion->arena);
        if (is_reserved_tag(key))
            note_add(product, NOTE_LOST, "M-tag", "spec.tags",
                     "%s is a tag that the controller sets itself", key);
        else
            json_object_set_new(result, key, json_string(text_or_empty(text)));
    }
    json_decref(tags);
    if (json_object_size(result) > 0)
        return result;
    json_decref(result);
    return NULL;
}

static void move_role(struct source *source, struct product *product, json_t *from, json_t *to)
{
    json_t *role = tree_take(from, "role"), *profile = tree_take(from, "instanceProfile");
    if (role != NULL && profile != NULL)
        source_fail(source, "role and instanceProfile exclude each other: leave one out");
    const char *name = json_string_value(role);
    if (name != NULL && strstr(name, "KARPENTER_NODE_ROLE") != NULL) { // upstream's placeholder
        json_decref(role);
        role = NULL;
    } else if (name != NULL && arn_name(name) != name) {
        note_add(product, NOTE_INFO, "M-arn", "spec.role", "the name of the role, not its ARN");
        json_t *short_name = json_string(arn_name(name));
        json_decref(role);
        role = short_name;
    }
    tree_put(to, "role", role);
    tree_put(to, "instanceProfile", profile);
}

void class_move_parts(struct source *source, struct product *product, json_t *from, json_t *to)
{
    static const char *const same[] = {"userData",
                                       "detailedMonitoring",
                                       "context",
                                       "associatePublicIPAddress",
                                       "instanceStorePolicy",
                                       "kubelet",
                                       "capacityReservationSelectorTerms"};
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++)
        tree_move(from, to, same[i]);
    json_t *volumes = list_of(tree_take(from, "blockDeviceMappings"));
    if (volumes != NULL) {
        convert_volumes(source, product, volumes);
        json_object_set_new(to, "blockDeviceMappings", volumes);
    }
    json_t *tags = tree_take(from, "tags");
    if (tags != NULL)
        tree_put(to, "tags", convert_tags(product, tags));
    move_role(source, product, from, to);
    const json_t *term = json_array_get(json_object_get(to, "amiSelectorTerms"), 0);
    const char *family = tree_text_at(to, "amiFamily"), *alias = tree_text_at(term, "alias");
    bool is_al2023 = text_equal(family, "AL2023") || text_starts_with(alias, "al2023@");
    if (tree_text_at(to, "userData") != NULL && is_al2023)
        note_add(product, NOTE_CHANGED, "M-userdata-order", "spec.userData",
                 "the controller's own part comes after yours now");
}
