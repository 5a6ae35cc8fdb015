#include "engine/pods/pod_demand.h"

#include <assert.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "engine/pods/class_key.h"

#define BYTES_COMMON   4096 // a smaller object has nothing that is worth counting
#define SPREADS_COMMON 4

// --- one pod -------------------------------------------------------------------------------------

enum part {
    PART_AFFINITY,
    PART_ANTI_AFFINITY,
    PART_SPREADS,
    PART_LABELS,
    PART_NAMESPACES,
    PART_TERMS,
    PART_EXPRESSIONS,
    PART_VALUES,
    PART_TOLERATIONS,
    PART_CONTAINERS,
    PART_RESOURCES,
    PART_PORTS,
    PART_VOLUMES,
    PART_COUNT,
};
static const struct {
    uint64_t steps; // for one
    const char *name;
} parts[PART_COUNT] = {
    [PART_AFFINITY] = {150, "pod affinity terms"},
    [PART_ANTI_AFFINITY] = {150, "pod anti-affinity terms"},
    [PART_SPREADS] = {150, "topology spread constraints"},
    [PART_LABELS] = {50, "labels that its selectors read"}, // read of every pod
    [PART_NAMESPACES] = {2, "namespaces of its terms"},
    [PART_TERMS] = {10, "node selector terms"},
    [PART_EXPRESSIONS] = {10, "node labels that it asks for"},
    [PART_VALUES] = {1, "values of its selectors"},
    [PART_TOLERATIONS] = {2, "tolerations"},
    [PART_CONTAINERS] = {5, "containers"},
    [PART_RESOURCES] = {50, "resource names"}, // a dimension of every vector
    [PART_PORTS] = {40, "host ports"},
    [PART_VOLUMES] = {20, "volumes"},
};
#define REACHING_STEPS 1000 // steps of the pass for each such term

struct counts {
    uint64_t of[PART_COUNT], reaching;
};

static void count_selector(struct counts *counts, const struct label_selector *selector)
{
    if (selector == NULL)
        return;
    counts->of[PART_LABELS] += selector->match_labels.count + selector->match_expressions.count;
    list_for_each (expression, &selector->match_expressions)
        counts->of[PART_VALUES] += expression->values.count;
}

static void count_pod_term(struct counts *counts, enum part part,
                           const struct pod_affinity_term *term)
{
    counts->of[part]++;
    counts->reaching += part == PART_ANTI_AFFINITY &&
                        (term->namespaces.count > 0 || term->namespace_selector != NULL);
    counts->of[PART_NAMESPACES] += term->namespaces.count;
    count_selector(counts, term->label_selector);
    count_selector(counts, term->namespace_selector);
}

static void count_pod_affinity(struct counts *counts, enum part part,
                               const struct pod_affinity *affinity)
{
    if (affinity == NULL)
        return;
    list_for_each (term, &affinity->required)
        count_pod_term(counts, part, term);
    list_for_each (term, &affinity->preferred)
        count_pod_term(counts, part, &term->pod_affinity_term);
}

static void count_node_term(struct counts *counts, const struct node_selector_term *term)
{
    counts->of[PART_TERMS]++;
    counts->of[PART_EXPRESSIONS] += term->match_expressions.count + term->match_fields.count;
    list_for_each (expression, &term->match_expressions)
        counts->of[PART_VALUES] += expression->values.count;
    list_for_each (field, &term->match_fields)
        counts->of[PART_VALUES] += field->values.count;
}

static void count_node_affinity(struct counts *counts, const struct node_affinity *affinity)
{
    if (affinity == NULL)
        return;
    if (affinity->required != NULL)
        list_for_each (term, &affinity->required->node_selector_terms)
            count_node_term(counts, term);
    list_for_each (term, &affinity->preferred)
        count_node_term(counts, &term->preference);
}

