// DIS-790: the limit of disrupted nodes of a NodePool at once (invariants.h, 3).
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "simulation/invariants_internal.h"

#define DAY_MINUTES 1440

const char *const disruption_reasons[REASONS] = {"Empty", "Drifted", "Underutilized"};

// --- windows -------------------------------------------------------------------------------------
// The worlds' schedules: minute and hour as "*", a number or "*/N", every day.

static bool field_matches(const char *field, int64_t value)
{
    if (field[0] != '*')
        return atoi(field) == value;
    return field[1] != '/' || value % atoi(field + 2) == 0;
}

static bool hits(const char *schedule, int64_t minute_of_time)
{
    char minute[12] = "", hour[12] = "";
    int64_t minute_of_day = minute_of_time % DAY_MINUTES;
    if (strcmp(schedule, "@hourly") == 0)
        return minute_of_day % 60 == 0;
    if (sscanf(schedule, "%11s %11s", minute, hour) != 2)
        return false;
    return field_matches(minute, minute_of_day % 60) && field_matches(hour, minute_of_day / 60);
}

// DIS-111: a hit at most `duration` ago, that moment excluded.
static bool is_open(const json_t *budget, int64_t wall_ns)
{
    const char *schedule = json_string_value(json_object_get(budget, "schedule"));
    int64_t duration_ns = 0;
    struct error error = {0};
    if (schedule == NULL)
        return true;
    if (!duration_parse(json_string_value(json_object_get(budget, "duration")), &duration_ns,
                        &error))
        return false;
    for (int64_t minute = wall_ns / MINUTE; minute * MINUTE > wall_ns - duration_ns; minute--)
        if (hits(schedule, minute))
            return true;
    return false;
}

// --- allowed by the budgets ----------------------------------------------------------------------

static int64_t allowed_at(const json_t *pool, const char *reason, int64_t nodes, int64_t wall_ns)
{
    int64_t allowed = INT64_MAX;
    size_t i, j;
    json_t *budget, *entry;
    json_array_foreach (store_path(pool, "spec.disruption.budgets"), i, budget) {
        const json_t *reasons = json_object_get(budget, "reasons");
        bool applies = reasons == NULL;
        json_array_foreach (reasons, j, entry)
            applies = applies || text_equal(json_string_value(entry), reason);
        int64_t value = share_of(json_object_get(budget, "nodes"), nodes);
        if (applies && value < allowed && is_open(budget, wall_ns))
            allowed = value;
    }
    return allowed;
}

// A window may have opened between the decision and its observation.
static int64_t allowed_by(const struct invariants *invariants, const json_t *pool,
                          const char *reason, int64_t nodes)
{
    int64_t now = loop_now_ns(invariants->options.loop), most = 0;
    for (int64_t ago = 0; ago <= STALE_NS; ago += STALE_NS / 3) {
        int64_t allowed = allowed_at(pool, reason, nodes, now - ago);
        most = allowed > most ? allowed : most;
    }
    return most;
}

// --- disrupted nodes -----------------------------------------------------------------------------

struct disrupting {
    struct invariants *invariants;
    const char *pool;
    int64_t count;
};

static bool is_old(const struct invariants *invariants, int64_t since_ns)
{
    return since_ns != 0 && is_faithful(invariants) && now_ns(invariants) - since_ns > STALE_NS;
}

// DIS-125, DIS-126. External changes of the node count once the controller must have seen them.
static bool count_disrupting(void *context, json_t *claim)
{
    struct disrupting *disrupting = context;
    struct invariants *invariants = disrupting->invariants;
    if (!text_equal(label_of(claim, LABEL_NODE_POOL), disrupting->pool) ||
        !condition_is(claim, "Initialized", "True") ||
        condition_is(claim, "InstanceTerminating", "True"))
        return true;
    const struct claim_record *record = claim_record(invariants, store_uid(claim));
    const char *name = text_at(claim, "status.nodeName");
    const struct node_record *node = name != NULL ? map_get(invariants->nodes, name) : NULL;
    if (node == NULL) // gone, and with it the record of its initialization (LIF-303)
        return true;
    bool marked = node->command[0] != '\0';
    bool deleted =
        is_deleting(claim) && (record->voluntary || is_old(invariants, record->deleting_ns));
    bool unready = is_old(invariants, node->unready_ns);
    disrupting->count += marked || deleted || unready;
    return true;
}

