#include "model/snapshot/plan.h"

#include <assert.h>
#include <inttypes.h>
#include <string.h>

#define MOVES_LISTED_MAX 5

struct reason_code_row {
    const char *name, *meaning, *remedy; // docs/reasons.md is made from these
};
#define ROW(code) [REASON_##code]
static const struct reason_code_row reason_codes[REASON_COUNT] = {
    ROW(NO_POOL) = {"NoPool", "There is no NodePool that launches nodes for pending pods.",
                    "Add one; static ones (spec.replicas) launch for nothing that is pending."},
    ROW(POOL_NOT_READY) = {"PoolNotReady", "The NodePool is not Ready, or is being deleted.",
                           "Its condition Ready, and that of its node class, say why."},
    ROW(TAINT_NOT_TOLERATED) = {"TaintNotTolerated", "The pod does not tolerate a taint.",
                                "Add the toleration, or take the taint off."},
    ROW(REQUIREMENT_MISMATCH) = {"RequirementMismatch",
                                 "Requirements of the pod and of the NodePool, or of the NodePool "
                                 "and its instance types, have nothing in common.",
                                 "The detail names them: widen one."},
    ROW(UNKNOWN_LABEL) = {"UnknownLabel",
                          "The pod asks for a label that nodes of the NodePool do not have.",
                          "Add the label to the template, or correct its spelling."},
    ROW(INSUFFICIENT_RESOURCES) =
        {"InsufficientResources",
         "No instance type, or node, has enough room for the pod beside its DaemonSets.",
         "Ask for less, or allow larger types."},
    ROW(NO_OFFERING) = {"NoOffering",
                        "The instance types that fit have no offering in the zones and capacity "
                        "types that are allowed.",
                        "Allow another zone or capacity type."},
    ROW(LIMIT_EXCEEDED) = {"LimitExceeded",
                           "A node for the pod would exceed the limits of the NodePool.",
                           "Raise the limit."},
    ROW(HOST_PORT_CONFLICT) = {"HostPortConflict", "A host port of the pod is taken.",
                               "Do without host ports, or let the pods spread."},
    ROW(VOLUME_INVALID) =
        {"VolumeInvalid",
         "A PersistentVolumeClaim or StorageClass of the pod is missing or cannot be used.",
         "Create it, or add it to the input."},
    ROW(VOLUME_ZONE) = {"VolumeZone",
                        "The volumes of the pod are in a zone that the nodes are not in.",
                        "Allow the zone of the volumes."},
    ROW(VOLUME_LIMIT) = {"VolumeLimit", "A node can attach no more volumes of the driver.",
                         "Spread the pods, or allow types that attach more."},
    ROW(TOPOLOGY_SPREAD) = {"TopologySpread", "A topology spread constraint leaves no domain.",
                            "Allow more domains, or a larger maxSkew."},
    ROW(POD_AFFINITY) = {"PodAffinity", "Required pod affinity finds no pod to be with.",
                         "Start the pods that it selects, or correct the selector."},
    ROW(POD_ANTI_AFFINITY) = {"PodAntiAffinity", "Required pod anti-affinity leaves no domain.",
                              "Allow more domains, or prefer instead of require."},
    ROW(EXISTING_ANTI_AFFINITY) = {"ExistingAntiAffinity",
                                   "A pod that is there keeps this one away.",
                                   "Look at the anti-affinity of the pods there."},
    ROW(MIN_VALUES) = {"MinValues", "Too few values are left for minValues of a requirement.",
                       "Lower minValues, or widen the requirement."},
    ROW(RESERVED_EXHAUSTED) = {"ReservedExhausted",
                               "The reserved capacity that the pod may use is taken.",
                               "Wait, or allow other capacity types."},
    ROW(DYNAMIC_RESOURCES) = {"DynamicResources",
                              "The pod has claims of devices that cannot be met.",
                              "See the detail and IGNORE_DRA_REQUESTS."},
    ROW(DAEMON_SET_OVERHEAD) = {"DaemonSetOverhead",
                                "The DaemonSets leave no instance type enough room.",
                                "Allow larger types, or let the DaemonSets ask for less."},
    ROW(NOT_TRIED) = {"NotTried",
                      "The place was not tried: it may come free, is being removed, or the plan "
                      "has used up its attempts.",
                      "It is tried in the next plan."},
    ROW(PLANNING_BUDGET) = {"PlanningBudget", "The pod takes more work to plan than one pod may.",
                            "Use fewer rules between pods and fewer node selector terms."},
};

const char *reason_code_name(enum reason_code code)
{
    assert(code < REASON_COUNT);
    return reason_codes[code].name;
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

void plan_costs_parts(const struct plan_costs *costs, struct plan_cost_part parts[PLAN_COST_PARTS])
{
    const struct plan_cost_part all[PLAN_COST_PARTS] = {
        {"list", "list", costs->list},
        {"volumes", "volumes", costs->volumes},
        {"publicAddresses", "public addresses", costs->address},
        {"allowance", "NODE_COST", costs->allowance},
        {"burstCredits", "burst credits", costs->burst},
        {"interruptions", "interruptions", costs->interruptions},
    };
    memcpy(parts, all, sizeof all);
}
