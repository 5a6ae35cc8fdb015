#include "engine/pods/classes.h"

#include <assert.h>

node_selector_term_list class_required_terms(const struct pod_class *class)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    node_selector_term_list terms = {0};
    if (affinity == NULL || affinity->node_affinity == NULL ||
        affinity->node_affinity->required == NULL)
        return terms;
    terms = affinity->node_affinity->required->node_selector_terms;
    assert(class->relaxation.required_dropped <= terms.count);
    terms.items += class->relaxation.required_dropped;
    terms.count -= class->relaxation.required_dropped;
    return terms;
}
