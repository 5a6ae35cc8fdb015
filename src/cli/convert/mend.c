#include "cli/convert/mend.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "cli/convert/mend_types.h"
#include "cli/convert/names.h"
#include "cli/convert/provisioner.h"
#include "cli/convert/together.h"
#include "cli/convert/tree.h"

#define INNER "spec.template.spec"

// --- fields at another level (GUI-4, GUI-10) -----------------------------------------------------
struct level {
    const char *from, *key, *to;
};
static const struct level levels[] = {
    {"spec.disruption", "expireAfter", INNER},
    {"spec", "expireAfter", INNER},
    {"spec.template", "expireAfter", INNER},
    {"spec", "terminationGracePeriod", INNER},
    {"spec.disruption", "terminationGracePeriod", INNER},
    {"spec", "requirements", INNER},
    {"spec.template", "requirements", INNER},
    {"spec", "taints", INNER},
    {"spec.template", "taints", INNER},
    {"spec", "startupTaints", INNER},
    {"spec.template", "startupTaints", INNER},
    {"spec", "nodeClassRef", INNER},
    {"spec.template", "nodeClassRef", INNER},
    {"spec", "kubelet", INNER},
    {"spec.template", "kubelet", INNER},
    {"spec", "labels", "spec.template.metadata"},
    {"spec.template", "labels", "spec.template.metadata"},
    {INNER, "labels", "spec.template.metadata"},
    {"spec", "annotations", "spec.template.metadata"},
    {INNER, "annotations", "spec.template.metadata"},
    {"spec", "consolidationPolicy", "spec.disruption"},
    {"spec", "consolidateAfter", "spec.disruption"},
    {"spec", "budgets", "spec.disruption"},
    {INNER, "limits", "spec"},
    {"spec.template", "limits", "spec"},
    {INNER, "disruption", "spec"},
    {"spec.template", "disruption", "spec"},
    {INNER, "weight", "spec"},
    {"spec.template", "weight", "spec"},
};

void mend_levels(struct product *product, bool is_old)
{
    for (size_t i = is_old; i < ARRAY_LENGTH(levels); i++) {
        const struct level *level = &levels[i];
        json_t *value = tree_take(tree_at(product->object, level->from), level->key);
        if (value == NULL)
            continue;
        json_t *to = tree_make(product->object, level->to);
        const char *path = product_text(product, "%s.%s", level->to, level->key);
        if (json_object_get(to, level->key) != NULL) {
            note_add(product, NOTE_CHANGED, "M-level", path,
                     "is there beside %s.%s, which is left out", level->from, level->key);
            json_decref(value);
            continue;
        }
        json_object_set_new(to, level->key, value);
        note_add(product, NOTE_CHANGED, "M-level", path, "was at %s.%s", level->from, level->key);
    }
    json_t *limits = tree_at(product->object, "spec.limits");
    json_t *resources = tree_take(limits, "resources");
    if (resources != NULL) {
        json_object_update(limits, resources);
        note_add(product, NOTE_CHANGED, "M-level", "spec.limits", "was at spec.limits.resources");
    }
    json_decref(resources);
}

// --- the reference to the class (GUI-1, GUI-2) ---------------------------------------------------
static void complete_reference(struct source *source, json_t *reference, const char *name)
{
    uint32_t count;
    const json_t *class = class_named(source->conversion, name, &count);
    const char *version = tree_text_at(class, "apiVersion"), *kind = tree_text_at(class, "kind");
    if (version == NULL || strchr(version, '/') == NULL) {
        struct text list = {0};
        classes_list(source->conversion, &list);
        source_fail(source,
                    "nodeClassRef %s: %s of that name in the input (there is: %s); write group "
                    "and kind",
                    name, count == 0 ? "there is no class" : "there are several classes",
                    list.length > 0 ? list.data : "none");
        text_free(&list);
        return;
    }
    if (text_equal(kind, "AWSNodeTemplate"))
        kind = "EC2NodeClass";
    if (json_object_get(reference, "group") == NULL)
        json_object_set_new(reference, "group", json_stringn(version, strcspn(version, "/")));
    if (json_object_get(reference, "kind") == NULL)
        json_object_set_new(reference, "kind", json_string(kind));
}

