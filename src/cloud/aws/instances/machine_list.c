#include "cloud/aws/instances/machine_list.h"

#include <assert.h>
#include <stdlib.h>

#include "base/log.h"
#include "base/nanoseconds.h"
#include "base/text.h"
#include "cloud/aws/instances/machine_types.h"

#define SNAPSHOT_AGE_MAX (30 * SECOND) // AWI-936

// --- answers -------------------------------------------------------------------------------------

// AWI-900: whatever its type, an instance exists. Upstream's list fails (AWI-415).
static void take_problem(const struct aws_machines *machines, const char *id, uint32_t count,
                         const struct error *problem, struct machine_list_result *result)
{
    if (machines->environment.settings->compatibility_upstream) {
        result->error = *problem;
        result->count = 0;
        return;
    }
    log_error("listing instances without their capacity", "i:instances", (int64_t)count,
              "s:instance-id", id, "s:error", problem->message);
}

static void answer_machines(struct aws_machines *machines, const struct list_waiter *waiter,
                            const struct error *error)
{
    CLEANUP_ARENA struct arena *arena = arena_create(16384);
    const struct snapshot_of_instances *snapshot = &machines->snapshot;
    uint32_t count = error->kind == ERROR_NONE ? snapshot->count : 0, problems = 0;
    struct machine_list_result result = {.error = *error};
    struct machine *items = arena_allocate_array(arena, count + 1, sizeof *items);
    struct error problem, first = {0};
    const char *id = NULL; // of the first one with a problem
    for (uint32_t i = 0; i < count; i++) {
        const struct aws_instance_facts *facts = &snapshot->items[i];
        if (instance_is_ending(facts))
            continue;
        if (!machine_of_facts(machines, arena, facts, &items[result.count++], &problem) &&
            problems++ == 0) {
            first = problem;
            id = facts->id;
        }
    }
    result.items = items;
    if (problems > 0)
        take_problem(machines, id, problems, &first, &result);
    waiter->done(waiter->context, &result);
}

static void answer_waiters(struct aws_machines *machines, const struct error *error)
{
    VECTOR(struct list_waiter)
    waiters = {machines->waiters.items, machines->waiters.count, machines->waiters.capacity};
    machines->waiters.items = NULL;
    machines->waiters.count = machines->waiters.capacity = 0;
    vector_for_each (waiter, &waiters)
        answer_machines(machines, waiter, error);
    vector_free(&waiters);
}

// --- the snapshot --------------------------------------------------------------------------------

static void snapshot_take(struct aws_machines *machines, const struct aws_instance_facts *items,
                          uint32_t count)
{
    struct snapshot_of_instances *snapshot = &machines->snapshot;
    arena_destroy(snapshot->arena);
    snapshot->arena = arena_create(65536);
    snapshot->items = arena_allocate_array(snapshot->arena, count + 1, sizeof *snapshot->items);
    snapshot->count = count;
    for (uint32_t i = 0; i < count; i++)
        instance_facts_copy(snapshot->arena, &items[i], &snapshot->items[i]);
    snapshot->taken_at = machines->asked_at;
    snapshot->launches = machines->asked_launches;
    snapshot->deletions = machines->asked_deletions;
}

// What was launched or ended since is not in it, so it would mislead those who compare.
static bool snapshot_is_usable(const struct aws_machines *machines)
{
    const struct snapshot_of_instances *snapshot = &machines->snapshot;
    int64_t age = ns_subtract(loop_monotonic_ns(machines->environment.loop), snapshot->taken_at);
    return snapshot->arena != NULL && age <= SNAPSHOT_AGE_MAX &&
           snapshot->launches == launches_made(machines->launches) &&
           snapshot->deletions == machines->deletions &&
           !machines->environment.settings->compatibility_upstream;
}

static bool keeps_shifted(void *context, const struct aws_instance_facts *facts)
{
    return instance_is_shifted(context, facts);
}

static void listed(void *context, const struct error *error, const struct aws_instance_facts *items,
                   uint32_t count)
{
    struct aws_machines *machines = context;
    assert(machines->is_listing);
    machines->is_listing = false;
    if (error->kind == ERROR_NONE) {
        instance_cache_replace(machines->cache, items, count,
                               loop_monotonic_ns(machines->environment.loop), keeps_shifted,
                               machines);
        snapshot_take(machines, items, count);
    }
    answer_waiters(machines, error);
}

// Runs soon after a request: of the snapshot, or by a call.
static void serve(void *context)
{
    struct aws_machines *machines = context;
    struct error none = {0};
    if (machines->is_listing)
        return; // they get the answer of that
    if (snapshot_is_usable(machines)) {
        answer_waiters(machines, &none);
        return;
    }
    machines->is_listing = true;
    machines->asked_at = loop_monotonic_ns(machines->environment.loop);
    machines->asked_launches = launches_made(machines->launches);
    machines->asked_deletions = machines->deletions;
    instance_calls_list(machines->calls, listed, machines);
}

// --- the door ------------------------------------------------------------------------------------

void machine_list_ask(struct aws_machines *machines, const struct list_waiter *waiter)
{
    vector_push(&machines->waiters, *waiter);
    if (!machines->is_listing && !timer_is_running(machines->list_timer))
        timer_start(machines->list_timer, 0);
}

void machine_list_create(struct aws_machines *machines)
{
    machines->list_timer = timer_create_on(machines->environment.loop, serve, machines);
}

void machine_list_destroy(struct aws_machines *machines)
{
    timer_destroy(machines->list_timer);
    vector_free(&machines->waiters);
    arena_destroy(machines->snapshot.arena);
}
