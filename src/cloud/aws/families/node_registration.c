#include "cloud/aws/families/node_registration.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

#define TAINT_UNREGISTERED "karpenter.sh/unregistered"

// Whether nodes may not set this label themselves: its domain is one of Kubernetes' own.
static bool is_restricted(const char *key)
{
    static const char *const domains[] = {"node-restriction.kubernetes.io", "kubernetes.io",
                                          "k8s.io"};
    const char *slash = strchr(key, '/');
    size_t length = slash != NULL ? (size_t)(slash - key) : 0;
    for (size_t i = 0; i < ARRAY_LENGTH(domains); i++) {
        size_t suffix = strlen(domains[i]);
        if (length >= suffix && strncmp(key + length - suffix, domains[i], suffix) == 0 &&
            (length == suffix || key[length - suffix - 1] == '.'))
            return true;
    }
    return false;
}

static void set_label(struct string_map *labels, const char *key, const char *value)
{
    list_for_each (pair, labels)
        if (strcmp(pair->key, key) == 0) {
            pair->value = value;
            return;
        }
    labels->items[labels->count++] = (struct string_pair){key, value};
}

static void add_labels(struct node_registration *registration,
                       const struct user_data_options *options, struct arena *arena)
{
    struct string_map *labels = &registration->labels;
    labels->items = arena_allocate_array(arena, options->labels.count + 2, sizeof *labels->items);
    list_for_each (pair, &options->labels)
        if (!is_restricted(pair->key))
            set_label(labels, pair->key, text_or_empty(pair->value));
    if (!text_is_empty(options->capacity_type))
        set_label(labels, LABEL_CAPACITY_TYPE, options->capacity_type);
    if (ami_family_of(options->node_class) != AMI_FAMILY_CUSTOM)
        set_label(labels, LABEL_DO_NOT_SYNC_TAINTS, "true");
    qsort(labels->items, labels->count, sizeof *labels->items, string_pair_compare);
}

static void add_taints(struct node_registration *registration,
                       const struct user_data_options *options, struct arena *arena)
{
    static const taint_list none;
    const taint_list *taints = options->taints != NULL ? options->taints : &none;
    const taint_list *startup = options->startup_taints != NULL ? options->startup_taints : &none;
    taint_list *all = &registration->taints;
    bool unregistered = false;
    all->items =
        arena_allocate_array(arena, taints->count + startup->count + 1, sizeof *all->items);
    list_for_each (taint, taints)
        all->items[all->count++] = *taint;
    list_for_each (taint, startup)
        all->items[all->count++] = *taint;
    list_for_each (taint, all)
        unregistered = unregistered || (text_equal(taint->key, TAINT_UNREGISTERED) &&
                                        text_equal(taint->effect, "NoExecute"));
    if (!unregistered)
        all->items[all->count++] = (struct taint){.key = TAINT_UNREGISTERED, .effect = "NoExecute"};
}

// A map of which every expression was dropped is absent; upstream then leaves their text.
static struct string_map reserved(const struct user_data_options *options,
                                  const struct string_map *given, const struct string_map *resolved)
{
    if (options->values == NULL || (resolved->count == 0 && options->compatibility_upstream))
        return *given;
    return *resolved;
}

void node_registration_of(struct node_registration *registration,
                          const struct user_data_options *options, struct arena *arena)
{
    static const struct kubelet_config no_kubelet;
    static const struct kubelet_values no_values;
    assert(registration != NULL && options->cluster != NULL && arena != NULL);
    const struct kubelet_config *kubelet =
        options->kubelet != NULL ? options->kubelet : &no_kubelet;
    const struct kubelet_values *values = options->values != NULL ? options->values : &no_values;
    *registration = (struct node_registration){0};
    add_labels(registration, options, arena);
    add_taints(registration, options, arena);
    registration->cluster_dns = kubelet->cluster_dns;
    if (kubelet->cluster_dns.count == 0 && !text_is_empty(options->cluster->kube_dns)) {
        registration->cluster_dns.items = arena_allocate(arena, sizeof(const char *));
        registration->cluster_dns.items[0] = options->cluster->kube_dns;
        registration->cluster_dns.count = 1;
    }
    registration->kube_reserved =
        reserved(options, &kubelet->kube_reserved, &values->kube_reserved);
    registration->system_reserved =
        reserved(options, &kubelet->system_reserved, &values->system_reserved);
    registration->raid0 = text_equal(options->node_class->spec.instance_store_policy, "RAID0");
}

const char *node_duration(const char *text, struct arena *arena)
{
    char out[DURATION_TEXT_MAX];
    int64_t nanoseconds;
    if (!duration_parse(text, &nanoseconds, NULL))
        return text;
    duration_format(nanoseconds, out);
    return arena_copy_string(arena, out);
}
