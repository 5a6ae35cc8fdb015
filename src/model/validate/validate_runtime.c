#include "model/validate/validate_runtime.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "model/schema/encode.h"
#include "model/schema/karpenter.h"
#include "model/schema/schema.h"
#include "model/tables/karpenter_tables.h"
#include "model/tables/rules_json.h"
#include "model/tables/well_known.h"
#include "model/validate/validation.h"

struct runtime {
    const char *const *well_known;        // what the provider adds
    const struct provider_labels *labels; // its other facts; NULL: it has none
    bool overlay;
    struct validation *validation; // for findings, or NULL
    struct text joined;            // else all errors
    struct text requirement;       // errors of the requirement being looked at
    bool in_requirement;
};

static void check_labels(struct runtime *runtime, const struct place *place, const json_t *labels);
static void check_taints(struct runtime *runtime, const struct place *spec_place,
                         const json_t *spec);
static void check_requirements(struct runtime *runtime, const struct place *place,
                               const json_t *requirements);
static void check_pool_key(struct runtime *runtime, const struct place *place,
                           const json_t *requirements);
static void check_capacity(struct runtime *runtime, const struct place *place,
                           const json_t *capacity);

static void check_pool_template(struct runtime *runtime, const json_t *pool)
{
    struct place spec = {NULL, "spec", 0}, template = {&spec, "template", 0};
    struct place metadata = {&template, "metadata", 0};
    struct place labels = {&metadata, "labels", 0};
    struct place inner = {&template, "spec", 0};
    struct place requirements = {&inner, "requirements", 0};
    const json_t *json = json_object_get(json_object_get(pool, "spec"), "template");
    const json_t *json_spec = json_object_get(json, "spec");
    check_labels(runtime, &labels, json_object_get(json_object_get(json, "metadata"), "labels"));
    check_taints(runtime, &inner, json_spec);
    check_requirements(runtime, &requirements, json_object_get(json_spec, "requirements"));
    check_pool_key(runtime, &requirements, json_object_get(json_spec, "requirements"));
}

void check_node_pool_at_run_time(struct validation *validation, const json_t *object)
{
    const json_t *template = json_object_get(json_object_get(object, "spec"), "template");
    const json_t *reference = json_object_get(json_object_get(template, "spec"), "nodeClassRef");
    const struct provider_labels *labels =
        provider_labels_of(json_text(reference, "group"), validation->options->core);
    struct runtime runtime = {
        .well_known = labels != NULL ? labels->well_known : NULL,
        .labels = labels,
        .validation = validation,
    };
    check_pool_template(&runtime, object);
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
    struct place requirements = {&spec, "requirements", 0};
    struct place capacity = {&spec, "capacity", 0};
    const json_t *json = json_object_get(object, "spec");
    check_requirements(&runtime, &requirements, json_object_get(json, "requirements"));
    check_capacity(&runtime, &capacity, json_object_get(json, "capacity"));
}

bool node_pool_check(const struct node_pool *pool, const char *const *well_known_extra,
                     const struct provider_labels *labels, char *message, size_t size)
{
    struct runtime runtime = {.well_known = well_known_extra, .labels = labels};
    json_t *object = object_encode((const struct object *)pool);
    check_pool_template(&runtime, object);
    json_decref(object);
    bool valid = runtime.joined.length == 0;
    if (size > 0)
        snprintf(message, size, "%s", valid ? "" : runtime.joined.data);
    text_free(&runtime.joined);
    text_free(&runtime.requirement);
    return valid;
}

// --- reporting -----------------------------------------------------------------------------------
#define ERROR_BYTES 6000 // the list of known labels is long

// The API server has refused it already: the controller never sees it.
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

// All errors of one requirement stand together in one text.
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
static int compare_keys(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

// Keys in byte order: the message is to be the same each time (API-149). The caller frees.
static const char **sorted_keys(const json_t *object)
{
    const char **keys = memory_allocate_array(json_object_size(object) + 1, sizeof *keys);
    size_t count = 0;
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)object, key, value)
        keys[count++] = key;
    qsort(keys, count, sizeof *keys, compare_keys);
    return keys;
}

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

static void check_labels(struct runtime *runtime, const struct place *place, const json_t *labels)
{
    if (!json_is_object(labels))
        return;
    const char **keys = sorted_keys(labels);
    for (size_t i = 0; keys[i] != NULL; i++) {
        struct place child = {place, keys[i], 0};
        check_label(runtime, &child, keys[i], json_text(labels, keys[i]));
    }
    free(keys);
}

