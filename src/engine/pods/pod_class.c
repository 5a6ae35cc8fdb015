#include "engine/pods/pod_class.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/prefetch.h"
#include "engine/devices/device_bounds.h"
#include "engine/devices/extended_resources.h"
#include "engine/devices/pod_devices.h"
#include "engine/pods/class_key.h"
#include "engine/pods/pod_demand.h"
#include "engine/pods/preferences.h"
#include "engine/pods/spread_defaults.h"
#include "engine/pods/topology_groups.h"
#include "engine/pods/validate_pods.h"
#include "engine/problem/asked_keys.h"
#include "engine/problem/host_ports.h"
#include "engine/problem/node_terms.h"
#include "engine/problem/volumes.h"
#include "model/reading/pod.h"

// --- compiling a class ---------------------------------------------------------------------------

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
    text_format(&key, "%x %x %x %d %p %p", shape->set, shape->hostname, shape->tolerations,
                shape->impossible, (const void *)shape->volumes, (const void *)shape->devices);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        text_format(&key, " %llx", (unsigned long long)shape->requests[d]);
    list_for_each (port, &shape->ports)
        text_format(&key, "|%s %s %lld", port->ip, port->protocol, (long long)port->port);
    for (uint32_t i = 0; i < shape->terms_count; i++)
        text_format(&key, "/%x %x", shape->terms[i].set, shape->terms[i].hostname);
    uintptr_t id = (uintptr_t)map_get(problem->interned.shape_ids, key.data);
    if (id == 0) {
        vector_push(&problem->interned.shapes, *shape);
        id = problem->interned.shapes.count;
        map_set(problem->interned.shape_ids, key.data, (void *)id);
    }
    text_free(&key);
    return (uint32_t)id - 1;
}

// Upstream's requirements: the first required term and the heaviest preference (SCH-100, SCH-101).
static void set_requirements(struct problem *problem, struct pod_class *class, struct shape *shape)
{
    uint32_t strict = set_from_labels(problem->sets, &class->sample->spec.node_selector);
    node_selector_term_list terms = class_required_terms(class);
    if (terms.count > 0) {
        shape->impossible = terms.items[0].match_expressions.count == 0;
        strict = set_meet(problem->sets, strict,
                          set_from_api(problem->sets, &terms.items[0].match_expressions));
    }
    uint32_t all = strict;
    const struct node_affinity *affinity =
        class->sample->spec.affinity != NULL ? class->sample->spec.affinity->node_affinity : NULL;
    if (affinity != NULL && affinity->preferred.count > 0 &&
        !problem->settings->preference_policy_ignore) {
        const struct node_selector_term **preferred =
            memory_allocate_array(affinity->preferred.count, sizeof *preferred);
        if (class_preferred_nodes(class, preferred) > 0)
            all = set_meet(problem->sets, all,
                           set_from_api(problem->sets, &preferred[0]->match_expressions));
        free(preferred);
    }
    class->strict_set = problem_split_hostname(problem, strict, &class->strict_hostname);
    shape->set = problem_split_hostname(problem, all, &shape->hostname);
}

// Intersects *set with `other`; false if no node can match both (SCH-104).
static bool narrow(struct problem *problem, uint32_t *set, uint32_t other)
{
    bool possible = sets_intersect(problem->sets, *set, other);
    *set = set_meet(problem->sets, *set, other);
    return possible;
}

// The required terms that are compatible with a node selector, merged, into `sets`.
static uint32_t possible_terms(struct problem *problem, const node_selector_term_list *terms,
                               uint32_t selector, uint32_t *sets)
{
    uint32_t count = 0;
    list_for_each (term, terms)
        if (node_term_set(problem, term, &sets[count]) &&
            sets_intersect(problem->sets, selector, sets[count]))
            count++;
    return node_terms_merge(problem, sets, count);
}

