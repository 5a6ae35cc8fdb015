// When the nodes of a wave are opened to pods (SCH-516). The taint karpenter.sh/unregistered stays
// on a ready node until the others that were made with it are ready, too, and the pods that are
// planned for them are nominated; then all of them open at once. Else the first node gets the pods
// that were planned for the others, and a workload that is spread over zones finds one zone only.
//
// No node is held for long: neither for others that do not come nor for pods that cannot be
// nominated.
#pragma once

#include "control/runtime/control.h"

struct openings;
// Whether all pods that are planned for the NodeClaim's node, and need it, are nominated; true if
// it has none.
typedef bool openings_prepared(void *context, const char *claim);
struct openings *openings_create(struct control *control, openings_prepared *is_prepared,
                                 void *context);
void openings_destroy(struct openings *openings); // NULL is fine

// Whether the node, which is not registered yet, stays closed for now. Whoever asks asks again, and
// is woken (lifecycle.h) when it opens.
bool openings_hold(struct openings *openings, const struct node_claim *claim,
                   const struct node *node);
// The pods of the node are to be nominated now: it opens next.
bool openings_prepare(const struct openings *openings, const char *claim);
// Looks at what is held; how long until the next look, 0: nothing is held.
int64_t openings_review(struct openings *openings);
