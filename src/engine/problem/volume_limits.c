#include "engine/problem/volume_limits.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#include "base/text.h"
#include "engine/problem/volumes.h"

static void add_limits(struct problem *problem, struct schedulable_node *node)
{
    const struct csi_node *csi_node =
        node->state->node != NULL
            ? map_get(problem->volumes.csi_nodes, node->state->node->meta.name)
            : NULL;
    if (csi_node == NULL)
        return;
    node->volume_limits.items = arena_allocate_array(
        problem->arena, csi_node->spec.drivers.count + 1, sizeof *node->volume_limits.items);
    list_for_each (driver, &csi_node->spec.drivers) {
        if (driver->allocatable == NULL || driver->name == NULL)
            continue;
        __typeof__(node->volume_limits.items) limit =
            &node->volume_limits.items[node->volume_limits.count++];
        limit->driver = symbols_intern(problem->words, driver->name);
        limit->limit = driver->allocatable->count.present ? driver->allocatable->count.value : 0;
    }
}

// True unless the pod is set aside: its volumes are not read.
static bool counts_volumes(const struct problem *problem, const struct schedulable_node *node,
                           uint32_t pod)
{
    assert(node->state->running[pod] < problem->pods.bound_count);
    return problem->pods.bound[node->state->running[pod]].aside == NULL;
}

void volumes_compile_node(struct problem *problem, struct schedulable_node *node)
{
    const struct state_node *state = node->state;
    add_limits(problem, node);
    uint32_t room = 0;
    for (uint32_t i = 0; node->volume_limits.count > 0 && i < state->pods.count; i++)
        if (counts_volumes(problem, node, i))
            room += state->pods.items[i]->spec.volumes.count;
    if (room == 0)
        return;
    node->volumes.items = arena_allocate_array(problem->arena, room, sizeof *node->volumes.items);
    for (uint32_t i = 0; i < state->pods.count; i++) {
        if (!counts_volumes(problem, node, i))
            continue;
        const struct pod_volumes *volumes = volumes_of_pod(problem, state->pods.items[i]);
        for (uint32_t u = 0; volumes != NULL && u < volumes->uses.count; u++)
            node->volumes.items[node->volumes.count++] = volumes->uses.items[u];
    }
}

static bool used_before(const struct volume_use *uses, uint32_t count, const struct volume_use *use)
{
    for (uint32_t i = 0; i < count; i++)
        if (uses[i].driver == use->driver && uses[i].claim == use->claim)
            return true;
    return false;
}

static int64_t count_driver(const struct volume_use *used, uint32_t used_count,
                            const struct pod_volumes *asked, uint32_t driver)
{
    int64_t count = 0;
    for (uint32_t i = 0; i < used_count; i++)
        count += used[i].driver == driver && !used_before(used, i, &used[i]);
    for (uint32_t i = 0; asked != NULL && i < asked->uses.count; i++) {
        const struct volume_use *use = &asked->uses.items[i];
        count += use->driver == driver && !used_before(used, used_count, use) &&
                 !used_before(asked->uses.items, i, use);
    }
    return count;
}

bool volumes_fit(struct problem *problem, const struct schedulable_node *node,
                 const struct volume_use *used, uint32_t used_count,
                 const struct pod_volumes *asked, struct text *why)
{
    list_for_each (limit, &node->volume_limits) {
        int64_t count = count_driver(used, used_count, asked, limit->driver);
        if (count <= limit->limit)
            continue;
        if (why != NULL)
            text_format(why,
                        "would exceed volume limit (provisioner=%s, volume-count=%" PRId64
                        ", volume-limit=%" PRId64 ")",
                        symbols_text(problem->words, limit->driver), count, limit->limit);
        return false;
    }
    return true;
}

// --- limits of new nodes (SCH-353) ---------------------------------------------------------------

// The driver of a resource such as attachable-volumes-csi-ebs.csi.aws.com, or NULL.
static const char *driver_of_resource(const char *name)
{
    static const char prefix[] = "attachable-volumes-csi-";
    if (strncmp(name, prefix, sizeof prefix - 1) == 0)
        return name + sizeof prefix - 1;
    return strcmp(name, "attachable-volumes-aws-ebs") == 0 ? "ebs.csi.aws.com" : NULL;
}

