#include "model/validate/validate_warnings_values.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

#include "base/pattern.h"
#include "base/quantity.h"
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
