// NodeClaims deleted by the controller: the reason, and the permission (invariants.h, 3 and 4).
#include <string.h>

#include "simulation/invariants_internal.h"

#define REPAIR_NS (10 * MINUTE) // the provider's tolerance for an unready Node

// A pod that blocks the node's disruption.
static const json_t *find_occupant(const struct invariants *invariants, const char *node_name)
{
    const struct occupants *occupants = occupants_of(invariants, node_name);
    for (uint32_t i = 0; occupants != NULL && i < occupants->pods.count; i++) {
        const json_t *pod = pod_of(invariants, occupants->pods.items[i]);
        if (pod != NULL && !is_deleting(pod) && !has_ended(pod) && !is_owned_by(pod, "DaemonSet"))
            return pod;
    }
    return NULL;
}

static void check_empty(struct invariants *invariants, const json_t *node)
{
    const json_t *pod =
        is_faithful(invariants) ? find_occupant(invariants, store_name(node)) : NULL;
    if (pod != NULL)
        violate(invariants, "node %s is disrupted as empty, but pod %s runs there",
                store_name(node), store_name(pod));
}

// A healthy node in use, without any reason for deletion and without a command.
static void check_there_is_a_reason(struct invariants *invariants, const json_t *claim,
                                    const json_t *node)
{
    const json_t *pool = pool_of(invariants, claim);
    const struct node_record *record = map_get(invariants->nodes, store_name(node));
    const struct claim_record *claim_record_of_it = map_get(invariants->claims, store_uid(claim));
    bool healthy = condition_is(node, "Ready", "True") && record != NULL && record->unready_ns == 0;
    bool stays = pool != NULL && !is_deleting(pool) && store_path(pool, "spec.replicas") == NULL;
    bool replaces = claim_record_of_it != NULL && claim_record_of_it->command != NULL;
    if (healthy && stays && !replaces && is_faithful(invariants) &&
        condition_is(claim, "Initialized", "True"))
        violate(invariants, "NodeClaim %s is deleted, and nobody can tell why", store_name(claim));
}

static void count(struct invariants *invariants, const struct command_record *command)
{
    if (strcmp(command->reason, "Empty") == 0)
        invariants->counts.empty_nodes++;
    else if (strcmp(command->reason, "Drifted") == 0)
        invariants->counts.drifted_nodes++;
    else
        invariants->counts.underutilized_nodes++;
}

static void check_candidate(struct invariants *invariants, struct command_record *command,
                            const json_t *claim, const json_t *node)
{
    struct candidate *candidate = map_get(command->candidates, store_uid(claim));
    bool eventual = strcmp(command->reason, "Drifted") == 0 &&
                    store_path(claim, "spec.terminationGracePeriod") != NULL;
    claim_record(invariants, store_uid(claim))->voluntary = true;
    if (candidate != NULL && candidate->deleted) // tried again
        return;
    if (candidate != NULL)
        candidate->deleted = true;
    count(invariants, command);
    check_replacements(invariants, command);
    if (strcmp(command->reason, "Empty") == 0)
        check_empty(invariants, node);
    check_pods_of_candidate(invariants, claim, node, eventual);
}

// It is deleted by force, whatever else was planned for it (DIS-133).
static bool is_repaired(const struct invariants *invariants, const json_t *node)
{
    const struct node_record *record = map_get(invariants->nodes, store_name(node));
    return record != NULL && record->unready_ns != 0 &&
           now_ns(invariants) - record->unready_ns + invariants->clock_slack_ns >=
               REPAIR_NS - MOMENT_NS;
}

void before_claim_deletion(struct invariants *invariants, const struct target *target)
{
    json_t *claim = store_get(invariants->store, claims_of(invariants), NULL, target->name);
    json_t *node = claim != NULL ? node_of_claim(invariants, claim) : NULL;
    if (node == NULL || is_deleting(claim) || is_deleting(node) || is_expired(invariants, claim) ||
        is_repaired(invariants, node) ||
        sim_instances_find(simulation_park(invariants->simulation),
                           text_at(claim, "status.providerID")) == NULL)
        return;
    struct command_record *command = is_tainted(node) ? command_of(invariants, node) : NULL;
    if (command != NULL)
        check_candidate(invariants, command, claim, node);
    else
        check_there_is_a_reason(invariants, claim, node);
}
