#include "engine/explain/explain_pool_help.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "base/vector.h"
#include "engine/explain/culprits.h"
#include "engine/pass/pass_state.h"
#include "engine/templates/templates.h"
#include "model/reading/pod.h"

#define POOLS_MAX    16 // tried, in pool order
#define KEYS_MAX     16 // of the requirements of one
#define VALUES_SHOWN 4

// Tries a template with these sets and taints, and adds the suggestion `text` if the class fits.
// `key`: of the requirement that is gone; its values there are added. NONE: no key.
static void try_change(struct helper *helper, const struct node_template *changed,
                       bool ignore_limits, uint32_t key, const char *change, struct text *text)
{
    struct pass *pass = helper->pass;
    struct outcome outcome = {.node = NONE};
    struct node_template *variant = template_vary(pass->problem, changed);
    bool placed =
        variant != NULL && explain_try_template(pass, variant, helper->class, ignore_limits,
                                                &outcome.type, &outcome.price);
    if (placed && key != NONE) {
        struct help_names values = {0};
        outcome.template = variant;
        help_values_there(helper, &outcome, key, &values);
        if (values.count > 0)
            qsort(values.items, values.count, sizeof *values.items, text_compare);
        for (uint32_t i = 0; i < values.count && i < VALUES_SHOWN; i++)
            text_format(text, "%s%s", i == 0 ? " (that would be " : ", ", values.items[i]);
        if (values.count > VALUES_SHOWN)
            text_format(text, " and %" PRIu32 " more", values.count - VALUES_SHOWN);
        text_add(text, values.count > 0 ? ")" : "");
        vector_free(&values);
    }
    outcome.template = changed;
    if (placed)
        help_add(helper, change, text, &outcome);
    else
        text_free(text);
    if (variant != NULL)
        template_forget(variant);
}

// --- labels --------------------------------------------------------------------------------------

// The labels that the pod asks for and nodes of the NodePool do not have, all together.
static void help_by_labels(struct helper *helper, const struct node_template *template,
                           bool ignore_limits)
{
    struct problem *problem = helper->pass->problem;
    uint32_t set = help_own_shape(helper).set;
    struct node_template changed = *template;
    struct text text = {0};
    for (uint32_t i = 0; i < problem->sets->sets[set].count; i++) {
        uint32_t asked = problem->sets->sets[set].requirements[i];
        struct requirement label = *requirement_get(problem->sets, asked);
        if (set_find(problem->sets, template->set, label.key) != REQUIREMENT_NONE ||
            vocabulary_is_well_known(problem->vocabulary, label.key) || label.complement ||
            label.count == 0)
            continue;
        label.count = 1;
        changed.own_set = set_add(problem->sets, changed.own_set, &label);
        changed.set = set_add(problem->sets, changed.set, &label);
        text_format(&text, "%s%s: %s", text.length > 0 ? " and " : "add the label ",
                    vocabulary_key_text(problem->vocabulary, label.key),
                    vocabulary_value_text(problem->vocabulary, label.values[0]));
    }
    if (text.length == 0)
        return;
    text_format(&text, " (spec.template.metadata.labels of NodePool %s)",
                template->pool->meta.name);
    try_change(helper, &changed, ignore_limits, NONE, "nodePoolLabel", &text);
}

// --- requirements --------------------------------------------------------------------------------

static bool has_requirement(const struct node_pool *pool, const char *key)
{
    list_for_each (requirement, &pool->spec.template.spec.requirements)
        if (strcmp(requirement->key, key) == 0)
            return true;
    return false;
}

static int compare_keys(const void *a, const void *b, void *context)
{
    const struct vocabulary *vocabulary = context;
    return strcmp(vocabulary_key_text(vocabulary, *(const uint32_t *)a),
                  vocabulary_key_text(vocabulary, *(const uint32_t *)b));
}

static void help_by_requirements_of(struct helper *helper, const struct node_template *template,
                                    bool ignore_limits)
{
    struct problem *problem = helper->pass->problem;
    uint32_t keys[KEYS_MAX], count = 0;
    for (uint32_t i = 0; i < problem->sets->sets[template->own_set].count && count < KEYS_MAX; i++)
        keys[count++] =
            requirement_get(problem->sets, problem->sets->sets[template->own_set].requirements[i])
                ->key;
    qsort_r(keys, count, sizeof *keys, compare_keys, problem->vocabulary);
    for (uint32_t i = 0; i < count; i++) {
        const struct requirement *own = set_get(problem->sets, template->own_set, keys[i]);
        struct node_template changed = *template;
        struct text text = {0};
        const char *key = vocabulary_key_text(problem->vocabulary, keys[i]);
        text_format(&text, "without %s of NodePool %s: ",
                    has_requirement(template->pool, key) ? "the requirement" : "the label",
                    template->pool->meta.name);
        requirement_add_short(&text, problem, own);
        changed.own_set = set_remove(problem->sets, template->own_set, keys[i]);
        changed.set = set_remove(problem->sets, template->set, keys[i]);
        try_change(helper, &changed, ignore_limits, keys[i], "nodePoolRequirement", &text);
    }
}

// --- taints --------------------------------------------------------------------------------------

static void help_by_taints_of(struct helper *helper, const struct node_template *template,
                              bool ignore_limits)
{
    struct problem *problem = helper->pass->problem;
    uint32_t tolerations = help_own_shape(helper).tolerations, taken = 0;
    const taint_list *own = problem->interned.taint_lists.items[template->taints];
    taint_list kept = {
        .items = arena_allocate_array(problem->arena, own->count + 1, sizeof *kept.items)};
    struct text text = {0};
    list_for_each (taint, own) {
        if (tolerations_tolerate(problem->interned.toleration_lists.items[tolerations], taint)) {
            kept.items[kept.count++] = *taint;
            continue;
        }
        text_format(&text, "%s%s%s%s:%s", taken++ == 0 ? "take the taint " : " and ", taint->key,
                    text_is_empty(taint->value) ? "" : "=", text_or_empty(taint->value),
                    taint->effect);
    }
    struct node_template changed = *template;
    if (taken == 0)
        return;
    text_format(&text, " off NodePool %s", template->pool->meta.name);
    changed.taints = problem_intern_taints(problem, &kept);
    try_change(helper, &changed, ignore_limits, NONE, "nodePoolTaint", &text);
}

void help_by_pools(struct helper *helper)
{
    struct problem *problem = helper->pass->problem;
    for (uint32_t i = 0; i < problem->templates.pools_count && i < POOLS_MAX; i++) {
        const struct pool_state *pool = &problem->templates.pools[i];
        // Nothing is counted against the limits of a NodePool without types.
        const struct node_template *template =
            pool->template != NULL ? pool->template : pool->emptied;
        if (template == NULL)
            continue;
        help_by_labels(helper, template, pool->template == NULL);
        help_by_requirements_of(helper, template, pool->template == NULL);
        help_by_taints_of(helper, template, pool->template == NULL);
    }
}
