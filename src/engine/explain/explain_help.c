#include "engine/explain/explain_help.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "base/text.h"
#include "engine/explain/explain.h"
#include "engine/explain/explain_help_parts.h"
#include "engine/explain/explain_miss.h"
#include "engine/explain/explain_pool_help.h"
#include "engine/pass/pass_state.h"
#include "engine/placement/node_check.h"
#include "engine/placement/place_node.h"
#include "engine/templates/type_table.h"
#include "engine/topology/topology.h"
#include "engine/topology/topology_record.h"
#include "model/reading/pod.h"

#define HELP_NODES_MAX 1000 // existing nodes tried for each change, in order
#define TAINTS_MAX     8    // tolerations tried
#define VALUES_SHOWN   3

// --- changed classes -----------------------------------------------------------------------------

// Adds a class like `base` with another shape, for explanations only.
static uint32_t add_variant(struct pass *pass, uint32_t base, const struct shape *shape)
{
    struct problem *problem = pass->problem;
    struct pod_class *variant = arena_allocate(problem->arena, sizeof *variant);
    *variant = *class_at(problem, base);
    vector_push(&problem->interned.shapes, *shape);
    variant->shape = problem->interned.shapes.count - 1;
    variant->relaxed = NONE;
    vector_push(&problem->interned.classes, variant);
    return problem->interned.classes.count - 1;
}

struct shape help_own_shape(const struct helper *helper)
{
    return *shape_of(helper->pass->problem, class_at(helper->pass->problem, helper->class));
}

static bool find_place(struct pass *pass, uint32_t class, struct outcome *out)
{
    struct problem *problem = pass->problem;
    *out = (struct outcome){.node = NONE};
    if (!pass_class(pass, class)->prepared)
        topology_prepare(pass, class);
    for (uint32_t i = 0; i < problem->nodes.count && i < HELP_NODES_MAX; i++)
        if (pass->slots[i].usable && node_check(pass, i, class) == ACCEPTED) {
            out->node = i;
            return true;
        }
    for (uint32_t t = 0; t < problem->templates.count; t++)
        if (explain_try_template(pass, problem->templates.items[t], class, false, &out->type,
                                 &out->price)) {
            out->template = problem->templates.items[t];
            return true;
        }
    return false;
}

// Appends the pod's place and adds the entry.
void help_add(struct helper *helper, const char *change, struct text *detail,
              const struct outcome *outcome)
{
    struct plan_explanation *explanation = helper->explanation;
    if (explanation->help.count < HELP_MAX) {
        if (outcome->node != NONE)
            text_format(detail, "; node %s would take it",
                        helper->pass->problem->nodes.items[outcome->node].name);
        else
            text_format(detail, "; NodePool %s would launch %s for $%.4f an hour",
                        outcome->template->pool->meta.name, outcome->type,
                        price_to_double(outcome->price));
        explanation->help.items[explanation->help.count++] =
            (struct plan_help){change, arena_copy_string(helper->arena, detail->data)};
    }
    text_free(detail);
}

// --- tolerations ---------------------------------------------------------------------------------

static bool is_condition_taint(const struct taint *taint)
{
    return text_starts_with(taint->key, "node.kubernetes.io/") ||
           text_starts_with(taint->key, "karpenter.sh/");
}

