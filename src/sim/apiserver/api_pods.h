// Subresources of pods: eviction (with PodDisruptionBudgets), binding, log. Source: the Eviction
// API
// ("API-initiated Eviction") and the pods/binding subresource.
#pragma once

#include "sim/apiserver/api_internal.h"

bool call_evict(struct api_call *call);
bool call_bind(struct api_call *call);
bool call_container(struct api_call *call); // log, exec, attach, ...: not simulated
