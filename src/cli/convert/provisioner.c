#include "cli/convert/provisioner.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "cli/convert/names.h"
#include "cli/convert/node_template.h"
#include "cli/convert/tree.h"

#define TEMPLATE "spec.template"

const char *seconds_text(struct source *source, const char *path, const json_t *seconds)
{
    int64_t number = 0;
    const char *text = json_string_value(seconds);
    bool valid = json_is_integer(seconds) || (text != NULL && text_parse_int64(text, &number));
    if (json_is_integer(seconds))
        number = json_integer_value(seconds);
    if (!valid || number < 0 || number > INT64_C(9000000000)) {
        source_fail(source, "%s must be a number of seconds", path);
        return NULL;
    }
    struct text out = {0};
    if (number >= 3600)
        text_format(&out, "%" PRId64 "h", number / 3600);
    if (number / 60 % 60 > 0)
        text_format(&out, "%" PRId64 "m", number / 60 % 60);
    if (number % 60 > 0 || number == 0)
        text_format(&out, "%" PRId64 "s", number % 60);
    const char *copy = arena_copy_string(source->conversion->arena, out.data);
    text_free(&out);
    return copy;
}

json_t *kubelet_today(struct product *product, json_t *kubelet)
{
    if (kubelet == NULL)
        return NULL;
    if (!json_is_object(kubelet)) {
        json_decref(kubelet);
        return NULL;
    }
    json_t *runtime = tree_take(kubelet, "containerRuntime");
    if (runtime != NULL && !text_equal(json_string_value(runtime), "containerd"))
        note_add(product, NOTE_CHANGED, "M-runtime", "spec.kubelet",
                 "containerRuntime is gone: every image runs containerd");
    json_decref(runtime);
    const char *key;
    json_t *value;
    static const char *const maps[] = {"systemReserved", "kubeReserved", NULL};
    for (size_t i = 0; maps[i] != NULL; i++)
        json_object_foreach (json_object_get(kubelet, maps[i]), key, value)
            if (json_is_number(value)) // quantities are texts there
                json_object_set_new(json_object_get(kubelet, maps[i]), key,
                                    json_string(tree_scalar(value, product->conversion->arena)));
    if (json_object_size(kubelet) > 0)
        return kubelet;
    json_decref(kubelet);
    return NULL;
}

static bool has_requirement(const json_t *requirements, const char *key)
{
    size_t index;
    json_t *item;
    json_array_foreach ((json_t *)requirements, index, item)
        if (text_equal(tree_text_at(item, "key"), key))
            return true;
    return false;
}

static void add_default(json_t *requirements, struct text *added, const char *key,
                        const char *operator, json_t * values)
{
    json_array_append_new(requirements, json_pack("{s:s, s:s, s:o}", "key", key,
                                                  "operator", operator, "values", values));
    text_join(added, ", ", key);
}

// MIG-33: the requirements that older versions added by themselves.
static void requirement_defaults_add(struct product *product, json_t *requirements)
{
    static const char *const chosen[] = {
        "node.kubernetes.io/instance-type", "karpenter.k8s.aws/instance-family",
        "karpenter.k8s.aws/instance-category", "karpenter.k8s.aws/instance-generation"};
    struct text added = {0};
    bool any = false;
    for (size_t i = 0; i < ARRAY_LENGTH(chosen); i++)
        any = any || has_requirement(requirements, chosen[i]);
    if (!has_requirement(requirements, "kubernetes.io/os"))
        add_default(requirements, &added, "kubernetes.io/os", "In", json_pack("[s]", "linux"));
    if (!has_requirement(requirements, "kubernetes.io/arch"))
        add_default(requirements, &added, "kubernetes.io/arch", "In", json_pack("[s]", "amd64"));
    if (!has_requirement(requirements, "karpenter.sh/capacity-type"))
        add_default(requirements, &added, "karpenter.sh/capacity-type", "In",
                    json_pack("[s]", "on-demand"));
    if (!any) {
        add_default(requirements, &added, chosen[2], "In", json_pack("[s, s, s]", "c", "m", "r"));
        add_default(requirements, &added, chosen[3], "Gt", json_pack("[s]", "2"));
    }
    if (added.length > 0)
        note_add(product, NOTE_INFO, "M-default", TEMPLATE ".spec.requirements",
                 "older versions added these by themselves: %s", added.data);
    text_free(&added);
}