static void try_toleration(struct helper *helper, const struct taint *taint)
{
    struct problem *problem = helper->pass->problem;
    struct shape shape = help_own_shape(helper);
    const toleration_list *own = problem->interned.toleration_lists.items[shape.tolerations];
    toleration_list list = {0};
    list.items = arena_allocate_array(problem->arena, own->count + 1, sizeof *list.items);
    if (own->count > 0)
        memcpy(list.items, own->items, own->count * sizeof *list.items);
    list.count = own->count;
    list.items[list.count++] = (struct toleration){
        .key = taint->key, .operator= "Equal", .value = taint->value, .effect = taint->effect};
    shape.tolerations = problem_intern_tolerations(problem, &list);
    struct outcome outcome;
    uint32_t variant = add_variant(helper->pass, helper->class, &shape);
    class_at(problem, variant)->tolerations =
        problem->interned.toleration_lists.items[shape.tolerations];
    if (!find_place(helper->pass, variant, &outcome))
        return;
    struct text text = {0};
    bool has_value = taint->value != NULL && taint->value[0] != '\0';
    text_format(&text, "tolerate the taint %s%s%s:%s", taint->key, has_value ? "=" : "",
                has_value ? taint->value : "", taint->effect);
    help_add(helper, "toleration", &text, &outcome);
}

struct taints {
    const struct taint *items[TAINTS_MAX];
    uint32_t count;
};

static void collect_taints(const struct helper *helper, uint32_t taints, struct taints *out)
{
    struct problem *problem = helper->pass->problem;
    const struct shape *shape = shape_of(problem, class_at(problem, helper->class));
    if (problem_tolerates(problem, shape->tolerations, taints))
        return;
    list_for_each (taint, problem->interned.taint_lists.items[taints]) {
        bool known = tolerations_tolerate(
                         problem->interned.toleration_lists.items[shape->tolerations], taint) ||
                     is_condition_taint(taint);
        for (uint32_t i = 0; i < out->count && !known; i++)
            known = text_equal(out->items[i]->key, taint->key) &&
                    text_equal(out->items[i]->value, taint->value) &&
                    text_equal(out->items[i]->effect, taint->effect);
        if (!known && out->count < TAINTS_MAX)
            out->items[out->count++] = taint;
    }
}

static void help_by_toleration(struct helper *helper)
{
    const struct problem *problem = helper->pass->problem;
    struct taints taints = {.count = 0};
    for (uint32_t t = 0; t < problem->templates.count; t++)
        collect_taints(helper, problem->templates.items[t]->taints, &taints);
    for (uint32_t i = 0; i < problem->nodes.count && i < HELP_NODES_MAX; i++)
        collect_taints(helper, problem->schedulable_nodes[i].taints, &taints);
    for (uint32_t i = 0; i < taints.count; i++)
        try_toleration(helper, taints.items[i]);
}

// --- requirements, labels and typos --------------------------------------------------------------

static void add_name(struct help_names *names, const char *name)
{
    for (uint32_t i = 0; i < names->count; i++)
        if (strcmp(names->items[i], name) == 0)
            return;
    vector_push(names, name);
}

static void add_values_of(const struct problem *problem, const struct requirement *requirement,
                          struct help_names *out)
{
    for (uint32_t i = 0; requirement != NULL && !requirement->complement && i < requirement->count;
         i++)
        add_name(out, vocabulary_value_text(problem->vocabulary, requirement->values[i]));
}

void help_values_there(struct helper *helper, const struct outcome *outcome, uint32_t key,
                       struct help_names *out)
{
    struct problem *problem = helper->pass->problem;
    if (outcome->node != NONE) {
        add_values_of(problem,
                      set_get(problem->sets, problem->schedulable_nodes[outcome->node].set, key),
                      out);
        return;
    }
    struct type_table *table = outcome->template->table;
    const struct requirement *settled =
        set_get(problem->sets, helper->pass->scratch.attempt.set, key);
    if (settled != NULL && !settled->complement) {
        add_values_of(problem, settled, out);
        return;
    }
    bool by_offering = false;
    bitset_for_each (r, helper->pass->scratch.attempt.rows)
        list_for_each (offering, &table->rows[r].offerings) {
            const struct requirement *own = set_get(problem->sets, offering->set, key);
            by_offering = by_offering || own != NULL;
            if (own != NULL && sets_compatible(problem->sets, helper->pass->scratch.attempt.set,
                                               offering->set, true))
                add_values_of(problem, set_get(problem->sets, offering->set, key), out);
        }
    if (by_offering)
        return;
    bitset_for_each (r, helper->pass->scratch.attempt.rows)
        add_values_of(problem, set_get(problem->sets, table->rows[r].set, key), out);
}

