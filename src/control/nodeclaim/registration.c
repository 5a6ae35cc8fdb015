#include "control/nodeclaim/registration.h"

#include "base/nanoseconds.h"
#include "control/nodeclaim/claim_pass.h"
#include "control/nodeclaim/initialization.h"
#include "control/nomination/nominator.h"
#include "control/state/cluster.h"
#include "control/state/nominations.h"
#include "model/schema/condition_types.h"

// Kubelet, cloud controller and node lifecycle controller all write a new Node. A short delay
// avoids a conflict and, if the Node becomes ready in that time, the separate writes of
// initialization (all but the first two are in one patch then).
#define SETTLE_NS      (500 * MILLISECOND)
#define OTHERS_OPEN_NS (200 * MILLISECOND)
#define HELD_NS        SECOND // it is woken when the node may open

static bool is_owned_by(const struct node *node, const struct node_claim *claim)
{
    list_for_each (owner, &node->meta.owner_references)
        if (text_equal(owner->api_version, "karpenter.sh/v1") &&
            text_equal(owner->kind, "NodeClaim") && text_equal(owner->uid, claim->meta.uid))
            return true;
    return false;
}

// The patch of sync_node() has been applied. A Node that only its bootstrap has labelled lacks the
// rest.
static bool node_is_registered(const struct node *node, const struct node_claim *claim)
{
    return text_equal(string_map_get(&node->meta.labels, LABEL_REGISTERED), "true") &&
           find_taint(&node->spec.taints, TAINT_UNREGISTERED, "NoExecute") == NULL &&
           object_has_finalizer((const struct object *)node, FINALIZER_TERMINATION) &&
           is_owned_by(node, claim);
}

// LIF-41.
static void check_unregistered_taint(struct claim_pass *pass, const struct node *node)
{
    if (find_taint(&node->spec.taints, TAINT_UNREGISTERED, "NoExecute") != NULL ||
        string_map_get(&node->meta.labels, LABEL_REGISTERED) != NULL)
        return;
    log_error("node claim registration error", "s:controller", "nodeclaim.lifecycle", "o:NodeClaim",
              pass->claim->meta.name, "o:Node", node->meta.name, "s:taint", TAINT_UNREGISTERED,
              "s:error", "missing required startup taint, " TAINT_UNREGISTERED);
    publish(&pass->control->manager, (const struct object *)pass->claim,
            EVENT_UNREGISTERED_TAINT_MISSING,
            "Missing %s taint which prevents registration-related race conditions on Karpenter-"
            "managed nodes",
            TAINT_UNREGISTERED);
}

// LIF-42, LIF-43: the NodeClaim's taints for the Node.
static json_t *synced_taints(const struct claim_pass *pass, const struct node *node)
{
    const struct node_claim *claim = pass->claim;
    static const struct taint awaiting_pods = {.key = TAINT_AWAITING_PODS, .effect = "NoSchedule"};
    const struct taint *unregistered =
        find_taint(&node->spec.taints, TAINT_UNREGISTERED, "NoExecute");
    bool is_kept = nominator_keep(pass->parts->nominator, claim);
    json_t *taints = json_taints(&node->spec.taints, unregistered, is_kept ? &awaiting_pods : NULL);
    if (text_equal(string_map_get(&node->meta.labels, LABEL_DO_NOT_SYNC_TAINTS), "true"))
        return taints;
    const taint_list *const sources[] = {&claim->spec.taints, &claim->spec.startup_taints};
    for (size_t i = 0; i < ARRAY_LENGTH(sources); i++)
        list_for_each (taint, sources[i]) {
            if (find_taint(&node->spec.taints, taint->key, taint->effect) != NULL)
                continue;
            if (i == 1 && find_taint(&claim->spec.taints, taint->key, taint->effect) != NULL)
                continue;
            json_add_taint(taints, taint);
        }
    return taints;
}

static json_t *owner_references(const struct node *node, const struct node_claim *claim)
{
    json_t *owners = json_array();
    list_for_each (owner, &node->meta.owner_references) {
        json_t *entry = json_pack("{s:s, s:s, s:s, s:s}", "apiVersion", owner->api_version, "kind",
                                  owner->kind, "name", owner->name, "uid", owner->uid);
        if (owner->controller)
            json_object_set_new(entry, "controller", json_true());
        if (owner->block_owner_deletion)
            json_object_set_new(entry, "blockOwnerDeletion", json_true());
        json_array_append_new(owners, entry);
    }
    if (!is_owned_by(node, claim))
        json_array_append_new(owners, json_pack("{s:s, s:s, s:s, s:s, s:b}", "apiVersion",
                                                "karpenter.sh/v1", "kind", "NodeClaim", "name",
                                                claim->meta.name, "uid", claim->meta.uid,
                                                "blockOwnerDeletion", 1));
    return owners;
}

static void set_differing(json_t *patch, const char *field, const struct string_map *wanted,
                          const struct string_map *present)
{
    list_for_each (pair, wanted)
        if (!text_equal(string_map_get(present, pair->key), pair->value))
            json_object_set_new(json_metadata(patch, field), pair->key, json_string(pair->value));
}

