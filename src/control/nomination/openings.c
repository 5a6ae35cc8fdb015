#include "control/nomination/openings.h"

#include <stdlib.h>
#include <string.h>

#include "base/nanoseconds.h"
#include "control/nomination/late_drivers.h"
#include "control/runtime/wakes.h"
#include "control/state/cluster.h"
#include "control/state/cluster_plans.h"
#include "control/state/device_drivers.h"
#include "model/reading/pod.h"
#include "model/schema/condition_types.h"

#define REVIEW_NS   (100 * MILLISECOND)
#define PATIENCE_NS SECOND       // many pods come at once: kube-scheduler is busy for long
#define TOGETHER_NS (2 * SECOND) // NodeClaims created within this time open together
// Limits of the wait for the group's other nodes, from the first node on and from the last one on.
#define GATHER_NS       (8 * SECOND)
#define GATHER_PAUSE_NS (4 * SECOND)
// The same limits for the group's nodes to become ready.
#define READY_ALL_NS   (12 * SECOND)
#define READY_PAUSE_NS (4 * SECOND)
#define OPEN_NS        (10 * SECOND) // after this an unregistered node leaves the group
#define UNREADY_NS     (15 * SECOND) // the longest time that a node stays closed before it is ready
#define READY_NS       (20 * SECOND) // and after it is ready
#define OPENING_NS     (3 * SECOND)  // the longest time that other writes wait for an opening

struct held {         // a node
    int64_t seen_ns;  // monotonic
    int64_t up_ns;    // first seen ready; 0: it is not
    int64_t ready_ns; // and with its devices; 0: it is not
    char claim[];
};

struct openings {
    struct control *control;
    struct map *held; // by NodeClaim
    struct late_drivers *late;
    struct opening_group *group; // the nodes that open next, together
    int64_t ended_ns;            // monotonic: the end of the last group
    bool is_opening;
};

struct openings *openings_create(struct control *control, opening_unnominated *unnominated,
                                 void *context)
{
    struct openings *openings = memory_allocate(sizeof *openings);
    *openings = (struct openings){
        .control = control,
        .held = map_create(),
        .late = late_drivers_create(),
        .group = opening_group_create(control, PATIENCE_NS, unnominated, context)};
    return openings;
}

void openings_destroy(struct openings *openings)
{
    if (openings == NULL)
        return;
    map_destroy(openings->held, free);
    late_drivers_destroy(openings->late);
    opening_group_destroy(openings->group);
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

// A ready node has been closed for long enough. While another group is under way it waits for that.
static bool has_waited(const struct openings *openings, const struct held *held)
{
    bool is_member = opening_group_has(openings->group, held->claim);
    if (!is_member && !opening_group_is_empty(openings->group))
        return false;
    int64_t since_ns = is_member ? opening_group_nominated_ns(openings->group) : openings->ended_ns;
    return ns_subtract(now_of(openings), ns_maximum(held->up_ns, since_ns)) >= READY_NS;
}

// The node has been closed for long enough.
static bool is_overdue(const struct openings *openings, const struct held *held,
                       const struct node *node)
{
    if (held->up_ns != 0)
        return has_waited(openings, held);
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
    bool is_open = opening_group_opened_ns(openings->group) != 0 &&
                   opening_group_has(openings->group, held->claim);
    return !is_open && !is_overdue(openings, held, node);
}

bool openings_prepare(const struct openings *openings, const char *claim)
{
    return map_get(openings->held, claim) != NULL && opening_group_prepares(openings->group, claim);
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
        if (opening_group_opened_ns(openings->group) == 0)
            opening_group_drop(openings->group, held->claim);
        map_remove(openings->held, held->claim);
        free(held);
    }
}

typedef VECTOR(struct held *) held_list;

static void list_held(const struct openings *openings, bool group, held_list *out)
{
    for (struct map_entry *entry = map_first(openings->held); entry != NULL;
         entry = map_next(entry)) {
        struct held *held = map_value(entry);
        if (!group || opening_group_has(openings->group, held->claim))
            vector_push(out, held);
    }
}

// The nodes with planned pods that are still to come, whose NodeClaims were created together with
// the listed.
static uint32_t count_others(const struct openings *openings, const held_list *listed)
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
    uint32_t count = 0;
    while ((claim = cluster_next_planned(openings->control->cluster, &position)) != NULL)
        count += map_get(openings->held, claim->meta.name) == NULL &&
                 !condition_is_true(&claim->status.conditions, CONDITION_REGISTERED) &&
                 claim->meta.creation_timestamp >= ns_subtract(first_ns, TOGETHER_NS) &&
                 claim->meta.creation_timestamp <= ns_add(last_ns, TOGETHER_NS);
    return count;
}

struct span { // monotonic
    int64_t first_ns, last_ns;
};

