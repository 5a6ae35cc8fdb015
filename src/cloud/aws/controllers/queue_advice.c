#include "cloud/aws/controllers/queue_advice.h"

#include <stdlib.h>

#include "base/nanoseconds.h"
#include "cloud/aws/controllers/periodic.h"
#include "model/reading/requirement_match.h"
#include "reconcile/events.h"

#define INTERVAL_NS (5 * MINUTE) // the event itself repeats by its own window

struct queue_advice {
    struct manager *manager;
    struct periodic *periodic;
};

static bool uses_spot(const struct node_pool *pool)
{
    const struct node_claim_spec *spec = &pool->spec.template.spec;
    return !object_is_deleting((const struct object *)pool) && spec->node_class_ref != NULL &&
           text_equal(spec->node_class_ref->kind, "EC2NodeClass") &&
           requirements_allow(&spec->requirements, LABEL_CAPACITY_TYPE, "spot");
}

void queue_advice_publish(struct manager *manager, const char *problem)
{
    struct mirror_iterator iterator = {0};
    for (const struct object *pool;
         (pool = mirror_next(manager->mirror, KIND_NODE_POOL, &iterator)) != NULL;)
        if (uses_spot((const struct node_pool *)pool))
            publish_keyed(manager, pool, EVENT_INTERRUPTION_QUEUE_MISSING, pool->meta.uid,
                          "The NodePool uses spot, and %s", problem);
}

static bool begin(void *context, struct operation_about *about)
{
    struct queue_advice *advice = context;
    (void)about;
    queue_advice_publish(advice->manager,
                         "INTERRUPTION_QUEUE is not set: spot interruptions are noticed late, by "
                         "polling EC2; create the queue with its EventBridge rules and set it");
    return false;
}

struct queue_advice *queue_advice_create(struct manager *manager)
{
    const struct settings *settings = manager->settings;
    if (settings->compatibility_upstream || !text_is_empty(settings->interruption_queue))
        return NULL;
    struct queue_advice *advice = memory_allocate(sizeof *advice);
    advice->manager = manager;
    advice->periodic =
        periodic_create(manager, &(struct periodic_options){.name = "nodepool.interruptionqueue",
                                                            .interval_ns = INTERVAL_NS,
                                                            .begin = begin,
                                                            .context = advice});
    return advice;
}

void queue_advice_destroy(struct queue_advice *advice)
{
    if (advice == NULL)
        return;
    periodic_destroy(advice->periodic);
    free(advice);
}