static bool add_preferences(struct problem *problem, const struct pod_class *class, uint32_t *all)
{
    const struct affinity *affinity = class->sample->spec.affinity;
    if (affinity == NULL || affinity->node_affinity == NULL ||
        affinity->node_affinity->preferred.count == 0)
        return true;
    bool possible = true;
    const struct node_selector_term **preferred =
        memory_allocate_array(affinity->node_affinity->preferred.count, sizeof *preferred);
    uint32_t count = class_preferred_nodes(class, preferred);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t set;
        bool empty = preferred[i]->match_expressions.count + preferred[i]->match_fields.count == 0;
        possible =
            possible &&
            (empty || (node_term_set(problem, preferred[i], &set) && narrow(problem, all, set)));
    }
    free(preferred);
    return possible;
}

// SCH-508, SCH-509: all required terms at once, and every remaining preference.
static void set_requirements_at_once(struct problem *problem, struct pod_class *class,
                                     struct shape *shape)
{
    uint32_t strict = set_from_labels(problem->sets, &class->sample->spec.node_selector);
    node_selector_term_list terms = class_required_terms(class);
    uint32_t *sets = memory_allocate_array(terms.count + 1, sizeof *sets);
    uint32_t count = possible_terms(problem, &terms, strict, sets), all = strict;
    shape->impossible = terms.count > 0 && count == 0;
    if (count == 1)
        all = strict = set_meet(problem->sets, strict, sets[0]);
    else if (count > 1)
        strict = set_meet(problem->sets, strict, node_terms_common(problem, sets, count));
    else if (terms.count > 0) // for the explanation
        strict = all = set_meet(problem->sets, strict,
                                set_from_api(problem->sets, &terms.items[0].match_expressions));
    shape->impossible = !add_preferences(problem, class, &all) || shape->impossible;
    class->strict_set = problem_split_hostname(problem, strict, &class->strict_hostname);
    shape->set = problem_split_hostname(problem, all, &shape->hostname);
    if (count > 1) {
        shape->terms = arena_allocate_array(problem->arena, count, sizeof *shape->terms);
        for (uint32_t i = 0; i < count; i++)
            if (sets_intersect(problem->sets, all, sets[i])) {
                struct node_term *term = &shape->terms[shape->terms_count++];
                term->set = problem_split_hostname(problem, sets[i], &term->hostname);
            }
        shape->impossible = shape->impossible || shape->terms_count == 0;
        if (shape->terms_count == 1) {
            all = set_meet(problem->sets, shape->set, shape->terms[0].set);
            shape->set = all;
            if (shape->hostname == REQUIREMENT_NONE)
                shape->hostname = shape->terms[0].hostname;
            shape->terms_count = 0;
        }
    }
    free(sets);
}

// SCH-425: where claims are that are allocated already.
static void narrow_to_claims(struct problem *problem, struct shape *shape, uint32_t set)
{
    uint32_t hostname, other = problem_split_hostname(problem, set, &hostname);
    shape->impossible = !narrow(problem, &shape->set, other) || shape->impossible;
    if (hostname != REQUIREMENT_NONE && shape->hostname == REQUIREMENT_NONE)
        shape->hostname = hostname;
}

static void compile_shape(struct problem *problem, struct pod_class *class,
                          const struct resource_map *requests)
{
    const struct pod_spec *spec = &class->sample->spec;
    struct shape shape = {
        .request_map = *requests, .volumes = class->volumes, .devices = class->devices};
    if (class->by_weight)
        set_requirements_at_once(problem, class, &shape);
    else
        set_requirements(problem, class, &shape);
    class->tolerations = class->relaxation.tolerates_prefer_no_schedule
                             ? with_prefer_no_schedule(problem, &spec->tolerations)
                             : &spec->tolerations;
    shape.tolerations = problem_intern_tolerations(problem, class->tolerations);
    shape.ports = host_ports_of(problem->arena, spec);
    int64_t *vector = vector_create(problem);
    vector_set_map(problem, vector, requests);
    if (class->devices != NULL) {
        devices_add_requests(class->devices, vector);
        narrow_to_claims(problem, &shape, class->devices->set);
    }
    shape.requests = vector;
    shape.dimensions =
        arena_allocate_array(problem->arena, problem->dimensions.count, sizeof *shape.dimensions);
    for (uint32_t d = 0; d < problem->dimensions.count; d++)
        if (vector[d] > 0)
            shape.dimensions[shape.dimensions_count++] = d;
    assert(shape.terms_count != 1);
    class->shape = add_shape(problem, &shape);
}

