#include "engine/pods/topology_groups.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/pods/classes.h"
#include "engine/pods/identity_index.h"
#include "engine/pods/preferences.h"
#include "engine/pods/spread_defaults.h"
#include "model/reading/selector.h"

// --- identity ------------------------------------------------------------------------------------

static struct string_list sorted_list(struct arena *arena, const struct string_list *list)
{
    struct string_list copy = {arena_allocate_array(arena, list->count + 1, sizeof(char *)), 0};
    for (uint32_t i = 0; i < list->count; i++)
        copy.items[i] = list->items[i];
    qsort(copy.items, list->count, sizeof(char *), text_compare);
    for (uint32_t i = 0; i < list->count; i++)
        if (copy.count == 0 || strcmp(copy.items[copy.count - 1], copy.items[i]) != 0)
            copy.items[copy.count++] = copy.items[i];
    return copy;
}

// SCH-273.
static struct string_list term_namespaces(struct problem *problem, const char *own,
                                          const struct pod_affinity_term *term)
{
    struct string_list list = {
        arena_allocate_array(problem->arena,
                             term->namespaces.count + map_count(problem->topology.namespaces) + 1,
                             sizeof(char *)),
        0};
    for (uint32_t i = 0; i < term->namespaces.count; i++)
        list.items[list.count++] = term->namespaces.items[i];
    if (term->namespace_selector != NULL) {
        for (struct map_entry *entry = map_first(problem->topology.namespaces); entry != NULL;
             entry = map_next(entry))
            if (label_selector_matches(term->namespace_selector, map_value(entry)))
                list.items[list.count++] = map_key(entry);
    } else if (list.count == 0) {
        list.items[list.count++] = own;
    }
    return sorted_list(problem->arena, &list);
}

// The selector as text, equal for equal selectors: expressions are a set.
static void add_selector_text(struct problem *problem, struct text *text,
                              const struct label_selector *selector)
{
    if (selector == NULL) {
        text_add(text, "nil");
        return;
    }
    list_for_each (label, &selector->match_labels)
        text_format(text, "%s=%s,", label->key, label->value);
    struct string_list parts = {
        arena_allocate_array(problem->arena, selector->match_expressions.count + 1, sizeof(char *)),
        0};
    list_for_each (expression, &selector->match_expressions) {
        struct text part = {0};
        text_format(&part, "%s %s", expression->key, expression->operator);
        struct string_list values = sorted_list(problem->arena, &expression->values);
        for (uint32_t i = 0; i < values.count; i++)
            text_format(&part, " %s", values.items[i]);
        parts.items[parts.count++] = problem_copy(problem, &part);
    }
    parts = sorted_list(problem->arena, &parts);
    for (uint32_t i = 0; i < parts.count; i++)
        text_format(text, "(%s)", parts.items[i]);
}

// The filter's text, by content: identifiers would depend on the order of the input.
static void add_filter_text(struct problem *problem, struct text *text,
                            const struct group_definition *group)
{
    text_format(text, "|%d%d", group->honor_affinity, group->honor_taints);
    struct string_list parts = {
        arena_allocate_array(problem->arena, group->terms_count + 1, sizeof(char *)), 0};
    for (uint32_t i = 0; i < group->terms_count; i++) {
        struct text part = {0};
        set_add_text(&part, problem->sets, group->terms[i].set);
        if (group->terms[i].hostname != REQUIREMENT_NONE)
            requirement_add_text(&part, problem->vocabulary,
                                 requirement_get(problem->sets, group->terms[i].hostname));
        // The text abbreviates sets of many values; the identifier tells them apart.
        text_format(&part, "#%x", group->terms[i].set);
        parts.items[parts.count++] = problem_copy(problem, &part);
    }
    parts = sorted_list(problem->arena, &parts);
    for (uint32_t i = 0; i < parts.count; i++)
        text_format(text, "(%s)", parts.items[i]);
    if (group->honor_taints)
        text_format(text, "t%x", group->tolerations);
    for (uint32_t i = 0; i < group->needed_keys_count; i++)
        text_format(text, "|k%s", vocabulary_key_text(problem->vocabulary, group->needed_keys[i]));
}

