#include "cloud/aws/controllers/periodic.h"

#include <assert.h>
#include <stdlib.h>

#include "base/nanoseconds.h"

#define PERIODIC_KEY "periodic"

struct periodic {
    struct manager *manager;
    struct reconcile_queue *queue;
    struct periodic_options options;
    bool in_pass;
    uint32_t failures; // of the queue's item when the pass began
    int64_t due_ns;    // monotonic: start of the next pass
    bool wanted;       // a pass before that
};

static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct periodic *periodic_create(struct manager *manager, const struct periodic_options *options)
{
    assert(options->begin != NULL);
    assert(options->interval_ns > 0);
    struct periodic *periodic = memory_allocate(sizeof *periodic);
    periodic->manager = manager;
    periodic->options = *options;
    periodic->wanted = true;
    periodic->queue = manager_queue(
        manager, &(struct reconcile_queue_options){.name = options->name,
                                                   .backoff_base_ns = 100 * MILLISECOND,
                                                   .backoff_max_ns = options->backoff_max_ns,
                                                   .reconcile = reconcile,
                                                   .context = periodic});
    reconcile_queue_add(periodic->queue, PERIODIC_KEY);
    return periodic;
}

void periodic_destroy(struct periodic *periodic)
{
    free(periodic);
}

void periodic_set_interval(struct periodic *periodic, int64_t interval_ns)
{
    assert(interval_ns > 0);
    periodic->options.interval_ns = interval_ns;
}

void periodic_run_now(struct periodic *periodic)
{
    periodic->wanted = true;
    reconcile_queue_add(periodic->queue, PERIODIC_KEY);
}

static struct reconcile_result end_pass(struct periodic *periodic)
{
    int64_t now = loop_monotonic_ns(periodic->manager->loop);
    periodic->in_pass = false;
    periodic->due_ns = ns_add(now, periodic->options.interval_ns);
    return reconcile_after(periodic->wanted ? 0 : periodic->options.interval_ns);
}

// The failure count of an item lasts until a reconcile ends without operation. So a pass has failed
// if the count has grown since it began.
static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct periodic *periodic = context;
    struct operation_about about = {
        .manager = periodic->manager, .item = item, .doing = periodic->options.name};
    uint32_t failures = reconcile_queue_failures(periodic->queue, PERIODIC_KEY);
    int64_t now = loop_monotonic_ns(periodic->manager->loop);
    (void)error;
    if (periodic->in_pass && failures > periodic->failures)
        periodic->in_pass = false;
    else if (!periodic->in_pass && !periodic->wanted && now < periodic->due_ns)
        return reconcile_after(ns_subtract(periodic->due_ns, now));
    if (!periodic->in_pass) {
        periodic->in_pass = true;
        periodic->wanted = false;
        periodic->failures = failures;
        if (periodic->options.begin(periodic->options.context, &about))
            return reconcile_running();
    }
    if (periodic->options.go_on != NULL &&
        periodic->options.go_on(periodic->options.context, &about))
        return reconcile_running();
    return end_pass(periodic);
}
