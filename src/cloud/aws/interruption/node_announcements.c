#include "cloud/aws/interruption/node_announcements.h"

#include <stdlib.h>

#include "base/duration.h"
#include "base/nanoseconds.h"
#include "cloud/aws/instances/machine_answer.h"
#include "cloud/aws/interruption/node_annotations.h"

#define CONTROLLER     "interruption.node"
#define PARALLEL       10
#define BACKOFF_MAX_NS (5 * SECOND)
#define NOTICE_NS      (2 * MINUTE)  // from the warning of an interruption to the end
#define SPOT_LATE_NS   MINUTE        // an instant that is longer past: of another instance
#define SPOT_AHEAD_NS  (10 * MINUTE) // EC2 warns two minutes before
#define CLOCK_NS       (5 * MINUTE)  // by which the node's clock and ours may differ
#define NEAR_NS        (24 * HOUR)   // AWI-955
#define AGAIN_NS       (5 * MINUTE)
#define ANNOUNCED_NS   (15 * MINUTE)

struct handled { // instants
    int64_t at[NODE_ANNOUNCEMENTS_COUNT];
};
struct node_announcements {
    const struct interruption_handler *handler;
    struct reconcile_queue *queue;
    struct map *handled; // name of a Node -> struct handled
};
struct announcement { // of a Node that is registered
    enum node_announcement what;
    const struct node *node;
    const struct node_claim *claim;
    const char *instance_id;
    int64_t instant, now;
};

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object);
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object);
static struct reconcile_result reconcile(void *context, struct work_item *item,
                                         struct error *error);

struct node_announcements *node_announcements_create(const struct interruption_handler *handler)
{
    struct manager *manager = handler->manager;
    if (manager->settings->compatibility_upstream)
        return NULL;
    struct node_announcements *announcements = memory_allocate(sizeof *announcements);
    announcements->handler = handler;
    announcements->handled = map_create();
    announcements->queue = manager_queue(
        manager, &(struct reconcile_queue_options){.name = CONTROLLER,
                                                   .kind = "Node",
                                                   .concurrency = PARALLEL,
                                                   .backoff_base_ns = 100 * MILLISECOND,
                                                   .backoff_max_ns = BACKOFF_MAX_NS,
                                                   .reconcile = reconcile,
                                                   .context = announcements});
    mirror_on_change(manager->mirror, KIND_NODE, on_node, announcements);
    mirror_on_change(manager->mirror, KIND_NODE_CLAIM, on_claim, announcements);
    return announcements;
}

void node_announcements_destroy(struct node_announcements *announcements)
{
    if (announcements == NULL)
        return;
    map_destroy(announcements->handled, free);
    free(announcements);
}

static bool is_annotated(const struct object *node)
{
    for (int i = 0; i < NODE_ANNOUNCEMENTS_COUNT; i++)
        if (node_announcement_read(node, (enum node_announcement)i) != 0)
            return true;
    return false;
}

static void on_node(void *context, enum mirror_change change, const struct object *old_object,
                    const struct object *new_object)
{
    struct node_announcements *announcements = context;
    if (change == MIRROR_DELETED)
        free(map_remove(announcements->handled, old_object->meta.name));
    else if (is_annotated(new_object))
        reconcile_queue_add(announcements->queue, new_object->meta.name);
}

// The NodeClaim may be registered after the annotation was seen.
static void on_claim(void *context, enum mirror_change change, const struct object *old_object,
                     const struct object *new_object)
{
    struct node_announcements *announcements = context;
    const struct node_claim *before = (const struct node_claim *)old_object;
    const struct node_claim *claim = (const struct node_claim *)new_object;
    if (change == MIRROR_DELETED || claim->status.node_name == NULL ||
        (before != NULL && text_equal(before->status.node_name, claim->status.node_name)))
        return;
    const struct object *node = mirror_get(announcements->handler->manager->mirror, KIND_NODE, NULL,
                                           claim->status.node_name);
    if (node != NULL && is_annotated(node))
        reconcile_queue_add(announcements->queue, node->meta.name);
}

// A Node that says it is another's instance speaks for nobody: kubelets choose their provider id.
static const struct node_claim *claim_of(const struct node_announcements *announcements,
                                         const struct node *node, const char *instance_id)
{
    const struct node_claim *claims[CLAIMS_OF_INSTANCE_MAX];
    uint32_t count = instance_index_claims(announcements->handler->index, instance_id, claims,
                                           CLAIMS_OF_INSTANCE_MAX);
    return count == 1 && text_equal(claims[0]->status.node_name, node->meta.name) ? claims[0]
                                                                                  : NULL;
}

// --- announcements -------------------------------------------------------------------------------

