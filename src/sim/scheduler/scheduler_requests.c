#include "sim/scheduler/scheduler_requests.h"

#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "model/schema/condition_types.h"
#include "sim/scheduler/scheduler_internal.h"

// Defaults of containers without a request, for scores only.
#define SCORED_CPU_MILLI    100
#define SCORED_MEMORY_BYTES (INT64_C(200) << 20)

struct request_sums { // arrays by resource symbol
    int64_t *containers, *init_peak, *sidecars, *use;
    uint32_t width;
    bool scored;
};

static void sum_up(struct filter_cluster *cluster, const struct pod *pod,
                   struct request_sums *sums);

static void intern_names(struct filter_cluster *cluster, const struct pod *pod);
static void container_use(struct filter_cluster *cluster, const struct pod *pod,
                          const struct container *container,
                          const struct container_status *statuses, uint32_t statuses_count,
                          struct request_sums *sums);
static void add_init_container(const struct container *container, struct request_sums *sums);
static void replace_by_pod_level(struct filter_cluster *cluster, const struct pod_spec *spec,
                                 int64_t *totals);

struct filter_request *filter_pod_requests(struct filter_cluster *cluster, const struct pod *pod,
                                           uint32_t *count)
{
    intern_names(cluster, pod);
    uint32_t width = symbols_count(cluster->resources);
    CLEANUP_FREE int64_t *memory = memory_allocate_array((size_t)width * 4 + 1, sizeof *memory);
    struct request_sums sums = {memory, memory + width, memory + 2 * width, memory + 3 * width,
                                width,  false};
    sum_up(cluster, pod, &sums);
    const int64_t *totals = sums.containers;
    *count = 0;
    struct filter_request *requests = memory_allocate_array(width, sizeof *requests);
    for (uint32_t r = 0; r < width; r++)
        if (totals[r] > 0 && strcmp(symbols_text(cluster->resources, r), "pods") != 0)
            requests[(*count)++] = (struct filter_request){r, totals[r]};
    return requests;
}

static bool names(const struct container *container, const char *resource)
{
    list_for_each (entry, &container->resources.requests) {
        if (strcmp(entry->name, resource) == 0)
            return true;
    }
    return false;
}

static bool names_all(const struct pod_spec *spec)
{
    list_for_each (container, &spec->containers)
        if (!names(container, "cpu") || !names(container, "memory"))
            return false;
    list_for_each (container, &spec->init_containers)
        if (!names(container, "cpu") || !names(container, "memory"))
            return false;
    return true;
}

void filter_pod_scored(struct filter_cluster *cluster, const struct filter_pod *pod,
                       int64_t scored[SCORED_RESOURCES])
{
    memset(scored, 0, SCORED_RESOURCES * sizeof *scored);
    if (names_all(&pod->pod->spec)) {
        for (uint32_t i = 0; i < pod->requests_count; i++)
            if (pod->requests[i].resource < SCORED_RESOURCES)
                scored[pod->requests[i].resource] = pod->requests[i].value;
        return;
    }
    uint32_t width = symbols_count(cluster->resources);
    CLEANUP_FREE int64_t *memory = memory_allocate_array((size_t)width * 4, sizeof *memory);
    struct request_sums sums = {
        memory, memory + width, memory + 2 * width, memory + 3 * width, width, true};
    sum_up(cluster, pod->pod, &sums);
    memcpy(scored, sums.containers, SCORED_RESOURCES * sizeof *scored);
}

static void sum_up(struct filter_cluster *cluster, const struct pod *pod, struct request_sums *out)
{
    struct request_sums sums = *out;
    uint32_t width = sums.width;
    list_for_each (container, &pod->spec.containers) {
        container_use(cluster, pod, container, pod->status.container_statuses.items,
                      pod->status.container_statuses.count, &sums);
        for (uint32_t r = 0; r < width; r++)
            sums.containers[r] = quantity_add(sums.containers[r], sums.use[r]);
    }
    list_for_each (container, &pod->spec.init_containers) {
        container_use(cluster, pod, container, pod->status.init_container_statuses.items,
                      pod->status.init_container_statuses.count, &sums);
        add_init_container(container, &sums);
    }
    int64_t *totals = sums.containers;
    for (uint32_t r = 0; r < width; r++)
        if (sums.init_peak[r] > totals[r])
            totals[r] = sums.init_peak[r];
    replace_by_pod_level(cluster, &pod->spec, totals);
    list_for_each (entry, &pod->spec.overhead) {
        int64_t *total = &totals[symbols_find(cluster->resources, entry->name)];
        *total = quantity_add(*total, entry->value);
    }
}

