#include "simulation/lineage.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"

struct line {           // of a pod
    uint32_t evictions; // of its predecessors
    uint32_t epoch;     // another one: restarted since
    bool is_known, is_over;
};

struct waiting { // lines of a workload that have no successor yet
    VECTOR(uint32_t) evictions;
};

struct lineage {
    struct map *lines;   // struct line by UID of the pod
    struct map *waiting; // struct waiting by UID of the workload
    uint32_t epoch, counts[LINEAGE_TIMES];
};

struct lineage *lineage_create(void)
{
    struct lineage *lineage = memory_allocate(sizeof *lineage);
    lineage->lines = map_create();
    lineage->waiting = map_create();
    return lineage;
}

static void waiting_free(void *value)
{
    struct waiting *waiting = value;
    vector_free(&waiting->evictions);
    free(waiting);
}

void lineage_destroy(struct lineage *lineage)
{
    map_destroy(lineage->lines, free);
    map_destroy(lineage->waiting, waiting_free);
    free(lineage);
}

void lineage_begin_anew(struct lineage *lineage)
{
    map_destroy(lineage->waiting, waiting_free);
    lineage->waiting = map_create();
    lineage->epoch++;
    for (uint32_t i = 0; i < LINEAGE_TIMES; i++)
        lineage->counts[i] = 0;
}

uint32_t lineage_count(const struct lineage *lineage, uint32_t times)
{
    return lineage->counts[times < LINEAGE_TIMES ? times : LINEAGE_TIMES - 1];
}

static bool was_evicted(const json_t *pod)
{
    size_t i;
    const json_t *condition;
    json_array_foreach (store_path(pod, "status.conditions"), i, condition)
        if (text_equal(json_string_value(json_object_get(condition, "reason")),
                       "EvictionByEvictionAPI"))
            return true;
    return false;
}

static struct waiting *waiting_of(struct lineage *lineage, const json_t *pod)
{
    const json_t *owner = json_array_get(store_path(pod, "metadata.ownerReferences"), 0);
    const char *workload = json_string_value(json_object_get(owner, "uid"));
    return workload != NULL ? map_ensure(lineage->waiting, workload, sizeof(struct waiting)) : NULL;
}

static bool look_whether_it_goes(void *context, json_t *pod)
{
    struct lineage *lineage = context;
    const char *uid = json_string_value(store_path(pod, "metadata.uid"));
    struct line *line = map_ensure(lineage->lines, uid, sizeof *line);
    struct waiting *waiting = waiting_of(lineage, pod);
    if (line->is_over || waiting == NULL || store_path(pod, "metadata.deletionTimestamp") == NULL)
        return true;
    line->is_over = true;
    if (!was_evicted(pod))
        return true;
    uint32_t before = line->epoch == lineage->epoch ? line->evictions : 0;
    lineage->counts[before < LINEAGE_TIMES ? before : LINEAGE_TIMES - 1]++;
    vector_push(&waiting->evictions, before + 1);
    return true;
}

static bool look_whether_it_is_new(void *context, json_t *pod)
{
    struct lineage *lineage = context;
    struct line *line = map_get(lineage->lines, json_string_value(store_path(pod, "metadata.uid")));
    struct waiting *waiting = waiting_of(lineage, pod);
    if (line->is_known)
        return true;
    line->is_known = true;
    line->epoch = lineage->epoch;
    if (waiting != NULL && waiting->evictions.count > 0)
        line->evictions = waiting->evictions.items[--waiting->evictions.count];
    return true;
}

void lineage_look(struct lineage *lineage, struct scenario *scenario)
{
    struct store *store = simulation_store(scenario->simulation);
    const struct store_resource *pods = store_resource_of_kind(store, "v1", "Pod");
    store_each(store, pods, NULL, look_whether_it_goes, lineage);
    store_each(store, pods, NULL, look_whether_it_is_new, lineage);
}
