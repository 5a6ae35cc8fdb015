#include "cli/convert/names.h"

#include <assert.h>
#include <string.h>
#include <strings.h>

#include "cli/convert/tree.h"
#include "model/tables/well_known.h"

// The key's name today: `key` itself, its successor, or NULL if there is none.
static const char *key_today(const char *key)
{
    static const char auto_mode[] = "eks.amazonaws.com/instance-";
    static char renamed[128]; // a run has one thread
    const char *successor = label_successor(key);
    if (successor != NULL)
        return successor[0] != '\0' ? successor : NULL;
    if (text_starts_with(key, auto_mode) && strlen(key) < 100) {
        strcpy(renamed, "karpenter.k8s.aws/instance-");
        strcat(renamed, key + strlen(auto_mode));
        return renamed;
    }
    if (strcasecmp(key, "karpenter.sh/capacityType") == 0)
        return "karpenter.sh/capacity-type";
    return key;
}

static const char *const operators[] = {"In", "NotIn", "Exists", "DoesNotExist",
                                        "Gt", "Lt",    "Gte",    "Lte"};

// The operator that was meant ("in", "Out", ">="); NULL if it cannot be told.
static const char *operator_meant(const char *operator)
{
    static const char *const others[][2] = {{"Out", "NotIn"},
                                            {"Equals", "In"},
                                            {"Equal", "In"},
                                            {"=", "In"},
                                            {"==", "In"},
                                            {"!=", "NotIn"},
                                            {"NotExists", "DoesNotExist"},
                                            {"Exist", "Exists"},
                                            {">", "Gt"},
                                            {"<", "Lt"},
                                            {">=", "Gte"},
                                            {"<=", "Lte"},
                                            {"GreaterThan", "Gt"},
                                            {"LessThan", "Lt"},
                                            {"Not In", "NotIn"},
                                            {"NotEquals", "NotIn"}};
    for (size_t i = 0; i < ARRAY_LENGTH(operators); i++)
        if (strcasecmp(operators[i], operator) == 0)
            return operators[i];
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        if (strcasecmp(others[i][0], operator) == 0)
            return others[i][1];
    return NULL;
}

json_t *list_of(json_t *value)
{
    if (value == NULL || json_is_array(value))
        return value;
    json_t *list = json_array();
    json_array_append_new(list, value);
    return list;
}

static json_t *texts_of(struct product *product, json_t *values)
{
    json_t *texts = json_array(), *value;
    size_t index;
    json_array_foreach (values, index, value) {
        const char *text = tree_scalar(value, product->conversion->arena);
        if (text != NULL)
            json_array_append_new(texts, json_string(text));
    }
    json_decref(values);
    return texts;
}

// Values that people write otherwise: OnDemand, x86_64.
static void mend_values(struct product *product, const char *path, const char *key, json_t *values)
{
    static const char *const words[][3] = {
        {"karpenter.sh/capacity-type", "OnDemand", "on-demand"},
        {"karpenter.sh/capacity-type", "on_demand", "on-demand"},
        {"karpenter.sh/capacity-type", "ondemand", "on-demand"},
        {"karpenter.sh/capacity-type", "on demand", "on-demand"},
        {"karpenter.sh/capacity-type", "spot", "spot"},
        {"kubernetes.io/arch", "x86_64", "amd64"},
        {"kubernetes.io/arch", "x86", "amd64"},
        {"kubernetes.io/arch", "aarch64", "arm64"},
        {"kubernetes.io/arch", "arm", "arm64"},
        {"kubernetes.io/os", "Linux", "linux"},
        {"kubernetes.io/os", "Windows", "windows"},
    };
    size_t index;
    json_t *value;
    json_array_foreach (values, index, value)
        for (size_t i = 0; i < ARRAY_LENGTH(words); i++)
            if (strcmp(words[i][0], key) == 0 &&
                strcasecmp(words[i][1], json_string_value(value)) == 0 &&
                strcmp(words[i][2], json_string_value(value)) != 0) {
                note_add(product, NOTE_CHANGED, "M-value", path, "%s is written %s",
                         json_string_value(value), words[i][2]);
                json_array_set_new(values, index, json_string(words[i][2]));
                break;
            }
}

// Changes the requirement in place; false: it is dropped.
static bool requirement_today(struct product *product, const char *path, json_t *item)
{
    const char *key = tree_text_at(item, "key"), *operator= tree_text_at(item, "operator");
    if (key == NULL)
        return true;
    const char *today = key_today(key);
    if (!product->is_old && label_alias_target(key) != key) // v1 takes it as it is
        today = key;
    if (today == NULL || strcmp(today, "eks.amazonaws.com/compute-type") == 0) {
        note_add(product, NOTE_LOST, "M-requirement", path, "%s has no equal", key);
        return false;
    }
    if (strcmp(today, key) != 0) {
        note_add(product, NOTE_INFO, "M-key", path, "%s is called %s today", key, today);
        json_object_set_new(item, "key", json_string(today));
    }
    const char *meant = operator!= NULL ? operator_meant(operator) : "In";
    if (meant != NULL && (operator== NULL || strcmp(meant, operator) != 0)) {
        note_add(product, NOTE_CHANGED, "M-operator", path, "operator %s is written %s",
                 operator != NULL ? operator : "(none)", meant);
        json_object_set_new(item, "operator", json_string(meant));
    }
    json_t *values = tree_take(item, "values");
    if (values != NULL) {
        values = texts_of(product, list_of(values));
        mend_values(product, path, tree_text_at(item, "key"), values);
        if (json_array_size(values) > 0)
            tree_put(item, "values", values);
        else
            json_decref(values);
    }
    return true;
}

