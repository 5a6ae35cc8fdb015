// The Node object that stands for a kwok machine (KWK-13).
#pragma once

#include "cloud/port/offering_choice.h"

#define KWOK_PROVIDER_PREFIX     "kwok://"
#define KWOK_ANNOTATION_NODE_DUE "karpenter.kwok.sh/node-due" // KWK-17: when the Node is to appear

// Name of the Node of a claim: "kwok-<claim>-<5 characters>", always the same for one claim (its
// UID decides), so that a repeated launch is the same machine.
void kwok_node_name(const struct node_claim *claim, char out[300]);

// What the provider answers for a claim launched into `choice`: labels, annotations, capacity and
// allocatable, in arena memory. The capacity is the type's with any setting: upstream's is what the
// claim asks for, by which its NodePools exceed their limits.
struct machine *kwok_machine(struct arena *arena, const struct node_claim *claim,
                             const struct offering_choice *choice, int64_t now, int64_t due);

// The Node to create for a claim that carries what kwok_machine() answered (after the launch was
// recorded).
json_t *kwok_node_body(const struct node_claim *claim, const struct machine *machine);

// The same from a NodeClaim whose launch is on record (status.providerID), for a Node that a former
// process still owed (KWK-17). NULL if the claim is none of kwok's.
struct machine *kwok_machine_on_record(struct arena *arena, const struct node_claim *claim);
// When its Node is due; 0 if the annotation is missing or does not parse.
int64_t kwok_node_due(const struct node_claim *claim);
// The machine that a Node stands for (KWK-15); its texts and maps are the Node's.
void kwok_machine_of_node(const struct node *node, struct machine *machine);
