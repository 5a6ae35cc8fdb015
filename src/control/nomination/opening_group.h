// Closed nodes that open to pods together (SCH-516). Their planned pods are nominated first, once
// kube-scheduler is quiet, in an order in which each fits at its turn. What kube-scheduler tries
// meanwhile comes last: the order is mended before the nodes open. When many pods lose their
// nominations at once, no more are written before kube-scheduler is quiet again; near the end, the
// rest is written and the nodes open at once.
//
// The waits have limits: then the nodes open as they are. How long nodes may take to become ready,
// or another group to open, is their owner's business (openings.h, kept_replacements.h).
#pragma once

#include "control/runtime/control.h"

struct unnominated { // pods that are planned for a NodeClaim's node, need it and are not nominated
    uint32_t count;
    uint32_t lost; // of them: were nominated until kube-scheduler tried them in vain
};
// `since_ns`: monotonic; earlier losses do not count.
typedef struct unnominated opening_unnominated(void *context, const char *claim, int64_t since_ns);

struct opening_group;
// `patience_ns`: the longest wait for kube-scheduler to be quiet.
struct opening_group *opening_group_create(struct control *control, int64_t patience_ns,
                                           opening_unnominated *unnominated, void *context);
void opening_group_destroy(struct opening_group *group); // NULL is fine

// The group has these NodeClaims from now on, from the first on as many as can be prepared
// together: at least one, unless there is none. Pods that share a node with a sibling may exchange
// their planned places (sibling_exchange.h).
void opening_group_begin(struct opening_group *group, const struct node_claim *const *claims,
                         uint32_t count);
bool opening_group_is_empty(const struct opening_group *group);
bool opening_group_has(const struct opening_group *group, const char *claim);
void opening_group_drop(struct opening_group *group, const char *claim); // before the opening
void opening_group_end(struct opening_group *group);                     // it is empty again

// A step on the way to the opening and to the end; true when the nodes are to open now, in the
// order of opening_group_claims(). `is_ready`: the nodes can carry pods; asked for until
// nominations begin.
bool opening_group_advance(struct opening_group *group, bool is_ready);
// Those that exist. The caller frees the result.
const struct node_claim **opening_group_claims(const struct opening_group *group, uint32_t *count);

// The pods of the NodeClaim's node are to be nominated now.
bool opening_group_prepares(const struct opening_group *group, const char *claim);
// The nodes are ready, but pods are not nominated before kube-scheduler is quiet.
bool opening_group_rests(const struct opening_group *group);
// The nodes have opened, and nearly all pods are bound, or have had their chance.
bool opening_group_is_over(const struct opening_group *group);
// The nodes have opened, and no pod has been bound for a moment.
bool opening_group_stands_still(const struct opening_group *group);
// Ready nodes are about to open, or have opened and are not over: another group waits, since each
// opening and each new order has kube-scheduler try pods in vain.
bool opening_group_has_the_turn(const struct opening_group *group);
// Monotonic: when the group began, since when pods are nominated, and when the nodes opened; 0: not
// yet.
int64_t opening_group_begun_ns(const struct opening_group *group);
int64_t opening_group_nominated_ns(const struct opening_group *group);
int64_t opening_group_opened_ns(const struct opening_group *group);
