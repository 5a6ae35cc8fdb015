#include "engine/pod_class.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/host_ports.h"
#include "engine/topology_groups.h"
#include "engine/validate_pods.h"
#include "engine/volumes.h"

// --- what is left of a relaxed pod's preferences
// ----------------------------------------------------

node_selector_term_list class_required_terms(const struct pod_class *class)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    node_selector_term_list terms = {0};
    if (affinity == NULL || affinity->node_affinity == NULL ||
        affinity->node_affinity->required == NULL)
        return terms;
    terms = affinity->node_affinity->required->node_selector_terms;
    terms.items += class->relaxation.required_dropped;
    terms.count -= class->relaxation.required_dropped;
    return terms;
}

// Positions of `count` weights, heaviest first, ties in list order (SCH-161).
static void order_by_weight(const int64_t *weights, uint32_t count, uint32_t *order)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = i;
        for (; at > 0 && weights[order[at - 1]] < weights[i]; at--)
            order[at] = order[at - 1];
        order[at] = i;
    }
}

uint32_t class_preferred_affinity(const struct pod_class *class, bool anti,
                                  const struct pod_affinity_term **terms)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    const struct pod_affinity *pods = affinity == NULL ? NULL
                                      : anti           ? affinity->pod_anti_affinity
                                                       : affinity->pod_affinity;
    if (pods == NULL || pods->preferred.count == 0)
        return 0;
    uint32_t count = pods->preferred.count;
    int64_t *weights = memory_allocate_array(count, sizeof *weights);
    uint32_t *order = memory_allocate_array(count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        weights[i] = pods->preferred.items[i].weight;
    order_by_weight(weights, count, order);
    uint32_t dropped =
        anti ? class->relaxation.anti_affinity_dropped : class->relaxation.affinity_dropped;
    uint32_t kept = 0;
    for (uint32_t i = dropped; i < count; i++)
        terms[kept++] = &pods->preferred.items[order[i]].pod_affinity_term;
    free(weights);
    free(order);
    return kept;
}

// The heaviest preferred node affinity term that is left, or NULL.
static const struct node_selector_term *heaviest_preference(const struct pod_class *class)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    if (affinity == NULL || affinity->node_affinity == NULL)
        return NULL;
    uint32_t count = affinity->node_affinity->preferred.count;
    if (class->relaxation.node_affinity_dropped >= count)
        return NULL;
    int64_t *weights = memory_allocate_array(count, sizeof *weights);
    uint32_t *order = memory_allocate_array(count, sizeof *order);
    for (uint32_t i = 0; i < count; i++)
        weights[i] = affinity->node_affinity->preferred.items[i].weight;
    order_by_weight(weights, count, order);
    const struct node_selector_term *term =
        &affinity->node_affinity->preferred.items[order[class->relaxation.node_affinity_dropped]]
             .preference;
    free(weights);
    free(order);
    return term;
}

static bool is_schedule_anyway(const struct topology_spread_constraint *constraint)
{
    return text_equal(constraint->when_unsatisfiable, "ScheduleAnyway");
}

uint32_t class_spreads(const struct pod_class *class,
                       const struct topology_spread_constraint **constraints)
{
    uint32_t count = class->spreads.count;
    for (uint32_t i = 0; i < count; i++)
        constraints[i] = &class->spreads.items[i];
    for (uint32_t dropped = 0; dropped < class->relaxation.spreads_dropped; dropped++)
        for (uint32_t i = 0; i < count; i++)
            if (is_schedule_anyway(constraints[i])) {
                constraints[i] = constraints[--count];
                break;
            }
    return count;
}

// --- compiling a class
// --------------------------------------------------------------------------------

static toleration_list *with_prefer_no_schedule(struct problem *problem, const toleration_list *own)
{
    toleration_list *list = arena_allocate(problem->arena, sizeof *list);
    list->items = arena_allocate_array(problem->arena, own->count + 1, sizeof *list->items);
    if (own->count > 0)
        memcpy(list->items, own->items, own->count * sizeof *list->items);
    list->count = own->count;
    list->items[list->count++] =
        (struct toleration){.operator= "Exists", .effect = "PreferNoSchedule"};
    return list;
}

