#include "cli/convert/old_settings.h"

#include <assert.h>
#include <string.h>

#include "cli/convert/tree.h"

static const char *const successors[][2] = {
    {"batchMaxDuration", "BATCH_MAX_DURATION"},
    {"batchIdleDuration", "BATCH_IDLE_DURATION"},
    {"aws.clusterName", "CLUSTER_NAME"},
    {"aws.clusterEndpoint", "CLUSTER_ENDPOINT"},
    {"aws.clusterCABundle", "CLUSTER_CA_BUNDLE"},
    {"aws.isolatedVPC", "ISOLATED_VPC"},
    {"aws.vmMemoryOverheadPercent", "VM_MEMORY_OVERHEAD_PERCENT"},
    {"aws.interruptionQueueName", "INTERRUPTION_QUEUE"},
    {"aws.reservedENIs", "RESERVED_ENIS"}};

static void note_setting(struct conversion *conversion, enum note_class class, const char *name,
                         const char *text)
{
    vector_push(
        &conversion->settings_notes,
        (struct note){class, "M-setting", arena_copy_string(conversion->arena, name), text});
}

static const char *successor_of(const char *name)
{
    for (size_t i = 0; i < ARRAY_LENGTH(successors); i++)
        if (strcmp(successors[i][0], name) == 0)
            return successors[i][1];
    return NULL;
}

// Settings that are fields of objects today, or nothing.
static void take_other(struct conversion *conversion, const char *name, const char *value)
{
    if (strcmp(name, "aws.defaultInstanceProfile") == 0) {
        if (conversion->options.role == NULL && conversion->options.instance_profile == NULL)
            conversion->options.instance_profile = arena_copy_string(conversion->arena, value);
        note_setting(conversion, NOTE_CHANGED, name, "is spec.instanceProfile of every class");
    } else if (strcmp(name, "aws.tags") == 0) {
        json_decref(conversion->class_tags);
        conversion->class_tags = json_loads(value, JSON_REJECT_DUPLICATES, NULL);
        note_setting(conversion, NOTE_CHANGED, name, "are spec.tags of every class");
    } else if (strcmp(name, "featureGates.driftEnabled") == 0) {
        conversion->drift_was_off = strcmp(value, "false") == 0;
        if (conversion->drift_was_off)
            note_setting(
                conversion, NOTE_CHANGED, name,
                "drift cannot be switched off: every pool gets a budget that keeps it off");
    } else if (strcmp(name, "aws.enableENILimitedPodDensity") == 0 && strcmp(value, "false") == 0) {
        note_setting(conversion, NOTE_TODO, name, "write spec.kubelet.maxPods: 110 in every class");
    } else if (text_starts_with(name, "aws.assumeRole")) {
        note_setting(conversion, NOTE_LOST, name, "has no equal: use the pod's own identity");
    } else {
        note_setting(conversion, NOTE_INFO, name, "is not needed any more");
    }
}

bool old_settings_take(struct source *source)
{
    const char *kind = tree_text_at(source->value, "kind"), *name;
    json_t *value;
    if (!text_equal(kind, "ConfigMap") ||
        !text_equal(tree_text_at(source->value, "metadata.name"), "karpenter-global-settings"))
        return false;
    json_object_foreach (tree_at(source->value, "data"), name, value) {
        const char *text = tree_scalar(value, source->conversion->arena);
        const char *today = successor_of(name);
        if (text_is_empty(text))
            continue;
        if (today != NULL)
            conversion_set(source->conversion, today, text);
        else
            take_other(source->conversion, name, text);
    }
    source->is_taken = true;
    return true;
}

static void apply_to_pool(struct product *pool)
{
    json_t *disruption = tree_make(pool->object, "spec.disruption");
    json_t *budgets = json_object_get(disruption, "budgets");
    if (!json_is_array(budgets)) {
        budgets = json_array();
        json_object_set_new(disruption, "budgets", budgets);
    }
    json_array_append_new(budgets, json_pack("{s:s, s:[s]}", "nodes", "0", "reasons", "Drifted"));
}

static void apply_to_class(struct product *class, const json_t *tags)
{
    json_t *own = tree_make(class->object, "spec.tags");
    json_object_update_missing(own, (json_t *)tags);
}

void old_settings_apply(struct conversion *conversion)
{
    bool tags = json_object_size(conversion->class_tags) > 0;
    vector_for_each (item, &conversion->sources)
        for (uint32_t i = 0; i < (*item)->products.count && !(*item)->failed; i++) {
            struct product *product = (*item)->products.items[i];
            if (!product->is_old || product->is_dropped)
                continue;
            if (conversion->drift_was_off && strcmp(product_kind(product), "NodePool") == 0)
                apply_to_pool(product);
            if (tags && strcmp(product_kind(product), "EC2NodeClass") == 0)
                apply_to_class(product, conversion->class_tags);
        }
}