static bool term_selects(const struct label_selector *selector,
                         const struct string_list *namespaces, const struct identity *identity)
{
    return string_list_has(namespaces, identity->namespace) && selector != NULL &&
           label_selector_matches(selector, identity->labels);
}

struct selection {
    struct problem *problem;
    const struct label_selector *selector;
    const struct string_list *namespaces;
    struct bitset selects;
};

static void select_identity(void *context, uint32_t identity)
{
    const struct selection *selection = context;
    assert(identity < selection->selects.bits);
    if (term_selects(selection->selector, selection->namespaces,
                     &selection->problem->interned.identities.items[identity]))
        bitset_set(selection->selects, identity);
}

static struct bitset find_selected(struct problem *problem, const struct label_selector *selector,
                                   const struct string_list *namespaces)
{
    struct selection selection = {
        problem, selector, namespaces,
        bitset_create(problem->arena, problem->interned.identities.count)};
    bool labelled = selector != NULL && selector->match_labels.count > 0 &&
                    selector->match_labels.items[0].key != NULL &&
                    selector->match_labels.items[0].value != NULL;
    for (uint32_t n = 0; labelled && n < namespaces->count; n++)
        identity_index_find(problem, namespaces->items[n], &selector->match_labels.items[0],
                            select_identity, &selection);
    for (uint32_t i = 0; selector != NULL && !labelled && i < problem->interned.identities.count;
         i++)
        select_identity(&selection, i);
    return selection.selects;
}

static uint32_t intern_group(struct problem *problem, const struct group_definition *group)
{
    struct text text = {0};
    text_format(&text, "%d|%s|", group->kind, vocabulary_key_text(problem->vocabulary, group->key));
    add_selector_text(problem, &text, group->selector);
    for (uint32_t i = 0; i < group->namespaces.count; i++)
        text_format(&text, "|%s", group->namespaces.items[i]);
    text_format(&text, "|%" PRId64 " %" PRId64, group->max_skew, group->min_domains);
    if (group->kind == GROUP_SPREAD)
        add_filter_text(problem, &text, group);
    uint32_t own_length = (uint32_t)text.length;
    if (group->peers != NULL)
        text_format(&text, "&%p", (const void *)group->peers);
    uintptr_t id = (uintptr_t)map_get(problem->topology.group_ids, text.data);
    if (id == 0) {
        struct group_definition *own = arena_allocate(problem->arena, sizeof *own);
        *own = *group;
        own->text = arena_copy_bytes(problem->arena, text.data, own_length);
        own->selects = group->peers != NULL
                           ? group->peers->selects
                           : find_selected(problem, group->selector, &group->namespaces);
        vector_push(&problem->topology.groups, own);
        id = problem->topology.groups.count;
        map_set(problem->topology.group_ids, text.data, (void *)id);
    }
    assert(problem->topology.groups.items[id - 1]->kind == group->kind);
    assert(problem->topology.groups.items[id - 1]->key == group->key);
    problem->topology.groups.items[id - 1]->hard |= group->hard;
    text_free(&text);
    return (uint32_t)id - 1;
}

bool group_selects(struct problem *problem, uint32_t definition, uint32_t identity)
{
    return bitset_has(problem->topology.groups.items[definition]->selects, identity);
}

static const char *peers_text(const struct group_definition *group)
{
    return group->peers != NULL ? group->peers->text : "";
}

int group_compare(const struct problem *problem, uint32_t a, uint32_t b)
{
    assert(a < problem->topology.groups.count);
    assert(b < problem->topology.groups.count);
    const struct group_definition *x = problem->topology.groups.items[a],
                                  *y = problem->topology.groups.items[b];
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    int order = strcmp(x->text, y->text); // begins with the kind and the key
    return order != 0 || x->peers == y->peers ? order : strcmp(peers_text(x), peers_text(y));
}

// --- definitions ---------------------------------------------------------------------------------

static const char *peer_text(struct problem *problem, const struct pod_affinity_term *term,
                             const struct string_list *namespaces)
{
    struct text text = {0};
    add_selector_text(problem, &text, term->label_selector);
    for (uint32_t n = 0; n < namespaces->count; n++)
        text_format(&text, "|%s", namespaces->items[n]);
    return problem_copy(problem, &text);
}

