#include "cloud/aws/families/kubelet_arguments.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

// Go's escapes of a text in double quotes.
static void add_quoted(struct text *text, const char *string)
{
    static const char from[] = "\\\"\a\b\f\n\r\t\v", to[] = "\\\"abfnrtv";
    text_add_char(text, '"');
    for (const char *c = string; *c != '\0'; c++) {
        const char *found = strchr(from, *c);
        if (found != NULL)
            text_format(text, "\\%c", to[found - from]);
        else if ((unsigned char)*c < 0x20 || *c == 0x7F)
            text_format(text, "\\x%02x", (unsigned)(unsigned char)*c);
        else
            text_add_char(text, *c);
    }
    text_add_char(text, '"');
}

// `--name="key=value,…"`, or with another sign than =; nothing for an empty map.
static void add_map(struct text *text, const char *name, const struct string_map *map, char sign,
                    struct arena *durations)
{
    struct text value = {0};
    list_for_each (pair, map)
        text_format(&value, "%s%s%c%s", value.length > 0 ? "," : "", pair->key, sign,
                    durations != NULL ? node_duration(pair->value, durations) : pair->value);
    if (map->count > 0) {
        text_format(text, "%s--%s=", text->length > 0 ? " " : "", name);
        add_quoted(text, value.data);
    }
    text_free(&value);
}

static void add_number(struct text *text, const char *name, struct optional_int number)
{
    if (number.present)
        text_format(text, " --%s=%" PRId64, name, number.value);
}

static void add_taints(struct text *text, const taint_list *taints)
{
    struct text value = {0};
    assert(taints->count > 0);
    list_for_each (taint, taints) {
        text_join(&value, ",", taint->key);
        if (!text_is_empty(taint->value))
            text_format(&value, "=%s", taint->value);
        text_format(&value, ":%s", text_or_empty(taint->effect));
    }
    text_format(text, "%s--register-with-taints=", text->length > 0 ? " " : "");
    add_quoted(text, value.data);
    text_free(&value);
}

void kubelet_labels_argument_add(struct text *text, const struct string_map *labels)
{
    add_map(text, "node-labels", labels, '=', NULL);
}

void kubelet_arguments_add(struct text *text, const struct user_data_options *options,
                           const struct node_registration *registration, struct arena *arena)
{
    static const struct kubelet_config none;
    const struct kubelet_config *kubelet = options->kubelet != NULL ? options->kubelet : &none;
    struct text arguments = {0};
    kubelet_labels_argument_add(&arguments, &registration->labels);
    add_taints(&arguments, &registration->taints);
    text_format(&arguments, " --max-pods=%" PRId64, options->max_pods);
    add_number(&arguments, "pods-per-core", kubelet->pods_per_core);
    add_map(&arguments, "system-reserved", &registration->system_reserved, '=', NULL);
    add_map(&arguments, "kube-reserved", &registration->kube_reserved, '=', NULL);
    add_map(&arguments, "eviction-hard", &kubelet->eviction_hard, '<', NULL);
    add_map(&arguments, "eviction-soft", &kubelet->eviction_soft, '<', NULL);
    add_map(&arguments, "eviction-soft-grace-period", &kubelet->eviction_soft_grace_period, '=',
            arena);
    add_number(&arguments, "eviction-max-pod-grace-period", kubelet->eviction_max_pod_grace_period);
    add_number(&arguments, "image-gc-high-threshold", kubelet->image_gc_high_threshold_percent);
    add_number(&arguments, "image-gc-low-threshold", kubelet->image_gc_low_threshold_percent);
    if (kubelet->cpu_cfs_quota.present)
        text_format(&arguments, " --cpu-cfs-quota=%s",
                    kubelet->cpu_cfs_quota.value ? "true" : "false");
    text_add(text, arguments.data);
    text_free(&arguments);
}
