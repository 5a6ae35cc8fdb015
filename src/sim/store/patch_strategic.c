#include "sim/store/patch_strategic.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

#define DIRECTIVE_ORDER  "$setElementOrder/"
#define DIRECTIVE_DELETE "$deleteFromPrimitiveList/"

static json_t *merge_objects(const char *parent, const json_t *object, const json_t *patch,
                             struct failure *failure);

static const struct list_rule {
    const char *field, *key;
    const char *parent; // NULL: any
} list_rules[] = {
    {"containers", "name", NULL},
    {"initContainers", "name", NULL},
    {"ephemeralContainers", "name", NULL},
    {"volumes", "name", NULL},
    {"env", "name", NULL},
    {"volumeMounts", "mountPath", NULL},
    {"volumeDevices", "devicePath", NULL},
    {"ports", "containerPort", "containers"},
    {"ports", "containerPort", "initContainers"},
    {"ports", "containerPort", "ephemeralContainers"},
    {"ports", "port", "spec"},
    {"imagePullSecrets", "name", NULL},
    {"secrets", "name", NULL},
    {"schedulingGates", "name", NULL},
    {"resourceClaims", "name", "spec"},
    {"resourceClaimStatuses", "name", NULL},
    {"hostAliases", "ip", NULL},
    {"podIPs", "ip", NULL},
    {"topologySpreadConstraints", "topologyKey", NULL},
    {"conditions", "type", "status"},
    {"addresses", "type", "status"},
    {"ownerReferences", "uid", "metadata"},
    {"drivers", "name", "spec"},
    {"webhooks", "name", NULL},
    {"finalizers", "", NULL},
    {"podCIDRs", "", "spec"},
};

const char *patch_list_key(const char *parent, const char *field)
{
    for (size_t i = 0; i < ARRAY_LENGTH(list_rules); i++)
        if (strcmp(list_rules[i].field, field) == 0 &&
            (list_rules[i].parent == NULL ||
             (parent != NULL && strcmp(list_rules[i].parent, parent) == 0)))
            return list_rules[i].key;
    return NULL;
}

json_t *patch_strategic(const json_t *object, const json_t *patch, struct failure *failure)
{
    return merge_objects(NULL, object, patch, failure);
}

static const char *directive(const json_t *value)
{
    return json_string_value(json_object_get(value, "$patch"));
}

static bool is_directive(const char *key)
{
    return key[0] == '$' && (strcmp(key, "$patch") == 0 || strcmp(key, "$retainKeys") == 0 ||
                             strncmp(key, DIRECTIVE_ORDER, strlen(DIRECTIVE_ORDER)) == 0 ||
                             strncmp(key, DIRECTIVE_DELETE, strlen(DIRECTIVE_DELETE)) == 0);
}

// The value that a patch adds at an empty place: itself without directives and nulls.
static json_t *without_directives(const json_t *patch)
{
    if (json_is_array(patch)) {
        json_t *result = json_array();
        size_t i;
        json_t *item;
        json_array_foreach (patch, i, item) {
            if (directive(item) == NULL || strcmp(directive(item), "merge") == 0)
                json_array_append_new(result, without_directives(item));
        }
        return result;
    }
    if (!json_is_object(patch))
        return json_deep_copy(patch);
    json_t *result = json_object();
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)patch, key, value) {
        if (!is_directive(key) && !json_is_null(value) &&
            (directive(value) == NULL || strcmp(directive(value), "delete") != 0))
            json_object_set_new(result, key, without_directives(value));
    }
    return result;
}

static void retain_keys(json_t *result, const json_t *keys)
{
    const char *key;
    json_t *value;
    void *next;
    json_object_foreach_safe(result, next, key, value)
    {
        bool kept = false;
        size_t i;
        json_t *retained;
        json_array_foreach (keys, i, retained) {
            kept =
                kept || (json_is_string(retained) && strcmp(json_string_value(retained), key) == 0);
        }
        if (!kept)
            json_object_del(result, key);
    }
}

// --- lists ---------------------------------------------------------------------------------------

// The position of the element with the same identity as `wanted`: the value at the key, or the
// value itself.
static size_t find_element(const json_t *list, const char *key, const json_t *wanted)
{
    const json_t *identity = key[0] == '\0' ? wanted : json_object_get(wanted, key);
    size_t i;
    json_t *element;
    json_array_foreach (list, i, element) {
        const json_t *other = key[0] == '\0' ? element : json_object_get(element, key);
        if (other != NULL && identity != NULL && json_equal(other, identity))
            return i;
    }
    return SIZE_MAX;
}

static bool replaces_list(const json_t *patch)
{
    size_t i;
    json_t *item;
    json_array_foreach (patch, i, item) {
        if (directive(item) != NULL && strcmp(directive(item), "replace") == 0)
            return true;
    }
    return false;
}

static bool merge_element(const char *field, const char *key, json_t *result, const json_t *item,
                          struct failure *failure)
{
    if (key[0] == '\0') {
        if (find_element(result, key, item) == SIZE_MAX)
            json_array_append_new(result, json_deep_copy(item));
        return true;
    }
    if (!json_is_object(item) || json_object_get(item, key) == NULL)
        return failure_bad_request(failure, "map: %s does not contain declared merge key: %s",
                                   field, key);
    size_t position = find_element(result, key, item);
    if (directive(item) != NULL && strcmp(directive(item), "delete") == 0) {
        for (; position != SIZE_MAX; position = find_element(result, key, item))
            json_array_remove(result, position);
        return true;
    }
    if (position == SIZE_MAX)
        return json_array_append_new(result, without_directives(item)) == 0;
    json_t *merged = merge_objects(field, json_array_get(result, position), item, failure);
    return merged != NULL && json_array_set_new(result, position, merged) == 0;
}

