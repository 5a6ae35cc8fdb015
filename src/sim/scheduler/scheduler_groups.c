#include "sim/scheduler/scheduler_groups.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "model/reading/selector.h"
#include "sim/scheduler/scheduler_internal.h"

#define GROUPS_MAX 1024 // above it, all are dropped and rebuilt on demand

// --- topologies ----------------------------------------------------------------------------------

struct topology *topology_of(struct filter_cluster *cluster, const char *key)
{
    struct topology *topology = map_get(cluster->topologies, key);
    if (topology != NULL)
        return topology;
    topology = memory_allocate(sizeof *topology);
    topology->key = memory_copy_string(key);
    topology->values = symbols_create();
    topology->domains = memory_allocate_array(cluster->slots_capacity, sizeof *topology->domains);
    for (uint32_t i = 0; i < cluster->slots_capacity; i++)
        topology->domains[i] = SYMBOL_NONE;
    map_set(cluster->topologies, key, topology);
    vector_for_each (node, &cluster->slots) {
        const char *value = *node == NULL || (*node)->node == NULL
                                ? NULL
                                : string_map_get(&(*node)->node->meta.labels, key);
        if (value != NULL)
            topology->domains[(*node)->index] = symbols_intern(topology->values, value);
    }
    return topology;
}

void topologies_node_changed(struct filter_cluster *cluster, const struct filter_node *node)
{
    for (struct map_entry *e = map_first(cluster->topologies); e != NULL; e = map_next(e)) {
        struct topology *topology = map_value(e);
        const char *value =
            node->node == NULL ? NULL : string_map_get(&node->node->meta.labels, topology->key);
        topology->domains[node->index] =
            value == NULL ? SYMBOL_NONE : symbols_intern(topology->values, value);
    }
}

void topologies_resize(struct filter_cluster *cluster, uint32_t from, uint32_t to)
{
    for (struct map_entry *e = map_first(cluster->topologies); e != NULL; e = map_next(e)) {
        struct topology *topology = map_value(e);
        topology->domains = memory_resize(topology->domains, to * sizeof *topology->domains);
        for (uint32_t i = from; i < to; i++)
            topology->domains[i] = SYMBOL_NONE;
    }
}

void topologies_clear(struct filter_cluster *cluster)
{
    for (struct map_entry *e = map_first(cluster->topologies); e != NULL; e = map_next(e)) {
        struct topology *topology = map_value(e);
        symbols_destroy(topology->values);
        free(topology->key);
        free(topology->domains);
        free(topology);
    }
}

// --- terms ---------------------------------------------------------------------------------------

static void add_pins(struct arena *arena, struct pod_term *term, const struct pod *pod,
                     const struct string_list *keys, bool must_differ)
{
    if (keys->count == 0)
        return;
    struct label_pin *pins =
        arena_allocate_array(arena, term->pins_count + keys->count, sizeof *pins);
    if (term->pins_count > 0)
        memcpy(pins, term->pins, term->pins_count * sizeof *pins);
    term->pins = pins;
    list_for_each (key, keys) {
        const char *value = string_map_get(&pod->meta.labels, *key);
        if (value != NULL) // a key that the pod lacks is ignored
            pins[term->pins_count++] = (struct label_pin){*key, value, must_differ};
    }
}

struct pod_term pod_term_of_affinity(struct arena *arena, const struct pod *pod,
                                     const struct pod_affinity_term *affinity)
{
    struct pod_term term = {.namespaces = affinity->namespaces,
                            .namespace_selector = affinity->namespace_selector,
                            .selector = affinity->label_selector};
    if (term.namespaces.count == 0 && term.namespace_selector == NULL) {
        term.namespaces.items = arena_allocate_array(arena, 1, sizeof *term.namespaces.items);
        term.namespaces.items[0] = pod->meta.namespace;
        term.namespaces.count = 1;
    }
    add_pins(arena, &term, pod, &affinity->match_label_keys, false);
    add_pins(arena, &term, pod, &affinity->mismatch_label_keys, true);
    return term;
}