// The class without its requirement on the key, or with another one in its place.
static uint32_t requirement_variant(struct helper *helper, uint32_t key,
                                    const struct requirement *instead)
{
    struct problem *problem = helper->pass->problem;
    struct shape shape = help_own_shape(helper);
    uint32_t strict = class_at(problem, helper->class)->strict_set;
    shape.set = set_remove(problem->sets, shape.set, key);
    strict = set_remove(problem->sets, strict, key);
    if (instead != NULL) {
        shape.set = set_add(problem->sets, shape.set, instead);
        strict = set_add(problem->sets, strict, instead);
    }
    uint32_t variant = add_variant(helper->pass, helper->class, &shape);
    class_at(problem, variant)->strict_set = strict;
    return variant;
}

// True if nodes may have the key: it is one of pools or types, or well known.
static bool is_known_key(const struct problem *problem, uint32_t key)
{
    bool known = vocabulary_is_well_known(problem->vocabulary, key);
    for (uint32_t t = 0; t < problem->templates.count && !known; t++)
        known =
            type_table_has_key(problem->templates.items[t]->table, key) ||
            set_find(problem->sets, problem->templates.items[t]->own_set, key) != REQUIREMENT_NONE;
    return known;
}

// Tries a known key of similar spelling.
static bool help_by_key(struct helper *helper, uint32_t requirement)
{
    struct problem *problem = helper->pass->problem;
    struct requirement asked = *requirement_get(problem->sets, requirement);
    const char *text = vocabulary_key_text(problem->vocabulary, asked.key), *near[1];
    struct help_names names = {0};
    struct outcome outcome;
    if (is_known_key(problem, asked.key))
        return false;
    for (uint32_t key = 0; key < vocabulary_key_count(problem->vocabulary); key++)
        if (is_known_key(problem, key) && key != problem->keys.hostname)
            vector_push(&names, vocabulary_key_text(problem->vocabulary, key));
    bool found = text_nearest(text, names.items, names.count, near, 1) == 1;
    vector_free(&names);
    if (!found)
        return false;
    uint32_t key = asked.key;
    asked.key = vocabulary_key(problem->vocabulary, near[0]);
    if (!find_place(helper->pass, requirement_variant(helper, key, &asked), &outcome))
        return false;
    struct text detail = {0};
    text_format(&detail, "the label key %s looks like a typo of %s", text, near[0]);
    help_add(helper, "label", &detail, &outcome);
    return true;
}

static void describe_values(struct helper *helper, const struct requirement *asked,
                            const struct outcome *outcome, struct help_names *values)
{
    const struct vocabulary *vocabulary = helper->pass->problem->vocabulary;
    const char *key = vocabulary_key_text(vocabulary, asked->key), *near[1];
    struct text detail = {0};
    bool typo = false;
    for (uint32_t i = 0; i < asked->count && !asked->complement && !typo; i++) {
        const char *value = vocabulary_value_text(vocabulary, asked->values[i]);
        typo = text_nearest(value, values->items, values->count, near, 1) == 1 &&
               text_distance(value, near[0]) <= 2 && strlen(value) > 3;
        if (typo)
            text_format(&detail, "%s: the value %s looks like a typo of %s", key, value, near[0]);
    }
    if (!typo) {
        text_add(&detail, "without ");
        requirement_add_text(&detail, vocabulary, asked);
        for (uint32_t i = 0; i < values->count && i < VALUES_SHOWN; i++)
            text_format(&detail, "%s%s", i == 0 ? " (that would be " : ", ", values->items[i]);
        if (values->count > VALUES_SHOWN)
            text_format(&detail, " and %" PRIu32 " more", values->count - VALUES_SHOWN);
        text_add(&detail, values->count > 0 ? ")" : "");
    }
    help_add(helper, typo ? "label" : "requirement", &detail, outcome);
}

