// The label keys that some pod, DaemonSet or rule asks Nodes for. Other labels of Nodes are
// ignored.
#pragma once

#include "engine/problem/problem.h"

// Adds the key to problem->asked.keys; call before Nodes are compiled.
void problem_ask_key(struct problem *problem, uint32_t key);
static inline bool problem_is_asked(const struct problem *problem, uint32_t key)
{
    return key < problem->asked.count && problem->asked.keys[key];
}
// Marks the label keys that a pod of this spec asks Nodes for.
void pod_spec_ask_keys(struct problem *problem, const struct pod_spec *spec);