static void compile_class(struct problem *problem, struct pod_class *class,
                          const struct resource_map *requests)
{
    assert(!class->compiled);
    class->compiled = true;
    class->relaxed = NOT_RELAXED;
    compile_shape(problem, class, requests);
    topology_define_groups(problem, class);
}

uint32_t class_derive(struct problem *problem, uint32_t id, const struct relaxation *relaxation)
{
    assert(class_at(problem, id)->compiled);
    const struct pod_class *class = class_at(problem, id);
    struct pod_class *relaxed = arena_allocate(problem->arena, sizeof *relaxed);
    relaxed->sample = class->sample;
    relaxed->relaxation = *relaxation;
    relaxed->identity = class->identity;
    relaxed->original = class->original;
    relaxed->by_weight = class->by_weight;
    relaxed->preferences = class->preferences;
    relaxed->preferences_count = class->preferences_count;
    relaxed->spreads.items = class->spreads.items;
    relaxed->spreads.count = class->spreads.count;
    relaxed->volumes = class->volumes;
    relaxed->devices = class->devices;
    relaxed->resource_claims = class->resource_claims;
    relaxed->running = class->running;
    struct resource_map requests = shape_of(problem, class)->request_map;
    compile_class(problem, relaxed, &requests);
    vector_push(&problem->interned.classes, relaxed);
    assert(relaxed->shape < problem->interned.shapes.count);
    return problem->interned.classes.count - 1;
}

// --- classes of the snapshot ---------------------------------------------------------------------

uint32_t problem_identity(struct problem *problem, const struct pod *pod)
{
    struct text *key = &problem->scratch;
    text_clear(key);
    text_add(key, pod->meta.namespace);
    for (uint32_t i = 0; i < problem->topology.selector_keys_count; i++) {
        const char *value = string_map_get(&pod->meta.labels, problem->topology.selector_keys[i]);
        if (value != NULL)
            text_format(key, "\1%x=%s", i, value);
    }
    uintptr_t id = (uintptr_t)map_get(problem->interned.identity_ids, key->data);
    if (id == 0) {
        vector_push(&problem->interned.identities,
                    (struct identity){pod->meta.namespace, &pod->meta.labels});
        id = problem->interned.identities.count;
        map_set(problem->interned.identity_ids, key->data, (void *)id);
    }
    return (uint32_t)id - 1;
}

static void note_dimensions(struct problem *problem, const struct resource_map *requests)
{
    problem_add_dimensions(problem, requests);
}

// Creates a class with everything that does not need dimensions.
static struct pod_class *begin_class(struct problem *problem, const struct queued_pod *queued)
{
    struct pod_class *class = arena_allocate(problem->arena, sizeof *class);
    class->sample = queued->pod;
    if (queued->aside != NULL) {
        class->aside = true;
        class->refusal = queued->aside;
        class->sample = pod_without_demand(problem, queued->pod);
        class->identity = problem_identity(problem, queued->pod);
        class->running = queued->running;
        return class;
    }
    class->identity = problem_identity(problem, queued->pod);
    class->requests = requests_without_extended(problem, problem->arena, queued->pod);
    class->resource_claims = pod_spec_has_resource_claims(&queued->pod->spec);
    class->spreads.items = queued->pod->spec.topology_spread_constraints.items;
    class->spreads.count = queued->pod->spec.topology_spread_constraints.count;
    class->running = queued->running;
    class->devices = queued->devices;
    class->validated = !queued->from_deleting_node && !queued->placeholder;
    note_dimensions(problem, &class->requests);
    pod_spec_ask_keys(problem, &queued->pod->spec);
    return class;
}