static uint32_t add_shape(struct problem *problem, const struct shape *shape)
{
    struct text key = {0};
    text_format(&key, "%x %x %x %d %p", shape->set, shape->hostname, shape->tolerations,
                shape->impossible, (const void *)shape->volumes);
    for (uint32_t d = 0; d < problem->dimensions; d++)
        text_format(&key, " %llx", (unsigned long long)shape->requests[d]);
    list_for_each (port, &shape->ports)
        text_format(&key, "|%s %s %lld", port->ip, port->protocol, (long long)port->port);
    uintptr_t id = (uintptr_t)map_get(problem->shape_ids, key.data);
    if (id == 0) {
        vector_push(&problem->shapes, *shape);
        id = problem->shapes.count;
        map_set(problem->shape_ids, key.data, (void *)id);
    }
    text_free(&key);
    return (uint32_t)id - 1;
}

static void compile_shape(struct problem *problem, struct pod_class *class,
                          const struct resource_map *requests)
{
    const struct pod_spec *spec = &class->sample->spec;
    struct shape shape = {.request_map = *requests, .volumes = class->volumes};
    uint32_t strict = set_from_labels(problem->sets, &spec->node_selector);
    node_selector_term_list terms = class_required_terms(class);
    if (terms.count > 0) {
        shape.impossible = terms.items[0].match_expressions.count == 0;
        strict = set_meet(problem->sets, strict,
                          set_from_api(problem->sets, &terms.items[0].match_expressions));
    }
    uint32_t all = strict;
    const struct node_selector_term *preference =
        problem->settings->preference_policy_ignore ? NULL : heaviest_preference(class);
    if (preference != NULL)
        all = set_meet(problem->sets, all,
                       set_from_api(problem->sets, &preference->match_expressions));
    class->strict_set = problem_split_hostname(problem, strict, &class->strict_hostname);
    shape.set = problem_split_hostname(problem, all, &shape.hostname);
    class->tolerations = class->relaxation.tolerates_prefer_no_schedule
                             ? with_prefer_no_schedule(problem, &spec->tolerations)
                             : &spec->tolerations;
    shape.tolerations = problem_intern_tolerations(problem, class->tolerations);
    shape.ports = host_ports_of(problem->arena, spec);
    int64_t *vector = vector_create(problem);
    vector_set_map(problem, vector, requests);
    shape.requests = vector;
    shape.dimensions =
        arena_allocate_array(problem->arena, problem->dimensions, sizeof *shape.dimensions);
    for (uint32_t d = 0; d < problem->dimensions; d++)
        if (vector[d] > 0)
            shape.dimensions[shape.dimensions_count++] = d;
    class->shape = add_shape(problem, &shape);
}

static void compile_class(struct problem *problem, struct pod_class *class,
                          const struct resource_map *requests)
{
    class->compiled = true;
    class->relaxed = NOT_RELAXED;
    compile_shape(problem, class, requests);
    topology_define_groups(problem, class);
}

// --- relaxation
// ---------------------------------------------------------------------------------------

static bool has_prefer_no_schedule_toleration(const struct pod_spec *spec)
{
    list_for_each (toleration, &spec->tolerations)
        if (text_equal(toleration->operator, "Exists") &&
            text_equal(toleration->effect, "PreferNoSchedule") &&
            (toleration->key == NULL || toleration->key[0] == '\0') &&
            (toleration->value == NULL || toleration->value[0] == '\0'))
            return true;
    return false;
}

static uint32_t schedule_anyway_left(const struct pod_class *class)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < class->spreads.count; i++)
        count += is_schedule_anyway(&class->spreads.items[i]);
    return count - class->relaxation.spreads_dropped;
}

