#include "cli/autoscaler/autoscaler.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "cli/autoscaler/node_group.h"
#include "cli/autoscaler/priorities.h"
#include "cli/autoscaler/scaling_group.h"
#include "cli/convert/class_parts.h"
#include "cli/convert/tree.h"

enum origin { ORIGIN_SCALING_GROUP, ORIGIN_NODE_GROUP, ORIGIN_EKSCTL };
struct described { // a group of the input
    struct source *source;
    enum origin origin;
    json_t *description;   // owned
    const json_t *cluster; // eksctl's
};
struct autoscaler {
    struct conversion *conversion;
    VECTOR(struct described) groups;
    VECTOR(struct group *) made;
    json_t *templates, *configurations;
    struct flags flags;
    struct priorities priorities;
    struct source *flags_source; // the document with the flags
    struct map *names, *pools;   // of NodePools; group -> NodePool
};

struct autoscaler *autoscaler_create(struct conversion *conversion)
{
    struct autoscaler *autoscaler = memory_allocate(sizeof *autoscaler);
    autoscaler->conversion = conversion;
    autoscaler->templates = json_array();
    autoscaler->configurations = json_array();
    autoscaler->names = map_create();
    autoscaler->pools = map_create();
    return autoscaler;
}

void autoscaler_destroy(struct autoscaler *autoscaler)
{
    vector_for_each (described, &autoscaler->groups)
        json_decref(described->description);
    vector_for_each (group, &autoscaler->made)
        group_free(*group);
    vector_free(&autoscaler->groups);
    vector_free(&autoscaler->made);
    json_decref(autoscaler->templates);
    json_decref(autoscaler->configurations);
    flags_free(&autoscaler->flags);
    priorities_free(&autoscaler->priorities);
    map_destroy(autoscaler->names, NULL);
    map_destroy(autoscaler->pools, NULL);
    free(autoscaler);
}

// --- taking in -----------------------------------------------------------------------------------
static void take_groups(struct autoscaler *autoscaler, struct source *source, enum origin origin,
                        const json_t *list, const json_t *cluster)
{
    size_t index;
    json_t *description;
    json_array_foreach ((json_t *)list, index, description)
        vector_push(&autoscaler->groups,
                    (struct described){source, origin, json_incref(description), cluster});
    source->is_taken = true;
}

// Aws's answers: groups, launch templates and configurations, node groups.
static bool take_answer(struct autoscaler *autoscaler, struct source *source)
{
    const json_t *value = source->value;
    const json_t *groups = tree_at(value, "AutoScalingGroups");
    const json_t *templates = tree_at(value, "LaunchTemplateVersions");
    const json_t *configurations = tree_at(value, "LaunchConfigurations");
    const json_t *node_group = tree_at(value, "nodegroup"),
                 *node_groups = tree_at(value, "nodegroups");
    if (json_is_array(groups)) {
        json_t *merged = autoscaler->conversion->options.no_merge
                             ? json_incref((json_t *)groups)
                             : scaling_groups_merge(groups, autoscaler->conversion->arena);
        take_groups(autoscaler, source, ORIGIN_SCALING_GROUP, merged, NULL);
        json_decref(merged);
    } else if (json_is_array(templates)) {
        json_array_extend(autoscaler->templates, (json_t *)templates);
    } else if (json_is_array(configurations)) {
        json_array_extend(autoscaler->configurations, (json_t *)configurations);
    } else if (json_is_object(node_group)) {
        json_t *list = json_pack("[O]", node_group);
        take_groups(autoscaler, source, ORIGIN_NODE_GROUP, list, NULL);
        json_decref(list);
    } else if (json_is_array(node_groups) && json_is_object(json_array_get(node_groups, 0))) {
        take_groups(autoscaler, source, ORIGIN_NODE_GROUP, node_groups, NULL);
    } else {
        return false;
    }
    return true;
}

