#include "model/reading/pod.h"

#include <assert.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "base/quantity.h"
#include "base/text.h"
#include "model/schema/condition_types.h"
#include "model/schema/karpenter.h"
#include "model/schema/resources.h"

// --- requests ------------------------------------------------------------------------------------
struct status_view { // the kubelet's status of a pod's containers; absent for templates
    const struct pod_status *status;
    bool resize_infeasible;
};

static const struct container_status *find_status(const struct pod_status *status,
                                                  const struct container *container)
{
    list_for_each (candidate, &status->container_statuses)
        if (text_equal(candidate->name, container->name))
            return candidate;
    list_for_each (candidate, &status->init_container_statuses)
        if (text_equal(candidate->name, container->name))
            return candidate;
    return NULL;
}

// SCH-110 step 1: an in-place resize under way counts with the larger of both sides.
static struct resource_map container_requests(struct arena *arena, const struct status_view *view,
                                              const struct container *container)
{
    const struct resource_map *wanted = &container->resources.requests;
    const struct container_status *status =
        view == NULL ? NULL : find_status(view->status, container);
    if (status == NULL || status->resources == NULL)
        return *wanted;
    struct resource_map actual =
        resource_map_maximum(arena, &status->resources->requests, &status->allocated_resources);
    return view->resize_infeasible ? actual : resource_map_maximum(arena, wanted, &actual);
}

static struct resource_map container_limits(struct arena *arena, const struct status_view *view,
                                            const struct container *container)
{
    (void)arena;
    (void)view;
    return container->resources.limits;
}

// A container's requests; `view` NULL: from its spec alone.
typedef struct resource_map (*container_amounts)(struct arena *arena,
                                                 const struct status_view *view,
                                                 const struct container *container);

bool container_is_sidecar(const struct container *container)
{
    return text_equal(container->restart_policy, "Always");
}

// Sums containers by halves: a pod may have thousands, each with a resource name of its own.
struct containers {
    struct arena *arena;
    const struct status_view *view;
    container_amounts amounts;
    const struct container *items;
};

static struct resource_map sum_of(const struct containers *all, uint32_t from, uint32_t to)
{
    assert(from <= to);
    if (to - from == 0)
        return (struct resource_map){0};
    if (to - from == 1)
        return all->amounts(all->arena, all->view, &all->items[from]);
    uint32_t middle = from + (to - from) / 2;
    struct resource_map left = sum_of(all, from, middle), right = sum_of(all, middle, to);
    return resource_map_sum(all->arena, &left, &right);
}

struct start { // of init containers in sequence: the lasting part, the peak
    struct resource_map sidecars, most;
};

static struct start start_of(const struct containers *all, uint32_t from, uint32_t to)
{
    assert(from <= to);
    if (to - from == 0)
        return (struct start){0};
    if (to - from == 1) {
        const struct container *container = &all->items[from];
        bool stays = container_is_sidecar(container);
        struct resource_map own = all->amounts(all->arena, stays ? all->view : NULL, container);
        return (struct start){stays ? own : (struct resource_map){0}, own};
    }
    uint32_t middle = from + (to - from) / 2;
    struct start first = start_of(all, from, middle), second = start_of(all, middle, to);
    struct resource_map later = resource_map_sum(all->arena, &first.sidecars, &second.most);
    return (struct start){resource_map_sum(all->arena, &first.sidecars, &second.sidecars),
                          resource_map_maximum(all->arena, &first.most, &later)};
}

// SCH-110 steps 2 to 4.
static struct resource_map containers_total(struct arena *arena, const struct pod_spec *spec,
                                            const struct status_view *view,
                                            container_amounts amounts)
{
    const struct containers running = {arena, view, amounts, spec->containers.items};
    const struct containers init = {arena, view, amounts, spec->init_containers.items};
    struct resource_map total = sum_of(&running, 0, spec->containers.count);
    struct start start = start_of(&init, 0, spec->init_containers.count);
    total = resource_map_sum(arena, &total, &start.sidecars);
    return resource_map_maximum(arena, &total, &start.most);
}

static bool is_pod_level(const char *name)
{
    return strcmp(name, "cpu") == 0 || strcmp(name, "memory") == 0 ||
           text_starts_with(name, "hugepages-");
}

// SCH-110 step 5: pod-level requests replace the sum of the containers' for these resources.
static struct resource_map apply_pod_level(struct arena *arena, const struct resource_map *total,
                                           const struct resource_map *pod_level)
{
    struct resource_map supported = {
        .items = arena_allocate_array(arena, pod_level->count + 1, sizeof *supported.items)};
    list_for_each (quantity, pod_level)
        if (is_pod_level(quantity->name))
            supported.items[supported.count++] = *quantity;
    assert(supported.count <= pod_level->count);
    return resource_map_override(arena, total, &supported);
}

