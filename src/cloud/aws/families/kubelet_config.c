#include "cloud/aws/families/kubelet_config.h"

#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"

#define CPU_STEP        10 // millicores
#define MEMORY_STEP_MIB 16

struct reading {
    struct arena *arena;
    struct error *error;
    json_t *json;
};
static bool read_int(struct reading *reading, const char *key, struct optional_int *value);
static bool read_max_pods(struct reading *reading, struct kubelet_config *config);
static bool read_flag(struct reading *reading, const char *key, struct optional_bool *value);
static bool read_map(struct reading *reading, const char *key, struct string_map *map);
static bool read_list(struct reading *reading, const char *key, struct string_list *list);

bool kubelet_config_read(struct kubelet_config *config, struct arena *arena, const char *text,
                         struct error *error)
{
    assert(config != NULL && arena != NULL);
    json_error_t problem;
    *config = (struct kubelet_config){0};
    if (text_is_empty(text))
        return true;
    json_t *json = json_loads(text, JSON_REJECT_DUPLICATES | JSON_DECODE_ANY, &problem);
    struct reading reading = {arena, error, json};
    config->json = json;
    bool read = json != NULL || error_set(error, ERROR_INVALID, "%.200s", problem.text);
    if (read && json_is_null(json)) {
        kubelet_config_free(config);
        return true;
    }
    read = read && (json_is_object(json) || error_set(error, ERROR_INVALID, "it is no object"));
    read =
        read && read_max_pods(&reading, config) &&
        read_int(&reading, "podsPerCore", &config->pods_per_core) &&
        read_map(&reading, "kubeReserved", &config->kube_reserved) &&
        read_map(&reading, "systemReserved", &config->system_reserved) &&
        read_map(&reading, "evictionHard", &config->eviction_hard) &&
        read_map(&reading, "evictionSoft", &config->eviction_soft) &&
        read_map(&reading, "evictionSoftGracePeriod", &config->eviction_soft_grace_period) &&
        read_list(&reading, "clusterDNS", &config->cluster_dns) &&
        read_int(&reading, "evictionMaxPodGracePeriod", &config->eviction_max_pod_grace_period) &&
        read_int(&reading, "imageGCHighThresholdPercent",
                 &config->image_gc_high_threshold_percent) &&
        read_int(&reading, "imageGCLowThresholdPercent", &config->image_gc_low_threshold_percent) &&
        read_flag(&reading, "cpuCFSQuota", &config->cpu_cfs_quota);
    if (read)
        return true;
    kubelet_config_free(config);
    *config = (struct kubelet_config){0};
    return error_prefix(error, "parsing spec.kubelet");
}

void kubelet_config_free(struct kubelet_config *config)
{
    assert(config != NULL);
    json_decref(config->json);
    config->json = NULL;
}

// --- reading -------------------------------------------------------------------------------------
static bool refuse(struct reading *reading, const char *key, const char *wanted)
{
    return error_set(reading->error, ERROR_INVALID, "%s must be %s", key, wanted);
}

static json_t *member(const struct reading *reading, const char *key)
{
    json_t *value = json_object_get(reading->json, key);
    return json_is_null(value) ? NULL : value;
}

static bool read_int(struct reading *reading, const char *key, struct optional_int *value)
{
    json_t *item = member(reading, key);
    if (item == NULL)
        return true;
    if (!json_is_integer(item) || json_integer_value(item) < INT32_MIN ||
        json_integer_value(item) > INT32_MAX)
        return refuse(reading, key, "a 32-bit integer");
    *value = (struct optional_int){true, json_integer_value(item)};
    return true;
}

static bool read_max_pods(struct reading *reading, struct kubelet_config *config)
{
    json_t *item = member(reading, "maxPods");
    if (!json_is_string(item))
        return read_int(reading, "maxPods", &config->max_pods);
    config->max_pods_expression = arena_copy_string(reading->arena, json_string_value(item));
    return true;
}

static bool read_flag(struct reading *reading, const char *key, struct optional_bool *value)
{
    json_t *item = member(reading, key);
    if (item == NULL)
        return true;
    if (!json_is_boolean(item))
        return refuse(reading, key, "true or false");
    *value = (struct optional_bool){true, json_is_true(item)};
    return true;
}