static void help_by_requirement(struct helper *helper, uint32_t requirement)
{
    struct problem *problem = helper->pass->problem;
    struct requirement asked = *requirement_get(problem->sets, requirement);
    struct outcome outcome;
    struct help_names values = {0};
    if (help_by_key(helper, requirement))
        return;
    if (!find_place(helper->pass, requirement_variant(helper, asked.key, NULL), &outcome))
        return;
    help_values_there(helper, &outcome, asked.key, &values);
    if (values.count > 0)
        qsort(values.items, values.count, sizeof *values.items, text_compare);
    describe_values(helper, &asked, &outcome, &values);
    vector_free(&values);
}

static int compare_keys(const void *a, const void *b, void *context)
{
    const struct problem *problem = context;
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return strcmp(vocabulary_key_text(problem->vocabulary, requirement_get(problem->sets, x)->key),
                  vocabulary_key_text(problem->vocabulary, requirement_get(problem->sets, y)->key));
}

static void help_by_requirements(struct helper *helper)
{
    struct problem *problem = helper->pass->problem;
    uint32_t set = help_own_shape(helper).set, count = problem->sets->sets[set].count;
    uint32_t *asked = memory_allocate_array(count + 1, sizeof *asked);
    for (uint32_t i = 0; i < count; i++)
        asked[i] = problem->sets->sets[set].requirements[i];
    qsort_r(asked, count, sizeof *asked, compare_keys, problem);
    for (uint32_t i = 0; i < count; i++)
        help_by_requirement(helper, asked[i]);
    free(asked);
}

// Tries to drop all alternatives of required node affinity at once (SCH-508).
static void help_by_terms(struct helper *helper)
{
    struct shape shape = help_own_shape(helper);
    struct outcome outcome;
    uint32_t terms = shape.terms_count;
    if (terms == 0)
        return;
    shape.terms_count = 0;
    if (!find_place(helper->pass, add_variant(helper->pass, helper->class, &shape), &outcome))
        return;
    struct text text = {0};
    text_format(&text, "without the %" PRIu32 " terms of required node affinity", terms);
    help_add(helper, "requirement", &text, &outcome);
}

// --- limits --------------------------------------------------------------------------------------

static void help_by_limit(struct helper *helper, const struct node_template *template)
{
    struct pass *pass = helper->pass;
    struct problem *problem = pass->problem;
    const int64_t *remaining = pass->remaining[template->index];
    struct outcome outcome = {.node = NONE, .template = template};
    if (remaining == NULL ||
        !explain_try_template(pass, template, helper->class, true, &outcome.type, &outcome.price))
        return;
    const struct row *row = explain_cheapest(problem, template, pass->scratch.attempt.set,
                                             pass->scratch.attempt.rows, &outcome.price);
    struct text text = {0};
    for (uint32_t d = 0; d < problem->dimensions.count; d++) {
        int64_t needed = d == DIMENSION_NODES ? 1 : row->capacity[d];
        if (template->limits[d] == INT64_MAX || remaining[d] >= needed)
            continue;
        text_format(&text, "%s", text.length > 0 ? " and " : "raise the limit of ");
        explain_add_amount(&text, problem, d, template->limits[d]);
        text_add(&text, " to ");
        explain_add_amount(
            &text, problem, d,
            quantity_add(template->limits[d], quantity_subtract(needed, remaining[d])));
    }
    if (text.length > 0)
        help_add(helper, "limit", &text, &outcome);
    text_free(&text);
}

// --- requests, host ports, rules between pods ----------------------------------------------------

