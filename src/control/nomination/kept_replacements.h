// Nodes of replacements that stay closed to pods until those that their command evicts wait for
// them (SCH-516). An open one is the emptiest node of all: kube-scheduler sends each evicted pod
// there, whichever comes first, and for a large one there is no room left in the end.
//
// Such a node is registered and initialized as any other (DIS-792), with the taint
// adze.dev/awaiting-pods. Pods that find room on other nodes go there, as the decision has
// reckoned; the rest is nominated. When all of a node's pods have come it opens, or all but those
// whose eviction waits for pods that may be waiting here; and not much later if they do not come.
// Who closed a node is not written down: what nobody keeps is opened (registration.c).
#pragma once

#include "control/runtime/control.h"

struct commands;
struct eviction_queue;
struct kept_replacements;
// Whether all pods that are planned for the NodeClaim's node, and need it, are nominated; true if
// it has none.
typedef bool kept_replacements_prepared(void *context, const char *claim);
struct kept_replacements *kept_replacements_create(struct control *control,
                                                   const struct commands *commands,
                                                   const struct eviction_queue *evictions,
                                                   kept_replacements_prepared *is_prepared,
                                                   void *context);
void kept_replacements_destroy(struct kept_replacements *kept); // NULL is fine

// A command will evict pods that are to come to the NodeClaim's node, which has no startup taints.
bool kept_replacements_wants(const struct kept_replacements *kept, const struct node_claim *claim);
// The node is about to be registered; true: it stays closed from now on.
bool kept_replacements_begin(struct kept_replacements *kept, const struct node_claim *claim);
// It still does.
bool kept_replacements_has(const struct kept_replacements *kept, const char *claim);
bool kept_replacements_any(const struct kept_replacements *kept);
// Opens what is to be opened; `may_keep` false: all. Whether anything is kept.
bool kept_replacements_review(struct kept_replacements *kept, bool may_keep);
