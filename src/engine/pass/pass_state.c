#include "engine/pass/pass_state.h"

#include <assert.h>

#include "base/memory.h"

void group_list_add(struct group_list *list, uint32_t group)
{
    for (uint32_t i = 0; i < list->count; i++)
        if (list->items[i] == group)
            return;
    group_list_push(list, group);
}

void group_list_push(struct group_list *list, uint32_t group)
{
    assert(list->count == 0 || list->items[list->count - 1] != group);
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
        list->items = memory_resize(list->items, list->capacity * sizeof *list->items);
    }
    list->items[list->count++] = group;
}

void pod_list_add(struct pod_list *list, uint32_t pod)
{
    assert(list->count == 0 || list->items[list->count - 1] != pod);
    if (list->count == list->capacity) {
        list->capacity = list->capacity == 0 ? 4 : 2 * list->capacity;
        list->items = memory_resize(list->items, list->capacity * sizeof *list->items);
    }
    list->items[list->count++] = pod;
}

struct class_state *pass_class(struct pass *pass, uint32_t class)
{
    struct pass_workspace *work = pass->work;
    while (work->classes.count <= class)
        vector_push(&work->classes, NULL);
    if (work->classes.items[class] == NULL) {
        assert(class < pass->problem->interned.classes.count);
        work->classes.items[class] =
            arena_allocate(pass->arena, sizeof *work->classes.items[class]);
        vector_push(&work->used_classes, class);
    }
    return work->classes.items[class];
}

struct shape_state *pass_shape(struct pass *pass, uint32_t shape)
{
    struct pass_workspace *work = pass->work;
    while (work->shapes.count <= shape)
        vector_push(&work->shapes, NULL);
    if (work->shapes.items[shape] == NULL) {
        assert(shape < pass->problem->interned.shapes.count);
        work->shapes.items[shape] = arena_allocate(pass->arena, sizeof *work->shapes.items[shape]);
        vector_push(&work->used_shapes, shape);
    }
    return work->shapes.items[shape];
}