static void check_taint(struct runtime *runtime, const struct place *place, const json_t *taint)
{
    struct place key_place = {place, "key", 0}, value_place = {place, "value", 0};
    struct place effect_place = {place, "effect", 0};
    const char *list = place->parent->key, *why;
    const char *key = json_text(taint, "key"), *value = json_text(taint, "value");
    const char *effect = json_text(taint, "effect");
    if (key == NULL || key[0] == '\0')
        fail(runtime, &key_place, NULL, "invalid value: empty key in %s", list);
    if (!text_is_qualified_name(key != NULL ? key : "", &why))
        fail(runtime, &key_place, NULL, "invalid value: %s in %s", why, list);
    if (value != NULL && value[0] != '\0' && !text_is_qualified_name(value, &why))
        fail(runtime, &value_place, NULL, "invalid value: %s in %s", why, list);
    bool known = effect == NULL || effect[0] == '\0';
    for (size_t i = 0; !known && taint_effects[i] != NULL; i++)
        known = strcmp(taint_effects[i], effect) == 0;
    if (!known)
        fail(runtime, &effect_place, NULL, "invalid value: \"%s\" in %s", effect, list);
}

// The same key and effect must not stand twice, in both lists together; values do not matter.
static void check_pair(struct runtime *runtime, const struct place *place, json_t *seen,
                       const json_t *taint)
{
    const char *key = json_text(taint, "key"), *effect = json_text(taint, "effect");
    struct text pair = {0};
    text_format(&pair, "%s=%s", key != NULL ? key : "", effect != NULL ? effect : "");
    if (json_object_get(seen, pair.data) != NULL)
        fail(runtime, place, "leave one of them out", "duplicate taint Key/Effect pair %s",
             pair.data);
    json_object_set_new(seen, pair.data, json_true());
    text_free(&pair);
}

static void check_taints(struct runtime *runtime, const struct place *spec_place,
                         const json_t *spec)
{
    static const char *const lists[] = {"taints", "startupTaints"};
    json_t *seen = json_object();
    for (size_t i = 0; i < ARRAY_LENGTH(lists); i++) {
        struct place list_place = {spec_place, lists[i], 0};
        size_t index;
        json_t *taint;
        json_array_foreach (json_object_get(spec, lists[i]), index, taint) {
            struct place place = {&list_place, NULL, index};
            check_taint(runtime, &place, taint);
            check_pair(runtime, &place, seen, taint);
        }
    }
    json_decref(seen);
}

// --- requirements --------------------------------------------------------------------------------
static void check_operator(struct runtime *runtime, const struct place *place, const char *key,
                           const char *operator);
static void check_known_values(struct runtime *runtime, const struct place *place, const char *key,
                               const json_t *requirement);
static void check_values(struct runtime *runtime, const struct place *place, const char *key,
                         const json_t *values);
static void check_count(struct runtime *runtime, const struct place *place, const char *key,
                        const json_t *requirement);

static void check_requirement(struct runtime *runtime, const struct place *place,
                              const json_t *requirement)
{
    const char *given = json_text(requirement, "key"),
               *operator= json_text(requirement, "operator");
    if (given == NULL || operator== NULL)
        return;
    const char *key = label_alias_target(given), *why;
    struct place key_place = {place, "key", 0};
    check_operator(runtime, place, key, operator);
    if (label_is_restricted(key, runtime->well_known, restricted_domains(runtime))) {
        struct text text = {0};
        label_restricted_text(&text, key, runtime->well_known, restricted_domains(runtime));
        fail(runtime, &key_place, NULL, "%s", text.data);
        text_free(&text);
    }
    check_known_values(runtime, place, key, requirement);
    if (!text_is_qualified_name(key, &why))
        fail(runtime, &key_place, NULL, "key %s is not a qualified name, %s", key, why);
    check_values(runtime, place, key, json_object_get(requirement, "values"));
    check_count(runtime, place, key, requirement);
}

