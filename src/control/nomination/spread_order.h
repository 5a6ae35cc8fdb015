// Which pod of a workload goes where (SCH-516). A plan says how many pods of a workload come to
// each zone; kube-scheduler tries them in the order in which they came, and takes none that makes
// the spread uneven on the way. So the first pod gets a place in the emptiest zone, the second in
// the next, and so on: the pods of a workload exchange the places that were planned for them. The
// pods that are tried first go to the nodes that open first.
#pragma once

#include "control/runtime/control.h"

struct spread_order;
struct spread_order *spread_order_create(struct control *control);
void spread_order_destroy(struct spread_order *order);
// Sorts NodeClaims by when their pods will be tried: so they should open.
void spread_order_nodes(struct spread_order *order, const struct node_claim **claims,
                        uint32_t count);
// The pods that are planned for the NodeClaim take part; those of the first get the first places.
void spread_order_add(struct spread_order *order, const struct node_claim *claim);
void spread_order_apply(struct spread_order *order);
// The key of the rule that makes the order of binding matter: a required spread over more than
// single nodes. NULL: the pod has none.
const char *spread_order_key(const struct pod *pod);
