#include "sim/apiserver/sim_watch.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"
#include "base/nanoseconds.h"
#include "sim/apiserver/api_watch.h"
#include "sim/apiserver/sim_call.h"

int64_t sim_draw_between(struct random *random, int64_t minimum, int64_t maximum)
{
    if (maximum <= minimum)
        return minimum;
    return minimum + (int64_t)random_below(random, (uint64_t)(maximum - minimum) + 1);
}

void sim_watch_set_timer(struct kube_call *call)
{
    struct queued_event *first = STAILQ_FIRST(&call->events);
    if (first == NULL || call->transport->cut)
        return;
    timer_start(call->timer, ns_subtract(first->due_ns, loop_monotonic_ns(call->transport->loop)));
}

static void queue_event(struct kube_call *call, json_t *event)
{
    struct sim_transport *transport = call->transport;
    struct queued_event *queued = memory_allocate(sizeof *queued);
    int64_t now_ns = loop_monotonic_ns(transport->loop);
    queued->event = json_incref(event);
    queued->due_ns =
        ns_add(now_ns, sim_draw_between(&transport->random, transport->options.watch_latency_min_ns,
                                        transport->options.watch_latency_max_ns));
    if (queued->due_ns < call->stalled_until_ns)
        queued->due_ns = call->stalled_until_ns;
    if (queued->due_ns < call->last_due_ns) // events keep their order
        queued->due_ns = call->last_due_ns;
    call->last_due_ns = queued->due_ns;
    bool was_empty = STAILQ_EMPTY(&call->events);
    STAILQ_INSERT_TAIL(&call->events, queued, link);
    if (was_empty)
        sim_watch_set_timer(call);
}

// The server sends nothing more; events under way still arrive, then the end.
static void end_watch(struct kube_call *call)
{
    api_watch_destroy(call->watch);
    call->watch = NULL;
    queue_event(call, NULL);
}

static bool fault_of_event(struct kube_call *call)
{
    struct sim_transport *transport = call->transport;
    const struct sim_faults *faults = &transport->options.faults;
    bool dropped = random_chance(&transport->random, faults->watch_dropped);
    bool gap = !dropped && random_chance(&transport->random, faults->watch_gap);
    if (!dropped && !gap && random_chance(&transport->random, faults->watch_stalled)) {
        transport->statistics.faults++;
        call->stalled_until_ns =
            ns_add(loop_monotonic_ns(transport->loop), transport->options.watch_stall_ns);
    }
    if (!dropped && !gap)
        return false;
    transport->statistics.faults++;
    if (gap)
        error_set(&call->error, ERROR_GONE, "too old resource version: simulated fault");
    end_watch(call);
    return true;
}

static void on_event(void *context, json_t *event)
{
    struct kube_call *call = context;
    if (call->transport->cut) {
        call->missed_event = true;
        return;
    }
    if (!fault_of_event(call))
        queue_event(call, event);
}

static void on_end(void *context)
{
    end_watch(context);
}

void sim_watch_begin(struct kube_call *call)
{
    call->stage = STAGE_WATCHING;
    // No event comes before the answer that opens the watch.
    call->last_due_ns = ns_add(loop_monotonic_ns(call->transport->loop), call->answer_ns);
    api_watch_start(call->watch, &(struct api_watch_handlers){on_event, on_end, call});
}

bool sim_watch_deliver(struct kube_call *call)
{
    int64_t now_ns = loop_monotonic_ns(call->transport->loop);
    bool gone = false;
    call->gone = &gone;
    while (!STAILQ_EMPTY(&call->events) && !call->transport->cut) {
        struct queued_event *queued = STAILQ_FIRST(&call->events);
        if (queued->due_ns > now_ns)
            break;
        STAILQ_REMOVE_HEAD(&call->events, link);
        json_t *event = queued->event;
        free(queued);
        if (event == NULL) {
            call->gone = NULL;
            return true;
        }
        call->transport->statistics.events++;
        call->handlers.event(call->handlers.context, event);
        json_decref(event);
        if (gone)
            return false;
    }
    call->gone = NULL;
    sim_watch_set_timer(call);
    return false;
}

void sim_watch_drop_events(struct kube_call *call)
{
    while (!STAILQ_EMPTY(&call->events)) {
        struct queued_event *queued = STAILQ_FIRST(&call->events);
        STAILQ_REMOVE_HEAD(&call->events, link);
        json_decref(queued->event);
        free(queued);
    }
}

void sim_watch_reset(struct kube_call *call)
{
    error_set(&call->error, ERROR_UNAVAILABLE, "%s: connection reset by peer", call->path);
    call->status = 0;
    api_watch_destroy(call->watch);
    call->watch = NULL;
    call->stage = STAGE_ENDING;
    timer_start(call->timer, 0);
}