static json_t *order_list(const json_t *list, const char *key, const json_t *order,
                          const json_t *before);

// The patch's own elements get the patch's order (API servers do so even without $setElementOrder).
static json_t *merge_lists(const char *field, const char *key, const json_t *list,
                           const json_t *patch, struct failure *failure)
{
    if (replaces_list(patch))
        return without_directives(patch);
    json_t *result = json_is_array(list) ? json_copy((json_t *)list) : json_array();
    size_t i;
    json_t *item;
    json_array_foreach (patch, i, item) {
        if (!merge_element(field, key, result, item, failure)) {
            json_decref(result);
            return NULL;
        }
    }
    json_t *ordered = order_list(result, key, patch, list);
    json_decref(result);
    return ordered;
}

static json_t *delete_from_list(const json_t *list, const json_t *values)
{
    json_t *result = json_array();
    size_t i;
    json_t *element;
    json_array_foreach (list, i, element) {
        if (find_element(values, "", element) == SIZE_MAX)
            json_array_append(result, element);
    }
    return result;
}

// Elements named by the client get its order. Elements of the server only keep their places before
// the elements that followed them (`before` is the former list).
static json_t *order_list(const json_t *list, const char *key, const json_t *order,
                          const json_t *before)
{
    json_t *ours = json_array(), *others = json_array(), *result = json_array();
    size_t i;
    json_t *wanted, *element;
    json_array_foreach (order, i, wanted) {
        size_t position = find_element(list, key, wanted);
        if (position != SIZE_MAX)
            json_array_append(ours, json_array_get(list, position));
    }
    json_array_foreach (list, i, element) {
        if (find_element(order, key, element) == SIZE_MAX)
            json_array_append(others, element);
    }
    size_t a = 0, b = 0;
    while (a < json_array_size(others) || b < json_array_size(ours)) {
        json_t *other = json_array_get(others, a), *our = json_array_get(ours, b);
        size_t other_place = other != NULL ? find_element(before, key, other) : SIZE_MAX;
        size_t our_place = our != NULL ? find_element(before, key, our) : SIZE_MAX;
        bool both_known = other_place != SIZE_MAX && our_place != SIZE_MAX;
        bool other_first = our == NULL || (other != NULL && both_known && other_place < our_place);
        json_array_append(result, other_first ? other : our);
        if (other_first)
            a++;
        else
            b++;
    }
    json_decref(ours);
    json_decref(others);
    return result;
}

// --- objects -------------------------------------------------------------------------------------

// Deletions first, then fields, then orders.
static void apply_list_deletions(json_t *result, const json_t *patch)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)patch, key, value) {
        if (strncmp(key, DIRECTIVE_DELETE, strlen(DIRECTIVE_DELETE)) != 0)
            continue;
        const char *field = key + strlen(DIRECTIVE_DELETE);
        const json_t *list = json_object_get(result, field);
        if (json_is_array(list))
            json_object_set_new(result, field, delete_from_list(list, value));
    }
}

static void apply_list_orders(const char *parent, json_t *result, const json_t *patch,
                              const json_t *before)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)patch, key, value) {
        if (strncmp(key, DIRECTIVE_ORDER, strlen(DIRECTIVE_ORDER)) != 0)
            continue;
        const char *field = key + strlen(DIRECTIVE_ORDER);
        const json_t *list = json_object_get(result, field);
        const char *merge_key = patch_list_key(parent, field);
        if (json_is_array(list) && json_is_array(value) && merge_key != NULL)
            json_object_set_new(result, field,
                                order_list(list, merge_key, value, json_object_get(before, field)));
    }
}

static json_t *merge_value(const char *parent, const char *field, const json_t *value,
                           const json_t *patch, struct failure *failure)
{
    const char *key = patch_list_key(parent, field);
    if (json_is_array(patch) && key != NULL)
        return merge_lists(field, key, value, patch, failure);
    if (json_is_object(patch) && json_is_object(value))
        return merge_objects(field, value, patch, failure);
    return without_directives(patch);
}

static json_t *merge_objects(const char *parent, const json_t *object, const json_t *patch,
                             struct failure *failure)
{
    const char *how = directive(patch);
    if (how != NULL && strcmp(how, "replace") == 0)
        return without_directives(patch);
    if (how != NULL && strcmp(how, "delete") == 0)
        return json_object();
    if (how != NULL && strcmp(how, "merge") != 0) {
        failure_bad_request(failure, "Unknown patch type: %s", how);
        return NULL;
    }
    json_t *result = json_is_object(object) ? json_copy((json_t *)object) : json_object();
    if (json_object_get(patch, "$retainKeys") != NULL)
        retain_keys(result, json_object_get(patch, "$retainKeys"));
    apply_list_deletions(result, patch);
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)patch, key, value) {
        if (is_directive(key))
            continue;
        const char *inner = directive(value);
        if (json_is_null(value) || (inner != NULL && strcmp(inner, "delete") == 0)) {
            json_object_del(result, key);
            continue;
        }
        json_t *merged = merge_value(parent, key, json_object_get(result, key), value, failure);
        if (merged == NULL) {
            json_decref(result);
            return NULL;
        }
        json_object_set_new(result, key, merged);
    }
    apply_list_orders(parent, result, patch, object);
    return result;
}
