// The assignment of a workload's pods to its planned places (SCH-516). A plan says how many pods of
// a workload come to each zone; kube-scheduler tries them by turn (scheduler_turns.h), and rejects
// each that would violate the spread on the way. So the first pod gets a place in the emptiest
// zone, the second in the next, and so on: the workload's pods exchange their planned places.
#pragma once

#include "control/runtime/control.h"

#define SPREAD_ORDER_PODS_MAX 2000 // of a workload; the work grows with the square

struct spread_order;
struct spread_order *spread_order_create(struct control *control);
void spread_order_destroy(struct spread_order *order);
// The NodeClaim's planned pods take part; the pods of the first NodeClaim get the first places.
// `spread_only`: those that have a spread.
void spread_order_add(struct spread_order *order, const struct node_claim *claim, bool spread_only);
// The same for pods that are not nominated. kube-scheduler can bind pods to open nodes at once, so
// their places come first, and pods planned for closed nodes may get them.
void spread_order_add_unnominated(struct spread_order *order, const struct node_claim *claim,
                                  bool is_open);
void spread_order_apply(struct spread_order *order);