static const struct group_peers *intern_peers(struct problem *problem, struct string_list *parts,
                                              struct bitset selects)
{
    struct text text = {0};
    *parts = sorted_list(problem->arena, parts);
    for (uint32_t i = 0; i < parts->count; i++)
        text_format(&text, "&(%s)", parts->items[i]);
    struct group_peers *peers = map_get(problem->topology.peer_ids, text.data);
    if (peers == NULL) {
        peers = arena_allocate(problem->arena, sizeof *peers);
        peers->text = arena_copy_string(problem->arena, text.data);
        peers->selects = selects;
        map_set(problem->topology.peer_ids, text.data, peers);
    }
    text_free(&text);
    return peers;
}

// The peers of the pod's affinity: kube-scheduler looks for pods that all its terms select.
// Computed once a pod. NULL: the pod has one term only.
static const struct group_peers *peers_of(struct problem *problem, const struct pod *pod)
{
    const struct pod_affinity *affinity = pod->spec.affinity->pod_affinity;
    if (affinity->required.count < 2)
        return NULL;
    if (problem->topology.peers_pod == pod)
        return problem->topology.peers;
    struct string_list parts = {
        arena_allocate_array(problem->arena, affinity->required.count, sizeof(char *)), 0};
    struct bitset all = {0};
    list_for_each (term, &affinity->required) {
        struct string_list namespaces = term_namespaces(problem, pod->meta.namespace, term);
        struct bitset selects = find_selected(problem, term->label_selector, &namespaces);
        if (parts.count == 0)
            all = selects;
        else
            bitset_and(all, selects);
        parts.items[parts.count++] = peer_text(problem, term, &namespaces);
    }
    problem->topology.peers_pod = pod;
    return problem->topology.peers = intern_peers(problem, &parts, all);
}

static uint32_t define_term(struct problem *problem, const struct pod *pod,
                            const struct pod_affinity_term *term, enum group_kind kind, bool hard)
{
    struct group_definition group = {
        .kind = kind,
        .key = vocabulary_key(problem->vocabulary, term->topology_key),
        .selector = term->label_selector,
        .namespaces = term_namespaces(problem, pod->meta.namespace, term),
        .max_skew = INT32_MAX,
        .tolerations = problem_intern_tolerations(problem, &pod->spec.tolerations),
        .hard = hard,
    };
    if (kind == GROUP_AFFINITY && hard && problem->strategy->counts_as_scheduler)
        group.peers = peers_of(problem, pod);
    return intern_group(problem, &group);
}

// SCH-276: the selector with `key In [the pod's value]` for each of matchLabelKeys.
static const struct label_selector *spread_selector(
    struct problem *problem, const struct pod *pod,
    const struct topology_spread_constraint *constraint)
{
    if (constraint->label_selector == NULL || constraint->match_label_keys.count == 0)
        return constraint->label_selector;
    struct label_selector *selector = arena_allocate(problem->arena, sizeof *selector);
    *selector = *constraint->label_selector;
    uint32_t room = selector->match_expressions.count + constraint->match_label_keys.count;
    struct selector_requirement *items = arena_allocate_array(problem->arena, room, sizeof *items);
    if (selector->match_expressions.count > 0)
        memcpy(items, selector->match_expressions.items,
               selector->match_expressions.count * sizeof *items);
    selector->match_expressions.items = items;
    for (uint32_t i = 0; i < constraint->match_label_keys.count; i++) {
        const char *key = constraint->match_label_keys.items[i];
        const char *value = key != NULL ? string_map_get(&pod->meta.labels, key) : NULL;
        if (value == NULL)
            continue;
        struct selector_requirement *added = &items[selector->match_expressions.count++];
        *added = (struct selector_requirement){.key = key, .operator= "In" };
        added->values.items = arena_allocate_array(problem->arena, 1, sizeof(char *));
        added->values.items[0] = value;
        added->values.count = 1;
    }
    return selector;
}

static void add_unique(uint32_t *list, uint32_t *count, uint32_t definition)
{
    for (uint32_t i = 0; i < *count; i++)
        if (list[i] == definition)
            return;
    list[(*count)++] = definition;
}

