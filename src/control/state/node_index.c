#include "control/state/node_index.h"

#include <stdlib.h>
#include <string.h>

void object_list_replace(struct object_list *list, const struct object *old_object,
                         const struct object *new_object)
{
    for (uint32_t i = 0; i < list->count; i++) {
        if (!text_equal(list->items[i]->meta.name,
                        (old_object != NULL ? old_object : new_object)->meta.name))
            continue;
        object_release(list->items[i]);
        if (new_object != NULL)
            list->items[i] = object_acquire(new_object);
        else
            memmove(&list->items[i], &list->items[i + 1],
                    (--list->count - i) * sizeof *list->items);
        return;
    }
    if (new_object != NULL)
        vector_push(list, object_acquire(new_object));
}

void node_index_init(struct node_index *index)
{
    index->by_provider_id = map_create();
}

static void node_list_destroy(void *value)
{
    struct node_list *list = value;
    for (uint32_t i = 0; i < list->count; i++)
        object_release((const struct object *)list->items[i]);
    free(list->items);
    free(list);
}

void node_index_free(struct node_index *index)
{
    map_destroy(index->by_provider_id, node_list_destroy);
}

static const char *provider_of(const struct node *node)
{
    const char *provider_id = node != NULL ? node->spec.provider_id : NULL;
    return provider_id != NULL && *provider_id != '\0' ? provider_id : NULL;
}

void node_index_change(struct node_index *index, const struct node *old_node,
                       const struct node *new_node)
{
    const char *before = provider_of(old_node), *now = provider_of(new_node);
    struct node_list *list = before != NULL ? map_get(index->by_provider_id, before) : NULL;
    if (list != NULL && !text_equal(before, now)) {
        object_list_replace((struct object_list *)list, (const struct object *)old_node, NULL);
        if (list->count == 0)
            node_list_destroy(map_remove(index->by_provider_id, before));
    }
    if (now == NULL)
        return;
    list = map_ensure(index->by_provider_id, now, sizeof *list);
    object_list_replace((struct object_list *)list, (const struct object *)old_node,
                        (const struct object *)new_node);
}

const struct node_list *node_index_with(const struct node_index *index, const char *provider_id)
{
    static const struct node_list none = {0};
    const struct node_list *list = provider_id != NULL && *provider_id != '\0'
                                       ? map_get(index->by_provider_id, provider_id)
                                       : NULL;
    return list != NULL ? list : &none;
}
