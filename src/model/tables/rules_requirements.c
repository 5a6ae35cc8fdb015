// Lists of requirements: the number of values for each operator.
#include "base/text.h"
#include "model/tables/rules.h"
#include "model/tables/rules_json.h"

static bool needs_value(const struct rule *rule, const json_t *item);
static bool needs_one_integer(const struct rule *rule, const json_t *item);
static bool needs_min_values(const struct rule *rule, const json_t *item);

static const char *const in_operator[] = {"In", NULL};
static const char *const not_in_operator[] = {"NotIn", NULL};
static const char *const integer_operators[] = {"Gt", "Lt", "Gte", "Lte", NULL};

#define HAS_VALUE(operator) \
    "self.all(x, x.operator != '" operator"' || (has(x.values) && size(x.values) != 0))"
#define HAS_ONE_INTEGER                                                                \
    "self.all(x, !(x.operator in @LIST@) || (has(x.values) && size(x.values) == 1 && " \
    "int(x.values[0]) >= 0))"

#define IN_RULE(rule_id)                                                                       \
    {                                                                                          \
        .id = rule_id, .message = "requirements with operator 'In' must have a value defined", \
        .expression = HAS_VALUE("In"), .item_violated = needs_value, .arguments = in_operator, \
        .hint = "add values: [...], or use operator Exists"                                    \
    }

const struct rule rules_requirements[] = {
    IN_RULE("API-44"),
    {.id = "API-44",
     .message = "requirements operator 'Gt', 'Lt', 'Gte', or 'Lte' must have a single positive "
                "integer value",
     .expression = HAS_ONE_INTEGER,
     .item_violated = needs_one_integer,
     .arguments = integer_operators,
     .hint = "give exactly one whole number in quotes, for example values: [\"4\"]"},
    {.id = "API-44",
     .message = "requirements with 'minValues' must have at least that many values specified in "
                "the 'values' field",
     .expression = "self.all(x, x.operator != 'In' || !has(x.minValues) || (has(x.values) && "
                   "size(x.values) >= x.minValues))",
     .item_violated = needs_min_values,
     .hint = "add values, or lower minValues"},
};

const struct rule rules_overlay_requirements[] = {
    {.id = "API-69",
     .message = "requirements with operator 'NotIn' must have a value defined",
     .expression = HAS_VALUE("NotIn"),
     .item_violated = needs_value,
     .arguments = not_in_operator,
     .hint = "add values: [...], or use operator Exists"},
    IN_RULE("API-69"),
    {.id = "API-69",
     .message = "requirements operator 'Gt', 'Lt', 'Gte' or 'Lte' must have a single positive "
                "integer value",
     .expression = HAS_ONE_INTEGER,
     .item_violated = needs_one_integer,
     .arguments = integer_operators,
     .hint = "give exactly one whole number in quotes, for example values: [\"4\"]"},
};

static bool needs_value(const struct rule *rule, const json_t *item)
{
    return json_text_is(item, "operator", rule->arguments[0]) && json_size(item, "values") == 0;
}

// API-17: an optional sign and digits; zero is valid.
static bool needs_one_integer(const struct rule *rule, const json_t *item)
{
    bool applies = false;
    for (size_t i = 0; rule->arguments[i] != NULL; i++)
        applies = applies || json_text_is(item, "operator", rule->arguments[i]);
    if (!applies)
        return false;
    const json_t *values = json_object_get(item, "values");
    if (json_array_size(values) != 1)
        return true;
    const json_t *value = json_array_get(values, 0);
    int64_t number;
    if (!json_is_string(value))
        return false;
    return !text_parse_int64(json_string_value(value), &number) || number < 0;
}

static bool needs_min_values(const struct rule *rule, const json_t *item)
{
    (void)rule;
    const json_t *min_values = json_object_get(item, "minValues");
    return json_text_is(item, "operator", "In") && json_is_integer(min_values) &&
           (json_int_t)json_size(item, "values") < json_integer_value(min_values);
}