static void mend_reference(struct source *source, struct product *product)
{
    json_t *reference = tree_at(product->object, INNER ".nodeClassRef");
    if (!json_is_object(reference))
        return;
    json_t *version = tree_take(reference, "apiVersion");
    const char *text = json_string_value(version), *group = tree_text_at(reference, "group");
    size_t length = text != NULL ? strcspn(text, "/") : 0;
    if (text != NULL && group != NULL &&
        (strlen(group) != length || strncmp(group, text, length) != 0))
        source_fail(source, "nodeClassRef has group %s and apiVersion %s, which differ", group,
                    text);
    if (text != NULL && group == NULL)
        json_object_set_new(reference, "group", json_stringn(text, length));
    if (text != NULL)
        note_add(product, NOTE_CHANGED, "M-reference", INNER ".nodeClassRef",
                 "apiVersion is group today, without the version");
    group = tree_text_at(reference, "group");
    if (group != NULL && strchr(group, '/') != NULL) {
        json_object_set_new(reference, "group", json_stringn(group, strcspn(group, "/")));
        note_add(product, NOTE_CHANGED, "M-reference", INNER ".nodeClassRef",
                 "the group has no version");
    }
    const char *name = tree_text_at(reference, "name");
    if (name != NULL &&
        (tree_at(reference, "group") == NULL || tree_at(reference, "kind") == NULL)) {
        complete_reference(source, reference, name);
        note_add(product, NOTE_CHANGED, "M-reference", INNER ".nodeClassRef",
                 "group and kind are written out");
    }
    json_decref(version);
}

// --- what removes nodes (GUI-3) ------------------------------------------------------------------
static void set_policy(struct product *product, json_t *disruption, const char *policy,
                       const char *why)
{
    json_object_set_new(disruption, "consolidationPolicy", json_string(policy));
    note_add(product, NOTE_CHANGED, "M-policy", "spec.disruption.consolidationPolicy", "%s", why);
}

// Fields of a Provisioner in a NodePool.
static void mend_old_lifetimes(struct source *source, struct product *product)
{
    json_t *spec = tree_at(product->object, "spec"), *disruption;
    json_t *expired = tree_take(spec, "ttlSecondsUntilExpired");
    json_t *empty = tree_take(spec, "ttlSecondsAfterEmpty");
    json_t *consolidation = tree_take(spec, "consolidation");
    const char *text =
        expired != NULL ? seconds_text(source, "spec.ttlSecondsUntilExpired", expired) : NULL;
    if (text != NULL) {
        json_object_set_new(tree_make(product->object, INNER), "expireAfter", json_string(text));
        note_add(product, NOTE_CHANGED, "M-level", INNER ".expireAfter",
                 "was ttlSecondsUntilExpired");
    }
    text = empty != NULL ? seconds_text(source, "spec.ttlSecondsAfterEmpty", empty) : NULL;
    if (text != NULL) {
        disruption = tree_make(product->object, "spec.disruption");
        set_policy(product, disruption, "WhenEmpty", "was ttlSecondsAfterEmpty");
        json_object_set_new(disruption, "consolidateAfter", json_string(text));
    } else if (json_is_true(json_object_get(consolidation, "enabled"))) {
        disruption = tree_make(product->object, "spec.disruption");
        set_policy(product, disruption, "WhenEmptyOrUnderutilized", "was consolidation.enabled");
    }
    json_decref(expired);
    json_decref(empty);
    json_decref(consolidation);
}

static void mend_disruption(struct source *source, struct product *product)
{
    mend_old_lifetimes(source, product);
    json_t *disruption = tree_at(product->object, "spec.disruption");
    const char *policy = tree_text_at(disruption, "consolidationPolicy");
    if (!json_is_object(disruption))
        return;
    if (policy != NULL && strcasecmp(policy, "WhenUnderutilized") == 0)
        set_policy(product, disruption, "WhenEmptyOrUnderutilized",
                   "WhenUnderutilized is called WhenEmptyOrUnderutilized");
    if (tree_at(disruption, "consolidateAfter") == NULL && json_object_size(disruption) > 0) {
        bool empty_only = text_equal(tree_text_at(disruption, "consolidationPolicy"), "WhenEmpty");
        json_object_set_new(disruption, "consolidateAfter", json_string("0s"));
        note_add(product, NOTE_CHANGED, "M-policy", "spec.disruption.consolidateAfter",
                 "was missing: 0s, which removes %s nodes at once",
                 empty_only ? "empty" : "empty and underutilized");
    }
}

