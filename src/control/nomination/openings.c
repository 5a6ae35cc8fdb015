#include "control/nomination/openings.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/nomination/group_order.h"
#include "control/nomination/late_drivers.h"
#include "control/nomination/opening_order.h"
#include "control/nomination/scheduler_quiet.h"
#include "control/nomination/sibling_exchange.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/device_drivers.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

#define REVIEW_NS   (100 * MILLISECOND)
#define TOGETHER_NS (2 * SECOND) // NodeClaims created within this time open together
// Limits of the wait for the group's other nodes, from the first node on and from the last one on.
#define GATHER_NS       (8 * SECOND)
#define GATHER_PAUSE_NS (4 * SECOND)
// The same limits for the group's nodes to become ready.
#define READY_ALL_NS   (12 * SECOND)
#define READY_PAUSE_NS (4 * SECOND)
#define PREPARE_NS     (2 * SECOND) // for nominations, and so much longer for each pod:
#define PREPARE_POD_NS (8 * MILLISECOND)
#define PROGRESS_NS \
    SECOND // while a node is prepared so often, twice as long: the API server is slow
#define STORM_SHARE    20            // a part of the group's pods
#define STORMS_MAX     2             // of a group's nominations
#define OPEN_NS        (10 * SECOND) // after this an unregistered node leaves the group
#define UNREADY_NS     (15 * SECOND) // the longest time that a node stays closed before it is ready
#define READY_NS       (20 * SECOND) // and after it is ready
#define OPENING_NS     (3 * SECOND)  // the longest time that other writes wait for an opening
#define GROUP_PODS_MAX 2000
#define LOST_SHARE     40 // a part of the group's pods

struct held {         // a node
    int64_t seen_ns;  // monotonic
    int64_t up_ns;    // first seen ready; 0: it is not
    int64_t ready_ns; // and with its devices; 0: it is not
    bool is_in_group;
    uint32_t turn; // its order in the group
    char claim[];
};

struct openings {
    struct control *control;
    openings_unnominated *unnominated;
    void *context;
    struct map *held; // by NodeClaim
    struct late_drivers *late;
    // The nodes that open next, together.
    int64_t group_ns, opened_ns; // monotonic: chosen, opened; 0: not yet
    uint32_t group_pods;
    uint32_t unprepared; // pods, at the last review
    uint32_t mends;
    int64_t progress_ns;  // monotonic: the last decrease
    uint32_t lost;        // pods that have lost their nomination, at the last review
    int64_t paused_ns;    // monotonic: since when pods are not nominated; 0: they are
    int64_t nominated_ns; // monotonic: since when they are
    uint32_t storms;
    bool awaits_quiet; // the group is ready, and kube-scheduler tries pods
    bool is_opening;
};

struct openings *openings_create(struct control *control, openings_unnominated *unnominated,
                                 void *context)
{
    struct openings *openings = memory_allocate(sizeof *openings);
    openings->control = control;
    openings->unnominated = unnominated;
    openings->context = context;
    openings->held = map_create();
    openings->late = late_drivers_create();
    return openings;
}

void openings_destroy(struct openings *openings)
{
    if (openings == NULL)
        return;
    map_destroy(openings->held, free);
    late_drivers_destroy(openings->late);
    free(openings);
}

static int64_t now_of(const struct openings *openings)
{
    return loop_monotonic_ns(openings->control->manager.loop);
}

static struct held *held_of(struct openings *openings, const char *claim)
{
    struct held *held = map_get(openings->held, claim);
    if (held != NULL)
        return held;
    size_t length = strlen(claim) + 1;
    held = memory_allocate(sizeof *held + length);
    memcpy(held->claim, claim, length);
    held->seen_ns = now_of(openings);
    map_set(openings->held, claim, held);
    return held;
}

// The node has been closed for long enough.
static bool is_overdue(const struct openings *openings, const struct held *held,
                       const struct node *node)
{
    if (held->up_ns != 0) {
        int64_t nominated_ns = held->is_in_group ? openings->nominated_ns : 0;
        return ns_subtract(now_of(openings), ns_maximum(held->up_ns, nominated_ns)) >= READY_NS;
    }
    int64_t since_ns =
        ns_subtract(manager_now(&openings->control->manager), node->meta.creation_timestamp);
    return since_ns >= UNREADY_NS || since_ns < -UNREADY_NS;
}

