#include "control/nodeclaim/initialization.h"

#include "base/nanoseconds.h"
#include "control/nodeclaim/claim_pass.h"
#include "control/nodeclaim/consistency.h"
#include "control/nodeclaim/consolidate_after.h"
#include "control/runtime/control.h"
#include "control/state/cluster.h"
#include "control/state/device_drivers.h"
#include "model/schema/condition_types.h"
#include "model/tables/well_known.h"

#define BLOCKED_FIRST_NS (5 * MINUTE) // LIF-443: the first report, and the pause between reports
#define BLOCKED_AGAIN_NS (15 * MINUTE)

// LIF-443: no deadline ends the wait, so its reason and age are reported.
static void report_age(struct claim_pass *pass, const char *reason, const char *message)
{
    struct claim_record *record = pass->record;
    if (!pass->control->strategy->reports_uninitialized)
        return;
    if (!text_equal(record->blocked_reason, reason)) {
        // After a restart the wait counts from the Node's registration.
        const struct condition *registered =
            conditions_get(&pass->conditions, CONDITION_REGISTERED);
        record->blocked_since =
            record->blocked_reason == NULL ? registered->last_transition_time : pass->now;
        record->blocked_reason = reason;
    }
    int64_t age = ns_subtract(pass->now, record->blocked_since);
    pass_requeue(pass,
                 age < BLOCKED_FIRST_NS ? ns_subtract(BLOCKED_FIRST_NS, age) : BLOCKED_AGAIN_NS);
    if (age < BLOCKED_FIRST_NS)
        return;
    publish_keyed(&pass->control->manager, (const struct object *)pass->claim,
                  EVENT_INITIALIZATION_BLOCKED, reason,
                  "Node is not initialized for %lld minutes: %s (%s)", (long long)(age / MINUTE),
                  message, reason);
}

static void not_yet(struct claim_pass *pass, enum condition_reason reason, const char *message)
{
    conditions_set(&pass->conditions, CONDITION_INITIALIZED, "Unknown", reason, message);
    report_age(pass, condition_reason_name(reason), message);
}

static bool taint_blocks(struct claim_pass *pass, const struct taint *taint,
                         enum condition_reason reason, const char *what)
{
    struct text text = {0};
    text_format(&text, "%s \"", what);
    taint_describe(taint, &text);
    text_add(&text, "\" still exists");
    not_yet(pass, reason, text.data);
    text_free(&text);
    return true;
}

static bool taints_block(struct claim_pass *pass, const struct node *node)
{
    list_for_each (taint, &pass->claim->spec.startup_taints) {
        const struct taint *present = find_taint(&node->spec.taints, taint->key, taint->effect);
        if (present != NULL)
            return taint_blocks(pass, present, CONDITION_REASON_STARTUP_TAINTS_EXIST,
                                "StartupTaint");
    }
    list_for_each (taint, &node->spec.taints)
        if (taint_is_ephemeral(taint))
            return taint_blocks(pass, taint, CONDITION_REASON_KNOWN_EPHEMERAL_TAINTS_EXIST,
                                "KnownEphemeralTaint");
    return false;
}

static bool resource_missing(struct claim_pass *pass, const struct node *node)
{
    list_for_each (resource, &pass->claim->spec.resources.requests) {
        if (resource->value == 0 ||
            resource_map_get(&node->status.allocatable, resource->name) != 0)
            continue;
        not_yet(pass, CONDITION_REASON_RESOURCE_NOT_REGISTERED,
                arena_format(pass->arena, "Resource \"%s\" was requested but not registered",
                             resource->name));
        return true;
    }
    return false;
}

// LIF-64.
static bool driver_missing(struct claim_pass *pass, const struct node *node)
{
    const struct control *control = pass->control;
    const char *driver = device_driver_awaited(control->manager.mirror, control->manager.settings,
                                               pass->arena, pass->claim, node);
    if (driver == NULL)
        return false;
    not_yet(pass, CONDITION_REASON_DRA_DRIVER_POOLS_NOT_PUBLISHED,
            arena_format(pass->arena,
                         "DRA driver \"%s\" has not published a complete resource pool", driver));
    return true;
}

bool node_will_be_initialized(const struct node_claim *claim, const struct node *node)
{
    if (!condition_is_true(&node->status.conditions, CONDITION_READY) ||
        claim->spec.startup_taints.count > 0)
        return false;
    list_for_each (taint, &node->spec.taints)
        if (taint_is_ephemeral(taint) && !text_equal(taint->key, TAINT_UNREGISTERED))
            return false;
    list_for_each (taint, &claim->spec.taints)
        if (taint_is_ephemeral(taint))
            return false;
    list_for_each (resource, &claim->spec.resources.requests)
        if (resource->value != 0 &&
            resource_map_get(&node->status.allocatable, resource->name) == 0)
            return false;
    // Its drivers publish devices when they like.
    return object_annotation((const struct object *)claim, ANNOTATION_DRA_DRIVERS) == NULL;
}

static void label_node(struct claim_pass *pass, const struct node *node)
{
    json_t *patch = json_object();
    json_object_set_new(json_metadata(patch, "labels"), LABEL_INITIALIZED, json_string("true"));
    pass->node = node;
    pass->node_patch = patch;
    pass->node_doing = "labelling node initialized";
}

void claim_initialize(struct claim_pass *pass)
{
    if (conditions_are(&pass->conditions, CONDITION_INITIALIZED, "True")) {
        conditions_set_true(&pass->conditions, CONDITION_INITIALIZED); // LIF-16
        return;
    }
    if (!conditions_are(&pass->conditions, CONDITION_REGISTERED, "True"))
        return;
    // A second Node with the provider ID that came after registration does not block.
    const struct node *node = cluster_main_node(pass->control->cluster, pass->claim);
    if (node == NULL) {
        not_yet(pass, CONDITION_REASON_NODE_NOT_FOUND, "Node not registered with cluster");
        return;
    }
    if (!condition_is_true(&node->status.conditions, CONDITION_READY)) {
        not_yet(pass, CONDITION_REASON_NODE_NOT_READY, "Node status is NotReady");
        return;
    }
    if (taints_block(pass, node) || resource_missing(pass, node) || driver_missing(pass, node))
        return;
    if (!text_equal(string_map_get(&node->meta.labels, LABEL_INITIALIZED), "true")) {
        label_node(pass, node);
        return;
    }
    conditions_set_true(&pass->conditions, CONDITION_INITIALIZED);
    pass->record->reports_initialized = true;
    // The common cases of LIF-180 and DIS-86 in the same write; their controllers do the rest.
    const struct node_pool *pool = pool_of_claim(pass->control, pass->claim);
    if (pool != NULL && !pool->spec.replicas.present)
        claim_consolidatable(&pass->conditions, pass->claim, pool, pass->now, false);
    struct text issue = {0};
    uint32_t at = 0;
    if (!node_shape_issue(pass->claim, node, &at, &issue))
        conditions_set_true(&pass->conditions, CONDITION_CONSISTENT_STATE_FOUND);
    text_free(&issue);
}