// kube-scheduler uses all terms, including those that relaxation has dropped; upstream uses the
// remaining ones.
static node_selector_term_list filter_terms(const struct problem *problem,
                                            const struct pod_class *class)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    if (!problem->strategy->counts_as_scheduler || affinity == NULL ||
        affinity->node_affinity == NULL || affinity->node_affinity->required == NULL)
        return class_required_terms(class);
    return affinity->node_affinity->required->node_selector_terms;
}

// Nodes without the label of one of the pod's strict constraints do not count.
static void set_needed_keys(struct problem *problem, const struct pod_class *class,
                            struct group_definition *group)
{
    struct vocabulary *vocabulary = problem->vocabulary;
    group->needed_keys =
        arena_allocate_array(problem->arena, class->spreads.count + 1, sizeof *group->needed_keys);
    list_for_each (other, &class->spreads) {
        uint32_t key = vocabulary_key(vocabulary, other->topology_key);
        if (key != group->key && key != problem->keys.hostname &&
            !text_equal(other->when_unsatisfiable, "ScheduleAnyway"))
            add_unique(group->needed_keys, &group->needed_keys_count, key);
    }
    for (uint32_t i = 1; i < group->needed_keys_count; i++) // sorted by name: part of the identity
        for (uint32_t j = i;
             j > 0 && strcmp(vocabulary_key_text(vocabulary, group->needed_keys[j]),
                             vocabulary_key_text(vocabulary, group->needed_keys[j - 1])) < 0;
             j--) {
            uint32_t key = group->needed_keys[j];
            group->needed_keys[j] = group->needed_keys[j - 1];
            group->needed_keys[j - 1] = key;
        }
}

static void set_filter(struct problem *problem, const struct pod_class *class,
                       const struct topology_spread_constraint *constraint,
                       struct group_definition *group)
{
    group->honor_affinity = constraint->node_affinity_policy == NULL ||
                            strcmp(constraint->node_affinity_policy, "Ignore") != 0;
    group->honor_taints = constraint->node_taints_policy != NULL &&
                          strcmp(constraint->node_taints_policy, "Honor") == 0;
    if (!group->honor_affinity)
        return;
    uint32_t selector = set_from_labels(problem->sets, &class->sample->spec.node_selector);
    node_selector_term_list terms = filter_terms(problem, class);
    group->terms = arena_allocate_array(problem->arena, terms.count + 1, sizeof *group->terms);
    if (terms.count == 0) {
        group->terms[0].set = problem_split_hostname(problem, selector, &group->terms[0].hostname);
        group->terms_count = 1;
        return;
    }
    list_for_each (term, &terms) {
        if (term->match_expressions.count == 0)
            continue;
        uint32_t set = set_meet(problem->sets, selector,
                                set_from_api(problem->sets, &term->match_expressions));
        struct node_term *out = &group->terms[group->terms_count++];
        out->set = problem_split_hostname(problem, set, &out->hostname);
    }
}

static uint32_t define_spread(struct problem *problem, const struct pod_class *class,
                              const struct topology_spread_constraint *constraint)
{
    bool as_scheduler = problem->strategy->counts_as_scheduler;
    struct string_list namespaces = {arena_allocate_array(problem->arena, 1, sizeof(char *)), 1};
    namespaces.items[0] = class->sample->meta.namespace;
    struct group_definition group = {
        .kind = GROUP_SPREAD,
        .key = vocabulary_key(problem->vocabulary, constraint->topology_key),
        .selector = spread_selector(problem, class->sample, constraint),
        .namespaces = namespaces,
        .max_skew = constraint->max_skew,
        .min_domains = constraint->min_domains.present ? constraint->min_domains.value : 0,
        .tolerations = problem_intern_tolerations(
            problem, as_scheduler ? &class->sample->spec.tolerations : class->tolerations),
        .hard = !text_equal(constraint->when_unsatisfiable, "ScheduleAnyway"),
    };
    set_filter(problem, class, constraint, &group);
    if (as_scheduler && group.hard)
        set_needed_keys(problem, class, &group);
    return intern_group(problem, &group);
}

static uint32_t pod_affinity_terms(const struct pod_affinity *affinity)
{
    return affinity == NULL ? 0 : affinity->required.count + affinity->preferred.count;
}