static void convert_requirements(struct product *product, json_t *spec, json_t *inner)
{
    json_t *list = list_of(tree_take(spec, "requirements")), *item, *kept = json_array();
    size_t index;
    json_array_foreach (list, index, item) {
        if (!text_equal(tree_text_at(item, "key"), "karpenter.sh/provisioner-name"))
            json_array_append(kept, item);
        else
            note_add(product, NOTE_LOST, "M-requirement", TEMPLATE ".spec.requirements",
                     "karpenter.sh/provisioner-name means nothing here"); // MIG-36
    }
    json_decref(list);
    kept = requirements_today(product, TEMPLATE ".spec.requirements", kept);
    if (!product->conversion->options.ignore_defaults)
        requirement_defaults_add(product, kept);
    tree_put(inner, "requirements", kept);
}

// MIG-30: what removes nodes.
static void convert_disruption(struct source *source, struct product *product, json_t *spec,
                               json_t *inner)
{
    json_t *result = tree_make(product->object, "spec.disruption");
    json_t *consolidation = tree_take(spec, "consolidation");
    json_t *empty = tree_take(spec, "ttlSecondsAfterEmpty");
    json_t *expired = tree_take(spec, "ttlSecondsUntilExpired");
    bool consolidates = json_is_true(json_object_get(consolidation, "enabled"));
    const char *policy = consolidates ? "WhenEmptyOrUnderutilized" : "WhenEmpty", *after = "Never";
    if (consolidates && empty != NULL)
        source_fail(source, "consolidation.enabled and ttlSecondsAfterEmpty exclude each other: "
                            "leave one out");
    else if (consolidates)
        after = "0s";
    else if (empty != NULL)
        after = seconds_text(source, "spec.ttlSecondsAfterEmpty", empty);
    else
        note_add(product, NOTE_INFO, "M-no-consolidation", "spec.disruption",
                 "nothing removed empty or idle nodes, and nothing does now: set consolidateAfter "
                 "to change that");
    json_object_set_new(result, "consolidationPolicy", json_string(policy));
    json_object_set_new(result, "consolidateAfter", json_string(text_or_empty(after)));
    json_object_set_new(result, "budgets", json_pack("[{s:s}]", "nodes", "10%"));
    note_add(product, NOTE_INFO, "M-budget", "spec.disruption.budgets",
             "a tenth of the nodes at a time; older versions replaced one drifted or expired node "
             "after the other");
    const char *life =
        expired != NULL ? seconds_text(source, "spec.ttlSecondsUntilExpired", expired) : "Never";
    json_object_set_new(inner, "expireAfter", json_string(text_or_empty(life)));
    if (expired != NULL)
        note_add(product, NOTE_CHANGED, "M-expire-forceful", TEMPLATE ".spec.expireAfter",
                 "an expired node is drained at once: it waits neither for a replacement nor for a "
                 "budget%s",
                 json_integer_value(expired) < 3600 ? "; each node lives for minutes only" : "");
    json_decref(consolidation);
    json_decref(empty);
    json_decref(expired);
}

static json_t *class_reference(const char *group, const char *kind, const char *name)
{
    return json_pack("{s:s, s:s, s:s}", "group", group, "kind", kind, "name", name);
}

static void convert_reference(struct source *source, struct product *product, json_t *spec,
                              json_t *inner)
{
    const json_t *inline_provider = tree_at(spec, "provider");
    json_t *reference = tree_take(spec, "providerRef");
    const char *name = tree_text_at(reference, "name"), *own = product_name(product);
    const char *version = tree_text_at(reference, "apiVersion");
    if (inline_provider != NULL && reference != NULL)
        source_fail(source, "provider and providerRef exclude each other: leave one out");
    if (reference == NULL && inline_provider == NULL)
        note_add(product, NOTE_TODO, "M-no-nodeclass", TEMPLATE ".spec.nodeClassRef",
                 "neither provider nor providerRef was given: write an EC2NodeClass of this name, "
                 "or change the name");
    if (version == NULL || text_starts_with(version, "karpenter.k8s.aws/")) {
        tree_put(inner, "nodeClassRef",
                 class_reference("karpenter.k8s.aws", "EC2NodeClass", name != NULL ? name : own));
    } else {
        const char *group = product_text(product, "%.*s", (int)strcspn(version, "/"), version);
        tree_put(inner, "nodeClassRef",
                 class_reference(group, text_or_empty(tree_text_at(reference, "kind")),
                                 name != NULL ? name : own));
        note_add(product, NOTE_CHANGED, "M-foreign-nodeclass", TEMPLATE ".spec.nodeClassRef",
                 "group and kind of %s are taken over as they are", version);
    }
    json_decref(reference);
}

