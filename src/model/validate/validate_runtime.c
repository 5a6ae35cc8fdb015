#include "model/validate/validate_runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/map.h"
#include "model/schema/karpenter.h"
#include "model/schema/schema.h"
#include "model/tables/karpenter_tables.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"
#include "model/validate/validate_parts.h"
#include "model/validate/validation.h"

struct runtime {
    const char *const *well_known;        // the provider's additional ones
    const struct provider_labels *labels; // its other facts; NULL: it has none
    bool overlay;
    struct validation *validation; // for findings, or NULL
    struct text joined;            // otherwise all errors
    struct text requirement;       // errors of the current requirement
    bool in_requirement;
};

// The checked parts of a NodePool.
struct pool_template {
    struct string_map labels;
    taint_list taints, startup_taints;
    requirement_list requirements;
};

static void check_labels(struct runtime *runtime, const struct place *place,
                         const struct string_map *labels);
static void check_taints(struct runtime *runtime, const struct place *spec_place,
                         const struct pool_template *template);
static void check_requirements(struct runtime *runtime, const struct place *place,
                               const requirement_list *requirements);
static void check_pool_key(struct runtime *runtime, const struct place *place,
                           const requirement_list *requirements);
static void check_capacity(struct runtime *runtime, const struct place *place,
                           const struct string_map *capacity);

static void check_pool_template(struct runtime *runtime, const struct pool_template *template)
{
    struct place spec = {NULL, "spec", 0}, template_place = {&spec, "template", 0};
    struct place metadata = {&template_place, "metadata", 0};
    struct place labels = {&metadata, "labels", 0};
    struct place inner = {&template_place, "spec", 0};
    struct place requirements = {&inner, "requirements", 0};
    check_labels(runtime, &labels, &template->labels);
    check_taints(runtime, &inner, template);
    check_requirements(runtime, &requirements, &template->requirements);
    check_pool_key(runtime, &requirements, &template->requirements);
}

void check_node_pool_at_run_time(struct validation *validation, const json_t *object)
{
    const json_t *json = json_object_get(json_object_get(object, "spec"), "template");
    const json_t *spec = json_object_get(json, "spec");
    const struct provider_labels *labels = provider_labels_of(
        json_text(json_object_get(spec, "nodeClassRef"), "group"), validation->options->core);
    struct runtime runtime = {
        .well_known = labels != NULL ? labels->well_known : NULL,
        .labels = labels,
        .validation = validation,
    };
    struct arena *arena CLEANUP_ARENA = arena_create(1024);
    const json_t *metadata = json_object_get(json, "metadata");
    struct pool_template template = {
        .labels = parts_texts(arena, json_object_get(metadata, "labels")),
        .taints = parts_taints(arena, json_object_get(spec, "taints")),
        .startup_taints = parts_taints(arena, json_object_get(spec, "startupTaints")),
        .requirements = parts_requirements(arena, json_object_get(spec, "requirements")),
    };
    check_pool_template(&runtime, &template);
}

void check_node_overlay_at_run_time(struct validation *validation, const json_t *object)
{
    const struct provider_labels *labels = provider_labels_of(NULL, validation->options->core);
    struct runtime runtime = {
        .well_known = labels != NULL ? labels->well_known : NULL,
        .labels = labels,
        .overlay = true,
        .validation = validation,
    };
    struct place spec = {NULL, "spec", 0};
    struct place requirements_place = {&spec, "requirements", 0};
    struct place capacity_place = {&spec, "capacity", 0};
    const json_t *json = json_object_get(object, "spec");
    struct arena *arena CLEANUP_ARENA = arena_create(1024);
    requirement_list requirements =
        parts_requirements(arena, json_object_get(json, "requirements"));
    struct string_map capacity = parts_texts(arena, json_object_get(json, "capacity"));
    check_requirements(&runtime, &requirements_place, &requirements);
    check_capacity(&runtime, &capacity_place, &capacity);
}

bool node_pool_check(const struct node_pool *pool, const char *const *well_known_extra,
                     const struct provider_labels *labels, char *message, size_t size)
{
    struct runtime runtime = {.well_known = well_known_extra, .labels = labels};
    const struct node_claim_spec *spec = &pool->spec.template.spec;
    struct pool_template template = {
        .labels = pool->spec.template.metadata.labels,
        .taints = spec->taints,
        .startup_taints = spec->startup_taints,
        .requirements = spec->requirements,
    };
    check_pool_template(&runtime, &template);
    bool valid = runtime.joined.length == 0;
    if (size > 0)
        snprintf(message, size, "%s", valid ? "" : runtime.joined.data);
    text_free(&runtime.joined);
    text_free(&runtime.requirement);
    return valid;
}