static int64_t *limits_of_driver(struct problem *problem, struct node_template *template,
                                 const char *name)
{
    uint32_t driver = symbols_intern(problem->words, name);
    for (uint32_t i = 0; i < template->volume_limits_count; i++)
        if (template->volume_limits[i].driver == driver)
            return template->volume_limits[i].by_row;
    uint32_t count = template->volume_limits_count++;
    struct row_volume_limit *grown = arena_allocate_array(problem->arena, count + 1, sizeof *grown);
    if (count > 0)
        memcpy(grown, template->volume_limits, count * sizeof *grown);
    template->volume_limits = grown;
    grown[count].driver = driver;
    grown[count].by_row =
        arena_allocate_array(problem->arena, template->table->count, sizeof(int64_t));
    for (uint32_t r = 0; r < template->table->count; r++)
        grown[count].by_row[r] = INT64_MAX;
    return grown[count].by_row;
}

static void learn_from_node(struct problem *problem, struct node_template *template,
                            const struct state_node *state)
{
    const struct csi_node *csi_node =
        state->node != NULL ? map_get(problem->volumes.csi_nodes, state->node->meta.name) : NULL;
    const char *type = string_map_get(state->labels, LABEL_INSTANCE_TYPE);
    if (csi_node == NULL || type == NULL)
        return;
    list_for_each (driver, &csi_node->spec.drivers) {
        if (driver->name == NULL || driver->allocatable == NULL ||
            !driver->allocatable->count.present)
            continue;
        int64_t *limits = NULL;
        for (uint32_t r = 0; r < template->table->count; r++) {
            if (!text_equal(template->table->rows[r].type->name, type))
                continue;
            if (limits == NULL)
                limits = limits_of_driver(problem, template, driver->name);
            if (driver->allocatable->count.value < limits[r])
                limits[r] = driver->allocatable->count.value;
        }
    }
}

void volumes_limit_rows(struct problem *problem, struct node_template *template)
{
    if (!problem->strategy->filters_as_scheduler)
        return;
    for (uint32_t r = 0; r < template->table->count; r++) {
        const struct row *row = &template->table->rows[r];
        list_for_each (entry, &row->type->capacity) {
            const char *driver = driver_of_resource(entry->name);
            uint32_t d = symbols_find(problem->dimensions.names, entry->name);
            if (driver != NULL && d < problem->dimensions.count)
                limits_of_driver(problem, template, driver)[r] = row->capacity[d];
        }
    }
    for (uint32_t i = 0; i < problem->nodes.count; i++)
        learn_from_node(problem, template, &problem->nodes.items[i]);
}

// True if the pod adds a volume of the driver that the node does not have.
static bool asks_driver(const struct volume_use *used, uint32_t used_count,
                        const struct pod_volumes *asked, uint32_t driver)
{
    for (uint32_t i = 0; asked != NULL && i < asked->uses.count; i++)
        if (asked->uses.items[i].driver == driver &&
            !used_before(used, used_count, &asked->uses.items[i]))
            return true;
    return false;
}

bool volumes_fit_rows(struct problem *problem, const struct node_template *template,
                      const struct volume_use *used, uint32_t used_count,
                      const struct pod_volumes *asked, struct bitset rows, struct text *why)
{
    assert(rows.bits == template->table->count);
    bool cut_all = false;
    for (uint32_t i = 0; i < template->volume_limits_count; i++) {
        const struct row_volume_limit *limit = &template->volume_limits[i];
        if (!asks_driver(used, used_count, asked, limit->driver))
            continue;
        int64_t count = count_driver(used, used_count, asked, limit->driver), most = -1;
        bitset_for_each (r, rows)
            if (limit->by_row[r] < count) {
                bitset_clear(rows, r);
                most = limit->by_row[r] > most ? limit->by_row[r] : most;
            }
        cut_all = cut_all || (most >= 0 && bitset_empty(rows));
        if (most >= 0 && why != NULL) {
            text_clear(why);
            text_format(why,
                        "would exceed volume limit (provisioner=%s, volume-count=%" PRId64
                        ", volume-limit=%" PRId64 ")",
                        symbols_text(problem->words, limit->driver), count, most);
        }
    }
    return !cut_all;
}
