#include "engine/pod_selection.h"

#include <stdlib.h>
#include <string.h>

#include "engine/buffers.h"
#include "engine/host_ports.h"
#include "engine/pod_budgets.h"
#include "engine/pod_class.h"
#include "engine/spread_defaults.h"

static bool has_text(const char *text)
{
    return text != NULL && text[0] != '\0';
}

bool pod_is_provisionable(const struct snapshot *snapshot, const struct pod *pod)
{
    if (has_text(pod->spec.node_name) || has_text(pod->status.nominated_node_name) ||
        pod->spec.scheduling_gates.count > 0 || pod_is_terminal(pod) ||
        pod_owned_by_daemon_set(pod) || pod_owned_by_node(pod))
        return false;
    if (!snapshot->require_unschedulable_condition)
        return true;
    const struct condition *scheduled = condition_find(&pod->status.conditions, "PodScheduled");
    return scheduled != NULL && text_equal(scheduled->reason, "Unschedulable");
}

bool pod_is_fully_blocked(const struct problem *problem, const struct pod *pod)
{
    static const struct taint disrupted = {.key = TAINT_DISRUPTED, .effect = "NoSchedule"};
    if (!pod_is_active(pod) || tolerations_tolerate(&pod->spec.tolerations, &disrupted) ||
        pod_owned_by_node(pod) || pod_do_not_disrupt(pod, problem->snapshot->time))
        return false;
    struct pod_budget_matches matches = {0};
    pod_budgets_find(problem->pod_budgets, pod, &matches);
    uint32_t count = 0, first = 0;
    vector_for_each (match, &matches.items) {
        if (budget_is_unreadable(problem->pod_budgets->items[*match]))
            continue; // the API server evicts regardless of it
        first = *match;
        count++;
    }
    vector_free(&matches.items);
    if (count != 1)
        return count > 1;
    const struct pod_disruption_budget *only = problem->pod_budgets->items[first];
    const struct condition *ready = condition_find(&pod->status.conditions, "Ready");
    if (text_equal(only->spec.unhealthy_pod_eviction_policy, "AlwaysAllow") && ready != NULL &&
        text_equal(ready->status, "False"))
        return false;
    const struct int_or_string *most = &only->spec.max_unavailable;
    const struct int_or_string *least = &only->spec.min_available;
    bool none_unavailable =
        most->present && (most->text != NULL ? strcmp(most->text, "0%") == 0 : most->number == 0);
    return none_unavailable ||
           (least->present && least->text != NULL && strcmp(least->text, "100%") == 0);
}

bool pod_is_reschedulable(const struct problem *problem, const struct pod *pod)
{
    bool active = pod_is_active(pod);
    bool stateful = object_owner((const struct object *)pod, "apps/v1", "StatefulSet") != NULL;
    if (!active && !(stateful && pod->meta.deletion_timestamp != 0))
        return false;
    if (pod_owned_by_daemon_set(pod) || pod_owned_by_node(pod))
        return false;
    if (active && pod_do_not_disrupt(pod, problem->snapshot->time))
        return false;
    return !pod_is_fully_blocked(problem, pod);
}

// --- what selectors read
// --------------------------------------------------------------------------------

static void read_key(struct symbols *keys, const char *key)
{
    if (key != NULL)
        symbols_intern(keys, key);
}

static void read_selector(struct symbols *keys, const struct label_selector *selector)
{
    if (selector == NULL)
        return;
    list_for_each (label, &selector->match_labels)
        read_key(keys, label->key);
    list_for_each (expression, &selector->match_expressions)
        read_key(keys, expression->key);
}

static void read_affinity(struct symbols *keys, const struct pod_affinity *affinity)
{
    if (affinity == NULL)
        return;
    list_for_each (term, &affinity->required)
        read_selector(keys, term->label_selector);
    list_for_each (term, &affinity->preferred)
        read_selector(keys, term->pod_affinity_term.label_selector);
}

static void read_pod(struct symbols *keys, const struct pod_spec *spec)
{
    list_for_each (constraint, &spec->topology_spread_constraints) {
        read_selector(keys, constraint->label_selector);
        for (uint32_t i = 0; i < constraint->match_label_keys.count; i++)
            read_key(keys, constraint->match_label_keys.items[i]);
    }
    if (spec->affinity == NULL)
        return;
    read_affinity(keys, spec->affinity->pod_affinity);
    read_affinity(keys, spec->affinity->pod_anti_affinity);
}