static uint32_t find_class(struct problem *problem, const struct class_key *key,
                           const struct queued_pod *queued)
{
    struct text *text = &problem->class_key;
    class_key_text(key, text);
    uintptr_t id = (uintptr_t)map_get_bytes(problem->interned.class_ids, text->data, text->length);
    if (id == 0) {
        vector_push(&problem->interned.classes, begin_class(problem, queued));
        id = problem->interned.classes.count;
        map_set(problem->interned.class_ids, text->data, (void *)id);
    }
    return (uint32_t)id - 1;
}

#define PREFETCH_SPEC 1024 // of a pod, with the lists behind it

// Consecutive pods mostly have the same class, so each key is first compared with the last one.
static void begin_classes(struct problem *problem, struct queued_pod *list, uint32_t count)
{
    struct class_key keys[2] = {0};
    for (uint32_t i = 0; i < count; i++) {
        struct class_key *key = &keys[i % 2];
        if (i + PREFETCH_AHEAD < count)
            prefetch_bytes(&list[i + PREFETCH_AHEAD].pod->spec, PREFETCH_SPEC);
        if (list[i].aside == NULL)
            list[i].devices = devices_of_pod(problem, list[i].pod, list[i].on != NULL);
        class_key_make(problem, &list[i], key);
        list[i].class = i > 0 && class_keys_equal(&keys[0], &keys[1])
                            ? list[i - 1].class
                            : find_class(problem, key, &list[i]);
    }
    vector_free(&keys[0].parts);
    vector_free(&keys[1].parts);
}

void pods_begin_classes(struct problem *problem)
{
    begin_classes(problem, problem->pods.queued, problem->pods.queued_count);
    begin_classes(problem, problem->pods.movable, problem->pods.movable_count);
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

struct queue_entry { // the same order by numbers, which nearly always suffice
    uint64_t size;   // rank of the class
    int64_t second;
    uint64_t uid; // its first bytes
    const struct queued_pod *queued;
};

static int compare_entries(const void *a, const void *b)
{
    const struct queue_entry *x = a, *y = b;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (x->second != y->second)
        return x->second < y->second ? -1 : 1;
    if (x->uid != y->uid)
        return x->uid < y->uid ? -1 : 1;
    return queued_pods_compare(x->queued, y->queued);
}

static uint64_t first_bytes(const char *text)
{
    uint64_t bytes = 0;
    for (int shift = 56; shift >= 0 && *text != '\0'; shift -= 8)
        bytes |= (uint64_t)(unsigned char)*text++ << shift;
    return bytes;
}

struct class_size { // sorts classes as queued_pods_compare() sorts their pods
    int64_t cpu, memory;
    uint32_t class;
};

static int compare_sizes(const void *a, const void *b)
{
    const struct class_size *x = a, *y = b;
    if (x->cpu != y->cpu)
        return x->cpu > y->cpu ? -1 : 1;
    return x->memory != y->memory ? (x->memory > y->memory ? -1 : 1) : 0;
}

// Ranks by class; equal sizes have equal ranks.
static uint64_t *rank_sizes(struct problem *problem, struct class_size *sizes)
{
    uint32_t count = problem->interned.classes.count;
    uint64_t *ranks = memory_allocate_array((size_t)count + 1, sizeof *ranks), rank = 0;
    struct class_size *sorted = memory_copy(sizes, count * sizeof *sizes);
    qsort(sorted, count, sizeof *sorted, compare_sizes);
    for (uint32_t i = 0; i < count; i++) {
        rank += i > 0 && compare_sizes(&sorted[i - 1], &sorted[i]) != 0;
        ranks[sorted[i].class] = rank;
    }
    free(sorted);
    return ranks;
}

static struct class_size *size_classes(const struct problem *problem)
{
    struct class_size *sizes =
        memory_allocate_array((size_t)problem->interned.classes.count + 1, sizeof *sizes);
    for (uint32_t i = 0; i < problem->interned.classes.count; i++) {
        const struct resource_map *requests = &class_at(problem, i)->requests;
        sizes[i] = (struct class_size){resource_map_get(requests, "cpu"),
                                       resource_map_get(requests, "memory"), i};
    }
    return sizes;
}

static void sort_queue(struct problem *problem, struct queued_pod *list, uint32_t count)
{
    if (count == 0)
        return;
    CLEANUP_FREE struct class_size *sizes = size_classes(problem);
    CLEANUP_FREE uint64_t *ranks = rank_sizes(problem, sizes);
    CLEANUP_FREE struct queue_entry *entries = memory_allocate_array(count, sizeof *entries);
    for (uint32_t i = 0; i < count; i++) {
        const struct object_meta *meta = &list[i].pod->meta;
        if (i + 2 * PREFETCH_AHEAD < count)
            __builtin_prefetch(&list[i + 2 * PREFETCH_AHEAD].pod->meta.uid);
        if (i + PREFETCH_AHEAD < count)
            __builtin_prefetch(list[i + PREFETCH_AHEAD].pod->meta.uid);
        assert(list[i].class < problem->interned.classes.count);
        list[i].cpu = sizes[list[i].class].cpu;
        list[i].memory = sizes[list[i].class].memory;
        entries[i] = (struct queue_entry){
            (uint64_t)list[i].placeholder << 32 | ranks[list[i].class],
            meta->creation_timestamp / SECOND, first_bytes(meta->uid), &list[i]};
    }
    qsort(entries, count, sizeof *entries, compare_entries);
    CLEANUP_FREE struct queued_pod *before = memory_copy(list, count * sizeof *list);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t from = (uint32_t)(entries[i].queued - list);
        assert(from < count);
        list[i] = before[from];
        list[i].index = list[i].origin = i;
    }
}

