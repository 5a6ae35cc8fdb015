#include "simulation/lineage.h"

#include <stdlib.h>

#include "base/map.h"
#include "base/text.h"
#include "base/vector.h"
#include "sim/store/store_watch.h"

struct line {           // of a pod
    uint32_t evictions; // of its predecessors
    uint32_t epoch;     // another one: restarted since
    bool is_known, is_over;
};

struct waiting { // lines of a workload that have no successor yet
    VECTOR(uint32_t) evictions;
};

struct lineage {
    struct store_watch *pods;
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
    if (lineage->pods != NULL)
        store_watch_destroy(lineage->pods);
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

static void note_end(struct lineage *lineage, const json_t *pod, struct line *line)
{
    struct waiting *waiting = waiting_of(lineage, pod);
    line->is_over = true;
    if (waiting == NULL || !was_evicted(pod))
        return;
    uint32_t before = line->epoch == lineage->epoch ? line->evictions : 0;
    lineage->counts[before < LINEAGE_TIMES ? before : LINEAGE_TIMES - 1]++;
    vector_push(&waiting->evictions, before + 1);
}

static void note_start(struct lineage *lineage, const json_t *pod, struct line *line)
{
    struct waiting *waiting = waiting_of(lineage, pod);
    line->is_known = true;
    line->epoch = lineage->epoch;
    if (waiting != NULL && waiting->evictions.count > 0)
        line->evictions = waiting->evictions.items[--waiting->evictions.count];
}

static void note_pod(void *context, const struct store_change *change)
{
    struct lineage *lineage = context;
    const json_t *pod = change->object != NULL ? change->object : change->previous;
    const char *uid = json_string_value(store_path(pod, "metadata.uid"));
    struct line *line = map_ensure(lineage->lines, uid, sizeof *line);
    if (!line->is_known)
        note_start(lineage, pod, line);
    if (!line->is_over && store_path(pod, "metadata.deletionTimestamp") != NULL)
        note_end(lineage, pod, line);
}

void lineage_watch(struct lineage *lineage, struct scenario *scenario)
{
    struct store *store = simulation_store(scenario->simulation);
    const struct store_target all = {.resource = store_resource_of_kind(store, "v1", "Pod")};
    lineage->pods = store_watch_changes(store, &all, 0, note_pod, lineage, NULL);
}
