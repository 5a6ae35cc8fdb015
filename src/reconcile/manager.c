#include "reconcile/manager.h"

#include <assert.h>
#include <stdlib.h>

#include "base/memory.h"

void manager_init(struct manager *manager, const struct manager_options *options)
{
    assert(options->loop != NULL);
    assert(options->settings != NULL);
    *manager = (struct manager){.loop = options->loop,
                                .client = options->client,
                                .mirror = options->mirror,
                                .settings = options->settings,
                                .recorder = options->recorder,
                                .registry = options->metrics};
    random_seed(&manager->random, options->seed);
    queue_metrics_register(&manager->queue_metrics, options->metrics);
}

void manager_free(struct manager *manager)
{
    for (uint32_t i = 0; i < manager->queues.count; i++)
        reconcile_queue_destroy(manager->queues.items[i]);
    vector_free(&manager->queues);
    for (uint32_t i = 0; i < manager->observers.count; i++)
        free(manager->observers.items[i]);
    vector_free(&manager->observers);
}

// --- queues --------------------------------------------------------------------------------------
struct reconcile_queue *manager_queue(struct manager *manager,
                                      const struct reconcile_queue_options *options)
{
    assert(!manager->started);
    assert(!manager->stopping);
    struct reconcile_queue *queue =
        reconcile_queue_create(manager->loop, &manager->queue_metrics, options);
    vector_push(&manager->queues, queue);
    return queue;
}

void manager_start_queues(struct manager *manager)
{
    assert(!manager->stopping);
    for (uint32_t i = 0; i < manager->queues.count; i++)
        reconcile_queue_start(manager->queues.items[i]);
}

void manager_stop(struct manager *manager)
{
    manager->stopping = true;
    for (uint32_t i = 0; i < manager->queues.count; i++)
        reconcile_queue_stop(manager->queues.items[i]);
}

// --- observers -----------------------------------------------------------------------------------
struct observer {
    struct manager *manager;
    enum kind_id kind;
    mirror_handler handler;
    void *context;
};

static void pass_on(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    const struct observer *observer = context;
    if (observer->manager->started)
        observer->handler(observer->context, change, old_object, new_object);
}

void manager_observe(struct manager *manager, enum kind_id kind, mirror_handler handler,
                     void *context)
{
    assert(kind < KIND_COUNT);
    assert(!manager->started); // a late observer would miss the existing objects
    assert(manager->mirror != NULL);
    assert(handler != NULL);
    struct observer *observer = memory_allocate(sizeof *observer);
    *observer = (struct observer){manager, kind, handler, context};
    vector_push(&manager->observers, observer);
    mirror_on_change(manager->mirror, kind, pass_on, observer);
}

void manager_lead(struct manager *manager)
{
    assert(!manager->stopping);
    assert(!manager->started);
    manager->started = true;
    for (uint32_t i = 0; i < manager->observers.count; i++) {
        const struct observer *observer = manager->observers.items[i];
        struct mirror_iterator iterator = {0};
        for (const struct object *object;
             (object = mirror_next(manager->mirror, observer->kind, &iterator)) != NULL;)
            observer->handler(observer->context, MIRROR_ADDED, NULL, object);
    }
}

void forget_object(void *map, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object)
{
    assert(map != NULL);
    assert(old_object != NULL || new_object != NULL);
    (void)change;
    if (new_object == NULL && old_object->meta.uid != NULL)
        free(map_remove(map, old_object->meta.uid));
}

// --- readings ------------------------------------------------------------------------------------
uint32_t manager_scale(const struct manager *manager, uint32_t minimum, uint32_t maximum)
{
    assert(minimum <= maximum);
    int64_t cores = (manager->settings->cpu_requests_millicores + 999) / 1000;
    if (cores < 1)
        cores = 1;
    if (cores > 60)
        cores = 60;
    assert(cores >= 1);
    assert(cores <= 60);
    return minimum + (uint32_t)((int64_t)(maximum - minimum) * (cores - 1) / 59);
}

int64_t manager_now(const struct manager *manager)
{
    return loop_now_ns(manager->loop);
}