// --- EKS Auto Mode -------------------------------------------------------------------------------
static void mend_auto_mode(struct product *product)
{
    json_t *reference = tree_at(product->object, INNER ".nodeClassRef");
    if (!text_equal(tree_text_at(reference, "group"), "eks.amazonaws.com"))
        return;
    json_object_set_new(reference, "group", json_string("karpenter.k8s.aws"));
    json_object_set_new(reference, "kind", json_string("EC2NodeClass"));
    product->is_auto_mode = true;
    json_t *inner = tree_make(product->object, INNER);
    if (tree_at(inner, "expireAfter") == NULL) {
        json_object_set_new(inner, "expireAfter", json_string("336h"));
        note_add(product, NOTE_INFO, "M-auto-expire", INNER ".expireAfter",
                 "Auto Mode's default of 14 days is written out");
    }
    if (tree_at(inner, "terminationGracePeriod") == NULL)
        note_add(product, NOTE_CHANGED, "M-auto-grace", INNER ".terminationGracePeriod",
                 "Auto Mode ends a node after 24h even if pods are still there; a drain here waits "
                 "without limit unless you write one");
}

// --- the NodePool --------------------------------------------------------------------------------
static void mend_kubelet(struct source *source, struct product *product)
{
    static const char annotation[] = "compatibility.karpenter.sh/v1beta1-kubelet-conversion";
    json_t *annotations = tree_at(product->object, "metadata.annotations");
    const char *text = json_string_value(json_object_get(annotations, annotation));
    json_t *kubelet = tree_take(tree_at(product->object, INNER), "kubelet");
    if (text != NULL) {
        json_decref(kubelet);
        kubelet = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
        if (kubelet == NULL)
            source_fail(source, "the annotation %s holds no JSON", annotation);
        json_object_del(annotations, annotation);
    }
    if (kubelet == NULL)
        return;
    product->kubelet = kubelet_today(product, kubelet);
    note_add(product, NOTE_CHANGED, "M-kubelet", INNER ".kubelet",
             "the kubelet's settings are the class's today: they are at its spec.kubelet");
}

static void mend_provider_reference(struct product *product)
{
    json_t *reference = tree_take(tree_at(product->object, "spec"), "providerRef");
    const char *name = tree_text_at(reference, "name");
    json_t *inner = tree_make(product->object, INNER);
    if (name != NULL && tree_at(inner, "nodeClassRef") == NULL) {
        json_object_set_new(inner, "nodeClassRef",
                            json_pack("{s:s, s:s, s:s}", "group", "karpenter.k8s.aws", "kind",
                                      "EC2NodeClass", "name", name));
        note_add(product, NOTE_CHANGED, "M-reference", INNER ".nodeClassRef", "was providerRef");
    }
    json_decref(reference);
}

void mend_node_pool(struct source *source, struct product *product)
{
    if (!json_is_object(tree_at(product->object, "spec"))) {
        source_fail(source, "spec is missing");
        return;
    }
    mend_levels(product, false);
    mend_provider_reference(product);
    mend_reference(source, product);
    mend_disruption(source, product);
    mend_auto_mode(product);
    mend_kubelet(source, product);
    json_t *inner = tree_make(product->object, INNER);
    tree_put(inner, "requirements",
             requirements_today(product, INNER ".requirements", tree_take(inner, "requirements")));
    tree_put(inner, "taints",
             taints_today(source, product, INNER ".taints", tree_take(inner, "taints")));
    tree_put(
        inner, "startupTaints",
        taints_today(source, product, INNER ".startupTaints", tree_take(inner, "startupTaints")));
    mend_by_type(source, product);
    if (tree_at(source->value, "spec.template.metadata") == NULL)
        tree_prune(product->object, "spec.template.metadata");
}