static void extend(struct span *span, int64_t at_ns)
{
    span->first_ns = ns_minimum(span->first_ns, at_ns);
    span->last_ns = ns_maximum(span->last_ns, at_ns);
}

// The wait has reached one of its limits. The longest wait is as much longer as the missing ones
// will take at the pace of those that are there, at most twice as long: on a slow control plane a
// wave would fall apart otherwise.
static bool has_timed_out(const struct openings *openings, const struct span *span,
                          int64_t longest_ns, int64_t pause_ns, uint32_t there, uint32_t missing)
{
    int64_t now_ns = now_of(openings);
    int64_t more_ns = there > missing ? ns_multiply(longest_ns, missing) / there : longest_ns;
    return ns_subtract(now_ns, span->first_ns) >= ns_add(longest_ns, more_ns) ||
           ns_subtract(now_ns, span->last_ns) >= pause_ns;
}

static bool has_gathered(const struct openings *openings, const held_list *listed)
{
    struct span span = {INT64_MAX, INT64_MIN};
    vector_for_each (held, listed)
        extend(&span, (*held)->seen_ns);
    uint32_t missing = listed->count > 0 ? count_others(openings, listed) : 0;
    return listed->count > 0 &&
           (missing == 0 ||
            has_timed_out(openings, &span, GATHER_NS, GATHER_PAUSE_NS, listed->count, missing));
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
           (ready > 0 && has_timed_out(openings, &span, READY_ALL_NS, READY_PAUSE_NS, ready,
                                       group->count - ready));
}

static int by_claim(const void *a, const void *b)
{
    const struct held *x = *(const struct held *const *)a, *y = *(const struct held *const *)b;
    return strcmp(x->claim, y->claim);
}

// Too many open in the order of their names.
static void begin_group(struct openings *openings, held_list *listed)
{
    if (listed->count > 1)
        qsort(listed->items, listed->count, sizeof(struct held *), by_claim);
    const struct node_claim **claims = memory_allocate_array(listed->count + 1, sizeof *claims);
    uint32_t count = 0;
    vector_for_each (held, listed) {
        const struct node_claim *claim = find_claim(openings->control, (*held)->claim);
        if (claim != NULL)
            claims[count++] = claim;
    }
    opening_group_begin(openings->group, claims, count);
    free(claims);
}

static void open_in_turn(struct openings *openings)
{
    uint32_t count;
    const struct node_claim **claims = opening_group_claims(openings->group, &count);
    for (uint32_t i = 0; i < count; i++)
        wake(&openings->control->manager, WAKE_LIFECYCLE, claims[i]->meta.name);
    openings->is_opening = true;
    free(claims);
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
    if (ns_subtract(now_of(openings), opening_group_opened_ns(openings->group)) >= OPENING_NS)
        return false;
    vector_for_each (held, group)
        if (is_closed(openings, *held))
            return true;
    return false;
}

bool openings_rest(const struct openings *openings)
{
    return opening_group_rests(openings->group);
}

bool openings_have_the_turn(const struct openings *openings)
{
    return opening_group_has_the_turn(openings->group);
}

bool openings_under_way(const struct openings *openings)
{
    return openings->is_opening;
}

// `left`: nodes of the group that are not registered yet. A wave may need several groups: the next
// one waits while pods of this one are being bound, since its nominations would be in their way.
static bool group_has_ended(const struct openings *openings, const held_list *left)
{
    int64_t opened_ns = opening_group_opened_ns(openings->group);
    if (opened_ns == 0)
        return left->count == 0;
    bool others_wait = map_count(openings->held) > left->count;
    return ns_subtract(now_of(openings), opened_ns) >= OPEN_NS ||
           (left->count == 0 && (opening_group_is_over(openings->group) ||
                                 (others_wait && opening_group_stands_still(openings->group))));
}

static void advance_group(struct openings *openings, const held_list *group, bool may_open)
{
    bool is_ready = may_open && group_is_ready(openings, group);
    if (opening_group_advance(openings->group, is_ready))
        open_in_turn(openings);
    if (group_has_ended(openings, group)) {
        opening_group_end(openings->group);
        openings->ended_ns = now_of(openings);
    }
}

int64_t openings_review(struct openings *openings, bool may_open)
{
    drop_ended(openings);
    held_list listed = {0};
    bool has_group = !opening_group_is_empty(openings->group);
    list_held(openings, has_group, &listed);
    if (has_group)
        advance_group(openings, &listed, may_open);
    else if (has_gathered(openings, &listed))
        begin_group(openings, &listed);
    openings->is_opening = openings->is_opening && goes_on_opening(openings, &listed);
    if (map_count(openings->held) > 0)
        cluster_note_closed(openings->control->cluster);
    vector_free(&listed);
    bool is_done = map_count(openings->held) == 0 && opening_group_is_empty(openings->group);
    return is_done ? 0 : REVIEW_NS;
}
