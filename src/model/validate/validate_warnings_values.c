#include "model/validate/validate_warnings_values.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/pattern.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/schema/schema.h"
#include "model/tables/rules_json.h"

static bool is_counted(const char *resource)
{
    return strcmp(resource, "pods") == 0 || strcmp(resource, "nodes") == 0 ||
           strchr(resource, '/') != NULL;
}

// API-603: a value that matches the schema's pattern but does not decode invalidates the whole
// object.
void warn_quantities(struct validation *validation, const struct place *place, const json_t *map)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)map, key, value) {
        struct place child = {place, key, 0};
        const char *text = json_string_value(value);
        int64_t number, thousandths;
        struct error error;
        if (text == NULL || !pattern_matches(PATTERN_QUANTITY, text)) {
            if (json_is_integer(value) && json_integer_value(value) < 0)
                validation_warn(validation, &child, "W-quantity", NULL, "the quantity is negative");
            continue;
        }
        if (!quantity_parse(key, text, &number, &error))
            validation_report(validation,
                              &(struct report){.level = FINDING_REJECTED,
                                               .code = "W-quantity",
                                               .rule = "API-603",
                                               .place = &child},
                              "\"%s\" passes the schema but is no quantity: %s", text,
                              error.message);
        else if (number < 0)
            validation_warn(validation, &child, "W-quantity", NULL, "the quantity is negative");
        else if (is_counted(key) && quantity_parse_scaled(text, 3, &thousandths, &error) &&
                 thousandths % 1000 != 0)
            validation_warn(validation, &child, "W-quantity", NULL,
                            "\"%s\" is a fraction where whole units are counted", text);
    }
}

#define HOUR_TEXT_MAX "2562047h"

// The schemas' patterns accept any number of digits (API-19).
bool warn_duration(struct validation *validation, const struct place *place, const json_t *object,
                   int64_t *nanoseconds)
{
    const char *text = json_text(object, place->key);
    struct error error;
    *nanoseconds = DURATION_NEVER;
    if (text == NULL || strcmp(text, "Never") == 0)
        return false;
    if (!pattern_matches(PATTERN_DURATION, text))
        return false;
    if (duration_parse(text, nanoseconds, &error))
        return true;
    *nanoseconds = DURATION_NEVER;
    validation_report(validation,
                      &(struct report){.level = FINDING_REJECTED,
                                       .rule = "API-603",
                                       .place = place,
                                       .hint = "the most is " HOUR_TEXT_MAX
                                               "; write Never where the field takes it"},
                      "\"%s\" passes the schema but is too long to be read", text);
    return false;
}

// Resources of nodes; those of devices are only compared with, as there are others.
static const char *const own_resources[] = {"cpu", "memory", "nodes", "pods", "ephemeral-storage"};
static const char *const device_resources[] = {"nvidia.com/gpu",
                                               "amd.com/gpu",
                                               "aws.amazon.com/neuron",
                                               "aws.amazon.com/neuroncore",
                                               "aws.amazon.com/neurondevice",
                                               "habana.ai/gaudi",
                                               "vpc.amazonaws.com/efa",
                                               "vpc.amazonaws.com/pod-eni"};

static const char *resource_meant(const char *name)
{
    static const char *const others[][2] = {{"gpu", "nvidia.com/gpu"},
                                            {"gpus", "nvidia.com/gpu"},
                                            {"mem", "memory"},
                                            {"ram", "memory"},
                                            {"cpus", "cpu"},
                                            {"vcpu", "cpu"},
                                            {"vcpus", "cpu"},
                                            {"node", "nodes"},
                                            {"storage", "ephemeral-storage"},
                                            {"disk", "ephemeral-storage"}};
    const char *near[1];
    for (size_t i = 0; i < ARRAY_LENGTH(others); i++)
        if (strcmp(others[i][0], name) == 0)
            return others[i][1];
    bool device = strchr(name, '/') != NULL;
    size_t found =
        device ? text_nearest(name, device_resources, ARRAY_LENGTH(device_resources), near, 1)
               : text_nearest(name, own_resources, ARRAY_LENGTH(own_resources), near, 1);
    return found == 1 ? near[0] : NULL;
}

static bool is_resource(const char *name)
{
    const char *const *devices = device_resources;
    if (text_starts_with(name, "hugepages-"))
        return true;
    for (size_t i = 0; i < ARRAY_LENGTH(own_resources); i++)
        if (strcmp(own_resources[i], name) == 0)
            return true;
    for (size_t i = 0; i < ARRAY_LENGTH(device_resources); i++)
        if (strcmp(devices[i], name) == 0)
            return true;
    return strchr(name, '/') != NULL && resource_meant(name) == NULL; // a device of another kind
}

void warn_resource_names(struct validation *validation, const struct place *place,
                         const json_t *map)
{
    const char *key;
    json_t *value;
    json_object_foreach ((json_t *)map, key, value) {
        struct place child = {place, key, 0};
        struct text hint = {0};
        if (is_resource(key))
            continue;
        const char *meant = resource_meant(key);
        if (meant != NULL)
            text_format(&hint, "did you mean %s?", meant);
        validation_warn(validation, &child, "W-unknown-resource", hint.data,
                        "no node has a resource %.200s: the limit never holds anything back", key);
        text_free(&hint);
    }
}
