#include "control/nodepool/pool_annotations.h"

#include "control/runtime/control.h"
#include "model/reading/pool_annotations.h"

static void on_pool(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct control *control = context;
    (void)change;
    if (new_object == NULL || !managed_pool(control, (const struct node_pool *)new_object))
        return;
    list_for_each (entry, &new_object->meta.annotations) {
        const char *problem = pool_annotation_problem(entry->key, entry->value);
        const char *before = old_object != NULL ? object_annotation(old_object, entry->key) : NULL;
        if (problem == NULL || text_equal(before, entry->value))
            continue;
        log_error("ignoring an annotation", "s:controller", "provisioner", "o:NodePool",
                  new_object->meta.name, "s:annotation", entry->key, "s:error", problem);
        publish_keyed(&control->manager, new_object, EVENT_INVALID_ANNOTATION, entry->key,
                      "Annotation %s is ignored: it %s", entry->key, problem);
    }
}

void pool_annotations_watch(struct control *control)
{
    manager_observe(&control->manager, KIND_NODE_POOL, on_pool, control);
}