struct pod_term pod_term_of_spread(struct arena *arena, const struct pod *pod,
                                   const struct topology_spread_constraint *constraint)
{
    struct pod_term term = {.selector = constraint->label_selector};
    term.namespaces.items = arena_allocate_array(arena, 1, sizeof *term.namespaces.items);
    term.namespaces.items[0] = pod->meta.namespace;
    term.namespaces.count = 1;
    add_pins(arena, &term, pod, &constraint->match_label_keys, false);
    return term;
}

static bool namespace_matches(const struct filter_cluster *cluster, const struct pod_term *term,
                              const char *namespace)
{
    list_for_each (name, &term->namespaces) {
        if (text_equal(*name, namespace))
            return true;
    }
    if (term->namespace_selector == NULL)
        return false;
    const struct object *object = filter_object(cluster->namespaces, NULL, namespace);
    static const struct string_map no_labels;
    return label_selector_matches(term->namespace_selector,
                                  object == NULL ? &no_labels : &object->meta.labels);
}

bool pod_term_matches(const struct filter_cluster *cluster, const struct pod_term *term,
                      const struct pod *pod)
{
    if (!namespace_matches(cluster, term, pod->meta.namespace) ||
        !label_selector_matches(term->selector, &pod->meta.labels))
        return false;
    for (uint32_t i = 0; i < term->pins_count; i++) {
        const struct label_pin *pin = &term->pins[i];
        if (text_equal(string_map_get(&pod->meta.labels, pin->key), pin->value) == pin->must_differ)
            return false;
    }
    return true;
}

static void describe_requirements(struct text *text, const requirement_list *requirements)
{
    list_for_each (requirement, requirements) {
        text_format(text, "%s %s(", requirement->key, requirement->operator);
        list_for_each (value, &requirement->values)
            text_format(text, "%s,", *value);
        text_add(text, ");");
    }
}

static void describe_selector(struct text *text, const struct label_selector *selector)
{
    if (selector == NULL) {
        text_add(text, "nil");
        return;
    }
    list_for_each (label, &selector->match_labels)
        text_format(text, "%s=%s;", label->key, label->value);
    describe_requirements(text, &selector->match_expressions);
}

// Two terms of the same text select the same pods.
static void describe_term(struct text *text, const struct pod_term *term)
{
    list_for_each (name, &term->namespaces)
        text_format(text, "%s,", *name);
    text_add(text, "|");
    describe_selector(text, term->namespace_selector);
    text_add(text, "|");
    describe_selector(text, term->selector);
    for (uint32_t i = 0; i < term->pins_count; i++)
        text_format(text, "|%s%s%s", term->pins[i].key, term->pins[i].must_differ ? "!=" : "=",
                    term->pins[i].value);
    text_add(text, "&");
}

static struct label_selector *keep_selector(struct arena *arena,
                                            const struct label_selector *selector)
{
    if (selector == NULL)
        return NULL;
    struct label_selector *kept = arena_allocate(arena, sizeof *kept);
    uint32_t labels = selector->match_labels.count, rules = selector->match_expressions.count;
    *kept = *selector;
    kept->match_labels.items =
        arena_allocate_array(arena, labels, sizeof *kept->match_labels.items);
    for (uint32_t i = 0; i < labels; i++)
        kept->match_labels.items[i] =
            (struct string_pair){arena_copy_string(arena, selector->match_labels.items[i].key),
                                 arena_copy_string(arena, selector->match_labels.items[i].value)};
    kept->match_expressions.items =
        arena_allocate_array(arena, rules, sizeof *kept->match_expressions.items);
    for (uint32_t i = 0; i < rules; i++) {
        struct selector_requirement *rule = &kept->match_expressions.items[i];
        *rule = selector->match_expressions.items[i];
        const struct string_list values = rule->values;
        rule->key = arena_copy_string(arena, rule->key);
        rule->operator= arena_copy_string(arena, rule->operator);
        rule->values.items = arena_allocate_array(arena, values.count, sizeof *rule->values.items);
        for (uint32_t j = 0; j < values.count; j++)
            rule->values.items[j] = arena_copy_string(arena, values.items[j]);
    }
    return kept;
}

