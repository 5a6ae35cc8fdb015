// Tells kube-scheduler where the plan wants pods (SCH-516): sets status.nominatedNodeName of
// pending pods that were planned for a node, and clears what is stale. kube-scheduler 1.35 and
// later (feature NominatedNodeNameForExpectation) tries that node first and keeps its room for the
// pod; an attempt in vain ends the nomination, and has all other pods tried again. So a pod is
// nominated shortly before its node opens (openings.h), and until then the taint
// karpenter.sh/unregistered stays.
//
// Nothing is written under COMPATIBILITY=upstream, with POD_NOMINATION=Off, to an older API server,
// or where kube-scheduler puts pods elsewhere all the same; nor if all planned pods are of one
// workload, for they may take each other's places.
#pragma once

#include "control/runtime/control.h"

struct commands;
struct eviction_queue;
struct nominator;
struct nominator *nominator_create(struct control *control, const struct commands *commands,
                                   const struct eviction_queue *evictions);
// Begins to hear changes; until then it may only be passed on.
void nominator_observe(struct nominator *nominator);
void nominator_destroy(struct nominator *nominator); // NULL is fine
// Pods were planned, or planned no more: the nominations are looked at soon.
void nominator_wake(struct nominator *nominator);
// The node of a replacement is about to be registered: whether it is kept closed from now on for
// the pods that its command evicts (kept_replacements.h, nominations_keep()).
bool nominator_keep(struct nominator *nominator, const struct node_claim *claim);
// The node should not be opened to pods yet: its own are not nominated. Never for long.
bool nominator_holds(struct nominator *nominator, const struct node_claim *claim,
                     const struct node *node);
