#include "control/command/disruption_backoff.h"

#include <stdlib.h>

#include "base/nanoseconds.h"

#define NODE_FIRST_NS     (30 * SECOND)
#define REFUSED_FIRST_NS  (5 * SECOND)
#define POOL_FIRST_NS     MINUTE
#define LONGEST_NS        (10 * MINUTE)
#define FORGET_NS         HOUR // after its end a failure no longer adds to the next
#define DRIFT_PAUSE_NS    (5 * SECOND)
#define DRIFT_TOGETHER_NS SECOND        // NodePools that drift within it share one pause
#define DRIFT_ANEW_NS     (10 * SECOND) // after the end of a pause: further drift pauses again
#define REFUSALS_MAX_NS   MINUTE        // that follow each other
#define REFUSALS_PAUSE_NS (10 * SECOND) // after it the next one follows none

struct failure_record {
    int64_t delay_ns, until_ns; // monotonic
};

struct disruption_backoff {
    struct control *control;
    struct map *nodes, *refused, *pools; // struct failure_record by name
    struct map *drifting;                // the same, without delays: NodePools with fresh drift
    int64_t first_refusal_ns, last_refusal_ns; // monotonic; 0: there was none
};

struct disruption_backoff *disruption_backoff_create(struct control *control)
{
    struct disruption_backoff *backoff = memory_allocate(sizeof *backoff);
    backoff->control = control;
    backoff->nodes = map_create();
    backoff->refused = map_create();
    backoff->pools = map_create();
    backoff->drifting = map_create();
    return backoff;
}

void disruption_backoff_destroy(struct disruption_backoff *backoff)
{
    if (backoff == NULL)
        return;
    map_destroy(backoff->nodes, free);
    map_destroy(backoff->refused, free);
    map_destroy(backoff->pools, free);
    map_destroy(backoff->drifting, free);
    free(backoff);
}

// False: the failure belongs to a window that counts already.
static bool note(struct disruption_backoff *backoff, struct map *map, const char *name,
                 int64_t first_ns, int64_t *until_ns)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    struct failure_record *record = map_ensure(map, name, sizeof *record);
    if (record->until_ns > now_ns)
        return false;
    bool forgotten = record->delay_ns == 0 || ns_subtract(now_ns, record->until_ns) > FORGET_NS;
    record->delay_ns = forgotten ? first_ns : ns_multiply(2, record->delay_ns);
    if (record->delay_ns > LONGEST_NS)
        record->delay_ns = LONGEST_NS;
    uint64_t tenth = (uint64_t)record->delay_ns / 10;
    int64_t jitter_ns = (int64_t)random_below(&backoff->control->manager.random, tenth + 1);
    record->until_ns = ns_add(now_ns, ns_add(record->delay_ns, jitter_ns));
    *until_ns = record->until_ns;
    return true;
}

static void note_node(struct disruption_backoff *backoff, struct map *map, const char *node,
                      int64_t first_ns)
{
    int64_t until_ns;
    if (backoff->control->strategy->backs_off_disruption)
        note(backoff, map, node, first_ns, &until_ns);
}

void disruption_backoff_node_failed(struct disruption_backoff *backoff, const char *node)
{
    note_node(backoff, backoff->nodes, node, NODE_FIRST_NS);
}

void disruption_backoff_drift_refused(struct disruption_backoff *backoff, const char *node)
{
    note_node(backoff, backoff->refused, node, REFUSED_FIRST_NS);
}

// A refusal now would follow another one.
static bool refusals_go_on(const struct disruption_backoff *backoff, int64_t now_ns)
{
    return backoff->last_refusal_ns != 0 &&
           ns_subtract(now_ns, backoff->last_refusal_ns) < REFUSALS_PAUSE_NS;
}

bool disruption_backoff_may_refuse(const struct disruption_backoff *backoff)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    return !refusals_go_on(backoff, now_ns) ||
           ns_subtract(now_ns, backoff->first_refusal_ns) < REFUSALS_MAX_NS;
}

void disruption_backoff_note_refusal(struct disruption_backoff *backoff)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    if (!refusals_go_on(backoff, now_ns))
        backoff->first_refusal_ns = now_ns;
    backoff->last_refusal_ns = now_ns;
}

