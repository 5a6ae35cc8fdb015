#include "engine/templates/claim_labels.h"

#include <inttypes.h>

#define CANDIDATES_MAX 10000 // no requirement excludes as many values

static bool needs_label(struct problem *problem, uint32_t set, uint32_t key)
{
    const struct requirement *requirement = set_get(problem->sets, set, key);
    return requirement != NULL && !requirement_accepts_absence(requirement);
}

// True if the pool or any pod requires the label to exist, whatever its value. All pods count, so
// that claims with equal requirements get equal labels.
static bool is_wanted(struct problem *problem, const struct node_template *template, uint32_t key)
{
    if (set_find(problem->sets, template->set, key) == REQUIREMENT_NONE)
        return false;
    if (needs_label(problem, template->set, key))
        return true;
    vector_for_each (shape, &problem->interned.shapes) {
        if (needs_label(problem, shape->set, key))
            return true;
        for (uint32_t i = 0; i < shape->terms_count; i++)
            if (needs_label(problem, shape->terms[i].set, key))
                return true;
    }
    return false;
}

const char *claim_label_value(struct problem *problem, const struct node_template *template,
                              const struct requirement *requirement, struct arena *arena)
{
    bool free_choice = requirement->complement && !requirement->has_gte && !requirement->has_lte;
    if (!problem->strategy->adds_asked_labels_only || !requirement->complement)
        return requirement_any(arena, problem->vocabulary, requirement);
    if (!is_wanted(problem, template, requirement->key))
        return "";
    if (!free_choice)
        return requirement_any(arena, problem->vocabulary, requirement);
    const char *value = template->pool->meta.name;
    for (uint32_t i = 1; i < CANDIDATES_MAX; i++) {
        if (requirement_has(problem->vocabulary, requirement,
                            vocabulary_value(problem->vocabulary, value)))
            return value;
        value = arena_format(arena, "%.57s-%" PRIu32, template->pool->meta.name, i);
    }
    return "";
}
