// Interruptions of spot machines in the last seven days (DIS-751), by NodePool and instance type:
// the number of machines that ended by themselves, and the running time of all. Providers do not
// publish it in advance. The observations are written on the NodePool once an hour and with each
// interruption (annotation adze.dev/spot-interruptions, "2026-01-01/m5.large/2/86400 ...": day,
// instance type, interruptions, machine seconds), from which a successor goes on.
//
// Nothing is counted where nothing reads it: without the gate SpotToSpotConsolidation, and with
// SPOT_MIN_TYPES=15, as under COMPATIBILITY=upstream.
#pragma once

#include "control/runtime/control.h"
#include "engine/problem/disruption_inputs.h"
#include "reconcile/operations.h"

struct interruptions;
struct interruptions *interruptions_create(struct control *control);
void interruptions_destroy(struct interruptions *interruptions); // NULL is fine

// The machine of the NodeClaim has ended by itself. Only spot machines count, each of them once.
void interruptions_note(struct interruptions *interruptions, const struct node_claim *claim);
// Counts the elapsed time. Cheap; called periodically.
void interruptions_review(struct interruptions *interruptions);
// Writes the NodePools' annotations that are due; returns the number of started operations.
uint32_t interruptions_save(struct interruptions *interruptions,
                            const struct operation_about *about);
// By NodePool and type; in `arena`.
struct interruption_list interruptions_list(struct interruptions *interruptions,
                                            struct arena *arena);
