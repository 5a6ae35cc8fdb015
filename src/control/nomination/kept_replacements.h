// Nodes of replacements that stay closed until the evicted pods of their command wait for them
// (SCH-516). An open replacement is the emptiest node of the cluster: kube-scheduler binds each
// evicted pod there as it comes, and a large pod finds no room in the end.
//
// Such a node is registered and initialized as any other (DIS-792), with the taint
// adze.dev/awaiting-pods. Pods that fit on other nodes go there, as the decision expects; the rest
// waits. When all pods of the command have come, except those whose eviction waits for pods that
// may wait here, or no more come, its nodes open together: no pod is evicted for a moment,
// kube-scheduler gets quiet, the pods are nominated in one go. When that takes long, nodes whose
// pods have all come open before the others. Pods that a slow controller has yet to create are
// waited for, also when the command has ended with its nodes. The reason for the taint is not
// stored: a closed node that no controller keeps is opened (registration.c).
#pragma once

#include "control/nomination/opening_group.h"
#include "control/runtime/control.h"

struct commands;
struct eviction_queue;
struct kept_replacements;
struct kept_replacements *kept_replacements_create(struct control *control,
                                                   const struct commands *commands,
                                                   const struct eviction_queue *evictions,
                                                   opening_unnominated *unnominated, void *context);
void kept_replacements_destroy(struct kept_replacements *kept); // NULL is fine

// The command of the replacement will evict pods that are planned for its node, and the node has no
// startup taints.
bool kept_replacements_applies(const struct kept_replacements *kept,
                               const struct node_claim *claim);
// The node is about to be registered; true: it stays closed from now on.
bool kept_replacements_begin(struct kept_replacements *kept, const struct node_claim *claim);
// The node opens next, and its planned pods are to be nominated.
bool kept_replacements_prepare(const struct kept_replacements *kept, const char *claim);
// Some node is kept closed.
bool kept_replacements_any(const struct kept_replacements *kept);
// Some nodes are about to open, or have opened just now (opening_group.h).
bool kept_replacements_have_the_turn(const struct kept_replacements *kept);
// Opens the nodes that are due; all of them if not `may_keep`. True if another review is needed.
// `may_open`: no nodes of a wave have the turn.
bool kept_replacements_review(struct kept_replacements *kept, bool may_keep, bool may_open);