static const char *next_step(const struct problem *problem, const struct pod_class *class,
                             struct relaxation *next)
{
    const struct pod_spec *spec = &class->sample->spec;
    const struct affinity none = {0}, *affinity = spec->affinity != NULL ? spec->affinity : &none;
    *next = class->relaxation;
    if (class_required_terms(class).count > 1) {
        next->required_dropped++;
        return "removing: spec.affinity.nodeAffinity."
               "requiredDuringSchedulingIgnoredDuringExecution[0]";
    }
    if (affinity->pod_affinity != NULL &&
        affinity->pod_affinity->preferred.count > next->affinity_dropped) {
        next->affinity_dropped++;
        return "removing: spec.affinity.podAffinity."
               "preferredDuringSchedulingIgnoredDuringExecution[0]";
    }
    if (affinity->pod_anti_affinity != NULL &&
        affinity->pod_anti_affinity->preferred.count > next->anti_affinity_dropped) {
        next->anti_affinity_dropped++;
        return "removing: spec.affinity.podAntiAffinity."
               "preferredDuringSchedulingIgnoredDuringExecution[0]";
    }
    if (affinity->node_affinity != NULL &&
        affinity->node_affinity->preferred.count > next->node_affinity_dropped) {
        next->node_affinity_dropped++;
        return "removing: spec.affinity.nodeAffinity."
               "preferredDuringSchedulingIgnoredDuringExecution[0]";
    }
    if (schedule_anyway_left(class) > 0) {
        next->spreads_dropped++;
        return "removing: spec.topologySpreadConstraints";
    }
    if (problem->any_prefer_no_schedule && !next->tolerates_prefer_no_schedule &&
        !has_prefer_no_schedule_toleration(spec)) {
        next->tolerates_prefer_no_schedule = true;
        return "adding: toleration for PreferNoSchedule taints";
    }
    return NULL;
}

uint32_t class_relax(struct problem *problem, uint32_t id)
{
    struct pod_class *class = class_at(problem, id);
    if (class->relaxed != NOT_RELAXED)
        return class->relaxed;
    struct relaxation next;
    if (next_step(problem, class, &next) == NULL)
        return class->relaxed = NONE;
    struct pod_class *relaxed = arena_allocate(problem->arena, sizeof *relaxed);
    relaxed->sample = class->sample;
    relaxed->relaxation = next;
    relaxed->identity = class->identity;
    relaxed->spreads.items = class->spreads.items;
    relaxed->spreads.count = class->spreads.count;
    relaxed->volumes = class->volumes;
    relaxed->resource_claims = class->resource_claims;
    struct resource_map requests = shape_of(problem, class)->request_map;
    compile_class(problem, relaxed, &requests);
    vector_push(&problem->classes, relaxed);
    return class->relaxed = problem->classes.count - 1;
}

const char *class_relaxation_text(struct problem *problem, uint32_t class)
{
    struct relaxation next;
    return next_step(problem, class_at(problem, class), &next);
}

// --- keys that Nodes are asked for
// --------------------------------------------------------------------

static void ask_key(struct problem *problem, const char *key)
{
    problem_ask_key(problem, vocabulary_key(problem->vocabulary, key));
}

static void ask_list(struct problem *problem, const requirement_list *list)
{
    list_for_each (entry, list)
        ask_key(problem, entry->key);
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
            ask_list(problem, &term->match_expressions);
    if (node_affinity != NULL)
        list_for_each (term, &node_affinity->preferred)
            ask_list(problem, &term->preference.match_expressions);
    ask_pod_affinity(problem, spec->affinity->pod_affinity);
    ask_pod_affinity(problem, spec->affinity->pod_anti_affinity);
}

// --- classes of the snapshot
// --------------------------------------------------------------------------

uint32_t problem_identity(struct problem *problem, const struct pod *pod)
{
    struct text *key = &problem->scratch;
    text_clear(key);
    text_add(key, pod->meta.namespace);
    for (uint32_t i = 0; i < problem->selector_keys_count; i++) {
        const char *value = string_map_get(&pod->meta.labels, problem->selector_keys[i]);
        if (value != NULL)
            text_format(key, "\1%x=%s", i, value);
    }
    uintptr_t id = (uintptr_t)map_get(problem->identity_ids, key->data);
    if (id == 0) {
        vector_push(&problem->identities,
                    (struct identity){pod->meta.namespace, &pod->meta.labels});
        id = problem->identities.count;
        map_set(problem->identity_ids, key->data, (void *)id);
    }
    return (uint32_t)id - 1;
}

