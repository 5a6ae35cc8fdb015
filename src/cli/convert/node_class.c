#include "cli/convert/node_class.h"

#include <assert.h>
#include <string.h>

#include "cli/convert/class_parts.h"
#include "cli/convert/names.h"
#include "cli/convert/selectors.h"
#include "cli/convert/tree.h"

#define ALIAS_VERSION "compatibility.karpenter.k8s.aws/v1-alias-version"

static struct product *begin(struct source *source, json_t *object, json_t **spec)
{
    struct product *product = product_add(source, "karpenter.k8s.aws/v1", "EC2NodeClass", NULL);
    json_object_set_new(product->object, "metadata",
                        metadata_today(product, tree_take(object, "metadata")));
    *spec = tree_take(object, "spec");
    if (!json_is_object(*spec)) {
        json_decref(*spec);
        *spec = json_object();
    }
    return product;
}

// Without the placeholder that upstream's conversion wrote for Ubuntu.
static void take_ami_terms(struct product *product, json_t *from, json_t *to)
{
    json_t *terms = list_of(tree_take(from, "amiSelectorTerms")), *term, *kept = json_array();
    size_t index;
    json_array_foreach (terms, index, term)
        if (!text_equal(tree_text_at(term, "id"), "ami-placeholder"))
            json_array_append(kept, term);
    json_decref(terms);
    ami_terms_mend(product, kept);
    if (json_array_size(kept) > 0)
        json_object_set(to, "amiSelectorTerms", kept);
    json_decref(kept);
}

static void take_network(struct source *source, struct product *product, json_t *from, json_t *to)
{
    json_t *selector = tree_take(from, "subnetSelector");
    tree_put(to, "subnetSelectorTerms", list_of(tree_take(from, "subnetSelectorTerms")));
    tree_put(to, "securityGroupSelectorTerms",
             list_of(tree_take(from, "securityGroupSelectorTerms")));
    if (selector != NULL) // the alpha form in a class of a later version
        tree_put(to, "subnetSelectorTerms",
                 selector_terms(source, "spec.subnetSelector", selector));
    selector = tree_take(from, "securityGroupSelector");
    if (selector != NULL)
        tree_put(to, "securityGroupSelectorTerms",
                 selector_terms(source, "spec.securityGroupSelector", selector));
    class_require_network(product, to);
}

void node_class_convert(struct source *source)
{
    json_t *object = json_deep_copy(source->value), *spec;
    const char *version = json_string_value(
        json_object_get(tree_at(source->value, "metadata.annotations"), ALIAS_VERSION));
    struct product *product = begin(source, object, &spec);
    json_t *to = product_spec(product), *family = tree_take(spec, "amiFamily");
    take_ami_terms(product, spec, to);
    const json_t *first = json_array_get(json_object_get(to, "amiSelectorTerms"), 0);
    if (json_object_get(first, "alias") == NULL) // v1's form, pasted into v1beta1
        class_set_family(source, product, to,
                         json_is_string(family) ? json_string_value(family) : "Custom", version);
    take_network(source, product, spec, to);
    json_t *options = tree_take(spec, "metadataOptions");
    class_set_metadata_options(to, options, 2, "required");
    json_decref(options);
    class_move_parts(source, product, spec, to);
    class_require_role(product, to, "the class has neither role nor instanceProfile: write one");
    if (json_object_get(to, "associatePublicIPAddress") == NULL)
        note_add(
            product, NOTE_CHANGED, "M-public-ip", "spec.associatePublicIPAddress",
            "v1beta1 set false by itself when all subnets were private; now the subnets decide");
    unknown_fields(source, product, "spec", spec);
    json_decref(family);
    json_decref(spec);
    json_decref(object);
}

// --- EKS Auto Mode -------------------------------------------------------------------------------
static void convert_ephemeral_storage(struct product *product, json_t *storage, json_t *to)
{
    if (!json_is_object(storage)) {
        json_decref(storage);
        return;
    }
    json_t *ebs = json_pack("{s:b, s:s}", "encrypted", 1, "volumeType", "gp3");
    const char *size = tree_text_at(storage, "size");
    const char *path = "spec.blockDeviceMappings[1].ebs.volumeSize";
    size = size != NULL ? volume_size_today(product, path, size) : "80Gi";
    json_object_set_new(ebs, "volumeSize", json_string(size != NULL ? size : "80Gi"));
    tree_move(storage, ebs, "iops");
    tree_move(storage, ebs, "throughput");
    tree_move(storage, ebs, "kmsKeyID");
    json_object_set_new(to, "blockDeviceMappings",
                        json_pack("[{s:s, s:{s:b, s:s, s:s}}, {s:s, s:b, s:o}]", "deviceName",
                                  "/dev/xvda", "ebs", "encrypted", 1, "volumeType", "gp3",
                                  "volumeSize", "4Gi", "deviceName", "/dev/xvdb", "rootVolume", 1,
                                  "ebs", ebs));
    json_decref(storage);
}

// What the managed nodes of Auto Mode have and self-managed ones do not.
static void lose_auto_fields(struct product *product, json_t *spec)
{
    static const char *const lost[][2] = {
        {"snatPolicy", "set AWS_VPC_K8S_CNI_EXTERNALSNAT on the VPC CNI"},
        {"networkPolicy", "enable network policies in the VPC CNI"},
        {"networkPolicyEventLogs", "enable the logs of the VPC CNI's policy agent"},
        {"podSubnetSelectorTerms", "use custom networking (ENIConfig) of the VPC CNI"},
        {"podSecurityGroupSelectorTerms", "use custom networking (ENIConfig) of the VPC CNI"},
        {"advancedNetworking", "set associatePublicIPAddress and the VPC CNI's options"},
        {"advancedSecurity", "use a FIPS image by amiSelectorTerms"},
        {"certificateBundles", "add the certificates by user data"}};
    for (size_t i = 0; i < ARRAY_LENGTH(lost); i++) {
        json_t *value = tree_take(spec, lost[i][0]);
        if (value != NULL)
            note_add(product, NOTE_LOST, "M-auto-mode",
                     product_text(product, "spec.%s", lost[i][0]),
                     "belongs to EKS Auto Mode; instead, %s", lost[i][1]);
        json_decref(value);
    }
}

void auto_mode_class_convert(struct source *source)
{
    json_t *object = json_deep_copy(source->value), *spec;
    struct product *product = begin(source, object, &spec);
    json_t *to = product_spec(product);
    class_set_family(source, product, to, "Bottlerocket", NULL);
    note_add(product, NOTE_CHANGED, "M-auto-mode", "spec.amiSelectorTerms",
             "the images of Auto Mode are managed by EKS; Bottlerocket comes closest");
    take_network(source, product, spec, to);
    convert_ephemeral_storage(product, tree_take(spec, "ephemeralStorage"), to);
    lose_auto_fields(product, spec);
    class_set_metadata_options(to, NULL, 1, "required");
    class_move_parts(source, product, spec, to);
    class_require_role(product, to, "the class has neither role nor instanceProfile: write one");
    note_add(product, NOTE_CHANGED, "M-auto-role", "spec.role",
             "the node role needs what Auto Mode did for it: AmazonEKSWorkerNodePolicy, "
             "AmazonEKS_CNI_Policy, AmazonEC2ContainerRegistryPullOnly and an access entry of type "
             "EC2_LINUX; kube-proxy, the VPC CNI, CoreDNS and the EBS driver become add-ons of "
             "your own");
    unknown_fields(source, product, "spec", spec);
    json_decref(spec);
    json_decref(object);
}
