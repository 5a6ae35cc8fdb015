// Condition NodeRegistrationHealthy of NodePools: the last four outcomes of registration, a pool
// (LIF-220 to LIF-225).
#pragma once

#include "control/runtime/control.h"

struct registration_health;
struct registration_health *registration_health_create(struct control *control);
void registration_health_destroy(struct registration_health *health);

// Outcomes of a NodeClaim; each NodeClaim counts once. The NodePool's condition follows.
void registration_health_succeeded(struct registration_health *health,
                                   const struct node_claim *claim);
void registration_health_failed(struct registration_health *health, const struct node_claim *claim);

// The ring itself: pure, for tests.
#define REGISTRATION_OUTCOMES 4
struct outcome_ring {
    bool failed[REGISTRATION_OUTCOMES];
    uint32_t count, next;
};
enum registration_state { REGISTRATION_UNKNOWN, REGISTRATION_HEALTHY, REGISTRATION_UNHEALTHY };
void outcome_ring_add(struct outcome_ring *ring, bool failed);
enum registration_state outcome_ring_state(const struct outcome_ring *ring);