static struct resource_map requests(struct arena *arena, const struct pod_spec *spec,
                                    const struct status_view *view)
{
    assert(arena != NULL);
    struct resource_map total = containers_total(arena, spec, view, container_requests);
    if (spec->resources != NULL)
        total = apply_pod_level(arena, &total, &spec->resources->requests);
    total = resource_map_sum(arena, &total, &spec->overhead);
    return resource_map_with(arena, &total, "pods", 1);
}

struct resource_map pod_requests(struct arena *arena, const struct pod *pod)
{
    const struct condition *resize =
        condition_find(&pod->status.conditions, CONDITION_POD_RESIZE_PENDING);
    struct status_view view = {
        .status = &pod->status,
        .resize_infeasible = resize != NULL && text_equal(resize->reason, "Infeasible"),
    };
    return requests(arena, &pod->spec, &view);
}

struct resource_map pod_spec_requests(struct arena *arena, const struct pod_spec *spec)
{
    return requests(arena, spec, NULL);
}

struct resource_map pod_limits(struct arena *arena, const struct pod *pod)
{
    struct resource_map total = containers_total(arena, &pod->spec, NULL, container_limits);
    if (pod->spec.resources != NULL)
        total = apply_pod_level(arena, &total, &pod->spec.resources->limits);
    list_for_each (overhead, &pod->spec.overhead) {
        int64_t limit = resource_map_get(&total, overhead->name);
        if (limit != 0)
            total = resource_map_with(arena, &total, overhead->name,
                                      quantity_add(limit, overhead->value));
    }
    return total;
}

// --- classes -------------------------------------------------------------------------------------
bool pod_is_terminal(const struct pod *pod)
{
    return text_equal(pod->status.phase, "Succeeded") || text_equal(pod->status.phase, "Failed");
}

bool pod_is_active(const struct pod *pod)
{
    return !pod_is_terminal(pod) && !object_is_deleting((const struct object *)pod);
}

int64_t pod_bound_at(const struct pod *pod)
{
    const struct condition *scheduled =
        condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED);
    return scheduled != NULL && text_equal(scheduled->status, "True")
               ? scheduled->last_transition_time
               : pod->status.start_time;
}

bool pod_owned_by_daemon_set(const struct pod *pod)
{
    return object_owner((const struct object *)pod, "apps/v1", "DaemonSet") != NULL;
}

bool pod_owned_by_node(const struct pod *pod)
{
    return object_owner((const struct object *)pod, "v1", "Node") != NULL;
}

static bool is_set(const char *text)
{
    return text != NULL && *text != '\0';
}

const char *pod_controller_uid(const struct pod *pod)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    return owner != NULL ? owner->uid : NULL;
}

const char *pod_successor_owner(const struct pod *pod)
{
    static const char *const others[] = {"StatefulSet", "Job", "DaemonSet"};
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    for (size_t i = 0; owner != NULL && i < ARRAY_LENGTH(others); i++)
        if (text_equal(owner->kind, others[i]))
            return NULL;
    return owner != NULL ? owner->uid : NULL;
}

bool pod_is_bound(const struct pod *pod)
{
    return is_set(pod->spec.node_name);
}

bool pod_is_nominated(const struct pod *pod)
{
    return is_set(pod->status.nominated_node_name);
}

bool node_is_ready(const struct node *node)
{
    return node != NULL && condition_is_true(&node->status.conditions, CONDITION_READY);
}

bool pod_is_of_kube_scheduler(const struct pod *pod)
{
    const char *name = pod->spec.scheduler_name;
    return !is_set(name) || strcmp(name, "default-scheduler") == 0;
}

bool pod_is_unexamined(const struct pod *pod)
{
    return !is_set(pod->spec.node_name) && !is_set(pod->status.nominated_node_name) &&
           pod->spec.scheduling_gates.count == 0 && pod_is_of_kube_scheduler(pod) &&
           condition_find(&pod->status.conditions, CONDITION_POD_SCHEDULED) == NULL &&
           !pod_is_terminal(pod) && !object_is_deleting((const struct object *)pod);
}

int64_t container_host_port(const struct pod_spec *spec, const struct container_port *port)
{
    return port->host_port == 0 && spec->host_network ? port->container_port : port->host_port;
}

static uint32_t count_host_ports(const struct pod_spec *spec, const struct container *container)
{
    uint32_t count = 0;
    list_for_each (port, &container->ports)
        count += container_host_port(spec, port) != 0;
    return count;
}

uint32_t pod_spec_host_ports(const struct pod_spec *spec)
{
    uint32_t count = 0;
    list_for_each (container, &spec->containers)
        count += count_host_ports(spec, container);
    list_for_each (container, &spec->init_containers)
        count += container_is_sidecar(container) ? count_host_ports(spec, container) : 0;
    return count;
}

