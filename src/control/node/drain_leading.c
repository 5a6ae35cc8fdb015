#include "control/node/drain_leading.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/node/drain_guide.h"
#include "control/node/drain_room.h"

#define STALL_NS (30 * SECOND)

struct drain_leading {
    struct control *control;
    struct drain_guide *guide;
    bool is_any;
    int64_t last_ns;       // monotonic: its beginning, or the last eviction
    uint32_t pods, as_led; // since it began
};

struct drain_leading *drain_leading_create(struct control *control, void (*moved)(void *context),
                                           void *context)
{
    struct drain_leading *leading = memory_allocate(sizeof *leading);
    *leading = (struct drain_leading){.control = control,
                                      .guide = drain_guide_create(control, moved, context)};
    return leading;
}

void drain_leading_destroy(struct drain_leading *leading)
{
    if (leading == NULL)
        return;
    drain_guide_destroy(leading->guide);
    free(leading);
}

static int64_t now_of(const struct drain_leading *leading)
{
    return loop_monotonic_ns(leading->control->manager.loop);
}

static void end(struct drain_leading *leading)
{
    drain_guide_end(leading->guide);
    leading->is_any = false;
    log_info("led evicted pods", "s:controller", "eviction-queue", "i:pods", (int64_t)leading->pods,
             "i:as-planned", (int64_t)leading->as_led);
    leading->pods = leading->as_led = 0;
}

bool drain_leading_update(struct drain_leading *leading, bool is_any)
{
    if (is_any && !leading->is_any) {
        leading->is_any = true;
        leading->last_ns = now_of(leading);
    }
    bool stalls = ns_subtract(now_of(leading), leading->last_ns) > STALL_NS;
    if (leading->is_any && (!is_any || stalls))
        end(leading);
    return leading->is_any;
}

bool drain_leading_next(struct drain_leading *leading, char **node, int64_t cpu, int64_t memory)
{
    const char *place = *node != NULL ? drain_room_for(leading->control, *node, cpu, memory) : NULL;
    if (place != NULL && strcmp(place, *node) != 0) {
        free(*node);
        *node = memory_copy_string(place);
    }
    return drain_guide_point(leading->guide, place);
}

void drain_leading_evicted(struct drain_leading *leading)
{
    leading->pods++;
    leading->last_ns = now_of(leading);
}

void drain_leading_landed(struct drain_leading *leading, const char *node, const struct pod *pod)
{
    leading->as_led += text_equal(pod->spec.node_name, node);
}
