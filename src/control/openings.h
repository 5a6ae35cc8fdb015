// When the nodes of a wave are opened to pods (SCH-516). The taint karpenter.sh/unregistered stays on a
// ready node until the others that were made with it are ready, too, and the pods that are planned for
// them are nominated; then all of them open at once. Else the first node gets the pods that were
// planned for the others, and a workload that is spread over zones finds one zone only.
//
// The node of a replacement is kept closed until the pods that its command evicts wait for it and are
// nominated: else each goes to the emptiest node, and the last, or largest, finds no room. It is registered
// and initialized as any other, with the taint adze.dev/awaiting-pods, and opens by itself.
//
// No node is held for long: neither for others that do not come nor for pods that cannot be nominated.
#pragma once

#include "control/control.h"

struct openings;
// Whether all pods that are planned for the NodeClaim's node, and need it, are nominated.
typedef bool openings_prepared(void *context, const struct node_claim *claim,
                               const struct node *node);
struct openings *openings_create(struct control *control, openings_prepared *is_prepared,
                                 void *context);
void openings_destroy(struct openings *openings); // NULL is fine

// Whether the node, which is not registered yet, stays closed for now. Whoever asks asks again, and is
// woken (lifecycle.h) when it opens.
bool openings_hold(struct openings *openings, const struct node_claim *claim,
                   const struct node *node);
// Whether a command will evict pods that are to come to the NodeClaim's node.
bool openings_may_keep(const struct openings *openings, const struct node_claim *claim);
// If so the node, which is being registered, is kept closed from now on, and for how long.
bool openings_keep(struct openings *openings, const struct node_claim *claim);
bool openings_keeps(const struct openings *openings, const char *claim);
bool openings_keep_any(const struct openings *openings);
// The pods of the node are to be nominated now: it opens next.
bool openings_prepare(const struct openings *openings, const char *claim);
// Looks at what is held; how long until the next look, 0: nothing is held. `keeps`: replacements may still
// be kept closed.
int64_t openings_review(struct openings *openings, bool keeps);