static void intern_map(struct filter_cluster *cluster, const struct resource_map *map)
{
    list_for_each (entry, map)
        symbols_intern(cluster->resources, entry->name);
}

static void intern_names(struct filter_cluster *cluster, const struct pod *pod)
{
    list_for_each (container, &pod->spec.containers)
        intern_map(cluster, &container->resources.requests);
    list_for_each (container, &pod->spec.init_containers)
        intern_map(cluster, &container->resources.requests);
    list_for_each (status, &pod->status.container_statuses) {
        if (status->resources != NULL)
            intern_map(cluster, &status->resources->requests);
        intern_map(cluster, &status->allocated_resources);
    }
    list_for_each (status, &pod->status.init_container_statuses) {
        if (status->resources != NULL)
            intern_map(cluster, &status->resources->requests);
        intern_map(cluster, &status->allocated_resources);
    }
    if (pod->spec.resources != NULL)
        intern_map(cluster, &pod->spec.resources->requests);
    intern_map(cluster, &pod->spec.overhead);
}

static void raise_to(struct filter_cluster *cluster, const struct resource_map *map, int64_t *use)
{
    list_for_each (entry, map) {
        int64_t *value = &use[symbols_find(cluster->resources, entry->name)];
        if (entry->value > *value)
            *value = entry->value;
    }
}

// During a resize the pod holds the greatest of its desired, allocated and actual resources; a
// resize that the node cannot meet does not count.
static void container_use(struct filter_cluster *cluster, const struct pod *pod,
                          const struct container *container,
                          const struct container_status *statuses, uint32_t statuses_count,
                          struct request_sums *sums)
{
    memset(sums->use, 0, sums->width * sizeof *sums->use);
    const struct container_status *status = NULL;
    for (uint32_t i = 0; i < statuses_count; i++)
        if (statuses[i].resources != NULL && text_equal(statuses[i].name, container->name))
            status = &statuses[i];
    const struct condition *resize =
        condition_find(&pod->status.conditions, CONDITION_POD_RESIZE_PENDING);
    bool infeasible = resize != NULL && text_equal(resize->reason, "Infeasible");
    if (status == NULL || !infeasible)
        raise_to(cluster, &container->resources.requests, sums->use);
    if (sums->scored && !names(container, "cpu"))
        sums->use[RESOURCE_CPU] = SCORED_CPU_MILLI;
    if (sums->scored && !names(container, "memory"))
        sums->use[RESOURCE_MEMORY] = SCORED_MEMORY_BYTES;
    if (status == NULL)
        return;
    raise_to(cluster, &status->resources->requests, sums->use);
    raise_to(cluster, &status->allocated_resources, sums->use);
}

// Init containers run one after the other, beside the sidecars started before them.
static void add_init_container(const struct container *container, struct request_sums *sums)
{
    bool sidecar = text_equal(container->restart_policy, "Always");
    for (uint32_t r = 0; r < sums->width; r++) {
        int64_t use = quantity_add(sums->use[r], sums->sidecars[r]);
        if (sidecar) {
            sums->containers[r] = quantity_add(sums->containers[r], sums->use[r]);
            sums->sidecars[r] = use;
        }
        if (use > sums->init_peak[r])
            sums->init_peak[r] = use;
    }
}

static bool allowed_at_pod_level(const char *resource)
{
    return strcmp(resource, "cpu") == 0 || strcmp(resource, "memory") == 0 ||
           text_starts_with(resource, "hugepages-");
}

static void replace_by_pod_level(struct filter_cluster *cluster, const struct pod_spec *spec,
                                 int64_t *totals)
{
    if (spec->resources == NULL)
        return;
    list_for_each (entry, &spec->resources->requests) {
        if (allowed_at_pod_level(entry->name))
            totals[symbols_find(cluster->resources, entry->name)] = entry->value;
    }
}
