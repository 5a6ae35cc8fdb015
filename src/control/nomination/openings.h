// The instant at which the nodes of a wave open to pods (SCH-516). The taint
// karpenter.sh/unregistered stays on a ready node until the other nodes of the wave are ready, too,
// and their planned pods are nominated; then all of them open at once. Otherwise the first node
// would get the pods that were planned for the others, and a workload that is spread over zones
// would find one zone only.
//
// A node whose pods claim devices is ready when its drivers have published them (LIF-64).
//
// Every wait has a limit, for late nodes, for drivers that need an open node, and for pods that
// cannot be nominated.
#pragma once

#include "control/nomination/opening_group.h"
#include "control/runtime/control.h"

struct openings;
struct openings *openings_create(struct control *control, opening_unnominated *unnominated,
                                 void *context);
void openings_destroy(struct openings *openings); // NULL is fine

// True: the unregistered node stays closed for now. The caller asks again when it is woken
// (lifecycle.h) at the opening.
bool openings_delay(struct openings *openings, const struct node_claim *claim,
                    const struct node *node);
// The node opens next: its pods are to be nominated now.
bool openings_prepare(const struct openings *openings, const char *claim);
// The nodes that open next are ready, but their pods are not nominated before kube-scheduler is
// quiet. Nor is a pod that has lost its nomination to an open node: each attempt in vain has
// kube-scheduler try many pods again.
bool openings_rest(const struct openings *openings);
// The nodes of a group are opening at this moment. The API server is busy: other writes about them
// would hold up those that are still closed.
bool openings_under_way(const struct openings *openings);
// Ready nodes are about to open, or have opened just now (opening_group.h).
bool openings_have_the_turn(const struct openings *openings);
// Advances the groups; the delay until the next review, 0: no node is closed. `may_open`: no
// replacements have the turn.
int64_t openings_review(struct openings *openings, bool may_open);