// Copies the term's lists and texts that belong to a temporary arena, or to a pod that the group
// does not hold.
static struct pod_term keep_term(struct arena *arena, const struct pod_term *term)
{
    struct pod_term kept = *term;
    kept.selector = keep_selector(arena, term->selector);
    kept.namespaces.items =
        arena_allocate_array(arena, term->namespaces.count, sizeof *kept.namespaces.items);
    for (uint32_t i = 0; i < term->namespaces.count; i++)
        kept.namespaces.items[i] = arena_copy_string(arena, term->namespaces.items[i]);
    kept.pins = arena_allocate_array(arena, term->pins_count, sizeof *kept.pins);
    for (uint32_t i = 0; i < term->pins_count; i++)
        kept.pins[i] = (struct label_pin){arena_copy_string(arena, term->pins[i].key),
                                          arena_copy_string(arena, term->pins[i].value),
                                          term->pins[i].must_differ};
    return kept;
}

// --- groups --------------------------------------------------------------------------------------

static bool group_has(const struct filter_cluster *cluster, const struct pod_group *group,
                      const struct pod *pod)
{
    if (group->skip_deleting && pod->meta.deletion_timestamp != 0)
        return false;
    for (uint32_t i = 0; i < group->terms_count; i++)
        if (!pod_term_matches(cluster, &group->terms[i], pod))
            return false;
    return true;
}

static struct pod_group *group_create(struct filter_cluster *cluster, const struct pod *holder,
                                      const struct pod_term *terms, uint32_t terms_count,
                                      bool skip_deleting)
{
    struct pod_group *group = memory_allocate(sizeof *group);
    group->arena = arena_create(256);
    group->holder = object_acquire((const struct object *)holder);
    group->terms = arena_allocate_array(group->arena, terms_count, sizeof *group->terms);
    for (uint32_t i = 0; i < terms_count; i++)
        group->terms[i] = keep_term(group->arena, &terms[i]);
    group->terms_count = terms_count;
    group->skip_deleting = skip_deleting;
    group->counts = memory_allocate_array(cluster->slots_capacity, sizeof *group->counts);
    for (struct map_entry *e = map_first(cluster->pods); e != NULL; e = map_next(e)) {
        const struct filter_pod *pod = map_value(e);
        if (pod->node != NULL && group_has(cluster, group, pod->pod))
            group->counts[pod->node->index]++;
    }
    return group;
}

struct pod_group *group_of(struct filter_cluster *cluster, const struct pod *holder,
                           const struct pod_term *terms, uint32_t terms_count, bool skip_deleting)
{
    struct text text = {0};
    text_add(&text, skip_deleting ? "present:" : "all:");
    for (uint32_t i = 0; i < terms_count; i++)
        describe_term(&text, &terms[i]);
    struct pod_group *group = map_get(cluster->groups, text.data);
    if (group == NULL) {
        group = group_create(cluster, holder, terms, terms_count, skip_deleting);
        map_set(cluster->groups, text.data, group);
    }
    text_free(&text);
    return group;
}

void groups_count_pod(struct filter_cluster *cluster, const struct filter_pod *pod, int step)
{
    for (struct map_entry *e = map_first(cluster->groups); e != NULL; e = map_next(e)) {
        struct pod_group *group = map_value(e);
        if (!group_has(cluster, group, pod->pod))
            continue;
        assert(step > 0 || group->counts[pod->node->index] > 0);
        group->counts[pod->node->index] += (uint32_t)step;
    }
}

void groups_forget(struct filter_cluster *cluster)
{
    for (struct map_entry *e = map_first(cluster->groups); e != NULL; e = map_next(e)) {
        struct pod_group *group = map_value(e);
        object_release(group->holder);
        arena_destroy(group->arena);
        free(group->counts);
        free(group);
    }
    map_destroy(cluster->groups, NULL);
    cluster->groups = map_create();
}

void groups_limit(struct filter_cluster *cluster)
{
    if (map_count(cluster->groups) > GROUPS_MAX)
        groups_forget(cluster);
}

static uint32_t *widen(uint32_t *counts, uint32_t from, uint32_t to)
{
    counts = memory_resize(counts, to * sizeof *counts);
    memset(counts + from, 0, (to - from) * sizeof *counts);
    return counts;
}

static void widen_carried(struct map *home, uint32_t from, uint32_t to)
{
    for (struct map_entry *e = map_first(home); e != NULL; e = map_next(e)) {
        struct carried_term *carried = map_value(e);
        carried->counts = widen(carried->counts, from, to);
    }
}

