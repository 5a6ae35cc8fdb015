#include "engine/topology/topology_domains.h"

#include <assert.h>

#include "engine/pods/topology_groups.h"
#include "engine/templates/templates.h"
#include "engine/templates/type_table.h"

static bool any_common(struct bitset a, struct bitset b, struct bitset c)
{
    for (uint32_t w = 0; w < bitset_words(a.bits); w++)
        if ((a.words[w] & b.words[w] & c.words[w]) != 0)
            return true;
    return false;
}

// The template's requirements in the domain; SET_EMPTY if it cannot launch there. Memoized.
static uint32_t set_in_domain(struct problem *problem, struct node_template *template, uint32_t key,
                              uint32_t value)
{
    uint32_t known = memo_get(&template->domain_sets, key, value);
    if (known != MEMO_NONE)
        return known;
    struct requirement requirement = {.key = key, .count = 1, .values = &value};
    uint32_t pin =
        set_add_known(problem->sets, SET_EMPTY, requirement_intern(problem->sets, &requirement));
    uint32_t set = sets_compatible(problem->sets, template->set, pin, true)
                       ? set_meet(problem->sets, template->set, pin)
                       : SET_EMPTY;
    memo_set(&template->domain_sets, key, value, set);
    return set;
}

// Ignores taints: a tainted pool's domains exist for pods that tolerate it (SCH-483).
static bool can_hold(struct pass *pass, struct node_template *template, uint32_t set,
                     const struct pod_class *class)
{
    struct problem *problem = pass->problem;
    const struct shape *shape = shape_of(problem, class);
    uint32_t wanted = set_from_labels(problem->sets, &class->sample->spec.node_selector);
    if (!sets_compatible(problem->sets, set, wanted, true))
        return false;
    pass->scratch.fitting.bits = template->table->count;
    if (!template_fits(problem, template, shape->requests, pass->scratch.fitting))
        return false;
    uint32_t both = set_meet(problem->sets, set, wanted);
    return any_common(template->rows, pass->scratch.fitting,
                      type_table_filter(problem, template->table, both)->both);
}

static bool holds(struct pass *pass, struct node_template *template, uint32_t set, uint32_t class)
{
    uint32_t known = memo_get(&template->holding, set, class);
    if (known == MEMO_NONE) {
        known = can_hold(pass, template, set, class_at(pass->problem, class));
        memo_set(&template->holding, set, class, known);
    }
    return known;
}

// True if any pod of the queue could be launched in the domain. Memoized.
static bool any_pod_launches(struct pass *pass, uint32_t key, uint32_t value)
{
    struct problem *problem = pass->problem;
    uint32_t known = memo_get(&pass->asked.launchable, key, value);
    if (known != MEMO_NONE)
        return known;
    bool found = false;
    for (uint32_t t = 0; t < problem->templates.count && !found; t++) {
        struct node_template *template = problem->templates.items[t];
        uint32_t set = set_in_domain(problem, template, key, value);
        uint32_t last = NONE; // consecutive pods mostly have the same class
        for (uint32_t i = 0; set != SET_EMPTY && i < pass->input.queue_count && !found; i++) {
            uint32_t class = pass_pod(pass, i)->class;
            found = class != last && class_at(problem, class)->refusal == NULL &&
                    holds(pass, template, set, class);
            last = class;
        }
    }
    memo_set(&pass->asked.launchable, key, value, found);
    return found;
}

static bool is_closed(const struct pass *pass, uint32_t term)
{
    for (uint32_t i = 0; i < pass->input.alternative.closed_terms_count; i++)
        if (sets_compatible(pass->problem->sets, term, pass->input.alternative.closed_terms[i],
                            true) &&
            set_meet(pass->problem->sets, term, pass->input.alternative.closed_terms[i]) == term)
            return true;
    return false;
}

// True if a node of any size that passes the spread's filter can be launched in the domain, without
// the terms that `closing` (NULL: none) has closed.
static bool can_reach(struct problem *problem, const struct group_definition *group, uint32_t value,
                      const struct pass *closing)
{
    for (uint32_t t = 0; t < problem->templates.count; t++) {
        struct node_template *template = problem->templates.items[t];
        uint32_t set = set_in_domain(problem, template, group->key, value);
        for (uint32_t i = 0; set != SET_EMPTY && i < group->terms_count; i++) {
            uint32_t term = group->terms[i].set;
            if (!sets_compatible(problem->sets, set, term, true) ||
                (closing != NULL && is_closed(closing, term)))
                continue;
            const struct row_filter *filter =
                type_table_filter(problem, template->table, set_meet(problem->sets, set, term));
            if (any_common(template->rows, filter->both, filter->both))
                return true;
        }
    }
    return false;
}

static bool filter_reaches(struct problem *problem, uint32_t group, uint32_t value)
{
    uint32_t known = memo_get(&problem->topology.reached, group, value);
    if (known == MEMO_NONE) {
        known = can_reach(problem, problem->topology.groups.items[group], value, NULL);
        memo_set(&problem->topology.reached, group, value, known);
    }
    return known;
}

// True if the pass closes some of the spread's terms, but not all.
static bool closes_some(const struct pass *pass, const struct group_definition *group)
{
    uint32_t closed = 0;
    for (uint32_t i = 0; i < group->terms_count && pass->input.alternative.closed_terms_count > 0;
         i++)
        closed += is_closed(pass, group->terms[i].set);
    return closed > 0 && closed < group->terms_count;
}

bool topology_domain_counts(struct pass *pass, uint32_t group, uint32_t value)
{
    assert(group < pass->problem->topology.groups.count);
    const struct group_definition *definition = pass->problem->topology.groups.items[group];
    assert(definition->kind == GROUP_SPREAD);
    bool reached = !definition->honor_affinity || filter_reaches(pass->problem, group, value);
    if (reached && closes_some(pass, definition))
        reached = can_reach(pass->problem, definition, value, pass);
    return reached && any_pod_launches(pass, definition->key, value);
}