static bool read_map(struct reading *reading, const char *key, struct string_map *map)
{
    json_t *item = member(reading, key);
    if (item == NULL)
        return true;
    if (!json_is_object(item))
        return refuse(reading, key, "a map of strings");
    const char *name;
    json_t *value;
    map->items =
        arena_allocate_array(reading->arena, json_object_size(item) + 1, sizeof *map->items);
    json_object_foreach (item, name, value) {
        if (!json_is_string(value))
            return refuse(reading, key, "a map of strings");
        map->items[map->count++] =
            (struct string_pair){arena_copy_string(reading->arena, name),
                                 arena_copy_string(reading->arena, json_string_value(value))};
    }
    qsort(map->items, map->count, sizeof *map->items, string_pair_compare);
    return true;
}

static bool read_list(struct reading *reading, const char *key, struct string_list *list)
{
    json_t *item = member(reading, key);
    if (item == NULL)
        return true;
    if (!json_is_array(item))
        return refuse(reading, key, "a list of strings");
    size_t index;
    json_t *value;
    list->items =
        arena_allocate_array(reading->arena, json_array_size(item) + 1, sizeof *list->items);
    json_array_foreach (item, index, value) {
        if (!json_is_string(value))
            return refuse(reading, key, "a list of strings");
        list->items[list->count++] = arena_copy_string(reading->arena, json_string_value(value));
    }
    return true;
}

// --- expressions ---------------------------------------------------------------------------------
static bool is_expression(const char *value)
{
    int64_t quantity;
    return !quantity_parse_scaled(value, 0, &quantity, NULL);
}

static bool map_has_expressions(const struct string_map *map)
{
    list_for_each (pair, map)
        if (is_expression(pair->value))
            return true;
    return false;
}

bool kubelet_expressions_enabled(const struct settings *settings)
{
    char *copy CLEANUP_FREE = memory_copy_string(text_or_empty(settings->aws_feature_gates));
    bool enabled = false;
    for (char *rest = copy, *part; (part = strsep(&rest, ",")) != NULL;) {
        while (*part == ' ')
            part++;
        char *equals = strchr(part, '=');
        if (equals == NULL)
            continue;
        *equals = '\0';
        if (strcmp(part, "NodeClassCEL") == 0 && !text_parse_bool(equals + 1, &enabled))
            enabled = false;
    }
    return enabled;
}

bool kubelet_has_expressions(const struct kubelet_config *config)
{
    return config->max_pods_expression != NULL || map_has_expressions(&config->kube_reserved) ||
           map_has_expressions(&config->system_reserved);
}

static bool check_one(const char *text, const char *field, const char *key, struct arena *arena,
                      struct error *error)
{
    if (expression_compile(text, arena, error) != NULL)
        return true;
    if (error == NULL)
        return false;
    struct error inner = *error;
    return key == NULL
               ? error_set(error, inner.kind, "validating expression, %s (field=spec.kubelet.%s)",
                           inner.message, field)
               : error_set(error, inner.kind,
                           "validating expression, %s (field=spec.kubelet.%s[%s])", inner.message,
                           field, key);
}

static bool check_map(const struct string_map *map, const char *field, struct arena *arena,
                      struct error *error)
{
    list_for_each (pair, map)
        if (is_expression(pair->value) && !check_one(pair->value, field, pair->key, arena, error))
            return false;
    return true;
}

bool kubelet_check_expressions(const struct kubelet_config *config, struct error *error)
{
    CLEANUP_ARENA struct arena *arena = arena_create(4096);
    return (config->max_pods_expression == NULL ||
            check_one(config->max_pods_expression, "maxPods", NULL, arena, error)) &&
           check_map(&config->kube_reserved, "kubeReserved", arena, error) &&
           check_map(&config->system_reserved, "systemReserved", arena, error);
}

// --- values of one type --------------------------------------------------------------------------
struct resolution {
    const struct kubelet_variables *variables;
    bool gate;
    struct arena *arena;
    struct error *error;
    bool failed; // error holds the first failure
};

// The first failure counts; later ones are not told.
static void fail(struct resolution *resolution, const char *text, const struct error *inner)
{
    if (!resolution->failed)
        error_set(resolution->error, ERROR_INVALID,
                  "evaluating expression, %s (expression=%.300s, instance-type=%s)", inner->message,
                  text, text_or_empty(resolution->variables->instance_type));
    resolution->failed = true;
}

