// Which NodeClaim each pod was planned for (LIF-320), from the pass that decided it until the pod is
// bound, gone or planned anew. A cache: after a restart nobody is planned.
#pragma once

#include <stdint.h>

struct planned_pods;
struct planned_pods *planned_pods_create(void);
void planned_pods_destroy(struct planned_pods *planned); // NULL is fine

// A later plan replaces an earlier one.
void planned_pods_set(struct planned_pods *planned, const char *pod_uid, const char *claim);
void planned_pods_forget(struct planned_pods *planned, const char *pod_uid); // NULL is fine
// The NodeClaim's name, or NULL; valid until a pod of that NodeClaim is forgotten.
const char *planned_pods_claim(const struct planned_pods *planned, const char *pod_uid);
uint32_t planned_pods_count(const struct planned_pods *planned, const char *claim);
