// The small controllers: each is one reconcile function over one kind of key, and a file of its
// own. They are created with the controller, live as long as it, and say in their file what they
// do.
#pragma once

#include "control/runtime/control.h"

struct expiration *expiration_create(struct control *control); // LIF-150
void expiration_destroy(struct expiration *expiration);
struct garbage_collection *garbage_collection_create(struct control *control); // LIF-160, LIF-161
void garbage_collection_destroy(struct garbage_collection *collection);
struct consistency *consistency_create(struct control *control); // LIF-180
void consistency_destroy(struct consistency *consistency);
// The next thing that the Node's shape is short of, by what its NodeClaim promised; `at` is 0 at first.
// False: that was all, nothing is added.
bool node_shape_issue(const struct node_claim *claim, const struct node *node, uint32_t *at,
                      struct text *issue);
struct pod_events *pod_events_create(struct control *control); // LIF-185
// The last pod event of a NodeClaim (LIF-185), written or not yet; wall clock, 0: none.
int64_t pod_events_last(const struct pod_events *events, const struct node_claim *claim);
void pod_events_destroy(struct pod_events *events);
struct node_health *node_health_create(struct control *control); // LIF-195; NULL if switched off
void node_health_destroy(struct node_health *health);
struct hydration *hydration_create(struct control *control); // LIF-190
void hydration_destroy(struct hydration *hydration);
// Destroyed by pool_controller_destroy().
struct pool_controller *pool_hash_create(struct control *control);      // LIF-200
struct pool_controller *pool_readiness_create(struct control *control); // LIF-202, LIF-203
struct conditions;
// Sets or clears the NodePool's condition BudgetsQuestionable (DIS-777): which of its disruption budgets
// are hardly meant as they are, what they do, and when next. Answers in how long the text will be
// another; INT64_MAX: as long as the NodePool is the same.
int64_t pool_budgets_check(const struct node_pool *pool, struct conditions *conditions,
                           int64_t now);
struct pool_controller *pool_counter_create(struct control *control);   // LIF-205
struct static_capacity;
// LIF-232 and LIF-233; NULL without the gate StaticCapacity.
struct static_provisioning *static_provisioning_create(struct control *control,
                                                       struct static_capacity *capacity);
void static_provisioning_destroy(struct static_provisioning *provisioning);
struct static_deprovisioning *static_deprovisioning_create(struct control *control,
                                                           struct static_capacity *capacity);
void static_deprovisioning_destroy(struct static_deprovisioning *deprovisioning);
struct class_status *class_status_create(struct control *control); // KWOKNodeClass: Ready
void class_status_destroy(struct class_status *status);
struct disruption_conditions *disruption_conditions_create(struct control *control); // DIS-70 ff.
void disruption_conditions_destroy(struct disruption_conditions *conditions);
// Sets or clears Consolidatable (DIS-83 to DIS-86); answers in how long to look again, INT64_MAX
// for never. `quiet`: the node counts as quiet before consolidateAfter has elapsed (DIS-719).
int64_t claim_consolidatable(struct conditions *conditions, const struct node_claim *claim,
                             const struct node_pool *pool, int64_t now, bool quiet);
struct node_metrics *node_metrics_create(struct control *control); // LIF-352; NULL if switched off
void node_metrics_destroy(struct node_metrics *metrics);
struct pod_metrics *pod_metrics_create(struct control *control); // LIF-353; NULL if switched off
void pod_metrics_destroy(struct pod_metrics *metrics);
// LIF-320: a pass was planned and has a place for the pod, or not. `metrics` may be NULL.
void pod_metrics_decided(struct pod_metrics *metrics, const struct pod *pod, bool placed);
struct condition_metrics *condition_metrics_create(struct control *control); // LIF-355; or NULL
void condition_metrics_destroy(struct condition_metrics *metrics);

void condition_events_watch(struct control *control); // LIF-370; handlers only
void machine_sizes_watch(struct control *control);   // STO-15; handlers only
void daemon_mismatch_watch(struct control *control); // STO-14; handlers only
struct pool_cost *pool_cost_create(struct control *control); // LIF-321; NULL if switched off
void pool_cost_destroy(struct pool_cost *cost);

void queue_work_metrics_collect(struct control *control, bool on); // LIF-358
void pool_annotations_watch(struct control *control); // handlers only
void unreadable_objects_watch(struct control *control); // API-603, DIS-708; handlers only