static void fail_range(struct resolution *resolution, const char *field, const char *text,
                       const char *outside, int64_t result)
{
    if (!resolution->failed)
        error_set(resolution->error, ERROR_INVALID,
                  "%s expression evaluated to %s (expression=%.300s, instance-type=%s, "
                  "result=%" PRId64 ")",
                  field, outside, text, text_or_empty(resolution->variables->instance_type),
                  result);
    resolution->failed = true;
}

static bool evaluate(struct resolution *resolution, const char *text,
                     const struct kubelet_variables *variables, int64_t *result)
{
    struct error inner = {0};
    const struct expression *expression = expression_compile(text, resolution->arena, &inner);
    if (expression != NULL && expression_evaluate(expression, variables, result, &inner))
        return true;
    fail(resolution, text, &inner);
    return false;
}

static void resolve_max_pods(struct resolution *resolution, const struct kubelet_config *config,
                             struct kubelet_values *values)
{
    const char *text = config->max_pods_expression;
    int64_t result;
    values->max_pods = config->max_pods;
    if (text == NULL || !resolution->gate ||
        !evaluate(resolution, text, resolution->variables, &result))
        return;
    if (result < 0 || result > INT32_MAX)
        fail_range(resolution, "maxPods", text, "a value outside the valid range [0, 2147483647]",
                   result);
    else
        values->max_pods = (struct optional_int){true, result};
}

// AWN-234. NULL: the number is too large to be written.
static const char *format_result(struct arena *arena, const char *resource, int64_t value)
{
    int64_t step = 1;
    const char *unit = "";
    if (strcmp(resource, "cpu") == 0) {
        step = CPU_STEP;
        unit = "m";
    } else if (strcmp(resource, "memory") == 0) {
        step = MEMORY_STEP_MIB;
        unit = "Mi";
    } else if (strcmp(resource, "ephemeral-storage") == 0) {
        unit = "Gi";
    }
    if (__builtin_add_overflow(value, step - 1, &value))
        return NULL;
    return arena_format(arena, "%" PRId64 "%s", value / step * step, unit);
}

static const char *resolve_entry(struct resolution *resolution, const char *field,
                                 const struct string_pair *pair,
                                 const struct kubelet_variables *variables)
{
    char place[200];
    int64_t result;
    if (!is_expression(pair->value))
        return pair->value;
    if (!resolution->gate || !evaluate(resolution, pair->value, variables, &result))
        return NULL;
    const char *text = result >= 0 ? format_result(resolution->arena, pair->key, result) : NULL;
    snprintf(place, sizeof place, "%s[%.100s]", field, pair->key);
    if (text == NULL)
        fail_range(resolution, place, pair->value,
                   result < 0 ? "a negative value" : "a value that is too large", result);
    return text;
}

static struct string_map resolve_map(struct resolution *resolution, const char *field,
                                     const struct string_map *map,
                                     const struct kubelet_variables *variables)
{
    struct string_map resolved = {0};
    struct string_pair *items =
        arena_allocate_array(resolution->arena, map->count + 1, sizeof *items);
    list_for_each (pair, map) {
        const char *value = resolve_entry(resolution, field, pair, variables);
        if (value != NULL)
            items[resolved.count++] = (struct string_pair){pair->key, value};
    }
    if (resolved.count > 0)
        resolved.items = items;
    return resolved;
}

bool kubelet_resolve(const struct kubelet_config *config, const struct kubelet_variables *variables,
                     bool gate, struct arena *arena, struct kubelet_values *values,
                     struct error *error)
{
    assert(config != NULL && variables != NULL && arena != NULL && values != NULL);
    struct resolution resolution = {variables, gate, arena, error, false};
    *values = (struct kubelet_values){0};
    resolve_max_pods(&resolution, config, values);
    struct kubelet_variables resolved = *variables;
    if (values->max_pods.present)
        resolved.max_pods = values->max_pods.value;
    values->kube_reserved =
        resolve_map(&resolution, "kubeReserved", &config->kube_reserved, &resolved);
    values->system_reserved =
        resolve_map(&resolution, "systemReserved", &config->system_reserved, &resolved);
    return !resolution.failed;
}
