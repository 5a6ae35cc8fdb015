#include "cli/autoscaler/group_tags.h"

#include <string.h>

#include "base/quantity.h"
#include "cli/convert/tree.h"

#define PREFIX "k8s.io/cluster-autoscaler/"

static void convert_resource(struct group *group, const char *name, const char *value)
{
    struct error error;
    int64_t quantity;
    if (!quantity_parse(name, value, &quantity, &error)) {
        note_add(group->pool, NOTE_INFO, "M-resource", "spec", "%s=%s was ignored before, too",
                 name, value);
    } else if (strcmp(name, "cpu") == 0 || strcmp(name, "memory") == 0 ||
               strcmp(name, "pods") == 0) {
        note_add(group->pool, NOTE_LOST, "M-resource", "spec",
                 "%s=%s: what machines have is known from EC2", name, value);
    } else if (strcmp(name, "ephemeral-storage") == 0) {
        note_add(group->pool, NOTE_INFO, "M-resource", "spec", "the root volume's size counts");
    } else {
        struct product *overlay =
            product_add(group->source, "karpenter.sh/v1alpha1", "NodeOverlay", group->name);
        json_t *spec = product_spec(overlay);
        json_object_set_new(spec, "requirements",
                            json_pack("[{s:s, s:s, s:[s]}]", "key", "karpenter.sh/nodepool",
                                      "operator", "In", "values", group->name));
        json_object_set_new(spec, "capacity", json_pack("{s:s}", name, value));
        note_add(overlay, NOTE_CHANGED, "M-overlay", "spec.capacity",
                 "needs FEATURE_GATES=NodeOverlay=true");
    }
}

static void convert_option(struct group *group, const char *name, const char *value)
{
    if (strcmp(name, "scaledownunneededtime") == 0 && seconds_of(value) >= 0)
        group->options.unneeded_seconds = seconds_of(value);
    else if (strcmp(name, "scaledownutilizationthreshold") == 0)
        group->options.threshold = value;
    else if (strcmp(name, "ignoredaemonsetsutilization") == 0)
        note_add(group->pool, NOTE_INFO, "M-option", "spec",
                 "pods of DaemonSets never keep a node");
    else
        note_add(group->pool, NOTE_LOST, product_text(group->pool, "M-option-%s", name), "spec",
                 "%s=%s has no equal", name, value);
}

static void convert_own_tag(struct group *group, const char *key, const char *value,
                            const struct flags *flags)
{
    static const char label[] = "node-template/label/", taint[] = "node-template/taint/";
    static const char resource[] = "node-template/resources/";
    static const char option[] = "node-template/autoscaling-options/";
    if (text_starts_with(key, label))
        group_label(group, key + sizeof label - 1, value);
    else if (text_starts_with(key, taint))
        group_taint_text(group, key + sizeof taint - 1, value, flags);
    else if (text_starts_with(key, resource))
        convert_resource(group, key + sizeof resource - 1, value);
    else if (text_starts_with(key, option))
        convert_option(group, key + sizeof option - 1, value);
    else if (strcmp(key, "enabled") != 0 && strcmp(key, "disabled") != 0 &&
             strchr(key, '/') == NULL && group->cluster_name == NULL)
        group->cluster_name = key;
}

void group_tags_convert(struct group *group, const json_t *tags, const struct flags *flags)
{
    static const char cluster[] = "kubernetes.io/cluster/";
    size_t index;
    json_t *tag;
    json_array_foreach ((json_t *)tags, index, tag) {
        const char *key = text_or_empty(tree_text_at(tag, "Key"));
        const char *value = text_or_empty(tree_text_at(tag, "Value"));
        if (text_starts_with(key, PREFIX))
            convert_own_tag(group, key + strlen(PREFIX), value, flags);
        else if (text_starts_with(key, cluster))
            group->cluster_name = key + sizeof cluster - 1;
        else if (json_is_true(json_object_get(tag, "PropagateAtLaunch")))
            group_tag(group, key, value);
    }
}
