// How often spot machines were taken away here in the last seven days (DIS-751): by NodePool and
// instance type, how many ended without being told to, and for how long all of them ran. Providers
// do not say that in advance; what this controller has seen is written on the NodePool once an hour
// and with each interruption (annotation adze.dev/spot-interruptions, "2026-01-01/m5.large/2/86400
// ...": day, instance type, interruptions, seconds of machines), from which a successor goes on.
//
// Nothing is counted where nobody asks for it: without the gate SpotToSpotConsolidation, and with
// SPOT_MIN_TYPES=15, as under COMPATIBILITY=upstream.
#pragma once

#include "control/runtime/control.h"
#include "engine/problem/disruption_inputs.h"
#include "reconcile/operations.h"

struct interruptions;
struct interruptions *interruptions_create(struct control *control);
void interruptions_destroy(struct interruptions *interruptions); // NULL is fine

// The machine of the NodeClaim has ended by itself. Others than spot do not count, and each once.
void interruptions_note(struct interruptions *interruptions, const struct node_claim *claim);
// Counts the time that has passed. Cheap; to be called now and then.
void interruptions_review(struct interruptions *interruptions);
// Writes what is due on the NodePools; answers how many operations were started.
uint32_t interruptions_save(struct interruptions *interruptions,
                            const struct operation_about *about);
// By NodePool and type; in `arena`.
struct interruption_list interruptions_list(struct interruptions *interruptions,
                                            struct arena *arena);
