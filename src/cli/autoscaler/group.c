#include "cli/autoscaler/group.h"

#include <assert.h>
#include <ctype.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "cli/convert/tree.h"
#include "model/tables/well_known.h"

#define GROUP_NAME_MAX 57
#define INNER          "spec.template.spec"

// --- names ---------------------------------------------------------------------------------------
// MIG-75
static const char *fit_name(const char *origin, struct map *names, struct arena *arena)
{
    char name[GROUP_NAME_MAX + 1];
    size_t length = 0;
    for (const char *at = origin; *at != '\0' && length < GROUP_NAME_MAX; at++) {
        char c = (char)tolower((unsigned char)*at);
        bool plain = (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9');
        if (plain || (length > 0 && name[length - 1] != '-'))
            name[length++] = plain ? c : '-';
    }
    while (length > 0 && name[length - 1] == '-')
        length--;
    name[length] = '\0';
    const char *result = arena_copy_string(arena, length > 0 ? name : "pool");
    for (unsigned i = 2; map_get(names, result) != NULL; i++)
        result = arena_format(arena, "%s-%u", name, i);
    map_set(names, result, (void *)result);
    return result;
}

struct group *group_create(struct source *source, const char *origin, struct map *names)
{
    struct group *group = memory_allocate(sizeof *group);
    const char *name = fit_name(origin, names, source->conversion->arena);
    *group = (struct group){.source = source,
                            .origin = origin,
                            .name = name,
                            .requirements = json_object(),
                            .taints = json_array(),
                            .startup_taints = json_array(),
                            .options = {.unneeded_seconds = -1},
                            .min_size = -1,
                            .max_size = -1};
    group->pool = product_add(source, "karpenter.sh/v1", "NodePool", name);
    group->class = product_add(source, "karpenter.k8s.aws/v1", "EC2NodeClass", name);
    json_t *inner = tree_make(group->pool->object, INNER);
    json_object_set_new(inner, "nodeClassRef",
                        json_pack("{s:s, s:s, s:s}", "group", "karpenter.k8s.aws", "kind",
                                  "EC2NodeClass", "name", name));
    return group;
}

void group_free(struct group *group)
{
    json_decref(group->requirements);
    json_decref(group->taints);
    json_decref(group->startup_taints);
    free(group);
}

json_t *group_class_spec(struct group *group)
{
    return product_spec(group->class);
}

// --- requirements, labels, taints ----------------------------------------------------------------
static int compare_texts(const void *a, const void *b)
{
    return strcmp(json_string_value(*(json_t *const *)a), json_string_value(*(json_t *const *)b));
}

json_t *texts_sorted(json_t *list)
{
    size_t count = json_array_size(list), kept = 0;
    json_t **items = memory_allocate_array(count + 1, sizeof(json_t *)), *result = json_array();
    for (size_t i = 0; i < count; i++)
        if (json_is_string(json_array_get(list, i)))
            items[kept++] = json_array_get(list, i);
    if (kept > 1)
        qsort(items, kept, sizeof *items, compare_texts);
    for (size_t i = 0; i < kept; i++)
        if (i == 0 || compare_texts(&items[i - 1], &items[i]) != 0)
            json_array_append(result, items[i]);
    free(items);
    json_decref(list);
    return result;
}

void group_require(struct group *group, const char *key, const char *operator, json_t * values)
{
    json_t *list = json_object_get(group->requirements, key);
    json_t *requirement = json_pack("{s:s, s:s}", "key", key, "operator", operator);
    if (values != NULL)
        json_object_set_new(requirement, "values", texts_sorted(values));
    if (list == NULL) {
        list = json_array();
        json_object_set_new(group->requirements, key, list);
    }
    size_t index;
    json_t *item;
    json_array_foreach (list, index, item)
        if (json_equal(item, requirement)) {
            json_decref(requirement);
            return;
        }
    json_array_append_new(list, requirement);
}

void group_require_one(struct group *group, const char *key, const char *value)
{
    group_require(group, key, "In", json_pack("[s]", value));
}

static bool is_foreign_label(const char *key)
{
    static const char *const prefixes[] = {"eks.amazonaws.com/", "alpha.eksctl.io/",
                                           "karpenter.sh/", "node.kubernetes.io/instance-type"};
    for (size_t i = 0; i < 3; i++)
        if (text_starts_with(key, prefixes[i]))
            return true;
    return strcmp(key, "kubernetes.io/hostname") == 0;
}

void group_label(struct group *group, const char *key, const char *value)
{
    if (is_foreign_label(key)) {
        note_add(group->pool, NOTE_INFO, "M-label", "spec.template.metadata.labels",
                 "%s belongs to the group's provider and is left out", key);
        return;
    }
    const char *target = label_alias_target(key);
    if (label_is_well_known(target, provider_labels_aws.well_known))
        group_require_one(group, target, value);
    else
        json_object_set_new(tree_make(group->pool->object, "spec.template.metadata.labels"), key,
                            json_string(value));
}

static bool list_has(const json_t *list, const char *text)
{
    for (size_t i = 0; i < json_array_size(list); i++)
        if (text_equal(json_string_value(json_array_get(list, i)), text))
            return true;
    return false;
}

static bool is_startup_taint(const char *key, const struct flags *flags)
{
    const char *prefix = flag_text(flags, "startup-taint-prefix");
    return text_starts_with(key, "startup-taint.cluster-autoscaler.kubernetes.io/") ||
           text_starts_with(key, "ignore-taint.cluster-autoscaler.kubernetes.io/") ||
           (prefix != NULL && text_starts_with(key, prefix)) ||
           list_has(flag_list(flags, "startup-taint"), key) ||
           list_has(flag_list(flags, "ignore-taint"), key);
}

void group_taint(struct group *group, const char *key, const char *value, const char *effect,
                 const struct flags *flags)
{
    json_t *taint = json_pack("{s:s, s:s}", "effect", effect, "key", key);
    if (!text_is_empty(value))
        json_object_set_new(taint, "value", json_string(value));
    json_t *list = is_startup_taint(key, flags) ? group->startup_taints : group->taints, *item;
    size_t index;
    json_array_foreach (list, index, item)
        if (json_equal(item, taint)) {
            json_decref(taint);
            return;
        }
    json_array_append_new(list, taint);
}

void group_taint_text(struct group *group, const char *key, const char *text,
                      const struct flags *flags)
{
    static const char *const effects[] = {"NoSchedule", "NoExecute", "PreferNoSchedule"};
    const char *colon = strchr(text, ':');
    for (size_t i = 0; colon != NULL && i < ARRAY_LENGTH(effects); i++)
        if (strcmp(effects[i], colon + 1) == 0) {
            group_taint(group, key, product_text(group->pool, "%.*s", (int)(colon - text), text),
                        effects[i], flags);
            return;
        }
    note_add(group->pool, NOTE_INFO, "M-taint", INNER ".taints",
             "%s=%s names no effect and was ignored before, too", key, text);
}

void group_tag(struct group *group, const char *key, const char *value)
{
    if (!text_starts_with(key, "aws:") && !text_starts_with(key, "eks:") &&
        !text_starts_with(key, "karpenter.") && !text_starts_with(key, "kubernetes.io/cluster/"))
        json_object_set_new(tree_make(group->class->object, "spec.tags"), key, json_string(value));
}

void group_sizes(struct group *group, const json_t *min, const json_t *max)
{
    if (json_is_integer(min))
        group->min_size = json_integer_value(min);
    if (json_is_integer(max))
        group->max_size = json_integer_value(max);
}

// --- finishing -----------------------------------------------------------------------------------
// The families and sizes of a list of types, in place of it (MIG-81).
static void widen_types(struct group *group)
{
    static const char type_key[] = "node.kubernetes.io/instance-type";
    json_t *found = json_object_get(group->requirements, type_key), *item;
    const json_t *requirement = json_array_get(found, 0);
    const json_t *types = json_object_get(requirement, "values");
    json_t *families = json_array(), *sizes = json_array();
    size_t index;
    if (json_array_size(found) != 1 || json_array_size(types) < 2 ||
        !text_equal(json_string_value(json_object_get(requirement, "operator")), "In"))
        json_array_clear(families);
    else
        json_array_foreach ((json_t *)types, index, item) {
            const char *text = text_or_empty(json_string_value(item));
            size_t family = strcspn(text, ".");
            json_array_append_new(families, json_stringn(text, family));
            json_array_append_new(sizes,
                                  json_string(text + family + (text[family] == '.' ? 1 : 0)));
        }
    if (json_array_size(families) > 0) {
        json_object_del(group->requirements, type_key);
        group_require(group, "karpenter.k8s.aws/instance-family", "In", json_incref(families));
        group_require(group, "karpenter.k8s.aws/instance-size", "In", json_incref(sizes));
        note_add(group->pool, NOTE_INFO, "M-widen", INNER ".requirements",
                 "every family in every size that the group's types have: more types than the "
                 "group had, so that prices and capacity decide");
    }
    json_decref(families);
    json_decref(sizes);
}

static void write_requirements(struct group *group, json_t *inner)
{
    json_t *list = json_array(), *ordered = tree_ordered(group->requirements), *items, *item;
    const char *key;
    size_t index;
    json_object_foreach (ordered, key, items)
        json_array_foreach (items, index, item)
            json_array_append(list, item);
    json_decref(ordered);
    json_object_set_new(inner, "requirements", list);
}

static void add_static_pool(struct group *group)
{
    json_t *copy = json_deep_copy(group->pool->object);
    struct product *pool = product_add_object(group->source, copy);
    pool->is_old = true;
    json_object_set_new(tree_make(copy, "metadata"), "name",
                        json_string(product_text(pool, "%s-min", group->name)));
    json_object_set_new(tree_make(copy, "spec"), "replicas", json_integer(group->min_size));
    json_object_set_new(tree_make(copy, "spec"), "limits",
                        json_pack("{s:I}", "nodes", (json_int_t)group->min_size));
    json_object_del(tree_make(copy, "spec"), "weight");
    json_object_del(tree_make(copy, "spec"), "disruption");
    note_add(pool, NOTE_CHANGED, "M-static", "spec.replicas",
             "the group's least size; needs FEATURE_GATES=StaticCapacity=true");
}

static void write_sizes(struct group *group)
{
    struct product *pool = group->pool;
    json_t *spec = product_spec(pool);
    if (group->max_size >= 0) {
        json_object_set_new(spec, "limits",
                            json_pack("{s:I}", "nodes", (json_int_t)group->max_size));
        note_add(pool, NOTE_INFO, "M-max-size", "spec.limits",
                 "MaxSize is written as a number of nodes; with types of several sizes a limit of "
                 "cpu may be better");
    }
    if (group->min_size > 0 && !pool->conversion->options.static_min)
        note_add(pool, NOTE_LOST, "M-min-size", "spec",
                 "MinSize %" PRId64 " has no equal; see --static-min, CapacityBuffer, or keep the "
                 "group at that size",
                 group->min_size);
}

void group_finish(struct group *group, const struct flags *flags, uint32_t groups)
{
    json_t *inner = tree_make(group->pool->object, INNER);
    if (group->pool->conversion->options.widen)
        widen_types(group);
    write_requirements(group, inner);
    if (json_array_size(group->taints) > 0)
        json_object_set(inner, "taints", group->taints);
    if (json_array_size(group->startup_taints) > 0)
        json_object_set(inner, "startupTaints", group->startup_taints);
    if (json_object_get(inner, "expireAfter") == NULL) {
        json_object_set_new(inner, "expireAfter", json_string("Never"));
        note_add(group->pool, NOTE_INFO, "M-lifetime", INNER ".expireAfter",
                 "the group's machines lived on; 720h keeps images fresh");
    }
    write_sizes(group);
    flags_apply(flags, &group->options, group->pool, groups);
    if (group->min_size > 0 && group->pool->conversion->options.static_min)
        add_static_pool(group);
}