void groups_resize(struct filter_cluster *cluster, uint32_t from, uint32_t to)
{
    for (struct map_entry *e = map_first(cluster->groups); e != NULL; e = map_next(e)) {
        struct pod_group *group = map_value(e);
        group->counts = widen(group->counts, from, to);
    }
    widen_carried(cluster->carried, from, to);
    widen_carried(cluster->drawing, from, to);
}

// --- terms of pods on nodes that affect others ---------------------------------------------------

#define WEIGHT_REQUIRED_AFFINITY 1 // of a pod with required affinity: it attracts others, too

static struct carried_term *carried_create(struct filter_cluster *cluster, struct arena *arena,
                                           const struct pod *pod,
                                           const struct pod_affinity_term *affinity,
                                           const struct pod_term *term)
{
    struct carried_term *carried = memory_allocate(sizeof *carried);
    carried->arena = arena;
    carried->holder = object_acquire((const struct object *)pod);
    carried->term = keep_term(arena, term);
    carried->topology = topology_of(cluster, affinity->topology_key);
    carried->counts = memory_allocate_array(cluster->slots_capacity, sizeof *carried->counts);
    return carried;
}

static void carry(struct filter_cluster *cluster, struct filter_pod *pod, struct map *home,
                  const struct pod_affinity_term *affinity, int64_t weight)
{
    if (affinity->topology_key == NULL)
        return;
    struct arena *arena = arena_create(256);
    struct pod_term term = pod_term_of_affinity(arena, pod->pod, affinity);
    struct text text = {0};
    text_format(&text, "%s|%lld|", affinity->topology_key, (long long)weight);
    describe_term(&text, &term);
    struct carried_term *carried = map_get(home, text.data);
    if (carried != NULL) {
        arena_destroy(arena);
    } else {
        carried = carried_create(cluster, arena, pod->pod, affinity, &term);
        carried->home = home;
        carried->weight = weight;
        carried->text = arena_copy_string(arena, text.data);
        map_set(home, text.data, carried);
    }
    text_free(&text);
    carried->counts[pod->node->index]++;
    carried->total++;
    pod->carried[pod->carried_count++] = carried;
}

static void carry_affinity(struct filter_cluster *cluster, struct filter_pod *pod,
                           const struct pod_affinity *affinity)
{
    list_for_each (term, &affinity->required)
        carry(cluster, pod, cluster->drawing, term, WEIGHT_REQUIRED_AFFINITY);
    list_for_each (preferred, &affinity->preferred)
        carry(cluster, pod, cluster->drawing, &preferred->pod_affinity_term, preferred->weight);
}

static void carry_anti_affinity(struct filter_cluster *cluster, struct filter_pod *pod,
                                const struct pod_affinity *anti)
{
    list_for_each (term, &anti->required)
        carry(cluster, pod, cluster->carried, term, 0);
    list_for_each (preferred, &anti->preferred)
        carry(cluster, pod, cluster->drawing, &preferred->pod_affinity_term, -preferred->weight);
}

void carried_add(struct filter_cluster *cluster, struct filter_pod *pod)
{
    const struct affinity *affinity = pod->pod->spec.affinity;
    if (affinity == NULL)
        return;
    const struct pod_affinity *near = affinity->pod_affinity, *far = affinity->pod_anti_affinity;
    uint32_t count = (near == NULL ? 0 : near->required.count + near->preferred.count) +
                     (far == NULL ? 0 : far->required.count + far->preferred.count);
    if (count == 0)
        return;
    pod->carried = memory_allocate_array(count, sizeof(struct carried_term *));
    if (near != NULL)
        carry_affinity(cluster, pod, near);
    if (far != NULL)
        carry_anti_affinity(cluster, pod, far);
}

void carried_remove(struct filter_cluster *cluster, struct filter_pod *pod)
{
    (void)cluster;
    for (uint32_t i = 0; i < pod->carried_count; i++) {
        struct carried_term *carried = pod->carried[i];
        carried->counts[pod->node->index]--;
        if (--carried->total > 0)
            continue;
        map_remove(carried->home, carried->text);
        object_release(carried->holder);
        free(carried->counts);
        arena_destroy(carried->arena);
        free(carried);
    }
    free(pod->carried);
    pod->carried = NULL;
    pod->carried_count = 0;
}
