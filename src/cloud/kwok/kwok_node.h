// The Node object of a kwok machine (KWK-13).
#pragma once

#include "cloud/port/offering_choice.h"

#define KWOK_PROVIDER_PREFIX     "kwok://"
#define KWOK_ANNOTATION_NODE_DUE "karpenter.kwok.sh/node-due" // KWK-17: creation time of the Node

// Name of a claim's Node: "kwok-<claim>-<5 characters>". It depends only on the claim's UID, so a
// repeated launch is the same machine.
void kwok_node_name(const struct node_claim *claim, char out[300]);

// The provider's machine for a claim launched into `choice`: labels, annotations, capacity and
// allocatable, in arena memory. The capacity is the type's in either compatibility mode; upstream
// reports the claim's requests, and its NodePools exceed their limits by that.
struct machine *kwok_machine(struct arena *arena, const struct node_claim *claim,
                             const struct offering_choice *choice, int64_t now, int64_t due);

// The Node of a claim that carries the answer of kwok_machine() (after the launch was recorded).
json_t *kwok_node_body(const struct node_claim *claim, const struct machine *machine);

// The same from a NodeClaim with a recorded launch (status.providerID), for a Node that a former
// process had not created yet (KWK-17). NULL if the claim does not belong to kwok.
struct machine *kwok_machine_on_record(struct arena *arena, const struct node_claim *claim);
// The creation time of the claim's Node; 0 if the annotation is missing or does not parse.
int64_t kwok_node_due(const struct node_claim *claim);
// The machine of a Node (KWK-15); its texts and maps belong to the Node.
void kwok_machine_of_node(const struct node *node, struct machine *machine);