void disruption_backoff_pool_failed(struct disruption_backoff *backoff, const char *pool)
{
    struct control *control = backoff->control;
    int64_t until_ns;
    if (!control->strategy->backs_off_disruption ||
        !note(backoff, backoff->pools, pool, POOL_FIRST_NS, &until_ns))
        return;
    const struct node_pool *object = find_pool(control, pool);
    char until[INSTANT_TEXT_MAX];
    instant_format(ns_subtract(ns_add(manager_now(&control->manager), until_ns),
                               loop_monotonic_ns(control->manager.loop)),
                   until);
    if (object != NULL)
        publish(&control->manager, (const struct object *)object, EVENT_DISRUPTION_BLOCKED_POOL,
                "drift backing off until %s, replacements failed", until);
}

void disruption_backoff_pool_succeeded(struct disruption_backoff *backoff, const char *pool)
{
    free(map_remove(backoff->pools, pool));
}

// NodePools that an edit lets drift one after the other pause until one instant, so that one
// decision is made about all their nodes (DIS-717).
static int64_t drift_pause_end(const struct disruption_backoff *backoff, int64_t now_ns)
{
    int64_t end_ns = ns_add(now_ns, DRIFT_PAUSE_NS);
    int64_t joined_ns = ns_subtract(end_ns, DRIFT_TOGETHER_NS);
    for (struct map_entry *entry = map_first(backoff->drifting); entry != NULL;
         entry = map_next(entry)) {
        const struct failure_record *record = map_value(entry);
        if (record->until_ns >= joined_ns && record->until_ns < end_ns)
            end_ns = record->until_ns;
    }
    return end_ns;
}

void disruption_backoff_drifted(struct disruption_backoff *backoff, const char *pool)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    if (pool == NULL)
        return;
    struct failure_record *record = map_ensure(backoff->drifting, pool, sizeof *record);
    if (record->until_ns == 0 || now_ns >= ns_add(record->until_ns, DRIFT_ANEW_NS))
        record->until_ns = drift_pause_end(backoff, now_ns);
}

static void add_active(const struct disruption_backoff *backoff, struct map *map,
                       struct arena *arena, struct string_list *names)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    for (struct map_entry *entry = map_first(map), *next; entry != NULL; entry = next) {
        const struct failure_record *record = map_value(entry);
        next = map_next(entry);
        if (record->until_ns > now_ns)
            names->items[names->count++] = arena_copy_string(arena, map_key(entry));
        else if (ns_subtract(now_ns, record->until_ns) > FORGET_NS)
            free(map_remove(map, map_key(entry)));
    }
}

static struct string_list active_nodes(const struct disruption_backoff *backoff, struct map *map,
                                       struct arena *arena)
{
    struct string_list names = {
        .items = arena_allocate_array(arena, map_count(map) + 1, sizeof *names.items)};
    add_active(backoff, map, arena, &names);
    return names;
}

struct string_list disruption_backoff_nodes(struct disruption_backoff *backoff, struct arena *arena)
{
    return active_nodes(backoff, backoff->nodes, arena);
}

struct string_list disruption_backoff_refused(struct disruption_backoff *backoff,
                                              struct arena *arena)
{
    return active_nodes(backoff, backoff->refused, arena);
}

struct string_list disruption_backoff_pools(struct disruption_backoff *backoff, struct arena *arena)
{
    size_t most = map_count(backoff->pools) + map_count(backoff->drifting) + 1;
    struct string_list names = {.items = arena_allocate_array(arena, most, sizeof *names.items)};
    add_active(backoff, backoff->pools, arena, &names);
    add_active(backoff, backoff->drifting, arena, &names);
    return names;
}

static void take_earliest(const struct disruption_backoff *backoff, struct map *map,
                          int64_t *earliest_ns)
{
    int64_t now_ns = loop_monotonic_ns(backoff->control->manager.loop);
    for (struct map_entry *entry = map_first(map); entry != NULL; entry = map_next(entry)) {
        const struct failure_record *record = map_value(entry);
        if (record->until_ns > now_ns && record->until_ns < *earliest_ns)
            *earliest_ns = record->until_ns;
    }
}

int64_t disruption_backoff_next(const struct disruption_backoff *backoff)
{
    int64_t earliest_ns = INT64_MAX;
    take_earliest(backoff, backoff->nodes, &earliest_ns);
    take_earliest(backoff, backoff->refused, &earliest_ns);
    take_earliest(backoff, backoff->pools, &earliest_ns);
    take_earliest(backoff, backoff->drifting, &earliest_ns);
    return earliest_ns;
}
