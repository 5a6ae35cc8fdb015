#include "engine/templates/daemons.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "engine/problem/asked_keys.h"
#include "engine/problem/host_ports.h"
#include "model/reading/pod.h"
#include "model/snapshot/admission.h"

static const struct daemon_set *daemon_set_at(const struct problem *problem, uint32_t index)
{
    return (const struct daemon_set *)problem->snapshot->objects[KIND_DAEMON_SET].items[index];
}

static bool is_newer(const struct pod *pod, const struct pod *other)
{
    return other == NULL || pod->meta.creation_timestamp > other->meta.creation_timestamp ||
           (pod->meta.creation_timestamp == other->meta.creation_timestamp &&
            strcmp(pod->meta.name, other->meta.name) < 0);
}

// Finds the newest pod of every DaemonSet in one scan of the pods.
static void find_newest_pods(struct problem *problem)
{
    assert(problem->pods.newest == NULL);
    const struct snapshot *snapshot = problem->snapshot;
    uint32_t sets = snapshot->objects[KIND_DAEMON_SET].count;
    problem->pods.newest =
        arena_allocate_array(problem->arena, sets + 1, sizeof *problem->pods.newest);
    for (uint32_t i = 0; sets > 0 && i < snapshot->objects[KIND_POD].count; i++) {
        const struct pod *pod = (const struct pod *)snapshot->objects[KIND_POD].items[i];
        const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
        if (owner == NULL || !text_equal(owner->kind, "DaemonSet"))
            continue;
        for (uint32_t d = 0; d < sets; d++) {
            const struct object_meta *meta = &daemon_set_at(problem, d)->meta;
            if (text_equal(owner->name, meta->name) &&
                strcmp(pod->meta.namespace, meta->namespace) == 0 &&
                is_newer(pod, problem->pods.newest[d]))
                problem->pods.newest[d] = pod;
        }
    }
}

// LIF-315: the newest pod of the DaemonSet, or NULL.
static const struct pod *newest_pod(struct problem *problem, const struct daemon_set *daemon_set)
{
    if (problem->pods.newest == NULL)
        find_newest_pods(problem);
    for (uint32_t i = 0; i < problem->snapshot->objects[KIND_DAEMON_SET].count; i++)
        if (daemon_set_at(problem, i) == daemon_set)
            return problem->pods.newest[i];
    return NULL;
}

// The requests after the API server's defaults for the template's containers (SCH-112, SCH-142,
// LIF-315).
static struct resource_map template_requests(struct problem *problem,
                                             const struct daemon_set *daemon_set)
{
    struct pod_spec spec = daemon_set->spec.template.spec;
    struct container *containers =
        arena_allocate_array(problem->arena, spec.containers.count + 1, sizeof *containers);
    struct container *init =
        arena_allocate_array(problem->arena, spec.init_containers.count + 1, sizeof *init);
    for (uint32_t i = 0; i < spec.containers.count; i++) {
        containers[i] = spec.containers.items[i];
        container_admit(problem->arena, problem->snapshot, daemon_set->meta.namespace,
                        &containers[i]);
    }
    for (uint32_t i = 0; i < spec.init_containers.count; i++) {
        init[i] = spec.init_containers.items[i];
        container_admit(problem->arena, problem->snapshot, daemon_set->meta.namespace, &init[i]);
    }
    spec.containers.items = containers;
    spec.init_containers.items = init;
    return pod_spec_requests(problem->arena, &spec);
}

static struct resource_map daemon_requests(struct problem *problem,
                                           const struct daemon_set *daemon_set)
{
    const struct pod *pod = newest_pod(problem, daemon_set);
    return pod != NULL ? pod_requests(problem->arena, pod) : template_requests(problem, daemon_set);
}

void templates_add_daemon_dimensions(struct problem *problem)
{
    for (uint32_t i = 0; i < problem->snapshot->objects[KIND_DAEMON_SET].count; i++) {
        const struct daemon_set *daemon_set = daemon_set_at(problem, i);
        struct resource_map requests = daemon_requests(problem, daemon_set);
        problem_add_dimensions(problem, &requests);
        const struct pod *pod = newest_pod(problem, daemon_set);
        pod_spec_ask_keys(problem, &daemon_set->spec.template.spec);
        if (pod != NULL)
            pod_spec_ask_keys(problem, &pod->spec);
    }
}

