#include "engine/pods/backlog_chunk.h"

#include <stdlib.h>
#include <string.h>

#include "base/text.h"
#include "engine/pods/pod_selection.h"
#include "model/reading/pod.h"

struct candidate {
    const struct pod *pod;
    bool was_tried;
    int64_t priority, cpu, memory;
    const char *owner; // UID, or ""
};

#define PODS_MAX     20000
#define PODS_MIN     500
#define BYTES_OF_POD (8 * 1024) // a plan takes 1 to 3 KiB a pod; the snapshot comes on top
#define MEMORY_SHARE 2          // divisor of the limit; the rest is for the mirror and for answers

uint32_t backlog_chunk_pods_max(int64_t memory_limit_bytes)
{
    if (memory_limit_bytes <= 0)
        return PODS_MAX;
    int64_t pods = memory_limit_bytes / MEMORY_SHARE / BYTES_OF_POD;
    return (uint32_t)(pods < PODS_MIN ? PODS_MIN : pods > PODS_MAX ? PODS_MAX : pods);
}

static int compare_numbers(int64_t a, int64_t b)
{
    return a < b ? -1 : a > b;
}

static int compare(const void *left, const void *right)
{
    const struct candidate *a = left, *b = right;
    int order = compare_numbers(a->was_tried, b->was_tried);
    if (order == 0)
        order = compare_numbers(b->priority, a->priority);
    if (order == 0)
        order = compare_numbers(b->cpu, a->cpu);
    if (order == 0)
        order = compare_numbers(b->memory, a->memory);
    if (order == 0)
        order = strcmp(a->owner, b->owner);
    if (order == 0)
        order =
            strcmp(text_or_empty(a->pod->meta.namespace), text_or_empty(b->pod->meta.namespace));
    return order != 0 ? order : strcmp(a->pod->meta.name, b->pod->meta.name);
}

static struct candidate candidate_of(const struct backlog_chunk_options *options,
                                     struct arena *scratch, const struct pod *pod)
{
    const struct owner_reference *owner = object_controller_owner((const struct object *)pod);
    arena_reset(scratch);
    struct resource_map requests = pod_requests(scratch, pod);
    return (struct candidate){.pod = pod,
                              .was_tried = options->was_tried(options->context, pod),
                              .priority = pod->spec.priority.value,
                              .cpu = resource_map_get(&requests, "cpu"),
                              .memory = resource_map_get(&requests, "memory"),
                              .owner = owner != NULL ? text_or_empty(owner->uid) : ""};
}

uint32_t backlog_chunk_choose(struct snapshot *snapshot,
                              const struct backlog_chunk_options *options)
{
    uint32_t all = snapshot->objects[KIND_POD].count, waiting = 0, kept = 0, left_out = 0;
    const struct object **pods = snapshot->objects[KIND_POD].items;
    for (uint32_t i = 0; i < all; i++)
        waiting += pod_is_provisionable(snapshot, (const struct pod *)pods[i]);
    if (options->pods_max == 0 || waiting <= options->pods_max)
        return 0;
    CLEANUP_ARENA struct arena *scratch = arena_create(4096);
    struct candidate *candidates = memory_allocate_array(waiting, sizeof *candidates);
    waiting = 0;
    for (uint32_t i = 0; i < all; i++)
        if (pod_is_provisionable(snapshot, (const struct pod *)pods[i]))
            candidates[waiting++] = candidate_of(options, scratch, (const struct pod *)pods[i]);
        else
            pods[kept++] = pods[i];
    qsort(candidates, waiting, sizeof *candidates, compare);
    for (uint32_t i = 0; i < waiting; i++)
        if (i < options->pods_max)
            pods[kept++] = (const struct object *)candidates[i].pod;
        else {
            left_out += !candidates[i].was_tried;
            object_release((const struct object *)candidates[i].pod);
        }
    snapshot->objects[KIND_POD].count = kept;
    free(candidates);
    return left_out;
}
