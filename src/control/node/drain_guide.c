#include "control/node/drain_guide.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/node/drain_room.h"
#include "model/schema/karpenter.h"
#include "reconcile/operations.h"
#include "reconcile/patch.h"

#define CONCURRENT        32
#define PATIENCE_NS       SECOND        // so long a node that does not change delays an eviction
#define PATIENCE_FIRST_NS (10 * SECOND) // the same when all nodes get the taint

struct drain_guide {
    struct control *control;
    struct reconcile_queue *queue; // Nodes whose taint is to change
    struct timer *timer;
    bool is_active;
    char *open;       // the Node without the taint; NULL: none
    int64_t until_ns; // monotonic: end of the patience with the last change of these
    void (*moved)(void *context);
    void *context;
};

static const struct taint filled_later = {.key = TAINT_FILLED_LATER, .effect = "PreferNoSchedule"};

static const struct taint *taint_on(const struct node *node)
{
    return find_taint(&node->spec.taints, filled_later.key, filled_later.effect);
}

static bool wants_taint(const struct drain_guide *guide, const struct node *node)
{
    return guide->is_active && (guide->open == NULL || strcmp(guide->open, node->meta.name) != 0) &&
           drain_room_is_open(guide->control, node);
}

static bool is_as_wanted(const struct drain_guide *guide, const struct node *node)
{
    return (taint_on(node) != NULL) == wants_taint(guide, node);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct drain_guide *guide = context;
    const struct node *node = find_node(guide->control, work_item_key(item));
    (void)error;
    if (node == NULL || is_as_wanted(guide, node))
        return reconcile_done();
    const struct taint *present = taint_on(node);
    json_t *body = json_locked((const struct object *)node);
    json_set_taints(
        body, json_taints(&node->spec.taints, present, present == NULL ? &filled_later : NULL));
    const struct operation_about about = {.manager = &guide->control->manager,
                                          .item = item,
                                          .doing = "leading evicted pods by taints"};
    return start_patch(&about, (const struct object *)node, NULL, body);
}

static bool has_settled(const struct drain_guide *guide)
{
    struct mirror_iterator iterator = {0};
    const struct object *node;
    while ((node = mirror_next(guide->control->manager.mirror, KIND_NODE, &iterator)) != NULL)
        if (!is_as_wanted(guide, (const struct node *)node))
            return false;
    return true;
}

static void queue_changes(struct drain_guide *guide)
{
    struct mirror_iterator iterator = {0};
    const struct object *node;
    while ((node = mirror_next(guide->control->manager.mirror, KIND_NODE, &iterator)) != NULL)
        if (!is_as_wanted(guide, (const struct node *)node))
            reconcile_queue_add(guide->queue, node->meta.name);
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct drain_guide *guide = context;
    (void)change;
    (void)old_object;
    if (new_object != NULL && !is_as_wanted(guide, (const struct node *)new_object))
        reconcile_queue_add(guide->queue, new_object->meta.name);
    else if (guide->is_active)
        timer_start(guide->timer, 0);
}

static void tell(void *context)
{
    struct drain_guide *guide = context;
    guide->moved(guide->context);
}

struct drain_guide *drain_guide_create(struct control *control, void (*moved)(void *context),
                                       void *context)
{
    struct drain_guide *guide = memory_allocate(sizeof *guide);
    *guide = (struct drain_guide){.control = control, .moved = moved, .context = context};
    guide->queue = manager_queue(&control->manager,
                                 &(struct reconcile_queue_options){.name = "node.drainguide",
                                                                   .kind = "Node",
                                                                   .concurrency = CONCURRENT,
                                                                   .reconcile = reconcile,
                                                                   .context = guide});
    guide->timer = timer_create_on(control->manager.loop, tell, guide);
    mirror_on_change(control->manager.mirror, KIND_NODE, on_node, guide);
    return guide;
}

void drain_guide_destroy(struct drain_guide *guide)
{
    if (guide == NULL)
        return;
    timer_destroy(guide->timer);
    free(guide->open);
    free(guide);
}

static bool points_at(const struct drain_guide *guide, const char *node)
{
    return guide->is_active &&
           (node == NULL ? guide->open == NULL
                         : guide->open != NULL && strcmp(guide->open, node) == 0);
}

bool drain_guide_point(struct drain_guide *guide, const char *node)
{
    int64_t now_ns = loop_monotonic_ns(guide->control->manager.loop);
    if (!points_at(guide, node)) {
        free(guide->open);
        guide->open = node != NULL ? memory_copy_string(node) : NULL;
        guide->until_ns = ns_add(now_ns, guide->is_active ? PATIENCE_NS : PATIENCE_FIRST_NS);
        guide->is_active = true;
        queue_changes(guide);
    }
    if (now_ns >= guide->until_ns || has_settled(guide))
        return true;
    timer_start(guide->timer, ns_subtract(guide->until_ns, now_ns));
    return false;
}

void drain_guide_end(struct drain_guide *guide)
{
    if (!guide->is_active)
        return;
    guide->is_active = false;
    free(guide->open);
    guide->open = NULL;
    queue_changes(guide);
}