// --- reporting -----------------------------------------------------------------------------------
#define ERROR_BYTES 6000 // the list of known labels is long

// The API server has refused it already, so the controller never sees it.
static bool is_refused_at(const struct findings *findings, const struct place *place)
{
    struct text path = {0};
    place_text(place, &path);
    bool refused = false;
    for (uint32_t i = 0; findings != NULL && i < findings->count && !refused; i++)
        refused = findings->items[i].level == FINDING_REFUSED &&
                  strcmp(findings->items[i].path, path.data) == 0;
    text_free(&path);
    return refused;
}

static void fail(struct runtime *runtime, const struct place *place, const char *hint,
                 const char *format, ...) PRINTF_LIKE(4, 5);
static void fail(struct runtime *runtime, const struct place *place, const char *hint,
                 const char *format, ...)
{
    char message[ERROR_BYTES];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (runtime->validation == NULL) {
        text_join(runtime->in_requirement ? &runtime->requirement : &runtime->joined, "; ",
                  message);
    } else if (!validation_is_full(runtime->validation) &&
               !is_refused_at(runtime->validation->findings, place)) {
        bool wrap = runtime->in_requirement;
        validation_report(runtime->validation,
                          &(struct report){.level = FINDING_REJECTED,
                                           .rule = runtime->overlay ? "API-155"
                                                   : wrap           ? "API-153"
                                                                    : "API-152",
                                           .place = place,
                                           .hint = hint},
                          "%s%s%s", wrap ? "invalid value: " : "", message,
                          wrap ? " in requirements, restricted" : "");
    }
}

// Joins all errors of one requirement into one text.
static void end_requirement(struct runtime *runtime)
{
    runtime->in_requirement = false;
    if (runtime->requirement.length == 0)
        return;
    text_join(&runtime->joined, "; ", "invalid value: ");
    text_add(&runtime->joined, runtime->requirement.data);
    text_add(&runtime->joined, " in requirements, restricted");
    text_clear(&runtime->requirement);
}

// --- labels and taints ---------------------------------------------------------------------------
static const char *const *restricted_domains(const struct runtime *runtime)
{
    return runtime->labels != NULL ? runtime->labels->restricted : NULL;
}

static void check_label(struct runtime *runtime, const struct place *place, const char *key,
                        const char *value)
{
    const char *why;
    if (strcmp(key, LABEL_NODE_POOL) == 0)
        fail(runtime, place, NULL, "invalid key name \"%s\" in labels, restricted", key);
    if (!text_is_qualified_name(key, &why))
        fail(runtime, place, NULL, "invalid key name \"%s\" in labels, \"%s\"", key, why);
    if (value != NULL && !text_is_label_value(value, &why))
        fail(runtime, place, NULL, "invalid value: %s for label[%s], %s", value, key, why);
    if (label_is_restricted(key, runtime->well_known, restricted_domains(runtime))) {
        struct text text = {0};
        label_restricted_text(&text, key, runtime->well_known, restricted_domains(runtime));
        fail(runtime, place, NULL, "invalid key name \"%s\" in labels, %s", key, text.data);
        text_free(&text);
    }
}

// In byte order of the keys, so that the message is stable (API-149).
static void check_labels(struct runtime *runtime, const struct place *place,
                         const struct string_map *labels)
{
    list_for_each (label, labels) {
        struct place child = {place, label->key, 0};
        check_label(runtime, &child, label->key, label->value);
    }
}

static void check_taint(struct runtime *runtime, const struct place *place,
                        const struct taint *taint)
{
    struct place key_place = {place, "key", 0}, value_place = {place, "value", 0};
    struct place effect_place = {place, "effect", 0};
    const char *list = place->parent->key, *why;
    const char *key = text_or_empty(taint->key), *value = text_or_empty(taint->value);
    const char *effect = text_or_empty(taint->effect);
    if (key[0] == '\0')
        fail(runtime, &key_place, NULL, "invalid value: empty key in %s", list);
    if (!text_is_qualified_name(key, &why))
        fail(runtime, &key_place, NULL, "invalid value: %s in %s", why, list);
    if (value[0] != '\0' && !text_is_qualified_name(value, &why))
        fail(runtime, &value_place, NULL, "invalid value: %s in %s", why, list);
    if (effect[0] != '\0' && !text_list_has(taint_effects, effect))
        fail(runtime, &effect_place, NULL, "invalid value: \"%s\" in %s", effect, list);
}

