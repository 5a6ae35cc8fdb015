// Host ports (SCH-356).
#pragma once

#include "engine/problem/problem.h"

// Of containers and sidecars; an empty address is 0.0.0.0.
struct host_ports host_ports_of(struct arena *arena, const struct pod_spec *spec);
// The first pair that cannot share a node, or false.
bool host_ports_conflict(const struct host_ports *used, const struct host_ports *asked,
                         const struct host_port **existing, const struct host_port **wanted);
// The text of SCH-356.
void host_ports_add_conflict(struct text *text, const struct host_port *existing,
                             const struct host_port *wanted);