static bool names_autoscaler(const json_t *container)
{
    const char *image = text_or_empty(tree_text_at(container, "image"));
    const json_t *command = json_object_get(container, "command"), *item;
    size_t index;
    json_array_foreach ((json_t *)command, index, item)
        if (strstr(text_or_empty(json_string_value(item)), "cluster-autoscaler") != NULL)
            return true;
    return strstr(image, "cluster-autoscaler") != NULL && strstr(image, "priority") == NULL;
}

// A Deployment or Pod that runs Cluster Autoscaler.
static bool take_deployment(struct autoscaler *autoscaler, struct source *source)
{
    const json_t *spec = tree_at(source->value, "spec.template.spec");
    size_t index;
    json_t *container;
    if (spec == NULL)
        spec = tree_at(source->value, "spec");
    json_array_foreach (json_object_get(spec, "containers"), index, container) {
        if (!names_autoscaler(container))
            continue;
        struct arena *arena = autoscaler->conversion->arena;
        flags_add_list(&autoscaler->flags, json_object_get(container, "command"), arena);
        flags_add_list(&autoscaler->flags, json_object_get(container, "args"), arena);
        autoscaler->flags_source = source;
        return true;
    }
    return false;
}

static bool take_values(struct autoscaler *autoscaler, struct source *source)
{
    const json_t *discovery = tree_at(source->value, "autoDiscovery");
    const json_t *extra = tree_at(source->value, "extraArgs");
    bool groups = tree_at(source->value, "autoscalingGroups") != NULL;
    if (tree_at(source->value, "kind") != NULL || (discovery == NULL && !groups))
        return false;
    flags_add_map(&autoscaler->flags, extra, autoscaler->conversion->arena);
    const char *cluster = tree_text_at(discovery, "clusterName");
    if (cluster != NULL)
        conversion_set(autoscaler->conversion, "CLUSTER_NAME", cluster);
    autoscaler->flags_source = source;
    return true;
}

bool autoscaler_take(struct autoscaler *autoscaler, struct source *source)
{
    const char *kind = tree_text_at(source->value, "kind");
    const char *name = text_or_empty(tree_text_at(source->value, "metadata.name"));
    bool taken = false;
    if (kind == NULL) {
        taken = take_answer(autoscaler, source) || take_values(autoscaler, source);
    } else if (strcmp(kind, "Deployment") == 0 || strcmp(kind, "Pod") == 0) {
        taken = take_deployment(autoscaler, source);
    } else if (strcmp(kind, "ConfigMap") == 0 &&
               strcmp(name, "cluster-autoscaler-priority-expander") == 0) {
        priorities_read(&autoscaler->priorities, source);
        taken = true;
    } else if (strcmp(kind, "ClusterConfig") == 0) {
        take_groups(autoscaler, source, ORIGIN_EKSCTL, tree_at(source->value, "managedNodeGroups"),
                    source->value);
        take_groups(autoscaler, source, ORIGIN_EKSCTL, tree_at(source->value, "nodeGroups"),
                    source->value);
        taken = true;
    }
    source->is_taken = source->is_taken || taken;
    return taken;
}

void autoscaler_take_flags(struct autoscaler *autoscaler, const char *file, const char *text)
{
    struct source *source = memory_allocate(sizeof *source);
    *source = (struct source){.conversion = autoscaler->conversion,
                              .file = file,
                              .line = 1,
                              .siblings = 1,
                              .is_taken = true,
                              .value = json_object()};
    source->input = arena_allocate(autoscaler->conversion->arena, sizeof *source->input);
    vector_push(&autoscaler->conversion->sources, source);
    autoscaler->flags_source = source;
    flags_add_text(&autoscaler->flags, text, autoscaler->conversion->arena);
}

// --- finishing -----------------------------------------------------------------------------------
static const char *origin_name(const struct described *described)
{
    static const char *const fields[] = {"AutoScalingGroupName", "nodegroupName", "name"};
    return text_or_empty(tree_text_at(described->description, fields[described->origin]));
}

