#include "cli/autoscaler/workload.h"

#include <string.h>

#include "cli/autoscaler/placeholder.h"
#include "cli/convert/tree.h"
#include "model/tables/well_known.h"

#define CA          "cluster-autoscaler.kubernetes.io/"
#define DO_NOT_MOVE "karpenter.sh/do-not-disrupt"

struct workload {
    struct product *product;
    const struct autoscaler *autoscaler;
};

// --- annotations ---------------------------------------------------------------------------------
static void lose(struct workload *workload, json_t *annotations, const char *key,
                 enum note_class class, const char *text)
{
    if (json_object_get(annotations, key) == NULL)
        return;
    note_add(workload->product, class, "M-annotation", "metadata.annotations", "%s: %s", key, text);
    json_object_del(annotations, key);
}

static void convert_annotations(struct workload *workload, json_t *annotations)
{
    static const char *const old[] = {"karpenter.sh/do-not-evict",
                                      "karpenter.sh/do-not-consolidate"};
    json_t *evict = json_object_get(annotations, CA "safe-to-evict");
    const char *text = tree_scalar(evict, workload->product->conversion->arena);
    if (!json_is_object(annotations))
        return;
    if (text_equal(text, "false")) {
        json_object_set_new(annotations, DO_NOT_MOVE, json_string("true"));
        if (workload->product->conversion->options.drop_old)
            json_object_del(annotations, CA "safe-to-evict");
    } else if (text != NULL) {
        lose(workload, annotations, CA "safe-to-evict", NOTE_INFO,
             "no pod keeps a node by its kind, so nothing has to be lifted");
    }
    lose(workload, annotations, CA "safe-to-evict-local-volumes", NOTE_INFO,
         "local volumes keep no node");
    lose(workload, annotations, CA "pod-scale-up-delay", NOTE_LOST, "has no equal");
    lose(workload, annotations, CA "enable-ds-eviction", NOTE_LOST, "has no equal");
    for (size_t i = 0; i < ARRAY_LENGTH(old); i++) {
        json_t *value = tree_take(annotations, old[i]);
        if (value == NULL)
            continue;
        note_add(workload->product, i == 0 ? NOTE_INFO : NOTE_CHANGED, "M-key",
                 "metadata.annotations", "%s is called " DO_NOT_MOVE "%s", old[i],
                 i == 0 ? "" : ", which blocks drift and emptiness as well");
        json_object_set_new(annotations, DO_NOT_MOVE, value);
    }
}

// --- selectors -----------------------------------------------------------------------------------
static bool is_node_group_key(const char *key)
{
    return strcmp(key, "eks.amazonaws.com/nodegroup") == 0 ||
           strcmp(key, "alpha.eksctl.io/nodegroup-name") == 0;
}

static const char *key_for(struct workload *workload, const char *key)
{
    const char *today = is_node_group_key(key) ? "karpenter.sh/nodepool" : label_successor(key);
    if (today == NULL || today[0] == '\0' || label_alias_target(key) != key)
        return key; // kube-scheduler knows the aliases as they are
    note_add(workload->product, is_node_group_key(key) ? NOTE_CHANGED : NOTE_INFO, "M-key", "spec",
             "%s is written %s", key, today);
    return today;
}

static json_t *value_for(struct workload *workload, const char *key, const json_t *value)
{
    const char *group = json_string_value(value);
    const char *pool = is_node_group_key(key) && group != NULL
                           ? autoscaler_pool_of(workload->autoscaler, group)
                           : NULL;
    if (is_node_group_key(key) && pool == NULL && group != NULL)
        note_add(workload->product, NOTE_TODO, "M-node-group", "spec",
                 "node group %s is not in the input: check the NodePool's name", group);
    return pool != NULL ? json_string(pool) : json_deep_copy(value);
}

// Labels of EKS Auto Mode: those of instances have successors, compute-type has none.
static const char *auto_mode_key(struct workload *workload, const char *key)
{
    static const char instance[] = "eks.amazonaws.com/instance-";
    if (!text_starts_with(key, instance))
        return key;
    note_add(workload->product, NOTE_INFO, "M-key", "spec", "%s is a label of EKS Auto Mode", key);
    return product_text(workload->product, "karpenter.k8s.aws/instance-%s",
                        key + sizeof instance - 1);
}

static void convert_selector(struct workload *workload, json_t *spec)
{
    json_t *selector = tree_at(spec, "nodeSelector"), *result = json_object(), *value;
    const char *key;
    json_object_foreach (selector, key, value) {
        if (strcmp(key, "eks.amazonaws.com/compute-type") == 0) {
            note_add(workload->product, NOTE_CHANGED, "M-compute-type", "spec.nodeSelector",
                     "%s is a label of EKS Auto Mode's nodes: left out", key);
            continue;
        }
        json_object_set_new(result, auto_mode_key(workload, key_for(workload, key)),
                            value_for(workload, key, value));
    }
    if (selector != NULL && !json_equal(selector, result))
        json_object_set(spec, "nodeSelector", result);
    json_decref(result);
}

