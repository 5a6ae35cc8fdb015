#include "engine/pods/class_key.h"

#include <string.h>

#include "engine/problem/host_ports.h"
#include "model/reading/pod.h"

// Separator after optional parts of a pod and after lists. Compared by address, so no pod's text
// equals it.
static const char mark[] = "";

static void add_mark(struct class_key *key)
{
    vector_push(&key->parts, (struct class_key_part){.text = mark});
}

static void add_part(struct class_key *key, const char *text)
{
    static const char missing[] = "\7";
    vector_push(&key->parts, (struct class_key_part){.text = text != NULL ? text : missing});
}

static void add_number(struct class_key *key, int64_t number)
{
    vector_push(&key->parts, (struct class_key_part){.number = (uint64_t)number});
}

static void add_list(struct class_key *key, const struct string_list *list)
{
    for (uint32_t i = 0; i < list->count; i++)
        add_part(key, list->items[i]);
    add_number(key, list->items != NULL);
}

static void add_requirements(struct class_key *key, const requirement_list *list)
{
    list_for_each (entry, list) {
        add_part(key, entry->key);
        add_part(key, entry->operator);
        add_list(key, &entry->values);
    }
    add_mark(key);
}

static void add_map(struct class_key *key, const struct string_map *map)
{
    list_for_each (pair, map) {
        add_part(key, pair->key);
        add_part(key, pair->value);
    }
    add_mark(key);
}

static void add_resources(struct class_key *key, const struct resource_map *map)
{
    list_for_each (entry, map) {
        add_part(key, entry->name);
        add_number(key, entry->value);
    }
    add_mark(key);
}

static void add_selector(struct class_key *key, const struct label_selector *selector)
{
    if (selector == NULL) {
        add_part(key, NULL);
        return;
    }
    add_map(key, &selector->match_labels);
    add_requirements(key, &selector->match_expressions);
}

static void add_affinity_term(struct class_key *key, const struct pod_affinity_term *term)
{
    add_part(key, term->topology_key);
    add_selector(key, term->label_selector);
    add_selector(key, term->namespace_selector);
    add_list(key, &term->namespaces);
}

static void add_pod_affinity(struct class_key *key, const struct pod_affinity *affinity)
{
    if (affinity == NULL)
        return;
    list_for_each (term, &affinity->required)
        add_affinity_term(key, term);
    add_mark(key);
    list_for_each (term, &affinity->preferred) {
        add_number(key, term->weight);
        add_affinity_term(key, &term->pod_affinity_term);
    }
}

static void add_node_term(struct class_key *key, const struct node_selector_term *term)
{
    add_requirements(key, &term->match_expressions);
    add_requirements(key, &term->match_fields);
}

static void add_affinity(struct class_key *key, const struct affinity *affinity)
{
    if (affinity == NULL)
        return;
    const struct node_affinity *node = affinity->node_affinity;
    if (node != NULL && node->required != NULL)
        list_for_each (term, &node->required->node_selector_terms)
            add_node_term(key, term);
    add_mark(key);
    if (node != NULL)
        list_for_each (term, &node->preferred) {
            add_number(key, term->weight);
            add_node_term(key, &term->preference);
        }
    add_mark(key);
    add_pod_affinity(key, affinity->pod_affinity);
    add_mark(key);
    add_pod_affinity(key, affinity->pod_anti_affinity);
}

static void add_container(struct class_key *key, const struct pod_spec *spec,
                          const struct container *container)
{
    add_part(key, container->restart_policy);
    add_resources(key, &container->resources.requests);
    list_for_each (port, &container->ports)
        if (container_host_port(spec, port) != 0) {
            add_number(key, container_host_port(spec, port));
            add_part(key, port->host_ip);
            add_part(key, port->protocol);
        }
    add_mark(key);
}

static void add_volumes(struct class_key *key, const struct pod *pod)
{
    list_for_each (volume, &pod->spec.volumes) {
        if (volume->persistent_volume_claim != NULL) {
            add_part(key, volume->persistent_volume_claim->claim_name);
        } else if (volume->ephemeral != NULL) {
            add_part(key, pod->meta.name);
            add_part(key, volume->name);
        }
    }
}