// The same key and effect must not occur twice in both lists together; values do not matter.
static void check_pair(struct runtime *runtime, const struct place *place, struct map *seen,
                       const struct taint *taint)
{
    struct text pair = {0};
    text_format(&pair, "%s=%s", text_or_empty(taint->key), text_or_empty(taint->effect));
    if (map_set(seen, pair.data, seen) != NULL)
        fail(runtime, place, "leave one of them out", "duplicate taint Key/Effect pair %s",
             pair.data);
    text_free(&pair);
}

static void check_taints(struct runtime *runtime, const struct place *spec_place,
                         const struct pool_template *template)
{
    const struct {
        const char *name;
        const taint_list *taints;
    } lists[] = {{"taints", &template->taints}, {"startupTaints", &template->startup_taints}};
    struct map *seen = map_create();
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        struct place list_place = {spec_place, lists[i].name, 0};
        for (uint32_t k = 0; k < lists[i].taints->count; k++) {
            struct place place = {&list_place, NULL, k};
            check_taint(runtime, &place, &lists[i].taints->items[k]);
            check_pair(runtime, &place, seen, &lists[i].taints->items[k]);
        }
    }
    map_destroy(seen, NULL);
}

// --- requirements --------------------------------------------------------------------------------
static void check_operator(struct runtime *runtime, const struct place *place, const char *key,
                           const char *operator);
static void check_known_values(struct runtime *runtime, const struct place *place, const char *key,
                               const struct selector_requirement *requirement);
static void check_values(struct runtime *runtime, const struct place *place, const char *key,
                         const struct string_list *values);
static void check_count(struct runtime *runtime, const struct place *place, const char *key,
                        const struct selector_requirement *requirement);

static void check_requirement(struct runtime *runtime, const struct place *place,
                              const struct selector_requirement *requirement)
{
    if (requirement->key == NULL || requirement->operator== NULL)
        return;
    const char *key = label_alias_target(requirement->key), *why;
    struct place key_place = {place, "key", 0};
    check_operator(runtime, place, key, requirement->operator);
    if (label_is_restricted(key, runtime->well_known, restricted_domains(runtime))) {
        struct text text = {0};
        label_restricted_text(&text, key, runtime->well_known, restricted_domains(runtime));
        fail(runtime, &key_place, NULL, "%s", text.data);
        text_free(&text);
    }
    check_known_values(runtime, place, key, requirement);
    if (!text_is_qualified_name(key, &why))
        fail(runtime, &key_place, NULL, "key %s is not a qualified name, %s", key, why);
    check_values(runtime, place, key, &requirement->values);
    check_count(runtime, place, key, requirement);
}

static void check_requirements(struct runtime *runtime, const struct place *place,
                               const requirement_list *requirements)
{
    for (uint32_t i = 0; i < requirements->count; i++) {
        struct place child = {place, NULL, i};
        runtime->in_requirement = true;
        check_requirement(runtime, &child, &requirements->items[i]);
        end_requirement(runtime);
    }
}

static void check_operator(struct runtime *runtime, const struct place *place, const char *key,
                           const char *operator)
{
    struct place operator_place = {place, "operator", 0};
    struct text list = {0};
    for (size_t i = 0; requirement_operators[i] != NULL; i++) {
        text_join(&list, " ", requirement_operators[i]);
        if (strcmp(requirement_operators[i], operator) == 0)
            goto done;
    }
    fail(runtime, &operator_place, NULL, "key %s has an unsupported operator %s not in [%s]",
         key, operator, list.data);
done:
    text_free(&list);
}

static void join_values(struct text *text, const struct string_list *values,
                        const char *const *unless)
{
    list_for_each (value, values)
        if (*value != NULL && !text_list_has(unless, *value))
            text_join(text, " ", *value);
}

static bool has_value(const struct string_list *values, const char *text)
{
    list_for_each (value, values)
        if (*value != NULL && strcmp(*value, text) == 0)
            return true;
    return false;
}