static void note_members(struct group *group, const json_t *description)
{
    const json_t *members = json_object_get(description, "adze-members");
    struct text list = {0};
    for (size_t i = 0; i < json_array_size(members); i++)
        text_join(&list, ", ", json_string_value(json_array_get(members, i)));
    if (list.length > 0)
        note_add(group->pool, NOTE_INFO, "M-merged", "",
                 "these groups differ in zones only and are one pool: %s", list.data);
    text_free(&list);
}

static void make_group(struct autoscaler *autoscaler, const struct described *described)
{
    const char *origin = origin_name(described);
    struct launch_facts facts = {autoscaler->templates, autoscaler->configurations};
    struct group *group = group_create(described->source, origin, autoscaler->names);
    vector_push(&autoscaler->made, group);
    map_set(autoscaler->pools, origin, (void *)group->name);
    if (described->origin == ORIGIN_SCALING_GROUP)
        scaling_group_convert(group, described->description, &facts, &autoscaler->flags);
    else if (described->origin == ORIGIN_NODE_GROUP)
        node_group_convert(group, described->description, &facts, &autoscaler->flags);
    else
        eksctl_group_convert(group, described->description, described->cluster, &autoscaler->flags);
    note_members(group, described->description);
    priorities_apply(&autoscaler->priorities, group);
}

// MIG-75: equal classes are printed once, under the name of the first.
static void share_classes(struct autoscaler *autoscaler)
{
    for (uint32_t i = 1; i < autoscaler->made.count; i++)
        for (uint32_t k = 0; k < i; k++) {
            struct group *group = autoscaler->made.items[i], *other = autoscaler->made.items[k];
            if (other->class->is_dropped ||
                !json_equal(group_class_spec(group), group_class_spec(other)))
                continue;
            group->class->is_dropped = true;
            json_object_set_new(tree_make(group->pool->object, "spec.template.spec.nodeClassRef"),
                                "name", json_string(other->name));
            break;
        }
}

// MIG-71: flags alone give one NodePool with a class that is yet to be written.
static void make_default(struct autoscaler *autoscaler)
{
    struct group *group = group_create(autoscaler->flags_source, "default", autoscaler->names);
    vector_push(&autoscaler->made, group);
    json_t *spec = group_class_spec(group);
    class_set_family(group->source, group->class, spec, "AL2023", NULL);
    class_require_network(group->class, spec);
    class_require_role(group->class, spec,
                       "the nodes' role; groups tell it: add the output of aws autoscaling "
                       "describe-auto-scaling-groups");
    note_add(group->pool, NOTE_TODO, "M-no-groups", "",
             "the flags alone do not say which machines: add the output of aws autoscaling "
             "describe-auto-scaling-groups and aws ec2 describe-launch-template-versions");
}

static void set_cluster_name(struct autoscaler *autoscaler)
{
    struct conversion *conversion = autoscaler->conversion;
    const char *name = conversion->options.cluster_name;
    vector_for_each (group, &autoscaler->made)
        name = name != NULL ? name : (*group)->cluster_name;
    if (name != NULL)
        conversion_set(conversion, "CLUSTER_NAME", name);
}

void autoscaler_finish(struct autoscaler *autoscaler)
{
    vector_for_each (described, &autoscaler->groups)
        if (described->origin != ORIGIN_SCALING_GROUP ||
            scaling_group_is_chosen(described->description, &autoscaler->flags))
            make_group(autoscaler, described);
    if (autoscaler->made.count == 0 && autoscaler->flags_source != NULL)
        make_default(autoscaler);
    vector_for_each (group, &autoscaler->made)
        group_finish(*group, &autoscaler->flags, autoscaler->made.count);
    share_classes(autoscaler);
    if (autoscaler->made.count == 0)
        return;
    set_cluster_name(autoscaler);
    flags_settings(&autoscaler->flags, autoscaler->conversion);
}

const char *autoscaler_pool_of(const struct autoscaler *autoscaler, const char *node_group)
{
    return map_get(autoscaler->pools, node_group);
}