static void convert_limits(struct product *product, json_t *spec)
{
    json_t *limits = tree_take(spec, "limits"), *resources = tree_take(limits, "resources");
    if (json_object_size(resources) > 0)
        json_object_set(product_spec(product), "limits", resources);
    json_decref(resources);
    json_decref(limits);
    json_t *weight = tree_take(spec, "weight");
    if (json_is_integer(weight) && json_integer_value(weight) != 0)
        json_object_set(product_spec(product), "weight", weight);
    json_decref(weight);
}

// Fields of the Provisioner that examples print inside its provider; v1alpha3's cluster is a
// setting.
static void take_misplaced(struct product *product, json_t *spec)
{
    static const char *const fields[] = {"ttlSecondsUntilExpired",
                                         "ttlSecondsAfterEmpty",
                                         "requirements",
                                         "labels",
                                         "taints",
                                         "limits"};
    json_t *provider = json_object_get(spec, "provider");
    for (size_t i = 0; i < ARRAY_LENGTH(fields); i++) {
        json_t *value = tree_take(provider, fields[i]);
        if (value == NULL)
            continue;
        note_add(product, NOTE_CHANGED, "M-level", product_text(product, "spec.%s", fields[i]),
                 "was at spec.provider.%s", fields[i]);
        if (json_object_get(spec, fields[i]) == NULL)
            json_object_set(spec, fields[i], value);
        json_decref(value);
    }
    json_t *cluster = tree_take(spec, "cluster");
    const char *name = tree_text_at(cluster, "name");
    if (name != NULL)
        conversion_set(product->conversion, "CLUSTER_NAME", name);
    json_decref(cluster);
}

void provisioner_convert(struct source *source)
{
    json_t *object = json_deep_copy(source->value), *spec = tree_take(object, "spec");
    if (!json_is_object(spec)) {
        json_decref(spec);
        spec = json_object();
    }
    struct product *product = product_add(source, "karpenter.sh/v1", "NodePool", NULL);
    json_object_set_new(product->object, "metadata",
                        metadata_today(product, tree_take(object, "metadata")));
    json_t *inner = tree_make(product->object, TEMPLATE ".spec");
    json_t *outer = tree_make(product->object, TEMPLATE ".metadata");
    take_misplaced(product, spec);
    tree_put(outer, "labels",
             labels_today(product, TEMPLATE ".metadata.labels", tree_take(spec, "labels")));
    tree_put(outer, "annotations",
             annotations_today(product, TEMPLATE ".metadata.annotations",
                               tree_take(spec, "annotations")));
    tree_prune(product->object, TEMPLATE ".metadata");
    tree_put(inner, "taints",
             taints_today(source, product, TEMPLATE ".spec.taints", tree_take(spec, "taints")));
    tree_put(inner, "startupTaints",
             taints_today(source, product, TEMPLATE ".spec.startupTaints",
                          tree_take(spec, "startupTaints")));
    convert_requirements(product, spec, inner);
    convert_disruption(source, product, spec, inner);
    convert_reference(source, product, spec, inner);
    convert_limits(product, spec);
    json_t *kubelet = tree_take(spec, "kubeletConfiguration");
    product->kubelet =
        kubelet_today(product, kubelet != NULL ? kubelet : tree_take(spec, "kubelet"));
    json_t *provider = tree_take(spec, "provider");
    if (provider != NULL)
        inline_provider_convert(source, product_name(product), provider);
    unknown_fields(source, product, "spec", spec);
    json_decref(spec);
    json_decref(object);
}