const struct pod_resource_claim_status *pod_claim_status(const struct pod *pod, const char *name)
{
    list_for_each (status, &pod->status.resource_claim_statuses)
        if (text_equal(status->name, name))
            return status;
    return NULL;
}

bool pod_spec_has_resource_claims(const struct pod_spec *spec)
{
    if (spec->resource_claims.count > 0)
        return true;
    list_for_each (container, &spec->containers)
        if (container->resources.claims.count > 0)
            return true;
    list_for_each (container, &spec->init_containers)
        if (container->resources.claims.count > 0)
            return true;
    return false;
}

// --- tolerations ---------------------------------------------------------------------------------
// Lt and Gt compare the taint's value with the toleration's: canonical decimal integers only (no
// sign +, no leading zeroes), as the API compares them.
static bool parse_canonical(const char *text, int64_t *value)
{
    const char *digits = text_or_empty(text) + (text_or_empty(text)[0] == '-');
    bool is_canonical = digits[0] != '+' && (digits[0] != '0' || digits[1] == '\0');
    return is_canonical && text_parse_int64(text_or_empty(text), value);
}

static bool compare_values(const struct toleration *toleration, const struct taint *taint)
{
    assert(toleration->operator[0] == 'L' || toleration->operator[0] == 'G');
    int64_t bound, value;
    if (!parse_canonical(toleration->value, &bound) || !parse_canonical(taint->value, &value))
        return false;
    return toleration->operator[0] == 'L' ? value < bound : value> bound;
}

bool toleration_tolerates(const struct toleration *toleration, const struct taint *taint)
{
    if (!text_is_empty(toleration->effect) &&
        strcmp(toleration->effect, text_or_empty(taint->effect)) != 0)
        return false;
    if (!text_is_empty(toleration->key) && strcmp(toleration->key, text_or_empty(taint->key)) != 0)
        return false;
    const char *operator= toleration->operator;
    if (text_is_empty(operator) || strcmp(operator, "Equal") == 0)
        return strcmp(text_or_empty(toleration->value), text_or_empty(taint->value)) == 0;
    if (strcmp(operator, "Exists") == 0)
        return true;
    if (strcmp(operator, "Lt") == 0 || strcmp(operator, "Gt") == 0)
        return compare_values(toleration, taint);
    return false;
}

bool tolerations_tolerate(const toleration_list *tolerations, const struct taint *taint)
{
    assert(taint != NULL);
    list_for_each (toleration, tolerations)
        if (toleration_tolerates(toleration, taint))
            return true;
    return false;
}

// --- disruption ----------------------------------------------------------------------------------
enum do_not_disrupt pod_protection(const struct pod *pod, int64_t now, int64_t *until)
{
    if (until != NULL)
        *until = 0;
    if (pod->meta.unreadable != NULL) // its annotations are unknown (API-603)
        return PROTECTED;
    const char *text = string_map_get(&pod->meta.annotations, ANNOTATION_DO_NOT_DISRUPT);
    if (text == NULL)
        return DISRUPTABLE;
    if (text_equal(text, "true"))
        return PROTECTED;
    int64_t duration;
    if (!duration_parse(text, &duration, NULL) || duration <= 0)
        return PROTECTION_INVALID;
    if (pod->status.start_time == 0)
        return PROTECTED;
    int64_t end = ns_add(pod->status.start_time, duration);
    if (until != NULL)
        *until = end;
    return now < end ? PROTECTED_UNTIL : PROTECTION_ELAPSED;
}

bool pod_is_protected(const struct pod *pod, int64_t now)
{
    enum do_not_disrupt protection = pod_protection(pod, now, NULL);
    return protection == PROTECTED || protection == PROTECTED_UNTIL;
}

bool pod_tolerates_disruption(const struct pod *pod)
{
    static const struct taint taint = {.key = TAINT_DISRUPTED, .value = "", .effect = "NoSchedule"};
    return tolerations_tolerate(&pod->spec.tolerations, &taint);
}

bool pod_is_evictable(const struct pod *pod, int64_t now)
{
    return pod_is_active(pod) && !pod_tolerates_disruption(pod) && !pod_owned_by_node(pod) &&
           !pod_is_protected(pod, now);
}

bool pod_needs_place(const struct pod *pod)
{
    bool terminating_stateful =
        object_is_deleting((const struct object *)pod) &&
        object_owner((const struct object *)pod, "apps/v1", "StatefulSet") != NULL;
    return (pod_is_active(pod) || terminating_stateful) && !pod_owned_by_daemon_set(pod) &&
           !pod_owned_by_node(pod);
}

bool pod_is_unready(const struct pod *pod)
{
    const struct condition *ready = condition_find(&pod->status.conditions, CONDITION_READY);
    return ready != NULL && text_equal(ready->status, "False");
}
