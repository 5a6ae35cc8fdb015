#include "engine/pods/validate_pods.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engine/problem/validate_expression.h"
#include "engine/problem/volume_validation.h"

static const struct node_affinity *node_affinity_of(const struct pod *pod)
{
    return pod->spec.affinity != NULL ? pod->spec.affinity->node_affinity : NULL;
}

static bool refuses_pools(const requirement_list *list)
{
    list_for_each (entry, list)
        if (text_equal(entry->key, LABEL_NODE_POOL) && text_equal(entry->operator, "DoesNotExist"))
            return true;
    return false;
}

// SCH-26 check 1 with SCH-104: an explicit DoesNotExist on the NodePool label. A contradiction is
// reported like any other when no pool can meet it.
static bool is_not_for_pools(const struct problem *problem, const struct pod *pod)
{
    const struct node_affinity *affinity = node_affinity_of(pod);
    if (affinity == NULL)
        return false;
    if (affinity->required != NULL && affinity->required->node_selector_terms.count > 0 &&
        refuses_pools(&affinity->required->node_selector_terms.items[0].match_expressions))
        return true;
    const struct preferred_scheduling_term *heaviest = NULL;
    list_for_each (term, &affinity->preferred)
        if (heaviest == NULL || term->weight > heaviest->weight)
            heaviest = term;
    return heaviest != NULL && !problem->settings->preference_policy_ignore &&
           refuses_pools(&heaviest->preference.match_expressions);
}

// SCH-26 check 3; SCH-515: the API server admits only In and NotIn with one Node name.
static bool fields_are_supported(const struct problem *problem,
                                 const struct node_selector_term *term)
{
    list_for_each (field, &term->match_fields)
        if (!problem->strategy->filters_as_scheduler || !text_equal(field->key, "metadata.name") ||
            (!text_equal(field->operator, "In") && !text_equal(field->operator, "NotIn")))
            return false;
    return true;
}

const char *validate_pod(struct problem *problem, const struct pod *pod, bool *silent)
{
    struct text errors = {0};
    const struct node_affinity *affinity = node_affinity_of(pod);
    *silent = is_not_for_pools(problem, pod);
    if (*silent)
        text_add(&errors, "configured to not run on a Karpenter provisioned node "
                          "(requirement=karpenter.sh/nodepool DoesNotExist)");
    list_for_each (label, &pod->spec.node_selector) {
        struct selector_requirement expression = {.key = label->key, .operator= "In" };
        expression.values.items = &label->value;
        expression.values.count = 1;
        validate_expression(problem, &errors, &expression);
    }
    if (affinity != NULL && affinity->required != NULL)
        list_for_each (term, &affinity->required->node_selector_terms) {
            if (!fields_are_supported(problem, term))
                text_join(&errors, "; ", "node selector term with matchFields is not supported");
            list_for_each (expression, &term->match_expressions)
                validate_expression(problem, &errors, expression);
        }
    const char *volumes = volumes_validate(problem, pod);
    if (volumes != NULL)
        text_join(&errors, "; ", volumes);
    if (errors.length == 0) {
        text_free(&errors);
        return NULL;
    }
    return problem_copy(problem, &errors);
}
