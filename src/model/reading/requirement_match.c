#include "model/reading/requirement_match.h"

#include <assert.h>
#include <string.h>

#include "base/text.h"

static bool compares(const char *operator, int64_t number, int64_t bound)
{
    return text_equal(operator, "Gt")    ? number > bound
           : text_equal(operator, "Gte") ? number >= bound
           : text_equal(operator, "Lt")  ? number < bound
                                         : text_equal(operator, "Lte") && number <= bound;
}

bool requirement_allows(const struct selector_requirement *requirement, const char *value)
{
    assert(requirement != NULL);
    const char *operator= requirement->operator;
    if (text_equal(operator, "In"))
        return value != NULL && string_list_has(&requirement->values, value);
    if (text_equal(operator, "NotIn"))
        return value == NULL || !string_list_has(&requirement->values, value);
    if (text_equal(operator, "Exists"))
        return value != NULL;
    if (text_equal(operator, "DoesNotExist"))
        return value == NULL;
    int64_t number, bound;
    return value != NULL && requirement->values.count == 1 && text_parse_int64(value, &number) &&
           text_parse_int64(requirement->values.items[0], &bound) &&
           compares(operator, number, bound);
}

bool requirements_allow(const requirement_list *requirements, const char *key, const char *value)
{
    assert(requirements != NULL);
    assert(key != NULL);
    list_for_each (requirement, requirements)
        if (strcmp(requirement->key, key) == 0 && !requirement_allows(requirement, value))
            return false;
    return true;
}

bool requirement_meets(const struct selector_requirement *offered, const requirement_list *wanted)
{
    assert(offered != NULL);
    assert(wanted != NULL);
    if (text_equal(offered->operator, "DoesNotExist"))
        return requirements_allow(wanted, offered->key, NULL);
    if (!text_equal(offered->operator, "In"))
        return true; // open: no contradiction possible
    list_for_each (value, &offered->values)
        if (requirements_allow(wanted, offered->key, *value))
            return true;
    return false;
}

bool offering_compatible(const struct offering *offering, const requirement_list *claim)
{
    assert(offering != NULL);
    assert(claim != NULL);
    if (!offering->available)
        return false;
    list_for_each (requirement, &offering->requirements)
        if (!requirement_meets(requirement, claim))
            return false;
    return true;
}