// A pod that claims devices is tried in vain on a node whose devices are not published, and loses
// its nomination.
static bool has_devices(struct openings *openings, const struct held *held,
                        const struct node_claim *claim, const struct node *node)
{
    CLEANUP_ARENA struct arena *arena = arena_create(1024);
    const struct control *control = openings->control;
    const char *driver = device_driver_awaited(control->manager.mirror, control->manager.settings,
                                               arena, claim, node);
    return driver == NULL ||
           late_drivers_have(openings->late, driver, held->up_ns, now_of(openings));
}

bool openings_delay(struct openings *openings, const struct node_claim *claim,
                    const struct node *node)
{
    struct held *held = held_of(openings, claim->meta.name);
    if (node_is_ready(node) && held->up_ns == 0)
        held->up_ns = now_of(openings);
    if (held->up_ns != 0 && held->ready_ns == 0 && has_devices(openings, held, claim, node))
        held->ready_ns = now_of(openings);
    bool is_open = held->is_in_group && openings->opened_ns != 0;
    return !is_open && !is_overdue(openings, held, node);
}

bool openings_prepare(const struct openings *openings, const char *claim)
{
    const struct held *held = map_get(openings->held, claim);
    return held != NULL && held->is_in_group && openings->paused_ns == 0;
}

// --- the review ----------------------------------------------------------------------------------
static bool is_over(const struct openings *openings, const struct held *held)
{
    const struct node_claim *claim = find_claim(openings->control, held->claim);
    return claim == NULL || object_is_deleting((const struct object *)claim) ||
           condition_is_true(&claim->status.conditions, CONDITION_REGISTERED);
}

static void drop_ended(struct openings *openings)
{
    struct map_entry *next;
    for (struct map_entry *entry = map_first(openings->held); entry != NULL; entry = next) {
        next = map_next(entry);
        struct held *held = map_value(entry);
        if (!is_over(openings, held))
            continue;
        map_remove(openings->held, held->claim);
        free(held);
    }
}

static int by_turn(const void *a, const void *b)
{
    const struct held *x = *(const struct held *const *)a, *y = *(const struct held *const *)b;
    if (x->turn != y->turn)
        return x->turn < y->turn ? -1 : 1;
    return strcmp(x->claim, y->claim);
}

typedef VECTOR(struct held *) held_list;

static void list_held(const struct openings *openings, bool group, held_list *out)
{
    for (struct map_entry *entry = map_first(openings->held); entry != NULL;
         entry = map_next(entry)) {
        struct held *held = map_value(entry);
        if (held->is_in_group || !group)
            vector_push(out, held);
    }
    if (out->count > 1)
        qsort(out->items, out->count, sizeof(struct held *), by_turn);
}

// Nodes with planned pods are still to come, whose NodeClaims were created together with the
// listed.
static bool others_are_due(const struct openings *openings, const held_list *listed)
{
    int64_t first_ns = INT64_MAX, last_ns = INT64_MIN;
    vector_for_each (held, listed) {
        const struct node_claim *claim = find_claim(openings->control, (*held)->claim);
        if (claim == NULL)
            continue;
        first_ns = ns_minimum(first_ns, claim->meta.creation_timestamp);
        last_ns = ns_maximum(last_ns, claim->meta.creation_timestamp);
    }
    struct map_entry *position = NULL;
    const struct node_claim *claim;
    while ((claim = cluster_next_planned(openings->control->cluster, &position)) != NULL)
        if (map_get(openings->held, claim->meta.name) == NULL &&
            !condition_is_true(&claim->status.conditions, CONDITION_REGISTERED) &&
            claim->meta.creation_timestamp >= ns_subtract(first_ns, TOGETHER_NS) &&
            claim->meta.creation_timestamp <= ns_add(last_ns, TOGETHER_NS))
            return true;
    return false;
}

struct span { // monotonic
    int64_t first_ns, last_ns;
};

static void extend(struct span *span, int64_t at_ns)
{
    span->first_ns = ns_minimum(span->first_ns, at_ns);
    span->last_ns = ns_maximum(span->last_ns, at_ns);
}

// The wait has reached one of its limits.
static bool has_timed_out(const struct openings *openings, const struct span *span,
                          int64_t longest_ns, int64_t pause_ns)
{
    int64_t now_ns = now_of(openings);
    return ns_subtract(now_ns, span->first_ns) >= longest_ns ||
           ns_subtract(now_ns, span->last_ns) >= pause_ns;
}

static bool has_gathered(const struct openings *openings, const held_list *listed)
{
    struct span span = {INT64_MAX, INT64_MIN};
    vector_for_each (held, listed)
        extend(&span, (*held)->seen_ns);
    return listed->count > 0 && (has_timed_out(openings, &span, GATHER_NS, GATHER_PAUSE_NS) ||
                                 !others_are_due(openings, listed));
}