static void add_spreads(struct class_key *key, const struct pod_spec *spec)
{
    list_for_each (constraint, &spec->topology_spread_constraints) {
        add_number(key, constraint->max_skew);
        add_part(key, constraint->topology_key);
        add_part(key, constraint->when_unsatisfiable);
        add_selector(key, constraint->label_selector);
        add_number(key, constraint->min_domains.present ? constraint->min_domains.value : -1);
        add_part(key, constraint->node_affinity_policy);
        add_part(key, constraint->node_taints_policy);
        add_list(key, &constraint->match_label_keys);
    }
    add_mark(key);
}

// Adds the pod's owner if the cluster's default constraints apply: they select by owner (SCH-172).
static void add_owner(const struct problem *problem, const struct pod *pod, struct class_key *key)
{
    if (problem->topology.spread_defaults == NULL ||
        pod->spec.topology_spread_constraints.count > 0)
        return;
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    if (owner == NULL)
        return;
    add_part(key, owner->api_version);
    add_part(key, owner->kind);
    add_part(key, owner->name);
}

// True if a container reports resources of its own (in-place resize): the pod is a class of its
// own.
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

void class_key_make(const struct problem *problem, const struct queued_pod *queued,
                    struct class_key *key)
{
    const struct pod *pod = queued->pod;
    const struct pod_spec *spec = &pod->spec;
    key->parts.count = 0;
    add_part(key, pod->meta.namespace);
    if (queued->aside != NULL) { // the rest of the pod is not read
        add_part(key, queued->aside);
        add_number(key, queued->running);
        return;
    }
    for (uint32_t i = 0; i < problem->topology.selector_keys_count; i++)
        add_part(key, string_map_get(&pod->meta.labels, problem->topology.selector_keys[i]));
    add_number(key, queued->from_deleting_node | queued->placeholder << 1 |
                        pod_spec_has_resource_claims(spec) << 2 | queued->running << 3);
    add_map(key, &spec->node_selector);
    list_for_each (toleration, &spec->tolerations) {
        add_part(key, toleration->key);
        add_part(key, toleration->operator);
        add_part(key, toleration->value);
        add_part(key, toleration->effect);
    }
    add_mark(key);
    add_spreads(key, spec);
    add_affinity(key, spec->affinity);
    list_for_each (container, &spec->containers)
        add_container(key, spec, container);
    add_mark(key);
    list_for_each (container, &spec->init_containers)
        add_container(key, spec, container);
    add_mark(key);
    if (spec->resources != NULL)
        add_resources(key, &spec->resources->requests);
    add_resources(key, &spec->overhead);
    add_volumes(key, pod);
    add_number(key, (int64_t)(uintptr_t)queued->devices);
    add_owner(problem, pod, key);
    if (has_status_resources(pod))
        add_part(key, pod->meta.name);
}

bool class_keys_equal(const struct class_key *a, const struct class_key *b)
{
    if (a->parts.count != b->parts.count)
        return false;
    for (uint32_t i = 0; i < a->parts.count; i++) {
        const struct class_key_part *x = &a->parts.items[i], *y = &b->parts.items[i];
        bool texts = x->text != NULL && x->text != mark && y->text != NULL && y->text != mark;
        if (x->number != y->number ||
            (x->text != y->text && !(texts && strcmp(x->text, y->text) == 0)))
            return false;
    }
    return true;
}

static void add_digits(struct text *text, uint64_t number)
{
    text_add_char(text, '#');
    for (; number != 0; number >>= 6)
        text_add_char(text, (char)('0' + (number & 63)));
}

void class_key_text(const struct class_key *key, struct text *text)
{
    text_clear(text);
    vector_for_each (part, &key->parts) {
        if (part->text == NULL)
            add_digits(text, part->number);
        else if (part->text != mark)
            text_add(text, part->text);
        text_add_char(text, part->text == mark ? '\6' : '\1');
    }
}