static void check_requirements(struct runtime *runtime, const struct place *place,
                               const json_t *requirements)
{
    size_t index;
    json_t *requirement;
    json_array_foreach (requirements, index, requirement) {
        struct place child = {place, NULL, index};
        runtime->in_requirement = true;
        check_requirement(runtime, &child, requirement);
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

static void join_values(struct text *text, const json_t *values, const char *const *unless)
{
    size_t index;
    json_t *value;
    json_array_foreach (values, index, value) {
        const char *word = json_string_value(value);
        if (word != NULL && !text_list_has(unless, word))
            text_join(text, " ", word);
    }
}

static void check_known_values(struct runtime *runtime, const struct place *place, const char *key,
                               const json_t *requirement)
{
    const char *const *known = label_known_values(key, runtime->labels);
    if (known == NULL || !json_text_is(requirement, "operator", "In"))
        return;
    struct place values_place = {place, "values", 0};
    struct text all = {0}, unknown = {0}, set = {0};
    const json_t *values = json_object_get(requirement, "values");
    const json_t *min_values = runtime->overlay ? NULL : json_object_get(requirement, "minValues");
    size_t matching = 0;
    join_values(&all, values, NULL);
    join_values(&unknown, values, known);
    for (size_t i = 0; known[i] != NULL; i++) {
        text_join(&set, " ", known[i]);
        size_t index;
        json_t *value;
        bool found = false;
        json_array_foreach (values, index, value)
            found =
                found || (json_is_string(value) && strcmp(json_string_value(value), known[i]) == 0);
        matching += found;
    }
    const char *all_text = all.data != NULL ? all.data : "";
    if (matching == 0)
        fail(runtime, &values_place, NULL,
             "no valid values found in [%s] for %s, expected one of: [%s], got: [%s]", all_text,
             key, set.data, unknown.data != NULL ? unknown.data : "");
    else if (json_is_integer(min_values) && json_integer_value(min_values) > (json_int_t)matching)
        fail(runtime, &values_place, NULL,
             "not enough valid values found in [%s] for %s, expected at least %" JSON_INTEGER_FORMAT
             " valid values from: [%s], got: %zu",
             all_text, key, json_integer_value(min_values), set.data, matching);
    text_free(&all);
    text_free(&unknown);
    text_free(&set);
}

static void check_values(struct runtime *runtime, const struct place *place, const char *key,
                         const json_t *values)
{
    struct place values_place = {place, "values", 0};
    size_t index;
    json_t *value;
    const char *why;
    json_array_foreach (values, index, value) {
        struct place child = {&values_place, NULL, index};
        if (json_is_string(value) && !text_is_label_value(json_string_value(value), &why))
            fail(runtime, &child, NULL, "invalid value %s for key %s, %s", json_string_value(value),
                 key, why);
    }
}

static void check_count(struct runtime *runtime, const struct place *place, const char *key,
                        const json_t *requirement)
{
    static const char *const integer_operators[] = {"Gt", "Lt", "Gte", "Lte", NULL};
    const char *operator= json_text(requirement, "operator");
    const json_t *values = json_object_get(requirement, "values");
    const json_t *min_values = runtime->overlay ? NULL : json_object_get(requirement, "minValues");
    size_t count = json_array_size(values);
    int64_t number;
    if (strcmp(operator, "In") == 0 && count == 0)
        fail(runtime, place, NULL, "key %s with operator In must have a value defined", key);
    if (runtime->overlay && strcmp(operator, "NotIn") == 0 && count == 0)
        fail(runtime, place, NULL, "key %s with operator NotIn must have a value defined", key);
    if (strcmp(operator, "In") == 0 && json_is_integer(min_values) &&
        (json_int_t)count < json_integer_value(min_values))
        fail(runtime, place, NULL,
             "key %s with operator In must have at least minimum number of values defined in "
             "'values' field",
             key);
    if (!text_list_has(integer_operators, operator))
        return;
    const char *value = count == 1 ? json_string_value(json_array_get(values, 0)) : NULL;
    if (value == NULL || !text_parse_int64(value, &number) || number < 0)
        fail(runtime, place, NULL,
             "key %s with operator %s must have a single positive integer value", key, operator);
}

// API-154: the key as written, so an alias does not matter here.
static void check_pool_key(struct runtime *runtime, const struct place *place,
                           const json_t *requirements)
{
    size_t index;
    json_t *requirement;
    json_array_foreach (requirements, index, requirement) {
        struct place child = {place, NULL, index}, key_place = {&child, "key", 0};
        if (json_text_is(requirement, "key", LABEL_NODE_POOL))
            fail(runtime, &key_place, NULL, "invalid key: \"%s\" in requirements, restricted",
                 LABEL_NODE_POOL);
    }
}

static void check_capacity(struct runtime *runtime, const struct place *place,
                           const json_t *capacity)
{
    if (!json_is_object(capacity))
        return;
    const char **keys = sorted_keys(capacity);
    for (size_t i = 0; keys[i] != NULL; i++) {
        struct place child = {place, keys[i], 0};
        if (text_list_has(well_known_resources_core, keys[i]) ||
            (runtime->labels != NULL && text_list_has(runtime->labels->resources, keys[i])))
            fail(runtime, &child, NULL, "invalid capacity: %s in resource, restricted", keys[i]);
    }
    free(keys);
}