// NodeOverlays have none.
static struct optional_int min_values_of(const struct runtime *runtime,
                                         const struct selector_requirement *requirement)
{
    return runtime->overlay ? (struct optional_int){0} : requirement->min_values;
}

static void check_known_values(struct runtime *runtime, const struct place *place, const char *key,
                               const struct selector_requirement *requirement)
{
    const char *const *known = label_known_values(key, runtime->labels);
    if (known == NULL || strcmp(requirement->operator, "In") != 0)
        return;
    struct place values_place = {place, "values", 0};
    struct text all = {0}, unknown = {0}, set = {0};
    struct optional_int min_values = min_values_of(runtime, requirement);
    int64_t matching = 0;
    join_values(&all, &requirement->values, NULL);
    join_values(&unknown, &requirement->values, known);
    for (size_t i = 0; known[i] != NULL; i++) {
        text_join(&set, " ", known[i]);
        matching += has_value(&requirement->values, known[i]);
    }
    if (matching == 0)
        fail(runtime, &values_place, NULL,
             "no valid values found in [%s] for %s, expected one of: [%s], got: [%s]",
             text_or_empty(all.data), key, set.data, text_or_empty(unknown.data));
    else if (min_values.present && min_values.value > matching)
        fail(runtime, &values_place, NULL,
             "not enough valid values found in [%s] for %s, expected at least %" PRId64
             " valid values from: [%s], got: %" PRId64,
             text_or_empty(all.data), key, min_values.value, set.data, matching);
    text_free(&all);
    text_free(&unknown);
    text_free(&set);
}

static void check_values(struct runtime *runtime, const struct place *place, const char *key,
                         const struct string_list *values)
{
    struct place values_place = {place, "values", 0};
    const char *why;
    for (uint32_t i = 0; i < values->count; i++) {
        struct place child = {&values_place, NULL, i};
        const char *value = values->items[i];
        if (value != NULL && !text_is_label_value(value, &why))
            fail(runtime, &child, NULL, "invalid value %s for key %s, %s", value, key, why);
    }
}

static void check_count(struct runtime *runtime, const struct place *place, const char *key,
                        const struct selector_requirement *requirement)
{
    static const char *const integer_operators[] = {"Gt", "Lt", "Gte", "Lte", NULL};
    const char *operator= requirement->operator;
    const struct string_list *values = &requirement->values;
    struct optional_int min_values = min_values_of(runtime, requirement);
    int64_t number;
    if (strcmp(operator, "In") == 0 && values->count == 0)
        fail(runtime, place, NULL, "key %s with operator In must have a value defined", key);
    if (runtime->overlay && strcmp(operator, "NotIn") == 0 && values->count == 0)
        fail(runtime, place, NULL, "key %s with operator NotIn must have a value defined", key);
    if (strcmp(operator, "In") == 0 && min_values.present && values->count < min_values.value)
        fail(runtime, place, NULL,
             "key %s with operator In must have at least minimum number of values defined in "
             "'values' field",
             key);
    if (!text_list_has(integer_operators, operator))
        return;
    const char *value = values->count == 1 ? values->items[0] : NULL;
    if (value == NULL || !text_parse_int64(value, &number) || number < 0)
        fail(runtime, place, NULL,
             "key %s with operator %s must have a single positive integer value", key, operator);
}

// API-154: the key as written, without its alias.
static void check_pool_key(struct runtime *runtime, const struct place *place,
                           const requirement_list *requirements)
{
    for (uint32_t i = 0; i < requirements->count; i++) {
        struct place child = {place, NULL, i}, key_place = {&child, "key", 0};
        const char *key = requirements->items[i].key;
        if (key != NULL && strcmp(key, LABEL_NODE_POOL) == 0)
            fail(runtime, &key_place, NULL, "invalid key: \"%s\" in requirements, restricted",
                 LABEL_NODE_POOL);
    }
}

static void check_capacity(struct runtime *runtime, const struct place *place,
                           const struct string_map *capacity)
{
    list_for_each (entry, capacity) {
        struct place child = {place, entry->key, 0};
        if (text_list_has(well_known_resources_core, entry->key) ||
            (runtime->labels != NULL && text_list_has(runtime->labels->resources, entry->key)))
            fail(runtime, &child, NULL, "invalid capacity: %s in resource, restricted", entry->key);
    }
}