static void note_dimensions(struct problem *problem, const struct resource_map *requests)
{
    problem_add_dimensions(problem, requests);
}

// First sight of a class: everything that does not need dimensions.
static struct pod_class *begin_class(struct problem *problem, const struct queued_pod *queued)
{
    struct pod_class *class = arena_allocate(problem->arena, sizeof *class);
    class->sample = queued->pod;
    class->identity = problem_identity(problem, queued->pod);
    class->requests = pod_requests(problem->arena, queued->pod);
    class->resource_claims = queued->pod->spec.resource_claims.count > 0;
    class->spreads.items = queued->pod->spec.topology_spread_constraints.items;
    class->spreads.count = queued->pod->spec.topology_spread_constraints.count;
    class->validated = !queued->from_deleting_node && !queued->placeholder;
    note_dimensions(problem, &class->requests);
    pod_spec_ask_keys(problem, &queued->pod->spec);
    return class;
}

static void begin_classes(struct problem *problem, struct queued_pod *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct queued_pod *queued = &list[i];
        struct text *key = &problem->class_key;
        pod_class_key(problem, queued, key);
        uintptr_t id = (uintptr_t)map_get_bytes(problem->class_ids, key->data, key->length);
        if (id == 0) {
            vector_push(&problem->classes, begin_class(problem, queued));
            id = problem->classes.count;
            map_set(problem->class_ids, key->data, (void *)id);
        }
        queued->class = (uint32_t)id - 1;
    }
}

void pods_begin_classes(struct problem *problem)
{
    begin_classes(problem, problem->queued, problem->queued_count);
    begin_classes(problem, problem->movable, problem->movable_count);
}

int queued_pods_compare(const void *a, const void *b)
{
    const struct queued_pod *x = a, *y = b;
    if (x->placeholder != y->placeholder) // SCH-410: real pods first
        return x->placeholder ? 1 : -1;
    if (x->cpu != y->cpu)
        return x->cpu > y->cpu ? -1 : 1;
    if (x->memory != y->memory)
        return x->memory > y->memory ? -1 : 1;
    int64_t left = x->pod->meta.creation_timestamp / SECOND;
    int64_t right = y->pod->meta.creation_timestamp / SECOND;
    if (left != right)
        return left < right ? -1 : 1;
    int order = strcmp(x->pod->meta.uid, y->pod->meta.uid);
    if (order == 0)
        order = strcmp(x->pod->meta.namespace, y->pod->meta.namespace);
    return order != 0 ? order : strcmp(x->pod->meta.name, y->pod->meta.name);
}

static void sort_queue(struct problem *problem, struct queued_pod *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        const struct pod_class *class = class_at(problem, list[i].class);
        list[i].cpu = resource_map_get(&class->requests, "cpu");
        list[i].memory = resource_map_get(&class->requests, "memory");
    }
    if (count > 0)
        qsort(list, count, sizeof *list, queued_pods_compare);
    for (uint32_t i = 0; i < count; i++)
        list[i].index = i;
}

// The sample of a class is its first pod in queue order, so that it does not depend on the input's.
static void compile_classes(struct problem *problem, const struct queued_pod *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct pod_class *class = class_at(problem, list[i].class);
        if (class->compiled)
            continue;
        class->sample = list[i].pod;
        class->volumes = volumes_of_pod(problem, class->sample);
        if (class->validated)
            class->refusal = validate_pod(problem, class->sample, &class->refused_silently);
        compile_class(problem, class, &class->requests);
    }
}

void pods_classify(struct problem *problem)
{
    sort_queue(problem, problem->queued, problem->queued_count);
    sort_queue(problem, problem->movable, problem->movable_count);
    compile_classes(problem, problem->queued, problem->queued_count);
    compile_classes(problem, problem->movable, problem->movable_count);
    for (uint32_t i = 0; i < problem->bound_count; i++)
        problem->bound[i].inverse_count =
            topology_define_inverse(problem, problem->bound[i].pod, &problem->bound[i].inverse);
}
