// Launch templates that exist at once, in place of the real ones: one for all types of a launch.
#include <stdlib.h>

#include "base/memory.h"
#include "base/vector.h"
#include "cloud/aws/nodeclass/launch_templates.h"

struct pending {
    struct launch_templates *templates;
    struct timer *timer;
    struct launch_template_request request;
    launch_templates_done done;
    void *context;
};
struct launch_templates {
    struct loop *loop;
    VECTOR(struct pending *) pending;
};

struct launch_templates *launch_templates_create(const struct launch_templates_options *options)
{
    struct launch_templates *templates = memory_allocate(sizeof *templates);
    templates->loop = options->loop;
    return templates;
}

static void pending_free(struct pending *pending)
{
    timer_destroy(pending->timer);
    free(pending);
}

void launch_templates_destroy(struct launch_templates *templates)
{
    vector_for_each (pending, &templates->pending)
        pending_free(*pending);
    vector_free(&templates->pending);
    free(templates);
}

void launch_templates_hydrate(struct launch_templates *templates)
{
    (void)templates;
}

static void ensured(void *context)
{
    struct pending *pending = context;
    struct launch_templates *templates = pending->templates;
    for (uint32_t i = 0; i < templates->pending.count; i++)
        if (templates->pending.items[i] == pending)
            templates->pending.items[i] = templates->pending.items[--templates->pending.count];
    struct launch_template template = {
        .name = "karpenter.k8s.aws/1",
        .image_id = "ami-1",
        .types = pending->request.types,
        .types_count = pending->request.types_count,
    };
    struct launch_templates_result result = {.items = &template, .count = 1};
    pending->done(pending->context, &result);
    pending_free(pending);
}

void launch_templates_ensure(struct launch_templates *templates,
                             const struct launch_template_request *request,
                             launch_templates_done done, void *context)
{
    struct pending *pending = memory_allocate(sizeof *pending);
    *pending = (struct pending){templates, NULL, *request, done, context};
    pending->timer = timer_create_on(templates->loop, ensured, pending);
    timer_start(pending->timer, 0);
    vector_push(&templates->pending, pending);
}

void launch_templates_forget(struct launch_templates *templates, const char *name)
{
    (void)templates;
    (void)name;
}

void launch_templates_delete_all(struct launch_templates *templates, const char *node_class,
                                 launch_templates_deleted done, void *context)
{
    struct error none = {0};
    (void)templates;
    (void)node_class;
    done(context, &none);
}