// Every spread filters nodes by the pod's node requirements.
static uint64_t count_spreads(struct counts *counts, const struct pod_spec *spec)
{
    uint64_t filter = counts->of[PART_TERMS] + counts->of[PART_EXPRESSIONS];
    counts->of[PART_SPREADS] += spec->topology_spread_constraints.count;
    list_for_each (constraint, &spec->topology_spread_constraints) {
        counts->of[PART_LABELS] += constraint->match_label_keys.count;
        count_selector(counts, constraint->label_selector);
    }
    return filter * spec->topology_spread_constraints.count;
}

// Counts resource names, except those that every Node has.
static void count_resources(struct counts *counts, const struct resource_map *map)
{
    list_for_each (entry, map)
        counts->of[PART_RESOURCES] += strcmp(entry->name, "cpu") != 0 &&
                                      strcmp(entry->name, "memory") != 0 &&
                                      strcmp(entry->name, "ephemeral-storage") != 0;
}

static void count_container(struct counts *counts, const struct container *container)
{
    counts->of[PART_CONTAINERS]++;
    count_resources(counts, &container->resources.requests);
    counts->of[PART_PORTS] += container->ports.count;
}

struct demand {
    uint64_t steps;
    const char *most;  // the name of the most expensive part: "pod affinity terms"
    uint64_t count;    // its number of elements
    uint64_t reaching; // anti-affinity terms across namespaces
};

static struct demand demand_of(const struct pod_spec *spec)
{
    struct counts counts = {0};
    counts.of[PART_EXPRESSIONS] = spec->node_selector.count;
    if (spec->affinity != NULL) {
        count_node_affinity(&counts, spec->affinity->node_affinity);
        count_pod_affinity(&counts, PART_AFFINITY, spec->affinity->pod_affinity);
        count_pod_affinity(&counts, PART_ANTI_AFFINITY, spec->affinity->pod_anti_affinity);
    }
    uint64_t filters = count_spreads(&counts, spec);
    counts.of[PART_TOLERATIONS] = spec->tolerations.count;
    list_for_each (container, &spec->containers)
        count_container(&counts, container);
    list_for_each (container, &spec->init_containers)
        count_container(&counts, container);
    count_resources(&counts, &spec->overhead);
    if (spec->resources != NULL)
        count_resources(&counts, &spec->resources->requests);
    counts.of[PART_VOLUMES] = spec->volumes.count;
    struct demand demand = {.steps = filters, .reaching = counts.reaching};
    uint64_t most = 0;
    for (int part = 0; part < PART_COUNT; part++) {
        uint64_t steps = counts.of[part] * parts[part].steps;
        demand.steps += steps;
        if (part == PART_SPREADS)
            steps += filters;
        if (steps > most) {
            most = steps;
            demand.most = parts[part].name;
            demand.count = counts.of[part];
        }
    }
    assert((demand.most == NULL) == (most == 0));
    return demand;
}

// --- all of them ---------------------------------------------------------------------------------

struct entry { // a pod above POD_STEPS_COMMON or with reaching terms
    const struct pod *pod;
    const char **aside;
    uint64_t steps, reaching, alike; // pods of one class have equal values in all three
};
typedef VECTOR(struct entry) entry_list;

// Cheap test that most pods pass.
static bool is_common(const struct pod *pod)
{
    return pod->bytes > 0 && pod->bytes < BYTES_COMMON && pod->spec.affinity == NULL &&
           pod->spec.topology_spread_constraints.count <= SPREADS_COMMON;
}

static void consider(struct problem *problem, const struct pod *pod, const char **aside,
                     entry_list *entries)
{
    assert(*aside == NULL);
    if (is_common(pod))
        return;
    struct demand demand = demand_of(&pod->spec);
    if (demand.steps > POD_STEPS_MAX)
        *aside = arena_format(problem->arena,
                              "the pod is set aside: to plan it takes %" PRIu64
                              " steps, and one pod may take %d; most are for %" PRIu64 " %s",
                              demand.steps, POD_STEPS_MAX, demand.count, demand.most);
    else if (demand.steps > POD_STEPS_COMMON || demand.reaching > 0)
        vector_push(entries, (struct entry){pod, aside, demand.steps, demand.reaching, 0});
}