static void add_affinity_groups(struct problem *problem, struct pod_class *class, bool anti)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    const struct pod_affinity *own = affinity == NULL ? NULL
                                     : anti           ? affinity->pod_anti_affinity
                                                      : affinity->pod_affinity;
    if (own == NULL)
        return;
    enum group_kind kind = anti ? GROUP_ANTI_AFFINITY : GROUP_AFFINITY;
    list_for_each (term, &own->required) {
        uint32_t id = define_term(problem, class->sample, term, kind, true);
        add_unique(class->groups, &class->groups_count, id);
        problem->topology.groups.items[id]->mutual |= group_selects(problem, id, class->identity);
    }
    if (problem->settings->preference_policy_ignore)
        return;
    const struct pod_affinity_term **terms =
        memory_allocate_array(own->preferred.count + 1, sizeof *terms);
    uint32_t count = class_preferred_affinity(class, anti, terms);
    for (uint32_t i = 0; i < count; i++)
        add_unique(class->groups, &class->groups_count,
                   define_term(problem, class->sample, terms[i], kind, false));
    free(terms);
}

void topology_define_groups(struct problem *problem, struct pod_class *class)
{
    if (class->aside)
        return;
    spread_defaults_apply(problem, class);
    const struct affinity *affinity = class->sample->spec.affinity;
    uint32_t room = class->spreads.count;
    if (affinity != NULL)
        room += pod_affinity_terms(affinity->pod_affinity) +
                pod_affinity_terms(affinity->pod_anti_affinity);
    if (room == 0)
        return;
    class->groups = arena_allocate_array(problem->arena, room, sizeof *class->groups);
    const struct topology_spread_constraint **spreads =
        memory_allocate_array(class->spreads.count + 1, sizeof *spreads);
    uint32_t count = class_spreads(class, spreads);
    for (uint32_t i = 0; i < count; i++)
        if (!problem->settings->preference_policy_ignore ||
            !text_equal(spreads[i]->when_unsatisfiable, "ScheduleAnyway"))
            add_unique(class->groups, &class->groups_count,
                       define_spread(problem, class, spreads[i]));
    free(spreads);
    add_affinity_groups(problem, class, false);
    add_affinity_groups(problem, class, true);
    assert(class->groups_count <= room);
    class->inverse_count = topology_define_inverse(problem, class->sample, &class->inverse);
}

uint32_t topology_define_inverse(struct problem *problem, const struct pod *pod,
                                 uint32_t **definitions)
{
    const struct affinity *affinity = pod->spec.affinity;
    *definitions = NULL;
    if (affinity == NULL || affinity->pod_anti_affinity == NULL ||
        affinity->pod_anti_affinity->required.count == 0)
        return 0;
    uint32_t count = 0;
    *definitions = arena_allocate_array(problem->arena, affinity->pod_anti_affinity->required.count,
                                        sizeof **definitions);
    list_for_each (term, &affinity->pod_anti_affinity->required)
        add_unique(*definitions, &count, define_term(problem, pod, term, GROUP_INVERSE, true));
    assert(count <= affinity->pod_anti_affinity->required.count);
    return count;
}

// --- filters ------------------------------------------------------------------------------------

static bool has_needed_keys(const struct problem *problem, const struct group_definition *group,
                            uint32_t set, bool is_claim)
{
    for (uint32_t i = 0; i < group->needed_keys_count; i++)
        if (set_find(problem->sets, set, group->needed_keys[i]) == REQUIREMENT_NONE &&
            !(is_claim && vocabulary_is_well_known(problem->vocabulary, group->needed_keys[i])))
            return false;
    return true;
}

bool group_filter_passes(struct problem *problem, const struct group_definition *group,
                         uint32_t set, uint32_t hostname_value, uint32_t taints, bool is_claim)
{
    if (group->honor_taints && !problem_tolerates_hard(problem, group->tolerations, taints))
        return false;
    if (!has_needed_keys(problem, group, set, is_claim))
        return false;
    if (!group->honor_affinity)
        return true;
    for (uint32_t i = 0; i < group->terms_count; i++)
        if (sets_compatible(problem->sets, set, group->terms[i].set, is_claim) &&
            problem_hostname_allowed(problem, group->terms[i].hostname, hostname_value))
            return true;
    return false;
}
