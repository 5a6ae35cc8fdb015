#include "control/learning/cpu_use_sample.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"
#include "base/nanoseconds.h"
#include "model/reading/pod.h"

#define STARTED_NS (10 * MINUTE) // a pod that is starting uses more than it will

struct choice {
    const struct pod *pod;
    uint64_t distance; // from the cursor, round the circle
    int64_t requested;
};

static int64_t requested_cpu(const struct pod *pod)
{
    CLEANUP_ARENA struct arena *scratch = arena_create(1024);
    struct resource_map requests = pod_requests(scratch, pod);
    return resource_map_get(&requests, "cpu");
}

static bool counts(const struct control *control, const struct pod *pod)
{
    int64_t now = manager_now(&control->manager);
    if (!pod_is_bound(pod) || !text_equal(pod->status.phase, "Running") ||
        pod->meta.deletion_timestamp != 0 || pod->meta.unreadable != NULL || pod_is_unready(pod) ||
        pod->status.start_time == 0 || ns_subtract(now, pod->status.start_time) < STARTED_NS)
        return false;
    const struct node *node = find_node(control, pod->spec.node_name);
    return node != NULL && managed_node(control, node);
}

// Keeps the nearest ones, in order.
static void insert(struct choice *choices, uint32_t *count, struct choice choice)
{
    uint32_t at = *count;
    assert(at <= CPU_USE_SAMPLE_MAX);
    if (at == CPU_USE_SAMPLE_MAX) {
        if (choice.distance >= choices[at - 1].distance)
            return;
        at--;
    } else {
        ++*count;
    }
    for (; at > 0 && choices[at - 1].distance > choice.distance; at--)
        choices[at] = choices[at - 1];
    choices[at] = choice;
}

void cpu_use_sample_choose(struct cpu_use_sample *sample, const struct control *control)
{
    struct choice choices[CPU_USE_SAMPLE_MAX];
    uint32_t count = 0;
    struct mirror_iterator iterator = {0};
    cpu_use_sample_clear(sample);
    for (const struct object *object;
         (object = mirror_next(control->manager.mirror, KIND_POD, &iterator)) != NULL;) {
        const struct pod *pod = (const struct pod *)object;
        if (text_is_empty(pod->meta.uid) || !counts(control, pod))
            continue;
        // The cursor itself is the farthest.
        uint64_t distance = hash_string(pod->meta.uid) - sample->cursor - 1;
        if (count == CPU_USE_SAMPLE_MAX && distance >= choices[count - 1].distance)
            continue;
        int64_t requested = requested_cpu(pod);
        if (requested > 0)
            insert(choices, &count, (struct choice){pod, distance, requested});
    }
    for (uint32_t i = 0; i < count; i++)
        sample->pods[i] = (struct sampled_pod){memory_copy_string(choices[i].pod->meta.namespace),
                                               memory_copy_string(choices[i].pod->meta.name),
                                               memory_copy_string(choices[i].pod->meta.uid),
                                               choices[i].requested};
    sample->count = count;
    if (count > 0)
        sample->cursor += choices[count - 1].distance + 1;
}

const struct pod *cpu_use_sample_find(const struct sampled_pod *sampled,
                                      const struct control *control)
{
    const struct pod *pod = (const struct pod *)mirror_get(control->manager.mirror, KIND_POD,
                                                           sampled->namespace, sampled->name);
    bool same = pod != NULL && text_equal(pod->meta.uid, sampled->uid);
    return same && counts(control, pod) ? pod : NULL;
}

void cpu_use_sample_clear(struct cpu_use_sample *sample)
{
    for (uint32_t i = 0; i < sample->count; i++) {
        free(sample->pods[i].namespace);
        free(sample->pods[i].name);
        free(sample->pods[i].uid);
    }
    sample->count = 0;
}
