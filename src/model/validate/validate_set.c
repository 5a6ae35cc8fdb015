#include "model/validate/validate_set.h"

#include <assert.h>
#include <stdio.h>
#include <string.h>

#include "base/map.h"
#include "base/text.h"
#include "model/schema/karpenter.h"
#include "model/tables/rules_json.h"
#include "model/validate/validate_requirements.h"

#define PAIRS_MAX 300 // objects of one weight to compare with each other

static void check_names(struct validated *objects, size_t count);
static void check_references(struct validated *objects, size_t count);
static void check_ties(struct validated *objects, size_t count, enum kind_id id);

void validate_set(struct validated *objects, size_t count)
{
    assert(objects != NULL || count == 0);
    check_names(objects, count);
    check_references(objects, count);
    check_ties(objects, count, KIND_NODE_POOL);
    check_ties(objects, count, KIND_NODE_OVERLAY);
}

// --- names ---------------------------------------------------------------------------------------
// kubectl applies both, so the later stays.
static void check_names(struct validated *objects, size_t count)
{
    struct map *seen = map_create();
    struct text key = {0};
    for (size_t i = 0; i < count; i++) {
        if (objects[i].stored == NULL || objects[i].name == NULL)
            continue;
        const char *namespace =
            json_text(json_object_get(objects[i].stored, "metadata"), "namespace");
        text_clear(&key);
        text_format(&key, "%s|%s|%s", objects[i].kind->name, text_or_empty(namespace),
                    objects[i].name);
        const struct validated *before = map_set(seen, key.data, &objects[i]);
        if (before != NULL)
            findings_add(objects[i].findings,
                         &(struct finding){.level = FINDING_WARNING,
                                           .code = "W-defined-twice",
                                           .rule = "API-313",
                                           .path = "metadata.name",
                                           .hint = "give one of them another name, or remove it"},
                         "%s %s is there twice%s: the later replaces the earlier",
                         objects[i].kind->name, objects[i].name,
                         json_equal(before->stored, objects[i].stored) ? ", the same each time"
                                                                       : "");
    }
    text_free(&key);
    map_destroy(seen, NULL);
}

// --- references ----------------------------------------------------------------------------------
static bool is_node_class(const struct kind *kind)
{
    return kind->id == KIND_EC2_NODE_CLASS || kind->id == KIND_KWOK_NODE_CLASS;
}

static const json_t *reference_of(const struct validated *object, const char **path)
{
    const json_t *spec = json_object_get(object->stored, "spec");
    *path = "spec.nodeClassRef";
    if (object->kind->id == KIND_NODE_POOL) {
        *path = "spec.template.spec.nodeClassRef";
        spec = json_object_get(json_object_get(spec, "template"), "spec");
    }
    return json_object_get(spec, "nodeClassRef");
}

static void class_key(struct text *key, const char *group, const char *kind, const char *name)
{
    text_clear(key);
    text_format(key, "%s|%s|%s", group, kind, name);
}

static const char *classes_named(struct validated *objects, size_t count, const char *name,
                                 struct text *list)
{
    text_clear(list);
    for (size_t i = 0; i < count; i++)
        if (is_node_class(objects[i].kind) &&
            (name == NULL || (objects[i].name != NULL && strcmp(objects[i].name, name) == 0))) {
            text_join(list, ", ", objects[i].kind->name);
            text_format(list, " %s", objects[i].name != NULL ? objects[i].name : "");
        }
    return list->data;
}

static void check_reference(struct validated *objects, size_t count, struct validated *object,
                            struct map *classes)
{
    const char *path;
    const json_t *reference = reference_of(object, &path);
    const char *group = json_text(reference, "group"), *kind = json_text(reference, "kind");
    const char *name = json_text(reference, "name");
    struct text key = {0}, list = {0}, hint = {0};
    if (name == NULL || name[0] == '\0')
        return;
    if (group == NULL || kind == NULL) { // GUI-2; the missing field is refused elsewhere
        if (classes_named(objects, count, name, &list) != NULL && list.data[0] != '\0')
            findings_add(object->findings,
                         &(struct finding){.level = FINDING_WARNING,
                                           .code = "W-nodeclass-missing",
                                           .rule = "GUI-2",
                                           .path = path},
                         "of that name there is: %s", list.data);
        text_free(&list);
        return;
    }
    class_key(&key, group, kind, name);
    bool known_kind =
        (strcmp(group, "karpenter.k8s.aws") == 0 && strcmp(kind, "EC2NodeClass") == 0) ||
        (strcmp(group, "karpenter.kwok.sh") == 0 && strcmp(kind, "KWOKNodeClass") == 0);
    char *used = map_get(classes, key.data);
    if (used != NULL) {
        *used = true;
    } else if (!known_kind) {
        findings_add(
            object->findings,
            &(struct finding){
                .level = FINDING_WARNING,
                .code = "W-nodeclass-missing",
                .rule = "API-313",
                .path = path,
                .hint = strcmp(group, "eks.amazonaws.com") == 0
                            ? "that is EKS Auto Mode's: `adze convert` makes an EC2NodeClass of it"
                            : "karpenter.k8s.aws EC2NodeClass, or karpenter.kwok.sh "
                              "KWOKNodeClass"},
            "%s %s is not a kind of NodeClass", group, kind);
    } else if (map_count(classes) > 0) {
        classes_named(objects, count, NULL, &list);
        text_format(&hint, "the input has %s", list.data);
        findings_add(object->findings,
                     &(struct finding){.level = FINDING_WARNING,
                                       .code = "W-nodeclass-missing",
                                       .rule = "API-313",
                                       .path = path,
                                       .hint = hint.data},
                     "%s %s is not in the input", kind, name);
    }
    text_free(&key);
    text_free(&list);
    text_free(&hint);
}