// One patch with optimistic locking: the Node is either unchanged or registered (LIF-44).
static void sync_node(struct claim_pass *pass, const struct node *node)
{
    const struct node_claim *claim = pass->claim;
    json_t *patch = json_locked((const struct object *)node);
    json_t *metadata = json_object_get(patch, "metadata");
    json_object_set_new(metadata, "finalizers", json_finalizers((const struct object *)node, true));
    json_object_set_new(metadata, "ownerReferences", owner_references(node, claim));
    set_differing(patch, "labels", &claim->meta.labels, &node->meta.labels);
    set_differing(patch, "annotations", &claim->meta.annotations, &node->meta.annotations);
    json_object_set_new(json_metadata(patch, "labels"), LABEL_REGISTERED, json_string("true"));
    if (node_will_be_initialized(claim, node)) // LIF-66, in the same write
        json_object_set_new(json_metadata(patch, "labels"), LABEL_INITIALIZED, json_string("true"));
    json_set_taints(patch, synced_taints(pass, node));
    pass->node = node;
    pass->node_patch = patch;
    pass->node_doing = "syncing node";
}

// The registration goes on later.
static bool wait_for(struct claim_pass *pass, int64_t delay_ns)
{
    pass_requeue(pass, delay_ns);
    pass->node_settles = true;
    return true;
}

static bool settles(struct claim_pass *pass, const struct node *node)
{
    int64_t now_ns = loop_monotonic_ns(pass->control->manager.loop);
    if (pass->record->node_seen_ns == 0)
        pass->record->node_seen_ns = now_ns;
    int64_t left = ns_subtract(ns_add(pass->record->node_seen_ns, SETTLE_NS), now_ns);
    if (left <= 0 || node_will_be_initialized(pass->claim, node))
        return false;
    return wait_for(pass, left);
}

// Pods are nominated before the node opens: otherwise kube-scheduler would give their room to
// others.
static bool is_held(struct claim_pass *pass, const struct node *node)
{
    return nominator_delays_opening(pass->parts->nominator, pass->claim, node) &&
           wait_for(pass, HELD_NS);
}

// The nodes of a group open one after the other; the API server is slow then.
static bool others_open(struct claim_pass *pass)
{
    return nominator_is_opening(pass->parts->nominator) && wait_for(pass, OTHERS_OPEN_NS);
}

// The replacement's node need not be kept for its pods any more (kept_replacements.h).
void claim_open_node(struct claim_pass *pass)
{
    const struct node *node = conditions_are(&pass->conditions, CONDITION_REGISTERED, "True")
                                  ? cluster_main_node(pass->control->cluster, pass->claim)
                                  : NULL;
    const struct taint *taint =
        node != NULL ? find_taint(&node->spec.taints, TAINT_AWAITING_PODS, "NoSchedule") : NULL;
    if (taint == NULL || pass->node_patch != NULL ||
        nominations_keep(cluster_nominations(pass->control->cluster), pass->claim->meta.name))
        return;
    pass->node = node;
    pass->node_patch = json_locked((const struct object *)node);
    json_set_taints(pass->node_patch, json_taints(&node->spec.taints, taint, NULL));
    pass->node_doing = "opening node";
}

void claim_register(struct claim_pass *pass)
{
    if (conditions_are(&pass->conditions, CONDITION_REGISTERED, "True")) {
        conditions_set_true(&pass->conditions, CONDITION_REGISTERED); // LIF-16
        return;
    }
    uint32_t count;
    const struct node *node = cluster_node_of(pass->control->cluster, pass->claim, &count);
    if (count > 1) { // checked again until the deadline (LIF-442)
        conditions_set(&pass->conditions, CONDITION_REGISTERED, "False",
                       CONDITION_REASON_MULTIPLE_NODES_FOUND,
                       "Invariant violated, matched multiple nodes");
        return;
    }
    if (node == NULL) {
        conditions_set(&pass->conditions, CONDITION_REGISTERED, "Unknown",
                       CONDITION_REASON_NODE_NOT_FOUND, "Node not registered with cluster");
        return;
    }
    if (!node_is_registered(node, pass->claim) && (settles(pass, node) || is_held(pass, node)))
        return;
    check_unregistered_taint(pass, node);
    if (!node_is_registered(node, pass->claim)) {
        sync_node(pass, node);
        return;
    }
    if (others_open(pass))
        return;
    conditions_set_true(&pass->conditions, CONDITION_REGISTERED);
    if (conditions_get(&pass->conditions, CONDITION_CONSISTENT_STATE_FOUND) == NULL)
        conditions_set_true(&pass->conditions,
                            CONDITION_CONSISTENT_STATE_FOUND); // LIF-180: nothing to compare yet
    if (pass->status == NULL)
        pass->status = json_object();
    json_object_set_new(pass->status, "nodeName", json_string(node->meta.name));
    pass->record->reports_registered = true;
}
