#include "cli/convert/node_template.h"

#include <string.h>

#include "cli/convert/class_parts.h"
#include "cli/convert/names.h"
#include "cli/convert/selectors.h"
#include "cli/convert/tree.h"

static void convert_ami(struct source *source, struct product *product, json_t *from, json_t *to)
{
    json_t *family = tree_take(from, "amiFamily"), *selector = tree_take(from, "amiSelector");
    const char *name = json_string_value(family);
    if (name == NULL) {
        name = "AL2";
        note_add(product, NOTE_INFO, "M-ami-family", "spec.amiSelectorTerms",
                 "no amiFamily was given: AL2 was the default");
    }
    if (json_is_string(selector)) { // GUI-21
        source_fail(source, "spec.amiSelector must be a map: {karpenter.sh/discovery: \"%.100s\"}",
                    json_string_value(selector));
        json_decref(selector);
        selector = NULL;
    }
    if (selector != NULL)
        tree_put(to, "amiSelectorTerms", ami_terms(source, product, selector));
    class_set_family(source, product, to, name, NULL);
    json_decref(family);
}

static void convert_network(struct source *source, struct product *product, json_t *from,
                            json_t *to)
{
    json_t *subnets = tree_take(from, "subnetSelector");
    json_t *groups = tree_take(from, "securityGroupSelector");
    tree_put(to, "subnetSelectorTerms", selector_terms(source, "spec.subnetSelector", subnets));
    tree_put(to, "securityGroupSelectorTerms",
             selector_terms(source, "spec.securityGroupSelector", groups));
    class_require_network(product, to);
}

static void convert_metadata_options(struct product *product, json_t *from, json_t *to)
{
    json_t *options = tree_take(from, "metadataOptions");
    if (json_is_object(options)) {
        if (json_object_get(options, "httpTokens") == NULL)
            note_add(product, NOTE_CHANGED, "M-tokens", "spec.metadataOptions.httpTokens",
                     "was not set; EC2 treated that as optional");
        class_set_metadata_options(to, options, 1, "optional");
    } else {
        class_set_metadata_options(to, NULL, 2, "required");
        note_add(product, NOTE_INFO, "M-hop-limit", "spec.metadataOptions.httpPutResponseHopLimit",
                 "the old default of 2 is written out; v1's is 1");
    }
    json_decref(options);
}

static void convert_spec(struct source *source, struct product *product, json_t *from)
{
    json_t *to = product_spec(product);
    json_t *launch_template = tree_take(from, "launchTemplate");
    if (launch_template == NULL)
        launch_template = tree_take(from, "launchTemplateName");
    if (launch_template != NULL)
        source_fail(source,
                    "launchTemplate %s has no equal in v1 (M-launch-template): write what it holds "
                    "into the class; `aws ec2 describe-launch-template-versions` prints it, and "
                    "`adze convert` reads that with the group that uses it",
                    text_or_empty(tree_scalar(launch_template, source->conversion->arena)));
    json_decref(launch_template);
    convert_ami(source, product, from, to);
    convert_network(source, product, from, to);
    convert_metadata_options(product, from, to);
    class_move_parts(source, product, from, to);
    class_require_role(product, to,
                       "the old global default instance profile is not in this file; find its role "
                       "with: aws iam get-instance-profile --instance-profile-name NAME");
    unknown_fields(source, product, "spec", from);
}

void node_template_convert(struct source *source)
{
    json_t *object = json_deep_copy(source->value), *spec = tree_take(object, "spec");
    struct product *product = product_add(source, "karpenter.k8s.aws/v1", "EC2NodeClass", NULL);
    json_object_set_new(product->object, "metadata",
                        metadata_today(product, tree_take(object, "metadata")));
    if (!json_is_object(spec)) {
        json_decref(spec);
        spec = json_object();
    }
    convert_spec(source, product, spec);
    json_decref(spec);
    json_decref(object);
}

void inline_provider_convert(struct source *source, const char *name, json_t *provider)
{
    if (!json_is_object(provider)) {
        source_fail(source, "spec.provider must be an object");
        json_decref(provider);
        return;
    }
    json_object_del(provider, "apiVersion");
    json_object_del(provider, "kind");
    struct product *product = product_add(source, "karpenter.k8s.aws/v1", "EC2NodeClass", name);
    convert_spec(source, product, provider);
    json_decref(provider);
}