static bool is_plausible(const struct announcement *announcement)
{
    const struct object *claim = (const struct object *)announcement->claim;
    bool spot = text_equal(object_label(claim, LABEL_CAPACITY_TYPE), "spot");
    int64_t ahead = ns_subtract(announcement->instant, announcement->now);
    switch (announcement->what) {
    case NODE_SPOT_INTERRUPTION:
        return spot && ahead >= -SPOT_LATE_NS && ahead <= SPOT_AHEAD_NS;
    case NODE_REBALANCE_RECOMMENDED:
        return spot && ahead <= CLOCK_NS &&
               announcement->instant >= ns_subtract(claim->meta.creation_timestamp, CLOCK_NS);
    case NODE_MAINTENANCE:
    case NODE_ANNOUNCEMENTS_COUNT:
        break;
    }
    return true;
}

static struct interruption_notice notice_of(const struct announcement *announcement)
{
    struct interruption_notice notice = {.instance_id = announcement->instance_id,
                                         .time = announcement->instant};
    switch (announcement->what) {
    case NODE_SPOT_INTERRUPTION:
        notice.kind = INTERRUPTION_SPOT_INTERRUPTED;
        notice.time = ns_minimum(announcement->now, ns_subtract(announcement->instant, NOTICE_NS));
        break;
    case NODE_MAINTENANCE:
        notice.kind = INTERRUPTION_SCHEDULED_CHANGE;
        break;
    case NODE_REBALANCE_RECOMMENDED:
        notice.kind = INTERRUPTION_REBALANCE_RECOMMENDATION;
        break;
    case NODE_ANNOUNCEMENTS_COUNT:
        break;
    }
    return notice;
}

static bool is_news(struct node_announcements *announcements,
                    const struct announcement *announcement)
{
    struct handled *handled =
        map_ensure(announcements->handled, announcement->node->meta.name, sizeof *handled);
    if (handled->at[announcement->what] == announcement->instant)
        return false;
    handled->at[announcement->what] = announcement->instant;
    char text[INSTANT_TEXT_MAX];
    instant_format(announcement->instant, text);
    log_info("a node announces an interruption", "s:controller", CONTROLLER, "o:Node",
             announcement->node->meta.name, "o:NodeClaim", announcement->claim->meta.name,
             "s:announcement", node_announcement_key(announcement->what), "s:time", text);
    return true;
}

// Starts operations; or sets the instant of the next look.
static uint32_t handle(struct node_announcements *announcements,
                       const struct operation_about *about, const struct announcement *announcement,
                       int64_t *again_ns)
{
    const struct interruption_handler *handler = announcements->handler;
    int64_t ahead = ns_subtract(announcement->instant, announcement->now);
    // AWI-955: there is time for a replacement under the NodePool's budgets.
    if (announcement->what == NODE_MAINTENANCE && ahead > NEAR_NS) {
        (void)is_news(announcements, announcement);
        planned_ends_note(handler->ends, announcement->instance_id, PLANNED_END_EVENT,
                          ns_add(announcement->now, ANNOUNCED_NS));
        *again_ns = AGAIN_NS;
        return 0;
    }
    struct interruption_notice notice = notice_of(announcement);
    bool news = is_news(announcements, announcement);
    // The first signal wins: another one has been handled already.
    notice.first = news && !object_is_deleting((const struct object *)announcement->claim);
    return interruption_handle(handler, about, &notice);
}

static struct reconcile_result reconcile(void *context, struct work_item *item, struct error *error)
{
    struct node_announcements *announcements = context;
    struct manager *manager = announcements->handler->manager;
    struct operation_about about = {.manager = manager, .item = item, .doing = CONTROLLER};
    const struct node *node =
        (const struct node *)mirror_get(manager->mirror, KIND_NODE, NULL, work_item_key(item));
    (void)error;
    if (node == NULL || node->spec.provider_id == NULL)
        return reconcile_done();
    struct announcement announcement = {.node = node,
                                        .instance_id = instance_id_of(node->spec.provider_id),
                                        .now = manager_now(manager)};
    if (announcement.instance_id != NULL)
        announcement.claim = claim_of(announcements, node, announcement.instance_id);
    if (announcement.claim == NULL)
        return reconcile_done();
    int64_t again_ns = 0;
    for (int i = 0; i < NODE_ANNOUNCEMENTS_COUNT; i++) {
        announcement.what = (enum node_announcement)i;
        announcement.instant =
            node_announcement_read((const struct object *)node, announcement.what);
        if (announcement.instant != 0 && is_plausible(&announcement) &&
            handle(announcements, &about, &announcement, &again_ns) > 0)
            return reconcile_running();
    }
    return again_ns > 0 ? reconcile_after(again_ns) : reconcile_done();
}
