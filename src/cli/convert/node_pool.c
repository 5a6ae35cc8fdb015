#include "cli/convert/node_pool.h"

#include <assert.h>
#include <string.h>

#include "cli/convert/mend.h"
#include "cli/convert/names.h"
#include "cli/convert/provisioner.h"
#include "cli/convert/tree.h"

#define TEMPLATE     "spec.template"
#define KUBELET_BETA "compatibility.karpenter.sh/v1beta1-kubelet-conversion"
#define EXPIRE_FORCEFUL \
    "an expired node is drained at once: it waits neither for a replacement nor for a budget"

// MIG-50: the group from an apiVersion.
static json_t *reference_today(struct source *source, json_t *reference)
{
    if (reference == NULL)
        return NULL;
    const char *version = tree_text_at(reference, "apiVersion");
    const char *group = tree_text_at(reference, "group"), *kind = tree_text_at(reference, "kind");
    if (version != NULL && strchr(version, '/') == NULL)
        source_fail(source,
                    "nodeClassRef.apiVersion %.100s has no group: karpenter.k8s.aws/v1beta1",
                    version);
    json_t *result = json_object();
    if (group == NULL)
        json_object_set_new(result, "group",
                            version != NULL ? json_stringn(version, strcspn(version, "/"))
                                            : json_string("karpenter.k8s.aws"));
    else
        json_object_set_new(result, "group", json_string(group));
    json_object_set_new(result, "kind", json_string(kind != NULL ? kind : "EC2NodeClass"));
    tree_move(reference, result, "name");
    json_decref(reference);
    return result;
}

static void convert_disruption(struct source *source, struct product *product, json_t *spec,
                               json_t *inner)
{
    json_t *from = tree_take(spec, "disruption");
    if (!json_is_object(from)) {
        json_decref(from);
        from = json_object();
    }
    json_t *to = tree_make(product->object, "spec.disruption");
    json_t *policy = tree_take(from, "consolidationPolicy");
    json_t *after = tree_take(from, "consolidateAfter"), *life = tree_take(from, "expireAfter");
    bool empty_only = text_equal(json_string_value(policy), "WhenEmpty");
    if (!empty_only && after != NULL && !text_equal(json_string_value(after), "Never") &&
        !text_equal(json_string_value(policy), "WhenEmptyOrUnderutilized"))
        source_fail(source, "consolidateAfter goes with WhenEmpty only in v1beta1: write "
                            "consolidationPolicy, or leave consolidateAfter out");
    json_object_set_new(to, "consolidationPolicy",
                        json_string(empty_only ? "WhenEmpty" : "WhenEmptyOrUnderutilized"));
    tree_put(to, "consolidateAfter",
             after != NULL ? after : json_string(empty_only ? "Never" : "0s"));
    json_t *expire = life != NULL ? life : tree_take(inner, "expireAfter");
    if (expire == NULL)
        expire = json_string("720h");
    if (!text_equal(json_string_value(expire), "Never"))
        note_add(product, NOTE_CHANGED, "M-expire-forceful", TEMPLATE ".spec.expireAfter",
                 EXPIRE_FORCEFUL);
    json_object_set_new(inner, "expireAfter", expire);
    tree_move(from, to, "budgets");
    json_decref(policy);
    unknown_fields(source, product, "spec.disruption", from);
    json_decref(from);
}

// The annotation holds the kubelet as JSON; it wins over the field.
static void convert_kubelet(struct source *source, struct product *product, const json_t *object,
                            json_t *inner)
{
    const char *text =
        json_string_value(json_object_get(tree_at(object, "metadata.annotations"), KUBELET_BETA));
    json_t *kubelet = tree_take(inner, "kubelet"), *stored = NULL;
    if (text != NULL) {
        stored = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        if (!json_is_object(stored))
            source_fail(source, "the annotation " KUBELET_BETA " holds no JSON object");
        json_decref(kubelet);
        kubelet = stored;
    }
    product->kubelet = kubelet_today(product, kubelet);
}

