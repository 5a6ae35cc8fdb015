// Nominates pending pods to their planned nodes (SCH-516): it sets status.nominatedNodeName and
// clears stale nominations. kube-scheduler 1.35 and later (feature NominatedNodeNameForExpectation)
// tries that node first and reserves its room for the pod; a failed attempt ends the nomination and
// retries all other pods. So a pod is nominated shortly before its node opens (openings.h), and
// until then the taint karpenter.sh/unregistered stays.
//
// It writes nothing under COMPATIBILITY=upstream, with POD_NOMINATION=Off, to an older API server,
// or where kube-scheduler binds pods elsewhere all the same. Nor does it if all planned pods belong
// to one workload, since they may take each other's places.
#pragma once

#include "control/runtime/control.h"

struct commands;
struct eviction_queue;
struct nominator;
struct nominator *nominator_create(struct control *control, const struct commands *commands,
                                   const struct eviction_queue *evictions);
// Registers its handlers; until then it may only be passed on.
void nominator_observe(struct nominator *nominator);
void nominator_destroy(struct nominator *nominator); // NULL is fine
// A pass has planned pods: those that kube-scheduler tries first get the places on open nodes, and
// the nominations are reviewed soon.
void nominator_note_plans(struct nominator *nominator);
// The node of a replacement is about to be registered; true: it stays closed from now on for the
// pods that its command evicts (kept_replacements.h, nominations_keep()).
bool nominator_keep(struct nominator *nominator, const struct node_claim *claim);
// True: the node stays closed for now, since its pods are not nominated. Never for long.
bool nominator_delays_opening(struct nominator *nominator, const struct node_claim *claim,
                              const struct node *node);
// Nodes are opening at this moment: writes that are less urgent wait, which is never for long.
bool nominator_is_opening(const struct nominator *nominator);