// All nodes are ready, or the wait for the others has reached its limit.
static bool group_is_ready(const struct openings *openings, const held_list *group)
{
    struct span span = {INT64_MAX, INT64_MIN};
    uint32_t ready = 0;
    vector_for_each (held, group) {
        if ((*held)->ready_ns == 0)
            continue;
        ready++;
        extend(&span, (*held)->ready_ns);
    }
    return ready == group->count ||
           (ready > 0 && has_timed_out(openings, &span, READY_ALL_NS, READY_PAUSE_NS));
}

// The group is as large as can be prepared together, in the order of opening.
static uint32_t choose_group(struct openings *openings, const held_list *listed,
                             const struct node_claim **claims)
{
    uint32_t count = 0;
    openings->group_pods = 0;
    vector_for_each (entry, listed) {
        const struct node_claim *claim = find_claim(openings->control, (*entry)->claim);
        uint32_t pods = cluster_planned_count(openings->control->cluster, claim);
        if (openings->group_pods > 0 && openings->group_pods + pods > GROUP_PODS_MAX)
            break;
        openings->group_pods += pods;
        claims[count++] = claim;
    }
    return count;
}

// The caller frees the result.
static const struct node_claim **claims_of(const struct openings *openings, const held_list *group,
                                           uint32_t *count)
{
    const struct node_claim **claims = memory_allocate_array(group->count + 1, sizeof *claims);
    *count = 0;
    vector_for_each (held, group) {
        const struct node_claim *claim = find_claim(openings->control, (*held)->claim);
        if (claim != NULL)
            claims[(*count)++] = claim;
    }
    return claims;
}

static void begin_group(struct openings *openings, const held_list *listed)
{
    const struct node_claim **claims = memory_allocate_array(listed->count + 1, sizeof *claims);
    uint32_t count = choose_group(openings, listed, claims);
    openings->group_ns = openings->paused_ns = now_of(openings);
    openings->opened_ns = openings->nominated_ns = 0;
    openings->mends = openings->storms = 0;
    sibling_exchange(openings->control, claims, count);
    for (uint32_t i = 0; i < count; i++) {
        struct held *held = map_get(openings->held, claims[i]->meta.name);
        held->is_in_group = true;
    }
    free(claims);
}

static void begin_nominating(struct openings *openings, const held_list *group)
{
    uint32_t count;
    const struct node_claim **claims = claims_of(openings, group, &count);
    openings->nominated_ns = openings->progress_ns = now_of(openings);
    openings->paused_ns = 0;
    openings->unprepared = openings->group_pods;
    openings->lost = 0;
    // A nomination that changes has kube-scheduler try pods again: after a storm as few as
    // possible.
    if (openings->storms > 0)
        group_order_mend(openings->control, claims, count);
    else
        group_order_apply(openings->control, claims, count);
    for (uint32_t i = 0; i < count; i++) {
        struct held *held = map_get(openings->held, claims[i]->meta.name);
        held->turn = i;
    }
    free(claims);
}

// While pods are nominated, kube-scheduler tries one after the other, and those lose their
// nomination. They come last now, so a few of them need not be waited for.
static bool group_is_prepared(struct openings *openings, const held_list *group)
{
    uint32_t left = 0, lost = 0;
    vector_for_each (held, group) {
        struct unnominated pods =
            openings->unnominated(openings->context, (*held)->claim, openings->nominated_ns);
        left += pods.count;
        lost += pods.lost;
    }
    if (left < openings->unprepared)
        openings->progress_ns = now_of(openings);
    openings->unprepared = left;
    openings->lost = lost;
    return left == lost && lost <= openings->group_pods / LOST_SHARE;
}

// While the pods were nominated, kube-scheduler may have tried some of them, and these come last
// now. The last look before the group opens: true if some pods have to be nominated anew.
static bool mend_order(struct openings *openings, const held_list *group)
{
    if (openings->mends >= MENDS_MAX ||
        cluster_last_turn(openings->control->cluster) < openings->nominated_ns)
        return false;
    uint32_t count;
    const struct node_claim **claims = claims_of(openings, group, &count);
    uint32_t exchanged = group_order_mend(openings->control, claims, count);
    free(claims);
    openings->mends = exchanged > 0 ? openings->mends + 1 : MENDS_MAX;
    log_debug("looked at the order of a group of pods before it opens", "s:controller",
              "pod.nomination", "i:exchanged", (int64_t)exchanged);
    return exchanged > 0;
}