static void convert_template(struct source *source, struct product *product, const json_t *object,
                             json_t *spec)
{
    static const char *const same[] = {"terminationGracePeriod"};
    json_t *template = tree_take(spec, "template");
    json_t *inner_from = tree_take(template, "spec"), *outer = tree_take(template, "metadata");
    json_t *inner = tree_make(product->object, TEMPLATE ".spec");
    json_t *to = tree_make(product->object, TEMPLATE ".metadata");
    if (!json_is_object(inner_from)) {
        json_decref(inner_from);
        inner_from = json_object();
    }
    tree_put(to, "labels",
             labels_today(product, TEMPLATE ".metadata.labels", tree_take(outer, "labels")));
    tree_put(to, "annotations",
             annotations_today(product, TEMPLATE ".metadata.annotations",
                               tree_take(outer, "annotations")));
    tree_prune(product->object, TEMPLATE ".metadata");
    tree_put(inner, "nodeClassRef", reference_today(source, tree_take(inner_from, "nodeClassRef")));
    json_t *requirements = requirements_today(product, TEMPLATE ".spec.requirements",
                                              tree_take(inner_from, "requirements"));
    tree_put(inner, "requirements", requirements != NULL ? requirements : json_array());
    tree_put(
        inner, "taints",
        taints_today(source, product, TEMPLATE ".spec.taints", tree_take(inner_from, "taints")));
    tree_put(inner, "startupTaints",
             taints_today(source, product, TEMPLATE ".spec.startupTaints",
                          tree_take(inner_from, "startupTaints")));
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++)
        tree_move(inner_from, inner, same[i]);
    json_decref(tree_take(inner_from, "resources"));
    tree_move(inner_from, inner, "expireAfter"); // people paste it there already
    convert_kubelet(source, product, object, inner_from);
    unknown_fields(source, product, TEMPLATE ".spec", inner_from);
    unknown_fields(source, product, TEMPLATE, template);
    json_decref(inner_from);
    json_decref(outer);
    json_decref(template);
}

static void convert_limits(struct product *product, json_t *spec)
{
    json_t *limits = tree_take(spec, "limits"), *resources = tree_take(limits, "resources");
    if (resources != NULL) { // of the older form
        json_object_update(limits, resources);
        json_decref(resources);
    }
    if (json_object_size(limits) > 0)
        json_object_set(product_spec(product), "limits", limits);
    json_decref(limits);
    json_t *weight = tree_take(spec, "weight");
    if (weight != NULL && !(json_is_integer(weight) && json_integer_value(weight) == 0))
        json_object_set(product_spec(product), "weight", weight);
    json_decref(weight);
}

// Fields at another level are put right first.
static void mend_source(struct product *product, json_t **object, json_t **spec)
{
    json_t *own = product->object;
    json_object_set_new(*object, "spec", *spec);
    product->object = *object;
    mend_levels(product, true);
    product->object = own;
    *spec = tree_take(*object, "spec");
}

void node_pool_convert(struct source *source)
{
    json_t *object = json_deep_copy(source->value), *spec = tree_take(object, "spec");
    if (!json_is_object(spec)) {
        source_fail(source, "spec is missing");
        json_decref(spec);
        json_decref(object);
        return;
    }
    struct product *product = product_add(source, "karpenter.sh/v1", "NodePool", NULL);
    mend_source(product, &object, &spec);
    convert_template(source, product, object, spec);
    convert_disruption(source, product, spec, tree_make(product->object, TEMPLATE ".spec"));
    json_object_set_new(product->object, "metadata",
                        metadata_today(product, tree_take(object, "metadata")));
    convert_limits(product, spec);
    unknown_fields(source, product, "spec", spec);
    json_decref(spec);
    json_decref(object);
}

// MIG-53
void node_claim_convert(struct source *source)
{
    static const char *const same[] = {"resources", "terminationGracePeriod"};
    json_t *object = json_deep_copy(source->value), *spec = tree_take(object, "spec");
    struct product *product = product_add(source, "karpenter.sh/v1", "NodeClaim", NULL);
    json_object_set_new(product->object, "metadata",
                        metadata_today(product, tree_take(object, "metadata")));
    json_t *to = product_spec(product);
    tree_put(to, "nodeClassRef", reference_today(source, tree_take(spec, "nodeClassRef")));
    tree_put(to, "requirements",
             requirements_today(product, "spec.requirements", tree_take(spec, "requirements")));
    tree_put(to, "taints", taints_today(source, product, "spec.taints", tree_take(spec, "taints")));
    tree_put(to, "startupTaints",
             taints_today(source, product, "spec.startupTaints", tree_take(spec, "startupTaints")));
    for (size_t i = 0; i < ARRAY_LENGTH(same); i++)
        tree_move(spec, to, same[i]);
    json_t *kubelet = tree_take(spec, "kubelet");
    if (kubelet != NULL)
        note_add(product, NOTE_LOST, "M-kubelet", "spec.kubelet",
                 "the kubelet's settings are the class's");
    json_decref(kubelet);
    const char *pool = json_string_value(
        json_object_get(tree_at(object, "metadata.labels"), "karpenter.sh/nodepool"));
    pool = pool != NULL ? pool
                        : json_string_value(json_object_get(
                              tree_at(source->value, "metadata.labels"), "karpenter.sh/nodepool"));
    json_object_set_new(to, "expireAfter", json_string("Never"));
    note_add(product, NOTE_TODO, "M-claim-expiry", "spec.expireAfter",
             "take over the expireAfter of NodePool %s", text_or_empty(pool));
    unknown_fields(source, product, "spec", spec);
    json_decref(spec);
    json_decref(object);
}
