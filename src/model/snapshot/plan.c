#include "model/snapshot/plan.h"

#include <assert.h>
#include <inttypes.h>

#define MOVES_LISTED_MAX 5

static const char *const reason_names[REASON_COUNT] = {
    [REASON_NO_POOL] = "NoPool",
    [REASON_POOL_NOT_READY] = "PoolNotReady",
    [REASON_TAINT_NOT_TOLERATED] = "TaintNotTolerated",
    [REASON_REQUIREMENT_MISMATCH] = "RequirementMismatch",
    [REASON_UNKNOWN_LABEL] = "UnknownLabel",
    [REASON_INSUFFICIENT_RESOURCES] = "InsufficientResources",
    [REASON_NO_OFFERING] = "NoOffering",
    [REASON_LIMIT_EXCEEDED] = "LimitExceeded",
    [REASON_HOST_PORT_CONFLICT] = "HostPortConflict",
    [REASON_VOLUME_INVALID] = "VolumeInvalid",
    [REASON_VOLUME_ZONE] = "VolumeZone",
    [REASON_VOLUME_LIMIT] = "VolumeLimit",
    [REASON_TOPOLOGY_SPREAD] = "TopologySpread",
    [REASON_POD_AFFINITY] = "PodAffinity",
    [REASON_POD_ANTI_AFFINITY] = "PodAntiAffinity",
    [REASON_EXISTING_ANTI_AFFINITY] = "ExistingAntiAffinity",
    [REASON_MIN_VALUES] = "MinValues",
    [REASON_RESERVED_EXHAUSTED] = "ReservedExhausted",
    [REASON_DYNAMIC_RESOURCES] = "DynamicResources",
    [REASON_DAEMON_SET_OVERHEAD] = "DaemonSetOverhead",
    [REASON_NOT_TRIED] = "NotTried",
    [REASON_PLANNING_BUDGET] = "PlanningBudget",
};

const char *reason_code_name(enum reason_code code)
{
    assert(code < REASON_COUNT);
    return reason_names[code];
}

void plan_destroy(struct plan *plan)
{
    if (plan != NULL)
        arena_destroy(plan->arena); // the plan itself lives there, too
}

static const char *const stage_names[STAGE_COUNT] = {
    [STAGE_REQUIREMENTS] = "requirements", [STAGE_OFFERINGS] = "offerings",
    [STAGE_VOLUMES] = "volumes",           [STAGE_LIMITS] = "limits",
    [STAGE_HOST_PORTS] = "hostPorts",      [STAGE_DAEMON_SETS] = "daemonSets",
    [STAGE_RESOURCES] = "resources",       [STAGE_TOPOLOGY] = "topology",
    [STAGE_MIN_VALUES] = "minValues",      [STAGE_RESERVATIONS] = "reservations",
};

const char *stage_name(enum plan_stage_kind stage)
{
    assert(stage < STAGE_COUNT);
    return stage_names[stage];
}

void plan_moves_describe(const struct plan_moves *moves, struct text *out)
{
    uint32_t listed = 0;
    list_for_each (move, moves) {
        if (listed == MOVES_LISTED_MAX) {
            text_format(out, " and %" PRIu32 " other(s)", moves->count - listed);
            return;
        }
        text_format(out, "%s%s/%s ", listed++ > 0 ? ", " : "pods: ", move->pod->meta.namespace,
                    move->pod->meta.name);
        if (move->where == MOVE_TO_NODE)
            text_format(out, "to node %s", move->name);
        else if (move->where == MOVE_TO_REPLACEMENT)
            text_format(out, "to replacement %" PRIu32, move->replacement + 1);
        else if (move->where == MOVE_TO_NEW_NODE)
            text_format(out, "to a new node of %s", move->name);
        else
            text_add(out, "without a place");
    }
}