static bool preparation_timed_out(const struct openings *openings)
{
    int64_t now_ns = now_of(openings), since_ns = ns_subtract(now_ns, openings->nominated_ns);
    int64_t timeout_ns = ns_add(PREPARE_NS, ns_multiply(openings->group_pods, PREPARE_POD_NS));
    bool goes_on = ns_subtract(now_ns, openings->progress_ns) < PROGRESS_NS;
    return since_ns >= (goes_on ? ns_multiply(2, timeout_ns) : timeout_ns);
}

static void open_in_turn(struct openings *openings, const held_list *group)
{
    uint32_t count;
    const struct node_claim **claims = claims_of(openings, group, &count);
    opening_order(openings->control, claims, count);
    for (uint32_t i = 0; i < count; i++)
        wake(&openings->control->manager, WAKE_LIFECYCLE, claims[i]->meta.name);
    free(claims);
}

static void open_group(struct openings *openings, const held_list *group)
{
    openings->opened_ns = now_of(openings);
    openings->is_opening = true;
    log_debug("opening nodes", "s:controller", "pod.nomination", "i:nodes", (int64_t)group->count,
              "i:pods", (int64_t)openings->group_pods, "i:unprepared",
              (int64_t)openings->unprepared, "d:preparation",
              ns_subtract(openings->opened_ns, openings->group_ns), "i:storms",
              (int64_t)openings->storms);
    open_in_turn(openings, group);
}

static bool is_closed(const struct openings *openings, const struct held *held)
{
    const struct node_claim *claim = find_claim(openings->control, held->claim);
    const struct node *node =
        claim != NULL ? cluster_main_node(openings->control->cluster, claim) : NULL;
    return node != NULL && node_is_closed(node);
}

static bool goes_on_opening(const struct openings *openings, const held_list *group)
{
    if (ns_subtract(now_of(openings), openings->opened_ns) >= OPENING_NS)
        return false;
    vector_for_each (held, group)
        if (is_closed(openings, *held))
            return true;
    return false;
}

bool openings_rest(const struct openings *openings)
{
    return openings->awaits_quiet;
}

bool openings_under_way(const struct openings *openings)
{
    return openings->is_opening;
}

// Many pods have lost their nominations: no more are written before kube-scheduler is quiet again.
// If that does not help, the nodes open as they are.
static bool is_stormy(const struct openings *openings)
{
    return openings->lost > openings->group_pods / STORM_SHARE;
}

// The wait begins when the nodes are ready; a node that comes to be ready later changes nothing.
static void await_quiet(struct openings *openings, const held_list *group)
{
    bool is_ready = openings->nominated_ns != 0 || group_is_ready(openings, group);
    if (!is_ready)
        openings->paused_ns = now_of(openings);
    bool is_quiet = is_ready && scheduler_is_quiet(openings->control, openings->paused_ns);
    openings->awaits_quiet = is_ready && !is_quiet;
    if (is_quiet)
        begin_nominating(openings, group);
}

static void prepare_group(struct openings *openings, const held_list *group)
{
    if (openings->paused_ns != 0) {
        await_quiet(openings, group);
    } else if (group_is_prepared(openings, group) || preparation_timed_out(openings)) {
        if (!mend_order(openings, group))
            open_group(openings, group);
    } else if (is_stormy(openings)) {
        if (openings->storms++ < STORMS_MAX)
            openings->paused_ns = now_of(openings);
        else
            open_group(openings, group);
    }
}

static void advance_group(struct openings *openings, const held_list *group)
{
    int64_t now_ns = now_of(openings);
    if (openings->opened_ns == 0 && group->count > 0)
        prepare_group(openings, group);
    openings->is_opening = openings->is_opening && goes_on_opening(openings, group);
    bool is_late = openings->opened_ns != 0 && ns_subtract(now_ns, openings->opened_ns) >= OPEN_NS;
    if (group->count > 0 && !is_late)
        return;
    openings->group_ns = openings->opened_ns = openings->paused_ns = 0;
    openings->awaits_quiet = false;
    vector_for_each (held, group)
        (*held)->is_in_group = false;
}

int64_t openings_review(struct openings *openings)
{
    drop_ended(openings);
    held_list listed = {0};
    list_held(openings, openings->group_ns != 0, &listed);
    if (openings->group_ns != 0)
        advance_group(openings, &listed);
    else if (has_gathered(openings, &listed))
        begin_group(openings, &listed);
    if (map_count(openings->held) > 0)
        cluster_note_closed(openings->control->cluster);
    vector_free(&listed);
    return map_count(openings->held) > 0 ? REVIEW_NS : 0;
}