// Whether more nodes are disrupted than allowed; no, if the NodePool has just changed.
static bool exceeds(struct invariants *invariants, const char *pool_name, struct overrun *overrun)
{
    json_t *pool = store_get(invariants->store, resource(invariants, "karpenter.sh/v1", "NodePool"),
                             NULL, pool_name);
    const struct pool_record *record = pool != NULL ? map_get(invariants->pools, pool_name) : NULL;
    if (record == NULL || now_ns(invariants) - record->changed_ns < STALE_NS ||
        now_ns(invariants) - invariants->jumped_ns < STALE_NS ||
        json_integer_value(store_path(pool, "metadata.generation")) != record->generation)
        return false;
    struct disrupting disrupting = {.invariants = invariants, .pool = pool_name};
    store_each(invariants->store, claims_of(invariants), NULL, count_disrupting, &disrupting);
    overrun->nodes =
        record->nodes_most > record->nodes_before ? record->nodes_most : record->nodes_before;
    overrun->allowed = allowed_by(invariants, pool, overrun->reason, overrun->nodes);
    overrun->disrupting = disrupting.count;
    return disrupting.count > overrun->allowed;
}

void check_budget_of_pool(struct invariants *invariants, const json_t *claim, const char *reason)
{
    const char *pool_name = label_of(claim, LABEL_NODE_POOL);
    struct pool_record *record = pool_name != NULL ? map_get(invariants->pools, pool_name) : NULL;
    for (uint32_t i = 0; record != NULL && i < REASONS; i++)
        if (strcmp(disruption_reasons[i], reason) == 0)
            snprintf(record->begun[i], sizeof record->begun[i], "%s", store_name(claim));
}

static void check_begun_in(struct invariants *invariants, const char *pool_name,
                           struct pool_record *record, uint32_t reason)
{
    struct overrun overrun = {.since_ns = now_ns(invariants)};
    snprintf(overrun.reason, sizeof overrun.reason, "%s", disruption_reasons[reason]);
    snprintf(overrun.claim, sizeof overrun.claim, "%s", record->begun[reason]);
    record->begun[reason][0] = '\0';
    if (record->overrun.since_ns == 0 && exceeds(invariants, pool_name, &overrun))
        record->overrun = overrun;
}

void check_begun_of_others(struct invariants *invariants, const char *pool_name, const char *reason)
{
    struct pool_record *record = pool_name != NULL ? map_get(invariants->pools, pool_name) : NULL;
    for (uint32_t i = 0; record != NULL && i < REASONS; i++)
        if (record->begun[i][0] != '\0' && strcmp(disruption_reasons[i], reason) != 0)
            check_begun_in(invariants, pool_name, record, i);
}

void check_begun(struct invariants *invariants)
{
    for (struct map_entry *e = map_first(invariants->pools); e != NULL; e = map_next(e)) {
        struct pool_record *record = map_value(e);
        for (uint32_t i = 0; i < REASONS; i++)
            if (record->begun[i][0] != '\0')
                check_begun_in(invariants, map_key(e), record, i);
    }
}

void check_overruns(struct invariants *invariants)
{
    for (struct map_entry *e = map_first(invariants->pools); e != NULL; e = map_next(e)) {
        struct pool_record *record = map_value(e);
        struct overrun *overrun = &record->overrun;
        if (overrun->since_ns == 0 || now_ns(invariants) - overrun->since_ns < MOMENT_NS)
            continue;
        if (exceeds(invariants, map_key(e), overrun))
            violate(invariants,
                    "by NodeClaim %s %lld of %u nodes of NodePool %s are disrupted at once; its "
                    "budgets for %s allow %lld (DIS-790)",
                    overrun->claim, (long long)overrun->disrupting, overrun->nodes, map_key(e),
                    overrun->reason, (long long)overrun->allowed);
        overrun->since_ns = 0;
    }
}
