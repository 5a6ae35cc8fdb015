#include "control/command/node_timings.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "model/schema/condition_types.h"

#define REMEMBERED  32
#define DRAIN_USUAL MINUTE        // where none has been seen
#define DECISION    (30 * SECOND) // from the expiry of a node's blockers to the create call

struct times { // a ring of the last ones
    int64_t ns[REMEMBERED];
    uint32_t count, next;
};

struct node_timings {
    struct control *control;
    struct times boots, drains;
};

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object);

struct node_timings *node_timings_create(struct control *control)
{
    struct node_timings *turnover = memory_allocate(sizeof *turnover);
    turnover->control = control;
    mirror_on_change(control->manager.mirror, KIND_NODE_CLAIM, on_claim, turnover);
    return turnover;
}

void node_timings_destroy(struct node_timings *turnover)
{
    free(turnover);
}

static void remember(struct times *times, int64_t ns)
{
    if (ns <= 0)
        return; // clocks differ
    times->ns[times->next] = ns;
    times->next = (times->next + 1) % REMEMBERED;
    times->count += times->count < REMEMBERED;
}

static const struct condition *initialized(const struct object *object)
{
    if (object == NULL)
        return NULL;
    const struct condition *condition = condition_find(
        &((const struct node_claim *)object)->status.conditions, CONDITION_INITIALIZED);
    return condition != NULL && text_equal(condition->status, "True") ? condition : NULL;
}

static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct node_timings *turnover = context;
    if (change == MIRROR_DELETED) {
        if (object_is_deleting(old_object) && initialized(old_object) != NULL)
            remember(&turnover->drains, ns_subtract(manager_now(&turnover->control->manager),
                                                    old_object->meta.deletion_timestamp));
        return;
    }
    const struct condition *now = initialized(new_object);
    if (now != NULL && initialized(old_object) == NULL)
        remember(&turnover->boots,
                 ns_subtract(now->last_transition_time, new_object->meta.creation_timestamp));
}

static int compare_times(const void *a, const void *b)
{
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

// The value that `share` of 100 values are below.
static int64_t percentile(const struct times *times, uint32_t share)
{
    int64_t sorted[REMEMBERED];
    if (times->count == 0)
        return 0;
    memcpy(sorted, times->ns, times->count * sizeof *sorted);
    qsort(sorted, times->count, sizeof *sorted, compare_times);
    return sorted[(times->count - 1) * share / 100];
}

static int64_t whole(const struct node_timings *turnover, uint32_t share)
{
    if (turnover->boots.count == 0)
        return 0;
    int64_t drain = percentile(&turnover->drains, share);
    return percentile(&turnover->boots, share) + (drain > 0 ? drain : DRAIN_USUAL);
}

int64_t node_timings_usual(const struct node_timings *turnover)
{
    return whole(turnover, 50);
}

int64_t node_timings_longest(const struct node_timings *turnover)
{
    int64_t longest = whole(turnover, 100);
    return longest > 0 ? longest + DECISION : 0;
}
