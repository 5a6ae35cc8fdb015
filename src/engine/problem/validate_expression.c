#include "engine/problem/validate_expression.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "model/tables/well_known.h"

static void join(struct text *errors, struct text *error)
{
    if (error->length > 0)
        text_join(errors, "; ", error->data);
    text_free(error);
}

static bool is_known_operator(const char *operator)
{
    static const char *const known[] = {"In", "NotIn", "Exists", "DoesNotExist",
                                        "Gt", "Lt",    "Gte",    "Lte"};
    for (size_t i = 0; i < ARRAY_LENGTH(known); i++)
        if (text_equal(operator, known[i]))
            return true;
    return false;
}

static bool in_domain(const char *key, const char *domain)
{
    const char *slash = strchr(key, '/');
    if (slash == NULL)
        return false;
    size_t length = (size_t)(slash - key), own = strlen(domain);
    if (length == own)
        return memcmp(key, domain, own) == 0;
    return length > own && key[length - own - 1] == '.' && memcmp(slash - own, domain, own) == 0;
}

// SCH-28.
static bool is_restricted(const struct problem *problem, const char *key)
{
    uint32_t symbol = vocabulary_find_key(problem->vocabulary, key);
    if (symbol != SYMBOL_NONE && vocabulary_is_well_known(problem->vocabulary, symbol))
        return false;
    if (strcmp(label_alias_target(key), LABEL_HOSTNAME) == 0)
        return true;
    for (const char *const *domain = restricted_domains_core; *domain != NULL; domain++)
        if (in_domain(key, *domain))
            return true;
    const char *const *added =
        problem->catalog.labels != NULL ? problem->catalog.labels->restricted : NULL;
    for (; added != NULL && *added != NULL; added++)
        if (in_domain(key, *added))
            return true;
    return false;
}

static void add_restricted(const struct problem *problem, struct text *error, const char *key)
{
    const struct vocabulary *vocabulary = problem->vocabulary;
    const char **known = memory_allocate_array(vocabulary->well_known_count + 1, sizeof *known);
    uint32_t count = 0;
    for (uint32_t i = 0; i < vocabulary->well_known_count; i++)
        if (vocabulary->well_known[i])
            known[count++] = vocabulary_key_text(vocabulary, i);
    qsort(known, count, sizeof *known, text_compare);
    text_format(error,
                "using label %s is not allowed as it might interfere with the internal "
                "provisioning logic; specify a well known label: [",
                key);
    for (uint32_t i = 0; i < count; i++)
        text_format(error, "%s%s", i > 0 ? " " : "", known[i]);
    text_add(error, "], or a custom label that does not use a restricted domain: [");
    const char *const *added =
        problem->catalog.labels != NULL ? problem->catalog.labels->restricted : NULL;
    for (; added != NULL && *added != NULL; added++)
        text_format(error, "%s ", *added);
    text_format(error, "%s]", restricted_domains_core[0]);
    free(known);
}

static void add_list(struct text *text, const struct string_list *values)
{
    text_add_char(text, '[');
    for (uint32_t i = 0; i < values->count; i++)
        text_format(text, "%s%s", i > 0 ? " " : "", values->items[i]);
    text_add_char(text, ']');
}

// SCH-29: a key with a fixed set of values must allow one of them.
static void check_known_values(const struct problem *problem, struct text *errors, const char *key,
                               const struct string_list *values)
{
    const char *const *known = label_known_values(key, problem->catalog.labels);
    if (known == NULL)
        return;
    for (uint32_t i = 0; i < values->count; i++)
        if (text_list_has(known, values->items[i]))
            return;
    struct text error = {0};
    text_add(&error, "no valid values found in ");
    add_list(&error, values);
    text_format(&error, " for %s, expected one of: [", key);
    for (uint32_t i = 0; known[i] != NULL; i++)
        text_format(&error, "%s%s", i > 0 ? " " : "", known[i]);
    text_add(&error, "], got: ");
    add_list(&error, values);
    join(errors, &error);
}

static void check_bound(struct text *errors, const char *key,
                        const struct selector_requirement *expression)
{
    int64_t bound;
    if (expression->values.count == 1 && text_parse_int64(expression->values.items[0], &bound) &&
        bound >= 0)
        return;
    struct text error = {0};
    text_format(&error, "key %s with operator %s must have a single positive integer value", key,
                expression->operator);
    join(errors, &error);
}

// SCH-27.
void validate_expression(const struct problem *problem, struct text *errors,
                         const struct selector_requirement *expression)
{
    const char *key = expression->key != NULL ? label_alias_target(expression->key) : "";
    const char *why = NULL;
    const char *operator= expression->operator!= NULL ? expression->operator: "";
    struct text error = {0};
    if (!is_known_operator(operator)) {
        text_format(&error,
                    "key %s has an unsupported operator %s not in "
                    "[DoesNotExist Exists Gt Gte In Lt Lte NotIn]",
                    key, operator);
        join(errors, &error);
    }
    if (is_restricted(problem, key)) {
        add_restricted(problem, &error, key);
        join(errors, &error);
    }
    bool in = strcmp(operator, "In") == 0;
    if (in)
        check_known_values(problem, errors, key, &expression->values);
    if (!text_is_qualified_name(key, &why)) {
        text_format(&error, "key %s is not a qualified name, %s", key, why != NULL ? why : "");
        join(errors, &error);
    }
    for (uint32_t i = 0; i < expression->values.count; i++)
        if (!text_is_label_value(expression->values.items[i], &why)) {
            text_format(&error, "invalid value %s for key %s, %s", expression->values.items[i], key,
                        why != NULL ? why : "");
            join(errors, &error);
        }
    if (in && expression->values.count == 0) {
        text_format(&error, "key %s with operator In must have a value defined", key);
        join(errors, &error);
    }
    if (in && expression->min_values.present &&
        expression->values.count < expression->min_values.value) {
        text_format(&error,
                    "key %s with operator In must have at least minimum number of values defined "
                    "in 'values' field",
                    key);
        join(errors, &error);
    }
    if (operator[0] == 'G' || operator[0] == 'L')
        check_bound(errors, key, expression);
}