static int compare_texts(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool has_required_anti_affinity(const struct pod *pod)
{
    return pod->spec.affinity != NULL && pod->spec.affinity->pod_anti_affinity != NULL &&
           pod->spec.affinity->pod_anti_affinity->required.count > 0;
}

static void collect_selector_keys(struct problem *problem)
{
    struct symbols *keys = symbols_create();
    for (uint32_t i = 0; i < problem->queued_count; i++)
        read_pod(keys, &problem->queued[i].pod->spec);
    for (uint32_t i = 0; i < problem->movable_count; i++)
        read_pod(keys, &problem->movable[i].pod->spec);
    for (uint32_t i = 0; i < problem->bound_count; i++)
        if (has_required_anti_affinity(problem->bound[i].pod))
            read_affinity(keys, problem->bound[i].pod->spec.affinity->pod_anti_affinity);
    spread_defaults_read_selectors(problem, keys);
    problem->selector_keys_count = symbols_count(keys);
    problem->selector_keys = arena_allocate_array(problem->arena, problem->selector_keys_count + 1,
                                                  sizeof *problem->selector_keys);
    for (uint32_t i = 0; i < problem->selector_keys_count; i++)
        problem->selector_keys[i] = arena_copy_string(problem->arena, symbols_text(keys, i));
    qsort(problem->selector_keys, problem->selector_keys_count, sizeof *problem->selector_keys,
          compare_texts);
    symbols_destroy(keys);
}

// --- the queue's pods
// -----------------------------------------------------------------------------------

static struct queued_pod *queue_pod(struct queued_pod *list, uint32_t *count, const struct pod *pod,
                                    const struct state_node *on)
{
    struct queued_pod *queued = &list[(*count)++];
    *queued = (struct queued_pod){.pod = pod, .on = on, .from_deleting_node = on != NULL};
    queued->running =
        on != NULL && !on->marked_for_deletion && !text_equal(pod->status.phase, "Pending");
    return queued;
}

// `moves`: by the snapshot's pods, whether one that runs is scheduled anew if its node goes.
static void collect_queue(struct problem *problem, struct bitset moves)
{
    const struct snapshot *snapshot = problem->snapshot;
    uint32_t total = snapshot->objects[KIND_POD].count;
    const struct pod **placeholders;
    uint32_t placeholders_count = buffers_placeholders(problem, &placeholders);
    problem->queued = arena_allocate_array(problem->arena, (size_t)total + placeholders_count + 1,
                                           sizeof *problem->queued);
    problem->movable = arena_allocate_array(problem->arena, problem->with_movable ? total + 1 : 1,
                                            sizeof *problem->movable);
    for (uint32_t i = 0; i < total; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        if (pod_is_provisionable(snapshot, pod)) {
            queue_pod(problem->queued, &problem->queued_count, pod, NULL);
            continue;
        }
        if (!has_text(pod->spec.node_name) || (pod_is_terminal(pod) && !pod_returns(pod)))
            continue;
        const struct state_node *on = map_get(problem->nodes.by_node_name, pod->spec.node_name);
        if (on == NULL || (!on->marked_for_deletion && !problem->with_movable) ||
            !pod_is_reschedulable(problem, pod))
            continue;
        bitset_set(moves, i);
        if (on->marked_for_deletion)
            queue_pod(problem->queued, &problem->queued_count, pod, on);
        else
            queue_pod(problem->movable, &problem->movable_count, pod, on);
    }
    for (uint32_t i = 0; i < placeholders_count; i++)
        queue_pod(problem->queued, &problem->queued_count, placeholders[i], NULL)->placeholder =
            true;
}

static void collect_nodes(struct problem *problem)
{
    const struct snapshot *snapshot = problem->snapshot;
    problem->node_objects_count = snapshot->objects[KIND_NODE].count;
    problem->node_objects = arena_allocate_array(problem->arena, problem->node_objects_count + 1,
                                                 sizeof *problem->node_objects);
    problem->node_objects_by_name = map_create();
    for (uint32_t i = 0; i < problem->node_objects_count; i++) {
        const struct node *node = (const struct node *)snapshot->objects[KIND_NODE].items[i];
        problem->node_objects[i] =
            (struct node_object){.node = node, .labels = &node->meta.labels, .place = NONE};
        map_set(problem->node_objects_by_name, node->meta.name, (void *)(uintptr_t)(i + 1));
    }
}

static void collect_bound(struct problem *problem, struct bitset moves)
{
    const struct snapshot *snapshot = problem->snapshot;
    uint32_t total = snapshot->objects[KIND_POD].count;
    problem->bound = arena_allocate_array(problem->arena, total + 1, sizeof *problem->bound);
    for (uint32_t i = 0; i < total; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        if (!has_text(pod->spec.node_name) || pod_is_terminal(pod))
            continue;
        uintptr_t node = (uintptr_t)map_get(problem->node_objects_by_name, pod->spec.node_name);
        if (node == 0)
            continue;
        const struct state_node *on = map_get(problem->nodes.by_node_name, pod->spec.node_name);
        bool movable = bitset_has(moves, i);
        problem->bound[problem->bound_count++] = (struct bound_pod){
            .pod = pod,
            .node = (uint32_t)node - 1,
            .counted = pod->meta.deletion_timestamp == 0,
            .scheduled = movable && on->marked_for_deletion,
            .movable = movable,
        };
    }
}

static int compare_bound(const void *a, const void *b)
{
    const struct pod *x = ((const struct bound_pod *)a)->pod;
    const struct pod *y = ((const struct bound_pod *)b)->pod;
    int order = strcmp(x->meta.namespace, y->meta.namespace);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

void pods_collect(struct problem *problem)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct bitset moves = bitset_create(scratch, problem->snapshot->objects[KIND_POD].count);
    problem->pod_budgets = pod_budgets_create(problem->arena, problem->snapshot);
    collect_queue(problem, moves);
    collect_nodes(problem);
    collect_bound(problem, moves);
    if (problem->bound_count > 0)
        qsort(problem->bound, problem->bound_count, sizeof *problem->bound, compare_bound);
    collect_selector_keys(problem);
    problem->scheduled = bitset_create(problem->arena, problem->bound_count);
    for (uint32_t i = 0; i < problem->bound_count; i++) {
        if (problem->bound[i].scheduled)
            bitset_set(problem->scheduled, i);
        problem->bound[i].identity = problem_identity(problem, problem->bound[i].pod);
        if (has_required_anti_affinity(problem->bound[i].pod))
            pod_spec_ask_keys(problem, &problem->bound[i].pod->spec);
    }
    pods_begin_classes(problem);
}

// --- class keys
// -----------------------------------------------------------------------------------------

static void add_text(struct text *key, const char *text)
{
    text_add(key, text != NULL ? text : "\7");
    text_add_char(key, '\1');
}

static void add_number(struct text *key, int64_t number)
{
    text_add_bytes(key, "#", 1);
    do {
        text_add_char(key, (char)('0' + (number & 63)));
        number = (int64_t)((uint64_t)number >> 6);
    } while (number != 0);
}

static void add_list(struct text *key, const struct string_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        add_text(key, list->items[i]);
    text_add_char(key, list->items != NULL ? '\2' : '\3');
}

static void add_requirements(struct text *key, const requirement_list *list)
{
    list_for_each (entry, list) {
        add_text(key, entry->key);
        add_text(key, entry->operator);
        add_list(key, &entry->values);
    }
    text_add_char(key, '\4');
}

static void add_map(struct text *key, const struct string_map *map)
{
    list_for_each (pair, map) {
        add_text(key, pair->key);
        add_text(key, pair->value);
    }
    text_add_char(key, '\4');
}

static void add_resources(struct text *key, const struct resource_map *map)
{
    list_for_each (entry, map) {
        add_text(key, entry->name);
        add_number(key, entry->value);
    }
    text_add_char(key, '\4');
}

static void add_selector(struct text *key, const struct label_selector *selector)
{
    if (selector == NULL) {
        text_add_char(key, '\5');
        return;
    }
    add_map(key, &selector->match_labels);
    add_requirements(key, &selector->match_expressions);
}

static void add_affinity_term(struct text *key, const struct pod_affinity_term *term)
{
    add_text(key, term->topology_key);
    add_selector(key, term->label_selector);
    add_selector(key, term->namespace_selector);
    add_list(key, &term->namespaces);
}

static void add_pod_affinity(struct text *key, const struct pod_affinity *affinity)
{
    if (affinity == NULL)
        return;
    list_for_each (term, &affinity->required)
        add_affinity_term(key, term);
    text_add_char(key, '\4');
    list_for_each (term, &affinity->preferred) {
        add_number(key, term->weight);
        add_affinity_term(key, &term->pod_affinity_term);
    }
}

static void add_node_term(struct text *key, const struct node_selector_term *term)
{
    add_requirements(key, &term->match_expressions);
    add_requirements(key, &term->match_fields);
}

static void add_affinity(struct text *key, const struct affinity *affinity)
{
    if (affinity == NULL)
        return;
    const struct node_affinity *node = affinity->node_affinity;
    if (node != NULL && node->required != NULL)
        list_for_each (term, &node->required->node_selector_terms)
            add_node_term(key, term);
    text_add_char(key, '\6');
    if (node != NULL)
        list_for_each (term, &node->preferred) {
            add_number(key, term->weight);
            add_node_term(key, &term->preference);
        }
    text_add_char(key, '\6');
    add_pod_affinity(key, affinity->pod_affinity);
    text_add_char(key, '\6');
    add_pod_affinity(key, affinity->pod_anti_affinity);
}

static void add_container(struct text *key, const struct pod_spec *spec,
                          const struct container *container)
{
    add_text(key, container->restart_policy);
    add_resources(key, &container->resources.requests);
    list_for_each (port, &container->ports)
        if (host_port_of(spec, port) != 0) {
            add_number(key, host_port_of(spec, port));
            add_text(key, port->host_ip);
            add_text(key, port->protocol);
        }
    text_add_char(key, '\6');
}

static void add_volumes(struct text *key, const struct pod *pod)
{
    list_for_each (volume, &pod->spec.volumes) {
        if (volume->persistent_volume_claim != NULL) {
            add_text(key, volume->persistent_volume_claim->claim_name);
        } else if (volume->ephemeral != NULL) {
            add_text(key, pod->meta.name);
            add_text(key, volume->name);
        }
    }
}

static void add_spreads(struct text *key, const struct pod_spec *spec)
{
    list_for_each (constraint, &spec->topology_spread_constraints) {
        add_number(key, constraint->max_skew);
        add_text(key, constraint->topology_key);
        add_text(key, constraint->when_unsatisfiable);
        add_selector(key, constraint->label_selector);
        add_number(key, constraint->min_domains.present ? constraint->min_domains.value : -1);
        add_text(key, constraint->node_affinity_policy);
        add_text(key, constraint->node_taints_policy);
        add_list(key, &constraint->match_label_keys);
    }
    text_add_char(key, '\6');
}

// A pod whose containers report resources of their own (in-place resize) is a class of its own.
static bool has_status_resources(const struct pod *pod)
{
    list_for_each (status, &pod->status.container_statuses)
        if (status->resources != NULL)
            return true;
    list_for_each (status, &pod->status.init_container_statuses)
        if (status->resources != NULL)
            return true;
    return false;
}

void pod_class_key(const struct problem *problem, const struct queued_pod *queued, struct text *key)
{
    const struct pod *pod = queued->pod;
    const struct pod_spec *spec = &pod->spec;
    text_clear(key);
    add_text(key, pod->meta.namespace);
    for (uint32_t i = 0; i < problem->selector_keys_count; i++)
        add_text(key, string_map_get(&pod->meta.labels, problem->selector_keys[i]));
    add_number(key, queued->from_deleting_node | queued->placeholder << 1 |
                        pod_spec_has_resource_claims(spec) << 2 | queued->running << 3);
    add_map(key, &spec->node_selector);
    list_for_each (toleration, &spec->tolerations) {
        add_text(key, toleration->key);
        add_text(key, toleration->operator);
        add_text(key, toleration->value);
        add_text(key, toleration->effect);
    }
    text_add_char(key, '\6');
    add_spreads(key, spec);
    add_affinity(key, spec->affinity);
    list_for_each (container, &spec->containers)
        add_container(key, spec, container);
    text_add_char(key, '\6');
    list_for_each (container, &spec->init_containers)
        add_container(key, spec, container);
    text_add_char(key, '\6');
    if (spec->resources != NULL)
        add_resources(key, &spec->resources->requests);
    add_resources(key, &spec->overhead);
    add_volumes(key, pod);
    spread_defaults_add_key(problem, pod, key);
    if (has_status_resources(pod)) {
        add_text(key, pod->meta.name);
    }
}