static bool help_by_request(struct helper *helper, const struct node_template *template)
{
    struct problem *problem = helper->pass->problem;
    CLEANUP_ARENA struct arena *scratch = arena_create(16384);
    struct funnel funnel;
    struct nearest_miss miss;
    struct outcome outcome;
    if (!pass_class(helper->pass, helper->class)->prepared)
        return false;
    funnel_run(helper->pass, template, helper->class, scratch, &funnel);
    if (!funnel_nearest(helper->pass, &funnel, &miss) || miss.stage != STAGE_RESOURCES)
        return false;
    struct shape shape = help_own_shape(helper);
    int64_t *requests = vector_create(problem);
    memcpy(requests, shape.requests, problem->dimensions.count * sizeof *requests);
    requests[miss.dimension] -= miss.shortfall;
    if (requests[miss.dimension] <= 0 ||
        requests[miss.dimension] < shape.requests[miss.dimension] / 2)
        return false; // that would be a different pod
    shape.requests = requests;
    if (!find_place(helper->pass, add_variant(helper->pass, helper->class, &shape), &outcome))
        return false;
    struct text text = {0};
    text_add(&text, "ask for ");
    explain_add_amount(&text, problem, miss.dimension, requests[miss.dimension]);
    text_add(&text, " instead of ");
    explain_add_amount(&text, problem, miss.dimension,
                       help_own_shape(helper).requests[miss.dimension]);
    help_add(helper, "request", &text, &outcome);
    return true;
}

static void help_by_port(struct helper *helper)
{
    struct shape shape = help_own_shape(helper);
    struct outcome outcome;
    if (shape.ports.count == 0)
        return;
    shape.ports.count = 0;
    if (!find_place(helper->pass, add_variant(helper->pass, helper->class, &shape), &outcome))
        return;
    struct text text = {0};
    text_add(&text, "do without host ports");
    help_add(helper, "hostPort", &text, &outcome);
}

static void help_by_rule(struct helper *helper, uint32_t left_out)
{
    static const char *const rules[] = {"topology spread", "pod affinity", "pod anti-affinity",
                                        "anti-affinity"};
    struct problem *problem = helper->pass->problem;
    struct shape shape = help_own_shape(helper);
    struct outcome outcome;
    uint32_t variant = add_variant(helper->pass, helper->class, &shape);
    struct pod_class *class = class_at(problem, variant);
    uint32_t *groups = arena_allocate_array(problem->arena, class->groups_count, sizeof *groups);
    uint32_t kept = 0;
    for (uint32_t i = 0; i < class->groups_count; i++)
        if (i != left_out)
            groups[kept++] = class->groups[i];
    const struct group_definition *rule = problem->topology.groups.items[class->groups[left_out]];
    class->groups = groups;
    class->groups_count = kept;
    if (!find_place(helper->pass, variant, &outcome))
        return;
    struct text text = {0};
    text_format(&text, "without the %s over %s", rules[rule->kind],
                vocabulary_key_text(problem->vocabulary, rule->key));
    help_add(helper, "topology", &text, &outcome);
}

void explain_help(struct pass *pass, uint32_t class, struct arena *arena,
                  struct plan_explanation *explanation)
{
    struct helper helper = {
        .pass = pass, .arena = arena, .class = class, .explanation = explanation};
    explanation->help.items = arena_allocate_array(arena, HELP_MAX, sizeof(struct plan_help));
    help_by_requirements(&helper);
    help_by_terms(&helper);
    help_by_toleration(&helper);
    for (uint32_t t = 0; t < pass->problem->templates.count; t++)
        help_by_limit(&helper, pass->problem->templates.items[t]);
    help_by_port(&helper);
    for (uint32_t i = 0; i < class_at(pass->problem, class)->groups_count; i++)
        help_by_rule(&helper, i);
    for (uint32_t t = 0; t < pass->problem->templates.count; t++)
        if (help_by_request(&helper, pass->problem->templates.items[t]))
            break;
    help_by_pools(&helper);
}
