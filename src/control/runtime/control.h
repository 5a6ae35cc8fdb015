// What every controller of this folder has in hand: the ports, the cluster state, the operations
// under way, the metric families, and small readings of objects that several of them need.
#pragma once

#include "base/log.h"
#include "base/map.h"
#include "base/random.h"
#include "base/vector.h"
#include "cloud/port/cloud.h"
#include "control/runtime/control_metrics.h"
#include "kube/client.h"
#include "kube/event_recorder.h"
#include "kube/mirror.h"
#include "model/reading/settings.h"
#include "reconcile/reconcile_queue.h"

struct cluster;
struct observer;
struct operations;

struct control {
    struct loop *loop;
    struct kube_client *client;
    struct mirror *mirror;
    struct cloud *cloud;
    const struct settings *settings;
    struct event_recorder *recorder;
    struct metrics *registry;
    struct control_metrics metrics;
    struct queue_metrics queue_metrics;
    enum kind_id node_class_kind;
    char node_class_label[256]; // LIF-2
    uint32_t pass_pods_max;     // pending pods that a pass plans at once
    struct random random;
    struct cluster *cluster;
    struct operations *operations;
    VECTOR(struct reconcile_queue *) queues; // all of them, for start, stop and destroy
    VECTOR(struct observer *) observers;
    bool started, stopping; // started: this replica leads; until then it says and counts nothing
    // What one controller tells another; set by those who provide it.
    struct registration_health *registration_health;
    struct eviction_queue *eviction_queue;
    struct disruption_queue *disruption_queue;
    struct disruption_cleanup *disruption_cleanup;
    struct provisioner *provisioner;
    struct disruption_backoff *disruption_backoff;
    struct node_timings *node_timings;
    struct consolidation_history *consolidation_history;
    struct consolidation_outcomes *consolidation_outcomes;
    struct wave_report *wave_report;
    struct target_report *target_report;
    struct consolidation_target *consolidation_target;
    struct pod_events *pod_events;
    struct spot_prices *spot_prices;
    struct blocked_events *blocked_events;
    struct protection_events *protection_events;
    struct preference_warnings *preference_warnings;
    struct savings *savings;
    struct interruptions *interruptions;
    struct disruption_controller *disruption_controller;
    struct capacity_buffers *capacity_buffers; // NULL: no gate
    struct lifecycle *lifecycle;
    struct launch_backoff *launch_backoff;
    struct pod_metrics *pod_metrics; // NULL: switched off
    struct termination *termination;
    struct static_capacity *static_capacity;
    struct nominator *nominator; // NULL: pods are not nominated
    struct workload_bursts
        *workload_bursts; // NULL: as upstream, decisions know nothing of workloads
};

// A queue that starts, stops and dies with the others.
struct reconcile_queue *control_queue(struct control *control,
                                      const struct reconcile_queue_options *options);
// Calls the handler for every change of the kind once this replica leads; what is there by then
// comes as if it had just been added. For those who tell people or count: a standby leaves that to
// its leader (LIF-331).
void control_observe(struct control *control, enum kind_id kind, mirror_handler handler,
                     void *context);
// A handler for mirror_on_change(): what the map (the context) has by the UID of an object that is
// gone is freed.
void forget_object(void *map, enum mirror_change change, const struct object *old_object,
                   const struct object *new_object);
void control_lead(struct control *control); // sets `started`; the observers learn what is there
void control_forget_observers(struct control *control);
// LIF-340: between the bounds, by CPU_REQUESTS.
uint32_t control_scale(const struct control *control, uint32_t minimum, uint32_t maximum);
int64_t control_now(const struct control *control); // wall clock

// LIF-2. A reference that is missing is not managed.
bool managed_reference(const struct control *control, const struct node_class_reference *reference);
bool managed_claim(const struct control *control, const struct node_claim *claim);
bool managed_pool(const struct control *control, const struct node_pool *pool);
bool managed_node(const struct control *control, const struct node *node);

// The Node that the NodeClaim was registered with exists but does not decode: nothing may be
// concluded from its absence.
bool node_is_unreadable(const struct control *control, const struct node_claim *claim);
const struct node_claim *find_claim(const struct control *control, const char *name);
const struct node *find_node(const struct control *control, const char *name);
const struct node_pool *find_pool(const struct control *control, const char *name);
const struct node_pool *pool_of_claim(const struct control *control,
                                      const struct node_claim *claim);
// What the NodeClaim's machine costs by the provider's catalog, nano-USD an hour (DIS-59,
// DIS-744); 0 if that is not known, which `known` (may be NULL) tells.
int64_t claim_price(const struct control *control, const struct node_claim *claim, bool *known);

// --- readings (each names its rule) --------------------------------------------------------------
const struct taint *find_taint(const taint_list *taints, const char *key, const char *effect);
void taint_describe(const struct taint *taint, struct text *out); // LIF-20
// The next PodDisruptionBudget that matches the pod (DIS-43), or NULL; `iterator` starts as zero.
const struct pod_disruption_budget *next_budget_of(const struct control *control,
                                                   const struct pod *pod,
                                                   struct mirror_iterator *iterator);
bool pod_wants_node(const struct pod *pod);                   // SCH-21
const char *termination_mode(const struct node_claim *claim); // LIF-351
const char *label_or_empty(const struct object *object, const char *key);

// --- JSON ----------------------------------------------------------------------------------------
json_t *json_resources(const struct resource_map *resources);
json_t *json_taints(const taint_list *taints, const struct taint *without,
                    const struct taint *with);
json_t *json_requirements(const requirement_list *requirements);
json_t *json_string_map(const struct string_map *map);
json_t *json_instant(int64_t instant);
// {"metadata": {"resourceVersion": ...}}: the start of a merge patch with optimistic lock
// (LIF-444).
json_t *json_locked(const struct object *object);
// The object's finalizers, with ours or without it.
json_t *json_finalizers(const struct object *object, bool with_ours);
// The patch's metadata.labels / metadata.annotations, made if absent; borrowed.
json_t *json_metadata(json_t *patch, const char *field);

// --- events --------------------------------------------------------------------------------------
struct event_text {
    const char *reason, *dedupe;
    int64_t window_ns;
    double rate, burst;
    bool warning;
};
// Nothing is published while another replica leads.
void publish(struct control *control, const struct object *about, const struct event_text *event,
             const char *format, ...) PRINTF_LIKE(4, 5);
// On the Node and on its NodeClaim, as far as they are there. False: on none, it was said within
// its window.
bool publish_of_node(struct control *control, const struct node *node,
                     const struct node_claim *claim, const struct event_text *event,
                     const char *format, ...) PRINTF_LIKE(5, 6);
