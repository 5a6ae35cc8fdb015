#include "sim/scheduler/scheduler_node_affinity.h"

#include <string.h>

#include "sim/scheduler/scheduler_internal.h"

static bool term_matches(const struct node_selector_term *term, const struct node *node);

bool filter_node_affinity_matches(const struct pod_spec *spec, const struct node *node)
{
    list_for_each (label, &spec->node_selector) {
        if (!text_equal(string_map_get(&node->meta.labels, label->key), label->value))
            return false;
    }
    const struct node_affinity *affinity =
        spec->affinity == NULL ? NULL : spec->affinity->node_affinity;
    if (affinity == NULL || affinity->required == NULL)
        return true;
    return filter_node_terms_match(&affinity->required->node_selector_terms, node);
}

// One term is enough; no terms, as a term without expressions, match nothing.
bool filter_node_terms_match(const node_selector_term_list *terms, const struct node *node)
{
    list_for_each (term, terms) {
        if (term_matches(term, node))
            return true;
    }
    return false;
}

static bool compare_numbers(const char *operator, const char * have,
                            const struct string_list *values)
{
    int64_t number, bound;
    if (have == NULL || values->count != 1 || !text_parse_int64(have, &number) ||
        !text_parse_int64(values->items[0], &bound))
        return false;
    return strcmp(operator, "Gt") == 0 ? number > bound : number < bound;
}

static bool requirement_holds(const struct selector_requirement *requirement, const char *have)
{
    const char *operator= requirement->operator== NULL ? "" : requirement->operator;
    if (strcmp(operator, "In") == 0)
        return have != NULL && string_list_has(&requirement->values, have);
    if (strcmp(operator, "NotIn") == 0)
        return have == NULL || !string_list_has(&requirement->values, have);
    if (strcmp(operator, "Exists") == 0)
        return have != NULL;
    if (strcmp(operator, "DoesNotExist") == 0)
        return have == NULL;
    if (strcmp(operator, "Gt") == 0 || strcmp(operator, "Lt") == 0)
        return compare_numbers(operator, have, &requirement->values);
    return false;
}

static bool field_holds(const struct selector_requirement *requirement, const struct node *node)
{
    if (!text_equal(requirement->key, "metadata.name") || requirement->values.count != 1)
        return false;
    if (!text_equal(requirement->operator, "In") && !text_equal(requirement->operator, "NotIn"))
        return false;
    return requirement_holds(requirement, node->meta.name);
}

static bool term_matches(const struct node_selector_term *term, const struct node *node)
{
    if (term->match_expressions.count == 0 && term->match_fields.count == 0)
        return false;
    list_for_each (requirement, &term->match_expressions) {
        if (!requirement_holds(requirement, string_map_get(&node->meta.labels, requirement->key)))
            return false;
    }
    list_for_each (requirement, &term->match_fields) {
        if (!field_holds(requirement, node))
            return false;
    }
    return true;
}
