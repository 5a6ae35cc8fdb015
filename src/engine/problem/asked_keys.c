#include "engine/problem/asked_keys.h"

#include <assert.h>
#include <string.h>

#include "engine/problem/node_terms.h"

void problem_ask_key(struct problem *problem, uint32_t key)
{
    assert(key < vocabulary_key_count(problem->vocabulary));
    if (key >= problem->asked.count) {
        uint32_t count = key + 64;
        problem->asked.keys = memory_resize(problem->asked.keys, count);
        memset(problem->asked.keys + problem->asked.count, 0, count - problem->asked.count);
        problem->asked.count = count;
    }
    problem->asked.keys[key] = true;
}

static void ask_key(struct problem *problem, const char *key)
{
    problem_ask_key(problem, vocabulary_key(problem->vocabulary, key));
}

static void ask_term(struct problem *problem, const struct node_selector_term *term)
{
    list_for_each (entry, &term->match_expressions)
        ask_key(problem, entry->key);
    if (term->match_fields.count > 0)
        ask_key(problem, KEY_NODE_NAME);
}

static void ask_pod_affinity(struct problem *problem, const struct pod_affinity *affinity)
{
    if (affinity == NULL)
        return;
    list_for_each (term, &affinity->required)
        ask_key(problem, term->topology_key);
    list_for_each (term, &affinity->preferred)
        ask_key(problem, term->pod_affinity_term.topology_key);
}

void pod_spec_ask_keys(struct problem *problem, const struct pod_spec *spec)
{
    list_for_each (label, &spec->node_selector)
        ask_key(problem, label->key);
    list_for_each (constraint, &spec->topology_spread_constraints)
        ask_key(problem, constraint->topology_key);
    if (spec->affinity == NULL)
        return;
    const struct node_affinity *node_affinity = spec->affinity->node_affinity;
    if (node_affinity != NULL && node_affinity->required != NULL)
        list_for_each (term, &node_affinity->required->node_selector_terms)
            ask_term(problem, term);
    if (node_affinity != NULL)
        list_for_each (term, &node_affinity->preferred)
            ask_term(problem, &term->preference);
    ask_pod_affinity(problem, spec->affinity->pod_affinity);
    ask_pod_affinity(problem, spec->affinity->pod_anti_affinity);
}
