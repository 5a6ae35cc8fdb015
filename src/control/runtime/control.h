// The context of every controller: the manager with its ports and queues, the cloud, the cluster
// state and the metric families; and small readings of objects that several controllers need. It
// names no controller: a controller receives those below it at its creation, and wakes others by
// number (wakes.h).
#pragma once

#include "cloud/port/provider.h"
#include "control/runtime/control_metrics.h"
#include "control/runtime/strategy.h"
#include "reconcile/events.h"
#include "reconcile/manager.h"
#include "reconcile/patch.h"

struct cluster;

struct control {
    struct manager manager;
    const struct control_strategy *strategy; // by the settings
    struct cloud *cloud;
    struct control_metrics metrics;
    enum kind_id node_class_kind;
    char node_class_label[256]; // LIF-2
    uint32_t pass_pods_max;     // pending pods that a pass plans at once
    struct cluster *cluster;
};

// LIF-2. Without a reference to a node class an object is not managed.
bool managed_claim(const struct control *control, const struct node_claim *claim);
bool managed_pool(const struct control *control, const struct node_pool *pool);
bool managed_node(const struct control *control, const struct node *node);

// The Node that the NodeClaim was registered with exists but does not decode: its absence from the
// mirror proves nothing.
bool node_is_unreadable(const struct control *control, const struct node_claim *claim);
const struct node_claim *find_claim(const struct control *control, const char *name);
const struct node *find_node(const struct control *control, const char *name);
const struct node_pool *find_pool(const struct control *control, const char *name);
const struct node_pool *pool_of_claim(const struct control *control,
                                      const struct node_claim *claim);
// The price of the NodeClaim's machine in the provider's catalog, nano-USD an hour (DIS-59,
// DIS-744); 0 if unknown, which `known` (may be NULL) says.
int64_t claim_price(const struct control *control, const struct node_claim *claim, bool *known);

// --- readings (each names its rule) --------------------------------------------------------------
const struct taint *find_taint(const taint_list *taints, const char *key, const char *effect);
bool node_is_closed(const struct node *node); // a taint keeps pods away until it opens
void taint_describe(const struct taint *taint, struct text *out); // LIF-20
// The next PodDisruptionBudget that matches the pod (DIS-43), or NULL; `iterator` starts as zero.
const struct pod_disruption_budget *next_budget_of(const struct control *control,
                                                   const struct pod *pod,
                                                   struct mirror_iterator *iterator);
bool pod_needs_node(const struct pod *pod);                   // SCH-21
const char *termination_mode(const struct node_claim *claim); // LIF-351
const char *label_or_empty(const struct object *object, const char *key);
