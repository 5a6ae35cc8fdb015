// Existing nodes: registered, initialized machines of the first NodePool, each with some running
// pods and room for more.
#pragma once

#include "bench/bench_builder.h"

// A registered, initialized Node with its NodeClaim.
void bench_add_machine(struct bench_builder *builder, const struct bench_machine *machine);
// Existing nodes of the first NodePool with their pods. Needs the catalog and the NodePools.
void bench_add_nodes(struct bench_builder *builder, uint32_t nodes);