json_t *requirements_today(struct product *product, const char *path, json_t *list)
{
    if (list == NULL)
        return NULL;
    json_t *result = json_array(), *item;
    size_t index;
    list = list_of(list);
    json_array_foreach (list, index, item) {
        json_t *copy = json_deep_copy(item);
        const char *place = product_text(product, "%s[%zu]", path, json_array_size(result));
        if (!json_is_object(copy) || requirement_today(product, place, copy))
            json_array_append_new(result, copy);
        else
            json_decref(copy);
    }
    json_decref(list);
    return result;
}

json_t *labels_today(struct product *product, const char *path, json_t *map)
{
    if (map == NULL)
        return NULL;
    json_t *result = json_object(), *value;
    const char *key;
    json_object_foreach (map, key, value) {
        const char *today = key_today(key), *text = tree_scalar(value, product->conversion->arena);
        bool is_own = today != NULL && (strcmp(today, "karpenter.sh/nodepool") == 0 ||
                                        label_is_restricted(today, provider_labels_aws.well_known,
                                                            provider_labels_aws.restricted));
        if (today == NULL || is_own) {
            note_add(product, NOTE_LOST, "M-label", path, "%s may not be set by a NodePool", key);
            continue;
        }
        if (strcmp(today, key) != 0)
            note_add(product, NOTE_INFO, "M-key", path, "%s is called %s today", key, today);
        json_object_set_new(result, today, json_string(text_or_empty(text)));
    }
    json_decref(map);
    return result;
}

static bool is_bookkeeping(const char *key)
{
    static const char *const keys[] = {
        "kubectl.kubernetes.io/last-applied-configuration",
        "karpenter.sh/provisioner-hash",
        "karpenter.sh/nodepool-hash",
        "karpenter.sh/nodepool-hash-version",
        "karpenter.k8s.aws/nodetemplate-hash",
        "karpenter.k8s.aws/ec2nodeclass-hash",
        "karpenter.k8s.aws/ec2nodeclass-hash-version",
        "karpenter.sh/stored-version-migrated",
        "karpenter.sh/emptiness-timestamp",
        "karpenter.sh/linked",
        "karpenter.sh/managed-by",
    };
    for (size_t i = 0; i < ARRAY_LENGTH(keys); i++)
        if (strcmp(keys[i], key) == 0)
            return true;
    return text_starts_with(key, "compatibility.");
}

json_t *annotations_today(struct product *product, const char *path, json_t *map)
{
    if (map == NULL)
        return NULL;
    json_t *result = json_object(), *value;
    const char *key;
    json_object_foreach (map, key, value) {
        const char *today = is_bookkeeping(key) ? NULL : key_today(key);
        const char *text = tree_scalar(value, product->conversion->arena);
        if (today == NULL)
            continue;
        if (strcmp(key, "karpenter.sh/do-not-consolidate") == 0)
            note_add(product, NOTE_CHANGED, "M-do-not-consolidate", path,
                     "%s becomes %s, which blocks drift and emptiness as well", key, today);
        else if (strcmp(today, key) != 0)
            note_add(product, NOTE_INFO, "M-key", path, "%s is called %s today", key, today);
        json_object_set_new(result, today, json_string(text_or_empty(text)));
    }
    json_decref(map);
    if (json_object_size(result) > 0)
        return result;
    json_decref(result);
    return NULL;
}

json_t *taints_today(struct source *source, struct product *product, const char *path, json_t *list)
{
    if (list == NULL)
        return NULL;
    json_t *result = json_array(), *item;
    size_t index;
    list = list_of(list);
    json_array_foreach (list, index, item) {
        const char *key = tree_text_at(item, "key"), *effect = tree_text_at(item, "effect");
        if (key != NULL && strcmp(key, "karpenter.sh/not-ready") == 0)
            continue;
        json_t *copy = json_deep_copy(item);
        const char *value = tree_scalar(json_object_get(copy, "value"), product->conversion->arena);
        if (json_is_object(copy)) {
            if (text_is_empty(value))
                json_object_del(copy, "value");
            else
                json_object_set_new(copy, "value", json_string(value));
            if (json_object_del(copy, "operator") == 0)
                note_add(product, NOTE_INFO, "M-taint-operator", path,
                         "a taint has no operator: tolerations have");
        }
        json_array_append_new(result, copy);
        if (text_is_empty(effect)) {
            source_fail(source,
                        "%s[%zu].effect is missing: NoSchedule, NoExecute or "
                        "PreferNoSchedule",
                        path, index);
            break;
        }
    }
    json_decref(list);
    if (json_array_size(result) > 0)
        return result;
    json_decref(result);
    return NULL;
}

json_t *metadata_today(struct product *product, json_t *metadata)
{
    json_t *result = json_object();
    if (json_is_object(metadata)) {
        tree_move(metadata, result, "name");
        tree_move(metadata, result, "labels");
        tree_put(
            result, "annotations",
            annotations_today(product, "metadata.annotations", tree_take(metadata, "annotations")));
        if (json_object_size(json_object_get(result, "labels")) == 0)
            json_object_del(result, "labels");
    }
    json_decref(metadata);
    return result;
}

bool unknown_fields(struct source *source, struct product *product, const char *path,
                    const json_t *rest)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)rest, key, value) {
        const char *place = path[0] != '\0' ? product_text(product, "%s.%s", path, key)
                                            : product_text(product, "%s", key);
        if (product->conversion->options.strict)
            return source_fail(source, "%s is not known here", place);
        note_add(product, NOTE_LOST, "M-unknown-field", place,
                 "the field is not known there and is left out");
    }
    return true;
}
