#include "model/reading/selector.h"

#include <string.h>

#include "base/text.h"
#include "model/reading/requirement_match.h"

// Valid for the API's conversion to a selector: In and NotIn with values, the others without.
static bool requirement_is_valid(const struct selector_requirement *requirement)
{
    const char *operator= requirement->operator;
    if (requirement->key == NULL || !text_is_qualified_name(requirement->key, NULL))
        return false;
    if (text_equal(operator, "In") || text_equal(operator, "NotIn")) {
        if (requirement->values.count == 0)
            return false;
        for (uint32_t i = 0; i < requirement->values.count; i++)
            if (!text_is_label_value(requirement->values.items[i], NULL))
                return false;
        return true;
    }
    bool takes_none = text_equal(operator, "Exists") || text_equal(operator, "DoesNotExist");
    return takes_none && requirement->values.count == 0;
}

static bool label_selector_is_valid(const struct label_selector *selector)
{
    for (uint32_t i = 0; i < selector->match_labels.count; i++) {
        const struct string_pair *pair = &selector->match_labels.items[i];
        if (!text_is_qualified_name(pair->key, NULL) || !text_is_label_value(pair->value, NULL))
            return false;
    }
    list_for_each (requirement, &selector->match_expressions)
        if (!requirement_is_valid(requirement))
            return false;
    return true;
}

bool label_selector_matches(const struct label_selector *selector, const struct string_map *labels)
{
    if (selector == NULL || !label_selector_is_valid(selector))
        return false;
    for (uint32_t i = 0; i < selector->match_labels.count; i++) {
        const struct string_pair *pair = &selector->match_labels.items[i];
        if (!text_equal(string_map_get(labels, pair->key), pair->value))
            return false;
    }
    list_for_each (requirement, &selector->match_expressions)
        if (!requirement_allows(requirement, string_map_get(labels, requirement->key)))
            return false;
    return true;
}

bool budget_is_unreadable(const struct pod_disruption_budget *budget)
{
    return budget->meta.unreadable != NULL ||
           (budget->spec.selector != NULL && !label_selector_is_valid(budget->spec.selector));
}

bool budget_covers(const struct pod_disruption_budget *budget, const struct object_meta *pod)
{
    return text_equal(budget->meta.namespace, pod->namespace) &&
           (budget_is_unreadable(budget) ||
            label_selector_matches(budget->spec.selector, &pod->labels));
}

bool budget_is_exhausted(const struct pod_disruption_budget *budget)
{
    return budget->status.disruptions_allowed <= 0 || budget_is_unreadable(budget);
}