static uint32_t daemon_tolerations(struct problem *problem, const toleration_list *own)
{
    toleration_list list = {0};
    list.items = arena_allocate_array(problem->arena, own->count + 1, sizeof *list.items);
    if (own->count > 0)
        memcpy(list.items, own->items, own->count * sizeof *list.items);
    list.count = own->count;
    list.items[list.count++] =
        (struct toleration){.operator= "Exists", .effect = "PreferNoSchedule"};
    return problem_intern_tolerations(problem, &list);
}

// The node selector comes from the representative pod. The affinity comes from the template: in its
// pods the DaemonSet controller adds a term that names one node (SCH-140).
static void compile_terms(struct problem *problem, const struct string_map *node_selector,
                          const struct affinity *of_template, struct daemon *daemon)
{
    const struct node_affinity *affinity = of_template != NULL ? of_template->node_affinity : NULL;
    uint32_t selector = set_from_labels(problem->sets, node_selector);
    bool any = affinity == NULL || affinity->required == NULL ||
               affinity->required->node_selector_terms.count == 0;
    uint32_t count = any ? 1 : affinity->required->node_selector_terms.count;
    daemon->terms = arena_allocate_array(problem->arena, count, sizeof *daemon->terms);
    daemon->full = arena_allocate_array(problem->arena, count, sizeof *daemon->full);
    for (uint32_t i = 0; i < count; i++) {
        uint32_t set = selector;
        if (!any) {
            const struct node_selector_term *term =
                &affinity->required->node_selector_terms.items[i];
            if (term->match_expressions.count == 0)
                continue; // selects no node (SCH-103)
            set =
                set_meet(problem->sets, set, set_from_api(problem->sets, &term->match_expressions));
        }
        struct node_term *out = &daemon->terms[daemon->terms_count];
        daemon->full[daemon->terms_count++] = set;
        out->set = problem_split_hostname(problem, set, &out->hostname);
        assert(daemon->terms_count <= count);
    }
}

static int compare_daemon_sets(const void *a, const void *b)
{
    const struct object *x = *(const struct object *const *)a,
                        *y = *(const struct object *const *)b;
    int order = strcmp(x->meta.namespace, y->meta.namespace);
    return order != 0 ? order : strcmp(x->meta.name, y->meta.name);
}

const struct daemon *daemons_compile(struct problem *problem, uint32_t *count)
{
    uint32_t total = problem->snapshot->objects[KIND_DAEMON_SET].count;
    const struct object **sorted = arena_allocate_array(problem->arena, total + 1, sizeof *sorted);
    struct daemon *daemons = arena_allocate_array(problem->arena, total + 1, sizeof *daemons);
    if (total > 0)
        memcpy(sorted, problem->snapshot->objects[KIND_DAEMON_SET].items, total * sizeof *sorted);
    qsort(sorted, total, sizeof *sorted, compare_daemon_sets);
    *count = 0;
    for (uint32_t i = 0; i < total; i++) {
        const struct daemon_set *daemon_set = (const struct daemon_set *)sorted[i];
        const struct pod *pod = newest_pod(problem, daemon_set);
        const struct pod_spec *own = &daemon_set->spec.template.spec;
        const struct pod_spec *spec = pod != NULL ? &pod->spec : own;
        if (problem->settings->ignore_dra_requests && pod_spec_has_resource_claims(spec))
            continue;
        struct daemon *daemon = &daemons[(*count)++];
        daemon->daemon_set = daemon_set;
        daemon->tolerations = daemon_tolerations(problem, &spec->tolerations);
        assert(daemon->tolerations < problem->interned.toleration_lists.count);
        compile_terms(problem, &spec->node_selector, own->affinity, daemon);
        int64_t *requests = vector_create(problem);
        struct resource_map map = daemon_requests(problem, daemon_set);
        vector_set_map(problem, requests, &map);
        requests[DIMENSION_PODS] = 1;
        daemon->requests = requests;
        daemon->ports = host_ports_of(problem->arena, spec);
    }
    return daemons;
}

bool daemon_runs_on(struct problem *problem, const struct daemon *daemon, uint32_t labels,
                    uint32_t hostname, uint32_t taints)
{
    if (!problem_tolerates(problem, daemon->tolerations, taints))
        return false;
    for (uint32_t i = 0; i < daemon->terms_count; i++)
        if (sets_compatible(problem->sets, labels, daemon->terms[i].set, false) &&
            problem_hostname_allowed(problem, daemon->terms[i].hostname, hostname))
            return true;
    return false;
}