static void convert_expressions(struct workload *workload, json_t *expressions)
{
    size_t index, inner;
    json_t *expression, *value;
    json_array_foreach (expressions, index, expression) {
        const char *key = tree_text_at(expression, "key");
        if (key == NULL)
            continue;
        json_t *values = json_object_get(expression, "values");
        json_array_foreach (values, inner, value)
            json_array_set_new(values, inner, value_for(workload, key, value));
        const char *today = key_for(workload, key);
        if (today != key)
            json_object_set_new(expression, "key", json_string(today));
    }
}

static void convert_affinity(struct workload *workload, json_t *spec)
{
    const json_t *node = tree_at(spec, "affinity.nodeAffinity");
    size_t index;
    json_t *term;
    json_array_foreach (tree_at(node, "requiredDuringSchedulingIgnoredDuringExecution"
                                      ".nodeSelectorTerms"),
                        index, term)
        convert_expressions(workload, json_object_get(term, "matchExpressions"));
    json_array_foreach (tree_at(node, "preferredDuringSchedulingIgnoredDuringExecution"), index,
                        term)
        convert_expressions(workload, tree_at(term, "preference.matchExpressions"));
}

static void convert_spread(struct workload *workload, json_t *spec)
{
    size_t index;
    json_t *constraint;
    json_array_foreach (json_object_get(spec, "topologySpreadConstraints"), index, constraint) {
        const char *key = tree_text_at(constraint, "topologyKey");
        const char *today = key != NULL ? key_for(workload, key) : NULL;
        if (today != key)
            json_object_set_new(constraint, "topologyKey", json_string(today));
    }
}

static void convert_tolerations(struct workload *workload, json_t *spec)
{
    json_t *tolerations = json_object_get(spec, "tolerations"), *kept = json_array(), *item;
    size_t index;
    json_array_foreach (tolerations, index, item) {
        const char *key = tree_text_at(item, "key");
        if (text_equal(key, "ToBeDeletedByClusterAutoscaler") ||
            text_equal(key, "DeletionCandidateOfClusterAutoscaler")) {
            note_add(workload->product, NOTE_INFO, "M-toleration", "spec.tolerations",
                     "%s is a taint of Cluster Autoscaler's", key);
            continue;
        }
        json_t *copy = json_copy(item);
        if (text_equal(key, "karpenter.sh/disruption")) {
            json_object_set_new(copy, "key", json_string("karpenter.sh/disrupted"));
            json_object_del(copy, "value");
            json_object_set_new(copy, "operator", json_string("Exists"));
            note_add(workload->product, NOTE_CHANGED, "M-toleration", "spec.tolerations",
                     "karpenter.sh/disruption is karpenter.sh/disrupted today; with it a pod stays "
                     "while its node is drained");
        }
        json_array_append_new(kept, copy);
    }
    if (tolerations != NULL && !json_equal(kept, tolerations))
        json_object_set(spec, "tolerations", kept);
    json_decref(kept);
}

// --- the workload --------------------------------------------------------------------------------
static const char *template_path(const char *kind)
{
    static const char *const paths[][2] = {{"Pod", ""},
                                           {"Deployment", "spec.template"},
                                           {"StatefulSet", "spec.template"},
                                           {"DaemonSet", "spec.template"},
                                           {"ReplicaSet", "spec.template"},
                                           {"Job", "spec.template"},
                                           {"CronJob", "spec.jobTemplate.spec.template"}};
    for (size_t i = 0; kind != NULL && i < ARRAY_LENGTH(paths); i++)
        if (strcmp(paths[i][0], kind) == 0)
            return paths[i][1];
    return NULL;
}

bool workload_convert(struct source *source, const struct autoscaler *autoscaler)
{
    const char *path = template_path(tree_text_at(source->value, "kind"));
    if (path == NULL || source->is_taken)
        return false;
    struct product *product = product_add_object(source, json_deep_copy(source->value));
    struct workload workload = {product, autoscaler};
    json_t *template = tree_at(product->object, path), *spec = tree_at(template, "spec");
    convert_annotations(&workload, tree_at(template, "metadata.annotations"));
    convert_selector(&workload, spec);
    convert_affinity(&workload, spec);
    convert_spread(&workload, spec);
    convert_tolerations(&workload, spec);
    placeholder_convert(source, product, template);
    product->is_raw = json_equal(product->object, source->value) && !source->is_mended;
    return true;
}