// The sample of a class is its first pod in queue order, independent of the order of the input.
static void compile_classes(struct problem *problem, const struct queued_pod *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct pod_class *class = class_at(problem, list[i].class);
        if (class->compiled)
            continue;
        if (!class->aside)
            class->sample = list[i].pod;
        class->volumes = volumes_of_pod(problem, class->sample);
        if (class->validated)
            class->refusal = validate_pod(problem, class->sample, &class->refused_silently);
        class->original = list[i].class;
        if (!class->aside)
            spread_defaults_apply(problem, class);
        if (problem->strategy->weighs_preferences)
            class_find_preferences(problem, class);
        compile_class(problem, class, &class->requests);
    }
}

// Consecutive bound pods mostly have the same class, and so the same inverse groups.
static void find_inverse(struct problem *problem, uint32_t index)
{
    assert(index < problem->pods.bound_count);
    struct bound_pod *bound = &problem->pods.bound[index];
    const struct bound_pod *before = index > 0 ? bound - 1 : NULL;
    if (bound->aside != NULL)
        return;
    if (before != NULL && bound->class != NONE && bound->class == before->class) {
        bound->inverse = before->inverse;
        bound->inverse_count = before->inverse_count;
    } else {
        bound->inverse_count = topology_define_inverse(problem, bound->pod, &bound->inverse);
    }
}

void pods_classify(struct problem *problem)
{
    sort_queue(problem, problem->pods.queued, problem->pods.queued_count);
    sort_queue(problem, problem->pods.movable, problem->pods.movable_count);
    compile_classes(problem, problem->pods.queued, problem->pods.queued_count);
    compile_classes(problem, problem->pods.movable, problem->pods.movable_count);
    volumes_find_exclusive(problem);
    problem->pods.bound_inverse = arena_allocate_array(
        problem->arena, problem->pods.bound_count + 1, sizeof *problem->pods.bound_inverse);
    for (uint32_t i = 0; i < problem->pods.bound_count; i++) {
        find_inverse(problem, i);
        if (problem->pods.bound[i].inverse_count > 0)
            problem->pods.bound_inverse[problem->pods.bound_inverse_count++] = i;
    }
}