static void check_references(struct validated *objects, size_t count)
{
    struct map *classes = map_create();
    struct text key = {0};
    char *used = memory_allocate(count + 1);
    bool any_pool = false;
    for (size_t i = 0; i < count; i++) {
        any_pool = any_pool || objects[i].kind->id == KIND_NODE_POOL;
        if (!is_node_class(objects[i].kind) || objects[i].name == NULL)
            continue;
        class_key(&key, objects[i].kind->group, objects[i].kind->name, objects[i].name);
        map_set(classes, key.data, &used[i]);
    }
    for (size_t i = 0; i < count; i++)
        if (objects[i].stored != NULL &&
            (objects[i].kind->id == KIND_NODE_POOL || objects[i].kind->id == KIND_NODE_CLAIM))
            check_reference(objects, count, &objects[i], classes);
    for (size_t i = 0; any_pool && i < count; i++)
        if (is_node_class(objects[i].kind) && objects[i].name != NULL && !used[i])
            findings_add(objects[i].findings,
                         &(struct finding){.level = FINDING_WARNING,
                                           .code = "W-unused-nodeclass",
                                           .rule = "API-313",
                                           .path = ""},
                         "no NodePool of the input refers to it");
    text_free(&key);
    cleanup_free(&used);
    map_destroy(classes, NULL);
}

// --- equal weights -------------------------------------------------------------------------------
static json_int_t weight_of(const struct validated *object)
{
    return json_integer_value(json_object_get(json_object_get(object->stored, "spec"), "weight"));
}

static struct requirement_source source_of(const struct validated *object)
{
    const json_t *spec = json_object_get(object->stored, "spec");
    if (object->kind->id != KIND_NODE_POOL)
        return (struct requirement_source){json_object_get(spec, "requirements"), NULL};
    const json_t *template = json_object_get(spec, "template");
    return (struct requirement_source){
        json_object_get(json_object_get(template, "spec"), "requirements"),
        json_object_get(json_object_get(template, "metadata"), "labels")};
}

static bool is_dynamic_pool(const struct validated *object)
{
    return !json_has(json_object_get(object->stored, "spec"), "replicas");
}

static const json_t *taints_of(const struct validated *object)
{
    const json_t *template = json_object_get(json_object_get(object->stored, "spec"), "template");
    return json_object_get(json_object_get(template, "spec"), "taints");
}

static bool set_the_same(const struct validated *a, const struct validated *b)
{
    const json_t *one = json_object_get(a->stored, "spec"),
                 *other = json_object_get(b->stored, "spec");
    bool prices = (json_has(one, "price") || json_has(one, "priceAdjustment")) &&
                  (json_has(other, "price") || json_has(other, "priceAdjustment"));
    if (prices)
        return true;
    const char *key;
    json_t *value;
    json_object_foreach (json_object_get(one, "capacity"), key, value)
        if (json_object_get(json_object_get(other, "capacity"), key) != NULL)
            return true;
    return false;
}

static bool are_tied(const struct validated *a, const struct validated *b)
{
    if (weight_of(a) != weight_of(b))
        return false;
    if (a->kind->id == KIND_NODE_POOL) {
        if (!is_dynamic_pool(a) || !is_dynamic_pool(b))
            return false;
        const json_t *taints = taints_of(a), *others = taints_of(b);
        bool both_empty = json_array_size(taints) == 0 && json_array_size(others) == 0;
        if (!both_empty && (taints == NULL || !json_equal(taints, others)))
            return false;
    } else if (!set_the_same(a, b)) {
        return false;
    }
    struct requirement_source sources[] = {source_of(a), source_of(b)};
    int index;
    return requirements_contradiction(sources, 2, &index) == NULL;
}

// One warning for each object, naming the first other of equal weight.
static void check_ties(struct validated *objects, size_t count, enum kind_id id)
{
    size_t members[PAIRS_MAX], found = 0;
    for (size_t i = 0; i < count && found < PAIRS_MAX; i++)
        if (objects[i].kind->id == id && objects[i].stored != NULL)
            members[found++] = i;
    assert(found <= PAIRS_MAX);
    bool pools = id == KIND_NODE_POOL;
    for (size_t i = 1; i < found; i++)
        for (size_t k = 0; k < i; k++) {
            struct validated *object = &objects[members[i]], *other = &objects[members[k]];
            if (!are_tied(object, other))
                continue;
            findings_add(object->findings,
                         &(struct finding){.level = FINDING_WARNING,
                                           .code = pools ? "W-weight-tie" : "W-overlay-tie",
                                           .rule = "API-313",
                                           .path = "spec.weight",
                                           .hint = "give them different weights"},
                         pools ? "NodePool %s has the same weight and can serve the same pods"
                               : "NodeOverlay %s has the same weight and sets the same of the same "
                                 "instance types; the later name wins",
                         other->name != NULL ? other->name : "");
            break;
        }
}
