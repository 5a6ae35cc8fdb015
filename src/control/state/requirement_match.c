#include "control/state/requirement_match.h"

#include <string.h>

#include "base/text.h"

static bool compares(const char *operator, int64_t number, int64_t bound)
{
    if (strcmp(operator, "Gt") == 0)
        return number > bound;
    if (strcmp(operator, "Gte") == 0)
        return number >= bound;
    if (strcmp(operator, "Lt") == 0)
        return number < bound;
    return strcmp(operator, "Lte") == 0 && number <= bound;
}

bool requirement_allows(const struct selector_requirement *requirement, const char *value)
{
    const char *operator= requirement->operator;
    if (strcmp(operator, "NotIn") == 0)
        return value == NULL || !string_list_has(&requirement->values, value);
    if (strcmp(operator, "DoesNotExist") == 0)
        return value == NULL;
    if (value == NULL)
        return false;
    if (strcmp(operator, "In") == 0)
        return string_list_has(&requirement->values, value);
    if (strcmp(operator, "Exists") == 0)
        return true;
    int64_t number, bound;
    return requirement->values.count == 1 && text_parse_int64(value, &number) &&
           text_parse_int64(requirement->values.items[0], &bound) &&
           compares(operator, number, bound);
}