static uint64_t hash_of(const struct class_key *key)
{
    uint64_t hash = 0;
    vector_for_each (part, &key->parts)
        hash = hash_mix(hash, part->text != NULL ? hash_string(part->text) : part->number);
    return hash;
}

// Sets `alike`. No labels are collected yet, so they do not matter here.
static void find_alike(const struct problem *problem, entry_list *entries)
{
    struct class_key key = {0};
    vector_for_each (entry, entries) {
        const struct queued_pod queued = {.pod = entry->pod};
        class_key_make(problem, &queued, &key);
        entry->alike = hash_of(&key);
    }
    vector_free(&key.parts);
}

static int compare_entries(const void *a, const void *b)
{
    const struct entry *x = a, *y = b;
    if (x->steps != y->steps)
        return x->steps < y->steps ? -1 : 1;
    return (x->alike > y->alike) - (x->alike < y->alike);
}

static uint64_t share_of(const struct entry *entry)
{
    uint64_t common = POD_STEPS_COMMON, square = entry->steps * entry->steps / common;
    return (square > common ? square - common : 0) + entry->reaching * REACHING_STEPS;
}

// Grants steps to the cheapest pods first until the pass's steps are used up.
static void share_steps(struct problem *problem, entry_list *entries)
{
    uint64_t used = 0;
    if (entries->count > 0)
        qsort(entries->items, entries->count, sizeof *entries->items, compare_entries);
    for (uint32_t i = 0; i < entries->count; i++) {
        const struct entry *entry = &entries->items[i];
        assert(i == 0 || entry[-1].steps <= entry->steps);
        if (i == 0 || compare_entries(entry, entry - 1) != 0)
            used += share_of(entry);
        if (used > PASS_STEPS_MAX)
            *entry->aside = arena_format(problem->arena,
                                         "the pod is set aside: to plan it takes %" PRIu64
                                         " steps, and there are too many pods that take as many, "
                                         "or that keep away pods of other "
                                         "namespaces, to plan them all",
                                         entry->steps);
    }
}

// Copies `aside` to movable bound pods from their queue entries.
static void copy_to_bound(struct problem *problem, uint32_t first_bound)
{
    uint32_t queued = first_bound, movable = 0;
    for (uint32_t i = 0; i < problem->pods.bound_count; i++)
        if (problem->pods.bound[i].movable)
            problem->pods.bound[i].aside = problem->pods.bound[i].scheduled
                                               ? problem->pods.queued[queued++].aside
                                               : problem->pods.movable[movable++].aside;
}

void pods_set_aside(struct problem *problem, uint32_t first_bound)
{
    entry_list entries = {0};
    for (uint32_t i = 0; i < problem->pods.queued_count; i++)
        consider(problem, problem->pods.queued[i].pod, &problem->pods.queued[i].aside, &entries);
    for (uint32_t i = 0; i < problem->pods.movable_count; i++)
        consider(problem, problem->pods.movable[i].pod, &problem->pods.movable[i].aside, &entries);
    for (uint32_t i = 0; i < problem->pods.bound_count; i++)
        if (!problem->pods.bound[i].movable)
            consider(problem, problem->pods.bound[i].pod, &problem->pods.bound[i].aside, &entries);
    find_alike(problem, &entries);
    share_steps(problem, &entries);
    copy_to_bound(problem, first_bound);
    vector_free(&entries);
}

const struct pod *pod_without_demand(struct problem *problem, const struct pod *pod)
{
    struct pod *stub = arena_allocate(problem->arena, sizeof *stub);
    stub->kind = pod->kind;
    stub->meta = pod->meta;
    stub->spec.priority = pod->spec.priority;
    return stub;
}
